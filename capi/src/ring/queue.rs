//! The queue behind trackers: a table of the caller's, HSA's, or a stream of HIP's.

use std::{ffi::c_void, num::NonZeroU32, sync::Arc};

use ringfence::{
    backend::{Body, Packet, PacketCount, PacketQueue, Settled},
    id::{Barrier, LaneId, PacketId},
};

use super::{
    backend::*,
    device::Device,
    object::DeviceObject,
    types::{lane, scope_number},
};
use crate::status::{Failure, ringfence_status_t as Status};

/// What every call goes to. A cheap handle.
#[derive(Clone)]
pub(crate) enum Queue {
    Table(Arc<QueueTable>),
    #[cfg(feature = "hsa")]
    Hsa(ringfence_hsa::HsaQueue, ringfence_hsa::Dispatch, Arc<DeviceObject>),
    #[cfg(feature = "hip")]
    Hip(ringfence_hip::HipQueue, Arc<DeviceObject>),
}

/// What a submission said: read before the call that brought it returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Work(pub(crate) *const c_void);

/// One launch of a kernel on a queue of HSA's: what `work` of a submission points to there. NULL in its place: a kernel that
/// does nothing.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_hsa_dispatch_t {
    /// `HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT` of the kernel's symbol.
    pub kernel_object: u64,
    /// The address of its arguments, or 0.
    pub kernarg: u64,
    /// Work-items of the grid in x, y and z, each 1 or more.
    pub grid: [u32; 3],
    /// Work-items of a work-group in x, y and z, each 1 or more.
    pub group: [u16; 3],
    /// 0.
    pub reserved: u16,
    /// Bytes of private memory a work-item.
    pub private_bytes: u32,
    /// Bytes of group memory a work-group.
    pub group_bytes: u32,
}

pub(crate) struct QueueTable(ringfence_queue_backend_t);

// SAFETY: every entry is called on the threads of all streams on the queue, at once, as the header demands.
unsafe impl Send for QueueTable {}
// SAFETY: as above.
unsafe impl Sync for QueueTable {}

impl QueueTable {
    /// Looks whether everything is there that has to be.
    pub(crate) fn check(table: &ringfence_queue_backend_t) -> Result<(), Failure> {
        group!(table, required: reserve, commit, ring_doorbell, read_index, settled);
        Ok(())
    }
    /// Of a table that was looked at. Its end calls `release`.
    pub(crate) const fn new(table: ringfence_queue_backend_t) -> Self {
        Self(table)
    }
    fn commit(&self, at: PacketId, packet: &Packet<Work>) {
        let mut plain = ringfence_packet_t {
            kind: RINGFENCE_PACKET_KERNEL,
            barrier: u32::from(packet.barrier == Barrier::Set),
            acquire: scope_number(packet.acquire),
            release: scope_number(packet.release),
            work: std::ptr::null(),
            dependencies: [0; 5],
            below: 0,
            completes: packet.completes.as_u64(),
        };
        match &packet.body {
            Body::Kernel(work) => plain.work = work.0,
            Body::And(deps) | Body::Or(deps) => {
                let or = matches!(packet.body, Body::Or(_));
                plain.kind = if or { RINGFENCE_PACKET_OR } else { RINGFENCE_PACKET_AND };
                for (place, signal) in plain.dependencies.iter_mut().zip(deps.iter()) {
                    *place = signal.as_u64();
                }
            }
            Body::Value(wait) => {
                plain.kind = RINGFENCE_PACKET_VALUE;
                plain.dependencies[0] = wait.signal.as_u64();
                plain.below = wait.below.as_i64();
            }
        }
        entry!(self.0, commit, at.as_u64(), &raw const plain);
    }
}
impl Drop for QueueTable {
    fn drop(&mut self) {
        if self.0.release.is_some() {
            entry!(self.0, release);
        }
    }
}

/// The same packet with another kind of work.
#[cfg(any(feature = "hsa", feature = "hip"))]
fn with_work<W>(packet: &Packet<Work>, work: impl FnOnce(Work) -> Body<W>) -> Packet<W> {
    let &Packet { body, barrier, acquire, release, completes } = packet;
    let body = match body {
        Body::Kernel(own) => work(own),
        Body::And(deps) => Body::And(deps),
        Body::Or(deps) => Body::Or(deps),
        Body::Value(wait) => Body::Value(wait),
    };
    Packet { body, barrier, acquire, release, completes }
}
#[cfg(feature = "hsa")]
fn dispatch(work: Work, empty: ringfence_hsa::Dispatch) -> ringfence_hsa::Dispatch {
    use ringfence_hsa::{Dispatch, Extent, Kernarg, KernelObject};
    let from = work.0.cast::<ringfence_hsa_dispatch_t>();
    if from.is_null() {
        return empty;
    }
    // SAFETY: a submission to a queue of HSA's has such a structure there, by the header.
    let said = unsafe { from.read() };
    let kernarg = if said.kernarg == 0 { Kernarg::NONE } else { Kernarg::new(said.kernarg) };
    let [x, y, z] = said.grid;
    let grid = Extent { x, y, z };
    let [x, y, z] = said.group;
    let group = Extent { x, y, z };
    // SAFETY: who submits it promises what HSA demands of a dispatch; the header says so.
    let made =
        unsafe { Dispatch::new(KernelObject::new(said.kernel_object), kernarg, grid, group) };
    made.with_private_bytes(said.private_bytes).with_group_bytes(said.group_bytes)
}

