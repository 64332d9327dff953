//! Structures and numbers of the pool half.

use std::ffi::c_void;

use ringfence::{
    drive::{Freed, Ordered},
    id::{ContextId, DeviceContext, DeviceId, Priority, StreamFlags, StreamKey, StreamRef},
    stream::{Access, Deferral},
};

use crate::{sized::grows, status::Failure};

/// A pool of streams. Any number of threads may use it at once.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_pool_t {
    /// Kind, place and generation of the object. 0: none.
    pub handle: u64,
}
/// A task's exclusive right to a stream. One call at a time: a second one gets `RINGFENCE_IN_USE`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_lease_t {
    /// Kind, place and generation of the object. 0: none.
    pub handle: u64,
}
/// What an array remembers of the work that used it: the last writer, and who has read since. It holds no stream. One
/// call at a time: a second one gets `RINGFENCE_IN_USE`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_stamp_t {
    /// Kind, place and generation of the object. 0: none, which stands for an array that was never used.
    pub handle: u64,
}
/// Device memory with one owner, who gives it up with `ringfence_pool_retire` or `ringfence_pool_retire_later`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_memory_t {
    /// Kind, place and generation of the object. 0: none.
    pub handle: u64,
}
/// A graph that a capture ended in. One call at a time: a second one gets `RINGFENCE_IN_USE`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_graph_t {
    /// Kind, place and generation of the object. 0: none.
    pub handle: u64,
}
/// A capture in progress: of use only inside the callback of `ringfence_pool_capture`, on its thread.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_capture_t {
    /// Kind, place and generation of the object. 0: none.
    pub handle: u64,
}

/// What makes two streams exchangeable. All 0: non-blocking streams of normal priority on device 0.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_stream_key_t {
    /// The device, as the driver counts.
    pub device: u32,
    /// The context of that device; 0 where a driver has one for each device.
    pub context: u32,
    /// A `ringfence_priority_t`.
    pub priority: ringfence_priority_t,
    /// The driver's own number, where `priority` is `RINGFENCE_PRIORITY_LEVEL`: lower is more urgent.
    pub level: i32,
    /// `RINGFENCE_STREAM_BLOCKING`, or 0.
    pub flags: u32,
}
/// How urgent a stream's work is: one of `RINGFENCE_PRIORITY_*`.
pub type ringfence_priority_t = u32;
/// What a stream has when nobody says otherwise.
pub const RINGFENCE_PRIORITY_NORMAL: u32 = 0;
/// Below normal, where the driver knows such a thing.
pub const RINGFENCE_PRIORITY_LOW: u32 = 1;
/// Above normal.
pub const RINGFENCE_PRIORITY_HIGH: u32 = 2;
/// The driver's own number, in `level`.
pub const RINGFENCE_PRIORITY_LEVEL: u32 = 3;
/// In `ringfence_stream_key_t.flags`: ordered with the null stream. Such streams make frees fail while they capture.
pub const RINGFENCE_STREAM_BLOCKING: u32 = 1;

/// One tenancy of one stream: a name, to compare and to print. It holds nothing.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_stream_ref_t {
    /// The number of the pool in this process.
    pub pool: u32,
    /// The stream's identity, which no other stream of the pool ever has.
    pub stream: u32,
    /// Which tenancy: it rises when the stream is handed on.
    pub generation: u32,
}

/// What work does with an array: one of `RINGFENCE_ACCESS_*`.
pub type ringfence_access_t = u32;
/// It reads: it follows the last writer.
pub const RINGFENCE_ACCESS_READ: u32 = 0;
/// It writes: it follows the last writer and every reader since.
pub const RINGFENCE_ACCESS_WRITE: u32 = 1;

/// One array that a piece of work uses. The same stamp may be there several times: the strongest access counts.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_array_use_t {
    /// The array's stamp.
    pub stamp: ringfence_stamp_t,
    /// What the work does with it.
    pub access: ringfence_access_t,
    /// 0.
    pub reserved: u32,
}

/// How later work follows earlier work: one of `RINGFENCE_ORDERED_*`.
pub type ringfence_ordered_t = u32;
/// It does already: the work is finished, or on the same stream.
pub const RINGFENCE_ORDERED_ALREADY: u32 = 0;
/// The stream waits on the device.
pub const RINGFENCE_ORDERED_ON_DEVICE: u32 = 1;
/// The host waited.
pub const RINGFENCE_ORDERED_ON_HOST: u32 = 2;

