//! Which signal is loaded next.

use super::*;

fn of(packet: u64) -> UseId {
    UseId::new(lane(0), PacketId::new(packet))
}
/// A ring of 8 signals with a use on each of the first `uses` packets.
fn with_uses(uses: u64, barrier: Barrier) -> (Arc<Watermark>, Ring) {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 8);
    for packet in 0..uses {
        submit(&mut ring, packet, barrier);
    }
    (mark, ring)
}
fn is_pending(ring: &mut Ring, probe: Probe) {
    assert!(matches!(ring.confirm(probe, SignalValue::ARMED), Ok(Confirmed::Pending)));
}
fn looked_at(probe: Option<Probe>) -> Option<u64> {
    probe.map(|probe| probe.of().packet().as_u64())
}

#[test]
fn a_probe_names_the_signal_of_its_use_and_where_that_lives() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 1);
    ring.add(SignalHandle::new(70), DEVICE, HOST);
    let secured = ring.secure(DEVICE).expect("one is ready");
    let of = secured.bind(PacketId::new(4), on(lane(0), Barrier::Set), None);
    let probe = ring.probe_use(of).expect("in flight");
    assert_eq!((probe.of(), probe.signal(), probe.memory()), (of, SignalHandle::new(70), HOST));
    assert!(ring.probe_use(self::of(5)).is_none());
    assert!(ring.probe_use(UseId::new(lane(1), of.packet())).is_none());
    assert!(ring.oldest_in(HOST).is_none());
    assert_eq!(ring.oldest_in(DEVICE).map(|probe| probe.of()), Some(of));
}

#[test]
fn what_is_covered_is_counted_before_it_is_retired() {
    let (mark, mut ring) = with_uses(5, Barrier::Clear);
    assert_eq!(ring.covered(), 0);
    let mut other = ring_on(&mark, HOST, 1);
    let fence = submit(&mut other, 2, Barrier::Set);
    tell(&mut other, fence, 0).expect("a value of 0");
    assert_eq!(ring.covered(), 3, "packets 0, 1 and 2");
    let proven = ring.observe().expect("a hardware queue has a watermark");
    assert!(ring.is_covered(proven));
    let over: Vec<u64> = std::iter::from_fn(|| ring.next_covered(proven))
        .map(|finished| {
            let packet = finished.of().packet().as_u64();
            assert!(ring_signal(&finished));
            packet
        })
        .collect();
    assert_eq!(over, [0, 1, 2]);
    assert!(!ring.is_covered(proven));
    assert_eq!((ring.covered(), ring.in_flight()), (0, 2));
}
fn ring_signal(finished: &Finished) -> bool {
    finished.signal() == SignalHandle::new(finished.of().packet().as_u64() + 1)
}

#[test]
fn only_what_the_read_index_passed_is_nominated() {
    let (_mark, mut ring) = with_uses(4, Barrier::Set);
    assert_eq!(looked_at(ring.nominate(PacketId::FIRST)), None);
    assert_eq!(looked_at(ring.nominate(PacketId::new(1))), Some(0));
    assert_eq!(looked_at(ring.nominate(PacketId::new(3))), Some(2));
    assert_eq!(looked_at(ring.nominate(PacketId::new(9))), Some(3));
    let (_mark, mut ring) = with_uses(4, Barrier::Clear);
    assert_eq!(looked_at(ring.nominate(PacketId::new(9))), None, "no fence, no nominee");
}

/// A read index that leads completion would always nominate a fence that still runs.
#[test]
fn after_a_miss_the_older_pending_fence_comes_first() {
    let (_mark, mut ring) = with_uses(3, Barrier::Set);
    let first = ring.nominate(PacketId::new(1)).expect("packet 0");
    is_pending(&mut ring, first);
    // The same one once more is no miss.
    let again = ring.probe_use(of(0)).expect("in flight");
    is_pending(&mut ring, again);
    let newer = ring.nominate(PacketId::new(2)).expect("packet 1");
    assert_eq!(newer.of(), of(1));
    is_pending(&mut ring, newer);
    let older = ring.nominate(PacketId::new(3)).expect("packet 0");
    assert_eq!(older.of(), of(0), "it was pending before packet 1 was");
    // And after that the newest again.
    assert_eq!(looked_at(ring.nominate(PacketId::new(3))), Some(2));
}

#[test]
fn a_fence_that_completed_is_pending_no_more() {
    let (mark, mut ring) = with_uses(2, Barrier::Set);
    let first = ring.nominate(PacketId::new(1)).expect("packet 0");
    is_pending(&mut ring, first);
    assert_eq!(looked_at(ring.nominate(PacketId::new(1))), None, "it is known to be pending");
    let probe = ring.probe_use(of(0)).expect("in flight");
    let Ok(Confirmed::Fence(proof)) = ring.confirm(probe, SignalValue::DONE) else { panic!() };
    assert_eq!(looked_at(ring.nominate(PacketId::new(1))), Some(0), "no longer");
    let _proven = mark.raise(proof);
    assert_eq!(ring.covered(), 1);
    assert_eq!(looked_at(ring.nominate(PacketId::new(1))), None, "it is proven");
}

