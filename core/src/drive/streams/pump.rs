//! What is done between tasks: looking, destroying, freeing, waking.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::{
    Shared, StreamPool, acquire::not_looked_at, full::WakeAll, guard::Relaxed, kept::Kept,
    look::Asked,
};
use crate::{
    backend::streams::{StreamBackend, StreamState},
    error::{Closed, DriverError, StreamError},
    id::DeviceId,
    observe,
    stream::{Condemned, Handle, Offer, Standing, Tenancy, Why},
    sync::{AtomicU8, Ordering, Site, ThreadName, order},
};

/// What a pump did.
///
/// ```
/// use ringfence::{backend::streams::StreamBackend, drive::*};
/// use std::time::Duration;
///
/// /// A reaper thread. `wait` sleeps so long, and says whether it is to end.
/// fn reap<B: StreamBackend>(pool: &StreamPool<B>, wait: impl Fn(Duration) -> bool) {
///     let mut pause = Duration::from_millis(1);
///     while !wait(pause) {
///         let idle = pool.pump() == Pumped::default();
///         pause = if idle { (pause * 2).min(Duration::from_secs(1)) } else { Duration::from_millis(1) };
///     }
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Pumped {
    /// Streams found idle.
    pub idle: u32,
    /// Streams destroyed.
    pub destroyed: u32,
    /// Graphs destroyed.
    pub graphs: u32,
    /// Frees that were put off and have happened now.
    pub freed: u32,
    /// Buffers that finished work no longer uses.
    pub released: u32,
    /// Tasks woken.
    pub woken: u32,
}

/// Somebody pumps, until this is dropped.
pub(crate) struct Turn<'a>(&'a AtomicU8);
impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.store(0, order(Site::TurnEnd, Ordering::Release));
    }
}

