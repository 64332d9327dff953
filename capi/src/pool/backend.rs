//! A driver of streams as a table of functions: what the caller fills in.

use std::ffi::c_void;

use super::types::ringfence_stream_key_t;
use crate::sized::grows;

/// What a driver's call answers with: `kind` is 0, or one of `RINGFENCE_DRIVER_*`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_driver_error_t {
    /// What the error means for the one who called. 0: no error. A number that is none counts as
    /// `RINGFENCE_DRIVER_OTHER`.
    pub kind: u32,
    /// The driver's own number, as its documentation lists it: for messages.
    pub code: i32,
}
/// No error.
pub const RINGFENCE_DRIVER_OK: u32 = 0;
/// Somebody captures, and the call may not happen meanwhile (900 and 905 to 908 of HIP): nothing is wrong with the
/// object, and it is tried again later.
pub const RINGFENCE_DRIVER_CAPTURE_CONFLICT: u32 = 1;
/// This capture is broken, or left a stream unjoined.
pub const RINGFENCE_DRIVER_CAPTURE_FAILED: u32 = 2;
/// The stream, event or graph does not work, or does not exist any more.
pub const RINGFENCE_DRIVER_BAD: u32 = 3;
/// Memory, queues or handles ran out.
pub const RINGFENCE_DRIVER_OUT_OF_MEMORY: u32 = 4;
/// The device is gone.
pub const RINGFENCE_DRIVER_DEVICE_LOST: u32 = 5;
/// The driver does not have the function.
pub const RINGFENCE_DRIVER_UNSUPPORTED: u32 = 6;
/// Anything else.
pub const RINGFENCE_DRIVER_OTHER: u32 = 7;

/// Whether the driver may be called: one of `RINGFENCE_STATE_*`.
pub type ringfence_driver_state_t = u32;
/// It may.
pub const RINGFENCE_STATE_READY: u32 = 0;
/// A fault made every further call useless.
pub const RINGFENCE_STATE_LOST: u32 = 1;
/// This process is a fork of the one that started the driver: any call may hang.
pub const RINGFENCE_STATE_FORKED: u32 = 2;
/// The process is about to exit: calls may crash.
pub const RINGFENCE_STATE_SHUTTING_DOWN: u32 = 3;

/// Whether a stream captures: one of `RINGFENCE_CAPTURE_STATUS_*`. Any other number: the driver did not say.
pub type ringfence_capture_status_t = u32;
/// It does not.
pub const RINGFENCE_CAPTURE_STATUS_NONE: u32 = 0;
/// It does; work is recorded.
pub const RINGFENCE_CAPTURE_STATUS_ACTIVE: u32 = 1;
/// It did, and the capture is broken.
pub const RINGFENCE_CAPTURE_STATUS_INVALIDATED: u32 = 2;

/// Whom a capture, or the calling thread's mode, concerns: one of `RINGFENCE_CAPTURE_MODE_*` (the numbers of
/// `hipStreamCaptureMode`).
pub type ringfence_capture_mode_t = u32;
/// Calls that may not happen during a capture are refused to every thread of the process.
pub const RINGFENCE_CAPTURE_MODE_GLOBAL: u32 = 0;
/// They are refused to the thread that captures.
pub const RINGFENCE_CAPTURE_MODE_THREAD_LOCAL: u32 = 1;
/// They are refused to nobody.
pub const RINGFENCE_CAPTURE_MODE_RELAXED: u32 = 2;

/// What a query of a stream or an event brought: one of `RINGFENCE_STREAM_STATE_*`. Any other number counts as failed.
pub type ringfence_stream_state_t = u32;
/// All work that was submitted is finished.
pub const RINGFENCE_STREAM_STATE_IDLE: u32 = 0;
/// Some is not.
pub const RINGFENCE_STREAM_STATE_PENDING: u32 = 1;
/// The driver refused to say because somebody captures: it is asked again later.
pub const RINGFENCE_STREAM_STATE_UNKNOWN: u32 = 2;
/// The stream does not work.
pub const RINGFENCE_STREAM_STATE_BAD: u32 = 3;
/// The device does not work.
pub const RINGFENCE_STREAM_STATE_LOST: u32 = 4;

