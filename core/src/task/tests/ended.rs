//! Tables whose streams ended under them, or were given back.

use super::{normal as key, pool};
use crate::{
    backend::streams::CaptureMode,
    drive::{CaptureScope, StreamPool},
    error::StreamError,
    stream::{PoolOptions, test_driver::TestWords},
    task::TaskStreams,
};

/// Everything was seen to be finished, and whoever has the handle submits no more.
#[test]
fn a_task_goes_on_after_a_failed_capture_of_a_stream_whose_handle_it_gave_out() {
    let (driver, pool) = pool(TestWords::On);
    let mut streams: TaskStreams = TaskStreams::new(key());
    let lease = streams.lease(&pool).expect("a stream");
    let _raw = pool.expose(lease);
    pool.submit(lease, "work").expect("work");
    let forgets = |scope: &mut CaptureScope<'_, _, _>| {
        std::mem::forget(scope.participant());
        Ok(())
    };
    let failed = pool.capture(lease, CaptureMode::Relaxed, forgets);
    assert!(matches!(failed, Err(StreamError::Participants { .. })));
    driver.finish();
    pool.pump();
    streams.submit(&pool, "more").expect("another stream, that follows nothing");
}
#[test]
fn a_table_that_still_follows_work_of_one_pool_is_not_anothers() {
    let (driver, pool) = pool(TestWords::On);
    let other = StreamPool::new(driver, PoolOptions::default());
    let mut streams: TaskStreams = TaskStreams::new(key());
    streams.submit(&pool, "work").expect("work");
    streams.release(key());
    let refused = streams.submit(&other, "work");
    assert!(matches!(refused, Err(StreamError::OtherPool { .. })), "{refused:?}");
    streams.submit(&pool, "more").expect("it is this pool's");
    streams.release(key());
    let theirs = other.acquire(key()).expect("a stream");
    assert!(streams.keep(theirs).is_err(), "no lease of another pool");
    streams.forget_order();
    streams.submit(&other, "work").expect("nothing of the first one is left");
}
