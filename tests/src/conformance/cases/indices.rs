//! A queue whose read index says less, or more, than the device's own.

use std::sync::atomic::{AtomicU64, Ordering};

use ringfence::{
    backend::{Packet, PacketCount, PacketQueue, Settled},
    id::{LaneId, PacketId},
};

/// What a read index shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Habit {
    /// It stands still, at 0.
    Still,
    /// It is as far ahead as it may be: behind what the device was told of.
    Published,
}

/// A queue with another read index. Back-pressure is the queue's own.
#[derive(Debug)]
pub(super) struct Indexed<Q> {
    queue: Q,
    habit: Habit,
    published: AtomicU64,
}
impl<Q: PacketQueue> Indexed<Q> {
    pub(super) fn new(queue: Q, habit: Habit) -> Self {
        Self { queue, habit, published: AtomicU64::new(0) }
    }
}
impl<Q: PacketQueue> PacketQueue for Indexed<Q> {
    type Work = Q::Work;
    fn lane(&self) -> LaneId {
        self.queue.lane()
    }
    fn reserve(&self, count: PacketCount) -> PacketId {
        self.queue.reserve(count)
    }
    fn capacity(&self) -> PacketCount {
        self.queue.capacity()
    }
    fn commit(&self, at: PacketId, packet: &Packet<Q::Work>) {
        self.queue.commit(at, packet);
    }
    fn ring_doorbell(&self, last: PacketId) {
        self.queue.ring_doorbell(last);
        self.published.fetch_max(last.as_u64() + 1, Ordering::AcqRel);
    }
    fn read_index(&self) -> PacketId {
        match self.habit {
            Habit::Still => PacketId::FIRST,
            Habit::Published => PacketId::new(self.published.load(Ordering::Acquire)),
        }
    }
    fn settled(&self) -> Settled {
        self.queue.settled()
    }
}
