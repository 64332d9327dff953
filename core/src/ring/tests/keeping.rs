//! Which signals are kept back, parked, grown or given up.

use super::*;

#[test]
fn a_forced_signal_waits_for_the_devices_own_decrement() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 2);
    let of = submit(&mut ring, 0, Barrier::Set);
    assert!(ring.force(of).is_some());
    let suspect = ring.next_suspect().expect("quarantined");
    assert!(
        matches!(ring.release(suspect, SignalValue::DONE), Released::NotYet),
        "that 0 is the host's own"
    );
    let suspect = ring.next_suspect().expect("still");
    assert!(matches!(ring.release(suspect, SignalValue::new(-1)), Released::Arm(_)));
    assert_eq!((ring.quarantined(), ring.usable(HOST)), (0, 2));
}

#[test]
fn a_copy_that_failed_half_way_waits_for_the_parts_that_were_issued() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 2);
    let secured = ring.secure(HOST).unwrap();
    let with = Use { engine: Engine::Copy, ..on(lane(100), Barrier::Clear) };
    let copy = secured.bind(PacketId::new(0), with, None);
    let parts = Parts::new(3.try_into().unwrap());
    let Some(RolledBack::Waiting(suspect)) = ring.part_failed(copy, 2, parts) else { panic!() };
    assert!(
        matches!(ring.release(suspect, SignalValue::new(2)), Released::NotYet),
        "one of two arrived"
    );
    let suspect = ring.next_suspect().expect("quarantined");
    assert!(matches!(ring.release(suspect, SignalValue::new(1)), Released::Arm(_)), "both did");
    // Refused at once: nothing will decrement it.
    let secured = ring.secure(HOST).unwrap();
    let copy = secured.bind(PacketId::new(1), with, None);
    assert!(matches!(ring.part_failed(copy, 0, parts), Some(RolledBack::Never(_))));
}

#[test]
fn it_grows_to_its_cap_before_it_waits_and_parked_signals_do_not_count() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let limits = RingLimits { size: 2, cap: 4, batch: 2, interrupt_spares: 0 };
    let mut ring = Ring::new(mark.clone(), limits, Arc::new(Reaper::new()));
    let mut next = 0;
    let mut holders = Vec::new();
    let mut grow = |ring: &mut Ring, count: u32| {
        for _ in 0..count {
            next += 1;
            ring.add(SignalHandle::new(next), HOST, HOST);
        }
    };
    let Err(Shortage::Grow { count: 2, .. }) = ring.secure(HOST) else { panic!() };
    grow(&mut ring, 2);
    let mut uses = Vec::new();
    for packet in 0..2 {
        let mut secured = ring.secure(HOST).unwrap();
        holders.push(secured.lend());
        uses.push(secured.bind(PacketId::new(packet), on(lane(0), Barrier::Set), None));
    }
    tell(&mut ring, uses[1], 0).unwrap();
    assert_eq!((ring.parked(), ring.live(HOST)), (2, 0));
    for packet in 2..6 {
        while let Err(Shortage::Grow { count, .. }) = ring.secure(HOST).map(drop) {
            grow(&mut ring, count);
        }
        submit(&mut ring, packet, Barrier::Set);
    }
    let Err(Shortage::WaitFor(probe)) = ring.secure(HOST) else { panic!("at the cap") };
    assert_eq!(probe.of().packet(), PacketId::new(2), "the oldest");
    holders.clear();
    assert!(ring.unpark().is_some(), "the last holder let go");
}

#[test]
fn holders_that_are_never_dropped_end_in_exhaustion() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let limits = RingLimits { size: 1, cap: 1, batch: 1, interrupt_spares: 0 };
    let mut ring = Ring::new(mark, limits, Arc::new(Reaper::new()));
    let mut leaked = Vec::new();
    for packet in 0..16 {
        assert!(matches!(ring.secure(HOST), Err(Shortage::Grow { .. })));
        ring.add(SignalHandle::new(packet + 1), HOST, HOST);
        let mut secured = ring.secure(HOST).unwrap();
        leaked.push(secured.lend());
        let of = secured.bind(PacketId::new(packet), on(lane(0), Barrier::Set), None);
        tell(&mut ring, of, 0).unwrap();
    }
    assert!(matches!(ring.secure(HOST), Err(Shortage::Exhausted)));
}

