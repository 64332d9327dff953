//! A driver of streams for tests, as a table: it does what it is told at once, and counts.

#![allow(dead_code, reason = "each test program uses a part")]

use std::{
    collections::HashSet,
    ffi::{c_char, c_void},
    mem::MaybeUninit,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst},
    },
};

use ringfence_capi::*;

/// What was called.
#[derive(Default)]
pub(crate) struct Toy {
    next: AtomicU64,
    pub(crate) created: AtomicU32,
    pub(crate) destroyed: AtomicU32,
    pub(crate) events: AtomicU32,
    pub(crate) allocated: AtomicU32,
    /// Addresses that were freed, in order.
    pub(crate) freed: Mutex<Vec<u64>>,
    pub(crate) released: AtomicU32,
    /// Work is unfinished as long as this is set.
    pub(crate) pending: AtomicBool,
    /// The next creation panics.
    pub(crate) panics: AtomicBool,
    /// What `state` answers.
    pub(crate) state: AtomicU32,
    capturing: Mutex<HashSet<u64>>,
}

pub(crate) const KEY: ringfence_stream_key_t =
    ringfence_stream_key_t { device: 0, context: 0, priority: 0, level: 0, flags: 0 };
const FINE: ringfence_driver_error_t =
    ringfence_driver_error_t { kind: RINGFENCE_DRIVER_OK, code: 0 };
const CONFLICT: ringfence_driver_error_t =
    ringfence_driver_error_t { kind: RINGFENCE_DRIVER_CAPTURE_CONFLICT, code: 900 };

impl Toy {
    /// One that lives for the rest of the process, as a driver does.
    pub(crate) fn new() -> &'static Self {
        Box::leak(Box::new(Self { next: AtomicU64::new(16), ..Self::default() }))
    }
    fn name(&self) -> u64 {
        self.next.fetch_add(1, SeqCst)
    }
    pub(crate) fn table(&'static self) -> ringfence_stream_backend_t {
        ringfence_stream_backend_t {
            size: size_of::<ringfence_stream_backend_t>(),
            context: std::ptr::from_ref(self).cast_mut().cast(),
            host_bytes: 8,
            destroy_detaches: 0,
            reserved: 0,
            release: Some(release),
            state: Some(state),
            create: Some(create),
            destroy: Some(destroy),
            query: Some(query),
            create_event: Some(create_event),
            destroy_event: Some(destroy_event),
            record_event: Some(record_event),
            stream_wait: Some(record_event),
            query_event: Some(query_event),
            synchronize_event: Some(synchronize_event),
            allocate: Some(allocate),
            free: Some(free),
            capture_status: Some(capture_status),
            exchange_capture_mode: Some(exchange_capture_mode),
            begin_capture: Some(begin_capture),
            end_capture: Some(end_capture),
            launch_graph: Some(record_event),
            destroy_graph: Some(destroy_graph),
            open_progress: None,
            mark: None,
            observe: None,
            wait_progress: None,
            close_progress: None,
        }
    }
    pub(crate) fn pool(&'static self) -> ringfence_pool_t {
        self.pool_with(4096)
    }
    pub(crate) fn pool_with(&'static self, hand_in: u32) -> ringfence_pool_t {
        let mut options = options();
        options.hand_in = hand_in;
        let table = self.table();
        // SAFETY: both structures are there, and the driver lives for ever.
        out(|pool| unsafe { ringfence_pool_create(&raw const table, &raw const options, pool) })
    }
    pub(crate) fn freed(&self) -> Vec<u64> {
        self.freed.lock().expect("no test panics with it").clone()
    }
}

