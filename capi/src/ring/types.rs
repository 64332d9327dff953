//! Structures and numbers of the signals half.

use ringfence::{
    backend::SignalMemory,
    id::{CacheScope, Generation, LaneId, PacketId, QueueId, UseId},
    placement::Role,
};

use crate::status::Failure;

/// A device: its signals, waits and clock. Any number of threads may use it at once.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_device_t {
    /// Kind, place and generation of the object. 0: none.
    pub handle: u64,
}
/// A hardware queue, with what is proven of it. Several streams may share it.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_queue_t {
    /// Kind, place and generation of the object. 0: none.
    pub handle: u64,
}
/// The tracker of one stream. One call at a time: a second one gets `RINGFENCE_IN_USE`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_tracker_t {
    /// Kind, place and generation of the object. 0: none.
    pub handle: u64,
}
/// An event. Any number of threads may ask about it and wait for it at once; one at a time records it.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_event_t {
    /// Kind, place and generation of the object. 0: none.
    pub handle: u64,
}
/// How far one generation of one hardware queue is proven, for all rings on it. Any number of threads may use it at once.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_watermark_t {
    /// Kind, place and generation of the object. 0: none.
    pub handle: u64,
}
/// The pure ring of one stream: it decides, and calls nobody. One call at a time: a second one gets `RINGFENCE_IN_USE`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_ring_t {
    /// Kind, place and generation of the object. 0: none.
    pub handle: u64,
}
/// A hold on a signal of a ring: it is not armed again while this is there.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_hold_t {
    /// Kind, place and generation of the object. 0: none.
    pub handle: u64,
}

/// One publication of a signal: the packet that completes it, of one generation of one queue.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_use_id_t {
    /// The queue's number. No other queue of the process, on any device, has the same. Numbers below 65,536 are for
    /// those that number their queues; the library gives those of HSA and HIP numbers from there on.
    pub queue: u32,
    /// The generation of its index space.
    pub generation: u32,
    /// The packet's 64-bit index: never modulo the size of the ring.
    pub packet: u64,
}
impl From<UseId> for ringfence_use_id_t {
    fn from(of: UseId) -> Self {
        Self {
            queue: of.lane().queue().as_u32(),
            generation: of.lane().generation().as_u32(),
            packet: of.packet().as_u64(),
        }
    }
}
impl ringfence_use_id_t {
    pub(crate) fn read(self) -> UseId {
        UseId::new(lane(self.queue, self.generation), PacketId::new(self.packet))
    }
}
pub(crate) fn lane(queue: u32, generation: u32) -> LaneId {
    LaneId::new(QueueId::new(queue), Generation::new(generation))
}

/// Where a signal's value lives: one of `RINGFENCE_MEMORY_*`.
pub type ringfence_signal_memory_t = u32;
/// Device memory, through the BAR: a GPU waiter polls it locally; a host load is a PCIe read.
pub const RINGFENCE_MEMORY_DEVICE: u32 = 0;
/// Host memory: cheap for the host to read; a host wait spins.
pub const RINGFENCE_MEMORY_HOST: u32 = 1;
/// Host memory with an interrupt: a host wait can sleep. A process has 4,096 of these.
pub const RINGFENCE_MEMORY_INTERRUPT: u32 = 2;
/// Host memory that another process can open.
pub const RINGFENCE_MEMORY_SHARED: u32 = 3;

pub(crate) fn memory(number: ringfence_signal_memory_t) -> Result<SignalMemory, Failure> {
    match number {
        RINGFENCE_MEMORY_DEVICE => Ok(SignalMemory::Device),
        RINGFENCE_MEMORY_HOST => Ok(SignalMemory::Host),
        RINGFENCE_MEMORY_INTERRUPT => Ok(SignalMemory::Interrupt),
        RINGFENCE_MEMORY_SHARED => Ok(SignalMemory::Shared),
        other => Err(Failure::unknown("memory", other)),
    }
}
pub(crate) fn memory_number(memory: SignalMemory) -> ringfence_signal_memory_t {
    match memory {
        SignalMemory::Device => RINGFENCE_MEMORY_DEVICE,
        SignalMemory::Host => RINGFENCE_MEMORY_HOST,
        SignalMemory::Interrupt => RINGFENCE_MEMORY_INTERRUPT,
        SignalMemory::Shared => RINGFENCE_MEMORY_SHARED,
    }
}

/// What a use's signal is for: one of `RINGFENCE_ROLE_*`. It decides where the signal lives.
pub type ringfence_role_t = u32;
/// Work whose completion only the ring looks at, or a GPU waiter on the same device.
pub const RINGFENCE_ROLE_DISPATCH: u32 = 0;
/// A marker that another queue of the same device will wait for.
pub const RINGFENCE_ROLE_GPU_WAIT: u32 = 1;
/// A marker that the host will query or wait for.
pub const RINGFENCE_ROLE_HOST_QUERY: u32 = 2;
/// Work that has a signal only because it is timed.
pub const RINGFENCE_ROLE_TIMING_ONLY: u32 = 3;
/// Work that the host will wait for asleep, or be called back for.
pub const RINGFENCE_ROLE_BLOCKING: u32 = 4;
/// Work that another device will wait for.
pub const RINGFENCE_ROLE_PEER: u32 = 5;
/// A marker that another process can open.
pub const RINGFENCE_ROLE_IPC: u32 = 6;

pub(crate) fn role(number: ringfence_role_t) -> Result<Role, Failure> {
    Ok(match number {
        RINGFENCE_ROLE_DISPATCH => Role::Dispatch,
        RINGFENCE_ROLE_GPU_WAIT => Role::GpuWait,
        RINGFENCE_ROLE_HOST_QUERY => Role::HostQuery,
        RINGFENCE_ROLE_TIMING_ONLY => Role::TimingOnly,
        RINGFENCE_ROLE_BLOCKING => Role::Blocking,
        RINGFENCE_ROLE_PEER => Role::Peer,
        RINGFENCE_ROLE_IPC => Role::Ipc,
        other => return Err(Failure::unknown("role", other)),
    })
}

/// Which caches a packet invalidates before it starts, or writes back before it completes: one of `RINGFENCE_SCOPE_*`.
pub type ringfence_scope_t = u32;
/// In a submission: what its kind usually has. Never in a packet.
pub const RINGFENCE_SCOPE_DEFAULT: u32 = 0;
/// No cache is touched.
pub const RINGFENCE_SCOPE_NONE: u32 = 1;
/// Visible to the same agent.
pub const RINGFENCE_SCOPE_AGENT: u32 = 2;
/// Visible to the host and to other agents: what a wait that promises data needs.
pub const RINGFENCE_SCOPE_SYSTEM: u32 = 3;

pub(crate) fn scope(number: ringfence_scope_t) -> Result<Option<CacheScope>, Failure> {
    Ok(match number {
        RINGFENCE_SCOPE_DEFAULT => None,
        RINGFENCE_SCOPE_NONE => Some(CacheScope::None),
        RINGFENCE_SCOPE_AGENT => Some(CacheScope::Agent),
        RINGFENCE_SCOPE_SYSTEM => Some(CacheScope::System),
        other => return Err(Failure::unknown("scope", other)),
    })
}
pub(crate) fn scope_number(scope: CacheScope) -> ringfence_scope_t {
    match scope {
        CacheScope::None => RINGFENCE_SCOPE_NONE,
        CacheScope::Agent => RINGFENCE_SCOPE_AGENT,
        CacheScope::System => RINGFENCE_SCOPE_SYSTEM,
    }
}
