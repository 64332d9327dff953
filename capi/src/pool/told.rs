//! What a pool is told, and tells: structures that may grow.

use std::ffi::c_void;

use crate::sized::grows;

/// Settings of a pool. Call `ringfence_pool_options_init(&options, sizeof options)`, then change what is to differ.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ringfence_pool_options_t {
    /// `sizeof(ringfence_pool_options_t)`.
    pub size: usize,
    /// Idle streams kept for each key; live leases never count. 32.
    pub idle_cap: u32,
    /// Streams alive at most, over all keys. 0, the default: no limit.
    pub live_cap: u32,
    /// Streams with left-over work that one acquire looks at before it creates another. 32.
    pub looks: u32,
    /// Past how many live streams `on_crowd` is called, once. 1000: a few thousand hang the GPU.
    pub warn_past: u32,
    /// Nanoseconds: the limit of a host wait that takes the place of a wait on the device. 10 s.
    pub wait_limit: u64,
    /// Places of the hand-in that finalizers use, made with the pool. 4096; 0 stands for that, too. 1048576 at most.
    pub hand_in: u32,
    /// 0.
    pub reserved: u32,
    /// Called once when more than `warn_past` streams are alive, on the thread that created the stream. NULL: nobody.
    pub on_crowd: Option<unsafe extern "C-unwind" fn(argument: *mut c_void, live: u32)>,
    /// Handed to `on_crowd`.
    pub on_crowd_argument: *mut c_void,
}

/// What one `ringfence_pool_pump` did. Set `size` before the call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_pumped_t {
    /// `sizeof(ringfence_pumped_t)`.
    pub size: usize,
    /// Things that finalizers had handed in, and that were taken over now.
    pub handed_in: u32,
    /// Streams found idle.
    pub idle: u32,
    /// Streams destroyed.
    pub destroyed: u32,
    /// Graphs destroyed.
    pub graphs: u32,
    /// Frees that were put off and have happened now.
    pub freed: u32,
    /// 0.
    pub reserved: u32,
}
/// What was left when a pool was shut down. Set `size` before the call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_shut_down_t {
    /// `sizeof(ringfence_shut_down_t)`.
    pub size: usize,
    /// Streams that could not be proven idle, or are still leased: not destroyed.
    pub streams_leaked: u32,
    /// Memory that was given up and not freed.
    pub memory_leaked: u32,
    /// Memory that nobody had given up: it is leaked as well.
    pub memory_live: u32,
    /// 0.
    pub reserved: u32,
}
/// What a pool counted since it was made. Set `size` before the call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_pool_counts_t {
    /// `sizeof(ringfence_pool_counts_t)`.
    pub size: usize,
    /// Leases given out.
    pub leases: u64,
    /// Of those, on a stream that somebody had before.
    pub reused: u64,
    /// Streams created for leases.
    pub created: u64,
    /// Creations that failed.
    pub creations_failed: u64,
    /// Streams let go of because they were idle and not wanted.
    pub trimmed: u64,
    /// Streams closed because they were in error, destroyed by their user, or lost.
    pub condemned_bad: u64,
    /// Streams closed because of a capture.
    pub condemned_captures: u64,
    /// Streams destroyed.
    pub destroyed: u64,
    /// Streams that can be neither used nor destroyed any more.
    pub leaked: u64,
    /// Looks that asked the driver.
    pub looks_by_query: u64,
    /// Times that a stream was left alone because somebody captures.
    pub conflicts_avoided: u64,
    /// Memory freed on the stream that used it.
    pub freed_on_stream: u64,
    /// Memory freed on the disposal stream, after the streams that used it.
    pub freed_on_disposal: u64,
    /// Memory freed on the disposal stream, with nothing to wait for.
    pub freed_at_once: u64,
    /// Frees put off at least once.
    pub deferred: u64,
    /// Frees that the driver refused, and that were tried again.
    pub refused: u64,
    /// Memory gone with a reset of its device.
    pub memory_gone: u64,
    /// Memory that is never to be freed.
    pub memory_leaked: u64,
    /// Streams alive at most at one time.
    pub peak_live: u32,
    /// Streams leased or draining at most at one time.
    pub peak_leased_and_draining: u32,
    /// Memory allocated or adopted, and neither given up nor handed in: at this moment.
    pub memory_live: u64,
}
/// The streams of a pool at this moment. Set `size` before the call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_tally_t {
    /// `sizeof(ringfence_tally_t)`.
    pub size: usize,
    /// Some task's.
    pub leased: u32,
    /// Returned, and not proven finished yet.
    pub draining: u32,
    /// Proven finished, and nobody's.
    pub idle: u32,
    /// Closed, and not destroyed yet.
    pub condemned: u32,
    /// Being created.
    pub creating: u32,
    /// Things that finalizers have handed in, and that wait for a pump.
    pub handed_in: u32,
    /// Pinned host memory that the live streams take, by the driver's own figure.
    pub host_bytes: u64,
}
grows! {
    ringfence_pool_options_t, first to on_crowd_argument;
    ringfence_pumped_t, first to reserved;
    ringfence_shut_down_t, first to reserved;
    ringfence_pool_counts_t, first to memory_live;
    ringfence_tally_t, first to host_bytes;
}
