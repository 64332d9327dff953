//! A device that does nothing and is always done: what is left is the library's own bookkeeping.

use std::{cell::Cell, rc::Rc, time::Duration};

use ringfence::{
    backend::{
        Capabilities, CopyEngine, CopyRefused, Created, Device, DeviceStatus, Engine, HostWait,
        Packet, PacketCount, PacketQueue, PartIndex, Profiler, Settled, SignalMemory, Signals,
        Timestamps, WaitHint, WaitOutcome,
    },
    error::CreateError,
    id::{DeviceId, Generation, LaneId, PacketId, QueueId, SignalHandle, SignalValue},
    timing::{RawInterval, TickRate},
};
use ringfence_mock::oracle::Declaration;
use ringfence_mock::system::DeviceSettings;

use super::{machine::Machine, workload::Length};

/// Every signal reads 0, and no call does anything.
#[derive(Clone, Debug)]
pub(crate) struct IdleDevice {
    settings: DeviceSettings,
    created: Rc<Cell<u64>>,
}
impl Signals for IdleDevice {
    fn create(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        for place in &mut *batch {
            self.created.set(self.created.get() + 1);
            *place = SignalHandle::new(self.created.get());
        }
        let count = batch.len();
        Ok(Created { count, memory })
    }
    fn destroy(&self, _signal: SignalHandle) {}
    #[inline]
    fn load(&self, _signal: SignalHandle) -> SignalValue {
        SignalValue::DONE
    }
    #[inline]
    fn arm(&self, _signal: SignalHandle, _value: SignalValue) {}
    #[inline]
    fn publish_stores(&self) {}
    #[inline]
    fn flush(&self) {}
}
impl HostWait for IdleDevice {
    fn wait(
        &self,
        _signal: SignalHandle,
        _below: SignalValue,
        _hint: WaitHint,
        _limit: Duration,
    ) -> WaitOutcome {
        WaitOutcome::Reached(SignalValue::DONE)
    }
    fn force(&self, _signal: SignalHandle) {}
}
impl Timestamps for IdleDevice {
    fn timestamps(&self, _signal: SignalHandle, _engine: Engine) -> RawInterval {
        RawInterval::new(1, 2)
    }
    fn tick_rate(&self) -> TickRate {
        self.settings.tick_rate
    }
}
impl Device for IdleDevice {
    fn id(&self) -> DeviceId {
        DeviceId::new(0)
    }
    fn capabilities(&self) -> Capabilities {
        self.settings.capabilities
    }
    fn status(&self) -> DeviceStatus {
        DeviceStatus::Alive
    }
    fn profiler(&self) -> Profiler {
        Profiler::Absent
    }
}

/// Counts packets, and has completed all of them.
#[derive(Clone, Debug)]
pub(crate) struct IdleQueue {
    lane: LaneId,
    next: Rc<Cell<u64>>,
}
impl IdleQueue {
    fn new() -> Self {
        let lane = LaneId::new(QueueId::unique(), Generation::FIRST);
        Self { lane, next: Rc::new(Cell::new(0)) }
    }
    fn take(&self, count: u32) -> PacketId {
        let first = self.next.get();
        self.next.set(first + u64::from(count));
        PacketId::new(first)
    }
}
impl PacketQueue for IdleQueue {
    type Work = ();
    #[inline]
    fn lane(&self) -> LaneId {
        self.lane
    }
    #[inline]
    fn reserve(&self, count: PacketCount) -> PacketId {
        self.take(count.count())
    }
    #[inline]
    fn commit(&self, _at: PacketId, packet: &Packet<()>) {
        // The packet has to be made, as for a real queue.
        std::hint::black_box(packet);
    }
    #[inline]
    fn ring_doorbell(&self, _last: PacketId) {}
    #[inline]
    fn read_index(&self) -> PacketId {
        PacketId::new(self.next.get())
    }
    fn settled(&self) -> Settled {
        Settled::Below(PacketId::new(self.next.get()))
    }
}
impl CopyEngine for IdleQueue {
    type Work = ();
    fn lane(&self) -> LaneId {
        self.lane
    }
    fn reserve(&self) -> PacketId {
        self.take(1)
    }
    fn submit(
        &self,
        _at: PacketId,
        _part: PartIndex,
        _work: (),
        _completes: SignalHandle,
        _waits: &[SignalHandle],
    ) -> Result<(), CopyRefused> {
        Ok(())
    }
}

/// The machine of these.
#[derive(Debug)]
pub(crate) struct Idle {
    device: IdleDevice,
}
impl Idle {
    /// With the capabilities of the modelled device.
    pub(crate) fn new(settings: DeviceSettings) -> Self {
        let created = Rc::new(Cell::new(0));
        Self { device: IdleDevice { settings, created } }
    }
}
impl Machine for Idle {
    type Device = IdleDevice;
    type Queue = IdleQueue;
    type Engine = IdleQueue;
    fn device(&self) -> IdleDevice {
        self.device.clone()
    }
    fn add_queue(&self) -> IdleQueue {
        IdleQueue::new()
    }
    fn engine(&self) -> IdleQueue {
        IdleQueue::new()
    }
    fn kernel(&self, _length: Length) {}
    fn part(&self, _length: Length) {}
    #[inline]
    fn declare(&self, _statement: impl FnOnce() -> Declaration) {}
    #[inline]
    fn loads_of(&self, _again: impl FnOnce()) -> Option<u64> {
        None
    }
}
