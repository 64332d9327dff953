//! What a finalizer may call takes no lock and touches no allocator: counted, on the calling thread.

mod common;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    ffi::c_void,
    sync::Mutex,
};

use common::{KEY, NULL, Toy, acquire, at, new_array, nothing, ok, out, pump, shut_down, write};
use ringfence::sync::audit;
use ringfence_capi::{ringfence_status_t::*, *};

/// Counts every call of the allocator.
struct Counting;
thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}
fn count() {
    CALLS.with(|calls| calls.set(calls.get() + 1));
}
// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count();
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as promised by the caller.
        unsafe { System.realloc(at, layout, size) }
    }
}
#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Calls of the allocator, and locks of the library taken, by one call.
fn cost(call: impl FnOnce() -> ringfence_status_t) -> (ringfence_status_t, u64, u64) {
    let before = (CALLS.get(), audit::locks_taken());
    let status = call();
    (status, CALLS.get() - before.0, audit::locks_taken() - before.1)
}
#[track_caller]
fn free_of_cost(status: ringfence_status_t, call: impl FnOnce() -> ringfence_status_t) {
    assert_eq!(cost(call), (status, 0, 0), "status, calls of the allocator, locks");
}
unsafe extern "C-unwind" fn running(_context: *mut c_void, _owner: u64) -> u32 {
    RINGFENCE_OWNER_RUNNING
}
unsafe extern "C-unwind" fn record_nothing(
    _argument: *mut c_void,
    _capture: ringfence_capture_t,
) -> i32 {
    0
}

/// What a collector finalizes while a driver's table, written in its language, is called.
struct Left {
    pool: ringfence_pool_t,
    owners: ringfence_owners_t,
    lease: ringfence_lease_t,
    array: (ringfence_memory_t, ringfence_stamp_t),
    graph: ringfence_graph_t,
    stamp: ringfence_stamp_t,
    got: Vec<(ringfence_status_t, u64, u64)>,
}
static LEFT: Mutex<Option<Left>> = Mutex::new(None);
fn finalize() {
    let Some(mut left) =
        LEFT.try_lock().ok().and_then(|mut left| left.take_if(|left| left.got.is_empty()))
    else {
        return;
    };
    let pool = left.pool;
    left.got = vec![
        cost(|| ringfence_pool_retire_later(pool, left.array.0, left.array.1)),
        cost(|| ringfence_graph_release_later(pool, left.graph)),
        cost(|| ringfence_stamp_destroy_later(pool, left.stamp)),
        cost(|| ringfence_lease_release(left.lease)),
        cost(|| ringfence_owners_done_later(left.owners, 7)),
    ];
    *LEFT.lock().expect("nobody panics with it") = Some(left);
}
/// A stream's lock is held.
unsafe extern "C-unwind" fn query(_context: *mut c_void, _stream: u64) -> u32 {
    finalize();
    RINGFENCE_STREAM_STATE_IDLE
}
unsafe extern "C-unwind" fn probe(_context: *mut c_void, _owner: u64) -> u32 {
    finalize();
    RINGFENCE_OWNER_RUNNING
}

#[test]
fn a_finalizer_may_run_inside_an_entry_of_a_table_and_inside_a_probe() {
    let toy = Toy::new();
    let mut table = toy.table();
    table.query = Some(query);
    // SAFETY: the table is there, and its driver lives for ever.
    let pool =
        out(|pool| unsafe { ringfence_pool_create(&raw const table, std::ptr::null(), pool) });
    let owners = out(|owners| ringfence_owners_create(pool, Some(probe), NULL, 0, owners));
    for inside in ["an entry", "a probe"] {
        out(|of| ringfence_owners_stream(owners, 7, at(&KEY), of));
        let (lease, drains) = (acquire(pool), acquire(pool));
        ok(write(pool, drains, common::stamp()));
        ok(ringfence_lease_release(drains));
        let mode = RINGFENCE_CAPTURE_MODE_RELAXED;
        let graph = out(|graph| {
            ringfence_pool_capture(pool, lease, mode, Some(record_nothing), NULL, graph)
        });
        let (array, stamp) = (new_array(pool, lease), common::stamp());
        let left = Left { pool, owners, lease, array, graph, stamp, got: Vec::new() };
        *LEFT.lock().expect("nobody panics with it") = Some(left);
        match inside {
            "an entry" => pump(pool),
            _ => ok(ringfence_owners_sweep(owners, Out::NULL)),
        }
        let left = LEFT.lock().expect("nobody panics with it").take().expect("it is put back");
        assert_eq!(left.got, [(RINGFENCE_OK, 0, 0); 5], "{inside}");
    }
    pump(pool);
    pump(pool);
    assert_eq!(toy.freed().len(), 2);
    ok(ringfence_owners_destroy(owners));
    shut_down(pool);
}

