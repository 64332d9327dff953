//! Loads and waits of events (S19), and of streams.

use ringfence::{
    backend::{Features, WaitHint, WaitOutcome},
    drive::Policy,
    error::Error,
    event::{Event, EventKind, EventOptions, EventStatus},
    id::DeviceId,
    placement::EventPlacement,
    wait::WaitPolicy,
};

use crate::mocks::*;

fn in_device_memory() -> Policy {
    Policy { events: EventPlacement::Device, ..on_device_signals() }
}
fn event() -> Event {
    Event::new(EventOptions::default())
}

#[test]
fn a_proven_event_is_not_loaded() {
    for policy in [Policy::default(), in_device_memory()] {
        let mut gpu = gpu(DISCRETE);
        creates(&mut gpu);
        gpu.expect_load().times(1).return_const(DONE); // of the fence that came later
        gpu.expect_arm().times(17).return_const(());
        gpu.expect_flush().return_const(());
        gpu.expect_wait().never();
        let queue = queue(0, 17);
        let mut stream = open(&gpu, &queue, policy);
        let mut event = event();
        event.record(&mut stream).unwrap();
        submit_kernels(&mut stream, 16);
        let _reclaimed = stream.probe().unwrap();
        for _ in 0..100 {
            assert_eq!(event.query(&&gpu), EventStatus::Finished);
            assert!(event.synchronize(&&gpu, &WaitPolicy::default()).unwrap().is_some());
        }
    }
}

#[test]
pub(crate) fn a_query_proves_what_came_before_and_the_next_costs_nothing() {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    gpu.expect_load().times(1).return_const(DONE);
    let queue = queue(0, 0);
    let mut stream = open(&gpu, &queue, Policy::default());
    let (mut earlier, mut later) = (event(), event());
    earlier.record(&mut stream).unwrap();
    later.record(&mut stream).unwrap();
    assert_eq!(later.query(&&gpu), EventStatus::Finished);
    assert_eq!(later.query(&&gpu), EventStatus::Finished);
    assert_eq!(earlier.query(&&gpu), EventStatus::Finished);
}

#[test]
fn each_query_of_a_pending_event_is_one_load() {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    gpu.expect_load().times(3).return_const(PENDING);
    gpu.expect_wait().never();
    let queue = queue(0, 1);
    let mut stream = open(&gpu, &queue, Policy::default());
    let mut event = event();
    event.record(&mut stream).unwrap();
    for _ in 0..3 {
        assert_eq!(event.query(&&gpu), EventStatus::Pending);
    }
}

#[test]
fn a_wait_on_a_device_signal_is_not_preceded_by_a_load() {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    gpu.expect_load().never();
    gpu.expect_wait().times(1).return_const(WaitOutcome::Reached(DONE));
    let queue = queue(0, 0);
    let mut stream = open(&gpu, &queue, in_device_memory());
    let mut event = event();
    event.record(&mut stream).unwrap();
    assert!(event.synchronize(&&gpu, &WaitPolicy::default()).unwrap().is_some());
}

#[test]
fn a_wait_on_a_host_signal_is_preceded_by_one_load() {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    gpu.expect_load().times(1).return_const(PENDING);
    gpu.expect_wait().times(1).return_const(WaitOutcome::Reached(DONE));
    let queue = queue(0, 0);
    let mut stream = open(&gpu, &queue, Policy::default());
    let mut event = event();
    event.record(&mut stream).unwrap();
    assert!(event.synchronize(&&gpu, &WaitPolicy::default()).unwrap().is_some());
}

#[test]
fn a_synchronize_that_need_not_block_is_one_load() {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    gpu.expect_load().times(1).return_const(DONE);
    gpu.expect_wait().never();
    let queue = queue(0, 0);
    let mut stream = open(&gpu, &queue, Policy::default());
    let mut event = event();
    event.record(&mut stream).unwrap();
    for _ in 0..2 {
        assert!(event.synchronize(&&gpu, &WaitPolicy::default()).unwrap().is_some());
    }
}

