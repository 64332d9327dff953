//! Tables, structures and messages: what is missing, too small, or unknown is said by name.

mod common;

use std::mem::MaybeUninit;

use common::{KEY, Toy, acquire, at, message, ok, out, shut_down, stamp, to};
use ringfence_capi::{ringfence_status_t::*, *};

fn create(table: &ringfence_stream_backend_t) -> ringfence_status_t {
    let mut pool = MaybeUninit::uninit();
    // SAFETY: the table is there.
    let status =
        unsafe { ringfence_pool_create(&raw const *table, std::ptr::null(), to(&mut pool)) };
    if status == RINGFENCE_OK {
        // SAFETY: a call that is fine writes its output.
        shut_down(unsafe { pool.assume_init() });
    }
    status
}

#[test]
fn a_table_without_a_required_entry_is_refused_by_name() {
    let toy = Toy::new();
    ok(create(&toy.table()));
    macro_rules! without {
        ($($entry:ident)*) => {$(
            let mut table = toy.table();
            table.$entry = None;
            assert_eq!(create(&table), RINGFENCE_INCOMPLETE_TABLE, stringify!($entry));
            let name = concat!("ringfence_stream_backend_t.", stringify!($entry), " is NULL");
            assert!(message().contains(name), "{}", message());
        )*};
    }
    without!(state create destroy query create_event destroy_event record_event stream_wait query_event synchronize_event);
    // Parts of a group.
    without!(allocate free capture_status exchange_capture_mode begin_capture end_capture launch_graph destroy_graph);
    // Whole groups may go.
    let mut table = toy.table();
    (table.allocate, table.free) = (None, None);
    (table.capture_status, table.exchange_capture_mode, table.begin_capture) = (None, None, None);
    (table.end_capture, table.launch_graph, table.destroy_graph) = (None, None, None);
    table.release = None;
    ok(create(&table));
    let released = toy.released.load(std::sync::atomic::Ordering::SeqCst);
    assert_eq!(released, 1, "not for a table that was refused");
}

#[test]
fn without_its_group_a_function_says_what_the_driver_lacks() {
    let toy = Toy::new();
    let mut table = toy.table();
    (table.allocate, table.free) = (None, None);
    // SAFETY: the table is there.
    let pool =
        out(|pool| unsafe { ringfence_pool_create(&raw const table, std::ptr::null(), pool) });
    let lease = acquire(pool);
    let status = ringfence_pool_allocate(pool, lease, 8, to(&mut MaybeUninit::uninit()));
    assert_eq!(status, RINGFENCE_DRIVER);
    assert!(message().contains("does not have this function"), "{}", message());
    ok(ringfence_lease_release(lease));
    shut_down(pool);
}

#[test]
fn a_structure_that_is_too_small_is_refused_and_a_larger_one_is_not() {
    let toy = Toy::new();
    let mut table = toy.table();
    table.size -= 8;
    assert_eq!(create(&table), RINGFENCE_ABI_MISMATCH);
    assert!(message().contains("sizeof(ringfence_stream_backend_t)"), "{}", message());
    table.size = 0;
    assert_eq!(create(&table), RINGFENCE_ABI_MISMATCH);

    // A caller of a later version has more fields, which are neither read nor written.
    #[repr(C)]
    struct Later<T> {
        known: T,
        more: [u64; 4],
    }
    let mut later = Later { known: toy.table(), more: [7; 4] };
    later.known.size = size_of::<Later<ringfence_stream_backend_t>>();
    ok(create(&later.known));
    let pool = toy.pool();
    let mut counts = Later { known: ringfence_pool_counts_t::default(), more: [7; 4] };
    counts.known.size = size_of::<Later<ringfence_pool_counts_t>>();
    ok(ringfence_lease_release(acquire(pool)));
    // SAFETY: the structure is there, and its size is true.
    ok(unsafe { ringfence_pool_counts(pool, &raw mut counts.known) });
    assert_eq!((counts.known.leases, counts.more), (1, [7; 4]));
    assert_eq!(counts.known.size, size_of::<Later<ringfence_pool_counts_t>>(), "it stays");
    counts.known.size = 8;
    // SAFETY: as above.
    let small = unsafe { ringfence_pool_counts(pool, &raw mut counts.known) };
    // SAFETY: NULL is looked at.
    let null = unsafe { ringfence_pool_counts(pool, std::ptr::null_mut()) };
    assert_eq!((small, null), (RINGFENCE_ABI_MISMATCH, RINGFENCE_INVALID_ARGUMENT));
    shut_down(pool);
    assert_eq!(later.more, [7; 4]);
}

