//! Several queues, generations and engines, and who proves what on them.

use super::*;

#[test]
fn two_rings_share_what_one_of_them_proved() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let (mut one, mut other) = (ring_on(&mark, HOST, 2), ring_on(&mark, HOST, 2));
    submit(&mut one, 0, Barrier::Clear);
    let fence = submit(&mut other, 1, Barrier::Set);
    tell(&mut other, fence, 0).unwrap();
    assert_eq!(one.covered(), 1);
    assert_eq!(one.next_finished().expect("covered").of(), UseId::new(lane(0), PacketId::new(0)));
}

#[test]
fn a_queue_left_behind_is_proven_by_its_own_fences_alone() {
    let (first, second) = (Arc::new(Watermark::new(lane(0))), Arc::new(Watermark::new(lane(1))));
    let mut ring = ring_on(&first, HOST, 4);
    let left = submit(&mut ring, 5, Barrier::Set);
    ring.switch(second.clone());
    let here = submit(&mut ring, 9, Barrier::Set);
    assert_eq!(tell(&mut ring, here, 0).unwrap(), [(here, Grounds::Fence)]);
    assert_eq!(ring.in_flight(), 1);
    // Another stream of the old queue proves a later packet.
    let mut other = ring_on(&first, HOST, 1);
    let fence = submit(&mut other, 6, Barrier::Set);
    tell(&mut other, fence, 0).unwrap();
    assert_eq!(ring.next_finished().expect("covered by the old queue's watermark").of(), left);
    ring.switch(first);
    assert_eq!(ring.lane(), lane(0));
}

#[test]
fn what_a_watermark_proves_is_of_its_own_queue_and_generation() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    for packet in 0..3 {
        submit(&mut ring, packet, Barrier::Clear);
    }
    let fence = submit(&mut ring, 3, Barrier::Set);
    assert_eq!(packets(&tell(&mut ring, fence, 0).unwrap()), [0, 1, 2, 3]);
    let (proven, packet) = (mark.observe(), PacketId::new(1));
    assert_eq!(
        proven.prove(UseId::new(lane(0), packet)).map(|proof| proof.of().packet()),
        Some(packet)
    );
    assert!(proven.prove(UseId::new(lane(0), PacketId::new(4))).is_none(), "later than the fence");
    for other in [lane(1), lane(0).restarted(), lane(1).restarted()] {
        let of = UseId::new(other, packet);
        assert!(!proven.covers(of) && proven.prove(of).is_none(), "{of}");
    }
}

#[test]
fn a_restart_is_another_generation() {
    let first = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&first, HOST, 4);
    submit(&mut ring, 0, Barrier::Clear);
    ring.switch(Arc::new(Watermark::new(lane(0).restarted())));
    let fence = submit(&mut ring, 7, Barrier::Set);
    assert_eq!(tell(&mut ring, fence, 0).unwrap().len(), 1);
    assert_eq!(
        ring.in_flight(),
        1,
        "the old generation's use is not proven by the new one's fence"
    );
}

#[test]
fn drained_needs_everything_published_and_proven() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    submit(&mut ring, 0, Barrier::Clear);
    let below = Settled::Below(PacketId::new(2));
    assert!(Drained::by_fence(below, mark.observe()).is_none());
    assert!(Drained::by_fence(Settled::Reserving, mark.observe()).is_none());
    let mut other = ring_on(&mark, HOST, 1);
    let fence = submit(&mut other, 1, Barrier::Set);
    tell(&mut other, fence, 0).unwrap();
    let drained = Drained::by_fence(below, mark.observe()).expect("published and proven");
    let finished = ring.next_drained(drained).expect("it was in flight");
    assert_eq!(finished.grounds(), Grounds::Drained);
}

#[test]
fn a_pin_goes_with_its_consumers_proof_on_any_grounds() {
    for by_fence in [true, false] {
        let mark = Arc::new(Watermark::new(lane(0)));
        let mut ring = ring_on(&mark, HOST, 4);
        let mut secured = ring.secure(HOST).unwrap();
        let held = secured.lend();
        let producer = secured.bind(PacketId::new(0), on(lane(0), Barrier::Clear), None);
        let consumer = UseId::new(lane(0), PacketId::new(1)); // a BARRIER_AND without a signal
        ring.pin(consumer, Awaits::EachInOrder, Some(producer), held);
        tell(&mut ring, producer, 0).unwrap();
        assert_eq!(ring.parked(), 1, "finished, but a waiter may still look at it");
        assert_eq!(ring.wants(), Wants::Fence);
        let later = submit(&mut ring, 2, if by_fence { Barrier::Set } else { Barrier::Clear });
        assert_eq!(ring.wants(), if by_fence { Wants::Nothing } else { Wants::Fence });
        tell(&mut ring, later, 0).unwrap();
        assert_eq!(ring.pinned(), 0);
        assert!(ring.unpark().is_some());
    }
}

