//! Signals that only their own value brings back, and what they say of work that may still run.

use super::*;

const ENGINE: u32 = 100;

/// A copy in parts, on packet `packet` of the engine.
fn copy(ring: &mut Ring, packet: u64, parts: u32) -> (UseId, Parts) {
    let parts = Parts::new(parts.try_into().expect("not 0"));
    let with = Use { engine: Engine::Copy, parts, ..on(lane(ENGINE), Barrier::Clear) };
    let of = ring.secure(HOST).expect("one is ready").bind(PacketId::new(packet), with, None);
    (of, parts)
}
fn look(ring: &mut Ring, value: i64) -> Released {
    let suspect = ring.next_suspect().expect("one is kept back");
    ring.release(suspect, SignalValue::new(value))
}

#[test]
fn a_copy_is_over_when_each_part_that_was_issued_has_arrived() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 1);
    let (of, parts) = copy(&mut ring, 0, 5);
    let Some(RolledBack::Waiting(suspect)) = ring.part_failed(of, 2, parts) else { panic!() };
    assert_eq!((suspect.signal(), suspect.memory()), (SignalHandle::new(1), HOST));
    assert!(matches!(ring.release(suspect, SignalValue::new(4)), Released::NotYet));
    assert!(matches!(look(&mut ring, 3), Released::Arm(_)), "5 less the 2 that were issued");
    // A use of one part was never issued when it is refused.
    let (of, parts) = copy(&mut ring, 1, 1);
    assert!(matches!(ring.part_failed(of, 0, parts), Some(RolledBack::Never(_))));
    assert!(ring.part_failed(of, 0, parts).is_none(), "it is in flight no more");
}

#[test]
fn a_copy_in_parts_that_was_forced_is_given_up() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 2);
    let (of, _parts) = copy(&mut ring, 0, 2);
    assert_eq!(ring.force(of), Some(SignalHandle::new(1)));
    assert!(ring.next_suspect().is_none(), "nobody can tell how many parts the store covered");
    // One of a single part comes back.
    let (of, _parts) = copy(&mut ring, 1, 1);
    assert!(ring.force(of).is_some() && ring.next_suspect().is_some());
    assert!(ring.force(of).is_none(), "it was given up before");
}

#[test]
fn signals_that_are_kept_back_are_not_live() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    let uses = [0, 1].map(|packet| submit(&mut ring, packet, Barrier::Clear));
    assert_eq!((ring.live(HOST), ring.quarantined()), (4, 0));
    for of in uses {
        assert!(ring.force(of).is_some());
    }
    assert_eq!((ring.live(HOST), ring.quarantined()), (2, 2));
    // The one that is not over goes to the end of the line.
    let first = ring.next_suspect().expect("two are kept back").signal();
    assert!(matches!(look(&mut ring, 0), Released::NotYet));
    assert_ne!(ring.next_suspect().map(|suspect| suspect.signal()), Some(first));
    assert!(matches!(look(&mut ring, -1), Released::Arm(_)));
    assert_eq!((ring.live(HOST), ring.quarantined()), (3, 1));
    assert!(matches!(look(&mut ring, -1), Released::Arm(_)));
    assert_eq!((ring.live(HOST), ring.quarantined(), ring.usable(HOST)), (4, 0, 4));
}

#[test]
fn one_decrement_too_many_keeps_a_signal_back_for_ever() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 1);
    let of = submit(&mut ring, 0, Barrier::Clear);
    let named = ring.reference(of).expect("in flight");
    assert!(ring.force(of).is_some());
    assert!(matches!(ring.look_up(named), Named::KeptBack(Failure::Forced)));
    assert!(matches!(look(&mut ring, -2), Released::NotYet));
    assert!(ring.next_suspect().is_none(), "no value brings it back");
    assert!(matches!(ring.look_up(named), Named::KeptBack(Failure::OverDecremented)));
    assert_eq!((ring.live(HOST), ring.quarantined()), (0, 1));
}

/// A GPU waiter needs exactly 0, and the late decrement went below.
#[test]
fn a_signal_that_comes_back_is_restored_for_whoever_holds_it() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 1);
    let mut secured = ring.secure(HOST).expect("one is ready");
    let held = secured.lend();
    let of = secured.bind(PacketId::new(0), on(lane(0), Barrier::Clear), None);
    assert!(ring.force(of).is_some());
    let restored = look(&mut ring, -1);
    let expected = (held.signal(), HOST);
    assert!(matches!(restored, Released::Restore(signal, memory) if (signal, memory) == expected));
    assert_eq!((ring.parked(), ring.live(HOST)), (1, 0));
    drop(held);
    assert!(ring.unpark().is_some());
    assert_eq!((ring.parked(), ring.live(HOST), ring.usable(HOST)), (0, 1, 1));
}

#[test]
fn what_was_given_up_counts_against_a_wait_where_no_fence_waits_for_it() {
    let marks = [0, 1].map(|queue| Arc::new(Watermark::new(lane(queue))));
    let mut ring = ring_on(&marks[0], HOST, 4);
    let uses = [4, 6, 5].map(|packet| UseId::new(lane(0), PacketId::new(packet)));
    for packet in [4, 5, 6] {
        submit(&mut ring, packet, Barrier::Set);
    }
    assert!(ring.given_up_elsewhere().is_none() && ring.given_up_on(lane(0)).is_none());
    for of in uses {
        assert!(ring.force(of).is_some());
    }
    assert!(ring.given_up_elsewhere().is_none(), "a fence of its own queue waits for it");
    assert_eq!(ring.given_up_on(lane(0)), Some(uses[1]), "the newest one");
    assert!(ring.given_up_on(lane(1)).is_none());
    ring.switch(marks[1].clone());
    assert_eq!(ring.given_up_elsewhere(), Some((uses[0], Failure::Forced)));
    // And so do copies.
    let mut ring = ring_on(&marks[0], HOST, 1);
    let (of, _parts) = copy(&mut ring, 0, 3);
    assert!(ring.force(of).is_some());
    assert_eq!(ring.given_up_elsewhere(), Some((of, Failure::Forced)));
}