/// What may be done with a condemned stream.
enum Fate {
    Destroy,
    Later,
    Leak,
    /// Its device was reset: there is nothing to destroy.
    Gone,
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Looks at what drains, destroys what is condemned and idle, frees what was put off, gives back buffers,
    /// and wakes who waits. Call it from a thread of its own, or whenever there is time.
    ///
    /// It may take as long as the driver takes to destroy a stream.
    pub fn pump(&self) -> Pumped {
        match self.usable() {
            Ok(()) => {}
            Err(StreamError::DeviceLost) => return self.give_up(),
            Err(_) => return self.end_for_good(),
        }
        let Some(_turn) = self.turn() else { return Pumped::default() };
        let _going = observe::pumping(self.shared.id);
        let pumped = self.pump_alone();
        observe::pumped(self.shared.id, pumped);
        pumped
    }
    /// The right to pump, unless somebody does.
    pub(crate) fn turn(&self) -> Option<Turn<'_>> {
        let before = self.shared.pumping.swap(1, order(Site::TurnBegin, Ordering::Acquire));
        (before == 0).then(|| Turn(&self.shared.pumping))
    }
    pub(super) fn pump_alone(&self) -> Pumped {
        // A panic of somebody's code on the way keeps nobody waiting: it goes on when who waits was woken.
        let looked = catch_unwind(AssertUnwindSafe(|| {
            self.collect_externals();
            let (idle, destroyed, freed) = (self.look_at_all(), self.reap(), self.retry_frees());
            let buried = self.bury_graphs();
            self.settle_left();
            (idle, destroyed, freed, buried)
        }));
        let settled = catch_unwind(AssertUnwindSafe(|| self.settle_limbo()));
        let wanted = self.wake_wanting(WakeAll::No);
        let (idle, destroyed, freed, buried) = looked.unwrap_or_else(|panic| resume_unwind(panic));
        let (released, ready) = settled.unwrap_or_else(|panic| resume_unwind(panic));
        let woken = ready + wanted;
        self.now_and_then();
        let (graphs, freed) = (buried.graphs, freed + buried.freed);
        Pumped { idle, destroyed, graphs, freed, released, woken }
    }
    /// Lets go of idle streams that nobody needed since the last call (two idle streams can keep a GPU at full
    /// clock: <https://github.com/ROCm/hip/issues/3388>). Call it now and then, every few seconds.
    pub fn trim(&self) -> u32 {
        if self.usable().is_err() {
            return 0;
        }
        self.look_at_all();
        self.shared.pool().trim();
        self.reap()
    }
    /// The user reset a device: its streams, work and memory are gone. Nothing of it is called again. The drivers for HIP and CUDA are told
    /// first, by their `device_was_reset`.
    ///
    /// No other thread may be in the middle of a call of the pool that is about that device, as no driver allows that: leases and stamps
    /// may be held, and dropped. What is submitted beside a reset all the same gets [`StreamError::Stale`], or goes where nobody knows.
    ///
    /// ```
    /// # use ringfence::{backend::streams::StreamBackend, drive::StreamPool, error::StreamError, id::*, stream::Lease};
    /// # fn reset<B: StreamBackend>(pool: &StreamPool<B>, mut held: Lease, key: StreamKey) -> Result<(), StreamError> {
    /// // hipDeviceReset(); then, before anything else is asked of the pool:
    /// pool.device_reset(key.place.device);
    /// assert!(!pool.is_current(held.stream())); // no work goes there any more
    /// held = pool.acquire(key)?; // a new stream
    /// # drop(held);
    /// # Ok(())
    /// # }
    /// ```
    pub fn device_reset(&self, device: DeviceId) {
        self.forget_events(device);
        self.shared.pool().device_reset(device);
        if self.drivable().is_ok() {
            self.retry_frees();
            self.reap();
        }
    }
    /// Looks once at every stream that drains.
    fn look_at_all(&self) -> u32 {
        let mut pool = self.shared.pool();
        let visit = pool.visit();
        let mut idle = 0;
        while let Some(offer) = pool.next_draining(&visit) {
            drop(pool);
            let offer = Kept::of(&self.shared, offer, not_looked_at);
            let (seen, asked) = self.look(offer.get());
            let offer = offer.take();
            if seen.is_ok() {
                observe::drained(self.shared.id, offer.slot().id());
            }
            pool = self.shared.pool();
            pool.counts_mut().looks_by_query += u64::from(asked == Asked::Driver);
            match seen {
                Ok(()) => {
                    idle += 1;
                    pool.found_idle(offer);
                }
                Err(why) => pool.refused(offer, why),
            }
        }
        idle
    }
    fn look(&self, offer: &Offer<A>) -> (Result<(), Why>, Asked) {
        let Some(mut tenancy) = offer.slot().try_lock() else {
            return (Err(Why::Busy), Asked::Nobody);
        };
        let (seen, asked) = self.prove_idle(offer.slot(), &mut tenancy);
        (seen.map(drop), asked)
    }
    /// Tries once to destroy each condemned stream, with no lock held (T10).
    pub(super) fn reap(&self) -> u32 {
        let mut pool = self.shared.pool();
        let visit = pool.visit();
        let mut destroyed = 0;
        while let Some(condemned) = pool.next_condemned(&visit) {
            drop(pool);
            let condemned = Kept::of(&self.shared, condemned, |shared, condemned| {
                shared.pool().not_yet(condemned);
            });
            let fate = self.fate(condemned.get());
            let condemned = condemned.take();
            if matches!(fate, Fate::Leak) && condemned.slot.closed() != Some(Closed::Disowned) {
                observe::leaked(self.shared.id, condemned.slot.id());
            }
            let gone = match fate {
                Fate::Later => {
                    self.shared.pool().not_yet(condemned);
                    None
                }
                Fate::Leak => Some(self.shared.pool().leaked(condemned)),
                Fate::Gone => Some(self.shared.pool().destroyed(condemned)),
                Fate::Destroy => {
                    self.shared.pool().forget_handle(&condemned);
                    let condemned = Kept::of(&self.shared, condemned, lost);
                    let done = self.destroy(&condemned.get().slot);
                    let condemned = condemned.take();
                    match done {
                        Ok(()) => {
                            destroyed += 1;
                            observe::destroyed(self.shared.id, condemned.slot.id());
                            Some(self.shared.pool().destroyed(condemned))
                        }
                        Err(_) => {
                            condemned.slot.lock().lose_handle(Closed::Bad);
                            observe::leaked(self.shared.id, condemned.slot.id());
                            Some(self.shared.pool().leaked(condemned))
                        }
                    }
                }
            };
            drop(gone); // what the user attached may go with it: no lock is held
            pool = self.shared.pool();
        }
        destroyed
    }
    fn fate(&self, condemned: &Condemned<A>) -> Fate {
        let slot = &condemned.slot;
        let Some(mut tenancy) = slot.try_lock() else { return Fate::Later };
        tenancy.close(condemned.cause);
        match tenancy.standing {
            Standing::Closed(Closed::Bad | Closed::Lost | Closed::Disowned) => return Fate::Leak,
            Standing::Closed(Closed::Reset) => return Fate::Gone,
            _ if planted!(DestroyBusy) => return Fate::Destroy,
            _ => {}
        }
        match self.prove_finished(slot, &mut tenancy).0 {
            Ok(_) if tenancy.waiters > 0 => Fate::Later,
            Ok(_) => Fate::Destroy,
            Err(Why::Bad(_)) => {
                tenancy.lose_handle(Closed::Bad); // never asked about again, and nobody waits for its work
                Fate::Leak
            }
            // It captures for ever, and what was submitted before that is all there is (T9), unless somebody has the handle.
            Err(Why::Capturing(_))
                if tenancy.left_by == Some(ThreadName::own())
                    && tenancy.handle == Handle::Kept
                    && tenancy.waiters == 0
                    && self.is_past(&mut tenancy) =>
            {
                tenancy.saw_idle();
                Fate::Destroy
            }
            Err(_) => Fate::Later,
        }
    }
    /// Whether the work before a capture that was left open is finished. Without an event there was none that was not.
    fn is_past(&self, tenancy: &mut Tenancy) -> bool {
        let Some(last) = tenancy.final_event else { return tenancy.covers(tenancy.counted) };
        let _relaxed = Relaxed::enter(&self.driver);
        last.covers(tenancy.counted) && self.driver.query_event(last.event.raw) == StreamState::Idle
    }
    pub(super) fn destroy(&self, slot: &crate::stream::Slot<A>) -> Result<(), DriverError> {
        {
            let _relaxed = Relaxed::enter(&self.driver);
            self.driver.destroy(slot.raw())?;
        }
        if let Some(word) = slot.word() {
            let _relaxed = Relaxed::enter(&self.driver); // a word may be pinned memory
            self.driver.close_progress(word);
        }
        let last = slot.lock().final_event.take();
        if let Some(last) = last {
            self.event_gone(last.event);
        }
        Ok(())
    }
    /// Tries every free again that was put off. Answers with how many happened.
    pub(super) fn retry_frees(&self) -> u32 {
        let again = self.shared.memory.lock().take_deferred();
        let mut again = Kept::of(&self.shared, again, |shared, again| {
            let mut book = shared.memory.lock();
            again.into_iter().for_each(|free| book.defer(free));
        });
        let mut freed = 0;
        while let Some(free) = again.get().last() {
            // Memory of a place where nobody ever acquired a stream.
            let (place, born) = (free.memory.place(), free.memory.born());
            if self.resets(place) == born {
                let _made = self.make_disposal(place); // the user's code: what is to be freed is safe
            }
            if let Some(free) = again.get_mut().pop() {
                freed += u32::from(self.dispose_again(free).has_happened());
            }
        }
        freed
    }
}

/// The destruction of a stream panicked: whether it exists, nobody knows.
#[cold]
fn lost<A>(shared: &Shared<A>, condemned: Condemned<A>) {
    condemned.slot.lock().lose_handle(Closed::Bad);
    let gone = shared.pool().leaked(condemned);
    drop(gone); // what the user attached may go with it: no lock is held
}
