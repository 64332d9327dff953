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
///
/// ```
/// use ringfence::proof::Grounds;
/// /// Whether it took the use's own signal to tell.
/// fn told_itself(grounds: Grounds) -> bool {
///     match grounds {
///         Grounds::OwnValue => true,
///         Grounds::Fence | Grounds::BarrierOrder | Grounds::Drained | Grounds::Awaited => false,
///     }
/// }
/// # assert!(!told_itself(Grounds::Fence));
/// ```
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
/// # let (of, fence) = (submit(&mut ring, 3), submit(&mut ring, 7));
/// # let probe = ring.probe_use(fence).expect("in flight");
/// # let Confirmed::Fence(seen) = ring.confirm(probe, SignalValue::DONE)? else { panic!("a fence") };
/// let proven = mark.raise(seen); // packet 7 is over, and so is packet 3
/// let proof = proven.prove(of).expect("it is below the fence");
/// assert_eq!((proof.of(), proof.grounds()), (of, Grounds::Fence));
/// let retired = proof.harvest(Harvest::NOT_WANTED); // used up
/// assert_eq!(retired.of(), of);
/// # Ok::<(), ringfence::error::Error>(())
/// ```
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
///
/// ```
/// use ringfence::{backend::*, proof::Harvest, ring::{Finished, Timing}, timing::Interval};
/// /// Comes before `Ring::retire`: the stamps are gone once the signal is armed.
/// fn harvest<D: Device>(gpu: &D, over: &Finished) -> Harvest {
///     match over.timing() {
///         Timing::Unwanted => Harvest::NOT_WANTED,
///         Timing::Wanted => {
///             let raw = gpu.timestamps(over.signal(), over.engine());
///             Harvest::taken(Interval::new(raw, gpu.tick_rate()))
///         }
///     }
/// }
/// ```
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
///
/// ```
/// use ringfence::{id::UseId, proof::Retired, ring::{Arm, Custody}};
/// /// An order to arm, or the proof again while somebody else holds the signal.
/// fn arm(signal: &mut Custody, last_use: UseId, retired: Retired) -> Result<Arm, Retired> {
///     match signal.sole() {
///         Some(alone) => Ok(alone.arm(last_use, retired)),
///         None => Err(retired),
///     }
/// }
/// ```
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
/// # let (of, fence) = (submit(&mut ring, 3), submit(&mut ring, 7));
/// # let probe = ring.probe_use(fence).expect("in flight");
/// # let Confirmed::Fence(seen) = ring.confirm(probe, SignalValue::DONE)? else { panic!("a fence") };
/// assert!(!mark.observe().covers(of));
/// let proven = mark.raise(seen); // the fence is packet 7
/// assert_eq!(proven.below(), PacketId::new(8));
/// assert!(proven.covers(of));
/// let restarted = UseId::new(of.lane().restarted(), of.packet());
/// assert!(!proven.covers(restarted)); // another generation
/// # Ok::<(), ringfence::error::Error>(())
/// ```
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
///
/// ```
/// use ringfence::{error::Error, id::SignalValue, ring::{Confirmed, Probe, Ring}};
/// /// What a loaded value proves for all who share the queue.
/// fn confirm(ring: &mut Ring, probe: Probe, value: SignalValue) -> Result<(), Error> {
///     if let Confirmed::Fence(proof) = ring.confirm(probe, value)? {
///         if let Some(mark) = ring.mark_of(proof.of().lane()) {
///             let _proven = mark.raise(proof); // the only thing that moves it
///         }
///     }
///     Ok(())
/// }
/// ```
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
