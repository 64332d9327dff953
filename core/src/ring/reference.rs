//! Names of uses that hold nothing: for host queries of a stream's own work.
//!
//! A [`UseRef`] is a place in the ring and the use that had it. It keeps no signal from being armed:
//! once the signal stands for a later use, the one that is named was proven finished, or the ring would
//! not have armed it (S1). So "finished" is never wrong, and a raw handle never outlives its use
//! (<https://github.com/ROCm/rocm-systems/issues/8113>).

use super::{Outcome, Ring, probe::Probe, slot::SlotIndex};
use crate::{error::Failure, id::UseId};

/// The name of a use, with the place of its signal. Holds nothing.
///
/// ```
/// # use ringfence::{backend::*, id::*, proof::*, ring::*, watermark::Watermark};
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
/// let named = ring.reference(of).expect("it is in flight");
/// assert!(matches!(ring.look_up(named), Named::InFlight(_)));
/// # let probe = ring.probe_use(of).expect("in flight");
/// # let Confirmed::Fence(seen) = ring.confirm(probe, SignalValue::DONE)? else { panic!("a fence") };
/// # let _proven = mark.raise(seen);
/// let finished = ring.next_finished().expect("it is proven");
/// assert!(ring.retire(finished, Harvest::NOT_WANTED).is_some()); // the name held nothing
/// assert!(matches!(ring.look_up(named), Named::Over));
/// # Ok::<(), ringfence::error::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UseRef {
    slot: SlotIndex,
    of: UseId,
    /// Whose name it is: each ring has a number of its own.
    ring: u32,
}
impl UseRef {
    /// The use that it names.
    pub fn of(&self) -> UseId {
        self.of
    }
}

/// What a ring says of a named use.
///
/// ```
/// use ringfence::ring::{Named, Ring, UseRef};
/// /// Whether a load could tell more of a use than the ring knows.
/// fn is_worth_a_load(ring: &Ring, named: UseRef) -> bool {
///     match ring.look_up(named) {
///         Named::InFlight(_probe) => true,
///         Named::Over | Named::KeptBack(_) => false,
///     }
/// }
/// ```
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
        Some(UseRef { slot, of, ring: self.number })
    }
    /// What is known of a use that this ring named.
    ///
    /// # Panics
    /// If another ring named it.
    pub fn look_up(&self, named: UseRef) -> Named {
        assert_eq!(named.ring, self.number, "a use is asked about in the ring that named it");
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
