//! Rayon's workers and their streams.
#![cfg(feature = "rayon")]

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use rayon::prelude::*;
use ringfence::{
    drive::StreamPool,
    error::StreamError,
    id::{DeviceContext, DeviceId, StreamKey},
    stream::PoolOptions,
    task::TaskError,
};
use ringfence_mock::{
    clock::Ticks,
    streams::{op::StreamOp, profile::DriverProfile, system::MockStreams},
};
use ringfence_threads::Workers;

fn key() -> StreamKey {
    StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
}
fn workers(threads: usize) -> (MockStreams, Workers<MockStreams>) {
    let driver = MockStreams::new(DriverProfile::Hip57);
    let pool = Arc::new(StreamPool::new(driver.clone(), PoolOptions::default()));
    let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    (driver, Workers::new(pool, threads))
}
fn kernel() -> StreamOp {
    StreamOp::new("axpy", Ticks::new(20))
}

#[test]
fn one_stream_for_each_worker_that_comes_back_at_the_end() {
    let (driver, workers) = workers(4);
    let seen = Mutex::new(HashSet::new());
    workers.install(|| {
        (0..1_000).into_par_iter().for_each(|_| {
            let submit = |lease: &mut _| workers.pool().submit(lease, kernel());
            let touch = workers.with_stream(key(), submit).expect("a stream").expect("work");
            let worker = rayon::current_thread_index();
            seen.lock().expect("no panic").insert((worker, touch.stream()));
        });
    });
    let seen = seen.into_inner().expect("no panic");
    let by_worker: HashSet<_> = seen.iter().map(|(worker, _)| worker).collect();
    let by_stream: HashSet<_> = seen.iter().map(|(_, stream)| stream).collect();
    assert_eq!((by_worker.len(), by_stream.len()), (seen.len(), seen.len()));
    let pool = workers.pool().clone();
    assert_eq!(pool.tally().leased as usize, seen.len());
    workers.finish();
    assert_eq!(pool.tally().leased, 0);
    driver.run_until_idle();
    assert_eq!(driver.violations(), []);
}

#[test]
fn a_stolen_job_never_gets_the_stream_that_is_in_use() {
    let (driver, workers) = workers(1);
    workers.install(|| {
        let outer = workers.with_stream(key(), |mine| {
            let mine = mine.stream();
            let inner = || workers.with_stream(key(), |lease| lease.stream());
            let (a, b) = rayon::join(inner, inner); // this worker runs both
            assert_ne!(a.expect("a stream"), mine, "T1");
            assert_ne!(b.expect("a stream"), mine, "T1");
            mine
        });
        let again = workers.with_stream(key(), |lease| lease.stream());
        assert_eq!(again, outer, "T3");
    });
    assert_eq!(workers.pool().tally().leased, 1);
    assert_eq!(driver.violations(), []);
}

#[test]
fn workers_that_end_by_a_drop_give_their_streams_back_too() {
    let (_driver, workers) = workers(3);
    let pool = workers.pool().clone();
    let used = workers.threads().broadcast(|_| workers.with_stream(key(), |_| ()));
    assert_eq!(used, [Ok(()); 3]);
    assert_eq!(pool.tally().leased, 3);
    drop(workers);
    let start = Instant::now();
    while pool.tally().leased > 0 {
        assert!(start.elapsed() < Duration::from_secs(60), "the workers never ended");
        thread::yield_now();
    }
}

#[test]
fn errors_come_through() {
    let (driver, workers) = workers(1);
    driver.lose_device();
    let lost = workers.with_stream(key(), |_| ());
    assert_eq!(lost, Err(TaskError::Stream(StreamError::DeviceLost)));
}