#[test]
fn an_armed_signal_is_not_usable_before_the_flush() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, DEVICE, 1);
    let secured = ring.secure(DEVICE).unwrap();
    let of = secured.bind(PacketId::new(0), on(lane(0), Barrier::Set), None);
    tell(&mut ring, of, 0).unwrap();
    assert_eq!((ring.usable(DEVICE), ring.unflushed()), (0, 1));
    assert!(matches!(ring.secure(DEVICE), Err(Shortage::Flush)));
    ring.flushed();
    assert!(ring.secure(DEVICE).is_ok());
}

#[test]
fn a_dropped_secured_signal_changes_nothing() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 1);
    drop(ring.secure(HOST).unwrap());
    assert_eq!(ring.usable(HOST), 1);
}

#[test]
fn a_lost_device_fails_every_record_and_gives_up_its_signals() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let reaper = Arc::new(Reaper::new());
    let mut ring = Ring::new(mark.clone(), RingLimits::with_size(2), reaper.clone());
    ring.add(SignalHandle::new(1), HOST, HOST);
    ring.add(SignalHandle::new(2), HOST, HOST);
    let mut record = Record::vacant();
    let mut secured = ring.secure(HOST).unwrap();
    let of = UseId::new(lane(0), PacketId::new(0));
    record.renew(about(of, &mark), secured.lend());
    let record = Arc::new(record);
    secured.bind(of.packet(), on(lane(0), Barrier::Set), Some(record.clone()));
    assert_eq!(ring.lose(Failure::DeviceLost), 1);
    assert_eq!(record.outcome(), Outcome::Failed(Failure::DeviceLost));
    drop(ring);
    let mut destroyed = Vec::new();
    reaper.reap(|signal| destroyed.push(signal));
    assert_eq!(destroyed, [SignalHandle::new(2)], "the device may still write to the other one");
}

#[test]
fn the_first_outcome_stands() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 1);
    let of = UseId::new(lane(0), PacketId::new(0));
    let mut record = Record::vacant();
    record.renew(about(of, &mark), ring.secure(HOST).unwrap().lend());
    record.fail(Failure::Forced);
    assert_eq!(record.observed(SignalValue::DONE), Outcome::Failed(Failure::Forced));
    assert_eq!(mark.observe().below(), PacketId::FIRST, "a forced 0 proves nothing (S18)");
    assert!(record.hold().is_none());
}

#[test]
fn a_stale_name_is_over_and_is_never_taken_for_the_signals_next_use() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 1);
    let first = submit(&mut ring, 0, Barrier::Clear);
    let named = ring.reference(first).expect("in flight");
    assert!(matches!(ring.look_up(named), Named::InFlight(_)));
    tell(&mut ring, first, 0).unwrap();
    assert!(matches!(ring.look_up(named), Named::Over));
    let second = submit(&mut ring, 1, Barrier::Clear);
    assert!(matches!(ring.look_up(named), Named::Over), "the same signal, another use");
    let named = ring.reference(second).expect("in flight");
    assert!(ring.force(second).is_some());
    assert!(matches!(ring.look_up(named), Named::KeptBack(Failure::Forced)));
}

#[test]
fn a_digest_tells_states_apart_and_reads_only() {
    use std::hash::{DefaultHasher, Hasher};
    let digest = |ring: &Ring| {
        let mut state = DefaultHasher::new();
        ring.digest(&mut state);
        state.finish()
    };
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 2);
    let mut seen = vec![digest(&ring)];
    assert_eq!(seen[0], digest(&ring));
    let of = submit(&mut ring, 0, Barrier::Set);
    seen.push(digest(&ring));
    let probe = ring.newest_fence().expect("in flight");
    let _pending = ring.confirm(probe, SignalValue::ARMED).unwrap();
    seen.push(digest(&ring));
    tell(&mut ring, of, 0).unwrap();
    seen.push(digest(&ring));
    let distinct: std::collections::BTreeSet<u64> = seen.iter().copied().collect();
    assert_eq!(distinct.len(), seen.len(), "{seen:?}");
}
