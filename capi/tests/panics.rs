//! Nothing unwinds across the border: a panic becomes a status, and poisons what the call had to itself.

mod common;

use std::{ffi::c_void, mem::MaybeUninit, sync::atomic::Ordering::SeqCst};

use common::{
    KEY, NULL, Toy, acquire, address, at, message, new_array, nothing, ok, out, pump, shut_down,
    stamp, to, write,
};
use ringfence_capi::{ringfence_status_t::*, *};

unsafe extern "C-unwind" fn throws(
    _argument: *mut c_void,
    _stream: u64,
) -> ringfence_driver_error_t {
    panic!("submit threw");
}

#[test]
fn a_submission_that_throws_poisons_its_lease_alone() {
    let toy = Toy::new();
    let pool = toy.pool();
    let (lease, other) = (acquire(pool), acquire(pool));
    let (array, mark) = new_array(pool, lease);
    let at = address(array);
    toy.pending.store(true, SeqCst);
    let uses = [ringfence_array_use_t { stamp: mark, access: RINGFENCE_ACCESS_WRITE, reserved: 0 }];
    // SAFETY: the array is there.
    let status = unsafe {
        ringfence_pool_submit(pool, lease, uses.as_ptr(), 1, Some(throws), NULL, Out::NULL)
    };
    assert_eq!(status, RINGFENCE_PANIC);
    assert!(message().contains("submit threw"), "{}", message());
    // The lease can only be released; the pool, the other lease and the array go on.
    assert_eq!(write(pool, lease, mark), RINGFENCE_POISONED);
    assert!(message().contains("close it, and make another"), "{}", message());
    assert_eq!(ringfence_lease_stream(lease, to(&mut MaybeUninit::uninit())), RINGFENCE_POISONED);
    ok(write(pool, other, stamp()));
    // What it submitted before it threw may run: the array remembers it, and its stream is not handed on.
    let how = out(|how| ringfence_pool_order_after(pool, other, mark, RINGFENCE_ACCESS_READ, how));
    assert_eq!(how, RINGFENCE_ORDERED_ON_DEVICE);
    ok(ringfence_lease_release(lease));
    let created = toy.created.load(SeqCst);
    let third = acquire(pool);
    assert_eq!(toy.created.load(SeqCst), created + 1, "the stream still drains");
    toy.pending.store(false, SeqCst);
    ok(ringfence_pool_retire(pool, array, mark, Out::NULL));
    assert_eq!(toy.freed(), [at]);
    for lease in [other, third] {
        ok(ringfence_lease_release(lease));
    }
    pump(pool);
    shut_down(pool);
}

#[test]
fn a_creation_that_throws_is_taken_back() {
    let toy = Toy::new();
    let pool = toy.pool();
    toy.panics.store(true, SeqCst);
    let status = ringfence_pool_acquire(pool, at(&KEY), to(&mut MaybeUninit::uninit()));
    assert_eq!(status, RINGFENCE_PANIC);
    // A pool is shared: it goes on.
    let lease = acquire(pool);
    let mut tally =
        ringfence_tally_t { size: size_of::<ringfence_tally_t>(), ..Default::default() };
    // SAFETY: the structure is there.
    ok(unsafe { ringfence_pool_tally(pool, In::NULL, &raw mut tally) });
    assert_eq!((tally.leased, tally.creating), (1, 0));
    ok(ringfence_lease_release(lease));
    shut_down(pool);
    assert_eq!(toy.created.load(SeqCst), toy.destroyed.load(SeqCst));
}

unsafe extern "C-unwind" fn throws_in_a_capture(
    kept: *mut c_void,
    capture: ringfence_capture_t,
) -> i32 {
    // SAFETY: the test passes a place that is there.
    unsafe { kept.cast::<ringfence_capture_t>().write(capture) };
    panic!("record threw");
}

#[test]
fn a_capture_that_throws_is_ended() {
    let toy = Toy::new();
    let pool = toy.pool();
    let lease = acquire(pool);
    let mut kept = ringfence_capture_t::default();
    let mut graph = MaybeUninit::uninit();
    let status = ringfence_pool_capture(
        pool,
        lease,
        RINGFENCE_CAPTURE_MODE_THREAD_LOCAL,
        Some(throws_in_a_capture),
        (&raw mut kept).cast(),
        to(&mut graph),
    );
    assert_eq!(status, RINGFENCE_PANIC);
    assert_eq!(ringfence_capture_submit(kept, Some(nothing), NULL), RINGFENCE_STALE_HANDLE);
    assert_eq!(write(pool, lease, stamp()), RINGFENCE_POISONED);
    ok(ringfence_lease_release(lease));
    pump(pool);
    shut_down(pool);
    assert_eq!(toy.created.load(SeqCst), toy.destroyed.load(SeqCst));
}

/// A capture's handle is of use on its own thread alone.
unsafe extern "C-unwind" fn on_another_thread(
    got: *mut c_void,
    capture: ringfence_capture_t,
) -> i32 {
    let elsewhere =
        std::thread::spawn(move || ringfence_capture_submit(capture, Some(nothing), NULL));
    // SAFETY: the test passes a place that is there.
    unsafe { got.cast::<ringfence_status_t>().write(elsewhere.join().expect("no panic there")) };
    ok(ringfence_capture_submit(capture, Some(nothing), NULL));
    0
}

#[test]
fn a_capture_stays_on_its_thread() {
    let toy = Toy::new();
    let pool = toy.pool();
    let lease = acquire(pool);
    let mut got = RINGFENCE_OK;
    let mode = RINGFENCE_CAPTURE_MODE_RELAXED;
    let argument = (&raw mut got).cast();
    let graph = out(|graph| {
        ringfence_pool_capture(pool, lease, mode, Some(on_another_thread), argument, graph)
    });
    assert_eq!(got, RINGFENCE_WRONG_THREAD);
    ok(ringfence_graph_release_later(pool, graph));
    assert_eq!(ringfence_graph_release(graph), RINGFENCE_STALE_HANDLE);
    ok(ringfence_lease_release(lease));
    pump(pool);
    shut_down(pool);
}
