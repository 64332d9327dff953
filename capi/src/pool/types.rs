//! Structures and numbers of the pool half.

use ringfence::{
    drive::{Freed, Ordered},
    id::{ContextId, DeviceContext, DeviceId, Priority, StreamFlags, StreamKey, StreamRef},
    stream::{Access, Deferral},
};

use crate::status::Failure;

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
/// call at a time: a second one gets `RINGFENCE_IN_USE`, also where both only read the array. A runtime whose tasks share arrays
/// takes a lock of the array around each call that names its stamp, or calls again.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_stamp_t {
    /// Kind, place and generation of the object. 0: none. What asks, orders or waits takes it for an array that was ready, and never
    /// used; so do calls that give memory up which gave no stamp. Work and notes need a stamp: 0 is `RINGFENCE_BAD_HANDLE` there.
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
/// Not yet, because it was handed in: `ringfence_pool_pump` frees it.
pub const RINGFENCE_FREED_LATER_HANDED_IN: u32 = 9;

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
        Freed::Deferred(Deferral::HandedIn) => RINGFENCE_FREED_LATER_HANDED_IN,
        Freed::Gone => RINGFENCE_FREED_GONE,
        // The border compares pools first.
        Freed::Leaked | Freed::OtherPool => RINGFENCE_FREED_LEAKED,
    }
}
