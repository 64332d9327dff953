//! Owners that never say that they are done.

use std::cell::RefCell;

use super::{high, normal, pool};
use crate::{
    drive::StreamPool,
    error::StreamError,
    stream::{
        PoolOptions,
        test_driver::{TestDriver, TestWords},
    },
    task::{Owner, OwnerTable, TaskError},
};

type Owners = OwnerTable<&'static str>;

/// A probe that must not be asked.
fn nobody(owner: &&'static str) -> Owner {
    panic!("asked about {owner}")
}
#[test]
fn an_owner_keeps_its_stream_and_nobody_is_asked() {
    let (_driver, pool) = pool(TestWords::On);
    let owners = Owners::new();
    let first = owners.acquire_for(&pool, "a", normal(), &nobody).expect("a stream");
    let again = owners.acquire_for(&pool, "a", normal(), &nobody).expect("the same");
    assert_eq!(first, again);
    assert_eq!((owners.count(), pool.counts().leases), (1, 1));
}

#[test]
fn an_idle_stream_comes_before_the_probe() {
    let (_driver, pool) = pool(TestWords::On);
    let owners = Owners::new();
    owners.acquire_for(&pool, "a", normal(), &nobody).expect("a stream");
    drop(pool.acquire(normal()).expect("another stream"));
    owners.acquire_for(&pool, "b", normal(), &nobody).expect("the idle one");
    assert_eq!(pool.counts().created, 2);
}

#[test]
fn a_stream_of_an_owner_that_is_over_is_handed_on() {
    for over in [Owner::Done, Owner::Gone] {
        let (driver, pool) = pool(TestWords::On);
        let owners = Owners::new();
        let task = owners.acquire_for(&pool, "a", normal(), &nobody).expect("a stream");
        let touch = task
            .with(|streams| streams.submit(&pool, "axpy"))
            .expect("not in use")
            .expect("it works");
        drop(task);
        driver.finish();
        let asked = RefCell::new(Vec::new());
        let runtime = |owner: &&'static str| {
            asked.borrow_mut().push(*owner);
            over
        };
        let task = owners.acquire_for(&pool, "b", normal(), &runtime).expect("a's stream");
        assert_eq!(asked.take(), ["a"], "once, and not about the one that asks");
        let stream = task.with(|streams| streams.peek(normal())).expect("not in use");
        let stream = stream.expect("just acquired");
        assert_eq!(stream.id(), touch.stream().id());
        assert_ne!(stream.generation(), touch.stream().generation());
        assert_eq!((owners.count(), pool.counts().created), (1, 1));
    }
}

#[test]
fn unfinished_work_of_an_owner_that_is_over_is_never_shared() {
    let (_driver, pool) = pool(TestWords::On);
    let owners = Owners::new();
    let task = owners.acquire_for(&pool, "a", normal(), &nobody).expect("a stream");
    let touch =
        task.with(|streams| streams.submit(&pool, "axpy")).expect("not in use").expect("it works");
    drop(task);
    let gone = |_: &&'static str| Owner::Gone;
    let task = owners.acquire_for(&pool, "b", normal(), &gone).expect("another stream");
    let stream = task.with(|streams| streams.peek(normal())).expect("not in use");
    assert_ne!(stream.map(|stream| stream.id()), Some(touch.stream().id()));
    assert_eq!((pool.tally().leased, pool.tally().draining), (1, 1));
}

#[test]
fn a_running_owner_keeps_its_stream() {
    let (driver, pool) = pool(TestWords::On);
    let owners = Owners::new();
    owners.acquire_for(&pool, "a", normal(), &nobody).expect("a stream");
    driver.finish();
    let running = |_: &&'static str| Owner::Running;
    owners.acquire_for(&pool, "b", normal(), &running).expect("another stream");
    assert_eq!((owners.count(), pool.tally().leased), (2, 2));
}