#[test]
fn a_number_of_no_enumeration_is_refused() {
    let toy = Toy::new();
    let pool = toy.pool();
    let lease = acquire(pool);
    let refused = |status, name: &str| {
        assert_eq!(status, RINGFENCE_INVALID_ARGUMENT, "{name}");
        assert!(message().contains(name), "{}", message());
    };
    let mut lost = MaybeUninit::uninit();
    let wrong = ringfence_stream_key_t { priority: 9, ..KEY };
    refused(ringfence_pool_acquire(pool, at(&wrong), to(&mut lost)), "key->priority");
    let wrong = ringfence_stream_key_t { flags: 2, ..KEY };
    refused(ringfence_pool_acquire(pool, at(&wrong), to(&mut lost)), "key->flags");
    refused(ringfence_pool_acquire(pool, In::NULL, to(&mut lost)), "key");
    refused(ringfence_pool_acquire(pool, at(&KEY), Out::NULL), "lease");
    refused(ringfence_pool_order_after(pool, lease, stamp(), 2, Out::NULL), "access");
    let mut graph = MaybeUninit::uninit();
    refused(ringfence_pool_capture(pool, lease, 0, None, common::NULL, to(&mut graph)), "record");
    ok(ringfence_lease_release(lease));
    shut_down(pool);
}

#[test]
fn what_is_reserved_is_0_and_what_is_made_at_once_has_a_most() {
    let toy = Toy::new();
    let create = |table: &ringfence_stream_backend_t, options: &ringfence_pool_options_t| {
        let mut pool = MaybeUninit::uninit();
        // SAFETY: both are there.
        unsafe { ringfence_pool_create(&raw const *table, &raw const *options, to(&mut pool)) }
    };
    let refused = |status, name: &str| {
        assert_eq!(status, RINGFENCE_INVALID_ARGUMENT, "{name}");
        assert!(message().starts_with(&format!("`{name}`")), "{}", message());
    };
    let (table, options) = (toy.table(), common::options());
    refused(
        create(&ringfence_stream_backend_t { reserved: 1, ..table }, &options),
        "backend->reserved",
    );
    refused(
        create(&table, &ringfence_pool_options_t { reserved: 1, ..options }),
        "options->reserved",
    );
    // Such a ring would take more memory than there is, and end the process.
    refused(
        create(&table, &ringfence_pool_options_t { hand_in: u32::MAX, ..options }),
        "options->hand_in",
    );
    let pool = toy.pool();
    let mut owners = MaybeUninit::uninit();
    let status = ringfence_owners_create(
        pool,
        Some(running),
        std::ptr::null_mut(),
        u32::MAX,
        to(&mut owners),
    );
    refused(status, "hand_in");
    shut_down(pool);
    let mark = out(|mark| ringfence_watermark_create(77, 0, mark));
    let mut ring = MaybeUninit::uninit();
    refused(ringfence_ring_create(mark, u32::MAX, to(&mut ring)), "size");
    ok(ringfence_watermark_destroy(mark));
    assert_eq!(toy.released.load(std::sync::atomic::Ordering::SeqCst), 1, "the one that was made");
}
unsafe extern "C-unwind" fn running(_context: *mut std::ffi::c_void, _owner: u64) -> u32 {
    RINGFENCE_OWNER_RUNNING
}

#[test]
fn versions_are_compared() {
    assert_eq!(ringfence_abi_version(), RINGFENCE_ABI_VERSION);
    ok(ringfence_check_abi(RINGFENCE_ABI_VERSION));
    assert_eq!(ringfence_check_abi(RINGFENCE_ABI_VERSION + 1), RINGFENCE_ABI_MISMATCH);
    assert!(message().contains("compiled for version 2"), "{}", message());
    // SAFETY: a text of the library's own.
    let version = unsafe { std::ffi::CStr::from_ptr(ringfence_version()) };
    assert_eq!(version.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_message_is_cut_to_its_buffer_and_is_each_threads_own() {
    assert_eq!(ringfence_check_abi(99), RINGFENCE_ABI_MISMATCH);
    let whole = message();
    let mut small = [1_u8; 8];
    // SAFETY: so many bytes are there.
    let length = unsafe { ringfence_last_error(small.as_mut_ptr().cast(), 8) };
    assert_eq!(length, whole.len());
    assert_eq!(&small[..7], &whole.as_bytes()[..7]);
    assert_eq!(small[7], 0);
    // SAFETY: NULL is allowed with length 0.
    assert_eq!(unsafe { ringfence_last_error(std::ptr::null_mut(), 0) }, length);
    std::thread::spawn(|| assert_eq!(message(), "")).join().expect("the other thread");
    ok(ringfence_check_abi(RINGFENCE_ABI_VERSION));
    assert_eq!(message(), whole, "a call that is fine leaves it");
    // Longer than the library keeps: cut, and never in the middle of a letter.
    assert_eq!(
        ringfence_lease_stream(ringfence_lease_t { handle: 5 }, Out::NULL),
        RINGFENCE_BAD_HANDLE
    );
    assert!(message().len() < 512);
}
