//! The signals of a ring, and which of them are ready.

use std::collections::VecDeque;

use super::custody::Custody;
use crate::{backend::SignalMemory, id::UseId};

/// A position in a ring's table of signals. Never used for another signal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SlotIndex(pub(crate) u32);

/// One signal of a ring.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) custody: Custody,
    /// What a proof has to name before the signal is armed again (S1); `None` until it is used.
    pub(crate) last_use: Option<UseId>,
    /// The memory that was asked for: the pool that the signal belongs to.
    pub(crate) pool: SignalMemory,
    /// Where it really lives: host memory where the backend fell back.
    pub(crate) memory: SignalMemory,
}

/// Armed signals of one pool, oldest first. The first `usable` of them are flushed (S10).
#[derive(Debug, Default, Hash)]
pub(crate) struct Ready {
    queue: VecDeque<SlotIndex>,
    usable: usize,
}
impl Ready {
    #[inline]
    pub(crate) fn usable(&self) -> usize {
        self.usable
    }
    #[inline]
    pub(crate) fn unflushed(&self) -> usize {
        self.queue.len() - self.usable
    }
    #[inline]
    pub(crate) fn front(&self) -> Option<SlotIndex> {
        if self.usable == 0 { None } else { self.queue.front().copied() }
    }
    #[inline]
    pub(crate) fn take_front(&mut self) {
        self.queue.pop_front();
        self.usable -= 1;
    }
    /// A signal that was created armed and visible.
    pub(crate) fn push_visible(&mut self, slot: SlotIndex) {
        self.queue.insert(self.usable, slot);
        self.usable += 1;
    }
    /// A signal whose arm is on its way.
    #[inline]
    pub(crate) fn push_armed(&mut self, slot: SlotIndex) {
        self.queue.push_back(slot);
    }
    #[inline]
    pub(crate) fn flushed(&mut self) {
        self.usable = self.queue.len();
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