/// What became of memory that was given up: one of `RINGFENCE_FREED_*`.
pub type ringfence_freed_t = u32;
/// Freed on the stream that used it, in its order.
pub const RINGFENCE_FREED_ON_STREAM: u32 = 0;
/// Freed on the disposal stream, after every stream that used it.
pub const RINGFENCE_FREED_ON_DISPOSAL: u32 = 1;
/// Freed on the disposal stream; nothing had to be waited for.
pub const RINGFENCE_FREED_AT_ONCE: u32 = 2;
/// Not yet, because its stream captures: `ringfence_pool_pump`, or the end of the capture, tries again.
pub const RINGFENCE_FREED_LATER_CAPTURING: u32 = 3;
/// Not yet, because the driver refused: `ringfence_pool_pump` tries again.
pub const RINGFENCE_FREED_LATER_REFUSED: u32 = 4;
/// Not yet, because a graph uses it.
pub const RINGFENCE_FREED_LATER_PINNED: u32 = 5;
/// Not yet, because its place has no disposal stream: `ringfence_pool_pump` makes one.
pub const RINGFENCE_FREED_LATER_NO_DISPOSAL: u32 = 6;
/// Its device was reset meanwhile, and the memory is gone with that.
pub const RINGFENCE_FREED_GONE: u32 = 7;
/// Never: the device is gone, or whether its work is over cannot be known. Counted.
pub const RINGFENCE_FREED_LEAKED: u32 = 8;

/// Settings of a pool. Call `ringfence_pool_options_init`, then change what is to differ.
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
    /// Places of the hand-in that finalizers use, made with the pool. 4096.
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
grows!(
    ringfence_pool_options_t,
    ringfence_pumped_t,
    ringfence_shut_down_t,
    ringfence_pool_counts_t,
    ringfence_tally_t
);

impl ringfence_stream_key_t {
    pub(crate) fn read(self) -> Result<StreamKey, Failure> {
        let priority = match self.priority {
            RINGFENCE_PRIORITY_NORMAL => Priority::Normal,
            RINGFENCE_PRIORITY_LOW => Priority::Low,
            RINGFENCE_PRIORITY_HIGH => Priority::High,
            RINGFENCE_PRIORITY_LEVEL => Priority::Level(self.level),
            other => return Err(Failure::unknown("key->priority", other)),
        };
        let flags = match self.flags {
            0 => StreamFlags::NON_BLOCKING,
            RINGFENCE_STREAM_BLOCKING => StreamFlags::empty(),
            other => return Err(Failure::unknown("key->flags", other)),
        };
        let (device, context) = (DeviceId::new(self.device), ContextId::new(self.context));
        let key = StreamKey::new(DeviceContext { device, context });
        Ok(key.with_priority(priority).with_flags(flags))
    }
    pub(crate) fn of(key: StreamKey) -> Self {
        let (priority, level) = match key.priority {
            Priority::Normal => (RINGFENCE_PRIORITY_NORMAL, 0),
            Priority::Low => (RINGFENCE_PRIORITY_LOW, 0),
            Priority::High => (RINGFENCE_PRIORITY_HIGH, 0),
            Priority::Level(level) => (RINGFENCE_PRIORITY_LEVEL, level),
        };
        let blocking = !key.flags.contains(StreamFlags::NON_BLOCKING);
        Self {
            device: key.place.device.as_u32(),
            context: key.place.context.as_u32(),
            priority,
            level,
            flags: if blocking { RINGFENCE_STREAM_BLOCKING } else { 0 },
        }
    }
}
impl From<StreamRef> for ringfence_stream_ref_t {
    fn from(of: StreamRef) -> Self {
        Self {
            pool: of.pool().as_u32(),
            stream: of.id().as_u32(),
            generation: of.generation().as_u32(),
        }
    }
}
pub(crate) fn access(number: ringfence_access_t) -> Result<Access, Failure> {
    match number {
        RINGFENCE_ACCESS_READ => Ok(Access::Read),
        RINGFENCE_ACCESS_WRITE => Ok(Access::Write),
        other => Err(Failure::unknown("access", other)),
    }
}
pub(crate) fn ordered(how: Ordered) -> ringfence_ordered_t {
    match how {
        Ordered::Already => RINGFENCE_ORDERED_ALREADY,
        Ordered::OnDevice => RINGFENCE_ORDERED_ON_DEVICE,
        Ordered::OnHost => RINGFENCE_ORDERED_ON_HOST,
    }
}
pub(crate) fn freed(how: Freed) -> ringfence_freed_t {
    match how {
        Freed::OnStream => RINGFENCE_FREED_ON_STREAM,
        Freed::OnDisposal => RINGFENCE_FREED_ON_DISPOSAL,
        Freed::AtOnce => RINGFENCE_FREED_AT_ONCE,
        Freed::Deferred(Deferral::Capturing) => RINGFENCE_FREED_LATER_CAPTURING,
        Freed::Deferred(Deferral::Refused) => RINGFENCE_FREED_LATER_REFUSED,
        Freed::Deferred(Deferral::Pinned) => RINGFENCE_FREED_LATER_PINNED,
        Freed::Deferred(Deferral::NoDisposal) => RINGFENCE_FREED_LATER_NO_DISPOSAL,
        Freed::Gone => RINGFENCE_FREED_GONE,
        Freed::Leaked => RINGFENCE_FREED_LEAKED,
    }
}
