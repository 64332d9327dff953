//! Arrays of numbers in the GPU's memory.

use ringfence::{
    drive::{ArrayUse, InFlight, Ordered},
    error::StreamError,
    stream::{Access, Allocation, Lease, Stamp},
};
use ringfence_hip::HipWork;

use super::{Numbers, SUM, Slot};
use crate::{Gpu, Kernels, Pool};

/// An array of 32-bit numbers. Its stamp orders whatever uses it; dropped, its memory is
/// handed in, and freed behind the last use by the next pump: a destructor calls no driver, and nobody waits.
#[derive(Debug)]
pub struct Array {
    pool: Pool,
    pub(super) kernels: Kernels,
    /// There until the drop.
    memory: Option<Allocation>,
    pub(super) numbers: Numbers,
    pub(super) stamp: Stamp,
}

impl Array {
    /// `start`, `start + 1` and so on.
    ///
    /// # Errors
    /// As [`StreamPool::allocate`](ringfence::drive::StreamPool::allocate) and
    /// [`submit`](ringfence::drive::StreamPool::submit).
    pub fn iota(gpu: &Gpu, lease: &mut Lease, start: u32, count: u32) -> Result<Self, StreamError> {
        let mut array = Self::allocate(gpu, lease, count)?;
        let (numbers, kernels) = (array.numbers, array.kernels);
        // SAFETY: the memory is the array's, and `write` orders and remembers the work.
        let _nothing_before = array.write(lease, unsafe { numbers.iota(kernels, start) })?;
        Ok(array)
    }

    /// Sets all of them.
    ///
    /// # Errors
    /// As [`order_after`](ringfence::drive::StreamPool::order_after) and [`submit`](ringfence::drive::StreamPool::submit).
    pub fn fill(&mut self, lease: &mut Lease, value: u32) -> Result<Ordered, StreamError> {
        // SAFETY: as above.
        let work = unsafe { self.numbers.fill(self.kernels, value) };
        self.write(lease, work)
    }

    /// Brings their sum to the host, behind whatever wrote them: into a slot, which the pool has until the copy is finished, whatever
    /// becomes of the future.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn sum(&mut self, lease: &mut Lease, to: Slot) -> Result<InFlight<Slot>, StreamError> {
        let (pool, numbers, kernels) = (self.pool.clone(), self.numbers, self.kernels);
        let sum = pool.allocate(lease, SUM)?;
        let at = sum.raw();
        let submitted = pool.run_after(lease, &mut [ArrayUse::read(&mut self.stamp)], |lease| {
            // SAFETY: this stream alone uses the sum's memory, which is given up below, behind all of this.
            let _zeroed = pool.submit(lease, unsafe { HipWork::fill(at.as_u64(), 0, SUM) })?;
            // SAFETY: the stamp orders it behind the array's writers, and keeps the array; the sum as above.
            let _added = pool.submit(lease, unsafe { numbers.add_to(kernels, at) })?;
            // SAFETY: as above.
            pool.submit_owning(lease, to, |slot| unsafe { slot.copy_of(at) })
        });
        let mut used = sum.stamp();
        used.add(pool.so_far(lease), Access::Write); // also after an error: a part of it may run
        let _freed_behind_that = pool.retire(sum, used);
        submitted.map(|(copied, _how)| copied)
    }

    /// The work that a later user of the array has to wait for.
    #[must_use]
    pub fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// Memory that nothing was written to yet.
    pub(super) fn allocate(gpu: &Gpu, lease: &mut Lease, count: u32) -> Result<Self, StreamError> {
        let memory = gpu.pool.allocate(lease, Numbers::bytes(count))?;
        Ok(Self {
            pool: gpu.pool.clone(),
            kernels: gpu.kernels,
            numbers: Numbers { at: memory.raw(), count },
            stamp: memory.stamp(), // whoever uses it first follows its allocation
            memory: Some(memory),
        })
    }

    /// Its memory, for a graph that is to keep it.
    pub(super) fn memory(&self) -> &Allocation {
        self.memory.as_ref().expect("it is there until the drop")
    }

    /// Submits work that writes to it.
    pub(super) fn write(
        &mut self,
        lease: &mut Lease,
        work: HipWork,
    ) -> Result<Ordered, StreamError> {
        let mut array = [ArrayUse::write(&mut self.stamp)];
        self.pool.submit_after(lease, &mut array, work).map(|(_touch, how)| how)
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            let _later = self.pool.retire_later(memory, std::mem::take(&mut self.stamp));
        }
    }
}
