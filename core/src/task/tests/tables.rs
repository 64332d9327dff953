//! One stream for each key, in the order of the task's work.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{created, high, normal, pool};
use crate::{
    backend::streams::CaptureStatus,
    drive::StreamPool,
    error::{DriverCode, DriverError, StreamError},
    id::{DeviceId, RawStream},
    stream::{
        Access, PoolOptions,
        test_driver::{DriverCall, TestDriver, TestWords},
    },
    task::TaskStreams,
};

#[test]
fn a_table_creates_nothing_before_its_first_use() {
    let (driver, pool) = pool(TestWords::On);
    let mut streams: TaskStreams = TaskStreams::new(normal());
    streams.switch(&pool, high()).expect("nothing captures");
    streams.with_key(&pool, normal(), |streams| streams.key()).expect("nothing captures");
    assert_eq!(streams.peek(normal()), None);
    assert_eq!(streams.peek(high()), None);
    assert!(driver.take_calls().is_empty());
    // Choosing before the first use makes the chosen stream alone; the first of two is the disposal stream.
    streams.lease(&pool).expect("a stream");
    let keys: Vec<_> = created(&driver).into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, [normal(), high()]);
    assert_eq!(pool.tally_of(normal()).live(), 0);
}

#[test]
fn switching_away_and_back_gives_the_same_stream() {
    let (_driver, pool) = pool(TestWords::On);
    let mut streams: TaskStreams = TaskStreams::new(normal());
    let first = streams.submit(&pool, "fill").expect("a stream").stream();
    assert_eq!(streams.switch(&pool, high()), Ok(normal()));
    let second = streams.submit(&pool, "urgent").expect("a stream").stream();
    assert_eq!(streams.switch(&pool, normal()), Ok(high()));
    let third = streams.submit(&pool, "read").expect("a stream").stream();
    assert_eq!(first, third);
    assert_ne!(first, second);
    assert_eq!(streams.peek(high()), Some(second));
    assert_eq!(streams.count(), 2);
}

/// The driver calls since the last time, without marks.
fn calls(driver: &TestDriver) -> Vec<DriverCall> {
    let mut calls = driver.take_calls();
    calls.retain(|call| !matches!(call, DriverCall::Mark(_)));
    calls
}
/// A table with a finished and known stream of each key, the normal one in use.
fn two_streams(
    driver: &TestDriver,
    pool: &StreamPool<TestDriver>,
) -> (TaskStreams, RawStream, RawStream) {
    let mut streams: TaskStreams = TaskStreams::new(high());
    let high_raw = streams.lease(pool).expect("a stream").slot().raw();
    streams.switch(pool, normal()).expect("nothing captures");
    let normal_raw = streams.lease(pool).expect("a stream").slot().raw();
    driver.take_calls();
    (streams, normal_raw, high_raw)
}

#[test]
fn later_work_follows_unfinished_work_of_the_stream_before() {
    for words in [TestWords::On, TestWords::Off] {
        let (driver, pool) = pool(words);
        let (mut streams, a, b) = two_streams(&driver, &pool);
        streams.submit(&pool, "fill").expect("it works");
        streams.switch(&pool, high()).expect("nothing captures");
        assert_eq!(calls(&driver), [DriverCall::Launch(a, "fill")], "a choice alone calls nobody");
        streams.submit(&pool, "urgent").expect("it works");
        let ordered = [DriverCall::Record(a), DriverCall::Wait(b), DriverCall::Launch(b, "urgent")];
        assert_eq!(calls(&driver), ordered);
        streams.submit(&pool, "more").expect("it works");
        assert_eq!(calls(&driver), [DriverCall::Launch(b, "more")], "once is enough");
    }
}

#[test]
fn finished_work_is_not_waited_for() {
    let (driver, pool) = pool(TestWords::On);
    let (mut streams, a, b) = two_streams(&driver, &pool);
    streams.submit(&pool, "fill").expect("it works");
    driver.finish();
    streams.switch(&pool, high()).expect("nothing captures");
    streams.submit(&pool, "urgent").expect("it works");
    assert_eq!(calls(&driver), [DriverCall::Launch(a, "fill"), DriverCall::Launch(b, "urgent")]);
}