/// The driver behind a context.
fn toy(context: *mut c_void) -> &'static Toy {
    // SAFETY: every table here has a `Toy` that lives for ever.
    unsafe { &*context.cast::<Toy>() }
}
fn set(place: *mut u64, value: u64) -> ringfence_driver_error_t {
    // SAFETY: the library passes the address of a local of its own.
    unsafe { place.write(value) };
    FINE
}
unsafe extern "C-unwind" fn release(context: *mut c_void) {
    toy(context).released.fetch_add(1, SeqCst);
}
unsafe extern "C-unwind" fn state(context: *mut c_void) -> u32 {
    toy(context).state.load(SeqCst)
}
unsafe extern "C-unwind" fn create(
    context: *mut c_void,
    _key: *const ringfence_stream_key_t,
    stream: *mut u64,
) -> ringfence_driver_error_t {
    assert!(!toy(context).panics.swap(false, SeqCst), "a creation that throws");
    toy(context).created.fetch_add(1, SeqCst);
    set(stream, toy(context).name())
}
unsafe extern "C-unwind" fn destroy(
    context: *mut c_void,
    _stream: u64,
) -> ringfence_driver_error_t {
    toy(context).destroyed.fetch_add(1, SeqCst);
    FINE
}
unsafe extern "C-unwind" fn query(context: *mut c_void, _stream: u64) -> u32 {
    if toy(context).pending.load(SeqCst) {
        RINGFENCE_STREAM_STATE_PENDING
    } else {
        RINGFENCE_STREAM_STATE_IDLE
    }
}
unsafe extern "C-unwind" fn create_event(
    context: *mut c_void,
    _device: u32,
    _in: u32,
    event: *mut u64,
) -> ringfence_driver_error_t {
    toy(context).events.fetch_add(1, SeqCst);
    set(event, toy(context).name())
}
unsafe extern "C-unwind" fn destroy_event(context: *mut c_void, _event: u64) {
    toy(context).events.fetch_sub(1, SeqCst);
}
unsafe extern "C-unwind" fn record_event(
    _context: *mut c_void,
    _event: u64,
    _stream: u64,
) -> ringfence_driver_error_t {
    FINE
}
unsafe extern "C-unwind" fn query_event(context: *mut c_void, event: u64) -> u32 {
    // SAFETY: the same context.
    unsafe { query(context, event) }
}
unsafe extern "C-unwind" fn synchronize_event(
    context: *mut c_void,
    _event: u64,
    _limit: u64,
) -> u32 {
    if toy(context).pending.load(SeqCst) {
        RINGFENCE_WAIT_TIMED_OUT
    } else {
        RINGFENCE_WAIT_FINISHED
    }
}
unsafe extern "C-unwind" fn allocate(
    context: *mut c_void,
    _bytes: u64,
    _stream: u64,
    memory: *mut u64,
) -> ringfence_driver_error_t {
    toy(context).allocated.fetch_add(1, SeqCst);
    set(memory, toy(context).name())
}
unsafe extern "C-unwind" fn free(
    context: *mut c_void,
    memory: u64,
    stream: u64,
) -> ringfence_driver_error_t {
    if toy(context).capturing.lock().expect("plain").contains(&stream) {
        return CONFLICT;
    }
    toy(context).freed.lock().expect("plain").push(memory);
    FINE
}
unsafe extern "C-unwind" fn capture_status(context: *mut c_void, stream: u64) -> u32 {
    u32::from(toy(context).capturing.lock().expect("plain").contains(&stream))
}
unsafe extern "C-unwind" fn exchange_capture_mode(_context: *mut c_void, mode: u32) -> u32 {
    mode
}
unsafe extern "C-unwind" fn begin_capture(
    context: *mut c_void,
    stream: u64,
    _mode: u32,
) -> ringfence_driver_error_t {
    toy(context).capturing.lock().expect("plain").insert(stream);
    FINE
}
unsafe extern "C-unwind" fn end_capture(
    context: *mut c_void,
    stream: u64,
    graph: *mut u64,
) -> ringfence_driver_error_t {
    toy(context).capturing.lock().expect("plain").remove(&stream);
    set(graph, toy(context).name())
}
unsafe extern "C-unwind" fn destroy_graph(
    _context: *mut c_void,
    _graph: u64,
) -> ringfence_driver_error_t {
    FINE
}

