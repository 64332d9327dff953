//! A forked child: what the threads of the parent held is held for ever.

use std::{thread, time::Duration};

use super::*;

/// Runs what may not wait for anybody: on a thread that is left behind where it does.
fn at_once<T: Send + 'static>(what: impl FnOnce() -> T + Send + 'static) -> T {
    let here = thread::current();
    let there = thread::spawn(move || {
        let done = what();
        here.unpark();
        done
    });
    let came = (0..2000).any(|_| {
        thread::park_timeout(Duration::from_millis(10));
        there.is_finished()
    });
    assert!(came, "it waits for a lock that nobody lets go of");
    there.join().expect("it panics not")
}

#[test]
fn a_forked_child_waits_for_no_lock_of_a_thread_that_is_not_there() {
    let (driver, pool) = pool(TestWords::On);
    let pool = Arc::new(pool);
    let mut lease = pool.acquire(key()).expect("a stream");
    let touch = pool.submit(&mut lease, "work").expect("work");
    driver.finish();
    let memory = [(); 2].map(|()| pool.allocate(&mut lease, Bytes::new(8)).expect("memory"));
    let [counted, uncounted] = memory;
    let mut stamp = counted.stamp();
    stamp.add(touch, Access::Write);
    driver.take_calls();
    driver.becomes(DriverState::Forked);

    // A thread of the parent was in a call on the stream.
    let slot = lease.slot().clone();
    let (lists, tenancy) = (pool.shared.pool(), slot.lock());
    let (on, uses) = (pool.clone(), stamp.clone());
    assert_eq!(at_once(move || on.retire(counted, uses)), Freed::Leaked);
    let on = pool.clone();
    assert!(!at_once(move || on.is_finished(touch)), "nothing is known there");
    let on = pool.clone();
    let refused = at_once(move || (on.acquire(key()).err(), on.submit(&mut lease, "more").err()));
    assert_eq!(refused, (Some(StreamError::Forked), Some(StreamError::Forked)));
    assert_eq!(pool.shared.memory.lock().counts().leaked, 1, "counted where nobody has the count");
    // Another one had the count itself.
    let book = pool.shared.memory.lock();
    let on = pool.clone();
    assert_eq!(at_once(move || on.retire(uncounted, stamp)), Freed::Leaked);
    drop(book);
    drop((tenancy, lists));
    assert_eq!(driver.take_calls(), [], "and no driver is called");
}

#[test]
fn a_pool_that_was_shut_down_before_the_fork_waits_for_nobody_either() {
    let (driver, pool) = pool(TestWords::On);
    let mut lease = pool.acquire(key()).expect("a stream");
    let touch = pool.submit(&mut lease, "work").expect("work");
    let memory = pool.allocate(&mut lease, Bytes::new(8)).expect("memory");
    let _left = pool.shutdown();
    driver.becomes(DriverState::Forked);
    let slot = lease.slot().clone();
    let tenancy = slot.lock();
    let stamp = memory.stamp();
    let known = at_once(move || (pool.is_finished(touch), pool.retire(memory, stamp)));
    assert_eq!(known, (false, Freed::Leaked));
    drop(tenancy);
}