/// How a host wait ended: one of `RINGFENCE_WAIT_*`. Any other number counts as failed.
pub type ringfence_stream_wait_t = u32;
/// It is finished.
pub const RINGFENCE_WAIT_FINISHED: u32 = 0;
/// The limit passed first.
pub const RINGFENCE_WAIT_TIMED_OUT: u32 = 1;
/// The driver refused to wait because somebody captures.
pub const RINGFENCE_WAIT_UNKNOWN: u32 = 2;
/// The driver reported an error.
pub const RINGFENCE_WAIT_FAILED: u32 = 3;
/// The device is lost.
pub const RINGFENCE_WAIT_LOST: u32 = 4;

/// A driver of streams: HIP, CUDA, or a runtime's own. Zero the structure, set `size` and `context`, and fill in the
/// entries. The table is copied; what `context` points to has to live until `release` is called, or until
/// `ringfence_pool_destroy` returned.
///
/// Every entry may be called on any thread, and by several at once. What acts on one stream is called with that stream's
/// lock held: no entry may call a function of this library about the pool, but for those that a finalizer may make, and none may throw. Numbers in brackets are
/// the contracts of the traits in `ringfence::backend::streams`.
///
/// Entries stand in groups. A group is there as a whole or not at all; the first one is required.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ringfence_stream_backend_t {
    /// `sizeof(ringfence_stream_backend_t)`.
    pub size: usize,
    /// Handed to every entry.
    pub context: *mut c_void,
    /// Pinned host memory that a live stream takes, for garbage collectors that should know; 0 if unknown.
    pub host_bytes: u64,
    /// 1: `destroy` returns while the stream's work goes on (CUDA). 0: it waits for it (HIP).
    pub destroy_detaches: u32,
    /// 0.
    pub reserved: u32,
    /// Optional, of no group: called once, when no entry will be called any more.
    pub release: Option<unsafe extern "C-unwind" fn(context: *mut c_void)>,

    /// Required, with all up to `synchronize_event`. Whether the driver may be called [StreamPlatform 1]: never blocks, calls no driver, is cheap. Once it answered
    /// something else than `RINGFENCE_STATE_READY` it never answers that again in this process.
    pub state:
        Option<unsafe extern "C-unwind" fn(context: *mut c_void) -> ringfence_driver_state_t>,
    /// Makes a stream of that key, idle and not capturing [StreamDriver 1]. It may take long; no lock is held.
    pub create: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            key: *const ringfence_stream_key_t,
            stream: *mut u64,
        ) -> ringfence_driver_error_t,
    >,
    /// Ends a stream [StreamDriver 2]: called once for each, with no lock held, when it is proven idle and does not capture.
    pub destroy: Option<
        unsafe extern "C-unwind" fn(context: *mut c_void, stream: u64) -> ringfence_driver_error_t,
    >,
    /// Whether all work of a stream is finished [StreamDriver 4]: never blocks.
    pub query: Option<
        unsafe extern "C-unwind" fn(context: *mut c_void, stream: u64) -> ringfence_stream_state_t,
    >,
    /// Makes an event that was never recorded: finished [StreamEvents 1].
    pub create_event: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            device: u32,
            device_context: u32,
            event: *mut u64,
        ) -> ringfence_driver_error_t,
    >,
    /// Gives an event back, also while a recording is unfinished [StreamEvents 2].
    pub destroy_event: Option<unsafe extern "C-unwind" fn(context: *mut c_void, event: u64)>,
    /// Records all work of `stream` so far, over what was recorded before [StreamEvents 3].
    pub record_event: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            event: u64,
            stream: u64,
        ) -> ringfence_driver_error_t,
    >,
    /// Makes later work of `stream` wait on the device for what `event` has recorded by now [StreamEvents 4].
    pub stream_wait: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            stream: u64,
            event: u64,
        ) -> ringfence_driver_error_t,
    >,
    /// Whether what `event` recorded is finished: never blocks [StreamEvents 5].
    pub query_event: Option<
        unsafe extern "C-unwind" fn(context: *mut c_void, event: u64) -> ringfence_stream_state_t,
    >,
    /// Waits on the host for that, `limit` nanoseconds at most [StreamEvents 6].
    pub synchronize_event: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            event: u64,
            limit: u64,
        ) -> ringfence_stream_wait_t,
    >,

    /// Optional group `memory`, two entries: without it nothing can be allocated or adopted. Memory that work submitted to `stream` after the call may use [StreamMemory 1].
    /// It may be bytes that earlier work of the stream still uses, or that the stream has to wait for: the library orders other
    /// streams after the allocation.
    pub allocate: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            bytes: u64,
            stream: u64,
            memory: *mut u64,
        ) -> ringfence_driver_error_t,
    >,
    /// Gives it back once all earlier work of `stream` is finished; a refusal frees nothing, and the call is made again
    /// [StreamMemory 2, 3].
    pub free: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            memory: u64,
            stream: u64,
        ) -> ringfence_driver_error_t,
    >,

    /// Optional group `captures`, six entries: without it no stream ever captures. Whether a stream captures: without any side effect [StreamDriver 3].
    pub capture_status: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            stream: u64,
        ) -> ringfence_capture_status_t,
    >,
    /// Sets the calling thread's capture mode, and returns the one before it [StreamDriver 5].
    pub exchange_capture_mode: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            mode: ringfence_capture_mode_t,
        ) -> ringfence_capture_mode_t,
    >,
    /// Starts recording on `stream` [StreamCapture 1].
    pub begin_capture: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            stream: u64,
            mode: ringfence_capture_mode_t,
        ) -> ringfence_driver_error_t,
    >,
    /// Ends it on the thread that began it, and makes a graph that can be launched [StreamCapture 2].
    pub end_capture: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            stream: u64,
            graph: *mut u64,
        ) -> ringfence_driver_error_t,
    >,
    /// Submits a graph as one piece of work of a stream that does not capture [StreamCapture 3].
    pub launch_graph: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            graph: u64,
            stream: u64,
        ) -> ringfence_driver_error_t,
    >,
    /// Gives a graph back when no launch of it is unfinished [StreamCapture 4].
    pub destroy_graph: Option<
        unsafe extern "C-unwind" fn(context: *mut c_void, graph: u64) -> ringfence_driver_error_t,
    >,

    /// Optional group `progress words`, five entries: without it `query` is asked about each stream. Makes the word of a new stream, at 0, or sets `*word` to 0: there is none [StreamProgress 1].
    pub open_progress: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            stream: u64,
            word: *mut u64,
        ) -> ringfence_driver_error_t,
    >,
    /// Makes the word reach `position` when all work submitted to `stream` before is finished; positions rise
    /// [StreamProgress 2].
    pub mark: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            stream: u64,
            word: u64,
            position: u64,
        ) -> ringfence_driver_error_t,
    >,
    /// Loads the word with acquire order: never blocks, calls no driver [StreamProgress 3].
    pub observe: Option<unsafe extern "C-unwind" fn(context: *mut c_void, word: u64) -> u64>,
    /// Waits on the host until the word reaches `position`, `limit` nanoseconds at most [StreamProgress 4].
    pub wait_progress: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            word: u64,
            position: u64,
            limit: u64,
        ) -> ringfence_stream_wait_t,
    >,
    /// Gives the word back when its stream is gone, or is somebody else's and every mark of it was written [StreamProgress 5].
    pub close_progress: Option<unsafe extern "C-unwind" fn(context: *mut c_void, word: u64)>,
}
grows! {
    ringfence_stream_backend_t, first to close_progress;
}

/// Submits work to `stream`, and does not wait for it [StreamWork 1]: called inside a function of this library that was
/// given it, once, on the same thread, with no lock held. It may not use the lease, and may not throw. What it submitted
/// before it fails is waited for like any work [StreamWork 2].
pub type ringfence_submit_fn = Option<
    unsafe extern "C-unwind" fn(argument: *mut c_void, stream: u64) -> ringfence_driver_error_t,
>;
