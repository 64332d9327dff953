//! A pool's life: caps, warnings, streams from elsewhere, resets, forks, losses, ends.

mod common;

use std::{ffi::c_void, mem::MaybeUninit, sync::atomic::Ordering::SeqCst};

use common::{
    KEY, Toy, acquire, at, memory, message, new_array, ok, options, out, pump, shut_down, stamp,
    to, write,
};
use ringfence_capi::{ringfence_status_t::*, *};

fn pool_with(toy: &'static Toy, options: &ringfence_pool_options_t) -> ringfence_pool_t {
    let table = toy.table();
    // SAFETY: both structures are there, and the driver lives for ever.
    out(|pool| unsafe { ringfence_pool_create(&raw const table, &raw const *options, pool) })
}
fn tally(pool: ringfence_pool_t) -> ringfence_tally_t {
    let mut tally =
        ringfence_tally_t { size: size_of::<ringfence_tally_t>(), ..Default::default() };
    // SAFETY: the structure is there.
    ok(unsafe { ringfence_pool_tally(pool, at(&KEY), &raw mut tally) });
    tally
}
fn try_acquire(pool: ringfence_pool_t) -> ringfence_status_t {
    ringfence_pool_acquire(pool, at(&KEY), to(&mut MaybeUninit::uninit()))
}

#[test]
fn the_defaults_are_those_of_the_core_and_0_places_stand_for_4096() {
    let toy = Toy::new();
    let core = ringfence::stream::PoolOptions::default();
    let mut own = options();
    assert_eq!(
        (own.idle_cap, own.live_cap, own.looks, own.warn_past),
        (core.idle_cap, 0, core.looks, core.warn_past)
    );
    assert_eq!(u128::from(own.wait_limit), core.wait_limit.as_nanos());
    assert_eq!(own.hand_in, 4096);
    own.hand_in = 0;
    let pool = pool_with(toy, &own);
    let lease = acquire(pool);
    for _ in 0..4096 {
        let (array, mark) = new_array(pool, lease);
        ok(ringfence_pool_retire_later(pool, array, mark));
    }
    let (array, mark) = new_array(pool, lease);
    assert_eq!(ringfence_pool_retire_later(pool, array, mark), RINGFENCE_FULL);
    ok(ringfence_pool_retire(pool, array, mark, Out::NULL));
    ok(ringfence_lease_release(lease));
    shut_down(pool);
    assert_eq!(toy.freed().len(), 4097);
    // What is refused does not release the caller's context.
    own.size = 8;
    let table = toy.table();
    let mut none = MaybeUninit::uninit();
    // SAFETY: both structures are there, and the size is looked at first.
    let status = unsafe { ringfence_pool_create(&raw const table, &raw const own, to(&mut none)) };
    assert_eq!((status, toy.released.load(SeqCst)), (RINGFENCE_ABI_MISMATCH, 1));
}

unsafe extern "C-unwind" fn crowd(told: *mut c_void, live: u32) {
    // SAFETY: the test passes a place that is there.
    unsafe { told.cast::<u32>().write(live) };
}

#[test]
fn a_full_pool_is_a_status_and_a_crowd_is_told_once() {
    let (toy, mut told) = (Toy::new(), 0_u32);
    let mut settings = options();
    settings.live_cap = 3;
    settings.warn_past = 1;
    settings.on_crowd = Some(crowd);
    settings.on_crowd_argument = (&raw mut told).cast();
    let pool = pool_with(toy, &settings);
    let leases = [(); 3].map(|()| acquire(pool));
    assert_eq!(try_acquire(pool), RINGFENCE_POOL_FULL);
    assert!(message().contains("the cap is 3"), "{}", message());
    assert!(told > 1, "{told}");
    let first = told;
    ok(ringfence_lease_release(leases[0]));
    let again = acquire(pool);
    assert_eq!(told, first, "once");
    for lease in [again, leases[1], leases[2]] {
        ok(ringfence_lease_release(lease));
    }
    pump(pool);
    let now = tally(pool);
    assert_eq!((now.idle, now.leased, now.draining), (3, 0, 0));
    assert_eq!(now.host_bytes, 8 * 3);
    // The first trim marks, and the second lets go.
    let trimmed: u32 = (0..2).map(|_| out(|count| ringfence_pool_trim(pool, count))).sum();
    assert_eq!((trimmed, tally(pool).idle), (3, 0));
    shut_down(pool);
}

