//! The signals of a ring, and which of them are ready.

use std::hash::{Hash, Hasher};

use super::{
    custody::{Arm, Custody},
    record::Record,
};
use crate::{
    backend::SignalMemory,
    id::{Generation, LaneId, PacketId, QueueId, UseId},
    proof::Retired,
    sync::Arc,
};

/// A position in a ring's table of signals. Never used for another signal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SlotIndex(pub(crate) u32);

/// The last use of a signal that was never used: of a packet that no queue reaches.
pub(crate) const NEVER: UseId =
    UseId::new(LaneId::new(QueueId::new(u32::MAX), Generation::FIRST), PacketId::new(u64::MAX));

/// One signal of a ring.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) custody: Custody,
    /// What a proof has to name before the signal is armed again (S1); [`NEVER`] until it is used.
    pub(crate) last_use: UseId,
    /// Of the use in flight, if somebody asked for it.
    pub(crate) record: Option<Arc<Record>>,
    /// The memory that was asked for: the pool that the signal belongs to.
    pub(crate) pool: SignalMemory,
    /// Where it really lives: host memory where the backend fell back.
    pub(crate) memory: SignalMemory,
}

impl Slot {
    /// Arms the signal, unless somebody else holds it.
    ///
    /// # Panics
    /// If `retired` is of another use than the last one (S1).
    #[inline(always)]
    pub(crate) fn arm(&mut self, retired: Retired) -> Result<Arm, Retired> {
        match self.custody.sole() {
            Some(sole) => Ok(sole.arm(self.last_use, retired)),
            None => Err(retired),
        }
    }
}

/// Armed signals of one pool, oldest first. Those that are flushed can be used (S10).
///
/// Two stacks, since taking and giving back are the path of every use: the first is taken from its
/// end, and filled from the second, in reverse, when it is empty. It is filled with half a ring at most:
/// when it is empty is when a submission looks whether signals run short.
#[derive(Debug)]
#[repr(align(64))] // a cache line each
pub(crate) struct Ready {
    /// Flushed, the oldest last.
    next: Vec<SlotIndex>,
    /// Younger ones, the oldest first. Places for more are behind them: many are filled in one pass.
    armed: Vec<SlotIndex>,
    /// So many of `armed`, from its front, are signals.
    count: usize,
    /// So many of these, from the front, are flushed as well.
    flushed: u32,
    /// The first stack is filled with so many at most.
    at_once: u32,
}
impl Ready {
    pub(crate) fn new(at_once: u32) -> Self {
        Self { next: Vec::new(), armed: Vec::new(), count: 0, flushed: 0, at_once: at_once.max(1) }
    }
    /// The oldest, unless it is time to see whether signals run short.
    #[inline(always)]
    pub(crate) fn at_hand(&self) -> Option<SlotIndex> {
        self.next.last().copied()
    }
    #[inline]
    pub(crate) fn usable(&self) -> usize {
        self.next.len() + self.flushed as usize
    }
    #[inline]
    pub(crate) fn unflushed(&self) -> usize {
        self.count - self.flushed as usize
    }
    /// The oldest, if it can be used.
    #[inline(always)]
    pub(crate) fn front(&mut self) -> Option<SlotIndex> {
        if self.next.is_empty() {
            self.refill();
        }
        self.at_hand()
    }
    /// Takes what [`front`](Self::front) or [`at_hand`](Self::at_hand) showed.
    #[inline(always)]
    pub(crate) fn take_front(&mut self) {
        self.next.pop();
    }
    #[inline(never)]
    fn refill(&mut self) {
        let flushed = self.flushed.min(self.at_once);
        let taken = flushed as usize;
        self.next.extend(self.armed[..taken].iter().rev());
        self.armed.copy_within(taken..self.count, 0);
        self.count -= taken;
        self.flushed -= flushed;
    }
    /// A signal that was created armed and visible.
    pub(crate) fn push_visible(&mut self, slot: SlotIndex) {
        self.armed.truncate(self.count);
        self.armed.insert(self.flushed as usize, slot);
        self.count += 1;
        self.flushed += 1;
    }
    /// A signal whose arm is on its way.
    #[inline(always)]
    pub(crate) fn push_armed(&mut self, slot: SlotIndex) {
        if self.count == self.armed.len() {
            self.make_places(1);
        }
        self.armed[self.count] = slot;
        self.count += 1;
    }
    /// At least `more` places for signals whose arms are on their way; then say how many were filled.
    #[inline(always)]
    pub(crate) fn places(&mut self, more: usize) -> &mut [SlotIndex] {
        if self.armed.len() - self.count < more {
            self.make_places(more);
        }
        &mut self.armed[self.count..]
    }
    #[cold]
    #[inline(never)]
    fn make_places(&mut self, more: usize) {
        self.armed.reserve(self.count + more - self.armed.len());
        self.armed.resize(self.armed.capacity(), SlotIndex(0));
    }
    /// The first so many of [`places`](Self::places) are filled.
    #[inline(always)]
    pub(crate) fn fill(&mut self, more: usize) {
        self.count += more;
        debug_assert!(self.count <= self.armed.len(), "no more than there are places");
    }
    #[inline]
    pub(crate) fn flushed(&mut self) {
        self.flushed = self.count as u32; // a slot's number is one, too
    }
}
impl Hash for Ready {
    /// By order of use, however the two stacks share it.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.next.iter().rev().chain(&self.armed[..self.count]).for_each(|slot| slot.hash(state));
        // Without one at hand, a submission looks for finished uses first.
        (self.next.len(), self.usable(), self.unflushed()).hash(state);
    }
}

/// How many signals of a pool there are, and how many cannot be counted on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PoolCount {
    pub(crate) created: u32,
    pub(crate) parked: u32,
    pub(crate) quarantined: u32,
}
impl PoolCount {
    /// Signals that count against the cap: ready or in flight.
    pub(crate) fn live(&self) -> u32 {
        self.created - self.parked - self.quarantined
    }
}
