//! How far one generation of one hardware queue is known to be complete, told to all who share it.

use crate::{
    id::{LaneId, PacketId},
    proof::{FenceProof, Proven},
    sync::{AtomicU64, Ordering, Site, order},
};

/// The proven bound of one (queue, generation), shared by every stream on that queue.
///
/// Many writers, many readers, no lock: [`raise`](Self::raise) is one `fetch_max`, and only a fence
/// proof moves it. A queue that restarts gets a new watermark.
///
/// # Ordering
/// `raise` releases, [`observe`](Self::observe) acquires: whoever sees the bound sees everything
/// that the prover saw, including what the GPU wrote before the fence completed.
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
/// # let (first, fence) = (submit(&mut ring, 3), submit(&mut ring, 7));
/// let others = mark.clone(); // another stream on the queue
/// assert!(!others.observe().covers(first));
/// # let probe = ring.probe_use(fence).expect("in flight");
/// // One of them loads the signal of a fence, packet 7, and sees 0:
/// let Confirmed::Fence(proof) = ring.confirm(probe, SignalValue::DONE)? else { panic!("a fence") };
/// let _proven = mark.raise(proof);
/// assert!(others.observe().covers(first)); // without a load
/// # Ok::<(), ringfence::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Watermark {
    lane: LaneId,
    below: AtomicU64,
}
impl Watermark {
    /// Nothing of `lane` is proven.
    pub fn new(lane: LaneId) -> Self {
        Self { lane, below: AtomicU64::new(0) }
    }
    /// The queue and generation that this speaks of.
    #[inline]
    pub fn lane(&self) -> LaneId {
        self.lane
    }
    /// What is proven now.
    #[inline]
    pub fn observe(&self) -> Proven {
        let below = self.below.load(order(Site::WatermarkObserve, Ordering::Acquire));
        Proven::assertion(self.lane, PacketId::new(below))
    }
    /// Everything up to and including the fence is complete. Never goes back.
    ///
    /// # Panics
    /// If the fence is of another queue or generation (S4).
    pub fn raise(&self, fence: FenceProof) -> Proven {
        assert_eq!(fence.of().lane(), self.lane, "S4: a fence of another queue or generation");
        let bound = fence.of().packet().next().as_u64();
        // One read-modify-write and no load just before it: see `sync` for why.
        let before = self.below.fetch_max(bound, order(Site::WatermarkRaise, Ordering::AcqRel));
        Proven::assertion(self.lane, PacketId::new(before.max(bound)))
    }
    /// Plants a bound without a proof: what a tracker that trusts the read index would do.
    #[cfg(feature = "planted")]
    pub(crate) fn trust(&self, below: PacketId) {
        self.below.fetch_max(below.as_u64(), order(Site::WatermarkRaise, Ordering::AcqRel));
    }
}
