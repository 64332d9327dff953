//! Signals that the runtime did not make: blocks laid out as its own, in a GPU's memory.

use std::{
    mem::offset_of,
    sync::atomic::{Ordering, fence},
};

use ringfence_hsa::sys::{amd_signal_kind_t, amd_signal_t, hsa_signal_t};

use super::{Agent, Block, Pool};

/// So many raw signals in one block. No `hsa_*` call may see their handles: packets alone do.
#[derive(Debug)]
pub struct RawSignals<'r> {
    block: Block<'r>,
    flush: *mut u32,
}

// SAFETY: the register is written and read as a whole word, by any thread.
unsafe impl Send for RawSignals<'_> {}
// SAFETY: as above.
unsafe impl Sync for RawSignals<'_> {}

/// What is done for the device to see the host's stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// A store fence and a flush of the host's stores.
    Flushed,
    /// Nothing: a fault to be seen.
    Unflushed,
}

impl<'r> RawSignals<'r> {
    /// `count` signals in `pool`, a pool of `owner`'s memory, all at 0, which `agents` may use.
    #[must_use]
    pub fn new(pool: &Pool<'r>, owner: &Agent<'r>, count: usize, agents: &[Agent<'_>]) -> Self {
        let block = Block::new(pool, count * size_of::<amd_signal_t>(), agents);
        assert_eq!(block.at(0) % 64, 0, "a signal is aligned to 64 bytes");
        block.write(0, &vec![0; block.bytes()]);
        let kind = i64::from(amd_signal_kind_t::AMD_SIGNAL_KIND_USER.0);
        for index in 0..count {
            block.store(index * size_of::<amd_signal_t>() + offset_of!(amd_signal_t, kind), kind);
        }
        let signals = Self { block, flush: owner.hdp().HDP_MEM_FLUSH_CNTL };
        assert!(!signals.flush.is_null(), "no register to flush host stores with");
        signals.publish(Visibility::Flushed);
        signals
    }

    /// What packets name it by.
    #[must_use]
    pub fn handle(&self, index: usize) -> hsa_signal_t {
        hsa_signal_t { handle: self.block.at(index * size_of::<amd_signal_t>()) }
    }

    /// The value of one, with acquire order.
    #[must_use]
    pub fn value(&self, index: usize) -> i64 {
        self.block.word(Self::value_at(index)).load(Ordering::Acquire)
    }

    /// Stores the value of one. No device sees it before [`publish`](Self::publish) for certain.
    pub fn store(&self, index: usize, value: i64) {
        self.block.store(Self::value_at(index), value);
    }

    /// Stores what clears the times of one.
    pub fn clear_times(&self, index: usize) {
        self.block.store(Self::field(index, offset_of!(amd_signal_t, start_ts)), 0);
        self.block.store(Self::field(index, offset_of!(amd_signal_t, end_ts)), 0);
    }

    /// When the packet that completed it began and ended, in the agent's ticks.
    #[must_use]
    pub fn times(&self, index: usize) -> (u64, u64) {
        let load = |field| self.block.word(Self::field(index, field)).load(Ordering::Acquire);
        let (start, end) = (offset_of!(amd_signal_t, start_ts), offset_of!(amd_signal_t, end_ts));
        (load(start).cast_unsigned(), load(end).cast_unsigned())
    }

    /// Makes the stores so far visible to devices: fence, write 1 to the register, read it back.
    pub fn publish(&self, visibility: Visibility) {
        fence(Ordering::SeqCst);
        if visibility == Visibility::Unflushed {
            return;
        }
        // SAFETY: the register is mapped as long as the runtime is up, and any thread may write it.
        unsafe { self.flush.write_volatile(1) };
        // SAFETY: as above.
        let _ = unsafe { self.flush.read_volatile() };
    }

    fn value_at(index: usize) -> usize {
        Self::field(index, offset_of!(amd_signal_t, __bindgen_anon_1))
    }

    fn field(index: usize, field: usize) -> usize {
        index * size_of::<amd_signal_t>() + field
    }
}
