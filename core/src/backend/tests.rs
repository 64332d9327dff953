//! Pointers to a backend answer as it does, also where a trait has a default answer.

use std::num::NonZeroU32;

use super::{Packet, PacketCount, PacketQueue, Settled};
use crate::{
    id::{Generation, LaneId, PacketId, QueueId},
    sync::Arc,
};

/// A queue of three slots.
struct Three;
const SLOTS: PacketCount = PacketCount::new(NonZeroU32::new(3).expect("3 is not 0"));
impl PacketQueue for Three {
    type Work = ();
    fn lane(&self) -> LaneId {
        LaneId::new(QueueId::new(3), Generation::FIRST)
    }
    fn reserve(&self, count: PacketCount) -> PacketId {
        PacketId::new(u64::from(count.count()))
    }
    fn capacity(&self) -> PacketCount {
        SLOTS
    }
    fn commit(&self, _at: PacketId, _packet: &Packet<()>) {}
    fn ring_doorbell(&self, _last: PacketId) {}
    fn read_index(&self) -> PacketId {
        PacketId::FIRST
    }
    fn settled(&self) -> Settled {
        Settled::Reserving
    }
}

fn is_three(queue: impl PacketQueue<Work = ()>) {
    assert_eq!(queue.capacity(), SLOTS);
    assert_eq!(queue.lane().queue(), QueueId::new(3));
    assert_eq!(queue.reserve(SLOTS), PacketId::new(3));
    assert_eq!(queue.settled(), Settled::Reserving);
}

#[test]
fn whoever_points_to_a_queue_answers_as_it_does() {
    is_three(Three);
    is_three(&Three);
    is_three(Arc::new(Three));
    is_three(Box::new(Three));
    is_three(Arc::new(Box::new(&Three)));
    is_three(Box::new(Three) as Box<dyn PacketQueue<Work = ()>>);
}
