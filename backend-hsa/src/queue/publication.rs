//! Publication in the order of indices, by whoever is there.
//!
//! Several threads fill the slots that they reserved, in any order. The device must not see a packet before all earlier ones are
//! written (<https://github.com/ROCm/rocm-systems/issues/10377>). So a thread that wrote its packet's body leaves the first word
//! here, and one thread at a time makes packets of all that are ready in a row, and rings the doorbell if it was asked for. Who
//! comes meanwhile does not wait: the one at work looks again after it let go.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Where packets are published.
pub(super) trait Sink {
    /// Makes a packet of the slot at `index`, whose body is written.
    fn publish(&self, index: u64, first_word: u32);
    /// Tells the device of all up to `last`.
    fn ring(&self, last: u64);
}

/// What is ready, published and told.
#[derive(Debug)]
pub(super) struct Publication {
    /// By slot: the turn (index + 1, its lower half) and the first word.
    ready: Box<[AtomicU64]>,
    mask: u64,
    busy: AtomicBool,
    /// All below are published. Written by the thread at work alone.
    cursor: AtomicU64,
    /// The device is to be told of all below.
    wanted: AtomicU64,
    /// The device was told of all below. Written by the thread at work alone.
    told: AtomicU64,
}

impl Publication {
    /// Of a ring of `slots`, a power of two.
    pub(super) fn new(slots: u64) -> Self {
        debug_assert!(slots.is_power_of_two());
        Self {
            ready: (0..slots).map(|_| AtomicU64::new(0)).collect(),
            mask: slots - 1,
            busy: AtomicBool::new(false),
            cursor: AtomicU64::new(0),
            wanted: AtomicU64::new(0),
            told: AtomicU64::new(0),
        }
    }

    /// All below are published.
    pub(super) fn published_below(&self) -> u64 {
        self.cursor.load(Ordering::Acquire)
    }

    /// The body of the packet at `index` is written, and this is its first word.
    pub(super) fn commit(&self, index: u64, first_word: u32, sink: &impl Sink) {
        let word = u64::from(turn(index)) << 32 | u64::from(first_word);
        // Together with the body: whoever publishes it has seen both.
        self.ready[(index & self.mask) as usize].store(word, Ordering::Release);
        self.advance(sink);
    }

    /// The device is to be told of all up to `last` once they are published.
    pub(super) fn tell(&self, last: u64, sink: &impl Sink) {
        self.wanted.fetch_max(last + 1, Ordering::AcqRel);
        self.advance(sink);
    }

    /// The device is to be told of all that are published.
    pub(super) fn tell_all(&self, sink: &impl Sink) {
        if let Some(last) = self.published_below().checked_sub(1) {
            self.tell(last, sink);
        }
    }

    fn advance(&self, sink: &impl Sink) {
        // A swap on both ends: whoever finds it taken left something that the one at work sees after its own swap.
        while !self.busy.swap(true, Ordering::AcqRel) {
            let mut cursor = self.cursor.load(Ordering::Relaxed);
            while let Some(first_word) = self.ready_at(cursor) {
                sink.publish(cursor, first_word);
                cursor += 1;
            }
            self.cursor.store(cursor, Ordering::Release);
            let due = self.wanted.load(Ordering::Acquire).min(cursor);
            let told = self.told.load(Ordering::Relaxed);
            if due > told {
                sink.ring(due - 1);
                self.told.store(due, Ordering::Relaxed);
            }
            self.busy.swap(false, Ordering::AcqRel);
            if self.ready_at(cursor).is_none()
                && self.wanted.load(Ordering::Acquire).min(cursor) <= due.max(told)
            {
                return;
            }
        }
    }

    fn ready_at(&self, index: u64) -> Option<u32> {
        let word = self.ready[(index & self.mask) as usize].load(Ordering::Acquire);
        ((word >> 32) as u32 == turn(index)).then_some(word as u32)
    }
}

/// Tells the packet at `index` from the one that had its slot a ring earlier, and from none.
fn turn(index: u64) -> u32 {
    (index + 1) as u32
}
