//! Several threads at once: each memory is freed exactly once, and a call that meets another is refused, never undefined.

mod common;

use std::{
    collections::BTreeSet,
    sync::{
        Barrier,
        atomic::{AtomicU32, Ordering::SeqCst},
    },
};

use common::{Toy, acquire, address, new_array, ok, pump, shut_down, stamp, write};
use ringfence_capi::{ringfence_status_t::*, *};

#[test]
fn two_finalizers_give_the_same_arrays_up_and_each_is_freed_once() {
    const ARRAYS: usize = 500;
    let toy = Toy::new();
    let pool = toy.pool_with(32);
    let lease = acquire(pool);
    let arrays: Vec<_> = (0..ARRAYS).map(|_| new_array(pool, lease)).collect();
    let addresses: BTreeSet<u64> = arrays.iter().map(|(array, _)| address(*array)).collect();
    for (_, mark) in &arrays {
        ok(write(pool, lease, *mark));
    }
    let start = Barrier::new(3);
    let won = AtomicU32::new(0);
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                start.wait();
                for &(array, mark) in &arrays {
                    loop {
                        match ringfence_pool_retire_later(pool, array, mark) {
                            RINGFENCE_OK => {
                                won.fetch_add(1, SeqCst);
                                break;
                            }
                            // The other one was first, or is at it.
                            RINGFENCE_STALE_HANDLE => break,
                            RINGFENCE_IN_USE | RINGFENCE_FULL => std::thread::yield_now(),
                            other => panic!("{other:?}"),
                        }
                    }
                }
            });
        }
        start.wait();
        while toy.freed().len() < ARRAYS {
            pump(pool);
        }
    });
    assert_eq!(won.load(SeqCst), ARRAYS as u32);
    let freed = toy.freed();
    assert_eq!(freed.len(), ARRAYS, "none twice");
    assert_eq!(freed.into_iter().collect::<BTreeSet<_>>(), addresses);
    ok(ringfence_lease_release(lease));
    shut_down(pool);
}

#[test]
fn two_threads_that_use_one_lease_meet_and_part() {
    const CALLS: u32 = 2000;
    let toy = Toy::new();
    let pool = toy.pool();
    let lease = acquire(pool);
    let start = Barrier::new(2);
    let done = AtomicU32::new(0);
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                let own = stamp();
                start.wait();
                let mut left = CALLS;
                while left > 0 {
                    match write(pool, lease, own) {
                        RINGFENCE_OK => {
                            left -= 1;
                            done.fetch_add(1, SeqCst);
                        }
                        RINGFENCE_IN_USE => std::thread::yield_now(),
                        other => panic!("{other:?}"),
                    }
                }
                ok(ringfence_stamp_destroy(own));
            });
        }
    });
    assert_eq!(done.load(SeqCst), 2 * CALLS);
    ok(ringfence_lease_release(lease));
    shut_down(pool);
}

#[test]
fn leases_come_and_go_on_many_threads() {
    const ROUNDS: usize = 300;
    let toy = Toy::new();
    let pool = toy.pool();
    std::thread::scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| {
                for _ in 0..ROUNDS {
                    let lease = acquire(pool);
                    let mark = stamp();
                    ok(write(pool, lease, mark));
                    ok(ringfence_lease_release(lease));
                    assert_eq!(ringfence_lease_release(lease), RINGFENCE_STALE_HANDLE);
                    ok(ringfence_stamp_destroy(mark));
                }
            });
        }
    });
    let mut counts = ringfence_pool_counts_t {
        size: size_of::<ringfence_pool_counts_t>(),
        ..Default::default()
    };
    // SAFETY: the structure is there.
    ok(unsafe { ringfence_pool_counts(pool, &raw mut counts) });
    assert_eq!(counts.leases, 3 * ROUNDS as u64);
    assert!(counts.created <= 6, "{counts:?}");
    shut_down(pool);
    assert_eq!(toy.created.load(SeqCst), toy.destroyed.load(SeqCst));
}