#[test]
fn what_is_kept_back_is_leaked_with_the_device_and_counted() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let reaper = Arc::new(Reaper::new());
    let mut ring = Ring::new(mark, RingLimits::with_size(3), reaper.clone());
    for raw in 1..=3 {
        ring.add(SignalHandle::new(raw), HOST, HOST);
    }
    let of = submit(&mut ring, 0, Barrier::Clear);
    submit(&mut ring, 1, Barrier::Clear);
    assert!(ring.force(of).is_some());
    assert_eq!(ring.lose(Failure::DeviceLost), 2, "one in flight, one kept back");
    assert_eq!((ring.in_flight(), ring.quarantined()), (0, 0));
    drop(ring);
    let mut destroyed = Vec::new();
    reaper.reap(|signal| destroyed.push(signal));
    assert_eq!(destroyed, [SignalHandle::new(3)], "the only one that the device cannot write to");
}

/// An audit loads what is about to be armed.
#[test]
fn an_audit_condemns_a_signal_that_is_not_at_0() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 2);
    let mut record = Record::vacant();
    let mut secured = ring.secure(HOST).expect("one is ready");
    let of = UseId::new(lane(0), PacketId::new(0));
    record.renew(about(of, &mark), secured.lend());
    let (record, signal) = (Arc::new(record), secured.signal());
    let with = Use { timing: Timing::Wanted, ..on(lane(0), Barrier::Clear) };
    secured.bind(of.packet(), with, Some(record.clone()));
    let probe = ring.probe_use(of).expect("in flight");
    let Ok(Confirmed::Own(finished)) = ring.confirm(probe, SignalValue::DONE) else { panic!() };
    assert_eq!((finished.signal(), finished.memory(), finished.of()), (signal, HOST, of));
    assert_eq!((finished.timing(), finished.engine()), (Timing::Wanted, Engine::Compute));
    assert!(finished.record().is_some_and(|its| Arc::ptr_eq(its, &record)));
    let error = ring.condemn(finished, SignalValue::new(7));
    let named = Error::OverDecrement { of, signal, value: SignalValue::new(7) };
    assert_eq!(error.to_string(), named.to_string());
    assert_eq!(record.outcome(), Outcome::Failed(Failure::OverDecremented));
    assert_eq!((ring.quarantined(), ring.live(HOST)), (1, 1));
    assert!(ring.next_suspect().is_none());
}

/// Two looks, and only then what they saw.
#[test]
fn a_value_is_judged_for_the_signal_that_it_was_loaded_from() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 2);
    let uses = [0, 1].map(|packet| submit(&mut ring, packet, Barrier::Clear));
    for of in uses {
        assert!(ring.force(of).is_some());
    }
    let suspects = [0, 1].map(|_| ring.next_suspect().expect("two are kept back"));
    let same = suspects[0].signal();
    assert!(suspects.iter().all(|suspect| suspect.signal() == same), "neither was judged yet");
    let [first, again] = suspects;
    assert!(matches!(ring.release(first, SignalValue::new(-1)), Released::Arm(_)));
    assert!(matches!(ring.release(again, SignalValue::new(-1)), Released::NotYet), "it is back");
    assert_eq!(ring.quarantined(), 1, "of the other one nothing was said");
}

/// The stream has left the queue: its watermark may never say so.
#[test]
fn a_fence_that_was_forced_frees_what_was_pinned_below_it_once_it_is_over() {
    let marks = [0, 1].map(|queue| Arc::new(Watermark::new(lane(queue))));
    let mut ring = ring_on(&marks[0], HOST, 4);
    let mut other = ring_on(&marks[0], HOST, 1);
    let waited_for = other.secure(HOST).expect("one is ready").lend();
    ring.pin(UseId::new(lane(0), PacketId::new(0)), Awaits::EachUnordered, None, waited_for);
    let fence = submit(&mut ring, 1, Barrier::Set);
    ring.switch(marks[1].clone());
    assert!(ring.force(fence).is_some());
    assert_eq!(ring.pinned(), 1);
    assert!(matches!(look(&mut ring, -1), Released::Arm(_)));
    assert_eq!(ring.pinned(), 0, "no packet below a fence that is over waits any more");
}

#[test]
fn what_a_later_fence_proves_is_over_whatever_its_signal_says() {
    let marks = [0, 1].map(|queue| Arc::new(Watermark::new(lane(queue))));
    let mut ring = ring_on(&marks[0], HOST, 4);
    let wrong = submit(&mut ring, 0, Barrier::Clear);
    let _error = tell(&mut ring, wrong, -1).expect_err("below 0");
    assert!(ring.is_given_up(wrong) && ring.given_up_on(lane(0)) == Some(wrong));
    let fence = submit(&mut ring, 1, Barrier::Set);
    ring.switch(marks[1].clone());
    assert_eq!(ring.given_up_elsewhere(), Some((wrong, Failure::OverDecremented)));
    tell(&mut ring, fence, 0).expect("a value of 0");
    assert!(ring.given_up_elsewhere().is_none() && !ring.is_given_up(wrong));
    ring.forget_idle_lanes();
    assert!(
        ring.given_up_elsewhere().is_none(),
        "nor when nothing is known of that queue any more"
    );
    assert_eq!(ring.quarantined(), 1, "its signal is kept back all the same (S7)");
}
