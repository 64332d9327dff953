//! Handles: 0, foreign, stale, closed twice, of another pool, in use.

mod common;

use std::{ffi::c_void, sync::atomic::Ordering::SeqCst};

use common::{
    KEY, NULL, Toy, acquire, address, at, message, new_array, nothing, ok, out, pump, shut_down,
    stamp, to, write,
};
use ringfence_capi::{ringfence_status_t::*, *};

#[test]
fn nothing_foreign_is_taken() {
    let toy = Toy::new();
    let pool = toy.pool();
    let lease = acquire(pool);
    let zero = ringfence_lease_t::default();
    assert_eq!(ringfence_lease_release(zero), RINGFENCE_BAD_HANDLE);
    assert_eq!(ringfence_lease_stream(zero, Out::NULL), RINGFENCE_BAD_HANDLE);
    assert!(message().contains("handle 0 is no lease"), "{}", message());
    // A handle of another kind.
    let wrong = ringfence_lease_t { handle: pool.handle };
    assert_eq!(ringfence_lease_stream(wrong, Out::NULL), RINGFENCE_BAD_HANDLE);
    assert!(message().contains("names a pool, and a lease is wanted"), "{}", message());
    // Never given out: a later generation, a place that is not there, an unknown kind.
    for handle in [lease.handle + 1, lease.handle ^ (0xFF_FFFF << 32), 0xEE << 56 | 1, u64::MAX] {
        let forged = ringfence_lease_t { handle };
        assert_eq!(ringfence_lease_stream(forged, Out::NULL), RINGFENCE_BAD_HANDLE, "{handle:#x}");
        assert_eq!(ringfence_lease_release(forged), RINGFENCE_BAD_HANDLE, "{handle:#x}");
    }
    ok(ringfence_lease_release(lease));
    shut_down(pool);
}

#[test]
fn what_is_closed_is_stale() {
    let toy = Toy::new();
    let pool = toy.pool();
    let lease = acquire(pool);
    let mark = stamp();
    ok(ringfence_lease_release(lease));
    ok(ringfence_stamp_destroy(mark));
    assert_eq!(ringfence_lease_release(lease), RINGFENCE_STALE_HANDLE);
    assert_eq!(ringfence_stamp_destroy(mark), RINGFENCE_STALE_HANDLE);
    assert!(message().contains("the stamp of handle"), "{}", message());
    // Its place goes to another object, under another generation.
    let mut next = stamp();
    while next.handle >> 32 != mark.handle >> 32 {
        next = stamp();
    }
    assert_eq!(next.handle as u32, mark.handle as u32 + 1);
    assert_eq!(ringfence_stamp_destroy(mark), RINGFENCE_STALE_HANDLE);
    shut_down(pool);
    assert_eq!(ringfence_pool_destroy(pool), RINGFENCE_STALE_HANDLE);
    assert_eq!(ringfence_pool_acquire(pool, at(&KEY), Out::NULL), RINGFENCE_STALE_HANDLE);
    assert_eq!(toy.released.load(SeqCst), 1);
}

#[test]
fn memory_is_given_up_once_and_to_its_own_pool() {
    let (toy, other) = (Toy::new(), Toy::new());
    let (pool, strange) = (toy.pool(), other.pool());
    let lease = acquire(pool);
    let (array, mark) = new_array(pool, lease);
    let at = address(array);
    ok(write(pool, lease, mark));
    assert_eq!(ringfence_pool_retire(strange, array, mark, Out::NULL), RINGFENCE_OTHER_POOL);
    assert!(message().contains("came from another pool"), "{}", message());
    assert_eq!(ringfence_pool_retire_later(strange, array, mark), RINGFENCE_OTHER_POOL);
    // Nothing was taken.
    ok(ringfence_pool_retire(pool, array, mark, Out::NULL));
    assert_eq!(ringfence_pool_retire(pool, array, mark, Out::NULL), RINGFENCE_STALE_HANDLE);
    assert_eq!(ringfence_pool_retire_later(pool, array, mark), RINGFENCE_STALE_HANDLE);
    assert_eq!(ringfence_stamp_destroy(mark), RINGFENCE_STALE_HANDLE);
    assert_eq!(toy.freed(), [at]);
    // A lease of another pool.
    assert_eq!(write(strange, lease, stamp()), RINGFENCE_OTHER_POOL);
    assert_eq!(ringfence_pool_expose(strange, lease, Out::NULL), RINGFENCE_OTHER_POOL);
    ok(ringfence_lease_release(lease));
    shut_down(pool);
    shut_down(strange);
}

