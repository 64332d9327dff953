//! Where the host reads results.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use ringfence::id::RawMemory;
use ringfence_hip::{HipError, HipWork, HostBuffer};

use super::SUM;
use crate::Gpu;

/// Numbers in pinned host memory, one for each result that is on its way. HIP breaks captures when such memory is made or freed:
/// make it before there are any.
#[derive(Clone, Debug)]
pub struct Slots(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    buffer: HostBuffer,
    free: Mutex<Vec<usize>>,
}

/// One of them, taken; dropped, somebody else takes it. Work of the GPU that writes to it owns it until it is finished.
#[derive(Debug)]
pub struct Slot {
    shared: Arc<Shared>,
    index: usize,
}

impl Slots {
    /// So many.
    ///
    /// # Errors
    /// What HIP says.
    pub fn new(gpu: &Gpu, count: usize) -> Result<Self, HipError> {
        let buffer = HostBuffer::new(gpu.hip, count)?;
        Ok(Self(Arc::new(Shared { buffer, free: Mutex::new((0..count).collect()) })))
    }

    /// A slot that nobody has; its number is 0. `None`: all are taken.
    #[must_use]
    pub fn take(&self) -> Option<Slot> {
        let index = self.0.free.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
        let slot = Slot { shared: self.0.clone(), index };
        slot.store(0);
        Some(slot)
    }

    /// How many nobody has.
    #[must_use]
    pub fn free(&self) -> usize {
        self.0.free.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl Slot {
    /// The number, as the GPU left it: once its work is finished.
    #[must_use]
    pub fn read(&self) -> u64 {
        self.word().load(Ordering::Acquire)
    }

    /// Stores a number, which the GPU may be waiting for.
    pub fn store(&self, value: u64) {
        self.word().store(value, Ordering::Release);
    }

    /// Later work of a stream waits until the number is at least this. The work should own the slot: whoever took it next would
    /// not know what it means.
    #[must_use]
    pub fn wait_for(&self, at_least: u64) -> HipWork {
        // SAFETY: it is an aligned word of pinned memory, which HIP frees only once the GPU is done with it.
        unsafe { HipWork::wait_value(self.address().as_u64(), at_least) }
    }

    /// Copies a sum from the GPU's memory.
    ///
    /// # Safety
    /// The sum's memory is there until the work is finished, and nobody writes to it meanwhile.
    pub(super) unsafe fn copy_of(&self, sum: RawMemory) -> HipWork {
        // SAFETY: the slot is an aligned word of pinned memory, which HIP frees only once the GPU is done with it, and which the host
        // reaches by atomics alone; the rest is the caller's promise.
        unsafe { HipWork::copy(self.address().as_u64(), sum.as_u64(), SUM) }
    }

    fn address(&self) -> RawMemory {
        let offset = self.index as u64 * SUM.as_u64();
        RawMemory::new(self.shared.buffer.address().as_u64() + offset)
    }

    fn word(&self) -> &AtomicU64 {
        &self.shared.buffer.words()[self.index]
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.shared.free.lock().unwrap_or_else(PoisonError::into_inner).push(self.index);
    }
}
