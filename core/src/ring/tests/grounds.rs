//! What is finished without a load, where that is looked for, and what is kept for it.

use super::*;
use crate::ring::lane::{InFlight, UseFlags};

const ENGINE: u32 = 100;

fn of(packet: u64) -> UseId {
    UseId::new(lane(0), PacketId::new(packet))
}
/// The oldest signal that is ready is in use for a packet, and somebody holds it.
fn submit_held(ring: &mut Ring, packet: u64, with: Use) -> (UseId, Holder) {
    let mut secured = ring.secure(HOST).expect("one is ready");
    let held = secured.lend();
    (secured.bind(PacketId::new(packet), with, None), held)
}
/// Another stream of the queue proves all before `below`.
fn prove(mark: &Arc<Watermark>, below: u64) {
    let mut ring = ring_on(mark, HOST, 1);
    let fence = submit(&mut ring, below - 1, Barrier::Set);
    tell(&mut ring, fence, 0).expect("a value of 0");
}

#[test]
fn a_use_is_plain_when_there_is_nothing_but_its_signal() {
    let is_plain = |flags| {
        let slot = crate::ring::slot::SlotIndex(0);
        InFlight { packet: PacketId::FIRST, slot, flags }.is_plain()
    };
    assert!(is_plain(UseFlags::empty()));
    assert!(is_plain(UseFlags::FENCE | UseFlags::TIMED | UseFlags::IN_PARTS));
    assert!(!is_plain(UseFlags::RECORDED));
    assert!(!is_plain(UseFlags::BARRIER_PACKET | UseFlags::FENCE));
    assert!(!is_plain(UseFlags::RECORDED | UseFlags::BARRIER_PACKET));
}

#[test]
fn a_lane_counts_its_records_and_barrier_packets() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 7);
    let count = |ring: &Ring| (ring.lanes.own.barrier_packets, ring.lanes.own.recorded);
    let barrier = Use { order: PacketOrder::HoldsBackLater, ..on(lane(0), Barrier::Clear) };
    for packet in 0..7 {
        let mut secured = ring.secure(HOST).expect("7 signals");
        let mut record = Record::vacant();
        record.renew(about(of(packet), &mark), secured.lend());
        let record = (packet % 3 == 0).then(|| Arc::new(record));
        let with = if packet % 2 == 0 { barrier } else { on(lane(0), Barrier::Clear) };
        secured.bind(PacketId::new(packet), with, record);
    }
    assert_eq!(count(&ring), (4, 3));
    assert!(ring.force(of(5)).is_some()); // neither
    assert_eq!(count(&ring), (4, 3));
    assert!(ring.force(of(3)).is_some()); // a record
    assert_eq!(count(&ring), (4, 2));
    assert!(ring.force(of(2)).is_some()); // a barrier packet
    assert_eq!(count(&ring), (3, 2));
    prove(&mark, 1);
    let proven = ring.observe().expect("a hardware queue has a watermark");
    let over = ring.next_covered(proven).expect("packet 0: both");
    assert!(over.record().is_some());
    let _arm = ring.retire(over, Harvest::NOT_WANTED);
    assert_eq!(count(&ring), (2, 1));
    prove(&mark, 7);
    let proven = ring.observe().expect("a hardware queue has a watermark");
    let batch = ring.retire_together(proven, 64, |_arm| {});
    assert_eq!((batch, count(&ring)), (Batch { armed: 3, parked: 0 }, (0, 0)));
}