#[test]
fn what_is_handed_in_is_as_good_as_gone_and_comes_back_when_it_is_full() {
    let toy = Toy::new();
    let pool = toy.pool_with(1);
    let lease = acquire(pool);
    let arrays = [0; 2].map(|_| new_array(pool, lease));
    let [(first, first_stamp), (second, second_stamp)] = arrays;
    let addresses = [address(first), address(second)];
    ok(ringfence_pool_retire_later(pool, first, first_stamp));
    assert_eq!(ringfence_pool_retire_later(pool, first, first_stamp), RINGFENCE_STALE_HANDLE);
    assert_eq!(ringfence_stamp_destroy(first_stamp), RINGFENCE_STALE_HANDLE);
    assert_eq!(ringfence_pool_retire_later(pool, second, second_stamp), RINGFENCE_FULL);
    assert_eq!(address(second), addresses[1], "nothing was taken");
    ok(write(pool, lease, second_stamp));
    assert_eq!(toy.freed(), [0; 0]);
    pump(pool);
    ok(ringfence_pool_retire_later(pool, second, second_stamp));
    pump(pool);
    assert_eq!(toy.freed(), addresses);
    ok(ringfence_lease_release(lease));
    shut_down(pool);
}

/// What a callback tries while the call that it is part of has the lease.
struct Inside {
    pool: ringfence_pool_t,
    lease: ringfence_lease_t,
    got: Vec<ringfence_status_t>,
}
unsafe extern "C-unwind" fn intrude(
    argument: *mut c_void,
    stream: u64,
) -> ringfence_driver_error_t {
    // SAFETY: the test passes one that is there, and looks at it only after the call.
    let inside = unsafe { &mut *argument.cast::<Inside>() };
    let (pool, lease) = (inside.pool, inside.lease);
    let got = [
        ringfence_lease_stream(lease, Out::NULL),
        // SAFETY: no array is named.
        unsafe {
            ringfence_pool_submit(pool, lease, std::ptr::null(), 0, Some(nothing), NULL, Out::NULL)
        },
        ringfence_lease_release(lease),
        ringfence_pool_destroy(pool),
    ];
    inside.got.extend(got);
    assert_ne!(stream, 0);
    ringfence_driver_error_t::default()
}

#[test]
fn a_call_that_meets_another_is_refused() {
    let toy = Toy::new();
    let pool = toy.pool();
    let lease = acquire(pool);
    let mut inside = Inside { pool, lease, got: Vec::new() };
    let argument = (&raw mut inside).cast();
    // SAFETY: no array is named; the argument outlives the call.
    ok(unsafe {
        ringfence_pool_submit(pool, lease, std::ptr::null(), 0, Some(intrude), argument, Out::NULL)
    });
    assert_eq!(inside.got, [RINGFENCE_IN_USE; 4]);
    ok(ringfence_lease_stream(lease, to(&mut std::mem::MaybeUninit::uninit())));
    ok(ringfence_lease_release(lease));
    shut_down(pool);
}

