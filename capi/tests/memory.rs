//! Memory is given up with its own stamp, to its own pool, and ends also when that is gone.

mod common;

use std::{
    ffi::c_void,
    sync::{Mutex, atomic::Ordering::SeqCst},
};

use common::{
    KEY, NULL, Toy, acquire, address, memory, message, new_array, ok, out, pump, shut_down, stamp,
    to, write,
};
use ringfence_capi::{ringfence_status_t::*, *};

const NONE: ringfence_stamp_t = ringfence_stamp_t { handle: 0 };

#[test]
fn memory_gives_one_stamp_and_is_given_up_with_that_one_alone() {
    let toy = Toy::new();
    let pool = toy.pool();
    let lease = acquire(pool);
    let (array, mark) = new_array(pool, lease);
    let mut again = std::mem::MaybeUninit::new(NONE);
    assert_eq!(ringfence_memory_stamp(array, to(&mut again)), RINGFENCE_OUT_OF_ORDER);
    assert!(message().contains("already"), "{}", message());
    // SAFETY: it was written.
    assert_eq!(unsafe { again.assume_init() }, NONE);
    let other = stamp();
    for wrong in [NONE, other] {
        assert_eq!(ringfence_pool_retire(pool, array, wrong, Out::NULL), RINGFENCE_OTHER_STAMP);
        assert!(message().contains(&format!("{:#x}", mark.handle)), "{}", message());
        assert_eq!(ringfence_pool_retire_later(pool, array, wrong), RINGFENCE_OTHER_STAMP);
    }
    assert_eq!(toy.freed().len(), 0);
    ok(ringfence_stamp_destroy(other));
    ok(ringfence_pool_retire(pool, array, mark, Out::NULL));
    // Memory that gave none goes with any, or with none.
    let of_mine = stamp();
    ok(ringfence_pool_retire(pool, memory(pool, lease), of_mine, Out::NULL));
    ok(ringfence_pool_retire_later(pool, memory(pool, lease), NONE));
    pump(pool);
    assert_eq!(toy.freed().len(), 3);
    ok(ringfence_lease_release(lease));
    shut_down(pool);
}

#[test]
fn a_stamp_that_another_pools_work_is_in_frees_nothing() {
    let (toy, foreign) = (Toy::new(), Toy::new().pool());
    let pool = toy.pool();
    let (lease, elsewhere) = (acquire(pool), acquire(foreign));
    let mark = stamp();
    ok(write(foreign, elsewhere, mark));
    let array = memory(pool, lease);
    assert_eq!(ringfence_pool_retire(pool, array, mark, Out::NULL), RINGFENCE_OTHER_POOL);
    assert!(message().contains("the stamp came from another pool"), "{}", message());
    assert_eq!(ringfence_pool_retire_later(pool, array, mark), RINGFENCE_OTHER_POOL);
    assert_eq!(ringfence_pool_retire(foreign, array, NONE, Out::NULL), RINGFENCE_OTHER_POOL);
    // Nothing was taken.
    ok(ringfence_stamp_destroy(mark));
    ok(ringfence_pool_retire(pool, array, NONE, Out::NULL));
    assert_eq!(toy.freed().len(), 1);
    for (pool, lease) in [(pool, lease), (foreign, elsewhere)] {
        ok(ringfence_lease_release(lease));
        shut_down(pool);
    }
}

unsafe extern "C-unwind" fn record(_argument: *mut c_void, _in: ringfence_capture_t) -> i32 {
    0
}

