//! Evidence that a use is finished.
//!
//! A [`Proof`] names one use and the grounds on which it is known to be over. Only this crate makes
//! one, only where it is true, and arming a signal consumes it:
//!
//! ```compile_fail,E0451
//! use ringfence::{id::UseId, proof::{Grounds, Proof}};
//! fn forge(of: UseId) -> Proof { Proof { of, grounds: Grounds::Fence } } // private fields
//! ```
//! ```compile_fail,E0382
//! use ringfence::proof::{Harvest, Proof};
//! fn twice(p: Proof) { let a = p.harvest(Harvest::NOT_WANTED); let b = p.harvest(Harvest::NOT_WANTED); }
//! ```

use crate::{
    id::{LaneId, PacketId, SignalValue, UseId, ValueState},
    timing::Interval,
};

/// Why a use is known to be finished.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grounds {
    /// Its own signal was seen at 0.
    OwnValue,
    /// A fence use of the same queue and generation, published later, is finished (S2).
    Fence,
    /// It is a BARRIER_AND or OR, and a later packet of its queue completed: none may become active
    /// before the barrier is complete (HSA 2.9). Proves that barrier packet alone.
    BarrierOrder,
    /// Its queue and generation were drained up to a point after it.
    Drained,
    /// A packet that waited for exactly its signal to be 0 is itself proven (S5).
    Awaited,
}

/// One use is finished. Neither `Clone` nor `Copy`: a proof arms one signal, once.
#[derive(Debug)]
#[must_use]
pub struct Proof {
    of: UseId,
    grounds: Grounds,
}
impl Proof {
    /// The only place where a proof is born: `grounds` hold for `of`.
    pub(crate) fn assertion(of: UseId, grounds: Grounds) -> Self {
        Self { of, grounds }
    }
    /// The use that is finished.
    pub fn of(&self) -> UseId {
        self.of
    }
    /// Why it is known to be.
    pub fn grounds(&self) -> Grounds {
        self.grounds
    }
    /// Timing first, then arming (S16): the only way from a proof to [`Retired`].
    #[inline]
    pub fn harvest(self, _taken: Harvest) -> Retired {
        Retired { proof: self }
    }
}

/// That a use's timing was taken, or that nobody wants it.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Harvest(#[expect(dead_code, reason = "shown by Debug alone")] Option<Interval>);
impl Harvest {
    /// The use was not timed.
    pub const NOT_WANTED: Self = Self(None);
    /// The timing was copied out of the signal; `None` when the device wrote nothing usable.
    pub const fn taken(interval: Option<Interval>) -> Self {
        Self(interval)
    }
}

/// Proven, and its timing taken: what arming consumes.
#[derive(Debug)]
#[must_use]
pub struct Retired {
    proof: Proof,
}
impl Retired {
    /// The use that is over.
    pub fn of(&self) -> UseId {
        self.proof.of
    }
    /// Why it is known to be.
    pub fn grounds(&self) -> Grounds {
        self.proof.grounds
    }
}

/// What a watermark said once: everything of `lane` below `below` is finished. `Copy`: proofs of
/// single uses are cut from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proven {
    lane: LaneId,
    below: PacketId,
}
impl Proven {
    pub(crate) fn assertion(lane: LaneId, below: PacketId) -> Self {
        Self { lane, below }
    }
    /// The queue and generation that this speaks of.
    pub fn lane(self) -> LaneId {
        self.lane
    }
    /// Every packet before this one is complete.
    pub fn below(self) -> PacketId {
        self.below
    }
    /// Whether `a` and this are the same queue and the same generation (S2, S4).
    #[inline]
    fn same_lane(self, a: LaneId) -> bool {
        self.lane == a
            || planted!(AcrossQueues)
            || planted!(AcrossGenerations) && self.lane.queue() == a.queue()
    }
    /// Whether `of` is finished.
    #[inline]
    pub fn covers(self, of: UseId) -> bool {
        self.same_lane(of.lane()) && of.packet() < self.below
    }
    /// A proof that `of` is finished, if it is covered.
    #[inline]
    pub fn prove(self, of: UseId) -> Option<Proof> {
        self.covers(of).then(|| Proof::assertion(of, Grounds::Fence))
    }
}

/// A fence use's own value was seen at 0, with acquire order (S2).
#[derive(Debug)]
#[must_use]
pub struct FenceProof {
    of: UseId,
}
impl FenceProof {
    /// Born where a fence's value was observed; `None` unless it is exactly done.
    pub(crate) fn assertion(of: UseId, seen: SignalValue) -> Option<Self> {
        (seen.state() == ValueState::Done || planted!(IgnoreOverDecrement)).then_some(Self { of })
    }
    /// The fence.
    pub fn of(&self) -> UseId {
        self.of
    }
}
