//! Owners that never say that they are done.

mod common;

use std::{
    ffi::c_void,
    mem::MaybeUninit,
    sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst},
};

use common::{KEY, NULL, Toy, at, message, nothing, ok, out, pump, shut_down, to};
use ringfence_capi::{ringfence_status_t::*, *};

/// What the probe says of owners 0 to 3.
#[derive(Default)]
struct Runtime {
    says: [AtomicU32; 4],
    asked: AtomicU32,
}
unsafe extern "C-unwind" fn probe(context: *mut c_void, owner: u64) -> u32 {
    // SAFETY: every table here has a `Runtime` that lives for ever.
    let runtime = unsafe { &*context.cast::<Runtime>() };
    runtime.asked.fetch_add(1, SeqCst);
    runtime.says[owner as usize].load(SeqCst)
}
fn table(pool: ringfence_pool_t) -> (&'static Runtime, ringfence_owners_t) {
    let runtime: &'static Runtime = Box::leak(Box::default());
    let context = std::ptr::from_ref(runtime).cast_mut().cast();
    (runtime, out(|owners| ringfence_owners_create(pool, Some(probe), context, 0, owners)))
}
fn stream(
    owners: ringfence_owners_t,
    owner: u64,
    key: &ringfence_stream_key_t,
) -> ringfence_stream_ref_t {
    out(|stream| ringfence_owners_stream(owners, owner, at(key), stream))
}
fn count(owners: ringfence_owners_t) -> u64 {
    out(|count| ringfence_owners_count(owners, count))
}
const HIGH: ringfence_stream_key_t =
    ringfence_stream_key_t { priority: RINGFENCE_PRIORITY_HIGH, ..KEY };

#[test]
fn an_owner_keeps_its_streams_until_the_probe_says_that_it_is_over() {
    let toy = Toy::new();
    let pool = toy.pool();
    let (runtime, owners) = table(pool);
    let first = stream(owners, 0, &KEY);
    let urgent = stream(owners, 0, &HIGH);
    assert_ne!(first.stream, urgent.stream);
    assert_eq!(stream(owners, 0, &KEY), first, "switching away and back gives the same one");
    // A number that is none counts as running.
    runtime.says[0].store(99, SeqCst);
    let second = stream(owners, 1, &KEY);
    assert_ne!(second.stream, first.stream);
    assert_eq!(count(owners), 2);
    // It is over, though nobody said so: the next one gets its stream, under another generation.
    runtime.says[0].store(RINGFENCE_OWNER_DONE, SeqCst);
    let asked = runtime.asked.load(SeqCst);
    let third = stream(owners, 2, &KEY);
    assert!(runtime.asked.load(SeqCst) > asked);
    assert_eq!((third.stream, third.generation), (first.stream, first.generation + 1));
    assert_eq!(count(owners), 2);
    // A collector took another; a sweep finds out.
    runtime.says[1].store(RINGFENCE_OWNER_GONE, SeqCst);
    assert_eq!(out(|over| ringfence_owners_sweep(owners, over)), 1);
    ok(ringfence_owners_done(owners, 2));
    assert_eq!(count(owners), 0);
    // The pool stays as long as its table.
    assert_eq!(ringfence_pool_destroy(pool), RINGFENCE_IN_USE);
    assert!(message().contains("1 owner tables"), "{}", message());
    ok(ringfence_owners_destroy(owners));
    pump(pool);
    shut_down(pool);
    assert_eq!(toy.created.load(SeqCst), toy.destroyed.load(SeqCst));
}

/// What a task's kernel launch tries while it has the task's streams.
struct Inside {
    owners: ringfence_owners_t,
    got: Vec<ringfence_status_t>,
}
unsafe extern "C-unwind" fn intrude(
    argument: *mut c_void,
    _stream: u64,
) -> ringfence_driver_error_t {
    // SAFETY: the test passes one that is there, and looks at it only after the call.
    let inside = unsafe { &mut *argument.cast::<Inside>() };
    let mut stream = MaybeUninit::uninit();
    inside.got.push(ringfence_owners_stream(inside.owners, 0, at(&KEY), to(&mut stream)));
    inside.got.push(ringfence_owners_stream(inside.owners, 1, at(&KEY), to(&mut stream)));
    inside.got.push(ringfence_owners_destroy(inside.owners));
    ringfence_driver_error_t { kind: RINGFENCE_DRIVER_OTHER, code: 42 }
}

#[test]
fn one_call_at_a_time_has_an_owners_streams() {
    let toy = Toy::new();
    let pool = toy.pool();
    let (_runtime, owners) = table(pool);
    let mut inside = Inside { owners, got: Vec::new() };
    let argument = (&raw mut inside).cast();
    // SAFETY: no array is named; the argument outlives the call.
    let status = unsafe {
        ringfence_owners_submit(
            owners,
            0,
            at(&KEY),
            std::ptr::null(),
            0,
            Some(intrude),
            argument,
            Out::NULL,
        )
    };
    assert_eq!(status, RINGFENCE_DRIVER, "what the submission itself said");
    assert!(message().contains("(error 42)"), "{}", message());
    assert_eq!(inside.got, [RINGFENCE_OWNER_IN_USE, RINGFENCE_OK, RINGFENCE_IN_USE]);
    // SAFETY: no array is named.
    ok(unsafe {
        ringfence_owners_submit(
            owners,
            0,
            at(&KEY),
            std::ptr::null(),
            0,
            Some(nothing),
            NULL,
            Out::NULL,
        )
    });
    ok(ringfence_owners_destroy(owners));
    assert_eq!(ringfence_owners_count(owners, Out::NULL), RINGFENCE_STALE_HANDLE);
    pump(pool);
    shut_down(pool);
}

