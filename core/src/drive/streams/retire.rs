//! Memory loses its owner: at once, or in a destructor.

use super::{Freed, Life, Shared, StreamPool};
use crate::{
    backend::streams::StreamBackend,
    error::StreamError,
    stream::{Allocation, Deferral, DeferredFree, MemoryBook, Stamp, Waits},
    sync::Ordering,
};

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Gives memory up: it is freed exactly once, after its allocation and all that the stamp remembers, never as part of
    /// somebody's graph, and not while a graph uses it.
    ///
    /// It does not wait for the work. `Freed::Deferred` is no failure: the pool sees to it. It may call the driver, so that a
    /// destructor has [`retire_later`](Self::retire_later). In a forked child the memory is leaked, and no lock is waited for; it is
    /// counted where nobody holds the count.
    pub fn retire(&self, memory: Allocation, mut stamp: Stamp) -> Freed {
        if memory.pool() != self.shared.id {
            return Freed::OtherPool;
        }
        if let Some(leaked) = self.leaked_in_child() {
            return leaked;
        }
        if let Some(allocated) = memory.allocated().filter(|&touch| !self.is_finished(touch)) {
            stamp.add_allocation(allocated);
        }
        let given_up = self.shared.give_up(&mut self.shared.memory.lock(), memory, stamp);
        given_up.map_or_else(|freed| freed, |free| self.dispose(free)) // with nothing locked
    }
    /// Gives memory up without a call of the driver: what a destructor does (T10). It is put on a list, by which the next
    /// [`pump`](Self::pump) frees it as [`retire`](Self::retire) would have; so that somebody has to pump.
    ///
    /// ```
    /// # use ringfence::{backend::streams::StreamBackend, drive::StreamPool, stream::*, sync::Arc};
    /// struct Array<B: StreamBackend> {
    ///     pool: Arc<StreamPool<B>>,
    ///     memory: Option<Allocation>,
    ///     stamp: Stamp,
    /// }
    /// impl<B: StreamBackend> Drop for Array<B> {
    ///     fn drop(&mut self) {
    ///         if let Some(memory) = self.memory.take() {
    ///             let _later = self.pool.retire_later(memory, std::mem::take(&mut self.stamp));
    ///         }
    ///     }
    /// }
    /// ```
    pub fn retire_later(&self, memory: Allocation, mut stamp: Stamp) -> Freed {
        if memory.pool() != self.shared.id {
            return Freed::OtherPool;
        }
        if let Some(leaked) = self.leaked_in_child() {
            return leaked;
        }
        // Whether it is finished, the pump finds out.
        if let Some(allocated) = memory.allocated() {
            stamp.add_allocation(allocated);
        }
        let mut book = self.shared.memory.lock();
        match self.shared.give_up(&mut book, memory, stamp) {
            Ok(free) => {
                book.counts_mut().deferred += 1;
                book.defer(free);
                Freed::Deferred(Deferral::HandedIn)
            }
            Err(freed) => freed,
        }
    }

    /// Memory is given up in a forked child: any lock may be held for ever there, by a thread that is not there.
    fn leaked_in_child(&self) -> Option<Freed> {
        if self.drivable() != Err(StreamError::Forked) {
            return None;
        }
        self.shared.memory_live.fetch_sub(1, Ordering::Relaxed);
        if let Some(mut book) = self.shared.memory.try_lock() {
            book.counts_mut().leaked += 1;
        }
        Some(Freed::Leaked)
    }
}

impl<A> Shared<A> {
    /// Memory has no owner any more. `Err`: that is all that happens to it now.
    fn give_up(
        &self,
        book: &mut MemoryBook,
        memory: Allocation,
        stamp: Stamp,
    ) -> Result<DeferredFree, Freed> {
        self.memory_live.fetch_sub(1, Ordering::Relaxed);
        // With the book locked: who ends the pool says so first, and then counts what is in the book.
        if matches!(self.life(), Life::Shut | Life::Lost) {
            book.counts_mut().leaked += 1;
            return Err(Freed::Leaked);
        }
        let free = DeferredFree { memory, stamp, waits: Waits::None };
        book.give_up(free).ok_or(Freed::Deferred(Deferral::Pinned))
    }
}