macro_rules! on {
    ($self:ident, $queue:ident => $call:expr, table $table:ident => $plain:expr) => {
        match $self {
            Queue::Table($table) => $plain,
            #[cfg(feature = "hsa")]
            Queue::Hsa($queue, ..) => $call,
            #[cfg(feature = "hip")]
            Queue::Hip($queue, _) => $call,
        }
    };
}
impl PacketQueue for Queue {
    type Work = Work;
    fn lane(&self) -> LaneId {
        on!(self, queue => queue.lane(), table table => lane(table.0.queue, table.0.generation))
    }
    fn reserve(&self, count: PacketCount) -> PacketId {
        on!(self, queue => queue.reserve(count),
            table table => PacketId::new(entry!(table.0, reserve, count.count())))
    }
    fn capacity(&self) -> PacketCount {
        let of_table = |slots| NonZeroU32::new(slots).map_or(PacketCount::MAX, PacketCount::new);
        on!(self, queue => queue.capacity(), table table => of_table(table.0.capacity))
    }
    fn commit(&self, at: PacketId, packet: &Packet<Work>) {
        match self {
            Self::Table(table) => table.commit(at, packet),
            #[cfg(feature = "hsa")]
            Self::Hsa(queue, empty, _) => {
                queue.commit(at, &with_work(packet, |work| Body::Kernel(dispatch(work, *empty))));
            }
            // Kernels are submitted to its stream by HIP's own calls: `check_work` refused them.
            #[cfg(feature = "hip")]
            Self::Hip(queue, _) => {
                let nothing = |_| Body::And(ringfence::backend::Deps::NONE);
                queue.commit(at, &with_work(packet, nothing));
            }
        }
    }
    fn ring_doorbell(&self, last: PacketId) {
        on!(self, queue => queue.ring_doorbell(last),
            table table => entry!(table.0, ring_doorbell, last.as_u64()));
    }
    fn read_index(&self) -> PacketId {
        on!(self, queue => queue.read_index(),
            table table => PacketId::new(entry!(table.0, read_index)))
    }
    fn settled(&self) -> Settled {
        on!(self, queue => queue.settled(), table table => {
            let mut below = 0;
            match entry!(table.0, settled, &raw mut below) {
                0 => Settled::Reserving,
                _ => Settled::Below(PacketId::new(below)),
            }
        })
    }
}
impl Queue {
    /// Whether trackers of the device may be on it.
    pub(crate) fn belongs_to(&self, device: &Arc<DeviceObject>) -> Result<(), Failure> {
        let belongs = match self {
            // Which device it is on, the caller alone knows.
            Self::Table(_) => matches!(device.device, Device::Table(_)),
            #[cfg(feature = "hsa")]
            Self::Hsa(_, _, of) => Arc::ptr_eq(of, device),
            #[cfg(feature = "hip")]
            Self::Hip(_, of) => Arc::ptr_eq(of, device),
        };
        if belongs {
            return Ok(());
        }
        Err(Failure::new(
            Status::RINGFENCE_INVALID_ARGUMENT,
            format_args!(
                "the queue is of another device or backend than the tracker; take one that was made or opened for that device"
            ),
        ))
    }
    /// Whether what a submission says can be a packet: one that cannot would end its queue.
    pub(crate) fn check(&self, work: Work) -> Result<(), Failure> {
        match self {
            #[cfg(feature = "hsa")]
            Self::Hsa(..) => {
                let said = work.0.cast::<ringfence_hsa_dispatch_t>();
                if said.is_null() {
                    return Ok(());
                }
                // SAFETY: as in `dispatch`.
                let said = unsafe { said.read() };
                Failure::unless_0("work->reserved", said.reserved.into())?;
                if said.grid.contains(&0) || said.group.contains(&0) {
                    return Err(Failure::unknown("a size of the dispatch's grid or group", 0));
                }
                Ok(())
            }
            _ => {
                let _anything = work;
                Ok(())
            }
        }
    }
    /// Whether kernels may be packets of it.
    pub(crate) fn takes_kernels(&self) -> Kernels {
        match self {
            #[cfg(feature = "hip")]
            Self::Hip(..) => Kernels::PastIt,
            _ => Kernels::ByPacket,
        }
    }
}
/// How kernels come onto a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kernels {
    ByPacket,
    /// By its stream alone.
    PastIt,
}
