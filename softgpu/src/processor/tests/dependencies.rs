//! What barrier packets wait for.

use super::*;

/// Whether signal 0 is decremented by this packet where signals 1 to 5 have these values.
fn completes(packet: Wire, values: [i64; 5]) -> bool {
    let mut rig = Rig::new();
    (1..).zip(values).for_each(|(n, value)| rig.set(n, value));
    rig.submit(0, &[packet.completes(signal(0))]);
    rig.value(0) == 0
}
fn first(count: u64) -> Vec<Address> {
    (1..=count).map(signal).collect()
}

#[test]
fn and_waits_until_each_is_exactly_zero() {
    assert!(completes(Wire::all(&[]), [1; 5]));
    assert!(completes(Wire::all(&first(5)), [0; 5]));
    assert!(completes(Wire::all(&first(2)), [0, 0, 1, 1, 1]));
    for at in 0..5 {
        for value in [1, -1, i64::MIN] {
            let mut values = [0; 5];
            values[at] = value;
            assert!(!completes(Wire::all(&first(5)), values), "{values:?}");
        }
    }
}

#[test]
fn or_waits_until_one_is_exactly_zero() {
    assert!(completes(Wire::any(&[]), [1; 5]), "without signals it waits for nothing");
    assert!(!completes(Wire::any(&first(5)), [1, -1, 2, i64::MIN, i64::MAX]));
    for at in 0..5 {
        let mut values = [1; 5];
        values[at] = 0;
        assert!(completes(Wire::any(&first(5)), values), "{values:?}");
    }
    assert!(!completes(Wire::any(&first(4)), [1, 1, 1, 1, 0]));
}

#[test]
fn places_between_dependencies_may_be_empty() {
    let scattered = [Address::NULL, signal(1), Address::NULL, Address::NULL, signal(2)];
    assert!(!completes(Wire::all(&scattered), [0, 1, 0, 0, 0]));
    assert!(completes(Wire::all(&scattered), [0, 0, 1, 1, 1]));
    assert!(!completes(Wire::any(&scattered), [1, 1, 0, 0, 0]));
    assert!(completes(Wire::any(&scattered), [1, 0, 1, 1, 1]));
}

#[test]
fn barrier_value_compares_the_masked_value_as_signed_numbers() {
    const EQUAL: u32 = 0;
    const NOT_EQUAL: u32 = 1;
    const BELOW: u32 = 2;
    const AT_LEAST: u32 = 3;
    let holds = |value, mask, condition, reference| {
        completes(Wire::value(signal(1), mask, condition, reference), [value, 0, 0, 0, 0])
    };
    for value in [-7, -1, 0, 4, 5, 6, i64::MIN, i64::MAX] {
        assert_eq!(holds(value, -1, EQUAL, 5), value == 5, "{value} == 5");
        assert_eq!(holds(value, -1, NOT_EQUAL, 5), value != 5, "{value} != 5");
        assert_eq!(holds(value, -1, BELOW, 5), value < 5, "{value} < 5");
        assert_eq!(holds(value, -1, AT_LEAST, 5), value >= 5, "{value} >= 5");
    }
    assert!(holds(0x75, 0x0f, EQUAL, 5), "bits outside of the mask do not count");
    assert!(!holds(0x75, 0xff, EQUAL, 5));
    assert!(!holds(-1, i64::MAX, BELOW, 5), "without its sign, -1 is large");
}

#[test]
fn barrier_value_without_a_signal_waits_for_nothing() {
    assert!(completes(Wire::value(Address::NULL, -1, 0, 77), [1; 5]));
}

#[test]
fn the_hardware_own_commands_complete_at_once() {
    let mut commands = Wire::of_type(0);
    commands.0[2] = 1;
    assert!(completes(commands, [1; 5]));
}

/// Queue 0 holds a barrier packet, with completion signal 0, for signal 1, which a packet of queue 1 decrements.
fn reused(dependencies: Dependencies, waits: Wire) -> Rig {
    let mut rig = Rig::with(2, |settings| {
        settings.dependencies = dependencies;
        settings.kernel = span(1000, 1000);
    });
    rig.submit(0, &[waits.completes(signal(0))]);
    rig.submit(1, &[Wire::kernel().completes(signal(1))]);
    rig.now += ns(1000);
    assert_eq!(rig.step(1), Progress::Made);
    assert_eq!(rig.values(), [1, 0]);
    // The host arms it again before queue 0 looks.
    rig.set(1, 1);
    rig.settle();
    rig
}
#[test]
fn a_signal_that_is_armed_again_was_seen_where_dependencies_are_latched() {
    for waits in [
        Wire::all(&[signal(1)]),
        Wire::any(&[signal(2), signal(1)]),
        Wire::value(signal(1), -1, 2, 1),
    ] {
        assert_eq!(reused(Dependencies::Latched, waits).values(), [0, 1]);
    }
}
#[test]
fn a_signal_that_is_armed_again_is_missed_where_dependencies_are_polled() {
    for waits in [
        Wire::all(&[signal(1)]),
        Wire::any(&[signal(2), signal(1)]),
        Wire::value(signal(1), -1, 2, 1),
    ] {
        let mut rig = reused(Dependencies::Polled, waits);
        assert_eq!(rig.values(), [1, 1]);
        rig.set(1, 0);
        rig.settle();
        assert_eq!(rig.value(0), 0);
    }
}

#[test]
fn a_latched_and_sees_its_signals_one_after_another_and_a_polled_one_together() {
    for (dependencies, left) in [(Dependencies::Latched, 0), (Dependencies::Polled, 1)] {
        let mut rig = Rig::with(1, |settings| settings.dependencies = dependencies);
        rig.submit(0, &[Wire::all(&first(2)).completes(signal(0))]);
        for n in [1, 2] {
            rig.set(n, 0);
            rig.settle();
            rig.set(n, 1);
            rig.settle();
        }
        assert_eq!(rig.value(0), left, "{dependencies:?}");
    }
}

#[test]
fn a_packet_may_wait_for_one_of_its_own_queue() {
    let mut rig = Rig::with(1, |settings| settings.kernel = span(1000, 1000));
    let waits = Wire::all(&[signal(0)]).completes(signal(1));
    rig.submit(0, &[Wire::kernel().completes(signal(0)), waits]);
    rig.pass(999);
    assert_eq!(rig.values(), [1, 1]);
    rig.pass(1);
    assert_eq!(rig.completed(), [0, 1]);
}

#[test]
fn a_dependency_that_is_not_mapped_is_a_fault() {
    let mut rig = Rig::new();
    let nowhere = Address::new(0xbad_0000);
    rig.submit(0, &[Wire::all(&[nowhere]).completes(signal(0))]);
    assert_eq!(rig.reports, [Report::Fault(Fault { at: nowhere.plus(8), bytes: 8 })]);
    assert_eq!((rig.value(0), rig.step(0)), (1, Progress::Idle));
}
