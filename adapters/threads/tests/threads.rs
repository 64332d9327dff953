//! Threads and their streams.

use std::{
    cell::Cell,
    collections::HashSet,
    num::NonZeroU32,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Barrier, Mutex},
    thread,
    time::Duration,
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
    streams::{op::StreamOp, profile::DriverProfile, system::MockStreams},
};
use ringfence_threads::{
    Period, Reaper, acquire_within, give_back, with_stream, with_stream_within,
};

/// Longer than any test may take.
const LONG: Duration = Duration::from_secs(60);

type Pool = Arc<StreamPool<MockStreams>>;

fn key() -> StreamKey {
    StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
}
fn high() -> StreamKey {
    key().with_priority(Priority::High)
}
fn pool_with(live_cap: Option<u32>) -> (MockStreams, Pool) {
    let live_cap = live_cap.and_then(NonZeroU32::new);
    let driver = MockStreams::new(DriverProfile::Hip57);
    let options = PoolOptions { live_cap, ..PoolOptions::default() };
    (driver.clone(), Arc::new(StreamPool::new(driver, options)))
}
fn kernel() -> StreamOp {
    StreamOp::new("axpy", Ticks::new(20))
}
fn submit(pool: &Pool) -> StreamRef {
    let submitted = with_stream(pool, key(), |lease| pool.submit(lease, kernel()));
    submitted.expect("a stream").expect("work").stream()
}

#[test]
fn each_thread_keeps_its_own_stream() {
    let (driver, pool) = pool_with(None);
    let barrier = Barrier::new(8);
    let run = || {
        let mine = submit(&pool);
        for _ in 0..50 {
            assert_eq!(submit(&pool), mine);
        }
        barrier.wait(); // all of them are alive here
        mine
    };
    let streams: HashSet<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!(streams.len(), 8);
    driver.run_until_idle();
    assert_eq!(driver.violations(), []);
}

#[test]
fn a_thread_that_exits_gives_its_streams_back_without_a_driver_call() {
    let (driver, pool) = pool_with(None);
    for _ in 0..200 {
        let mine = pool.clone();
        let seen = thread::spawn(move || submit(&mine)).join().expect("no panic");
        assert_eq!(pool.tally().leased, 0, "{seen}");
        driver.run_until_idle();
    }
    assert_eq!((pool.counts().created, pool.counts().leases), (1, 200));
    assert_eq!(driver.violations(), []);
}

#[test]
fn a_thread_has_one_stream_for_each_key() {
    let (_driver, pool) = pool_with(None);
    let seen = with_stream(&pool, key(), |normal| {
        let normal = normal.stream();
        let again = with_stream(&pool, key(), |_| ());
        assert_eq!(again, Err(TaskError::InUse), "T3");
        let urgent = with_stream(&pool, high(), |urgent| urgent.stream());
        (normal, urgent.expect("another key is another stream"))
    });
    let (normal, urgent) = seen.expect("a stream");
    assert_ne!(normal, urgent);
    assert_eq!(submit(&pool), normal);
    give_back(&pool);
    assert_eq!(pool.tally().leased, 0);
    give_back(&pool); // again is no harm
}

#[test]
fn pools_of_one_thread_are_kept_apart() {
    let ((_a, one), (_b, other)) = (pool_with(None), pool_with(None));
    let first = submit(&one);
    let second = submit(&other);
    assert_ne!(first.pool(), second.pool());
    assert_eq!(submit(&one), first);
}

#[test]
fn a_panic_leaves_the_stream_with_its_thread() {
    let (_driver, pool) = pool_with(None);
    let mine = submit(&pool);
    let unwound =
        catch_unwind(AssertUnwindSafe(|| with_stream(&pool, key(), |_| panic!("planned"))));
    assert!(unwound.is_err());
    assert_eq!(submit(&pool), mine);
}

#[test]
fn many_threads_at_the_cap_take_turns() {
    for period in [None, Some(Period::default())] {
        let (driver, pool) = pool_with(Some(3));
        let reaper = period.map(|period| Reaper::spawn(&pool, period).expect("a thread"));
        let held = Mutex::new(HashSet::new());
        let run = || {
            for _ in 0..10 {
                let mut lease = acquire_within(&pool, key(), LONG).expect("a turn in the end");
                let id = lease.id();
                assert!(held.lock().expect("no panic").insert(id), "T1: two have {id}");
                pool.submit(&mut lease, kernel()).expect("it works");
                thread::yield_now();
                assert!(held.lock().expect("no panic").remove(&id));
                drop(lease);
                driver.run_until_idle();
            }
        };
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(run);
            }
        });
        assert_eq!(pool.counts().leases, 160);
        assert!(pool.counts().peak_live <= 3);
        drop(reaper);
        assert_eq!(driver.violations(), []);
    }
}

#[test]
fn a_thread_waits_for_its_stream_up_to_a_limit() {
    let (driver, pool) = pool_with(Some(1));
    let mine = pool.acquire(key()).expect("the only one");
    let use_it = |limit| with_stream_within(&pool, key(), limit, |lease| lease.stream());
    let full = StreamError::Full { live: 1, cap: 1 };
    assert_eq!(use_it(Duration::from_millis(1)), Err(full.into()));
    assert_eq!(use_it(Duration::ZERO), Err(full.into()));
    let id = mine.id();
    let got = thread::scope(|scope| {
        let waits = scope.spawn(|| use_it(LONG));
        drop(mine);
        waits.join().expect("no panic")
    });
    assert_eq!(got.map(|stream| stream.id()), Ok(id));
    assert_eq!(driver.violations(), []);
}

#[test]
fn a_forked_child_is_told_and_calls_no_driver() {
    let (driver, pool) = pool_with(None);
    submit(&pool);
    driver.fork(); // what follows is the child's
    let forked = Err(TaskError::Stream(StreamError::Forked));
    assert_eq!(with_stream(&pool, key(), |lease| pool.submit(lease, kernel())), forked);
    let waiting = with_stream_within(&pool, key(), LONG, |lease| pool.submit(lease, kernel()));
    assert_eq!(waiting, forked);
    assert_eq!(acquire_within(&pool, key(), LONG).map(drop), Err(StreamError::Forked));
    give_back(&pool);
    assert_eq!(driver.crashes(), Vec::<String>::new());
    assert_eq!(driver.violations(), []);
}

#[test]
fn a_thread_past_its_thread_locals_gets_a_stream_for_one_call() {
    struct Late(Pool, Arc<Mutex<Option<Result<StreamRef, TaskError>>>>);
    impl Drop for Late {
        fn drop(&mut self) {
            let got = with_stream(&self.0, key(), |lease| lease.stream());
            give_back(&self.0);
            *self.1.lock().expect("no panic") = Some(got);
        }
    }
    thread_local! {
        static LATE: Cell<Option<Late>> = const { Cell::new(None) };
    }
    let (driver, pool) = pool_with(None);
    let answer = Arc::new(Mutex::new(None));
    let late = Late(pool.clone(), answer.clone());
    let thread = thread::spawn(move || {
        let pool = late.0.clone();
        LATE.set(Some(late));
        submit(&pool); // its destructor is registered after that of `LATE`, and runs before it
    });
    thread.join().expect("no panic");
    let got = answer.lock().expect("no panic").take().expect("the destructor ran");
    assert!(got.is_ok(), "{got:?}");
    assert_eq!(pool.tally().leased, 0);
    driver.run_until_idle();
    assert_eq!(driver.violations(), []);
}
