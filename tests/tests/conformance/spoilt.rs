//! AMD's runtime with one thing wrong, where a mock cannot show it: threads and real time.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use ringfence::{
    backend::{
        Capabilities, Created, Device, DeviceStatus, Engine, HandlerToken, Handlers, HostWait,
        Packet, PacketCount, PacketQueue, Profiler, Settled, SignalMemory, Signals, Timestamps,
        WaitHint, WaitOutcome,
    },
    error::{CreateError, HandlerRefused},
    id::{DeviceId, LaneId, PacketId, SignalHandle, SignalValue},
    timing::{RawInterval, TickRate},
};
use ringfence_hsa::{CopyWork, Dispatch, HsaCopyEngine, HsaDevice, HsaError, HsaQueue};
use ringfence_tests::conformance::{
    Drive, HsaMemory, HsaSubject, Length, Lists, Losing, RingSize, Shared, Stamps, Subject, Worker,
    at_once,
};

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flaw {
    /// A wait that should sleep spins.
    Spins,
    /// `force` does nothing.
    ForcesNothing,
    /// Indices are handed out whatever the ring holds.
    OverrunsTheRing,
}

#[derive(Debug)]
pub(crate) struct Spoilt {
    hsa: HsaSubject,
    devices: Vec<SpoiltDevice>,
    flaw: Flaw,
}
impl Spoilt {
    pub(crate) fn start(flaw: Flaw) -> Result<Self, HsaError> {
        let hsa = HsaSubject::start(Losing::ByReport)?;
        let device = |nth| SpoiltDevice { device: hsa.device(nth).clone(), flaw };
        let devices = (0..hsa.devices()).map(device).collect();
        Ok(Self { hsa, devices, flaw })
    }
}

#[derive(Debug)]
pub(crate) struct SpoiltDevice {
    device: HsaDevice,
    flaw: Flaw,
}
impl Device for SpoiltDevice {
    fn id(&self) -> DeviceId {
        self.device.id()
    }
    fn capabilities(&self) -> Capabilities {
        self.device.capabilities()
    }
    fn status(&self) -> DeviceStatus {
        self.device.status()
    }
    fn profiler(&self) -> Profiler {
        self.device.profiler()
    }
}
impl Signals for SpoiltDevice {
    fn create(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        self.device.create(memory, batch)
    }
    fn destroy(&self, signal: SignalHandle) {
        self.device.destroy(signal);
    }
    fn load(&self, signal: SignalHandle) -> SignalValue {
        self.device.load(signal)
    }
    fn arm(&self, signal: SignalHandle, value: SignalValue) {
        self.device.arm(signal, value);
    }
    fn publish_stores(&self) {
        self.device.publish_stores();
    }
    fn flush(&self) {
        self.device.flush();
    }
}
impl HostWait for SpoiltDevice {
    fn wait(
        &self,
        signal: SignalHandle,
        below: SignalValue,
        hint: WaitHint,
        limit: Duration,
    ) -> WaitOutcome {
        if self.flaw == Flaw::Spins {
            // It gives way to nobody: the device's own active wait does, and beside busy programs uses as little as one that sleeps.
            let begun = Instant::now();
            while begun.elapsed() < limit.min(Duration::from_secs(1)) {
                let value = self.device.load(signal);
                if value < below {
                    return WaitOutcome::Reached(value);
                }
            }
            return WaitOutcome::TimedOut;
        }
        self.device.wait(signal, below, hint, limit)
    }
    fn force(&self, signal: SignalHandle) {
        if self.flaw != Flaw::ForcesNothing {
            self.device.force(signal);
        }
    }
}
impl Timestamps for SpoiltDevice {
    fn timestamps(&self, signal: SignalHandle, engine: Engine) -> RawInterval {
        self.device.timestamps(signal, engine)
    }
    fn tick_rate(&self) -> TickRate {
        self.device.tick_rate()
    }
}
impl Handlers for SpoiltDevice {
    fn watch(&self, signal: SignalHandle, token: HandlerToken) -> Result<(), HandlerRefused> {
        self.device.watch(signal, token)
    }
}