#[test]
fn a_handle_outlives_a_wrong_answer() {
    let (driver, pool) = pool(TestWords::On);
    let owners = Owners::new();
    let alive = owners.acquire_for(&pool, "a", normal(), &nobody).expect("a stream");
    driver.finish();
    let wrong = |_: &&'static str| Owner::Done;
    let other = owners.acquire_for(&pool, "b", normal(), &wrong).expect("another stream");
    let of = |task: &crate::task::Task| task.with(|streams| streams.peek(normal()));
    assert_ne!(of(&alive), of(&other), "T1");
    assert_eq!(pool.tally().leased, 2);
}

#[test]
fn an_answer_about_an_earlier_owner_of_the_name_is_not_held_against_the_next() {
    let (_driver, pool) = pool(TestWords::On);
    let owners = Owners::new();
    owners.acquire_for(&pool, "a", normal(), &nobody).expect("a stream");
    // While the probe looks, the name goes to a new owner, which asks at once.
    let probe = |owner: &&'static str| {
        owners.done(owner);
        owners.acquire_for(&pool, owner, normal(), &nobody).expect("the idle one");
        Owner::Gone
    };
    assert_eq!(owners.sweep(&probe), 0);
    assert_eq!(owners.count(), 1);
}

#[test]
fn a_probe_is_asked_with_no_lock_held() {
    let (_driver, pool) = pool(TestWords::On);
    let owners = Owners::new();
    owners.acquire_for(&pool, "a", normal(), &nobody).expect("a stream");
    let asked = RefCell::new(Vec::new());
    let probe = |owner: &&'static str| {
        #[cfg(feature = "audit")]
        assert_eq!(crate::sync::audit::locks_held(), 0);
        asked.borrow_mut().push(*owner);
        assert_eq!(owners.count(), 2, "the table answers meanwhile");
        assert_eq!(pool.tally().leased, 1, "the pool as well");
        Owner::Running
    };
    owners.acquire_for(&pool, "b", normal(), &probe).expect("a stream");
    assert_eq!(asked.into_inner(), ["a"]);
}

#[test]
fn done_gives_back_every_stream_of_the_owner() {
    let (_driver, pool) = pool(TestWords::On);
    let owners = Owners::new();
    owners.acquire_for(&pool, "a", normal(), &nobody).expect("a stream");
    owners.acquire_for(&pool, "a", high(), &nobody).expect("another stream");
    assert_eq!(pool.tally().leased, 2);
    owners.done(&"a");
    owners.done(&"never heard of");
    assert_eq!((owners.count(), pool.tally().leased), (0, 0));
}

#[test]
fn many_owners_leave_nothing_behind() {
    let (driver, pool) = pool(TestWords::On);
    let owners: OwnerTable<u32> = OwnerTable::new();
    for number in 0..10_000 {
        let over = |_: &u32| Owner::Gone;
        let task = owners.acquire_for(&pool, number, normal(), &over).expect("a stream");
        task.with(|streams| streams.submit(&pool, "axpy")).expect("not in use").expect("it works");
        driver.finish();
    }
    assert_eq!((owners.count(), pool.counts().created), (1, 1));
}

#[test]
fn errors_of_the_pool_come_through() {
    let driver = TestDriver::new(TestWords::On);
    let options = PoolOptions { live_cap: std::num::NonZeroU32::new(1), ..PoolOptions::default() };
    let pool = StreamPool::new(driver, options);
    let owners = Owners::new();
    let running = |_: &&'static str| Owner::Running;
    owners.acquire_for(&pool, "a", normal(), &running).expect("the only stream");
    let full = owners.acquire_for(&pool, "b", normal(), &running);
    assert_eq!(full, Err(TaskError::Stream(StreamError::Full { live: 1, cap: 1 })));
    let gone = |_: &&'static str| Owner::Gone;
    owners.acquire_for(&pool, "b", normal(), &gone).expect("a's stream, which is idle");
}
