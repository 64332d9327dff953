//! A device whose work is finished as soon as it is published, so that only bookkeeping is measured.
//!
//! Calls are counted in plain cells: a [`NullDevice`] or [`NullQueue`] stays on one thread. Clones share
//! one device or queue.

use std::{cell::Cell, num::NonZeroU64, rc::Rc, time::Duration};

use ringfence::{
    backend::{
        Capabilities, Created, Device, DeviceStatus, Engine, Features, HostDataPath, HostWait,
        Packet, PacketCount, PacketQueue, Profiler, RingMemory, Settled, SignalMemory, Signals,
        Timestamps, WaitHint, WaitOutcome,
    },
    error::CreateError,
    id::{DeviceId, Generation, LaneId, PacketId, QueueId, SignalHandle, SignalValue},
    timing::{RawInterval, TickRate},
};

/// How often a [`NullDevice`] was called.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Calls {
    /// Signals created.
    pub created: u64,
    /// Signals destroyed.
    pub destroyed: u64,
    /// Loads of a signal.
    pub loads: u64,
    /// Stores of an initial value.
    pub arms: u64,
    /// Flushes of the host data path.
    pub flushes: u64,
    /// Store fences without a flush.
    pub store_fences: u64,
    /// Host waits.
    pub waits: u64,
    /// Reads of timestamps.
    pub timestamps: u64,
}

#[derive(Debug, Default)]
struct Counters {
    created: Cell<u64>,
    destroyed: Cell<u64>,
    loads: Cell<u64>,
    arms: Cell<u64>,
    flushes: Cell<u64>,
    store_fences: Cell<u64>,
    waits: Cell<u64>,
    timestamps: Cell<u64>,
    /// What every load sees.
    value: Cell<i64>,
}

#[inline]
fn count(counter: &Cell<u64>) {
    counter.set(counter.get() + 1);
}

/// A device with a large BAR whose signals are always at 0, or never.
#[derive(Clone, Debug, Default)]
pub struct NullDevice(Rc<Counters>);
impl NullDevice {
    /// A device that was not called yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// A device on which nothing ever finishes.
    pub fn stuck() -> Self {
        let device = Self::new();
        device.0.value.set(SignalValue::ARMED.as_i64());
        device
    }
    fn value(&self) -> SignalValue {
        SignalValue::new(self.0.value.get())
    }
    /// The calls so far.
    pub fn calls(&self) -> Calls {
        let of = &self.0;
        Calls {
            created: of.created.get(),
            destroyed: of.destroyed.get(),
            loads: of.loads.get(),
            arms: of.arms.get(),
            flushes: of.flushes.get(),
            store_fences: of.store_fences.get(),
            waits: of.waits.get(),
            timestamps: of.timestamps.get(),
        }
    }
}
impl Signals for NullDevice {
    fn create(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        for signal in &mut *batch {
            count(&self.0.created);
            *signal = SignalHandle::new(self.0.created.get());
        }
        Ok(Created { count: batch.len(), memory })
    }
    fn destroy(&self, _signal: SignalHandle) {
        count(&self.0.destroyed);
    }
    #[inline]
    fn load(&self, _signal: SignalHandle) -> SignalValue {
        count(&self.0.loads);
        self.value()
    }
    #[inline]
    fn arm(&self, _signal: SignalHandle, _value: SignalValue) {
        count(&self.0.arms);
    }
    #[inline]
    fn publish_stores(&self) {
        count(&self.0.store_fences);
    }
    #[inline]
    fn flush(&self) {
        count(&self.0.flushes);
    }
}
impl HostWait for NullDevice {
    #[inline]
    fn wait(
        &self,
        _signal: SignalHandle,
        below: SignalValue,
        _hint: WaitHint,
        _limit: Duration,
    ) -> WaitOutcome {
        count(&self.0.waits);
        if self.value() < below {
            WaitOutcome::Reached(self.value())
        } else {
            WaitOutcome::TimedOut
        }
    }
    fn force(&self, _signal: SignalHandle) {}
}
impl Timestamps for NullDevice {
    #[inline]
    fn timestamps(&self, _signal: SignalHandle, _engine: Engine) -> RawInterval {
        count(&self.0.timestamps);
        RawInterval::new(1, 2)
    }
    #[inline]
    fn tick_rate(&self) -> TickRate {
        const RATE: NonZeroU64 = NonZeroU64::new(100_000_000).expect("100 MHz is not 0");
        TickRate::new(RATE)
    }
}
impl Device for NullDevice {
    #[inline]
    fn id(&self) -> DeviceId {
        DeviceId::new(0)
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities::new(
            Features::LARGE_BAR | Features::DEVICE_SIGNALS | Features::INTERRUPTS,
            RingMemory::System,
            HostDataPath::Hdp,
        )
    }
    #[inline]
    fn status(&self) -> DeviceStatus {
        DeviceStatus::Alive
    }
    #[inline]
    fn profiler(&self) -> Profiler {
        Profiler::Absent
    }
}

#[derive(Debug)]
struct Index {
    lane: LaneId,
    next: Cell<u64>,
    completes: Cell<SignalHandle>,
}

/// A hardware queue whose packets are finished once written.
#[derive(Clone, Debug)]
pub struct NullQueue(Rc<Index>);
impl NullQueue {
    /// The queue with this number, of which no packet was written.
    pub fn new(queue: QueueId) -> Self {
        Self(Rc::new(Index {
            lane: LaneId::new(queue, Generation::FIRST),
            next: Cell::new(0),
            completes: Cell::new(SignalHandle::NULL),
        }))
    }
    /// The completion signal of the packet that was written last.
    pub fn last_completes(&self) -> SignalHandle {
        self.0.completes.get()
    }
}
impl PacketQueue for NullQueue {
    type Work = ();
    #[inline]
    fn lane(&self) -> LaneId {
        self.0.lane
    }
    #[inline]
    fn reserve(&self, count: PacketCount) -> PacketId {
        let first = self.0.next.get();
        self.0.next.set(first + u64::from(count.count()));
        PacketId::new(first)
    }
    #[inline]
    fn commit(&self, _at: PacketId, packet: &Packet<()>) {
        // What every backend reads, so that a benchmark cannot leave out finding it.
        self.0.completes.set(packet.completes);
    }
    #[inline]
    fn ring_doorbell(&self, _last: PacketId) {}
    #[inline]
    fn read_index(&self) -> PacketId {
        PacketId::new(self.0.next.get())
    }
    fn settled(&self) -> Settled {
        Settled::Below(PacketId::new(self.0.next.get()))
    }
}
