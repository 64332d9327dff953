//! What the planted faults of the ring do: a fault that did nothing would let a check seem to have teeth.

use super::*;
use crate::plant::{Fault, with};

fn of(packet: u64) -> UseId {
    UseId::new(lane(0), PacketId::new(packet))
}
fn recorded(mark: &Arc<Watermark>) -> (Record, Ring) {
    let mut ring = ring_on(mark, HOST, 1);
    let mut record = Record::vacant();
    record.renew(about(of(0), mark), ring.secure(HOST).expect("one is ready").lend());
    (record, ring)
}
fn copy(ring: &mut Ring, packet: u64) -> UseId {
    let with = Use { engine: Engine::Copy, ..on(lane(100), Barrier::Clear) };
    ring.secure(HOST).expect("one is ready").bind(PacketId::new(packet), with, None)
}

#[test]
fn a_value_below_0_is_taken_for_completion() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 2);
    let one = submit(&mut ring, 0, Barrier::Clear);
    let fence = submit(&mut ring, 1, Barrier::Set);
    let (record, _ring) = recorded(&mark);
    with(Fault::IgnoreOverDecrement, || {
        assert_eq!(tell(&mut ring, one, -1).expect("no error"), [(one, Grounds::OwnValue)]);
        assert_eq!(tell(&mut ring, fence, -1).expect("no error"), [(fence, Grounds::Fence)]);
        assert_eq!(record.observed(SignalValue::new(-1)), Outcome::Finished);
    });
}

#[test]
fn what_is_lost_or_forced_is_taken_for_finished() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let pairs =
        [(Failure::DeviceLost, Fault::LostIsFinished), (Failure::Forced, Fault::ForcedIsFinished)];
    for (failure, fault) in pairs {
        let (record, _ring) = recorded(&mark);
        record.fail(failure);
        assert_eq!(record.outcome(), Outcome::Failed(failure));
        assert_eq!(with(fault, || record.outcome()), Outcome::Finished);
    }
    let mut ring = ring_on(&mark, HOST, 1);
    let forced = submit(&mut ring, 0, Barrier::Clear);
    with(Fault::ForcedIsFinished, || assert!(ring.force(forced).is_some()));
    assert_eq!((ring.quarantined(), ring.in_flight()), (0, 1), "it waits for its own 0");
}

#[test]
fn a_use_hides_behind_a_busy_older_one() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 2);
    let uses = [0, 1].map(|packet| submit(&mut ring, packet, Barrier::Clear));
    with(Fault::HideBehindOldest, || {
        assert!(tell(&mut ring, uses[1], 0).expect("no error").is_empty());
        assert_eq!(packets(&tell(&mut ring, uses[0], 0).expect("no error")), [0]);
        assert_eq!(packets(&tell(&mut ring, uses[1], 0).expect("no error")), [1]);
    });
}

#[test]
fn a_fence_proves_copies() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    let copies = [copy(&mut ring, 3), copy(&mut ring, 8)];
    with(Fault::FenceProvesCopy, || {
        assert!(ring.next_finished().is_none(), "no fence was seen");
        let fence = submit(&mut ring, 0, Barrier::Set);
        let retired = tell(&mut ring, fence, 0).expect("no error");
        assert_eq!(retired, [fence, copies[0], copies[1]].map(|of| (of, Grounds::Fence)));
    });
}

/// A use is left on `left`, and the fence of packet 5 is seen on `here`: is that use taken for proven?
fn proves(fault: Fault, left: LaneId, here: LaneId) -> bool {
    let mut ring = ring_on(&Arc::new(Watermark::new(left)), HOST, 3);
    let early = submit(&mut ring, 2, Barrier::Clear);
    let _late = submit(&mut ring, 7, Barrier::Clear);
    ring.switch(Arc::new(Watermark::new(here)));
    with(fault, || {
        let fence = submit(&mut ring, 5, Barrier::Set);
        let mut retired = tell(&mut ring, fence, 0).expect("no error");
        retired.retain(|&(of, _)| of != fence);
        assert!(retired.iter().all(|&(of, _)| of == early), "not packet 7: {retired:?}");
        !retired.is_empty()
    })
}

