//! Signals, without a packet or with one that only completes them.

use std::{
    ffi::c_void,
    sync::atomic::{AtomicI64, AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use ringfence_softgpu_programs::hsa::{
    Condition, Packet, Patience, Queue, Runtime, Signal, World,
    sys::hsa_amd_signal_attribute_t as attribute,
};

const MOMENT: Duration = Duration::from_millis(20);

/// Values, waits that time out, waits that another thread ends, and handlers.
pub(crate) fn signals() {
    let runtime = Runtime::start();
    let signal = Signal::new(&runtime, 5);
    assert_eq!(signal.value(), 5);
    signal.store(7);
    assert_eq!(signal.wait(Condition::Equal(7), MOMENT, Patience::Blocked), 7);
    // Only a signal that no thread sleeps on has an address for its value.
    let silent = Signal::with(&runtime, 5, attribute::HSA_AMD_SIGNAL_AMD_GPU_ONLY);
    let silent = silent.unwrap_or_else(|status| panic!("{}", runtime.describe(status)));
    assert_ne!(silent.value_address(), 0);

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
///
/// No more than three signals, and the value of the first alone is looked at: ROCr 6.4.3 keeps the values in an array of one,
/// which it writes beyond, up to what its allocator rounds up to (<https://github.com/ROCm/rocm-systems/pull/8564>).
pub(crate) fn wait_any() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 64);
    let check = |which: usize, seen: (usize, i64)| {
        assert_eq!(seen.0, which);
        assert!(which != 0 || seen.1 == 0, "the value {}", seen.1);
    };
    for index in 0..30 {
        let signals = Signal::armed(&runtime, 3);
        queue.submit(&Packet::and(&[]).completes(signals[index % 3].handle()));
        check(index % 3, Signal::first_finished(&signals));
    }
    let signals = Signal::armed(&runtime, 3);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(MOMENT);
            queue.submit(&Packet::and(&[]).completes(signals[1].handle()));
        });
        check(1, Signal::first_finished(&signals));
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
