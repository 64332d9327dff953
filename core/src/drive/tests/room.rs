//! What a full ring waits for, and what is created beyond its cap.

use super::*;

/// Signals in host memory for copies, and in device memory for what the queue does.
fn device_signals(size: u32) -> (Gpu, Policy) {
    let features = Features::all().difference(Features::DEVICE_SIGNALS_ON_COPIES);
    let policy = Policy { device_signals: DeviceSignals::On, ..small(size) };
    (Gpu::with(features), policy)
}
/// A copy that is over, and whose signal a packet behind it pins.
fn pinned_copy(stream: &mut Tracker<&Gpu, &Numbers>, gpu: &Gpu, engine: &Numbers) {
    let copy = stream.copy(engine, CopySubmission::new(&[()]), None).expect("there is room");
    stream.await_uses([Awaited::of(&copy).expect("it runs")], WaitBy::And).expect("there is room");
    let signal = copy.hold().expect("it runs").signal();
    drop(copy);
    gpu.set(signal, 0);
    for _ in 0..10 {
        look_only(stream);
    }
}

#[test]
fn a_search_waits_for_nothing_where_a_fence_would_have_to_wait() {
    let gpu = Gpu::with(Features::empty());
    let (here, there) = (Numbers::new(0), Numbers::new(1));
    let mut stream = open(&gpu, &here, small(2));
    let mut other = open(&gpu, &there, small(8));
    let awaited = other.submit_recorded(clear(), None).expect("there is room");
    for _ in 0..2 {
        let _runs = stream.submit(clear()).expect("there is room");
    }
    // A packet of this stream, without a signal of its own, waits for the other one's.
    let hold = awaited.hold().expect("it runs");
    let waits = stream.submit(clear().unsignaled()).expect("it takes none");
    stream.ring.pin(waits, Awaits::EachInOrder, None, hold);
    for _ in 0..20 {
        let found = stream.reclaim();
        assert!(found.is_ok_and(|found| found.in_flight == 2), "both run");
    }
    assert_eq!(gpu.waits.get(), 0);
}

#[test]
fn one_signal_beyond_the_cap_serves_all_fences() {
    let (gpu, policy) = device_signals(1);
    let (queue, engine) = (Numbers::new(0), Numbers::new(9));
    let mut stream = open(&gpu, &queue, policy);
    gpu.done_by_wait.set(true);
    for _ in 0..400 {
        pinned_copy(&mut stream, &gpu, &engine);
    }
    let live = stream.ring.live(SignalMemory::Device);
    assert!(live <= 2, "the cap is 1, and there are {live}");
}

#[test]
fn a_fence_in_flight_above_all_that_is_pinned_is_waited_for() {
    let (gpu, policy) = device_signals(1);
    let (queue, engine) = (Numbers::new(0), Numbers::new(9));
    let mut stream = open(&gpu, &queue, policy);
    for _ in 0..16 {
        pinned_copy(&mut stream, &gpu, &engine);
    }
    let _fence = stream.submit(Submission::kernel(())).expect("device memory has room");
    gpu.done_by_wait.set(true);
    let copy = stream.copy(&engine, CopySubmission::new(&[()]), None);
    assert!(copy.is_ok(), "the fence would have let go of all 16: {copy:?}");
}
