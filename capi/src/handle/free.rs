//! Places that are free: a stack without a lock, since finalizers give places back.

use super::{
    slot::Slot,
    sync::{AtomicU64, Ordering, Site, order},
};

/// A stack of places by their numbers. The upper half of its head counts changes, so that a place that went and came
/// back in between is noticed.
pub(super) struct Free(AtomicU64);

const NONE: u32 = u32::MAX;

impl Free {
    /// What is written where nothing is free.
    pub(super) const NOTHING: u64 = NONE as u64;

    /// The stack with this head, which is [`NOTHING`](Self::NOTHING).
    pub(super) const fn new(head: AtomicU64) -> Self {
        Self(head)
    }
    /// Puts `index` on top; `slot` is its place, which is nobody's.
    pub(super) fn push<T>(&self, index: u32, slot: &Slot<T>) {
        let mut head = self.0.load(Ordering::Relaxed);
        loop {
            slot.next_free.store(top(head), Ordering::Relaxed);
            let pushed = changed(head, index);
            // Release: who takes the place sees what was done to it, and what lies below.
            let published = order(Site::Push, Ordering::Release);
            match self.0.compare_exchange_weak(head, pushed, published, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }
    /// Takes the top; `below` says what lies below a place, if there is such a place.
    pub(super) fn pop(&self, below: impl Fn(u32) -> Option<u32>) -> Option<u32> {
        let seen = order(Site::Pop, Ordering::Acquire);
        let mut head = self.0.load(seen);
        loop {
            let index = top(head);
            // A place stays where it is for ever, so that a stale look at it harms nobody: the count fails the exchange.
            let popped = changed(head, below(index)?);
            match self.0.compare_exchange_weak(head, popped, seen, seen) {
                Ok(_) => return Some(index),
                Err(now) => head = now,
            }
        }
    }
}
fn top(head: u64) -> u32 {
    head as u32
}
fn changed(head: u64, top: u32) -> u64 {
    ((head >> 32).wrapping_add(1) << 32) | u64::from(top)
}