/// What a task does with its stream past the table's own calls.
struct Steps {
    pool: ringfence_pool_t,
    owners: ringfence_owners_t,
    mark: ringfence_stamp_t,
    raw: u64,
    lease: ringfence_lease_t,
    got: Vec<ringfence_status_t>,
    says: i32,
}
unsafe extern "C-unwind" fn step(argument: *mut c_void, lease: ringfence_lease_t) -> i32 {
    // SAFETY: the test passes one that is there, and looks at it only after the call.
    let steps = unsafe { &mut *argument.cast::<Steps>() };
    let pool = steps.pool;
    steps.lease = lease;
    steps.raw = out(|raw| ringfence_pool_expose(pool, lease, raw));
    ok(ringfence_pool_order_after(pool, lease, steps.mark, RINGFENCE_ACCESS_WRITE, Out::NULL));
    ok(ringfence_stamp_note(steps.mark, pool, lease, RINGFENCE_ACCESS_WRITE));
    let memory = common::memory(pool, lease);
    ok(ringfence_pool_retire(pool, memory, ringfence_stamp_t::default(), Out::NULL));
    // It is the owner's: nobody ends it here, and nobody else has the owner's streams.
    let mut raw = MaybeUninit::uninit();
    let mut stream = MaybeUninit::uninit();
    steps.got.extend([
        ringfence_lease_release(lease),
        ringfence_pool_disown(pool, lease, to(&mut raw)),
        ringfence_pool_unwrap_external(pool, lease),
        ringfence_owners_stream(steps.owners, 0, at(&KEY), to(&mut stream)),
        ringfence_owners_stream(steps.owners, 1, at(&KEY), to(&mut stream)),
    ]);
    steps.says
}

#[test]
fn an_owners_stream_is_lent_for_all_that_its_table_does_not_do() {
    let toy = Toy::new();
    let pool = toy.pool();
    let (_runtime, owners) = table(pool);
    let mark = common::stamp();
    let lease = ringfence_lease_t::default();
    let mut steps = Steps { pool, owners, mark, raw: 0, lease, got: Vec::new(), says: 0 };
    ok(ringfence_owners_with(owners, 0, at(&KEY), Some(step), (&raw mut steps).cast()));
    let refused = [RINGFENCE_IN_USE; 3];
    assert_eq!(steps.got[..3], refused);
    assert_eq!(steps.got[3..], [RINGFENCE_OWNER_IN_USE, RINGFENCE_OK]);
    // The lease was good inside alone; the stream is the owner's on.
    assert_eq!(ringfence_lease_release(steps.lease), RINGFENCE_STALE_HANDLE);
    let (raw, of) = (steps.raw, stream(owners, 0, &KEY));
    steps.says = 7;
    let argument = (&raw mut steps).cast();
    let status = ringfence_owners_with(owners, 0, at(&KEY), Some(step), argument);
    assert_eq!(status, RINGFENCE_GIVEN_UP);
    assert!(message().contains("returned 7"), "{}", message());
    assert_eq!((steps.raw, stream(owners, 0, &KEY)), (raw, of), "always the same one");
    assert_eq!(ringfence_owners_with(owners, 0, at(&KEY), None, NULL), RINGFENCE_INVALID_ARGUMENT);
    ok(ringfence_stamp_destroy(mark));
    ok(ringfence_owners_destroy(owners));
    pump(pool);
    shut_down(pool);
    assert_eq!(toy.created.load(SeqCst), toy.destroyed.load(SeqCst));
}

unsafe extern "C-unwind" fn bomb(_argument: *mut c_void, _lease: ringfence_lease_t) -> i32 {
    panic!("a callback that panics")
}
#[test]
fn a_callback_that_panics_leaves_its_owner_the_stream() {
    let toy = Toy::new();
    let pool = toy.pool();
    let (_runtime, owners) = table(pool);
    let of = stream(owners, 0, &KEY);
    let status = ringfence_owners_with(owners, 0, at(&KEY), Some(bomb), NULL);
    assert_eq!(status, RINGFENCE_PANIC);
    assert_eq!(stream(owners, 0, &KEY), of);
    ok(ringfence_owners_destroy(owners));
    shut_down(pool);
}

#[test]
fn an_owner_that_was_handed_in_is_over_before_its_number_is_used_again() {
    const ROUNDS: usize = 4000;
    let toy = Toy::new();
    let pool = toy.pool();
    let (_runtime, owners) = table(pool);
    let ends = AtomicBool::new(false);
    std::thread::scope(|threads| {
        // Another thread takes over what is handed in: it may have the number out while the next task has it.
        threads.spawn(|| {
            while !ends.load(SeqCst) {
                ok(ringfence_owners_sweep(owners, Out::NULL));
            }
        });
        let unended = (0..ROUNDS).find(|_| {
            let first = stream(owners, 0, &KEY);
            let again = stream(owners, 0, &KEY);
            ok(ringfence_owners_done_later(owners, 0));
            again != first
        });
        ends.store(true, SeqCst);
        assert_eq!(unended, None, "the end of the task before was the end of this one");
    });
    ok(ringfence_owners_destroy(owners));
    pump(pool);
    shut_down(pool);
}
