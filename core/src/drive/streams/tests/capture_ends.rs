//! Captures whose end the driver refuses.

use super::*;

const UNJOINED: DriverError = DriverError::CaptureFailed(DriverCode::new(904));

/// The driver refuses the end of what `record` captured, for this.
fn refused_end(
    cause: DriverError,
    record: impl FnOnce(
        &mut CaptureScope<'_, TestDriver>,
        &mut Lease,
        &mut Lease,
    ) -> Result<(), StreamError>,
) -> (StreamError, [StreamRef; 3]) {
    let (driver, pool) = pool(TestWords::On);
    let [mut lease, mut one, mut other] = [0, 1, 2].map(|_| pool.acquire(key()).expect("a stream"));
    let streams = [lease.stream(), one.stream(), other.stream()];
    let captured = pool.capture(&mut lease, CaptureMode::Relaxed, |scope| {
        let done = record(scope, &mut one, &mut other);
        driver.refuse_next(Refusable::EndCapture, cause);
        done
    });
    let refused = captured.expect_err("the driver refuses it");
    assert!(!pool.is_current(streams[0]), "its stream is closed");
    (refused, streams)
}

#[test]
fn the_closures_error_is_told_and_not_what_the_end_made_of_it() {
    let (told, [stream, ..]) = refused_end(UNJOINED, |scope, one, _| {
        scope.fork(one)?;
        Err(StreamError::Driver { stream: scope.stream, cause: BAD }) // and so it is not joined
    });
    assert_eq!(told, StreamError::Driver { stream, cause: BAD });
}

#[test]
fn forks_that_were_not_joined_are_told_of() {
    let (told, [stream, one, other]) = refused_end(UNJOINED, |scope, one, other| {
        scope.fork(one)?;
        scope.fork(other)?;
        scope.submit_on(other, "right half")?;
        scope.join(other)
    });
    assert_eq!(told, StreamError::Unjoined { stream, fork: one, left: 1, cause: UNJOINED });
    assert_eq!(
        told.to_string(),
        format!(
            "the capture on {stream} ended with 1 of its forks not joined, {one} among them (the capture failed (error 904)); join each inside the closure, after the last work on it. The streams are retired"
        )
    );
    let (told, ..) = refused_end(UNJOINED, |scope, one, other| {
        scope.fork(one)?;
        scope.fork(other)?;
        scope.join(other)?;
        scope.submit_on(other, "after the join")
    });
    assert!(matches!(told, StreamError::Unjoined { left: 2, .. }), "{told}: {other}");
}

#[test]
fn another_refusal_of_the_end_is_the_drivers() {
    let all_joined = |scope: &mut CaptureScope<'_, _>, one: &mut Lease, _: &mut Lease| {
        scope.fork(one)?;
        scope.join(one)
    };
    let (told, [stream, ..]) = refused_end(UNJOINED, all_joined);
    assert_eq!(told, StreamError::Driver { stream, cause: UNJOINED });
    let (told, [stream, ..]) = refused_end(BAD, |scope, one, _| scope.fork(one));
    assert_eq!(told, StreamError::Driver { stream, cause: BAD });
}