/// Work that does nothing.
pub(crate) unsafe extern "C-unwind" fn nothing(
    _argument: *mut c_void,
    _stream: u64,
) -> ringfence_driver_error_t {
    FINE
}
pub(crate) const NULL: *mut c_void = std::ptr::null_mut();

/// The call is fine.
#[track_caller]
pub(crate) fn ok(status: ringfence_status_t) {
    assert_eq!(status, ringfence_status_t::RINGFENCE_OK, "{}", message());
}
/// A place for an output, for one call.
pub(crate) fn to<T>(place: &mut MaybeUninit<T>) -> Out<T> {
    // SAFETY: it is there until the call is over: the tests pass it on at once.
    unsafe { Out::new(place.as_mut_ptr()) }
}
/// An input, for one call.
pub(crate) fn at<T>(input: &T) -> In<T> {
    // SAFETY: it is there until the call is over: the tests pass it on at once.
    unsafe { In::new(input) }
}
/// What a fine call wrote.
#[track_caller]
pub(crate) fn out<T>(call: impl FnOnce(Out<T>) -> ringfence_status_t) -> T {
    let mut place = MaybeUninit::uninit();
    ok(call(to(&mut place)));
    // SAFETY: a call that is fine writes its output.
    unsafe { place.assume_init() }
}
/// The message of this thread's last failed call.
pub(crate) fn message() -> String {
    let mut text = [0_u8; 512];
    // SAFETY: so many bytes are there.
    let length = unsafe { ringfence_last_error(text.as_mut_ptr().cast::<c_char>(), text.len()) };
    String::from_utf8_lossy(&text[..length.min(text.len() - 1)]).into_owned()
}

/// The defaults.
pub(crate) fn options() -> ringfence_pool_options_t {
    let size = size_of::<ringfence_pool_options_t>();
    let mut place = MaybeUninit::uninit();
    // SAFETY: the structure is there, and its size is true.
    ok(unsafe { ringfence_pool_options_init(place.as_mut_ptr(), size) });
    // SAFETY: a call that is fine writes its output.
    unsafe { place.assume_init() }
}
pub(crate) fn acquire(pool: ringfence_pool_t) -> ringfence_lease_t {
    out(|lease| ringfence_pool_acquire(pool, at(&KEY), lease))
}
pub(crate) fn stamp() -> ringfence_stamp_t {
    out(|stamp| ringfence_stamp_create(stamp))
}
pub(crate) fn memory(pool: ringfence_pool_t, lease: ringfence_lease_t) -> ringfence_memory_t {
    out(|memory| ringfence_pool_allocate(pool, lease, 8, memory))
}
/// Memory, and the stamp that it begins with.
pub(crate) fn new_array(
    pool: ringfence_pool_t,
    lease: ringfence_lease_t,
) -> (ringfence_memory_t, ringfence_stamp_t) {
    let memory = memory(pool, lease);
    (memory, out(|stamp| ringfence_memory_stamp(memory, stamp)))
}
pub(crate) fn address(memory: ringfence_memory_t) -> u64 {
    out(|address| ringfence_memory_address(memory, address, Out::NULL))
}
/// Submits work that does nothing, with one array.
pub(crate) fn write(
    pool: ringfence_pool_t,
    lease: ringfence_lease_t,
    stamp: ringfence_stamp_t,
) -> ringfence_status_t {
    let uses = [ringfence_array_use_t { stamp, access: RINGFENCE_ACCESS_WRITE, reserved: 0 }];
    // SAFETY: the array is there.
    unsafe { ringfence_pool_submit(pool, lease, uses.as_ptr(), 1, Some(nothing), NULL, Out::NULL) }
}
pub(crate) fn pump(pool: ringfence_pool_t) {
    // SAFETY: NULL is allowed.
    ok(unsafe { ringfence_pool_pump(pool, std::ptr::null_mut()) });
}
pub(crate) fn shut_down(pool: ringfence_pool_t) {
    // SAFETY: NULL is allowed.
    ok(unsafe { ringfence_pool_shutdown(pool, std::ptr::null_mut()) });
    ok(ringfence_pool_destroy(pool));
}
