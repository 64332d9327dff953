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
    /// Younger ones, the oldest first.
    armed: Vec<SlotIndex>,
    /// So many of `armed`, from its front, are flushed as well.
    flushed: usize,
    /// The first stack is filled with so many at most.
    at_once: usize,
}
impl Ready {
    pub(crate) fn new(at_once: usize) -> Self {
        Self { next: Vec::new(), armed: Vec::new(), flushed: 0, at_once: at_once.max(1) }
    }
    /// Whether it is time to see whether signals run short.
    #[inline(always)]
    pub(crate) fn is_due(&self) -> bool {
        self.next.is_empty()
    }
    #[inline]
    pub(crate) fn usable(&self) -> usize {
        self.next.len() + self.flushed
    }
    #[inline]
    pub(crate) fn unflushed(&self) -> usize {
        self.armed.len() - self.flushed
    }
    /// The oldest, if it can be used.
    #[inline(always)]
    pub(crate) fn front(&mut self) -> Option<SlotIndex> {
        if self.next.is_empty() {
            self.refill();
        }
        self.next.last().copied()
    }
    /// Takes what [`front`](Self::front) showed.
    #[inline(always)]
    pub(crate) fn take_front(&mut self) {
        self.next.pop();
    }
    #[inline(never)]
    fn refill(&mut self) {
        let count = self.flushed.min(self.at_once);
        self.next.extend(self.armed[..count].iter().rev());
        self.armed.drain(..count);
        self.flushed -= count;
    }
    /// A signal that was created armed and visible.
    pub(crate) fn push_visible(&mut self, slot: SlotIndex) {
        self.armed.insert(self.flushed, slot);
        self.flushed += 1;
    }
    /// A signal whose arm is on its way.
    #[inline(always)]
    pub(crate) fn push_armed(&mut self, slot: SlotIndex) {
        self.armed.push(slot);
    }
    #[inline]
    pub(crate) fn flushed(&mut self) {
        self.flushed = self.armed.len();
    }
}
impl Hash for Ready {
    /// By order of use, however the two stacks share it.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.next.iter().rev().chain(&self.armed).for_each(|slot| slot.hash(state));
        (self.usable(), self.unflushed()).hash(state);
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
