//! Signals that the baseline sets aside: after a completion by force, or a copy that failed half way.
//! Only their own value brings them back (S8, S18).

use std::hash::{Hash, Hasher};

use super::{Judged, Place, PollingRing, Slot, State};
use crate::{
    backend::SignalMemory,
    error::Failure,
    id::{LaneId, Parts, SignalHandle, SignalValue, UseId},
    proof::{Grounds, Harvest, Proof},
    ring::Over,
};

/// One signal that was set aside.
#[derive(Debug)]
pub(super) struct Suspect {
    slot: Slot,
    pool: SignalMemory,
    of: UseId,
    why: Failure,
    /// The value at which every decrement that was issued has arrived.
    over_at: SignalValue,
    over: Over,
}

impl Suspect {
    /// Feeds what later decisions depend on to `state`.
    pub(super) fn digest<H: Hasher>(&self, state: &mut H) {
        self.slot.digest(state);
        (self.pool, self.of, self.why, self.over_at, self.over).hash(state);
    }
}

/// A signal that fell below 0, and the use that took it there: it is never used again (S7).
#[derive(Debug)]
pub(super) struct Condemned {
    pub(super) slot: Slot,
    pub(super) of: UseId,
    pub(super) over: Over,
}
impl Condemned {
    pub(super) fn new(slot: Slot, of: UseId) -> Self {
        Self { slot, of, over: Over::Unknown }
    }
}

/// Which suspect; valid until one is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SuspectPlace(usize);
impl SuspectPlace {
    /// The first one.
    pub(crate) const FIRST: Self = Self(0);
    /// The one after, unless this one was taken out.
    pub(crate) fn after(self, judged: Judged) -> Self {
        match judged {
            Judged::Busy => Self(self.0 + 1),
            Judged::Over => self,
        }
    }
}