#[test]
fn a_search_takes_single_uses_in_turn() {
    let (_mark, mut ring) = with_uses(4, Barrier::Clear);
    let turns: Vec<_> = (0..6).map(|_| looked_at(ring.look_further())).collect();
    assert_eq!(turns, [0, 1, 2, 3, 0, 1].map(Some));
    // One that is gone from the middle is passed over.
    tell(&mut ring, of(2), 0).expect("a value of 0");
    let turns: Vec<_> = (0..3).map(|_| looked_at(ring.look_further())).collect();
    assert_eq!(turns, [3, 0, 1].map(Some));
}

#[test]
fn a_search_goes_from_the_end_of_the_oldest_batch_half_way_back() {
    let (_mark, mut ring) = with_uses(8, Barrier::Set);
    let mut looked = Vec::new();
    for _ in 0..4 {
        let probe = ring.look_further().expect("all are in flight");
        looked.push(probe.of().packet().as_u64());
        is_pending(&mut ring, probe);
    }
    assert_eq!(looked, [3, 1, 0, 0], "batches are of 4");
}

#[test]
fn a_barrier_packet_is_looked_at_by_itself_though_it_is_a_fence() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    let _first = submit(&mut ring, 0, Barrier::Set);
    let with = Use { order: PacketOrder::HoldsBackLater, ..on(lane(0), Barrier::Set) };
    let barrier = ring.secure(HOST).expect("one is ready").bind(PacketId::new(1), with, None);
    let mut looked = Vec::new();
    for _ in 0..8 {
        let probe = ring.look_further().expect("in flight");
        looked.push(probe.of());
        is_pending(&mut ring, probe);
    }
    assert!(looked.contains(&barrier), "{looked:?}");
}

#[test]
fn a_search_goes_from_lane_to_lane() {
    let marks = [0, 1].map(|queue| Arc::new(Watermark::new(lane(queue))));
    let mut ring = ring_on(&marks[0], HOST, 4);
    assert!(ring.look_further().is_none() && ring.oldest().is_none());
    assert!(ring.elsewhere().is_none() && ring.newest_fence().is_none());
    let fences = [submit(&mut ring, 5, Barrier::Set), submit(&mut ring, 6, Barrier::Set)];
    let _last = submit(&mut ring, 7, Barrier::Clear);
    assert_eq!(ring.newest_fence().map(|probe| probe.of()), Some(fences[1]));
    assert!(ring.elsewhere().is_none(), "it is all here");
    ring.switch(marks[1].clone());
    assert!(ring.newest_fence().is_none());
    assert_eq!(ring.elsewhere().map(|probe| probe.of()), Some(fences[1]));
    assert_eq!(ring.oldest().map(|probe| probe.of()), Some(fences[0]));
    let here = submit(&mut ring, 1, Barrier::Clear);
    assert_eq!(ring.oldest().map(|probe| probe.of()), Some(here), "the stream's queue first");
    let mut looked: Vec<_> = (0..8).filter_map(|_| ring.look_further()).map(|p| p.of()).collect();
    looked.dedup();
    assert!(looked.contains(&here) && looked.contains(&fences[1]), "{looked:?}");
    let lanes: Vec<_> = looked.windows(2).map(|two| two[0].lane() == two[1].lane()).collect();
    assert!(lanes.iter().all(|same| !same), "in turn: {looked:?}");
    // Without a fence, the oldest of what was left is waited for.
    let engine = lane(100);
    let with = Use { engine: Engine::Copy, ..on(engine, Barrier::Clear) };
    let (_mark, mut ring) = with_uses(1, Barrier::Clear);
    for packet in [3, 4] {
        let _copy = ring.secure(HOST).expect("8 signals").bind(PacketId::new(packet), with, None);
    }
    let oldest = UseId::new(engine, PacketId::new(3));
    assert_eq!(ring.elsewhere().map(|probe| probe.of()), Some(oldest));
}

#[test]
fn what_is_elsewhere_gets_its_turn() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 8);
    assert!((0..32).all(|_| ring.look_elsewhere().is_none()), "there is nothing elsewhere");
    let copies = [100, 101].map(|engine| {
        let with = Use { engine: Engine::Copy, ..on(lane(engine), Barrier::Clear) };
        ring.secure(HOST).expect("8 signals").bind(PacketId::new(0), with, None)
    });
    let looks: Vec<_> = (0..32).map(|_| ring.look_elsewhere().map(|probe| probe.of())).collect();
    let turns: Vec<_> =
        looks.iter().enumerate().filter_map(|(at, of)| Some((at, (*of)?))).collect();
    let expected = [(7, copies[0]), (15, copies[1]), (23, copies[0]), (31, copies[1])];
    assert_eq!(turns, expected, "one in eight, one lane after the other");
}
