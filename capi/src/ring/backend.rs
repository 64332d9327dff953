//! A device and its queues as tables of functions: what the caller fills in.

use std::ffi::c_void;

use super::types::{ringfence_scope_t, ringfence_signal_memory_t};
use crate::sized::grows;

/// In `ringfence_device_backend_t.features`: the host can address all of the device's memory (large BAR).
pub const RINGFENCE_FEATURE_LARGE_BAR: u32 = 1;
/// Signals may live in device memory.
pub const RINGFENCE_FEATURE_DEVICE_SIGNALS: u32 = 2;
/// A handler may be set on a signal in device memory.
pub const RINGFENCE_FEATURE_DEVICE_SIGNAL_HANDLERS: u32 = 8;
/// The packet processor knows the vendor's barrier-value packet.
pub const RINGFENCE_FEATURE_BARRIER_VALUE: u32 = 16;
/// Signals that wake a sleeping host thread exist.
pub const RINGFENCE_FEATURE_INTERRUPTS: u32 = 32;
/// Another device may wait for a signal in this device's memory. Cannot be proven by trying.
pub const RINGFENCE_FEATURE_PEER_DEVICE_WAITS: u32 = 64;

/// How a host wait for a signal ended: `RINGFENCE_SIGNAL_WAIT_*`. Any other number counts as timed out.
pub type ringfence_signal_wait_t = u32;
/// The value is below the bound, and was written to `*value`.
pub const RINGFENCE_SIGNAL_WAIT_REACHED: u32 = 0;
/// The limit passed first.
pub const RINGFENCE_SIGNAL_WAIT_TIMED_OUT: u32 = 1;
/// The device is lost.
pub const RINGFENCE_SIGNAL_WAIT_LOST: u32 = 2;

/// Why no signal could be created: `RINGFENCE_CREATE_*`. Any other number counts as out of memory.
pub type ringfence_create_t = u32;
/// At least one was.
pub const RINGFENCE_CREATE_OK: u32 = 0;
/// Memory for signals ran out.
pub const RINGFENCE_CREATE_OUT_OF_MEMORY: u32 = 1;
/// The process's interrupt events are used up.
pub const RINGFENCE_CREATE_NO_INTERRUPTS: u32 = 2;
/// There are no signals of that kind.
pub const RINGFENCE_CREATE_UNSUPPORTED: u32 = 3;
/// The device is gone.
pub const RINGFENCE_CREATE_DEVICE_LOST: u32 = 4;

/// A device. Zero the structure, set `size` and `context`, and fill in the entries. The table is copied; what `context`
/// points to has to live until `release` is called, or, without one, for ever.
///
/// `load`, `wait`, `timestamps` and `status` are called on any thread that asks or waits, and by several at once; the others
/// on the thread that uses the tracker; `destroy` on that thread and where `ringfence_device_reap` is called. No entry may
/// call a function of this library about a tracker, and none may throw; those that a finalizer may make are fine. Numbers in brackets are the contracts of the traits
/// in `ringfence::backend`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ringfence_device_backend_t {
    /// `sizeof(ringfence_device_backend_t)`.
    pub size: usize,
    /// Handed to every entry.
    pub context: *mut c_void,
    /// The device's number, which no other device of the process has [Device 1].
    pub device: u32,
    /// `RINGFENCE_FEATURE_*`, or-ed: what is claimed and not there ends in a hang or a fault, not in an error.
    pub features: u32,
    /// 1: packet rings live in device memory. 0: in system memory.
    pub rings_in_device_memory: u32,
    /// 1: host stores reach the device's memory coherently. 0: through a host data path cache, which is flushed.
    pub coherent: u32,
    /// Ticks a second of the device's clock; 0 only without `timestamps`.
    pub tick_rate: u64,
    /// Optional: called once, when no entry will be called any more.
    pub release: Option<unsafe extern "C-unwind" fn(context: *mut c_void)>,

    /// Required, with all up to `status`. Fills the front of `batch`, of `count` places, with distinct signals that are armed with 1 and visible to the
    /// device; sets `*made` to how many, and `*lives` to where, if it is elsewhere than in `memory` [Signals 1]. May block.
    pub create: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            memory: ringfence_signal_memory_t,
            batch: *mut u64,
            count: usize,
            made: *mut usize,
            lives: *mut ringfence_signal_memory_t,
        ) -> ringfence_create_t,
    >,
    /// Gives a signal back: once for each, with no use in flight, never on a callback thread [Signals 2].
    pub destroy: Option<unsafe extern "C-unwind" fn(context: *mut c_void, signal: u64)>,
    /// Reads the value with acquire order; never blocks [Signals 3].
    pub load: Option<unsafe extern "C-unwind" fn(context: *mut c_void, signal: u64) -> i64>,
    /// Stores a value with a plain store, never a read-modify-write, and wakes nobody [Signals 4].
    pub arm: Option<unsafe extern "C-unwind" fn(context: *mut c_void, signal: u64, value: i64)>,
    /// Waits until the value is below `below`, `limit` nanoseconds at most; it loads before it sleeps. `blocked` is 1 where it
    /// may sleep [HostWait 1 to 3].
    pub wait: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            signal: u64,
            below: i64,
            blocked: u32,
            limit: u64,
            value: *mut i64,
        ) -> ringfence_signal_wait_t,
    >,
    /// Stores 0 into a signal whose use is in flight, and wakes its waiters [HostWait 4].
    pub force: Option<unsafe extern "C-unwind" fn(context: *mut c_void, signal: u64)>,
    /// 0: it works. 1: it was reported lost, for ever [Device 2].
    pub status: Option<unsafe extern "C-unwind" fn(context: *mut c_void) -> u32>,

    /// Optional group `stores to device memory`, two entries; required with `RINGFENCE_FEATURE_DEVICE_SIGNALS`. Orders every earlier `arm` of the calling thread before every later store [Signals 5].
    pub publish_stores: Option<unsafe extern "C-unwind" fn(context: *mut c_void)>,
    /// Makes every earlier `arm` of the calling thread visible to every agent and engine [Signals 6].
    pub flush: Option<unsafe extern "C-unwind" fn(context: *mut c_void)>,

    /// Optional, as each entry from here on. 1 while a tool is attached that may write completion signals [Device 3]. NULL: never.
    pub profiler: Option<unsafe extern "C-unwind" fn(context: *mut c_void) -> u32>,
    /// The ticks of the packet that last completed `signal`; `copy` is 1 for a copy engine [Timestamps 1]. NULL: no clock.
    pub timestamps: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            signal: u64,
            copy: u32,
            start: *mut u64,
            end: *mut u64,
        ),
    >,
    /// From now on, once `signal` was seen below 1, or the device is lost, the caller's callback thread calls
    /// `ringfence_device_handle` with `token`, once [Handlers 1, 2]. Answers 0; 1: the signal wakes nobody; 2: not in this
    /// memory; 3: the device is lost. NULL: no handlers.
    pub watch:
        Option<unsafe extern "C-unwind" fn(context: *mut c_void, signal: u64, token: u64) -> u32>,
}

