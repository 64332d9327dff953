//! Streams that several have: one submits while another ends the wrapping.

use super::*;

/// Two wrappings of one stream of the user's.
fn two(driver: &TestDriver, pool: &StreamPool<TestDriver>) -> [Lease; 2] {
    let raw = RawStream::new(0x9000);
    driver.users_stream(raw);
    [0, 1].map(|_| match pool.wrap_external(raw, key()) {
        Ok(Wrapped::External(lease)) => lease,
        other => panic!("a wrapping: {other:?}"),
    })
}

#[test]
fn work_beside_the_end_of_another_wrapping_is_never_taken_for_finished() {
    let (driver, pool) = pool(TestWords::On);
    let pool = Arc::new(pool);
    let [mut one, other] = two(&driver, &pool);
    let earlier = pool.submit(&mut one, "earlier").expect("work");
    let ends = pool.clone();
    driver.meanwhile(Refusable::Launch, move || {
        ends.unwrap_external(other).expect("no refusal");
    });
    let late = pool.submit(&mut one, "late");
    assert!(matches!(late, Err(StreamError::Stale { .. })), "{late:?}");
    let late = pool.so_far(&one);
    pool.pump(); // sees the event that was left
    assert!(pool.is_finished(earlier), "the event covers it");
    assert!(!pool.is_finished(late), "nothing was left that covers this");
    let mut waits = pool.when_finished(late);
    assert!(matches!(poll(&mut waits), Poll::Ready(Err(StreamError::Unknowable { .. }))));
    let mut uses = Stamp::default();
    uses.add(late, Access::Write);
    let memory = pool.adopt(RawMemory::new(0x99), Bytes::new(64), key());
    assert_eq!(pool.retire(memory, uses), Freed::Leaked, "it may use the memory");
}
#[test]
fn a_value_goes_to_no_work_of_a_wrapping_that_its_maker_ended() {
    let (driver, pool) = pool(TestWords::On);
    let [mut one, other] = two(&driver, &pool);
    let ends = |_: &mut u8| {
        pool.unwrap_external(other).expect("no refusal");
        "copy"
    };
    let copy = pool.submit_owning(&mut one, 7, ends);
    assert!(matches!(copy, Err(StreamError::Stale { .. })), "{copy:?}");
    let launched = |call: &DriverCall| matches!(call, DriverCall::Launch(..));
    assert!(!driver.take_calls().iter().any(launched), "the stream may be gone");
}
/// As a reset does in the middle of a launch: the work went with it.
#[test]
fn work_that_was_submitted_while_its_device_was_reset_is_over() {
    let (driver, pool) = pool(TestWords::On);
    let pool = Arc::new(pool);
    let mut lease = pool.acquire(key()).expect("a stream");
    let resets = pool.clone();
    driver.meanwhile(Refusable::Launch, move || resets.device_reset(DeviceId::new(0)));
    let stale = pool.submit(&mut lease, "work");
    assert!(matches!(stale, Err(StreamError::Stale { .. })), "{stale:?}");
    assert!(matches!(poll(&mut pool.when_finished(pool.so_far(&lease))), Poll::Ready(Ok(()))));
}
#[test]
fn an_event_in_use_during_a_reset_is_not_used_again() {
    let (driver, pool) = pool(TestWords::Off);
    let pool = Arc::new(pool);
    let work = || {
        let mut lease = pool.acquire(key()).expect("a stream");
        let mut array = Stamp::default();
        array.add(pool.submit(&mut lease, "work").expect("work"), Access::Write);
        let _waited = pool.synchronize(&array, Access::Write, std::time::Duration::ZERO);
    };
    let (resets, device) = (pool.clone(), driver.clone());
    driver.meanwhile(Refusable::Synchronize, move || {
        device.events_go();
        resets.device_reset(DeviceId::new(0));
    });
    work();
    work(); // the driver panics where a dead event is recorded
}
/// Whoever keeps a stream for itself keeps neither a word of the pool's nor what was attached.
#[test]
fn nothing_is_kept_for_a_stream_that_left_when_its_work_is_finished() {
    let driver = TestDriver::new(TestWords::On);
    let (options, policy) = (PoolOptions::default(), Box::new(crate::stream::LeasePolicy));
    let attached = Arc::new(());
    let (of_attach, raw) = (attached.clone(), RawStream::new(0x9000));
    let attach = move |_: RawStream| of_attach.clone();
    let pool = StreamPool::with_attachments(driver.clone(), options, policy, attach);
    drop(pool.reserve(key()).expect("a stream")); // with the pool's own
    pool.pump();
    let mut lease = pool.acquire(key()).expect("a stream");
    pool.submit(&mut lease, "work").expect("work");
    let closed = driver.words_closed();
    pool.disown(lease).expect("no refusal");
    let before = Arc::strong_count(&attached);
    pool.pump();
    pool.pump();
    assert_eq!(driver.words_closed() - closed, 1);
    assert_eq!(before - Arc::strong_count(&attached), 1);

    driver.users_stream(raw);
    driver.finish();
    let before = Arc::strong_count(&attached);
    let Ok(Wrapped::External(mut lease)) = pool.wrap_external(raw, key()) else {
        panic!("it is the user's")
    };
    let forgets = |scope: &mut CaptureScope<'_, _, _>| {
        std::mem::forget(scope.participant());
        Ok(())
    };
    let failed = pool.capture(&mut lease, CaptureMode::Relaxed, forgets);
    assert!(matches!(failed, Err(StreamError::Participants { .. })));
    drop((failed, lease));
    pool.pump();
    pool.pump();
    assert_eq!(Arc::strong_count(&attached) - before, 1, "but for the forgotten participant's");
}
