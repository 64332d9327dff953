//! Memory for kernels and copies.

use std::fmt;

use crate::{
    api::{AgentHandle, AgentKind, PoolFlags},
    device::HsaDevice,
    error::HsaError,
};

/// Where memory lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryPlace {
    /// In the device's own memory. The host reaches it if there is a large BAR.
    Device,
    /// In host memory, coherent with all GPUs.
    Host,
    /// In host memory, for kernel arguments.
    Kernarg,
}

/// Memory that the host, where it can, and all GPUs reach. It is freed on drop: by then no device may use it any more, which
/// whoever made work of it has promised ([`CopyWork::new`](crate::CopyWork::new)).
///
/// ```no_run
/// use ringfence_hsa::{HsaDevice, HsaError, MemoryPlace};
/// # fn written(gpu: &HsaDevice) -> Result<(), HsaError> {
/// let mut arguments = gpu.allocate(MemoryPlace::Kernarg, 64)?;
/// arguments.write(0, &7_u32.to_le_bytes());
/// let mut seen = [0; 4];
/// arguments.read(0, &mut seen);
/// assert_eq!(seen, [7, 0, 0, 0]);
/// # Ok(()) }
/// ```
pub struct Buffer {
    device: HsaDevice,
    address: *mut u8,
    bytes: usize,
    owner: AgentHandle,
    mapped: bool,
}

// SAFETY: the pointer is the buffer's own, and the host accesses what lies there in copies of bytes alone.
unsafe impl Send for Buffer {}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes at {:p})", self.bytes, self.address)
    }
}

/// An address in a buffer, and whose memory it is.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub(crate) address: u64,
    pub(crate) agent: AgentHandle,
}

impl HsaDevice {
    /// Memory of this device's, or of the host's.
    ///
    /// # Errors
    /// Whatever the runtime says: it may be used up.
    pub fn allocate(&self, place: MemoryPlace, bytes: usize) -> Result<Buffer, HsaError> {
        let pools = self.0.facts().pools();
        let (pool, owner) = match place {
            MemoryPlace::Device => (pools.device, self.0.facts().agent()),
            MemoryPlace::Host => (pools.host, pools.cpu),
            MemoryPlace::Kernarg => (pools.kernarg, pools.cpu),
        };
        let api = self.runtime().api();
        let mut agents = Vec::new();
        let mut mapped = place != MemoryPlace::Device;
        for agent in self.runtime().agents() {
            let is_cpu = agent.kind() == AgentKind::Cpu;
            if agent.kind() != AgentKind::Other && api.can_access(agent.handle(), pool)? {
                mapped |= is_cpu;
                // Pools of the host's are given access to by GPUs alone: the host has it.
                if place == MemoryPlace::Device || !is_cpu {
                    agents.push(agent.handle());
                }
            }
        }
        let address = api.allocate(pool, bytes, PoolFlags::Standard, &agents)?;
        Ok(Buffer { device: self.clone(), address, bytes, owner, mapped })
    }
}

impl Buffer {
    /// How long it is, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The address of its first byte, for the host and for devices.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address as u64
    }

    /// The byte at `offset`, as an end of a copy.
    ///
    /// # Panics
    /// If that is outside.
    #[must_use]
    pub fn place(&self, offset: usize) -> Place {
        Place { address: self.checked(offset, 0) as u64, agent: self.owner }
    }

    /// Copies `data` in at `offset`. A device sees it once it was [flushed](ringfence::backend::Signals::flush).
    ///
    /// # Panics
    /// If it does not fit, or the host cannot reach it.
    pub fn write(&mut self, offset: usize, data: &[u8]) {
        let to = self.reached(offset, data.len());
        // SAFETY: the range lies in the buffer, which is mapped for the host and of which `data` is no part.
        unsafe { to.copy_from_nonoverlapping(data.as_ptr(), data.len()) };
    }

    /// Copies out from `offset` what fills `data`.
    ///
    /// # Panics
    /// As [`write`](Self::write).
    pub fn read(&self, offset: usize, data: &mut [u8]) {
        let from = self.reached(offset, data.len());
        // SAFETY: the range lies in the buffer, which is mapped for the host and of which `data` is no part.
        unsafe { from.copy_to_nonoverlapping(data.as_mut_ptr(), data.len()) };
    }

    fn reached(&self, offset: usize, bytes: usize) -> *mut u8 {
        assert!(self.mapped, "the host cannot reach this memory: the device has no large BAR");
        self.checked(offset, bytes)
    }

    fn checked(&self, offset: usize, bytes: usize) -> *mut u8 {
        let inside = offset.checked_add(bytes).is_some_and(|end| end <= self.bytes);
        assert!(inside, "{bytes} bytes at {offset} of {}", self.bytes);
        self.address.wrapping_add(offset)
    }
}

impl Buffer {
    /// Its memory stays where it is until the runtime ends.
    pub(crate) fn leave_to_runtime(mut self) {
        self.address = std::ptr::null_mut();
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.address.is_null() {
            return;
        }
        // SAFETY: whoever gave it to a device promised to keep it until that was done.
        unsafe { self.device.runtime().api().free(self.address) };
    }
}