#[test]
fn more_than_the_watermark_is_looked_at_only_where_there_is_more() {
    let marks = [0, 1].map(|queue| Arc::new(Watermark::new(lane(queue))));
    let mut ring = ring_on(&marks[0], HOST, 4);
    submit(&mut ring, 0, Barrier::Clear);
    assert!(!ring.may_prove_more(), "its own watermark says it all");
    // A barrier packet proves those before it.
    let barrier = Use { order: PacketOrder::HoldsBackLater, ..on(lane(0), Barrier::Clear) };
    let _of = ring.secure(HOST).expect("4 signals").bind(PacketId::new(1), barrier, None);
    assert!(ring.may_prove_more());
    tell(&mut ring, of(1), 0).expect("a value of 0");
    assert!(!ring.may_prove_more());
    // A pin waits for a proof, and then a use may be proven by its waiter.
    let (produced, held) = submit_held(&mut ring, 2, on(lane(0), Barrier::Clear));
    ring.pin(of(3), Awaits::EachInOrder, Some(produced), held);
    assert!(ring.may_prove_more());
    let later = submit(&mut ring, 4, Barrier::Clear);
    let probe = ring.probe_use(later).expect("in flight");
    let Ok(Confirmed::Own(finished)) = ring.confirm(probe, SignalValue::DONE) else { panic!() };
    let _arm = ring.retire(finished, Harvest::NOT_WANTED);
    assert_eq!(ring.pinned(), 0);
    assert!(ring.may_prove_more(), "packet 3 waited for packet 2");
    let over = ring.next_finished().expect("packet 2");
    assert_eq!((over.of(), over.grounds()), (produced, Grounds::Awaited));
    let _arm = ring.retire(over, Harvest::NOT_WANTED);
    assert!(!ring.may_prove_more());
    // And so may what was left on another queue.
    ring.switch(marks[1].clone());
    assert!(ring.may_prove_more());
}

/// Before it is retired: a signal of this ring that only a pin held would be parked first.
#[test]
fn a_proof_takes_the_pins_that_it_covers_first() {
    for together in [false, true] {
        let mark = Arc::new(Watermark::new(lane(0)));
        let mut ring = ring_on(&mark, HOST, 4);
        let (produced, held) = submit_held(&mut ring, 0, on(lane(0), Barrier::Clear));
        ring.pin(of(1), Awaits::EachInOrder, Some(produced), held);
        prove(&mark, 2);
        let proven = ring.observe().expect("a hardware queue has a watermark");
        if together {
            let batch = ring.retire_together(proven, 64, |_arm| {});
            assert_eq!(batch, Batch { armed: 1, parked: 0 });
        } else {
            let over = ring.next_covered(proven).expect("packet 0");
            assert!(ring.retire(over, Harvest::NOT_WANTED).is_some(), "it is not parked");
        }
        assert_eq!((ring.pinned(), ring.parked(), ring.usable(HOST)), (0, 0, 4));
    }
}

/// Completions of a copy engine are in no order (S5).
#[test]
fn a_copy_that_is_over_frees_what_is_pinned_for_it_alone() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    let with = Use { engine: Engine::Copy, ..on(lane(ENGINE), Barrier::Clear) };
    let copies = [0, 1].map(|packet| {
        let waited_for = ring_on(&mark, HOST, 1).secure(HOST).expect("one is ready").lend();
        let of = ring.secure(HOST).expect("4 signals").bind(PacketId::new(packet), with, None);
        ring.pin(of, Awaits::EachInOrder, None, waited_for);
        of
    });
    assert_eq!(packets(&tell(&mut ring, copies[1], 0).expect("a value of 0")), [1]);
    assert_eq!((ring.pinned(), ring.in_flight()), (1, 1), "the older one still waits");
    assert_eq!(packets(&tell(&mut ring, copies[0], 0).expect("a value of 0")), [0]);
    assert_eq!(ring.pinned(), 0);
}

