//! Pointers of the caller's: looked at before anything is done, read at once, and written at the end.

mod common;

use std::{ffi::c_void, mem::MaybeUninit};

use common::{KEY, Toy, acquire, message, new_array, ok, out, pump, shut_down, stamp, to};
use ringfence_capi::{ringfence_status_t::*, *};

/// What a caller of C keeps together: the output beside what the callback works with.
struct Job {
    how: MaybeUninit<u32>,
    key: ringfence_stream_key_t,
    seen: u32,
}
unsafe extern "C-unwind" fn look(argument: *mut c_void, _stream: u64) -> ringfence_driver_error_t {
    // SAFETY: the test passes one that is there, and has no other reference to it.
    let job = unsafe { &mut *argument.cast::<Job>() };
    // SAFETY: the test wrote it.
    job.seen = unsafe { job.how.assume_init() };
    job.how.write(99);
    job.key.device = 1;
    ringfence_driver_error_t::default()
}

#[test]
fn a_callback_may_touch_what_its_caller_passed() {
    let toy = Toy::new();
    let pool = toy.pool();
    let owners =
        out(|owners| ringfence_owners_create(pool, Some(running), std::ptr::null_mut(), 0, owners));
    let mut job = Job { how: MaybeUninit::new(77), key: KEY, seen: 0 };
    let job = &raw mut job;
    // SAFETY: the job is there.
    let how = unsafe { &raw mut (*job).how };
    // SAFETY: as above.
    let key = unsafe { &raw const (*job).key };
    // SAFETY: no reference to a part of the job is kept over the call.
    let (how, key) = (unsafe { Out::new(how.cast()) }, unsafe { In::new(key) });
    // SAFETY: no array is named, and the job outlives the call.
    ok(unsafe {
        ringfence_owners_submit(owners, 1, key, std::ptr::null(), 0, Some(look), job.cast(), how)
    });
    // SAFETY: the job is there, and the call is over.
    let job = unsafe { &*job };
    // SAFETY: a call that is fine writes its output.
    let how = unsafe { job.how.assume_init() };
    assert_eq!((job.seen, how), (77, RINGFENCE_ORDERED_ALREADY), "written at the end alone");
    ok(ringfence_owners_destroy(owners));
    shut_down(pool);
}
unsafe extern "C-unwind" fn running(_context: *mut c_void, _owner: u64) -> u32 {
    RINGFENCE_OWNER_RUNNING
}

#[test]
fn one_place_may_serve_two_outputs() {
    let pool = Toy::new().pool();
    let lease = acquire(pool);
    let (array, mark) = new_array(pool, lease);
    let mut dummy = MaybeUninit::new(0_u64);
    ok(ringfence_memory_address(array, to(&mut dummy), to(&mut dummy)));
    // SAFETY: it was written.
    assert_eq!(unsafe { dummy.assume_init() }, 8, "the one that is written last");
    ok(ringfence_pool_retire(pool, array, mark, Out::NULL));
    ok(ringfence_lease_release(lease));
    shut_down(pool);
}

#[test]
fn a_place_that_is_not_aligned_is_refused_before_anything_is_done() {
    let toy = Toy::new();
    let pool = toy.pool();
    let lease = acquire(pool);
    let (array, mark) = new_array(pool, lease);
    let mut room = [0_u64; 16];
    let crooked = room.as_mut_ptr().cast::<u8>().wrapping_add(1);
    let refused = |status, name: &str| {
        assert_eq!(status, RINGFENCE_INVALID_ARGUMENT, "{name}");
        assert!(message().starts_with(&format!("`{name}` is 0x")), "{}", message());
        assert!(message().contains("a multiple of"), "{}", message());
    };
    // SAFETY: what is there may be written, and is refused.
    let done = || unsafe { Out::new(crooked.cast()) };
    refused(ringfence_pool_retire(pool, array, mark, done()), "done");
    // SAFETY: what is there may be read, and is refused.
    let key = || unsafe { In::new(crooked.cast()) };
    refused(ringfence_pool_acquire(pool, key(), to(&mut MaybeUninit::uninit())), "key");
    // SAFETY: as above.
    let status = unsafe { ringfence_pool_pump(pool, crooked.cast()) };
    refused(status, "pumped");
    // SAFETY: as above.
    let status = unsafe { ringfence_pool_options_init(crooked.cast(), 64) };
    refused(status, "options");
    assert_eq!((toy.freed().len(), room), (0, [0; 16]));
    ok(ringfence_pool_retire(pool, array, mark, Out::NULL));
    ok(ringfence_lease_release(lease));
    shut_down(pool);
}

#[test]
fn a_call_looks_at_the_size_of_its_answer_before_it_acts() {
    let toy = Toy::new();
    let pool = toy.pool();
    let lease = acquire(pool);
    let (array, mark) = new_array(pool, lease);
    ok(ringfence_pool_retire_later(pool, array, mark));
    let mut small = ringfence_pumped_t { size: 8, ..Default::default() };
    // SAFETY: the structure is there, and its size is looked at first.
    let status = unsafe { ringfence_pool_pump(pool, &raw mut small) };
    assert_eq!((status, small.handed_in), (RINGFENCE_ABI_MISMATCH, 0));
    assert_eq!(toy.freed().len(), 0, "nothing was taken over");
    let mut left = ringfence_shut_down_t::default();
    // SAFETY: as above.
    let status = unsafe { ringfence_pool_shutdown(pool, &raw mut left) };
    assert_eq!(status, RINGFENCE_ABI_MISMATCH);
    ok(common::write(pool, lease, stamp()));
    pump(pool);
    assert_eq!(toy.freed().len(), 1);
    ok(ringfence_lease_release(lease));
    shut_down(pool);
}