#[test]
fn what_outlives_its_pool_is_given_up_as_ever() {
    let toy = Toy::new();
    let pool = toy.pool();
    let lease = acquire(pool);
    let [first, second] = [(); 2].map(|()| new_array(pool, lease));
    let (third, lost) = (memory(pool, lease), new_array(pool, lease));
    let mode = RINGFENCE_CAPTURE_MODE_RELAXED;
    let graph = out(|graph| ringfence_pool_capture(pool, lease, mode, Some(record), NULL, graph));
    ok(ringfence_lease_release(lease));
    shut_down(pool);

    let other = Toy::new().pool();
    assert_eq!(ringfence_pool_retire_later(other, first.0, first.1), RINGFENCE_OTHER_POOL);
    assert_eq!(
        ringfence_pool_retire(pool, first.0, second.1, Out::NULL),
        RINGFENCE_OTHER_STAMP,
        "also then"
    );
    let became = out(|became| ringfence_pool_retire(pool, first.0, first.1, became));
    assert_eq!(became, RINGFENCE_FREED_LEAKED);
    ok(ringfence_pool_retire_later(pool, second.0, second.1));
    ok(ringfence_graph_release_later(pool, graph));
    for handle in [first.0, second.0] {
        assert_eq!(ringfence_memory_forget(handle), RINGFENCE_STALE_HANDLE);
    }
    for mark in [first.1, second.1] {
        assert_eq!(ringfence_stamp_destroy(mark), RINGFENCE_STALE_HANDLE);
    }
    assert_eq!(ringfence_graph_release(graph), RINGFENCE_STALE_HANDLE);
    // By somebody who knows neither the pool nor the stamp any more.
    address(third);
    ok(ringfence_memory_forget(third));
    ok(ringfence_stamp_destroy(lost.1));
    ok(ringfence_memory_forget(lost.0));
    assert_eq!(toy.freed(), [0; 0]);
    shut_down(other);
}

/// Held by the test for as long as a wait on the host is to last.
static GATE: Mutex<()> = Mutex::new(());
unsafe extern "C-unwind" fn wait(context: *mut c_void, _event: u64, _limit: u64) -> u32 {
    // SAFETY: every table here has a `Toy` that lives for ever.
    let toy = unsafe { &*context.cast::<Toy>() };
    toy.panics.store(true, SeqCst); // it has come
    drop(GATE.lock());
    RINGFENCE_WAIT_FINISHED
}

#[test]
fn a_stamp_that_is_waited_for_is_free() {
    let toy = Toy::new();
    let mut table = toy.table();
    table.synchronize_event = Some(wait);
    // SAFETY: the table is there, and its driver lives for ever.
    let pool =
        out(|pool| unsafe { ringfence_pool_create(&raw const table, std::ptr::null(), pool) });
    let lease = acquire(pool);
    let (array, mark) = new_array(pool, lease);
    ok(write(pool, lease, mark));
    toy.pending.store(true, SeqCst);
    let gate = GATE.lock().expect("no test panics with it");
    let waits = std::thread::spawn(move || {
        ringfence_pool_synchronize(pool, mark, RINGFENCE_ACCESS_READ, u64::MAX)
    });
    while !toy.panics.load(SeqCst) {
        std::hint::spin_loop();
    }
    // Another task writes the array meanwhile, and a finalizer gives it up.
    ok(write(pool, lease, mark));
    ok(ringfence_pool_retire_later(pool, array, mark));
    drop(gate);
    ok(waits.join().expect("it panics not"));
    toy.panics.store(false, SeqCst);
    toy.pending.store(false, SeqCst);
    pump(pool);
    assert_eq!(toy.freed().len(), 1);
    ok(ringfence_lease_release(lease));
    shut_down(pool);
}

#[test]
fn a_lease_is_left_by_what_is_refused_at_the_door_and_taken_by_the_rest() {
    let (toy, other) = (Toy::new(), Toy::new().pool());
    let pool = toy.pool();
    let lease = acquire(pool);
    let mut raw = std::mem::MaybeUninit::uninit();
    assert_eq!(ringfence_pool_disown(other, lease, to(&mut raw)), RINGFENCE_OTHER_POOL);
    assert_eq!(ringfence_pool_disown(pool, lease, Out::NULL), RINGFENCE_INVALID_ARGUMENT);
    toy.state.store(RINGFENCE_STATE_FORKED, SeqCst);
    assert_eq!(ringfence_pool_disown(pool, lease, to(&mut raw)), RINGFENCE_FORKED);
    assert_eq!(ringfence_pool_unwrap_external(pool, lease), RINGFENCE_FORKED);
    toy.state.store(RINGFENCE_STATE_READY, SeqCst);
    ok(ringfence_lease_stream(lease, to(&mut std::mem::MaybeUninit::uninit())));
    // A stream of the pool's own is none that could be unwrapped; the caller wanted to be rid of it.
    assert_eq!(ringfence_pool_unwrap_external(pool, lease), RINGFENCE_STALE_STREAM);
    assert_eq!(ringfence_lease_release(lease), RINGFENCE_STALE_HANDLE);
    ok(ringfence_lease_release(out(|lease| ringfence_pool_acquire(pool, common::at(&KEY), lease))));
    shut_down(other);
    shut_down(pool);
}
