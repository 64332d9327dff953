//! A stream as a queue: packets become HIP's calls, in the order of their indices.

use std::{
    collections::VecDeque,
    ffi::c_void,
    fmt, hint,
    num::NonZeroU32,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use ringfence::{
    backend::{Body, Device, DeviceStatus, Packet, PacketCount, PacketQueue, Settled},
    error::DriverError,
    id::{Generation, LaneId, PacketId, QueueId, RawStream, SignalHandle, StreamKey},
};

use super::{
    HipDevice,
    own::OwnStream,
    signals::{Completions, Signal},
};
use crate::{error::UNKNOWN_HANDLE, streams::raw, sys, work::Launch};

/// Packets that were committed before an earlier one, and packets that were reserved: at most so many wait.
const SLOTS: u64 = 1024;
/// The read index rises in steps of so many packets: each step is a call of HIP's.
const STEP: u64 = 16;

/// A stream of HIP as a packet queue. A cheap handle that threads may share: clones are the same queue. The stream is its own, and
/// goes to a later queue or copy engine of the GPU when it is dropped: nothing is waited for.
#[derive(Clone)]
pub struct HipQueue(Arc<Inner>);

struct Inner {
    /// Its word says below which index all are complete, as far as the stream has said.
    own: OwnStream,
    /// What the read index is counted from: streams of dropped queues have a past.
    first: u64,
    lane: LaneId,
    reserved: AtomicU64,
    submitted: AtomicU64,
    line: Mutex<Line>,
}

/// Packets in the order of their indices, from the first that was not submitted.
#[derive(Debug)]
struct Line {
    next: u64,
    waiting: VecDeque<Option<Packet<Launch>>>,
}

impl HipDevice {
    /// Makes a queue of streams of this kind.
    ///
    /// # Errors
    /// What HIP says, as it says it of streams; [`DriverError::DeviceLost`] after a reset.
    pub fn create_queue(&self, key: StreamKey) -> Result<HipQueue, DriverError> {
        let own = self.own_stream(key)?;
        let word = self.streams().words().word(own.progress());
        let first = word.map_or(0, |word| word.load(Ordering::Acquire));
        let waiting = VecDeque::with_capacity(SLOTS as usize);
        Ok(HipQueue(Arc::new(Inner {
            own,
            first,
            lane: LaneId::new(QueueId::unique(), Generation::FIRST),
            reserved: AtomicU64::new(0),
            submitted: AtomicU64::new(0),
            line: Mutex::new(Line { next: 0, waiting }),
        })))
    }
}

impl HipQueue {
    /// The GPU that it belongs to.
    #[must_use]
    pub fn device(&self) -> &HipDevice {
        &self.0.own.device
    }

    /// Its stream, for work past the queue: what is submitted by it is in order with the packets, and counted by nobody.
    #[must_use]
    pub fn stream(&self) -> RawStream {
        self.0.own.stream()
    }
}

impl Inner {
    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Submits what is next, as far as it is there.
    fn advance(&self, line: &mut Line) {
        while let Some(Some(packet)) = line.waiting.front() {
            let packet = *packet;
            line.waiting.pop_front();
            let index = line.next;
            line.next += 1;
            if self.own.device.status() == DeviceStatus::Alive
                && let Err(error) = self.submit(&packet, self.first + index)
            {
                // As with a bad packet of a hardware queue: nothing behind it would be in order.
                self.own.device.report_lost(error);
            }
        }
        self.submitted.store(line.next, Ordering::Release);
    }

    fn submit(&self, packet: &Packet<Launch>, number: u64) -> Result<(), DriverError> {
        let device = &self.own.device;
        let (hip, streams) = (device.hip(), device.streams());
        let _held = streams.stream(self.own.stream())?;
        let stream = Stream { device, raw: raw(self.own.stream().as_u64()) };
        match &packet.body {
            Body::Kernel(launch) => launch.submit(hip, stream.raw)?,
            Body::And(deps) | Body::Or(deps) => {
                for signal in deps.iter() {
                    stream.wait(signal, 1)?;
                }
            }
            Body::Value(value) => stream.wait(value.signal, value.below.as_i64())?,
        }
        if !packet.completes.is_null() {
            stream.complete(packet.completes)?;
        }
        if (number + 1).is_multiple_of(STEP) {
            let word = streams.words().address(self.own.progress()).ok_or(UNKNOWN_HANDLE)?;
            stream.write(word, Completions(number + 1))?;
        }
        Ok(())
    }
}

/// A stream that exists, for one packet.
pub(super) struct Stream<'a> {
    pub(super) device: &'a HipDevice,
    pub(super) raw: *mut c_void,
}

