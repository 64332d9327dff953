use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;
use crate::{
    backend::streams::CaptureMode,
    id::{Bytes, DeviceId},
    stream::{
        Deferral, Stamp,
        test_driver::{PANICS, TestDriver, TestWords},
    },
};

/// The word speaks of counted work alone, and says that all of it is finished.
#[test]
fn a_stream_whose_launch_panicked_is_asked_about_before_it_is_handed_on() {
    let driver = TestDriver::new(TestWords::On);
    let pool = StreamPool::new(driver.clone(), PoolOptions::default());
    let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
    let mut lease = pool.acquire(key).expect("a stream");
    let stream = lease.id();
    pool.submit(&mut lease, "fill").expect("work");
    driver.finish();
    let panicked = catch_unwind(AssertUnwindSafe(|| pool.submit(&mut lease, PANICS)));
    panicked.expect_err("it does");
    drop(lease);
    pool.pump();
    let other = pool.acquire(key).expect("a stream");
    assert_ne!(other.id(), stream, "its work may run: nobody else gets it");
    driver.finish();
    pool.pump();
    assert_eq!(pool.acquire(key).expect("a stream").id(), stream, "it is finished");
}

#[test]
fn a_graph_whose_launch_panicked_is_destroyed_after_what_may_run_of_it() {
    let driver = TestDriver::new(TestWords::On);
    let pool = StreamPool::new(driver.clone(), PoolOptions::default());
    let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
    let mut lease = pool.acquire(key).expect("a stream");
    let record = |scope: &mut CaptureScope<'_, _, _>| scope.submit("fill");
    let mut graph = pool.capture(&mut lease, CaptureMode::Relaxed, record).expect("a graph").graph;
    driver.finish();
    driver.panic_at_graphs();
    let panicked = catch_unwind(AssertUnwindSafe(|| pool.launch(&mut lease, &mut graph)));
    panicked.expect_err("it does");
    drop(graph);
    assert_eq!(pool.pump().graphs, 0, "it may run");
    driver.finish();
    assert_eq!(pool.pump().graphs, 1);
}

#[test]
fn a_free_that_a_graph_put_off_is_counted_when_it_happens() {
    let driver = TestDriver::new(TestWords::On);
    let pool = StreamPool::new(driver.clone(), PoolOptions::default());
    let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
    let mut lease = pool.acquire(key).expect("a stream");
    let weights = pool.allocate(&mut lease, Bytes::new(64)).expect("memory");
    let record = |scope: &mut CaptureScope<'_, _, _>| {
        scope.pin(&weights);
        scope.submit("fill")
    };
    let graph = pool.capture(&mut lease, CaptureMode::Relaxed, record).expect("a graph").graph;
    let freed = pool.retire(weights, Stamp::default());
    assert_eq!(freed, Freed::Deferred(Deferral::Pinned), "the graph uses it");
    driver.finish();
    assert_eq!(pool.pump().freed, 0);
    drop(graph);
    let pumped = pool.pump();
    assert_eq!((pumped.graphs, pumped.freed), (1, 1));
}
