use std::sync::atomic::{AtomicU64, Ordering};

use ringfence::id::SignalValue;

use super::signals::{Cell, Completions, Signal};

/// A signal whose word the test writes as a stream would.
fn with<R>(test: impl FnOnce(Signal<'_>, &AtomicU64) -> R) -> R {
    let (cell, word) = (Cell::default(), AtomicU64::new(0));
    test(Signal::of(&cell, &word), &word)
}

fn completes(signal: Signal<'_>, word: &AtomicU64) {
    let Completions(number) = signal.next_completion();
    word.store(number, Ordering::Release);
}

#[test]
fn each_completion_takes_one_off() {
    with(|signal, word| {
        for armed in [1, 3, 1, 2] {
            signal.arm(SignalValue::new(armed));
            for left in (0..armed).rev() {
                completes(signal, word);
                assert_eq!(signal.load(), left);
            }
        }
        completes(signal, word);
        assert_eq!(signal.load(), -1, "one too many is seen");
    });
}

#[test]
fn a_waiter_waits_for_a_number_of_its_own_use() {
    with(|signal, word| {
        signal.arm(SignalValue::ARMED);
        let first = signal.falls_below(1);
        completes(signal, word);
        signal.arm(SignalValue::ARMED);
        let second = signal.falls_below(1);
        // The first waiter passes whenever it looks, and the second does not yet.
        let now = word.load(Ordering::Acquire);
        assert!(now >= first.0 && now < second.0);
        completes(signal, word);
        assert!(word.load(Ordering::Acquire) >= second.0);
    });
}

#[test]
fn a_forced_signal_falls_below_0_when_its_packet_completes() {
    with(|signal, word| {
        signal.arm(SignalValue::ARMED);
        let Completions(late) = signal.next_completion();
        signal.force();
        assert_eq!(signal.load(), 0);
        word.store(late, Ordering::Release);
        assert_eq!(signal.load(), -1);
    });
}

#[test]
fn the_host_completes_as_a_packet_would() {
    with(|signal, word| {
        signal.arm(SignalValue::new(2));
        let waited = signal.falls_below(1);
        signal.complete();
        assert_eq!(signal.load(), 0);
        assert!(word.load(Ordering::Acquire) >= waited.0);
        signal.arm(SignalValue::ARMED);
        completes(signal, word);
        assert_eq!(signal.load(), 0);
    });
}

#[test]
fn any_value_can_be_armed() {
    with(|signal, word| {
        for value in [i64::MAX, 1 << 40, i64::from(u32::MAX), 0, -1, i64::MIN + 9] {
            signal.arm(SignalValue::new(value));
            assert_eq!(signal.load(), value);
            completes(signal, word);
            assert_eq!(signal.load(), value - 1);
        }
    });
}

/// A value and the count that belongs to it are never taken from two armings.
#[test]
fn a_look_beside_an_arming_finds_one_or_the_other() {
    const ARMINGS: u64 = 2_000_000;
    let (cell, word) = (Cell::default(), AtomicU64::new(0));
    let signal = Signal::of(&cell, &word);
    std::thread::scope(|scope| {
        let looks = scope.spawn(|| {
            while word.load(Ordering::Acquire) < ARMINGS {
                let value = signal.load();
                assert!([0, -1, 1_000, 999].contains(&value), "{value}");
            }
        });
        for number in 1..=ARMINGS {
            word.store(number, Ordering::Release);
            signal.arm(SignalValue::new(if number % 2 == 0 { 0 } else { 1_000 }));
        }
        looks.join().expect("each value is one that was there");
    });
}

#[test]
fn numbers_go_on_past_what_the_host_keeps_of_them() {
    let (cell, word) = (Cell::default(), AtomicU64::new((1 << 48) - 1));
    let signal = Signal::of(&cell, &word);
    signal.arm(SignalValue::ARMED);
    assert_eq!(signal.falls_below(1), Completions(1 << 48));
    completes(signal, &word);
    assert_eq!(signal.load(), 0);
    signal.arm(SignalValue::ARMED);
    assert_eq!(signal.load(), 1);
}
