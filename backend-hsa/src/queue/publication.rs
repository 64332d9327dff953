//! Publication in the order of indices, by whoever is there.
//!
//! Several threads fill the slots that they reserved, in any order. The device must not see a packet before all earlier ones are
//! written (<https://github.com/ROCm/rocm-systems/issues/10377>). So a thread that wrote its packet's body leaves the first word
//! here, and one thread at a time makes packets of all that are ready in a row, and rings the doorbell if it was asked for. Who
//! comes meanwhile does not wait: the one at work looks again after it let go.
//!
//! Before it writes, a thread claims the slot: of several that would write a packet at one index, one does.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::sys::hsa_packet_type_t;

/// Where packets are published.
pub(super) trait Sink {
    /// Makes a packet of the slot at `index`, whose body is written.
    fn publish(&self, index: u64, first_word: u32);
    /// Has what this thread wrote to the ring get there before whatever a thread that sees its later stores writes. Release order
    /// alone does not: in device memory, the host's stores are combined, and leave the processor when they like.
    fn settle(&self);
    /// Tells the device of all up to `last`.
    fn ring(&self, last: u64);
}

/// A first word that no packet has, for it makes none.
const CLAIMED: u32 = hsa_packet_type_t::HSA_PACKET_TYPE_INVALID.0;

/// A slot that one thread may write, and has to [`commit`](Publication::commit).
#[derive(Debug)]
#[must_use = "what is behind a slot that is claimed and not committed never gets published"]
pub(super) struct Claim {
    index: u64,
}

/// What is ready, published and told.
#[derive(Debug)]
pub(super) struct Publication {
    /// By slot: the turn (index + 1, its lower half) of the last packet that claimed it, and that packet's first word, which is
    /// [`CLAIMED`] as long as its body is being written.
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
            // As if the ring had gone round before.
            ready: (0..slots)
                .map(|slot| AtomicU64::new(word(slot.wrapping_sub(slots), 0)))
                .collect(),
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

    /// Claims the slot of the packet at `index`, which is less than a ring beyond what is published. None if somebody did before.
    pub(super) fn claim(&self, index: u64) -> Option<Claim> {
        // Turns have 32 bits, and come again: what was published that long ago is known by its index.
        if index < self.published_below() {
            return None;
        }
        let ready = self.slot(index);
        let before = ready.load(Ordering::Acquire);
        let slots = self.mask + 1;
        let is_next = (before >> 32) as u32 == turn(index.wrapping_sub(slots));
        if !is_next || before as u32 == CLAIMED {
            return None;
        }
        let (success, failure) = (Ordering::AcqRel, Ordering::Relaxed);
        ready.compare_exchange(before, word(index, CLAIMED), success, failure).ok()?;
        Some(Claim { index })
    }

    /// The body of the packet that the slot was claimed for is written, and this is its first word.
    pub(super) fn commit(&self, claim: Claim, first_word: u32, sink: &impl Sink) {
        debug_assert_ne!(first_word, CLAIMED);
        let Claim { index } = claim;
        // Another thread may publish it, whose stores do not wait for this one's.
        sink.settle();
        // Together with the body: whoever publishes it has seen both.
        self.slot(index).store(word(index, first_word), Ordering::Release);
        self.advance(sink);
    }

    /// The device is to be told of all up to `last` once they are published.
    pub(super) fn tell(&self, last: u64, sink: &impl Sink) {
        self.wanted.fetch_max(last.saturating_add(1), Ordering::AcqRel);
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
            let published = self.cursor.load(Ordering::Relaxed);
            let mut cursor = published;
            while let Some(first_word) = self.ready_at(cursor) {
                sink.publish(cursor, first_word);
                cursor += 1;
            }
            if cursor > published {
                // Before the doorbell, which the next at work may be the one to ring.
                sink.settle();
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
        let word = self.slot(index).load(Ordering::Acquire);
        ((word >> 32) as u32 == turn(index) && word as u32 != CLAIMED).then_some(word as u32)
    }

    fn slot(&self, index: u64) -> &AtomicU64 {
        &self.ready[(index & self.mask) as usize]
    }
}

fn word(index: u64, first_word: u32) -> u64 {
    u64::from(turn(index)) << 32 | u64::from(first_word)
}

/// Tells the packet at `index` from the one that had its slot a ring earlier, and from none.
fn turn(index: u64) -> u32 {
    index.wrapping_add(1) as u32
}
