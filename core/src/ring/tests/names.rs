//! What rings are told apart by, and a queue that was known by a waiting packet first.

use super::*;

#[test]
#[should_panic(expected = "in the ring that named it")]
fn rings_that_share_a_reaper_are_told_apart() {
    let (mark, reaper) = (Arc::new(Watermark::new(lane(0))), Arc::new(Reaper::new()));
    let mut rings = [1, 2].map(|raw| {
        let mut ring = Ring::new(mark.clone(), RingLimits::with_size(8), reaper.clone());
        ring.add(SignalHandle::new(raw), HOST, HOST);
        ring
    });
    // At one place in memory, one after the other, as well.
    let of = submit(&mut rings[0], 3, Barrier::Set);
    let named = rings[0].reference(of).expect("it runs");
    rings.swap(0, 1);
    let _said = rings[0].look_up(named);
}

#[test]
fn a_stream_goes_on_with_a_queue_where_a_packet_waits_already() {
    let marks = [0, 7].map(|queue| Arc::new(Watermark::new(lane(queue))));
    let mut ring = ring_on(&marks[0], HOST, 4);
    let mut secured = ring.secure(HOST).expect("4 are ready");
    let held = secured.lend();
    let here = on(lane(0), Barrier::Set);
    let dependency = secured.bind(PacketId::new(3), here, None);
    let consumer = UseId::new(lane(7), PacketId::new(1));
    ring.pin(consumer, Awaits::EachInOrder, Some(dependency), held);
    ring.switch(marks[1].clone());
    assert!(Arc::ptr_eq(ring.mark(), &marks[1]));
    let fence = submit(&mut ring, 2, Barrier::Set);
    assert_eq!(tell(&mut ring, fence, 0).expect("not below 0")[0].0, fence);
    assert_eq!(ring.pinned(), 0, "its watermark covers the packet that waits");
}
