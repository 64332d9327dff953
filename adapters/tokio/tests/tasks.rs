//! Tokio tasks and their streams.

use std::{
    collections::HashSet,
    future::pending,
    num::NonZeroU32,
    sync::{Arc, Weak},
};

use ringfence::{
    drive::StreamPool,
    error::StreamError,
    id::{DeviceContext, DeviceId, Priority, StreamKey, StreamRef},
    stream::PoolOptions,
    task::TaskError,
};
use ringfence_mock::{
    clock::Ticks,
    streams::{
        op::StreamOp,
        profile::DriverProfile,
        system::{MockStreams, StreamSettings, Words},
    },
};
use ringfence_tokio::{Period, Reaper, TaskPool};
use tokio::sync::{Barrier, oneshot};

type Tasks = TaskPool<MockStreams>;

fn key() -> StreamKey {
    StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
}
fn tasks_with(options: PoolOptions) -> (MockStreams, Tasks) {
    tasks_on(Words::On, options)
}
fn tasks_on(words: Words, options: PoolOptions) -> (MockStreams, Tasks) {
    let settings = StreamSettings { words, ..StreamSettings::new(DriverProfile::Hip57) };
    let driver = MockStreams::with(settings);
    let pool = Arc::new(StreamPool::new(driver.clone(), options));
    (driver, TaskPool::new(pool, key()))
}
fn tasks() -> (MockStreams, Tasks) {
    tasks_with(PoolOptions::default())
}
fn kernel() -> StreamOp {
    StreamOp::new("axpy", Ticks::new(20))
}
fn stream(pool: &Tasks) -> StreamRef {
    pool.with(|pool, streams| streams.lease(pool).expect("a stream").stream()).expect("a task")
}
/// A buffer, and how to know whether it is still there.
fn buffer() -> (Arc<[u8; 16]>, Weak<[u8; 16]>) {
    let buffer = Arc::new([7; 16]);
    let watch = Arc::downgrade(&buffer);
    (buffer, watch)
}

/// Sixteen tasks at once, each polled many times on whatever worker there is.
async fn tasks_never_share() {
    let (driver, pool) = tasks();
    let barrier = Arc::new(Barrier::new(16));
    let spawn = |_| {
        let (inside, barrier) = (pool.clone(), barrier.clone());
        pool.spawn(async move {
            let mine = stream(&inside);
            for _ in 0..50 {
                assert_eq!(inside.submit(kernel()).expect("it works").stream(), mine);
                tokio::task::yield_now().await;
            }
            barrier.wait().await; // all of them are alive here
            mine
        })
    };
    let spawned: Vec<_> = (0..16).map(spawn).collect();
    let mut streams = HashSet::new();
    for task in spawned {
        streams.insert(task.await.expect("no panic"));
    }
    assert_eq!(streams.len(), 16);
    assert_eq!(pool.pool().tally().leased, 0);
    driver.run_until_idle();
    assert_eq!(driver.violations(), []);
    assert_eq!(pool.pool().counts().created, 16);
}
#[tokio::test]
async fn tasks_of_one_thread_never_share() {
    tasks_never_share().await;
}
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn tasks_of_many_threads_never_share() {
    tasks_never_share().await;
}

#[tokio::test]
async fn a_finished_tasks_stream_goes_to_the_next() {
    let (driver, pool) = tasks();
    for _ in 0..100 {
        let inside = pool.clone();
        pool.spawn(async move { inside.submit(kernel()).map(drop) })
            .await
            .expect("no panic")
            .expect("it works");
        driver.run_until_idle();
    }
    assert_eq!(pool.pool().counts().created, 1);
    assert_eq!(driver.violations(), []);
}

