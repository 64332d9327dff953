use std::{
    ffi::c_void,
    io,
    ptr::NonNull,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use ringfence::{
    backend::{HandlerToken, SignalMemory},
    error::{DriverError, HandlerRefused},
    id::{DeviceId, SignalHandle, SignalValue},
};
use ringfence_backend_shared::words::Pinned;

use super::{
    Listening, Table,
    handlers::{Tell, Thread, Watches, tell_all},
    signals::{Cell, Completions, Signal},
};

/// Memory of the test's own, for ever.
#[derive(Debug)]
struct Leaked;

impl Pinned for Leaked {
    fn pinned(&self, bytes: usize, _: DeviceId) -> Result<NonNull<c_void>, DriverError> {
        let words = vec![0_u64; bytes / 8].leak();
        Ok(NonNull::from(words).cast())
    }
}

const GPUS: [DeviceId; 2] = [DeviceId::new(0), DeviceId::new(1)];

/// Waits find the device lost; until then no value says that work is finished.
#[test]
fn signals_of_a_reset_device_are_the_hosts_alone() {
    let table = Table::new(Leaked);
    let [gone, stays] = GPUS.map(|gpu| table.create(SignalMemory::Host, gpu).expect("memory"));
    for _ in 0..3 {
        table.expect(gone).complete();
        table.expect(gone).arm(SignalValue::ARMED);
    }
    table.abandon(GPUS[0]);
    assert!(table.expect(gone).load() >= 1);
    assert!(table.address(gone).is_none() && table.address(stays).is_some());
    table.expect(gone).force();
    assert_eq!(table.expect(gone).load(), 0, "the host gave it up");
    table.destroy(gone);
    assert_ne!(table.create(SignalMemory::Host, GPUS[0]).expect("memory"), gone);
    assert_eq!(table.expect(stays).load(), 1);
}

/// An event of one driver's tracker, asked about at another driver, would be finished when a stranger's packet is.
#[test]
fn a_signal_of_another_table_is_none() {
    let tables = [(); 3].map(|()| Table::new(Leaked));
    let made = tables.each_ref().map(|table| {
        [(); 300].map(|()| table.create(SignalMemory::Host, GPUS[0]).expect("memory")) // several slabs
    });
    for (at, table) in tables.iter().enumerate() {
        for (of, signals) in made.iter().enumerate() {
            assert!(signals.iter().all(|&signal| table.find(signal).is_some() == (at == of)));
        }
    }
    let [theirs, mine] = [made[0][0], made[1][0]];
    tables[0].expect(theirs).complete();
    assert_eq!((tables[0].expect(theirs).load(), tables[1].expect(mine).load()), (0, 1));
    tables[1].destroy(theirs); // nobody's, here
    assert!(tables[1].find(mine).is_some() && tables[0].find(theirs).is_some());
    assert!(tables[0].find(SignalHandle::NULL).is_none());
}

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

fn token(number: u64) -> HandlerToken {
    HandlerToken::new(number)
}

#[test]
fn nobody_relies_on_a_thread_that_cannot_be_had() {
    let (watches, signal) = (Watches::default(), SignalHandle::new(1));
    let refused = watches.add(signal, token(1), || panic!("nobody would be told"));
    assert_eq!(refused, Err(HandlerRefused::NoInterrupt));
    assert_eq!(watches.listen(Arc::new(|_, _| ())), Listening::Begins);
    let refused = watches.add(signal, token(2), || {
        assert!(watches.is_locked(), "another watch would count on this thread");
        Err(io::ErrorKind::OutOfMemory.into())
    });
    assert_eq!(refused, Err(HandlerRefused::NoInterrupt));
    assert!(watches.lock().pending.is_empty() && watches.lock().thread == Thread::None);
    let mut begun = 0;
    for number in [3, 4] {
        let begin = || {
            begun += 1;
            Ok(())
        };
        assert_eq!(watches.add(signal, token(number), begin), Ok(()));
    }
    assert_eq!((begun, watches.lock().pending.len()), (1, 2));
}

#[test]
fn a_listener_that_panics_is_told_the_rest() {
    let told = AtomicU64::new(0);
    tell_all(&[token(1), token(10), token(100)], |token| {
        told.fetch_add(token.as_u64(), Ordering::Relaxed);
        assert_ne!(token.as_u64(), 1, "on purpose");
    });
    assert_eq!(told.load(Ordering::Relaxed), 111);
}

#[test]
fn who_is_told_stays_the_one() {
    let watches = Watches::default();
    assert!(watches.listener().is_none());
    let first: Arc<Tell> = Arc::new(|_, _| ());
    assert_eq!(watches.listen(first.clone()), Listening::Begins);
    assert_eq!(watches.listen(Arc::new(|_, _| ())), Listening::Refused);
    assert!(watches.listener().is_some_and(|told| Arc::ptr_eq(&told, &first)));
}

/// Its number never rises again: who waits for it would wait for ever.
#[test]
fn a_watched_signal_is_over_once_its_device_was_reset() {
    let (table, watches) = (Table::new(Leaked), Watches::default());
    let signals = GPUS.map(|gpu| table.create(SignalMemory::Interrupt, gpu).expect("memory"));
    assert_eq!(watches.listen(Arc::new(|_, _| ())), Listening::Begins);
    for (number, signal) in (0..).zip(signals) {
        assert_eq!(watches.add(signal, token(number), || Ok(())), Ok(()));
    }
    let over = || watches.take(|signal| table.is_over(signal));
    assert_eq!(over(), []);
    table.abandon(GPUS[0]);
    assert_eq!(signals.map(|signal| table.is_abandoned(signal)), [true, false]);
    assert_eq!(over(), [token(0)]);
    table.expect(signals[1]).complete();
    assert_eq!(over(), [token(1)]);
    table.destroy(signals[1]);
    assert!(table.is_over(signals[1]) && !table.is_abandoned(signals[1]));
}