#[test]
fn a_blocking_wait_spins_for_its_window_and_then_sleeps() {
    let mut gpu = gpu(DISCRETE.with_features(DISCRETE.features.union(Features::INTERRUPTS)));
    creates(&mut gpu);
    gpu.expect_load().times(1).return_const(PENDING);
    let mut phases = mockall::Sequence::new();
    let policy = WaitPolicy::default();
    gpu.expect_wait()
        .withf(move |_, _, hint, limit| *hint == WaitHint::Active && *limit == policy.active_window)
        .times(1)
        .in_sequence(&mut phases)
        .return_const(WaitOutcome::TimedOut);
    gpu.expect_wait()
        .withf(|_, _, hint, _| *hint == WaitHint::Blocked)
        .times(1)
        .in_sequence(&mut phases)
        .return_const(WaitOutcome::Reached(DONE));
    let queue = queue(0, 0);
    let mut stream = open(&gpu, &queue, on_device_signals());
    let mut event =
        Event::new(EventOptions { kind: EventKind::Blocking, ..EventOptions::default() });
    event.record(&mut stream).unwrap();
    assert!(event.synchronize(&&gpu, &policy).unwrap().is_some());
}

#[test]
fn a_blocking_wait_that_ends_in_its_window_never_sleeps() {
    let mut gpu = gpu(DISCRETE.with_features(DISCRETE.features.union(Features::INTERRUPTS)));
    creates(&mut gpu);
    gpu.expect_load().times(1).return_const(PENDING);
    gpu.expect_wait()
        .withf(|_, _, hint, _| *hint == WaitHint::Active)
        .times(1)
        .return_const(WaitOutcome::Reached(DONE));
    let queue = queue(0, 0);
    let mut stream = open(&gpu, &queue, on_device_signals());
    let mut event =
        Event::new(EventOptions { kind: EventKind::Blocking, ..EventOptions::default() });
    event.record(&mut stream).unwrap();
    assert!(event.synchronize(&&gpu, &WaitPolicy::default()).unwrap().is_some());
}

#[test]
fn a_stream_that_is_proven_synchronizes_without_a_load_or_a_wait() {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    gpu.expect_load().times(1).return_const(DONE);
    gpu.expect_arm().return_const(());
    gpu.expect_wait().never();
    let queue = queue(0, 1);
    let mut stream = open(&gpu, &queue, Policy::default());
    let mut event = event();
    event.record(&mut stream).unwrap(); // with a system-scope release: nothing more is submitted
    let _reclaimed = stream.probe().unwrap();
    for _ in 0..3 {
        let _synced = stream.synchronize().unwrap();
    }
    assert_eq!(stream.counts().packets, 1);
}

/// Two devices, and an event of the first.
fn on_two_devices(ask: impl FnOnce(&Event, &MockGpu)) {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    let mut other = MockGpu::new();
    other.expect_id().return_const(DeviceId::new(1));
    let queue = queue(0, 0);
    let mut stream = open(&gpu, &queue, Policy::default());
    let mut event = Event::new(EventOptions::default());
    event.record(&mut stream).expect("the mock refuses nothing");
    ask(&event, &other);
}

#[test]
fn a_wait_with_another_device_is_an_error_that_names_both() {
    on_two_devices(|event, other| {
        let error = event.synchronize(&other, &WaitPolicy::default()).expect_err("another device");
        let (recorded_on, asked) = (DeviceId::new(0), DeviceId::new(1));
        assert!(
            matches!(error, Error::OtherDevice { recorded_on: on, asked: by, .. } if on == recorded_on && by == asked),
            "{error:?}"
        );
        assert!(error.to_string().contains("is of gpu0, and gpu1 was asked"), "{error}");
    });
}
#[test]
#[should_panic(expected = "is of gpu0, and gpu1 was asked")]
fn a_query_of_another_device_panics() {
    on_two_devices(|event, other| {
        let _status = event.query(&other);
    });
}