/// A task that submitted, was polled once and is aborted.
async fn aborted() {
    let (driver, pool) = tasks();
    let (started, has_started) = oneshot::channel();
    let (buffer, watch) = buffer();
    let inside = pool.clone();
    let task = pool.spawn(async move {
        let copy = inside.submit_owning(buffer, |_| kernel()).expect("it works");
        started.send(stream(&inside)).expect("the test waits");
        copy.await.expect("nobody pumps");
    });
    let stream = has_started.await.expect("it starts");
    task.abort();
    assert!(task.await.expect_err("aborted").is_cancelled());
    let tally = pool.pool().tally();
    assert_eq!((tally.leased, tally.draining), (0, 1));
    assert!(watch.upgrade().is_some(), "T11: the device still reads it");
    let other = pool.pool().acquire(key()).expect("another stream");
    assert_ne!(other.stream().id(), stream.id(), "T1");
    driver.run_until_idle();
    pool.pool().pump();
    assert!(watch.upgrade().is_none());
    let next = pool.pool().acquire(key()).expect("the aborted task's stream");
    assert_eq!(next.stream().id(), stream.id());
    assert_eq!(driver.violations(), []);
}
#[tokio::test]
async fn an_aborted_task_of_one_thread_gives_back_what_is_finished() {
    aborted().await;
}
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_aborted_task_of_many_threads_gives_back_what_is_finished() {
    aborted().await;
}

#[tokio::test]
async fn a_task_that_panics_gives_its_stream_back() {
    let (driver, pool) = tasks();
    let inside = pool.clone();
    let task = pool.spawn(async move {
        inside.submit(kernel()).expect("it works");
        inside.with(|_, _| panic!("planned"))
    });
    assert!(task.await.expect_err("it panics").is_panic());
    let tally = pool.pool().tally();
    assert_eq!((tally.leased, tally.draining), (0, 1));
    driver.run_until_idle();
    drop(pool.pool().acquire(key()).expect("the same stream"));
    assert_eq!(pool.pool().counts().created, 1);
    assert_eq!(driver.violations(), []);
}

#[tokio::test]
async fn a_copy_that_loses_a_select_keeps_its_buffer_until_it_is_finished() {
    let (driver, pool) = tasks();
    let (buffer, watch) = buffer();
    let body = async {
        let copy = pool.submit_owning(buffer, |_| kernel()).expect("it works");
        tokio::select! {
            biased;
            _ = copy => panic!("nobody pumps"),
            () = std::future::ready(()) => {}
        }
        pool.pool().pump();
        assert!(watch.upgrade().is_some(), "T11: the device still reads it");
        driver.run_until_idle();
        pool.pool().pump();
        assert!(watch.upgrade().is_none(), "it is finished");
    };
    pool.scope(body).await;
    assert_eq!(driver.violations(), []);
}

#[tokio::test]
async fn parts_of_one_task_share_its_stream_and_scopes_nest() {
    let (_driver, pool) = tasks();
    assert_eq!(pool.submit(kernel()), Err(TaskError::NoTask));
    assert_eq!(pool.acquire().await, Err(TaskError::NoTask));
    let body = async {
        let (a, b) = tokio::join!(async { stream(&pool) }, async { stream(&pool) });
        assert_eq!(a, b);
        let nested = pool.scope(async { stream(&pool) }).await;
        assert_ne!(a, nested, "a scope is a task of its own");
        assert_eq!(stream(&pool), a);
        let in_use = pool.with(|_, _| pool.submit(kernel()));
        assert_eq!(in_use, Ok(Err(TaskError::InUse)));
    };
    pool.scope(body).await;
}

#[tokio::test]
async fn a_task_switches_keys_and_finds_its_stream_again() {
    let (driver, pool) = tasks();
    let high = key().with_priority(Priority::High);
    let body = async {
        let normal = stream(&pool);
        let urgent = pool
            .with(|pool, streams| {
                streams.with_key(pool, high, |streams| streams.submit(pool, kernel()))
            })
            .expect("a task")
            .expect("nothing captures")
            .expect("it works");
        tokio::task::yield_now().await;
        assert_ne!(urgent.stream(), normal);
        assert_eq!(stream(&pool), normal);
    };
    pool.scope(body).await;
    driver.run_until_idle();
    let other = pool.with_key(high).scope(async { stream(&pool) }).await;
    assert_eq!(pool.pool().tally_of(high).live(), 1, "{other}");
    assert_eq!(driver.violations(), []);
}