impl PollingRing {
    /// Some parts of `of` were refused: it is over once those that were issued have arrived (S8).
    pub(crate) fn part_failed(
        &mut self,
        of: UseId,
        issued: u32,
        parts: Parts,
    ) -> Option<SuspectPlace> {
        let left = i64::from(parts.count()) - i64::from(issued);
        let over_at = if planted!(ResetAfterPartFailure) { i64::from(parts.count()) } else { left };
        self.set_aside(of, Failure::PartFailed, SignalValue::new(over_at))
    }
    /// A timeout is about to store 0: the use is over once the device took that to -1 (S18). One in
    /// several parts never is: nobody can tell how many of them the store covered.
    pub(crate) fn force(&mut self, of: UseId) -> Option<SignalHandle> {
        let over_at = match self.parts(of)? {
            _ if planted!(ForcedIsFinished) => 0,
            Parts::ONE => -1,
            _ => i64::MIN,
        };
        let place = self.set_aside(of, Failure::Forced, SignalValue::new(over_at))?;
        self.suspect(place).map(|(signal, _)| signal)
    }
    fn parts(&self, of: UseId) -> Option<Parts> {
        let Place { pool, index } = self.find(of)?;
        match &self.pools[pool.index()][index].state {
            State::InFlight(used) => Some(used.parts),
            State::Armed | State::Over(..) => None,
        }
    }
    fn set_aside(&mut self, of: UseId, why: Failure, over_at: SignalValue) -> Option<SuspectPlace> {
        let Place { pool, index } = self.find(of)?;
        let slot = self.pools[pool.index()].remove(index)?;
        if let State::InFlight(used) = &slot.state
            && let Some(record) = &used.record
        {
            record.fail(why);
        }
        self.suspects.push(Suspect { slot, pool, of, why, over_at, over: Over::Unknown });
        Some(SuspectPlace(self.suspects.len() - 1))
    }
    /// What was given up and is not known to be over.
    fn given_up_all(&self) -> impl Iterator<Item = (UseId, Failure)> {
        let suspects = self.suspects.iter().filter(|suspect| suspect.over == Over::Unknown);
        let condemned = self.condemned.iter().filter(|slot| slot.over == Over::Unknown);
        let suspects = suspects.map(|suspect| (suspect.of, suspect.why));
        suspects.chain(condemned.map(|slot| (slot.of, Failure::OverDecremented)))
    }
    /// A use that was given up and may still run, where no fence of `own`, the stream's queue, waits for it.
    pub(crate) fn given_up(&self, own: LaneId) -> Option<(UseId, Failure)> {
        self.given_up_all().find(|(of, _)| of.lane() != own)
    }
    /// A use on a queue that was completed by force, and may still run: what is behind it there cannot be waited for.
    pub(crate) fn forced_on(&self, lane: LaneId) -> Option<UseId> {
        let mut all = self.given_up_all().filter(|(_, why)| *why == Failure::Forced);
        all.find(|(of, _)| of.lane() == lane).map(|(of, _)| of)
    }
    /// Whether a use was given up, and may still run.
    pub(crate) fn is_given_up(&self, of: UseId) -> bool {
        self.given_up_all().any(|given_up| given_up.0 == of)
    }
    /// The newest use on a queue that was given up and may still run: a wait for the stream's work there needs
    /// a fence after it (S21).
    pub(crate) fn given_up_on(&self, lane: LaneId) -> Option<UseId> {
        let all = self.given_up_all().map(|(of, _)| of).filter(|of| of.lane() == lane);
        all.max_by_key(|of| of.packet())
    }
    /// A fence is complete: whatever was given up before it on its queue is over.
    pub(crate) fn note_fence(&mut self, fence: UseId) {
        let before = |of: UseId| of.lane() == fence.lane() && of.packet() < fence.packet();
        for suspect in self.suspects.iter_mut().filter(|suspect| before(suspect.of)) {
            suspect.over = Over::Proven;
        }
        for slot in self.condemned.iter_mut().filter(|slot| before(slot.of)) {
            slot.over = Over::Proven;
        }
    }
    /// A suspect's signal, and where it lives.
    pub(crate) fn suspect(&self, at: SuspectPlace) -> Option<(SignalHandle, SignalMemory)> {
        let Suspect { slot, .. } = self.suspects.get(at.0)?;
        Some((slot.custody.signal(), slot.memory))
    }
    /// What `value`, loaded from a suspect, says: below its bound it is never used again, at it the
    /// signal is over, and serves its pool again.
    pub(crate) fn judge_suspect(&mut self, at: SuspectPlace, value: SignalValue) -> Judged {
        let Some(bound) = self.suspects.get(at.0).map(|suspect| suspect.over_at) else {
            return Judged::Over;
        };
        if value > bound {
            return Judged::Busy;
        }
        let Suspect { mut slot, pool, of, .. } = self.suspects.remove(at.0);
        slot.held.clear();
        if value < bound {
            self.condemned.push(Condemned::new(slot, of)); // one decrement too many (S7)
        } else {
            let proof = Proof::assertion(of, Grounds::OwnValue);
            slot.state = State::Over(of, proof.harvest(Harvest::NOT_WANTED));
            self.pools[pool.index()].push_back(slot);
        }
        Judged::Over
    }
    /// Gives up the signals that the device may still write to: they are neither used nor destroyed.
    /// Returns how many.
    pub(crate) fn give_up(&mut self) -> u32 {
        let suspects = self.suspects.drain(..).map(|suspect| suspect.slot);
        let given_up = suspects.chain(self.condemned.drain(..).map(|condemned| condemned.slot));
        given_up.fold(0, |count, mut slot| {
            slot.held.drain(..).for_each(std::mem::forget);
            std::mem::forget(slot.custody.lend());
            count + 1
        })
    }
}

/// As a ring that goes away: what the device may still read or write is left alone.
impl Drop for PollingRing {
    fn drop(&mut self) {
        let _given_up = self.lose(Failure::Abandoned);
    }
}