impl Stream<'_> {
    /// Later work waits until the signal's value is below `below`.
    pub(super) fn wait(&self, signal: SignalHandle, below: i64) -> Result<(), DriverError> {
        let table = self.device.table();
        let found = table.find(signal).ok_or(UNKNOWN_HANDLE)?;
        // Its GPU was reset, and what would complete it is gone with that: this one goes on.
        let Some(at) = table.address(signal) else { return Ok(()) };
        let Completions(number) = found.falls_below(below);
        let wait = self.device.hip().functions().hipStreamWaitValue64;
        // SAFETY: the caller holds the stream; the word is pinned host memory that is never freed.
        self.device
            .hip()
            .check(unsafe { wait(self.raw, at, number, sys::hipStreamWaitValueGte, u64::MAX) })
    }

    /// The signal is completed once by all that was submitted before.
    pub(super) fn complete(&self, signal: SignalHandle) -> Result<(), DriverError> {
        let (signal, at) = self.signal(signal)?;
        self.write(at, signal.next_completion())
    }

    /// A signal, and where a stream finds it.
    fn signal(&self, signal: SignalHandle) -> Result<(Signal<'_>, *mut c_void), DriverError> {
        let table = self.device.table();
        table.find(signal).zip(table.address(signal)).ok_or(UNKNOWN_HANDLE)
    }

    fn write(&self, at: *mut c_void, number: Completions) -> Result<(), DriverError> {
        let write = self.device.hip().functions().hipStreamWriteValue64;
        // SAFETY: the caller holds the stream; the word is pinned host memory that is never freed.
        self.device.hip().check(unsafe { write(self.raw, at, number.0, 0) })
    }
}

impl PacketQueue for HipQueue {
    type Work = Launch;

    #[inline]
    fn lane(&self) -> LaneId {
        self.0.lane
    }

    /// # Panics
    /// If `count` is more than 1,024.
    fn reserve(&self, count: PacketCount) -> PacketId {
        let (inner, count) = (&*self.0, u64::from(count.count()));
        assert!(count <= SLOTS, "{count} packets were asked of a queue of {SLOTS}");
        let first = inner.reserved.fetch_add(count, Ordering::AcqRel);
        let mut looks = 0_u32;
        // Room is made by whoever reserved before and commits.
        while first + count > inner.submitted.load(Ordering::Acquire) + SLOTS
            && inner.own.device.status() == DeviceStatus::Alive
        {
            looks += 1;
            if looks < 64 { hint::spin_loop() } else { thread::yield_now() }
        }
        PacketId::new(first)
    }

    fn capacity(&self) -> PacketCount {
        const ALL: NonZeroU32 = NonZeroU32::new(SLOTS as u32).expect("there are some");
        PacketCount::new(ALL)
    }

    /// A packet that HIP refuses ends the device ([`HipDevice::loss`]), as one that a packet processor does not know would.
    ///
    /// # Panics
    /// If `at` was not reserved on this queue, or was committed before.
    fn commit(&self, at: PacketId, packet: &Packet<Launch>) {
        let inner = &*self.0;
        let reserved = inner.reserved.load(Ordering::Acquire);
        let mut line = inner.line();
        let place = at.as_u64().checked_sub(line.next).filter(|_| at.as_u64() < reserved);
        let place = place.unwrap_or_else(|| panic!("{at} was not reserved on this queue"));
        if place >= SLOTS {
            return; // on a lost device, which reserves without room
        }
        let place = place as usize;
        if line.waiting.len() <= place {
            line.waiting.resize(place + 1, None);
        }
        assert!(line.waiting[place].is_none(), "{at} was committed before");
        line.waiting[place] = Some(*packet);
        inner.advance(&mut line);
    }

    /// Everything that was committed in order was submitted.
    #[inline]
    fn ring_doorbell(&self, _last: PacketId) {}

    fn read_index(&self) -> PacketId {
        let inner = &*self.0;
        let word = inner.own.device.streams().words().word(inner.own.progress());
        let done = word.map_or(0, |word| word.load(Ordering::Acquire));
        PacketId::new(done.saturating_sub(inner.first))
    }

    fn settled(&self) -> Settled {
        let inner = &*self.0;
        let submitted = inner.line().next;
        if inner.reserved.load(Ordering::Acquire) == submitted {
            Settled::Below(PacketId::new(submitted))
        } else {
            Settled::Reserving
        }
    }
}

impl fmt::Debug for HipQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HipQueue")
            .field("lane", &self.0.lane)
            .field("stream", &self.0.own.stream())
            .finish_non_exhaustive()
    }
}
