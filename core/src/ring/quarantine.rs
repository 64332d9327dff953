//! Signals that may not be used again before their own value proves their last use over: after a
//! completion by force, or a submission that failed half way. Those that fell below 0 never are.

use super::{
    Ring,
    lane::{InFlight, UseFlags},
    record::IsFence,
    slot::SlotIndex,
};
use crate::{
    backend::SignalMemory,
    error::{Error, Failure},
    id::{LaneId, Parts, SignalHandle, SignalValue, UseId},
    proof::{Grounds, Harvest, Proof},
    ring::custody::Arm,
};

/// One signal that is kept back.
#[derive(Hash, Debug)]
pub(crate) struct Quarantined {
    slot: SlotIndex,
    of: UseId,
    /// The value at which every decrement that was issued has arrived; none when nothing is certain.
    over_at: Option<SignalValue>,
    why: Failure,
    /// Whether its completion, once it is seen after all, proves the packets before it.
    fence: IsFence,
    over: Over,
}
/// Whether the work of a use that was given up is known to be over, though its own signal never says so.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Over {
    Unknown,
    /// By a later fence of its queue.
    Proven,
}

/// A quarantined signal to load. Give the value back with [`Ring::release`].
///
/// ```
/// # use ringfence::{backend::*, id::*, ring::*, watermark::Watermark};
/// # use std::sync::Arc;
/// # let lane = LaneId::new(QueueId::new(0), Generation::FIRST);
/// # let mark = Arc::new(Watermark::new(lane));
/// # let mut ring = Ring::new(mark.clone(), RingLimits::with_size(8), Arc::new(Reaper::new()));
/// # (1..=8).for_each(|raw| ring.add(SignalHandle::new(raw), SignalMemory::Host, SignalMemory::Host));
/// # let (engine, barrier, order) = (Engine::Compute, Barrier::Set, PacketOrder::Free);
/// # let with = Use { lane, engine, barrier, order, timing: Timing::Unwanted, parts: Parts::ONE };
/// # let submit = |ring: &mut Ring, packet| {
/// #     ring.secure(SignalMemory::Host).expect("8 signals").bind(PacketId::new(packet), with, None)
/// # };
///
/// # let of = submit(&mut ring, 3);
/// let signal = ring.force(of).expect("it is in flight"); // store 0 into it
/// assert_eq!(ring.quarantined(), 1);
/// let suspect = ring.next_suspect().expect("the one");
/// assert_eq!(suspect.signal(), signal);
/// // The timeout's own 0 says nothing:
/// assert!(matches!(ring.release(suspect, SignalValue::DONE), Released::NotYet));
/// let suspect = ring.next_suspect().expect("the one");
/// // The device's late decrement took it below:
/// assert!(matches!(ring.release(suspect, SignalValue::new(-1)), Released::Arm(_)));
/// assert_eq!(ring.quarantined(), 0);
/// ```
#[derive(Debug)]
#[must_use]
pub struct Suspect {
    of: UseId,
    signal: SignalHandle,
    memory: SignalMemory,
}
impl Suspect {
    /// The signal to load.
    pub fn signal(&self) -> SignalHandle {
        self.signal
    }
    /// Where it lives.
    pub fn memory(&self) -> SignalMemory {
        self.memory
    }
}

/// What became of a quarantined signal that was looked at.
///
/// ```
/// use ringfence::{backend::Signals, id::SignalValue, ring::{Released, Ring}};
/// /// Looks at one suspect, as a tracker does each time that it looks for finished uses.
/// fn look<D: Signals>(gpu: &D, ring: &mut Ring) {
///     let Some(suspect) = ring.next_suspect() else { return };
///     let value = gpu.load(suspect.signal());
///     match ring.release(suspect, value) {
///         Released::NotYet => {}
///         Released::Arm(arm) => gpu.arm(arm.signal(), SignalValue::ARMED),
///         Released::Restore(signal, _memory) => gpu.arm(signal, SignalValue::DONE),
///     }
/// }
/// ```
#[derive(Debug)]
#[must_use]
pub enum Released {
    /// It is still kept back.
    NotYet,
    /// It is armed again.
    Arm(Arm),
    /// Its use is over or given up, and somebody still holds it: store 0. A GPU waiter needs exactly that, and a
    /// late decrement went below.
    Restore(SignalHandle, SignalMemory),
}

/// What became of a submission that failed half way.
#[derive(Debug)]
#[must_use]
pub(crate) enum RolledBack {
    /// No part was issued: nothing will decrement the signal, and it was never used.
    Never(Arm),
    /// Somebody holds the signal; it is parked.
    Held,
    /// Some parts were issued: their decrements still have to arrive.
    Waiting(Suspect),
}

