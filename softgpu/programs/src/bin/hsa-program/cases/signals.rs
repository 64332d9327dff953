//! Signals, without a packet or with one that only completes them.

use std::{
    ffi::c_void,
    sync::atomic::{AtomicI64, AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use ringfence_softgpu_programs::hsa::{Condition, Packet, Patience, Queue, Runtime, Signal, World};

const MOMENT: Duration = Duration::from_millis(20);

/// Values, waits that time out, waits that another thread ends, and handlers.
pub(crate) fn signals() {
    let runtime = Runtime::start();
    let signal = Signal::new(&runtime, 5);
    assert_eq!(signal.value(), 5);
    signal.store(7);
    assert_eq!(signal.wait(Condition::Equal(7), MOMENT, Patience::Blocked), 7);
    assert_ne!(signal.value_address(), 0);

    for patience in [Patience::Blocked, Patience::Active] {
        let begun = Instant::now();
        assert_eq!(
            signal.wait(Condition::Below(1), MOMENT, patience),
            7,
            "timed out: {patience:?}"
        );
        let waited = begun.elapsed();
        println!("{patience:?} wait of {MOMENT:?} timed out after {waited:?}");
        assert!(waited >= MOMENT - MOMENT / 10, "too early");
    }
    for patience in [Patience::Blocked, Patience::Active] {
        signal.store(1);
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(MOMENT);
                signal.store(0);
            });
            let seen = signal.wait(Condition::Below(1), Duration::from_secs(10), patience);
            assert_eq!(seen, 0, "{patience:?}");
        });
    }

    extern "C" fn remember(value: i64, seen: *mut c_void) -> bool {
        // SAFETY: the atomic outlives the handler, which is called once.
        unsafe { &*seen.cast::<AtomicI64>() }.store(value, Ordering::Release);
        false
    }
    static SEEN: AtomicI64 = AtomicI64::new(i64::MIN);
    // SAFETY: the handler's data is static.
    unsafe { signal.on(Condition::Equal(3), remember, (&raw const SEEN).cast_mut().cast()) };
    signal.store(2);
    thread::sleep(MOMENT);
    assert_eq!(SEEN.load(Ordering::Acquire), i64::MIN, "called for another value");
    signal.store(3);
    until("the handler", || SEEN.load(Ordering::Acquire) == 3);
}

/// 1,000 handlers are each called once, each after its signal.
pub(crate) fn handlers() {
    extern "C" fn count(value: i64, called: *mut c_void) -> bool {
        assert_eq!(value, 0, "the value that a handler is called with");
        // SAFETY: the atomics are static.
        unsafe { &*called.cast::<AtomicU32>() }.fetch_add(1, Ordering::AcqRel);
        false
    }
    const COUNT: usize = 1_000;
    static CALLED: [AtomicU32; COUNT] = [const { AtomicU32::new(0) }; COUNT];
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 256);
    let signals = Signal::armed(&runtime, COUNT);
    for (signal, called) in signals.iter().zip(&CALLED) {
        let data = std::ptr::from_ref(called).cast_mut().cast();
        // SAFETY: the handler's data is static.
        unsafe { signal.on(Condition::Below(1), count, data) };
    }
    let begun = Instant::now();
    for signal in &signals {
        queue.submit(&Packet::and(&[]).completes(signal.handle()));
    }
    until("all handlers", || CALLED.iter().all(|called| called.load(Ordering::Acquire) > 0));
    println!("{COUNT} handlers in {:?}", begun.elapsed());
    thread::sleep(MOMENT);
    assert!(CALLED.iter().all(|called| called.load(Ordering::Acquire) == 1), "one called twice");
}

/// A wait for any of several returns the one that is complete.
pub(crate) fn wait_any() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 64);
    for index in 0..20 {
        let signals = Signal::armed(&runtime, 4);
        queue.submit(&Packet::and(&[]).completes(signals[index % 4].handle()));
        assert_eq!(Signal::first_finished(&signals), (index % 4, 0));
    }
    let signals = Signal::armed(&runtime, 3);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(MOMENT);
            queue.submit(&Packet::and(&[]).completes(signals[1].handle()));
        });
        assert_eq!(Signal::first_finished(&signals), (1, 0), "after a sleep");
    });
}

/// Polls for `done`, for at most 10 s.
#[track_caller]
pub(crate) fn until(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(10), "{what} did not come in 10 s");
        thread::sleep(Duration::from_micros(200));
    }
}
