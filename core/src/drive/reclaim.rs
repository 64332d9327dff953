//! Finding finished uses: at most one load a call, then everything that follows from it.

use super::{policy::Audit, submission::Submission, tracker::Tracker};
use crate::{
    backend::{Device, PacketQueue, SignalMemory},
    error::Error,
    id::ValueState,
    ledger::LoadCause,
    observe,
    placement::Role,
    ring::{Probe, Shortage, Wants},
};

/// One [`reclaim`](Tracker::reclaim), as a value that stops before each access to something shared: it begins with
/// [`Look`](Self::Look).
///
/// ```
/// use ringfence::{backend::*, drive::*, error::Error};
/// /// What `Tracker::reclaim` does, with something else between the steps.
/// fn reclaim<D: Device, Q: PacketQueue>(
///     tracker: &mut Tracker<D, Q>,
///     mut between: impl FnMut(&Reclaim),
/// ) -> Result<(), Error> {
///     let mut search = Reclaim::Look;
///     while !matches!(search, Reclaim::Done) {
///         between(&search); // other streams, say, in a search through all orders
///         search = search.step(tracker)?;
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug)]
#[must_use = "a search that is not stepped to `Done` leaves armed signals unflushed"]
pub enum Reclaim {
    /// Look at the watermark and the read index, to choose what to load.
    Look,
    /// Load this signal.
    Load(Probe),
    /// Retire what is known to be finished.
    Retire,
    /// Try parked and quarantined signals.
    Unpark,
    /// Retire what queries and waits of others saw finished.
    Observe,
    /// Submit a fence, where something is pinned that nothing in flight would prove.
    Fence,
    /// Nothing is left to do.
    Done,
}

/// What a search brought.
///
/// ```
/// use ringfence::{backend::*, drive::*, error::Error};
/// /// Where a thread has nothing else to do: whether there is anything to come back for.
/// fn idle<D: Device, Q: PacketQueue>(tracker: &mut Tracker<D, Q>) -> Result<bool, Error> {
///     let Reclaimed { retired, in_flight } = tracker.reclaim()?;
///     println!("{retired} uses are over, {in_flight} are not");
///     Ok(in_flight > 0)
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub struct Reclaimed {
    /// Uses that were in flight before and are not any more.
    pub retired: usize,
    /// Uses that are still in flight.
    pub in_flight: usize,
}

impl Reclaim {
    /// Takes one step.
    ///
    /// # Errors
    /// As [`reclaim`](Tracker::reclaim).
    #[inline]
    pub fn step<D: Device, Q: PacketQueue>(
        self,
        tracker: &mut Tracker<D, Q>,
    ) -> Result<Self, Error> {
        match self {
            Reclaim::Look => {
                tracker.begin_search()?;
                if tracker.polling.is_some() {
                    return tracker.poll_all().map(|()| Reclaim::Done);
                }
                Ok(tracker.step_look().map_or(Reclaim::Retire, Reclaim::Load))
            }
            Reclaim::Load(probe) => Ok(match tracker.step_load(probe)? {
                Left::Retire => Reclaim::Retire,
                Left::Unpark => Reclaim::Unpark,
            }),
            Reclaim::Retire => tracker.retire_known().map(|()| Reclaim::Unpark),
            Reclaim::Unpark => tracker.step_unpark().map(|()| Reclaim::Observe),
            Reclaim::Observe => tracker.retire_observed().map(|()| Reclaim::Fence),
            Reclaim::Fence => tracker.step_fence().map(|()| Reclaim::Done),
            Reclaim::Done => Ok(Reclaim::Done),
        }
    }
}

/// What is left of a search after its load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Left {
    /// To retire, and then to unpark.
    Retire,
    /// To unpark: what is known to be finished is retired.
    Unpark,
}