#[test]
fn a_barrier_packet_is_proven_by_any_later_completion() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    submit(&mut ring, 0, Barrier::Clear);
    let secured = ring.secure(HOST).unwrap();
    let with = Use { order: PacketOrder::HoldsBackLater, ..on(lane(0), Barrier::Clear) };
    let barrier = secured.bind(PacketId::new(1), with, None);
    let later = submit(&mut ring, 2, Barrier::Clear);
    let retired = tell(&mut ring, later, 0).unwrap();
    assert_eq!(retired, [(later, Grounds::OwnValue), (barrier, Grounds::BarrierOrder)]);
    assert_eq!(ring.in_flight(), 1, "packet 0 is not");
}

#[test]
fn a_copy_is_proven_by_whoever_waited_for_it_and_by_no_fence() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    let engine = lane(100);
    let mut secured = ring.secure(HOST).unwrap();
    let held = secured.lend();
    let with = Use { engine: Engine::Copy, ..on(engine, Barrier::Clear) };
    let copy = secured.bind(PacketId::new(0), with, None);
    let fence = submit(&mut ring, 0, Barrier::Set);
    assert_eq!(packets(&tell(&mut ring, fence, 0).unwrap()), [0]);
    assert_eq!(ring.in_flight(), 1, "another engine");
    let consumer = UseId::new(lane(0), PacketId::new(1));
    ring.pin(consumer, Awaits::EachInOrder, Some(copy), held);
    let fence = submit(&mut ring, 2, Barrier::Set);
    let retired = tell(&mut ring, fence, 0).unwrap();
    assert!(retired.contains(&(copy, Grounds::Awaited)), "{retired:?}");
}

#[test]
fn an_or_of_several_proves_none_of_them() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    let mut secured = ring.secure(HOST).unwrap();
    let held = secured.lend();
    let with = Use { engine: Engine::Copy, ..on(lane(100), Barrier::Clear) };
    let copy = secured.bind(PacketId::new(0), with, None);
    ring.pin(UseId::new(lane(0), PacketId::new(0)), Awaits::AnyInOrder, Some(copy), held);
    let fence = submit(&mut ring, 1, Barrier::Set);
    assert_eq!(tell(&mut ring, fence, 0).unwrap(), [(fence, Grounds::Fence)]);
    assert_eq!((ring.in_flight(), ring.pinned()), (1, 0));
}

#[test]
fn a_pin_goes_with_a_copy_that_its_own_waiter_proved() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    let (mut other, engine) = (ring_on(&mark, HOST, 1), lane(100));
    let with = Use { engine: Engine::Copy, ..on(engine, Barrier::Clear) };
    // The copy waits for another stream's signal, and a barrier packet of this one waits for the copy.
    let waited_for = other.secure(HOST).unwrap().lend();
    let mut secured = ring.secure(HOST).unwrap();
    let held = secured.lend();
    let copy = secured.bind(PacketId::new(0), with, None);
    ring.pin(copy, Awaits::EachUnordered, None, waited_for);
    ring.pin(UseId::new(lane(0), PacketId::new(0)), Awaits::EachInOrder, Some(copy), held);
    let fence = submit(&mut ring, 1, Barrier::Set);
    let retired = tell(&mut ring, fence, 0).unwrap();
    assert_eq!(retired, [(fence, Grounds::Fence), (copy, Grounds::Awaited)]);
    assert_eq!(ring.pinned(), 0, "the copy is over, and so is its wait");
}

/// The stream may be on another queue by then: the watermark of this one would never say so.
#[test]
fn a_fence_that_its_own_waiter_proved_frees_what_was_pinned_below_it() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    let (mut other, elsewhere) = (ring_on(&mark, HOST, 1), lane(1));
    // On one queue a wait in no order, then a fence; on another a barrier packet waits for that fence.
    let waited_for = other.secure(HOST).unwrap().lend();
    ring.pin(UseId::new(lane(0), PacketId::new(0)), Awaits::EachUnordered, None, waited_for);
    let mut secured = ring.secure(HOST).unwrap();
    let held = secured.lend();
    let fence = secured.bind(PacketId::new(1), on(lane(0), Barrier::Set), None);
    ring.switch(Arc::new(Watermark::new(elsewhere)));
    ring.pin(UseId::new(elsewhere, PacketId::new(0)), Awaits::EachInOrder, Some(fence), held);
    let last = submit(&mut ring, 1, Barrier::Set);
    let retired = tell(&mut ring, last, 0).unwrap();
    assert_eq!(retired, [(last, Grounds::Fence), (fence, Grounds::Awaited)]);
    assert_eq!(ring.pinned(), 0, "the fence is over, and so is the wait below it");
}

#[test]
fn a_copy_that_was_never_issued_proves_nothing_of_what_it_would_have_waited_for() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    let mut secured = ring.secure(HOST).unwrap();
    let held = secured.lend();
    let kernel = secured.bind(PacketId::new(0), on(lane(0), Barrier::Clear), None);
    let with = Use { engine: Engine::Copy, ..on(lane(100), Barrier::Clear) };
    let copy = ring.secure(HOST).unwrap().bind(PacketId::new(0), with, None);
    ring.pin(copy, Awaits::EachUnordered, Some(kernel), held);
    let refused = ring.part_failed(copy, 0, crate::id::Parts::ONE);
    assert!(matches!(refused, Some(RolledBack::Never(_))));
    assert!(ring.next_finished().is_none(), "the kernel still runs");
    assert_eq!((ring.in_flight(), ring.pinned()), (1, 0));
}
