//! What a completion does, and in which order.

use super::*;

const PROPERTIES: u64 = 180;

fn profiled() -> Rig {
    let rig = Rig::with(1, |settings| settings.kernel = span(1000, 1000));
    rig.bus.memory.put(Rig::page(QUEUES, 0).plus(PROPERTIES), &8_u32.to_le_bytes());
    rig
}
fn stamps(rig: &Rig, n: u64) -> (u64, u64) {
    (rig.load(signal(n).plus(32)), rig.load(signal(n).plus(40)))
}

#[test]
fn timestamps_are_those_of_the_packet() {
    let mut rig = profiled();
    rig.now = ns(50_000);
    rig.submit(
        0,
        &[Wire::kernel().completes(signal(0)), Wire::kernel().barrier().completes(signal(1))],
    );
    rig.pass(1000);
    rig.pass(1000);
    assert_eq!(stamps(&rig, 0), (5000, 5100));
    assert_eq!(stamps(&rig, 1), (5100, 5200), "it started when the first was complete");
}

#[test]
fn a_packet_that_takes_no_time_ends_when_it_starts() {
    let mut rig = profiled();
    rig.now = ns(50_000);
    rig.submit(0, &[Wire::all(&[]).completes(signal(0))]);
    assert_eq!(stamps(&rig, 0), (5000, 5000));
}

#[test]
fn only_a_profiled_queue_writes_timestamps() {
    for properties in [0_u32, !8] {
        let mut rig = Rig::with(1, |settings| settings.kernel = span(1000, 1000));
        rig.bus.memory.put(Rig::page(QUEUES, 0).plus(PROPERTIES), &properties.to_le_bytes());
        rig.now = ns(50_000);
        rig.submit(0, &[Wire::kernel().completes(signal(0))]);
        rig.pass(1000);
        assert_eq!((stamps(&rig, 0), rig.value(0)), ((0, 0), 0));
    }
}

#[test]
fn everything_of_a_signal_is_used_before_its_decrement_and_the_mailbox_written_after() {
    let mut rig = profiled();
    rig.settings.read_index = crate::settings::ReadIndex::Late;
    rig.now = ns(50_000);
    rig.submit(0, &[Wire::kernel().completes(signal(3))]);
    rig.pass(1000);
    let decrement = rig.bus.position(Access::Add(signal(3).plus(8)));
    for before in [
        Access::Store(signal(3).plus(32), 5000),
        Access::Store(signal(3).plus(40), 5100),
        Access::Load(signal(3).plus(16)),
        Access::Load(signal(3).plus(24)),
        Access::Store(Rig::place(0).read_index, 1),
    ] {
        assert!(rig.bus.position(before) < decrement, "{before:?}");
    }
    assert!(decrement < rig.bus.position(Access::Store(mailbox(3), 4)));
    let accesses = rig.bus.accesses.borrow();
    let of_signal = |access: &Access| {
        let (Access::Load(at) | Access::Store(at, _) | Access::Add(at)) = *access;
        at.since(signal(3)).is_some_and(|offset| offset < 64)
    };
    assert!(!accesses[decrement + 1..].iter().any(of_signal), "its owner may use it again");
    assert_eq!(rig.reports, [Report::Interrupt(4)]);
}

#[test]
fn a_signal_without_a_mailbox_raises_nothing() {
    let mut rig = Rig::new();
    rig.store(signal(0).plus(16), 0);
    rig.submit(0, &[Wire::kernel().completes(signal(0))]);
    assert_eq!((rig.value(0), &rig.reports), (0, &Vec::new()));
}

#[test]
fn a_mailbox_that_is_gone_is_no_fault() {
    let mut rig = Rig::new();
    rig.store(signal(0).plus(16), 0xbad_0000);
    rig.submit(0, &[0, 1].map(|n| Wire::kernel().completes(signal(n))));
    assert_eq!((rig.values(), &rig.reports), ([0, 0], &vec![Report::Interrupt(2)]));
}

#[test]
fn a_packet_without_a_signal_completes_in_silence() {
    let mut rig = profiled();
    rig.submit(0, &[Wire::kernel(), Wire::kernel().barrier().completes(signal(0))]);
    rig.pass(1000);
    assert_eq!(rig.completed(), []);
    rig.pass(1000);
    assert_eq!((rig.completed(), &rig.reports), (vec![0], &vec![Report::Interrupt(1)]));
}

#[test]
fn signals_count_down_whatever_they_hold() {
    let mut rig = Rig::new();
    rig.set(0, 3);
    rig.set(1, 0);
    rig.set(2, i64::MIN);
    rig.submit(0, &[0, 0, 1, 2].map(|n| Wire::kernel().completes(signal(n))));
    assert_eq!(rig.values(), [1, -1, i64::MAX]);
}

#[test]
fn completions_lag_behind_what_they_wait_for() {
    let mut rig = Rig::with(1, |settings| settings.completion_lag = span(700, 700));
    rig.submit(0, &[Wire::all(&[signal(1)]).completes(signal(0))]);
    rig.pass(10_000);
    rig.set(1, 0);
    rig.settle();
    assert_eq!(rig.step(0), Progress::Waiting(Some(ns(10_700))));
    rig.pass(699);
    assert_eq!(rig.value(0), 1);
    // What was seen stays seen.
    rig.set(1, 1);
    rig.pass(1);
    assert_eq!(rig.value(0), 0);
}