#[derive(Debug)]
pub(crate) struct SpoiltQueue {
    queue: HsaQueue,
    flaw: Flaw,
    /// Of a ring that is overrun, packets from here on go nowhere.
    slots: u64,
    next: AtomicU64,
}
impl SpoiltQueue {
    fn is_real(&self, at: PacketId) -> bool {
        self.flaw != Flaw::OverrunsTheRing || at.as_u64() < self.slots
    }
}
impl PacketQueue for SpoiltQueue {
    type Work = Dispatch;
    fn lane(&self) -> LaneId {
        self.queue.lane()
    }
    fn reserve(&self, count: PacketCount) -> PacketId {
        let next = PacketId::new(self.next.fetch_add(u64::from(count.count()), Ordering::Relaxed));
        if self.is_real(next) { self.queue.reserve(count) } else { next }
    }
    fn capacity(&self) -> PacketCount {
        self.queue.capacity()
    }
    fn commit(&self, at: PacketId, packet: &Packet<Dispatch>) {
        if self.is_real(at) {
            self.queue.commit(at, packet);
        }
    }
    fn ring_doorbell(&self, last: PacketId) {
        if self.is_real(last) {
            self.queue.ring_doorbell(last);
        }
    }
    fn read_index(&self) -> PacketId {
        self.queue.read_index()
    }
    fn settled(&self) -> Settled {
        self.queue.settled()
    }
}

impl Subject for Spoilt {
    type Device = SpoiltDevice;
    type Queue = SpoiltQueue;
    type Engine = HsaCopyEngine;
    type Memory = HsaMemory;

    fn devices(&self) -> usize {
        self.devices.len()
    }
    fn device(&self, nth: usize) -> &SpoiltDevice {
        &self.devices[nth]
    }
    fn queue(&self, of: usize, size: RingSize) -> SpoiltQueue {
        let (queue, slots) = (self.hsa.queue(of, size), self.hsa.slots(size));
        SpoiltQueue { queue, flaw: self.flaw, slots, next: AtomicU64::new(0) }
    }
    fn slots(&self, size: RingSize) -> u64 {
        self.hsa.slots(size)
    }
    fn engine(&self, of: usize) -> HsaCopyEngine {
        self.hsa.engine(of)
    }
    fn kernel(&self, of: usize, length: Length) -> Dispatch {
        self.hsa.kernel(of, length)
    }
    fn memory(&self, of: usize, word: u32) -> HsaMemory {
        self.hsa.memory(of, word)
    }
    fn holds(&self, memory: &HsaMemory, word: u32) -> bool {
        self.hsa.holds(memory, word)
    }
    fn copy(&self, from: &HsaMemory, to: &HsaMemory) -> CopyWork {
        self.hsa.copy(from, to)
    }
    fn now(&self) -> Duration {
        self.hsa.now()
    }
    fn settle(&self, limit: Duration, condition: impl FnMut() -> bool) -> bool {
        self.hsa.settle(limit, condition)
    }
    fn drive(&self) -> Drive {
        self.hsa.drive()
    }
    fn together<'a, W: Worker<'a, Self>>(
        &'a self,
        shared: Shared<'a, Self>,
        workers: usize,
        work: &W,
    ) -> Vec<W::Answer> {
        at_once(shared, workers, work)
    }
    fn cpu_time(&self) -> Option<Duration> {
        self.hsa.cpu_time()
    }
    fn reported(&self, of: usize) -> Vec<HandlerToken> {
        self.hsa.reported(of)
    }
    fn lose(&self, nth: usize) {
        self.hsa.lose(nth);
    }
    fn attach_profiler(&self, nth: usize) -> bool {
        self.hsa.attach_profiler(nth)
    }
    fn stamps(&self) -> Stamps {
        self.hsa.stamps()
    }
    fn unstamped_queue(&self, _: usize) -> Option<SpoiltQueue> {
        None
    }
    fn violations(&self) -> Vec<String> {
        self.hsa.violations()
    }
    fn lists(&self) -> Lists {
        self.hsa.lists()
    }
}