#[test]
fn a_fence_proves_another_queue_or_another_generation() {
    let (one, other) = (lane(0), lane(1));
    assert!(proves(Fault::AcrossQueues, one, other));
    assert!(!proves(Fault::AcrossGenerations, one, other));
    assert!(proves(Fault::AcrossGenerations, one, one.restarted()));
    assert!(!proves(Fault::FenceProvesCopy, one, other), "that is of copies");
    assert!(!proves(Fault::NoFlush, one, other) && !proves(Fault::NoFlush, one, one.restarted()));
}

#[test]
fn the_watermark_of_a_queue_speaks_of_others() {
    let proven = crate::proof::Proven::assertion(lane(0), PacketId::new(5));
    let covers = |fault, lane| with(fault, || proven.covers(UseId::new(lane, PacketId::FIRST)));
    assert!(covers(Fault::AcrossQueues, lane(1)) && covers(Fault::AcrossQueues, lane(0)));
    assert!(covers(Fault::AcrossGenerations, lane(0).restarted()));
    assert!(!covers(Fault::AcrossGenerations, lane(1)));
    assert!(!covers(Fault::NoFlush, lane(1)) && !covers(Fault::NoFlush, lane(0).restarted()));
    let mark = Watermark::new(lane(0));
    mark.trust(PacketId::new(3));
    assert_eq!(mark.observe().below(), PacketId::new(3), "the read index is taken for a proof");
}

#[test]
fn a_use_without_the_barrier_bit_is_taken_for_a_fence() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 2);
    with(Fault::FenceWithoutBarrierBit, || {
        submit(&mut ring, 0, Barrier::Clear);
        let second = submit(&mut ring, 1, Barrier::Clear);
        assert_eq!(packets(&tell(&mut ring, second, 0).expect("no error")), [0, 1]);
    });
}

#[test]
fn pins_and_holders_are_forgotten() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 2);
    let mut secured = ring.secure(HOST).expect("2 signals");
    let (pinned, held) = (secured.lend(), secured.lend());
    let produced = secured.bind(PacketId::new(0), on(lane(0), Barrier::Clear), None);
    ring.pin(of(4), Awaits::EachInOrder, Some(produced), pinned);
    assert_eq!(ring.wants(), Wants::Fence);
    assert_eq!(with(Fault::NeverAskForFence, || ring.wants()), Wants::Nothing);
    ring.release_pins_below(PacketId::new(4));
    assert_eq!(ring.pinned(), 1);
    ring.release_pins_below(PacketId::new(5));
    assert_eq!(ring.pinned(), 0, "the read index passed its packet");
    with(Fault::ArmWhileHeld, || {
        assert_eq!(packets(&tell(&mut ring, produced, 0).expect("no error")), [0]);
    });
    assert_eq!((ring.parked(), ring.usable(HOST)), (0, 2), "armed, and held");
    drop(held);
}

#[test]
fn a_ring_waits_before_it_grows() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 1);
    with(Fault::WaitBeforeGrow, || {
        let oldest = submit(&mut ring, 0, Barrier::Clear);
        let Err(Shortage::WaitFor(probe)) = ring.secure(HOST) else { panic!("it has room") };
        assert_eq!(probe.of(), oldest);
        let grows = matches!(ring.shortage(DEVICE), Shortage::Grow { .. });
        assert!(grows, "there is nothing to wait for");
    });
}

#[test]
fn a_copy_that_failed_half_way_is_reset_at_once() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 1);
    let of = copy(&mut ring, 0);
    let parts = Parts::new(3.try_into().expect("not 0"));
    with(Fault::ResetAfterPartFailure, || {
        assert!(matches!(ring.part_failed(of, 2, parts), Some(RolledBack::Never(_))));
    });
}

#[test]
fn a_stale_name_is_taken_for_the_signals_present_use() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 1);
    let first = submit(&mut ring, 0, Barrier::Clear);
    let named = ring.reference(first).expect("in flight");
    tell(&mut ring, first, 0).expect("no error");
    let second = submit(&mut ring, 1, Barrier::Clear);
    let Named::InFlight(probe) = with(Fault::StaleHandle, || ring.look_up(named)) else { panic!() };
    assert_eq!(probe.of(), second);
}

#[test]
fn a_record_is_written_in_place() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let (mut record, mut ring) = recorded(&mark);
    assert!(!record.is_overwritten());
    record.overwrite();
    assert!(record.is_overwritten());
    record.renew(about(of(1), &mark), ring.secure(HOST).expect("one is ready").lend());
    assert!(!record.is_overwritten());
}