impl Ring {
    /// `of` was issued in part: `issued` of its `parts` will decrement its signal. Until they have, the
    /// signal is quarantined; it is never reset early (S8). `None` when no such use is in flight.
    pub(crate) fn part_failed(
        &mut self,
        of: UseId,
        issued: u32,
        parts: Parts,
    ) -> Option<RolledBack> {
        let used = self.take_use(of)?;
        if let Some(record) = self.slot_mut(used.slot).record.take() {
            record.fail(Failure::PartFailed);
        }
        if issued == 0 || planted!(ResetAfterPartFailure) {
            self.unpin(of);
            let proof = Proof::assertion(of, Grounds::OwnValue);
            let arm = self.arm_or_park(used.slot, proof.harvest(Harvest::NOT_WANTED));
            return Some(arm.map_or(RolledBack::Held, RolledBack::Never));
        }
        let left = i64::from(parts.count()) - i64::from(issued);
        let over_at = Some(SignalValue::new(left));
        self.put_away(used.slot, (of, IsFence::No), over_at, Failure::PartFailed);
        self.suspect(self.quarantine.len() - 1).map(RolledBack::Waiting)
    }
    /// A packet that was never issued waits for nothing. It proves nothing either.
    fn unpin(&mut self, of: UseId) {
        if let Some(lane) = self.lane_index(of.lane()) {
            while self.lanes[lane].pins.next_of(of.packet()).is_some() {}
        }
    }
    /// A timeout is about to store 0 into the signal of `of`: whoever waits for it gets an error, and
    /// the signal is quarantined until the device's own decrement took it to -1 (S18). Before the store.
    /// That of a use in several parts is given up: nobody can tell how many of them the store covered.
    pub fn force(&mut self, of: UseId) -> Option<SignalHandle> {
        let lane = self.lane_index(of.lane())?;
        let at = self.lanes[lane].position(of.packet())?;
        let slot = self.lanes[lane].uses[at].slot;
        let signal = self.slot(slot).custody.signal();
        if let Some(record) = &self.slot(slot).record {
            record.fail(Failure::Forced);
        }
        if !planted!(ForcedIsFinished) {
            let in_parts = self.lanes[lane].uses[at].flags.contains(UseFlags::IN_PARTS);
            let over_at = (!in_parts).then_some(SignalValue::new(-1));
            let used = self.lanes[lane].remove(at);
            let fence =
                if used.is_some_and(|used| used.is_fence()) { IsFence::Yes } else { IsFence::No };
            self.slot_mut(slot).record = None;
            self.put_away(slot, (of, fence), over_at, Failure::Forced);
        }
        Some(signal)
    }
    pub(super) fn quarantine_for_ever(&mut self, of: UseId, used: InFlight, why: Failure) {
        if let Some(record) = self.slot_mut(used.slot).record.take() {
            record.fail(why);
        }
        self.put_away(used.slot, (of, IsFence::No), None, why);
    }
    pub(super) fn put_away(
        &mut self,
        slot: SlotIndex,
        (of, fence): (UseId, IsFence),
        over_at: Option<SignalValue>,
        why: Failure,
    ) {
        self.counts[self.slot(slot).pool.index()].quarantined += 1;
        self.quarantine.push(Quarantined { slot, of, over_at, why, fence, over: Over::Unknown });
    }
    /// Why the signal at this place is kept back, if it is.
    pub(super) fn kept_back(&self, slot: SlotIndex) -> Option<Failure> {
        self.quarantine.iter().find(|kept| kept.slot == slot).map(|kept| kept.why)
    }
    fn take_use(&mut self, of: UseId) -> Option<InFlight> {
        let lane = self.lane_index(of.lane())?;
        let at = self.lanes[lane].position(of.packet())?;
        self.lanes[lane].remove(at)
    }
    fn suspect(&self, at: usize) -> Option<Suspect> {
        let kept = &self.quarantine[at];
        let slot = self.slot(kept.slot);
        if kept.over_at.is_none() && (kept.why != Failure::Forced || !slot.custody.is_held()) {
            return None; // never used again, and nobody waits for it
        }
        Some(Suspect { of: kept.of, signal: slot.custody.signal(), memory: slot.memory })
    }
    /// A use that was given up and may still run on another queue or engine than the stream's own, whose
    /// fences wait for what was given up there.
    pub fn given_up_elsewhere(&self) -> Option<(UseId, Failure)> {
        let mut elsewhere = self.quarantine.iter().filter(|kept| kept.of.lane() != self.lane());
        let elsewhere = elsewhere.find(|kept| !self.is_over(kept))?;
        Some((elsewhere.of, elsewhere.why))
    }
    /// A use on a queue that was completed by force, and may still run: what is behind it there cannot be waited for.
    /// Behind a copy there is nothing.
    pub(crate) fn forced_on(&self, lane: LaneId) -> Option<UseId> {
        self.mark_of(lane)?;
        let forced = |kept: &&Quarantined| kept.of.lane() == lane && kept.why == Failure::Forced;
        self.quarantine.iter().filter(forced).find(|kept| !self.is_over(kept)).map(|kept| kept.of)
    }
    /// Whether a use was given up, and may still run.
    pub(crate) fn is_given_up(&self, of: UseId) -> bool {
        self.quarantine.iter().any(|kept| kept.of == of && !self.is_over(kept))
    }
    /// Whether a later fence of its queue proves it, whatever becomes of its own signal.
    fn is_over(&self, kept: &Quarantined) -> bool {
        kept.over == Over::Proven
            || self.mark_of(kept.of.lane()).is_some_and(|mark| mark.observe().covers(kept.of))
    }
    /// Before lanes are forgotten, and what was proven there with them.
    pub(super) fn note_what_is_over(&mut self) {
        for at in 0..self.quarantine.len() {
            if self.is_over(&self.quarantine[at]) {
                self.quarantine[at].over = Over::Proven;
            }
        }
    }
    /// The newest use on a queue that was given up and may still run: a wait for the stream's work there needs
    /// a fence after it (S21).
    pub(crate) fn given_up_on(&self, lane: LaneId) -> Option<UseId> {
        let here = self.quarantine.iter().filter(|kept| kept.of.lane() == lane);
        let all = here.filter(|kept| !self.is_over(kept)).map(|kept| kept.of);
        all.max_by_key(|of| of.packet())
    }
    /// A quarantined signal whose value may have become conclusive; another one at each call.
    pub fn next_suspect(&mut self) -> Option<Suspect> {
        (0..self.quarantine.len()).find_map(|at| self.suspect(at))
    }
    /// What `value`, loaded from a suspect, says: it can be armed again, if every decrement that was to
    /// come has arrived.
    pub fn release(&mut self, suspect: Suspect, value: SignalValue) -> Released {
        let found = self.quarantine.iter().position(|kept| kept.of == suspect.of);
        let Some(at) = found else { return Released::NotYet };
        let over_at = self.quarantine[at].over_at;
        let Some(over_at) = over_at.filter(|&over_at| value <= over_at) else {
            // Not yet: to the end of the line, so that the next call looks at another one.
            let kept = self.quarantine.remove(at);
            self.quarantine.push(kept);
            // Parts that end after the store of 0 take it below, and who waits for it needs exactly 0.
            return match over_at {
                None if value < SignalValue::DONE => {
                    Released::Restore(suspect.signal, suspect.memory)
                }
                _ => Released::NotYet,
            };
        };
        let kept = self.quarantine.remove(at);
        if value < over_at {
            let why = Failure::OverDecremented;
            self.quarantine.push(Quarantined { over_at: None, why, ..kept }); // one decrement too many (S7)
            return Released::NotYet;
        }
        self.counts[self.slot(kept.slot).pool.index()].quarantined -= 1;
        if let Some(lane) = self.lane_index(kept.of.lane()) {
            self.lanes[lane].completed(kept.of.packet(), kept.fence, &mut self.awaited);
        }
        let proof = Proof::assertion(kept.of, Grounds::OwnValue);
        match self.arm_or_park(kept.slot, proof.harvest(Harvest::NOT_WANTED)) {
            Some(arm) => Released::Arm(arm),
            None => Released::Restore(self.slot(kept.slot).custody.signal(), suspect.memory),
        }
    }
    /// Gives up the signals that the device may still write to: they are neither used nor destroyed.
    /// Returns how many.
    pub(crate) fn give_up(&mut self) -> u32 {
        let kept = std::mem::take(&mut self.quarantine);
        for Quarantined { slot, .. } in &kept {
            std::mem::forget(self.slot_mut(*slot).custody.lend());
        }
        u32::try_from(kept.len()).unwrap_or(u32::MAX)
    }
    /// The signal that [`unpark`](Self::unpark) arms next, for an audit; none while somebody holds it.
    pub(crate) fn next_parked(&mut self) -> Option<(SignalHandle, SignalMemory)> {
        let &(at, _) = self.parked.front()?;
        let slot = self.slot_mut(at);
        let _alone = slot.custody.sole()?;
        Some((slot.custody.signal(), slot.memory))
    }
    /// An audit loaded it, and it is not at 0 (S7).
    pub(crate) fn condemn_parked(&mut self, value: SignalValue) -> Option<Error> {
        let (at, retired) = self.parked.pop_front()?;
        let (of, signal) = (retired.of(), self.slot(at).custody.signal());
        let pool = self.slot(at).pool.index();
        self.counts[pool].parked -= 1;
        self.put_away(at, (of, IsFence::No), None, Failure::OverDecremented);
        Some(Error::OverDecrement { of, signal, value })
    }
    /// An audit loaded a signal that is about to be armed, and it is not at 0 (S7).
    pub(crate) fn condemn(&mut self, finished: super::Finished, value: SignalValue) -> Error {
        let (of, signal) = (finished.of(), finished.signal());
        if let Some(record) = finished.record() {
            record.fail(Failure::OverDecremented);
        }
        self.put_away(finished.slot, (of, IsFence::No), None, Failure::OverDecremented);
        Error::OverDecrement { of, signal, value }
    }
}
