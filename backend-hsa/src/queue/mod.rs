//! Hardware queues.

mod options;
mod packet;
mod publication;
#[cfg(test)]
mod tests;

use std::{
    cell::Cell,
    hint,
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use ringfence::{
    backend::{Body, DeviceStatus, Packet, PacketCount, PacketQueue, Settled},
    id::{Generation, LaneId, PacketId, QueueId, SignalHandle},
};

use crate::{
    api::{Api, RawQueue},
    device::HsaDevice,
    error::{HsaError, Status},
    garbage::Garbage,
    kernel::Dispatch,
    life::Loss,
    signals::{self, store_fence},
};
use options::priority;
pub use options::{QueueOptions, RingSize, Stamping};
use publication::{Claim, Publication, Sink};

/// One hardware queue. A cheap handle that threads may share: clones are the same queue. It is destroyed with the last.
///
/// ```no_run
/// # use ringfence::drive::*;
/// use ringfence_hsa::{HsaDevice, HsaQueue, QueueOptions};
/// # fn two_trackers(gpu: &HsaDevice) -> Result<(), Box<dyn std::error::Error>> {
/// let queue: HsaQueue = gpu.create_queue(QueueOptions::default())?;
/// println!("{} packets", queue.ring_size().packets()); // fewer where the device takes fewer
/// let queue = HardwareQueue::new(queue);
/// let first = Tracker::open(gpu.clone(), queue.clone(), Policy::default())?;
/// let second = Tracker::open(gpu.clone(), queue, Policy::default())?; // on the same ring
/// # second.close()?;
/// # first.close()?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct HsaQueue(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    device: HsaDevice,
    /// Taken when it is dropped.
    raw: Option<RawQueue>,
    publication: Publication,
    /// Slots of packets below are free, as far as is known: at least the ring's size beyond some read index.
    free_below: AtomicU64,
    lane: LaneId,
    stamping: Stamping,
}

impl HsaDevice {
    /// Makes a queue. That takes milliseconds, and memory of the device's, which has few of them.
    ///
    /// # Errors
    /// Whatever the runtime says; [`HsaError::DeviceLost`].
    pub fn create_queue(&self, options: QueueOptions) -> Result<HsaQueue, HsaError> {
        if let Some(cause) = self.loss() {
            let id = ringfence::backend::Device::id(self);
            return Err(HsaError::DeviceLost { id, cause });
        }
        let runtime = self.runtime();
        runtime.sweep();
        let (api, facts) = (runtime.api(), self.0.facts());
        let (weak, index) = (runtime.downgrade(), self.0.index() as usize);
        let tell = Box::new(move |status| {
            // A runtime that has ended has no queue that could fail.
            if let Some(runtime) = weak.upgrade() {
                let status = runtime.api().status(status);
                runtime.life(index).lose(Loss::Queue(status));
            }
        });
        let size = options.packets.packets().min(facts.queue_limit());
        let raw = api.create_queue(facts.agent(), size, tell)?;
        let queue = HsaQueue(Arc::new(Inner {
            device: self.clone(),
            publication: Publication::new(raw.size()),
            free_below: AtomicU64::new(raw.size()),
            raw: Some(raw),
            lane: LaneId::new(QueueId::unique(), Generation::FIRST),
            stamping: options.stamping,
        }));
        if options.stamping == Stamping::On {
            api.stamp_packets(queue.0.raw())?;
        }
        if let Some(priority) = priority(options.priority) {
            api.set_priority(queue.0.raw(), priority)?;
        }
        Ok(queue)
    }
}

impl HsaQueue {
    /// The device that it belongs to.
    #[must_use]
    pub fn device(&self) -> &HsaDevice {
        &self.0.device
    }

    /// How many packets it holds.
    #[must_use]
    pub fn ring_size(&self) -> RingSize {
        RingSize(u32::try_from(self.0.raw().size()).expect("the runtime's sizes have 32 bits"))
    }

    /// What the runtime reported of it: after that, nothing in it will be seen to finish, and its device counts as
    /// [lost](Loss::Queue).
    #[must_use]
    pub fn error(&self) -> Option<Status> {
        self.0.raw().errors().first().map(|status| self.0.api().status(status))
    }
}

impl Inner {
    fn api(&self) -> Api {
        self.device.runtime().api()
    }

    fn raw(&self) -> &RawQueue {
        self.raw.as_ref().expect("taken by `drop` alone")
    }

    /// Waits until the slots of all packets below `end` are free. Returns at once if the device is lost.
    #[cold]
    fn wait_for_slots(&self, end: u64) {
        let (api, raw) = (self.api(), self.raw());
        let mut looks = 0_u32;
        loop {
            let free_below = api.read_index(raw) + raw.size();
            // With release: whoever finds a slot free here writes after what was read there.
            self.free_below.fetch_max(free_below, Ordering::AcqRel);
            if end <= free_below || self.device.0.life().status() == DeviceStatus::Lost {
                return;
            }
            // Packets that the device was not told of never make room.
            self.publication.tell_all(&self.sink());
            looks += 1;
            match looks {
                ..64 => hint::spin_loop(),
                64..1024 => thread::yield_now(),
                1024.. => thread::sleep(Duration::from_micros(50)),
            }
        }
    }

