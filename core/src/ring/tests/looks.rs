//! What a ring says of itself.

use super::*;

#[test]
fn a_ring_says_how_it_was_made_and_what_it_has() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let reaper = Arc::new(Reaper::new());
    let limits = RingLimits { size: 3, cap: 7, batch: 2, interrupt_spares: 1 };
    let mut ring = Ring::new(mark.clone(), limits, reaper.clone());
    assert_eq!(ring.limits(), limits);
    assert!(Arc::ptr_eq(ring.reaper(), &reaper) && Arc::ptr_eq(ring.mark(), &mark));
    assert_eq!((ring.size(), ring.in_flight(), ring.pinned(), ring.newest()), (0, 0, 0, None));
    for raw in 1..=3 {
        ring.add(SignalHandle::new(raw), HOST, HOST);
    }
    assert_eq!((ring.size(), ring.usable(HOST), ring.usable(DEVICE)), (3, 3, 0));
    assert_eq!((ring.live(HOST), ring.live(DEVICE)), (3, 0));
    let one = submit(&mut ring, 4, Barrier::Clear);
    assert_eq!(ring.newest(), Some(one));
    let two = submit(&mut ring, 6, Barrier::Clear);
    assert_eq!((ring.newest(), ring.in_flight(), ring.usable(HOST)), (Some(two), 2, 1));
}

#[test]
fn limits_follow_from_the_size() {
    let sizes = |size| {
        let limits = RingLimits::with_size(size);
        (limits.size, limits.cap, limits.batch, limits.low_water())
    };
    assert_eq!(sizes(0), (1, 16, 1, 0));
    assert_eq!(sizes(3), (3, 48, 2, 1));
    assert_eq!(sizes(63), (63, 1_008, 32, 31));
    assert_eq!(sizes(64), (64, 1_024, 32, 32));
    assert_eq!(sizes(1_000), (1_000, 16_000, 32, 500));
}

#[test]
fn a_ring_takes_no_more_room_than_its_signals_need() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 8);
    assert_eq!(ring.slots.capacity(), 8);
    ring.add(SignalHandle::new(9), HOST, HOST);
    assert_eq!(ring.slots.capacity(), 16, "by its size");
    for raw in 10..=129 {
        ring.add(SignalHandle::new(raw), HOST, HOST);
    }
    assert_eq!(ring.slots.capacity(), 128 + 128 / 8, "later by an eighth");
}

#[test]
fn pins_are_counted_and_the_newest_is_known() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    assert_eq!((ring.pinned(), ring.newest_pin()), (0, None));
    for consumer in [5, 9] {
        let mut secured = ring.secure(HOST).expect("4 signals");
        let held = secured.lend();
        let produced = secured.bind(PacketId::new(consumer - 1), on(lane(0), Barrier::Clear), None);
        let waits = UseId::new(lane(0), PacketId::new(consumer));
        ring.pin(waits, Awaits::EachInOrder, Some(produced), held);
    }
    assert_eq!((ring.pinned(), ring.newest_pin()), (2, Some(PacketId::new(9))));
}

#[test]
fn lanes_with_nothing_left_to_prove_are_forgotten() {
    let marks = [0, 1, 2].map(|queue| Arc::new(Watermark::new(lane(queue))));
    let mut ring = ring_on(&marks[0], HOST, 4);
    let _pending = submit(&mut ring, 0, Barrier::Set);
    ring.switch(marks[1].clone());
    ring.switch(marks[2].clone());
    let lanes = |ring: &Ring| {
        let mut ids: Vec<LaneId> = ring.lanes.iter().map(|lane| lane.id).collect();
        ids.sort();
        ids
    };
    ring.forget_idle_lanes();
    assert_eq!(lanes(&ring), [lane(0), lane(2)], "the one with work stays, and the stream's own");
}

#[test]
fn records_go_from_use_to_use() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 2);
    assert!(ring.take_record().is_none());
    let record = Arc::new(Record::vacant());
    let name = Arc::as_ptr(&record);
    ring.keep_record(record);
    assert_eq!(ring.take_record().map(|kept| Arc::as_ptr(&kept)), Some(name));
}