#[test]
fn a_forked_child_calls_no_driver() {
    let toy = Toy::new();
    let pool = toy.pool();
    let (lease, other) = (acquire(pool), acquire(pool));
    let (array, mark) = new_array(pool, lease);
    let later = memory(pool, lease);
    ok(write(pool, lease, mark));
    toy.state.store(RINGFENCE_STATE_FORKED, SeqCst);
    let called =
        |toy: &Toy| (toy.created.load(SeqCst), toy.destroyed.load(SeqCst), toy.freed().len());
    let before = called(toy);
    assert_eq!(try_acquire(pool), RINGFENCE_FORKED);
    assert!(message().contains("forked"), "{}", message());
    assert_eq!(write(pool, lease, mark), RINGFENCE_FORKED);
    ok(ringfence_lease_release(lease));
    let became = out(|became| ringfence_pool_retire(pool, array, mark, became));
    assert_eq!(became, RINGFENCE_FREED_LEAKED);
    ok(ringfence_pool_retire_later(pool, later, ringfence_stamp_t::default()));
    // SAFETY: NULL is allowed.
    assert_eq!(unsafe { ringfence_pool_pump(pool, std::ptr::null_mut()) }, RINGFENCE_FORKED);
    // SAFETY: NULL is allowed.
    assert_eq!(unsafe { ringfence_pool_shutdown(pool, std::ptr::null_mut()) }, RINGFENCE_FORKED);
    ok(ringfence_lease_release(other));
    ok(ringfence_pool_destroy(pool));
    assert_eq!((called(toy), toy.released.load(SeqCst)), (before, 0));
}

#[test]
fn a_lost_device_and_an_end_are_told_apart() {
    let toy = Toy::new();
    let pool = toy.pool();
    let lease = acquire(pool);
    toy.state.store(RINGFENCE_STATE_LOST, SeqCst);
    assert_eq!(try_acquire(pool), RINGFENCE_DEVICE_LOST);
    ok(ringfence_lease_release(lease));
    ok(ringfence_pool_destroy(pool));

    let pool = Toy::new().pool();
    // SAFETY: NULL is allowed.
    ok(unsafe { ringfence_pool_shutdown(pool, std::ptr::null_mut()) });
    assert_eq!(try_acquire(pool), RINGFENCE_SHUT_DOWN);
    ok(ringfence_pool_destroy(pool));
}

#[test]
fn a_pool_that_is_destroyed_calls_no_driver_and_its_handles_end() {
    let toy = Toy::new();
    let pool = toy.pool();
    let lease = acquire(pool);
    let (array, mark) = new_array(pool, lease);
    let kept = memory(pool, lease);
    ok(ringfence_pool_retire_later(pool, array, mark));
    let freed = toy.freed();
    ok(ringfence_pool_destroy(pool));
    assert_eq!((toy.freed(), toy.destroyed.load(SeqCst)), (freed, 0));
    assert_eq!(toy.released.load(SeqCst), 1);
    // What was handed in is gone, and what was not outlives the pool.
    assert_eq!(ringfence_stamp_destroy(mark), RINGFENCE_STALE_HANDLE);
    assert_eq!(ringfence_memory_address(array, Out::NULL, Out::NULL), RINGFENCE_STALE_HANDLE);
    let again = (0..10_000).any(|_| {
        std::thread::yield_now(); // another test may have it for a moment
        stamp().handle >> 32 == mark.handle >> 32
    });
    assert!(again, "its place is used again");
    common::address(kept);
    assert_eq!(ringfence_pool_retire(pool, kept, mark, Out::NULL), RINGFENCE_STALE_HANDLE);
    ok(ringfence_lease_release(lease));
}

#[test]
fn a_device_that_was_reset_takes_its_streams_and_memory_along() {
    let toy = Toy::new();
    let pool = toy.pool();
    let lease = acquire(pool);
    let (array, mark) = new_array(pool, lease);
    ok(write(pool, lease, mark));
    ok(ringfence_pool_device_reset(pool, 0));
    assert_eq!(write(pool, lease, mark), RINGFENCE_STALE_STREAM);
    let became = out(|became| ringfence_pool_retire(pool, array, mark, became));
    assert_eq!(became, RINGFENCE_FREED_GONE);
    ok(ringfence_lease_release(lease));
    ok(ringfence_lease_release(acquire(pool)));
    pump(pool);
    shut_down(pool);
    assert_eq!(toy.freed(), [0; 0]);
}