/// What a packet does: one of `RINGFENCE_PACKET_*`.
pub type ringfence_packet_kind_t = u32;
/// Runs the caller's own kind of work.
pub const RINGFENCE_PACKET_KERNEL: u32 = 0;
/// BARRIER_AND: waits until every dependency is exactly 0; without dependencies, for nothing. Later packets wait for it.
pub const RINGFENCE_PACKET_AND: u32 = 1;
/// BARRIER_OR: waits until one dependency is 0. Later packets wait for it.
pub const RINGFENCE_PACKET_OR: u32 = 2;
/// Barrier-value: waits until the first dependency is below `below`. Later packets wait only if they have the barrier bit.
pub const RINGFENCE_PACKET_VALUE: u32 = 3;

/// One packet, as far as completion is concerned.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ringfence_packet_t {
    /// What it does.
    pub kind: ringfence_packet_kind_t,
    /// 1: the barrier bit: it waits for all earlier packets of its queue.
    pub barrier: u32,
    /// Which caches it invalidates before it starts; never `RINGFENCE_SCOPE_DEFAULT`.
    pub acquire: ringfence_scope_t,
    /// Which caches it writes back before it completes; never `RINGFENCE_SCOPE_DEFAULT`.
    pub release: ringfence_scope_t,
    /// What the submission said, for `RINGFENCE_PACKET_KERNEL`.
    pub work: *const c_void,
    /// The signals that it waits for; 0 in empty places.
    pub dependencies: [u64; 5],
    /// For `RINGFENCE_PACKET_VALUE`.
    pub below: i64,
    /// The signal that it decrements when complete; 0: none.
    pub completes: u64,
}

/// A hardware queue. Zero the structure, set `size` and `context`, and fill in the entries, which are all required but for
/// `release`. The table is copied; `context` lives as for `ringfence_device_backend_t`.
///
/// Every entry is called on the threads of all streams on the queue, at once. None may throw, or call a function of this
/// library about a tracker.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ringfence_queue_backend_t {
    /// `sizeof(ringfence_queue_backend_t)`.
    pub size: usize,
    /// Handed to every entry.
    pub context: *mut c_void,
    /// The queue's number, below 65,536, which no other queue or copy engine of the process has, on any device
    /// [PacketQueue 1]. The library numbers queues of HSA and HIP from 65,536 on.
    pub queue: u32,
    /// The generation of its index space: when that restarts, make another `ringfence_queue_t` with the next one.
    pub generation: u32,
    /// Optional: called once, when no entry will be called any more.
    pub release: Option<unsafe extern "C-unwind" fn(context: *mut c_void)>,
    /// Hands out `count` consecutive indices, each once, and returns the first; waits for nothing but ring space [PacketQueue 2].
    pub reserve: Option<unsafe extern "C-unwind" fn(context: *mut c_void, count: u32) -> u64>,
    /// Writes the packet at a reserved index. The device sees packets in the order of indices [PacketQueue 3].
    pub commit: Option<
        unsafe extern "C-unwind" fn(
            context: *mut c_void,
            at: u64,
            packet: *const ringfence_packet_t,
        ),
    >,
    /// Tells the device of everything committed up to and including `last` [PacketQueue 4].
    pub ring_doorbell: Option<unsafe extern "C-unwind" fn(context: *mut c_void, last: u64)>,
    /// Which ring slots may be used again: it may lead or lag completion, and never goes back [PacketQueue 5].
    pub read_index: Option<unsafe extern "C-unwind" fn(context: *mut c_void) -> u64>,
    /// Returns 1 and sets `*below` if all indices below it are published, and none is reserved at or above it; else 0 [PacketQueue 6].
    pub settled: Option<unsafe extern "C-unwind" fn(context: *mut c_void, below: *mut u64) -> u32>,
    /// The slots of the ring: `reserve` is never asked for more at once [PacketQueue 2]. 0: the queue has no end, and is asked
    /// for up to 256.
    pub capacity: u32,
}
grows! {
    ringfence_device_backend_t, first to watch;
    ringfence_queue_backend_t, first to capacity;
}
