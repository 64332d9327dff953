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
