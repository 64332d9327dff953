//! Hardware queues.

use std::num::NonZeroU32;

use super::{Packet, pointers::through_pointers};
#[cfg(doc)]
use crate::id::QueueId;
use crate::id::{LaneId, PacketId};

/// How many packets to reserve at once.
///
/// ```
/// use ringfence::backend::PacketCount;
/// use std::num::NonZeroU32;
/// let packets = ["produce", "consume"];
/// // None is no number of packets to reserve.
/// let count = NonZeroU32::new(packets.len() as u32).map(PacketCount::new);
/// assert_eq!(count.map(PacketCount::count), Some(2));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PacketCount(NonZeroU32);
impl PacketCount {
    /// One packet.
    pub const ONE: Self = Self(NonZeroU32::MIN);
    /// As many as a reservation can ask for.
    pub const MAX: Self = Self(NonZeroU32::MAX);
    /// `count` packets.
    pub const fn new(count: NonZeroU32) -> Self {
        Self(count)
    }
    /// The number.
    pub const fn count(self) -> u32 {
        self.0.get()
    }
}

/// Whether every index that was reserved in a queue is published.
///
/// ```
/// use ringfence::{backend::{PacketQueue, Settled}, id::PacketId};
/// /// Up to where a queue is published, once nobody is in the middle of it.
/// fn published(queue: &impl PacketQueue) -> PacketId {
///     loop {
///         match queue.settled() {
///             Settled::Below(end) => return end,
///             Settled::Reserving => std::thread::yield_now(),
///         }
///     }
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Settled {
    /// All below this index are published, and none is reserved at or above it.
    Below(PacketId),
    /// Some index is reserved and not published yet.
    Reserving,
}

/// One hardware queue. Other streams, and strangers, may publish on it as well.
///
/// # Contract
/// 1. `lane` is the queue's identity and the generation of its index space. No other queue or copy engine
///    of the process, on any device, has the same [`QueueId`]: proofs are compared by
///    it, and [`QueueId::unique`] gives such numbers. It changes only when the index space restarts; the embedder then makes a new
///    [`HardwareQueue`](crate::drive::HardwareQueue) and gives it to every stream with
///    [`switch_queue`](crate::drive::Tracker::switch_queue), before anything else is submitted: a restart
///    is not noticed by itself. Before it restarts, each stream drains it, or submits a marker for
///    [`HostQuery`](crate::placement::Role::HostQuery): nothing can prove afterwards what the old index space still holds.
/// 2. `reserve` hands out consecutive indices, each once, and returns the first. It waits for nothing
///    but ring space; on a lost device it returns at once, and the packets go nowhere. It is never asked for more at
///    once than `capacity`, the size of the ring, which stays: more would wait for packets that nobody has written.
///    A queue without an end leaves `capacity` as it is; a tracker asks for 256 at most.
/// 3. `commit` writes the packet at a reserved index. Packets become visible to the device in index
///    order: a later one is not seen before an earlier one is committed
///    (<https://github.com/ROCm/rocm-systems/issues/10377>). None of these calls can fail: who cannot publish a packet
///    tries again, and a publication that fails for good is the loss of its device, which is reported
///    [`Lost`](super::DeviceStatus::Lost) from then on. The packet goes nowhere, as do all behind it.
/// 4. `ring_doorbell` tells the device of everything committed up to and including `last`.
/// 5. `read_index` says which ring slots may be used again: it may lead or lag completion (HSA 2.8.3),
///    and never goes back within a generation.
/// 6. `settled` looks at reservations and publications at one point in time.
///
/// ```
/// # use ringfence::{backend::*, id::*};
/// # use std::{collections::BTreeMap, sync::{Mutex, atomic::{AtomicU64, Ordering::*}}};
/// /// A queue that nothing runs: it keeps what was published.
/// struct Recorder {
///     id: QueueId,
///     reserved: AtomicU64,
///     packets: Mutex<BTreeMap<PacketId, Packet<&'static str>>>,
/// }
/// impl PacketQueue for Recorder {
///     type Work = &'static str;
///     fn lane(&self) -> LaneId {
///         LaneId::new(self.id, Generation::FIRST)
///     }
///     fn reserve(&self, count: PacketCount) -> PacketId {
///         PacketId::new(self.reserved.fetch_add(count.count().into(), AcqRel))
///     }
///     fn commit(&self, at: PacketId, packet: &Packet<&'static str>) {
///         self.packets.lock().expect("nobody panics with it").insert(at, *packet);
///     }
///     fn ring_doorbell(&self, _last: PacketId) {} // there is nobody to tell
///     fn read_index(&self) -> PacketId {
///         PacketId::FIRST
///     }
///     fn settled(&self) -> Settled {
///         let packets = self.packets.lock().expect("nobody panics with it");
///         let end = self.reserved.load(Acquire);
///         if packets.len() as u64 == end { Settled::Below(PacketId::new(end)) } else { Settled::Reserving }
///     }
/// }
/// let queue = Recorder { id: QueueId::unique(), reserved: 0.into(), packets: Mutex::default() };
/// let at = queue.reserve(PacketCount::ONE);
/// assert_eq!(queue.settled(), Settled::Reserving);
/// queue.commit(at, &Packet::nothing());
/// assert_eq!(queue.settled(), Settled::Below(at.next()));
/// ```
pub trait PacketQueue {
    /// The backend's own kind of work for [`Body::Kernel`](super::Body::Kernel). It is `Copy` and owns nothing, so that
    /// packets of a graph can be submitted again: arguments of a kernel travel as an address. What lies there is kept
    /// until the use is proven, by a [`RetireQueue`](crate::retire::RetireQueue) or in a
    /// [`Staging`](crate::staging::Staging) ring beside the tracker.
    type Work: Copy;
    /// Contract 1.
    fn lane(&self) -> LaneId;
    /// Contract 2.
    fn reserve(&self, count: PacketCount) -> PacketId;
    /// Contract 2: for how many packets at once there can be room.
    fn capacity(&self) -> PacketCount {
        PacketCount::MAX
    }
    /// Contract 3.
    fn commit(&self, at: PacketId, packet: &Packet<Self::Work>);
    /// Contract 4.
    fn ring_doorbell(&self, last: PacketId);
    /// Contract 5.
    fn read_index(&self) -> PacketId;
    /// Contract 6.
    fn settled(&self) -> Settled;
}
through_pointers! { PacketQueue {
    type Work;
    fn lane(&self) -> LaneId;
    fn reserve(&self, count: PacketCount) -> PacketId;
    fn capacity(&self) -> PacketCount;
    fn commit(&self, at: PacketId, packet: &Packet<Self::Work>);
    fn ring_doorbell(&self, last: PacketId);
    fn read_index(&self) -> PacketId;
    fn settled(&self) -> Settled;
} }