#[test]
fn a_stream_that_was_passed_through_unused_breaks_no_order() {
    let (driver, pool) = pool(TestWords::On);
    let (mut streams, a, b) = two_streams(&driver, &pool);
    let third = high().with_priority(crate::id::Priority::Low);
    streams.submit(&pool, "fill").expect("it works");
    streams.switch(&pool, third).expect("nothing captures"); // never used
    streams.switch(&pool, high()).expect("nothing captures");
    streams.submit(&pool, "urgent").expect("it works");
    let expected = [
        DriverCall::Launch(a, "fill"),
        DriverCall::Record(a),
        DriverCall::Wait(b),
        DriverCall::Launch(b, "urgent"),
    ];
    assert_eq!(calls(&driver), expected);
    assert_eq!(streams.peek(third), None);
}

#[test]
fn a_stream_that_was_given_back_is_still_followed() {
    let (driver, pool) = pool(TestWords::On);
    let mut streams: TaskStreams = TaskStreams::new(normal());
    let first = streams.submit(&pool, "fill").expect("a stream");
    let a = streams.lease(&pool).expect("there").slot().raw();
    streams.release(normal());
    assert_eq!((streams.count(), pool.tally().draining), (0, 1));
    driver.take_calls();
    let second = streams.submit(&pool, "read").expect("a stream");
    assert_ne!(first.stream(), second.stream(), "its work is unfinished");
    let calls = calls(&driver);
    assert_eq!(calls[1], DriverCall::Record(a), "{calls:?}");
    assert!(matches!(calls[2], DriverCall::Wait(_)), "{calls:?}");
}

#[test]
fn work_by_the_raw_handle_is_followed_too() {
    let (driver, pool) = pool(TestWords::On);
    let (mut streams, a, b) = two_streams(&driver, &pool);
    let raw = pool.expose(streams.lease(&pool).expect("there"));
    assert_eq!(raw, a);
    streams.switch(&pool, high()).expect("it does not capture");
    streams.submit(&pool, "urgent").expect("it works");
    let expected = [DriverCall::Record(a), DriverCall::Wait(b), DriverCall::Launch(b, "urgent")];
    assert_eq!(calls(&driver), expected);
}

#[test]
fn a_switch_away_from_a_capture_is_refused() {
    let (driver, pool) = pool(TestWords::On);
    let mut streams: TaskStreams = TaskStreams::new(normal());
    let stream = streams.lease(&pool).expect("a stream").stream();
    let raw = pool.expose(streams.lease(&pool).expect("there"));
    driver.set_capture(raw, CaptureStatus::Active); // past the pool
    let refused = Err(StreamError::Capturing { stream });
    assert_eq!(streams.switch(&pool, high()), refused);
    assert_eq!(streams.with_key(&pool, high(), |_| unreachable!("it captures")), refused);
    assert_eq!(streams.key(), normal());
    driver.set_capture(raw, CaptureStatus::None);
    assert_eq!(streams.switch(&pool, high()), Ok(normal()));
}

#[test]
fn a_scope_restores_the_key_also_when_it_unwinds() {
    let (_driver, pool) = pool(TestWords::On);
    let mut streams: TaskStreams = TaskStreams::new(normal());
    let inside = streams.with_priority(&pool, crate::id::Priority::High, |streams| streams.key());
    assert_eq!(inside, Ok(high()));
    assert_eq!(streams.key(), normal());
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        streams.with_key(&pool, high(), |streams| {
            streams.submit(&pool, "urgent").expect("a stream");
            panic!("planned")
        })
    }));
    assert!(unwound.is_err());
    assert_eq!(streams.key(), normal());
    assert!(streams.peek(high()).is_some(), "the stream stays the task's");
}