#[test]
fn one_array_may_be_named_twice() {
    let toy = Toy::new();
    let pool = toy.pool();
    let lease = acquire(pool);
    let mark = stamp();
    let use_of = |access| ringfence_array_use_t { stamp: mark, access, reserved: 0 };
    let uses = [
        use_of(RINGFENCE_ACCESS_READ),
        use_of(RINGFENCE_ACCESS_WRITE),
        use_of(RINGFENCE_ACCESS_READ),
    ];
    toy.pending.store(true, SeqCst);
    // SAFETY: the array is there.
    ok(unsafe {
        ringfence_pool_submit(pool, lease, uses.as_ptr(), 3, Some(nothing), NULL, Out::NULL)
    });
    // It counts as written: a reader on another stream has to follow.
    let other = acquire(pool);
    let how = out(|how| ringfence_pool_order_after(pool, other, mark, RINGFENCE_ACCESS_READ, how));
    assert_eq!(how, RINGFENCE_ORDERED_ON_DEVICE);
    let finished = |how| out(|finished| ringfence_stamp_is_finished(mark, pool, how, finished));
    assert_eq!(finished(RINGFENCE_ACCESS_READ), 0);
    toy.pending.store(false, SeqCst);
    ok(ringfence_lease_release(lease));
    ok(ringfence_lease_release(other));
    pump(pool);
    assert_eq!(finished(RINGFENCE_ACCESS_WRITE), 1);
    ok(ringfence_stamp_destroy(mark));
    shut_down(pool);
}

#[test]
fn an_allocation_is_work_of_its_stream() {
    let toy = Toy::new();
    let pool = toy.pool();
    let (lease, other) = (acquire(pool), acquire(pool));
    toy.pending.store(true, SeqCst);
    let follows = |lease, mark| {
        out(|how| ringfence_pool_order_after(pool, lease, mark, RINGFENCE_ACCESS_READ, how))
    };
    let (array, mark) = new_array(pool, lease);
    assert_eq!(follows(lease, mark), RINGFENCE_ORDERED_ALREADY);
    assert_eq!(follows(other, mark), RINGFENCE_ORDERED_ON_DEVICE);
    // Memory that was there already has nothing to follow.
    let ready = out(|memory| ringfence_pool_adopt(pool, 0x7000, 8, at(&KEY), memory));
    let empty = out(|stamp| ringfence_memory_stamp(ready, stamp));
    assert_eq!(follows(other, empty), RINGFENCE_ORDERED_ALREADY);
    assert_eq!(ringfence_memory_stamp(ready, Out::NULL), RINGFENCE_INVALID_ARGUMENT);
    // The memory goes with its stamp, as with any.
    ok(ringfence_pool_retire(pool, array, mark, Out::NULL));
    ok(ringfence_pool_retire(pool, ready, empty, Out::NULL));
    toy.pending.store(false, SeqCst);
    assert_eq!(
        ringfence_memory_stamp(array, to(&mut std::mem::MaybeUninit::uninit())),
        RINGFENCE_STALE_HANDLE
    );
    for lease in [lease, other] {
        ok(ringfence_lease_release(lease));
    }
    pump(pool);
    shut_down(pool);
}

/// Leases that a capture is to follow, and what it answers.
struct Joins {
    leases: [ringfence_lease_t; 2],
    got: [ringfence_status_t; 2],
}
unsafe extern "C-unwind" fn join_both(argument: *mut c_void, capture: ringfence_capture_t) -> i32 {
    // SAFETY: the test passes one that is there, and looks at it only after the call.
    let joins = unsafe { &mut *argument.cast::<Joins>() };
    joins.got = joins.leases.map(|lease| ringfence_capture_join(capture, lease));
    0
}

#[test]
fn a_capture_follows_what_was_forked_from_it_alone() {
    let (toy, other) = (Toy::new(), Toy::new());
    let (pool, strange) = (toy.pool(), other.pool());
    let lease = acquire(pool);
    let leases = [acquire(strange), acquire(pool)];
    let mut joins = Joins { leases, got: [RINGFENCE_OK; 2] };
    let (mode, argument) = (RINGFENCE_CAPTURE_MODE_RELAXED, (&raw mut joins).cast());
    let graph =
        out(|graph| ringfence_pool_capture(pool, lease, mode, Some(join_both), argument, graph));
    assert_eq!(joins.got, [RINGFENCE_OTHER_POOL, RINGFENCE_STALE_STREAM]);
    ok(ringfence_graph_release(graph));
    for lease in [lease, leases[0], leases[1]] {
        ok(ringfence_lease_release(lease));
    }
    pump(pool);
    shut_down(pool);
    shut_down(strange);
}