#[tokio::test]
async fn a_task_that_keeps_its_stream_is_told_when_its_work_is_finished() {
    for words in [Words::On, Words::Off] {
        let (driver, pool) = tasks_on(words, PoolOptions::default());
        let reaper = Reaper::spawn(pool.pool(), Period::default());
        let body = async {
            let copy = pool.submit_owning(vec![7_u8; 4], |_| kernel()).expect("it works");
            driver.run_until_idle();
            assert_eq!(copy.await, Ok(vec![7; 4]), "{words:?}");
            pool.submit(kernel()).expect("it works");
            driver.run_until_idle();
            assert_eq!(pool.finished().await, Ok(()), "{words:?}");
            assert_eq!(pool.pool().tally().leased, 1, "all the time");
        };
        pool.scope(body).await;
        assert!(reaper.stop().await.is_some());
        assert_eq!(driver.violations(), []);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_at_the_hard_cap_wait_for_their_turn() {
    let options = PoolOptions { live_cap: NonZeroU32::new(2), ..PoolOptions::default() };
    let (driver, pool) = tasks_with(options);
    let reaper = Reaper::spawn(pool.pool(), Period::default());
    let spawn = |_| {
        let (inside, driver) = (pool.clone(), driver.clone());
        pool.spawn(async move {
            inside.acquire().await?;
            let touch = inside.submit(kernel())?;
            tokio::task::yield_now().await;
            driver.run_until_idle();
            inside.finished().await?;
            Ok::<_, TaskError>(touch)
        })
    };
    let spawned: Vec<_> = (0..24).map(spawn).collect();
    let mut touches = HashSet::new();
    for task in spawned {
        touches.insert(task.await.expect("no panic").expect("a stream in the end"));
    }
    assert_eq!(touches.len(), 24);
    assert!(pool.pool().counts().peak_live <= 2);
    let reaped = reaper.stop().await.expect("the runtime is there");
    assert!(reaped.pumps > 0);
    assert_eq!(driver.violations(), []);
}

#[tokio::test]
async fn a_wait_at_the_hard_cap_may_be_given_up() {
    let options = PoolOptions { live_cap: NonZeroU32::new(1), ..PoolOptions::default() };
    let (_driver, pool) = tasks_with(options);
    let held = pool.pool().acquire(key()).expect("the only one");
    let body = async {
        tokio::select! {
            biased;
            _ = pool.acquire() => panic!("there is none"),
            () = std::future::ready(()) => {}
        }
        let full = TaskError::Stream(StreamError::Full { live: 1, cap: 1 });
        assert_eq!(pool.submit(kernel()), Err(full));
        drop(held);
        pool.acquire().await
    };
    assert_eq!(pool.scope(body).await, Ok(()));
}

#[test]
fn a_runtime_that_is_shut_down_gives_every_stream_back() {
    let (driver, pool) = tasks();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let _reaper = Reaper::spawn(pool.pool(), Period::default());
        let barrier = Arc::new(Barrier::new(9));
        for _ in 0..8 {
            let (inside, barrier) = (pool.clone(), barrier.clone());
            drop(pool.spawn(async move {
                inside.submit(kernel()).expect("it works");
                barrier.wait().await;
                pending::<()>().await;
            }));
        }
        barrier.wait().await;
    });
    assert_eq!(pool.pool().tally().leased, 8);
    drop(runtime);
    assert_eq!(pool.pool().tally().leased, 0);
    driver.run_until_idle();
    assert_eq!(pool.pool().shutdown().streams_leaked, 0);
    assert_eq!(driver.violations(), []);
}
