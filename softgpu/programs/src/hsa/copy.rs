//! Copies and fills by the runtime's engines.

use std::{ffi::c_void, time::Duration};

use ringfence_hsa::sys::{hsa_amd_copy_direction_t, hsa_dim3_t, hsa_pitched_ptr_t, hsa_signal_t};

use super::{Agent, Block, Condition, Patience, Runtime, Signal};

/// Where a copy begins, and whose memory it is.
#[derive(Clone, Copy, Debug)]
pub struct Place<'b> {
    block: &'b Block<'b>,
    offset: usize,
    agent: Agent<'b>,
}

impl<'b> Place<'b> {
    /// The byte at `offset` of `block`, which `agent` is to reach.
    #[must_use]
    pub fn new(block: &'b Block<'b>, offset: usize, agent: Agent<'b>) -> Self {
        Self { block, offset, agent }
    }

    fn address(&self, bytes: usize) -> *mut c_void {
        assert!(self.offset + bytes <= self.block.bytes(), "the copy leaves its block");
        self.block.address().wrapping_byte_add(self.offset)
    }
}

/// One end of a rectangular copy.
#[derive(Clone, Copy, Debug)]
pub struct Pitched<'b> {
    /// The block.
    pub block: &'b Block<'b>,
    /// Bytes from row to row.
    pub pitch: usize,
    /// Bytes from slice to slice.
    pub slice: usize,
    /// The first byte, row and slice.
    pub origin: [u32; 3],
}

impl Runtime {
    /// Has copies carry times.
    pub fn profile_copies(&self) {
        // SAFETY: no precondition.
        let status = unsafe { self.functions().hsa_amd_profiling_async_copy_enable(true) };
        self.ok("hsa_amd_profiling_async_copy_enable", status);
    }

    /// Begins a copy that decrements `done` when all `after` are 0 and it is complete.
    pub fn begin_copy(
        &self,
        to: Place<'_>,
        from: Place<'_>,
        bytes: usize,
        after: &[hsa_signal_t],
        done: &Signal<'_>,
    ) {
        let count = u32::try_from(after.len()).expect("few dependencies");
        let after = if after.is_empty() { std::ptr::null() } else { after.as_ptr() };
        // SAFETY: both ranges lie in their blocks, which the caller keeps until `done` is 0.
        let status = unsafe {
            self.functions().hsa_amd_memory_async_copy(
                to.address(bytes),
                to.agent.handle(),
                from.address(bytes),
                from.agent.handle(),
                bytes,
                count,
                after,
                done.handle(),
            )
        };
        self.ok("hsa_amd_memory_async_copy", status);
    }

    /// Copies, and waits for it.
    pub fn copy(&self, to: Place<'_>, from: Place<'_>, bytes: usize) {
        let done = Signal::new(self, 1);
        self.begin_copy(to, from, bytes, &[], &done);
        let seen = done.wait(Condition::Below(1), Duration::from_secs(20), Patience::Blocked);
        assert_eq!(seen, 0, "the signal of a copy of {bytes} bytes");
    }

    /// Begins a copy of `range` (bytes, rows, slices) between the host's memory and `agent`'s.
    pub fn begin_copy_rect(
        &self,
        to: Pitched<'_>,
        from: Pitched<'_>,
        range: [u32; 3],
        agent: &Agent<'_>,
        direction: hsa_amd_copy_direction_t,
        done: &Signal<'_>,
    ) {
        let pitched = |end: &Pitched<'_>| hsa_pitched_ptr_t {
            base: end.block.address(),
            pitch: end.pitch,
            slice: end.slice,
        };
        let triple = |[x, y, z]: [u32; 3]| hsa_dim3_t { x, y, z };
        for end in [&to, &from] {
            let [x, y, z] = [0, 1, 2].map(|axis| (end.origin[axis] + range[axis]) as usize);
            let last = (z - 1) * end.slice + (y - 1) * end.pitch + x;
            assert!(last <= end.block.bytes(), "the copy leaves its block");
        }
        let (to_ends, from_ends) = (pitched(&to), pitched(&from));
        let (to_origin, from_origin) = (triple(to.origin), triple(from.origin));
        let range = triple(range);
        // SAFETY: both ranges lie in their blocks, which the caller keeps until `done` is 0; the structs are read at once.
        let status = unsafe {
            self.functions().hsa_amd_memory_async_copy_rect(
                &raw const to_ends,
                &raw const to_origin,
                &raw const from_ends,
                &raw const from_origin,
                &raw const range,
                agent.handle(),
                direction,
                0,
                std::ptr::null(),
                done.handle(),
            )
        };
        self.ok("hsa_amd_memory_async_copy_rect", status);
    }

    /// Fills `words` 32-bit words at `offset` of `block`, and waits for it.
    pub fn fill(&self, block: &Block<'_>, offset: usize, value: u32, words: usize) {
        assert!(offset + 4 * words <= block.bytes(), "the fill leaves its block");
        let address = block.address().wrapping_byte_add(offset);
        // SAFETY: the range lies in the block, and nothing else uses it.
        let status = unsafe { self.functions().hsa_amd_memory_fill(address, value, words) };
        self.ok("hsa_amd_memory_fill", status);
    }
}
