//! Names of uses that hold nothing: for host queries of a stream's own work.
//!
//! A [`UseRef`] is a place in the ring and the use that had it. It keeps no signal from being armed:
//! once the signal stands for a later use, the one that is named was proven finished, or the ring would
//! not have armed it (S1). So "finished" is never wrong, and a raw handle never outlives its use
//! (<https://github.com/ROCm/rocm-systems/issues/8113>).

use super::{Outcome, Ring, probe::Probe, slot::SlotIndex};
use crate::{error::Failure, id::UseId};

/// The name of a use, with the place of its signal. Holds nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UseRef {
    slot: SlotIndex,
    of: UseId,
    /// Whose name it is: rings are told apart by their reapers.
    ring: usize,
}
impl UseRef {
    /// The use that it names.
    pub fn of(&self) -> UseId {
        self.of
    }
}

/// What a ring says of a named use.
#[derive(Debug)]
#[must_use]
pub enum Named {
    /// It is in flight: load its signal, and confirm.
    InFlight(Probe),
    /// It is over: retired, or its signal stands for a later use.
    Over,
    /// It failed; its signal is kept back.
    KeptBack(Failure),
}

impl Ring {
    /// The name of a use in flight.
    pub fn reference(&self, of: UseId) -> Option<UseRef> {
        let lane = &self.lanes[self.lane_index(of.lane())?];
        let slot = lane.uses[lane.position(of.packet())?].slot;
        Some(UseRef { slot, of, ring: self.identity() })
    }
    fn identity(&self) -> usize {
        std::ptr::from_ref::<super::Reaper>(&self.reaper).addr()
    }
    /// What is known of a use that this ring named.
    ///
    /// # Panics
    /// If another ring named it.
    pub fn look_up(&self, named: UseRef) -> Named {
        assert_eq!(named.ring, self.identity(), "a use is asked about in the ring that named it");
        let now = self.slot(named.slot).last_use;
        let of = if planted!(StaleHandle) { now } else { named.of };
        if now != of {
            return Named::Over;
        }
        if let Some(probe) = self.probe_use(of) {
            // Whoever waits for its record may have seen it first (S19).
            return match self.slot(named.slot).record.as_ref().map(|record| record.outcome()) {
                Some(Outcome::Finished) => Named::Over,
                Some(Outcome::Failed(why)) => Named::KeptBack(why),
                Some(Outcome::Pending) | None => Named::InFlight(probe),
            };
        }
        self.kept_back(named.slot).map_or(Named::Over, Named::KeptBack)
    }
}