#[test]
fn what_somebody_else_saw_finished_is_found_among_the_recorded() {
    let marks = [0, 1].map(|queue| Arc::new(Watermark::new(lane(queue))));
    let mut ring = ring_on(&marks[0], HOST, 4);
    let mut records = Vec::new();
    for packet in 0..3 {
        let mut secured = ring.secure(HOST).expect("4 signals");
        let mut record = Record::vacant();
        let unfenced = Recorded { fence: IsFence::No, ..about(of(packet), &marks[0]) };
        record.renew(unfenced, secured.lend());
        records.push(Arc::new(record));
        let with = on(lane(0), Barrier::Clear);
        secured.bind(PacketId::new(packet), with, records.last().cloned());
    }
    assert!(ring.next_observed().is_none());
    assert_eq!(records[1].observed(SignalValue::DONE), Outcome::Finished);
    let over = ring.next_observed().expect("packet 1");
    assert_eq!((over.of(), over.grounds()), (of(1), Grounds::OwnValue));
    let _arm = ring.retire(over, Harvest::NOT_WANTED);
    assert!(ring.next_observed().is_none(), "one by one, and each once");
    // Also where the stream is no more.
    ring.switch(marks[1].clone());
    assert_eq!(records[2].observed(SignalValue::DONE), Outcome::Finished);
    assert_eq!(ring.next_observed().map(|over| over.of()), Some(of(2)));
}

#[test]
fn a_parked_signal_is_not_live_until_it_is_armed() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 3);
    assert!(ring.unpark().is_none());
    let (first, one) = submit_held(&mut ring, 0, on(lane(0), Barrier::Clear));
    let (second, two) = submit_held(&mut ring, 1, on(lane(0), Barrier::Clear));
    for of in [first, second] {
        tell(&mut ring, of, 0).expect("a value of 0");
    }
    assert_eq!((ring.parked(), ring.live(HOST), ring.usable(HOST)), (2, 1, 1));
    assert!(ring.unpark().is_none(), "it is held, and goes to the end of the line");
    drop(two);
    assert_eq!(ring.unpark().map(|arm| arm.signal()), Some(SignalHandle::new(2)));
    assert_eq!((ring.parked(), ring.live(HOST), ring.usable(HOST)), (1, 2, 2));
    drop(one);
    assert_eq!(ring.unpark().map(|arm| arm.signal()), Some(SignalHandle::new(1)));
    assert_eq!((ring.parked(), ring.live(HOST), ring.usable(HOST)), (0, 3, 3));
}

#[test]
fn a_signal_is_at_hand_once_it_was_in_front() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 8);
    assert!(ring.secure_at_hand(HOST).is_none(), "nothing is laid out yet");
    drop(ring.secure(HOST).expect("8 signals"));
    // Half of a ring of 8 at once.
    for packet in 0..4 {
        let secured = ring.secure_at_hand(HOST).expect("it is laid out");
        assert_eq!(secured.signal(), SignalHandle::new(packet + 1));
        assert_eq!((secured.memory(), secured.lane()), (HOST, lane(0)));
        let _of = secured.bind(PacketId::new(packet), on(lane(0), Barrier::Clear), None);
    }
    assert!(ring.secure_at_hand(HOST).is_none());
    assert_eq!(ring.usable(HOST), 4);
}

#[test]
#[should_panic(expected = "in the ring that named it")]
fn a_name_is_asked_about_in_its_own_ring() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let (mut one, mut other) = (ring_on(&mark, HOST, 1), ring_on(&mark, HOST, 1));
    let of = submit(&mut one, 0, Barrier::Clear);
    submit(&mut other, 0, Barrier::Clear);
    let named = one.reference(of).expect("in flight");
    let _named = other.look_up(named);
}

#[test]
fn a_ring_that_is_dropped_abandons_what_is_in_flight() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let reaper = Arc::new(Reaper::new());
    let mut ring = Ring::new(mark.clone(), RingLimits::with_size(2), reaper.clone());
    for raw in [1, 2] {
        ring.add(SignalHandle::new(raw), HOST, HOST);
    }
    let mut secured = ring.secure(HOST).expect("2 signals");
    let mut record = Record::vacant();
    record.renew(about(of(0), &mark), secured.lend());
    let record = Arc::new(record);
    secured.bind(PacketId::new(0), on(lane(0), Barrier::Clear), Some(record.clone()));
    drop(ring);
    assert_eq!(record.outcome(), Outcome::Failed(Failure::Abandoned));
    let mut destroyed = Vec::new();
    reaper.reap(|signal| destroyed.push(signal));
    assert_eq!(destroyed, [SignalHandle::new(2)], "the device may still write to the other one");
}
