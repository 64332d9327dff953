//! Captures, and the streams that join them.

use super::*;
use crate::backend::streams::{CaptureStatus, StreamDriver};

/// What a loop of forks in one capture does: each lease is dropped before the capture ends.
#[test]
fn a_fork_whose_lease_is_dropped_inside_the_capture_is_handed_on_after_it() {
    let (driver, pool) = pool(TestWords::On);
    let [mut lease, mut fork] = [0, 1].map(|_| pool.acquire(key()).expect("a stream"));
    let (forked, mut array) = (fork.id(), Stamp::default());
    array.add(pool.submit(&mut fork, "before").expect("work"), Access::Write);
    let captured = pool.capture(&mut lease, CaptureMode::Relaxed, |scope| {
        scope.fork(&mut fork)?;
        scope.submit_on(&mut fork, "recorded")?;
        scope.join(&mut fork)?;
        drop(fork);
        pool.pump(); // a reaper does, on its own thread
        let other = pool.acquire(key())?;
        assert_ne!(other.id(), forked, "it records");
        Ok(other)
    });
    let mut other = captured.expect("a graph").value;
    let how = pool.order_after(&mut other, &array, Access::Write);
    assert_eq!(how, Ok(Ordered::OnDevice), "its earlier work is known");
    driver.finish();
    pool.pump();
    assert_eq!(pool.counts().condemned_captures, 0);
    assert_eq!(pool.acquire(key()).expect("a stream").id(), forked);
}
/// The handles are another stream's by now, perhaps one that a task has.
#[test]
fn a_capture_calls_no_driver_about_streams_that_went_with_a_reset() {
    let (driver, pool) = pool(TestWords::On);
    let [mut lease, mut fork] = [0, 1].map(|_| pool.acquire(key()).expect("a stream"));
    let stream = lease.stream();
    let captured = pool.capture(&mut lease, CaptureMode::Relaxed, |scope| {
        scope.fork(&mut fork)?;
        let participant = scope.participant();
        pool.device_reset(DeviceId::new(0));
        driver.take_calls();
        let stale = |how: Result<(), StreamError>| {
            assert!(matches!(how, Err(StreamError::Stale { .. })), "{how:?}");
        };
        stale(scope.submit("work"));
        stale(scope.submit_on(&mut fork, "work"));
        stale(participant.submit(&pool, "work"));
        stale(scope.join(&mut fork));
        drop(participant);
        assert_eq!(driver.take_calls(), []);
        Ok(())
    });
    assert!(matches!(captured, Err(StreamError::Stale { .. })), "{captured:?}");
    assert!(!pool.is_current(stream));
}
/// Whether the end of a capture was called can be seen of the stream: it captures no more.
#[test]
fn the_end_of_a_capture_is_not_called_after_a_reset() {
    let (driver, pool) = pool(TestWords::On);
    let mut lease = pool.acquire(key()).expect("a stream");
    let raw = pool.expose(&mut lease);
    let nothing = |_: &mut CaptureScope<'_, _, _>| {
        pool.device_reset(DeviceId::new(0));
        Ok(())
    };
    pool.capture(&mut lease, CaptureMode::Relaxed, nothing).expect_err("it went with its device");
    assert_eq!(driver.capture_status(raw), CaptureStatus::Active);
}