#[test]
fn a_finalizers_calls_take_no_lock_and_allocate_nothing() {
    let toy = Toy::new();
    let pool = toy.pool_with(4);
    let lease = acquire(pool);
    let owners = out(|owners| ringfence_owners_create(pool, Some(running), NULL, 2, owners));
    // An owner that has a stream, so that its end is of consequence.
    // SAFETY: no array is named.
    ok(unsafe {
        ringfence_owners_submit(
            owners,
            1,
            at(&KEY),
            std::ptr::null(),
            0,
            Some(nothing),
            NULL,
            Out::NULL,
        )
    });
    let arrays: Vec<_> = (0..5).map(|_| new_array(pool, lease)).collect();
    for (_, mark) in &arrays {
        ok(write(pool, lease, *mark));
    }
    let stampless = common::memory(pool, lease);
    let mode = RINGFENCE_CAPTURE_MODE_RELAXED;
    let graphs = [0; 2].map(|_| {
        out(|graph| ringfence_pool_capture(pool, lease, mode, Some(record_nothing), NULL, graph))
    });

    // The counters count: what is no finalizer's call costs something.
    let (status, calls, locks) =
        cost(|| ringfence_pool_retire(pool, arrays[4].0, arrays[4].1, Out::NULL));
    assert_eq!(status, RINGFENCE_OK);
    assert!(calls > 0 && locks > 0, "{calls} calls of the allocator, {locks} locks");

    free_of_cost(RINGFENCE_OK, || ringfence_pool_retire_later(pool, arrays[0].0, arrays[0].1));
    free_of_cost(RINGFENCE_OK, || {
        ringfence_pool_retire_later(pool, stampless, ringfence_stamp_t::default())
    });
    free_of_cost(RINGFENCE_OTHER_STAMP, || {
        ringfence_pool_retire_later(pool, arrays[3].0, ringfence_stamp_t::default())
    });
    free_of_cost(RINGFENCE_OK, || ringfence_graph_release_later(pool, graphs[0]));
    free_of_cost(RINGFENCE_OK, || ringfence_pool_retire_later(pool, arrays[2].0, arrays[2].1));
    // Full, stale, foreign and 0: no more than the others.
    free_of_cost(RINGFENCE_FULL, || ringfence_pool_retire_later(pool, arrays[3].0, arrays[3].1));
    free_of_cost(RINGFENCE_FULL, || ringfence_graph_release_later(pool, graphs[1]));
    free_of_cost(RINGFENCE_STALE_HANDLE, || {
        ringfence_pool_retire_later(pool, arrays[0].0, arrays[0].1)
    });
    free_of_cost(RINGFENCE_BAD_HANDLE, || {
        ringfence_pool_retire_later(pool, ringfence_memory_t::default(), arrays[3].1)
    });
    free_of_cost(RINGFENCE_OK, || ringfence_owners_done_later(owners, 1));
    free_of_cost(RINGFENCE_OK, || ringfence_owners_done_later(owners, 2));
    free_of_cost(RINGFENCE_FULL, || ringfence_owners_done_later(owners, 3));
    let stamps = [common::stamp(), common::stamp()];
    free_of_cost(RINGFENCE_FULL, || ringfence_stamp_destroy_later(pool, stamps[0]));
    let lost = common::memory(pool, lease);
    free_of_cost(RINGFENCE_OK, || ringfence_memory_forget(lost));
    free_of_cost(RINGFENCE_OK, || ringfence_lease_release(lease));
    free_of_cost(RINGFENCE_STALE_HANDLE, || ringfence_lease_release(lease));

    assert_eq!(toy.freed().len(), 1, "a finalizer calls no driver");
    pump(pool);
    assert_eq!(toy.freed().len(), 4);
    ok(ringfence_pool_retire_later(pool, arrays[3].0, arrays[3].1));
    ok(ringfence_graph_release_later(pool, graphs[1]));
    free_of_cost(RINGFENCE_OK, || ringfence_stamp_destroy_later(pool, stamps[0]));
    free_of_cost(RINGFENCE_OK, || ringfence_stamp_destroy_later(pool, stamps[1]));
    pump(pool);
    assert_eq!(ringfence_stamp_destroy(stamps[0]), RINGFENCE_STALE_HANDLE);
    assert_eq!(toy.freed().len(), 5);
    assert_eq!(out(|over| ringfence_owners_sweep(owners, over)), 2);
    assert_eq!(out(|count| ringfence_owners_count(owners, count)), 0);
    ok(ringfence_owners_destroy(owners));
    shut_down(pool);
}