#[test]
fn a_dropped_table_gives_back_everything_and_calls_no_driver() {
    let (driver, pool) = pool(TestWords::On);
    let (mut streams, ..) = two_streams(&driver, &pool);
    streams.submit(&pool, "fill").expect("it works");
    driver.take_calls();
    let looks = driver.looks();
    drop(streams);
    assert!(driver.take_calls().is_empty());
    assert_eq!(driver.looks(), looks);
    assert_eq!((pool.tally().leased, pool.tally().draining), (0, 2));
}

#[test]
fn a_second_lease_of_a_key_is_refused() {
    let (_driver, pool) = pool(TestWords::On);
    let mut streams: TaskStreams = TaskStreams::new(normal());
    streams.keep(pool.acquire(normal()).expect("a stream")).expect("the first of its key");
    let kept = streams.peek(normal());
    let other = pool.acquire(normal()).expect("a stream");
    let refused = streams.keep(other).expect_err("T3");
    assert_ne!(Some(refused.stream()), kept);
    assert_eq!(streams.peek(normal()), kept);
}

#[test]
fn a_stream_of_a_reset_device_is_replaced() {
    let (_driver, pool) = pool(TestWords::On);
    let mut streams: TaskStreams = TaskStreams::new(normal());
    let first = streams.submit(&pool, "fill").expect("a stream").stream();
    pool.device_reset(DeviceId::new(0));
    let second = streams.submit(&pool, "fill").expect("another stream").stream();
    assert_ne!(first.id(), second.id());
    assert_eq!(streams.count(), 1);
}

#[test]
fn a_failed_creation_leaves_the_table_usable() {
    let (driver, pool) = pool(TestWords::On);
    let mut streams: TaskStreams = TaskStreams::new(normal());
    streams.lease(&pool).expect("a stream");
    streams.switch(&pool, high()).expect("nothing captures");
    let cause = DriverError::OutOfMemory(DriverCode::new(2));
    driver.fail_next_create(cause);
    let failed = streams.lease(&pool).map(|lease| lease.stream());
    assert_eq!(failed, Err(StreamError::Create { key: high(), cause }));
    assert!(streams.lease(&pool).is_ok());
}

#[test]
fn so_far_covers_the_work_on_every_stream() {
    let (driver, pool) = pool(TestWords::On);
    let (mut streams, ..) = two_streams(&driver, &pool);
    assert!(streams.so_far().is_empty());
    let first = streams.submit(&pool, "fill").expect("it works");
    streams.switch(&pool, high()).expect("nothing captures");
    let second = streams.submit(&pool, "urgent").expect("it works");
    let touches: Vec<_> = streams.so_far().touches(Access::Write).collect();
    assert_eq!(touches.len(), 2);
    assert!(touches.contains(&first) && touches.contains(&second));
}

#[test]
fn a_table_is_of_one_pool() {
    let (driver, one) = pool(TestWords::On);
    let other = StreamPool::new(driver, PoolOptions::default());
    let mut streams: TaskStreams = TaskStreams::new(normal());
    let stream = streams.submit(&one, "fill").expect("a stream").stream();
    let refused = Err(StreamError::OtherPool { stream });
    assert_eq!(streams.submit(&other, "fill"), refused);
    streams.switch(&one, high()).expect("nothing captures");
    assert_eq!(streams.submit(&other, "fill"), refused, "also where it has no stream yet");
    assert!(streams.keep(other.acquire(high()).expect("a stream")).is_err());
    assert_eq!(streams.count(), 1);
}

#[cfg(feature = "planted")]
#[test]
fn a_switch_that_forgets_gives_another_stream_back() {
    use crate::plant::{Fault, with};
    let (_driver, pool) = pool(TestWords::On);
    let mut streams: TaskStreams = TaskStreams::new(normal());
    let first = streams.submit(&pool, "fill").expect("a stream").stream();
    with(Fault::SwitchForgets, || {
        streams.switch(&pool, high()).expect("nothing captures");
        streams.switch(&pool, normal()).expect("nothing captures");
    });
    let second = streams.submit(&pool, "read").expect("a stream").stream();
    assert_ne!(first, second, "the fault is there");
}
