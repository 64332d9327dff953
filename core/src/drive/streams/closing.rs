//! The end of a pool: shut down, lost, left behind by a process that goes, or dropped. Nobody waits in vain after it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::{Life, Pumped, StreamPool, full::WakeAll};
use crate::{backend::streams::StreamBackend, error::Closed, observe, sync::Arc};

/// What was left when a pool was shut down.
///
/// ```
/// use ringfence::{backend::streams::StreamBackend, drive::StreamPool};
///
/// fn end<B: StreamBackend>(pool: StreamPool<B>) {
///     let left = pool.shutdown(); // waits for no work
///     if left.streams_leaked > 0 {
///         eprintln!("{} streams: still leased, or with unfinished work", left.streams_leaked);
///     }
/// } // dropping it calls no driver
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[must_use = "what is leaked should be looked at"]
#[non_exhaustive]
pub struct ShutDown {
    /// Streams that could not be proven idle, or are still leased: not destroyed.
    pub streams_leaked: u32,
    /// Memory that was given up and not freed.
    pub memory_leaked: u32,
    /// Memory that nobody had given up when the pool ended: owners still have it, or dropped it. It is leaked as well; what
    /// is given up after this counts as [`leaked`](crate::stream::MemoryCounts::leaked) besides.
    pub memory_live: u32,
    /// Buffers that unfinished work still uses: never dropped.
    pub buffers_leaked: u32,
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Destroys everything that is proven idle, and ends the pool: no driver call after this. Leases may
    /// outlive it; they are of no further use.
    ///
    /// A panic of the user's own code that is called meanwhile goes on when the pool has ended.
    pub fn shutdown(&self) -> ShutDown {
        // A pump in progress goes on with what it has: then nothing is destroyed under it.
        let turn = self.turn();
        let destroyed = catch_unwind(AssertUnwindSafe(|| {
            if self.usable().is_ok() {
                self.shared.live(Life::Closing);
                if turn.is_some() {
                    self.pump_alone();
                    self.shared.pool().empty();
                    self.reap();
                    let _buried = self.bury_graphs();
                    self.retry_frees();
                    self.close_own();
                    self.destroy_events();
                }
            }
        }));
        self.shared.live(Life::Shut);
        let mut pool = self.shared.pool();
        let streams_leaked = pool.total(self.features.host_bytes).live();
        pool.lose_all(Closed::Lost);
        drop(pool);
        let memory_leaked = self.shared.memory.lock().leak_all();
        let told = catch_unwind(AssertUnwindSafe(|| self.tell_all()));
        let buffers_leaked = self.shared.limbo.lock().leaked();
        if let Err(panic) = destroyed.and(told) {
            resume_unwind(panic);
        }
        let memory_live = u32::try_from(self.memory_counts().live).unwrap_or(u32::MAX);
        ShutDown { streams_leaked, memory_leaked, memory_live, buffers_leaked }
    }
    /// The device is lost: nothing is proven by it, and what it may still write to is leaked.
    pub(super) fn give_up(&self) -> Pumped {
        self.shared.live(Life::Lost);
        observe::pool_lost(self.shared.id);
        self.shared.pool().lose_all(Closed::Lost);
        self.shared.memory.lock().leak_all();
        Pumped { woken: self.tell_all(), ..Pumped::default() }
    }
    /// A pump where the pool is no longer open, or the driver may be called no more: a forked child, or a process that exits, for good. No
    /// driver call at all (T10).
    pub(super) fn end_for_good(&self) -> Pumped {
        if self.shared.life() == Life::Closing && self.ready().is_ok() {
            return Pumped::default(); // who shuts it down goes on, and tells everybody
        }
        self.shared.live(Life::Shut);
        Pumped { woken: self.tell_all(), ..Pumped::default() }
    }
    /// Who waits is told that the pool has ended, and what unfinished work uses is leaked. Answers with how many waited for a stream.
    fn tell_all(&self) -> u32 {
        let told = catch_unwind(AssertUnwindSafe(|| self.shared.leak_limbo()));
        let woken = self.wake_wanting(WakeAll::Yes);
        if let Err(panic) = told {
            resume_unwind(panic);
        }
        woken
    }
    fn close_own(&self) {
        let own = self.shared.pool().take_own();
        for slot in own {
            let known = self.shared.pool().forget(&slot);
            drop(known);
            let idle = {
                let mut tenancy = slot.lock();
                let idle = self.prove_finished(&slot, &mut tenancy).0.is_ok();
                tenancy.close(Closed::Trimmed);
                idle
            };
            // Nobody finds it any more; whoever found it before may be using it.
            if idle && Arc::strong_count(&slot) == 1 {
                let _refused = self.destroy(&slot);
            }
        }
    }
}

/// Nobody pumps from here on: who waits is told so, and what unfinished work uses is leaked. No call of the driver (T10).
impl<B, A> Drop for StreamPool<B, A> {
    fn drop(&mut self) {
        if self.shared.life() != Life::Lost {
            self.shared.live(Life::Shut);
        }
        // A waker that panics has nobody here to tell.
        let _panicked = catch_unwind(AssertUnwindSafe(|| self.shared.leak_limbo()));
    }
}