    /// The slot of the packet at `index`, which the calling thread alone may write from now on. None on a lost device: the slot is
    /// another packet's, and nothing will be read any more.
    fn claim(&self, index: u64) -> Option<Claim> {
        // Whoever was given an index has seen that its slot is free, or that the device is lost.
        let is_free = index < self.free_below.load(Ordering::Acquire);
        if !is_free && self.device.0.life().status() == DeviceStatus::Lost {
            return None;
        }
        assert!(
            is_free && index < self.api().write_index(self.raw()),
            "{} was not reserved on this queue",
            PacketId::new(index)
        );
        let claim = self.publication.claim(index);
        Some(claim.unwrap_or_else(|| panic!("{} was committed before", PacketId::new(index))))
    }

    /// A packet that carries no times leaves those of its signal's last use there. They are cleared before it is published, by
    /// the thread that armed the signal or one behind it: the device writes none, and whoever sees the packet done sees none.
    #[cold]
    fn clear_times(&self, completes: SignalHandle) {
        if let Some(held) = signals::hold(&self.device.0, completes) {
            held.block().clear_times();
            if held.entry().memory().is_device() {
                store_fence();
            }
        }
    }

    fn sink(&self) -> Published<'_> {
        Published { api: self.api(), raw: self.raw() }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(raw) = self.raw.take() {
            let gpu = self.device.0.index() as usize;
            self.device.runtime().discard(Garbage::Queue { raw, gpu });
        }
    }
}

/// The runtime's ring.
struct Published<'a> {
    api: Api,
    raw: &'a RawQueue,
}

impl Sink for Published<'_> {
    fn publish(&self, index: u64, first_word: u32) {
        // SAFETY: `index` was reserved and its body written before it was handed to `Publication`, which publishes each once.
        unsafe { self.raw.publish(index, first_word) };
    }

    #[inline]
    fn settle(&self) {
        if self.raw.is_in_device() {
            store_fence();
        }
    }

    fn ring(&self, last: u64) {
        self.api.ring(self.raw, last);
    }
}

impl PacketQueue for HsaQueue {
    type Work = Dispatch;

    #[inline]
    fn lane(&self) -> LaneId {
        self.0.lane
    }

    /// # Panics
    /// If `count` is more than the ring holds.
    #[inline]
    fn reserve(&self, count: PacketCount) -> PacketId {
        let (inner, count) = (&*self.0, u64::from(count.count()));
        let size = inner.raw().size();
        assert!(count <= size, "{count} packets were asked of a ring of {size}");
        let first = inner.api().add_write_index(inner.raw(), count);
        let end = first + count;
        if end > inner.free_below.load(Ordering::Acquire) {
            inner.wait_for_slots(end);
        }
        PacketId::new(first)
    }

    fn capacity(&self) -> PacketCount {
        let size = u32::try_from(self.0.raw().size()).ok().and_then(NonZeroU32::new);
        size.map_or(PacketCount::ONE, PacketCount::new)
    }

    /// # Panics
    /// If `at` was not reserved on this queue, or was committed before: then nothing is written.
    ///
    /// If `packet` names a signal that is not there: something was destroyed too early; or launches an
    /// [empty kernel](HsaDevice::empty_kernel) of another start of the runtime. Its index is published as a packet that does nothing.
    fn commit(&self, at: PacketId, packet: &Packet<Dispatch>) {
        let inner = &*self.0;
        let unknown = Cell::new(None);
        let mut encoded = packet::encode(packet, |signal| {
            signals::address(&inner.device.0, signal).unwrap_or_else(|| {
                unknown.set(Some(signal));
                0
            })
        });
        let unknown = unknown.into_inner();
        let runtime = inner.device.runtime().number();
        let foreign = matches!(&packet.body, Body::Kernel(kernel) if kernel.is_foreign_to(runtime));
        let is_refused = foreign || unknown.is_some();
        if is_refused {
            encoded = packet::encode(&Packet::nothing(), |_| 0);
        }
        // From here to the end of the commit nothing panics: what is behind a slot that is claimed waits for it.
        let Some(claim) = inner.claim(at.as_u64()) else { return };
        if inner.stamping == Stamping::Off && !is_refused {
            inner.clear_times(packet.completes);
        }
        // SAFETY: `at` was reserved, and its slot is free and was claimed, all of which was seen above.
        unsafe { inner.raw().write_body(at.as_u64(), &encoded.body) };
        inner.publication.commit(claim, encoded.first_word, &inner.sink());
        if let Some(signal) = unknown {
            panic!(
                "{signal:?}, which packet {at} names, is no signal of this backend, or was destroyed"
            );
        }
        assert!(
            !foreign,
            "the kernel of packet {at} went with another start of the runtime; ask this device for `empty_kernel`"
        );
    }

    fn ring_doorbell(&self, last: PacketId) {
        self.0.publication.tell(last.as_u64(), &self.0.sink());
    }

    #[inline]
    fn read_index(&self) -> PacketId {
        PacketId::new(self.0.api().read_index(self.0.raw()))
    }

    fn settled(&self) -> Settled {
        // In this order: what is published never passes what is reserved, so that equal means equal at the second look.
        let published = self.0.publication.published_below();
        let reserved = self.0.api().write_index(self.0.raw());
        if published == reserved {
            Settled::Below(PacketId::new(published))
        } else {
            Settled::Reserving
        }
    }
}