#[test]
fn a_stream_of_somebody_else_is_wrapped_and_one_of_the_pool_is_known() {
    let toy = Toy::new();
    let pool = toy.pool();
    let lease = acquire(pool);
    let raw = out(|raw| ringfence_pool_expose(pool, lease, raw));
    let of = out(|of| ringfence_lease_stream(lease, of));
    let mut own = MaybeUninit::uninit();
    let is = out(|is| ringfence_pool_wrap_external(pool, raw, at(&KEY), to(&mut own), is));
    // SAFETY: a call that is fine writes its outputs.
    let own = unsafe { own.assume_init() };
    assert_eq!(own, ringfence_lease_t::default(), "its owner has the lease");
    assert_eq!(is, of);
    for default in 0..3 {
        let mut own = MaybeUninit::uninit();
        let status = ringfence_pool_wrap_external(pool, default, at(&KEY), to(&mut own), Out::NULL);
        assert_eq!(status, RINGFENCE_NOT_ONE_STREAM);
    }
    // Work by a raw handle is noted, and waited for.
    let external =
        out(|own| ringfence_pool_wrap_external(pool, 7_000_000, at(&KEY), own, Out::NULL));
    let mark = stamp();
    ok(ringfence_stamp_note(mark, pool, external, RINGFENCE_ACCESS_WRITE));
    toy.pending.store(true, SeqCst);
    let how = out(|how| ringfence_pool_order_after(pool, lease, mark, RINGFENCE_ACCESS_READ, how));
    assert_eq!(how, RINGFENCE_ORDERED_ON_DEVICE);
    // A second writer takes the place of the first where it says that it followed it.
    let both = stamp();
    ok(ringfence_stamp_note(both, pool, external, RINGFENCE_ACCESS_WRITE));
    ok(ringfence_stamp_note(both, pool, lease, RINGFENCE_ACCESS_WRITE));
    let after =
        || out(|how| ringfence_pool_order_after(pool, lease, both, RINGFENCE_ACCESS_WRITE, how));
    assert_eq!(after(), RINGFENCE_ORDERED_ON_DEVICE);
    ok(ringfence_stamp_replace(both, pool, lease));
    assert_eq!(after(), RINGFENCE_ORDERED_ALREADY);
    ok(ringfence_stamp_destroy(both));
    assert_eq!(
        ringfence_pool_synchronize(pool, mark, RINGFENCE_ACCESS_READ, 1),
        RINGFENCE_TIMED_OUT
    );
    toy.pending.store(false, SeqCst);
    ok(ringfence_pool_synchronize(pool, mark, RINGFENCE_ACCESS_READ, 1));
    assert_eq!(ringfence_pool_unwrap_external(Toy::new().pool(), external), RINGFENCE_OTHER_POOL);
    ok(ringfence_pool_unwrap_external(pool, external));
    // A stream that leaves the pool for good.
    assert_eq!(out(|own| ringfence_pool_disown(pool, lease, own)), raw);
    assert_eq!(ringfence_lease_release(lease), RINGFENCE_STALE_HANDLE);
    pump(pool);
    ok(ringfence_stamp_destroy(mark));
    shut_down(pool);
    assert_eq!(
        toy.destroyed.load(SeqCst) + 1,
        toy.created.load(SeqCst),
        "all but the one that left"
    );
}

#[test]
fn a_reserved_stream_is_nobodys_after_its_owner() {
    let toy = Toy::new();
    let pool = toy.pool();
    let own = out(|lease| ringfence_pool_reserve(pool, at(&KEY), lease));
    let of = out(|of| ringfence_lease_stream(own, of));
    ok(ringfence_lease_release(own));
    pump(pool);
    let next = acquire(pool);
    assert_ne!(out(|of| ringfence_lease_stream(next, of)).stream, of.stream);
    ok(ringfence_lease_release(next));
    shut_down(pool);
}