impl<D: Device, Q: PacketQueue> Tracker<D, Q> {
    /// Looks for finished uses with at most one load, and arms their signals. Whatever is submitted and
    /// finishes is retired after a bounded number of calls, even if the read index stands still and no
    /// later use comes (S20).
    ///
    /// # Errors
    /// [`Error::OverDecrement`] for a signal that fell below 0; [`Error::DeviceLost`]. Other uses are
    /// unharmed: call again. Also an error that an earlier submission met after it had published.
    pub fn reclaim(&mut self) -> Result<Reclaimed, Error> {
        self.begin_search()?;
        let before = self.in_flight();
        if self.polling.is_some() {
            self.poll_all()?;
        } else {
            self.look()?;
            self.retire_observed()?;
            self.step_fence()?;
        }
        Ok(self.reclaimed(before))
    }
    /// Loads the newest fence, whatever the read index says: one load that may retire everything.
    ///
    /// # Errors
    /// As [`reclaim`](Self::reclaim).
    ///
    /// ```
    /// # use ringfence::{backend::*, drive::*, error::Error};
    /// # fn sleep<D: Device, Q: PacketQueue>(tracker: &mut Tracker<D, Q>) -> Result<(), Error> {
    /// // Before this thread sleeps: one load, even if the read index lags.
    /// if tracker.probe()?.in_flight == 0 {
    ///     return Ok(()); // there is nothing to wake up for
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn probe(&mut self) -> Result<Reclaimed, Error> {
        self.check_lost()?;
        let before = self.in_flight();
        if self.polling.is_none() {
            self.note_look();
            let newest = self.ring.newest_fence();
            self.look_at(newest)?;
        }
        Ok(self.reclaimed(before))
    }
    fn reclaimed(&self, before: usize) -> Reclaimed {
        let in_flight = self.in_flight();
        let retired = before.saturating_sub(in_flight);
        observe::looked(self.id, retired, in_flight);
        Reclaimed { retired, in_flight }
    }
    /// What comes before a search, in pieces or whole.
    fn begin_search(&mut self) -> Result<(), Error> {
        match self.deferred.take() {
            Some(error) => Err(error),
            None => self.check_lost(),
        }
    }
    #[inline]
    fn step_fence(&mut self) -> Result<(), Error> {
        match self.ring.wants() {
            Wants::Fence => self.ask_without_a_wait(),
            Wants::Nothing => Ok(()),
        }
    }
    /// A search does not wait (S14): where a fence would have to wait for a signal, it is for the next call, which has
    /// one as soon as something in flight is over.
    #[cold]
    #[inline(never)]
    fn ask_without_a_wait(&mut self) -> Result<(), Error> {
        let main = self.place(Role::Dispatch);
        if self.ring.usable(main) > 0 {
            return self.ask_for_fence();
        }
        match self.ring.shortage(main) {
            Shortage::WaitFor(_) => Ok(()),
            Shortage::Exhausted => self.ask_beyond_cap(),
            Shortage::Flush | Shortage::Grow { .. } => self.ask_for_fence(),
        }
    }
    /// Takes the steps of a search up to what others saw: those of [`Reclaim::step`], one after the other. A loop over it
    /// would move the state through memory, which costs more than the steps.
    pub(super) fn look(&mut self) -> Result<(), Error> {
        let probe = self.step_look();
        self.look_at(probe)
    }
    /// The steps of a search from its load on; without one, from what is known already.
    #[inline]
    pub(super) fn look_at(&mut self, probe: Option<Probe>) -> Result<(), Error> {
        let left = probe.map_or(Ok(Left::Retire), |probe| self.step_load(probe))?;
        if left == Left::Retire {
            self.retire_known()?;
        }
        self.step_unpark()
    }
    #[inline]
    fn step_look(&mut self) -> Option<Probe> {
        self.note_look();
        if let Some(elsewhere) = self.ring.look_elsewhere() {
            return Some(elsewhere);
        }
        // Half a batch is enough: two streams that take turns cover just that much.
        if self.ring.covered() >= (self.policy.ring.batch as usize).div_ceil(2) {
            return None; // others on the queue paid for the proof
        }
        self.choose()
    }
    #[inline]
    fn step_load(&mut self, probe: Probe) -> Result<Left, Error> {
        let value = self.load(probe.signal(), probe.memory(), LoadCause::Retire);
        self.settle_step(probe, value)
    }
    #[inline]
    fn step_unpark(&mut self) -> Result<(), Error> {
        self.unpark()?;
        if self.ring.usable(SignalMemory::Device) == 0 {
            self.flush();
        }
        Ok(())
    }
    /// What to load: the fence that the read index nominates, or something further back.
    fn choose(&mut self) -> Option<Probe> {
        self.counts.read_index_loads += 1;
        let read_index = self.queue.read_index();
        #[cfg(feature = "planted")]
        {
            if planted!(TrustReadIndex) {
                self.ring.mark().trust(read_index);
                return None;
            }
            if planted!(PinByReadIndex) {
                self.ring.release_pins_below(read_index);
            }
        }
        self.ring.nominate(read_index).or_else(|| self.ring.look_further())
    }
    #[inline]
    fn unpark(&mut self) -> Result<(), Error> {
        if self.ring.parked() + self.ring.quarantined() == 0 { Ok(()) } else { self.unpark_some() }
    }
    #[inline(never)]
    fn unpark_some(&mut self) -> Result<(), Error> {
        for _ in 0..self.ring.parked() {
            if self.policy.audit == Audit::On {
                self.audit_parked()?;
            }
            if let Some(arm) = self.ring.unpark() {
                self.store(arm);
            }
        }
        self.look_at_suspect();
        Ok(())
    }
    /// As before each arm, an audit looks at what is armed next, if nobody holds it any more (S7).
    fn audit_parked(&mut self) -> Result<(), Error> {
        let Some((signal, memory)) = self.ring.next_parked() else { return Ok(()) };
        let value = self.load(signal, memory, LoadCause::Check);
        if value.state() == ValueState::Done || planted!(IgnoreOverDecrement) {
            return Ok(());
        }
        self.counts.quarantined += 1;
        self.ring.condemn_parked(value).map_or(Ok(()), |error| {
            self.note_condemned(&error);
            Err(error)
        })
    }
    /// Loads one quarantined signal, another one at each call.
    pub(super) fn look_at_suspect(&mut self) {
        if let Some(suspect) = self.ring.next_suspect() {
            let value = self.load(suspect.signal(), suspect.memory(), LoadCause::Check);
            let released = self.ring.release(suspect, value);
            self.store_released(released);
        }
    }
    /// Something is pinned and nothing in flight would ever prove it: a fence will (S20).
    pub(super) fn ask_for_fence(&mut self) -> Result<(), Error> {
        self.counts.fences_asked += 1;
        observe::fence_asked(self.id);
        self.submit_own(Submission::marker(Role::Dispatch)).map(drop)
    }
}
