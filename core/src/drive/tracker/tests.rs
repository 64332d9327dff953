//! A loss, once seen, stays: a device that lives again by its own account proves nothing (S17).

use std::{cell::Cell, num::NonZeroU64, time::Duration};

use super::*;
use crate::{
    backend::{
        Engine, Features, HostDataPath, HostWait, Packet, PacketCount, RingMemory, Settled,
        Signals, Timestamps, WaitHint, WaitOutcome,
    },
    id::{DeviceId, Generation, PacketId, QueueId, SignalValue},
    timing::{RawInterval, TickRate},
};

/// Nothing ever finishes on it. Waits say that it is lost, and its status that it lives.
#[derive(Default)]
struct LostAndAlive(Cell<u64>);
impl Signals for LostAndAlive {
    fn create(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        for signal in &mut *batch {
            self.0.set(self.0.get() + 1);
            *signal = SignalHandle::new(self.0.get());
        }
        Ok(Created { count: batch.len(), memory })
    }
    fn destroy(&self, _: SignalHandle) {}
    fn load(&self, _: SignalHandle) -> SignalValue {
        SignalValue::ARMED
    }
    fn arm(&self, _: SignalHandle, _: SignalValue) {}
    fn publish_stores(&self) {}
    fn flush(&self) {}
}
impl HostWait for LostAndAlive {
    fn wait(&self, _: SignalHandle, _: SignalValue, _: WaitHint, _: Duration) -> WaitOutcome {
        WaitOutcome::Lost
    }
    fn force(&self, _: SignalHandle) {}
}
impl Timestamps for LostAndAlive {
    fn timestamps(&self, _: SignalHandle, _: Engine) -> RawInterval {
        RawInterval::default()
    }
    fn tick_rate(&self) -> TickRate {
        TickRate::new(NonZeroU64::MIN)
    }
}
impl Device for LostAndAlive {
    fn id(&self) -> DeviceId {
        DeviceId::new(0)
    }
    fn capabilities(&self) -> Capabilities {
        let (rings, path) = (RingMemory::System, HostDataPath::Coherent);
        Capabilities { features: Features::empty(), rings, path }
    }
    fn status(&self) -> DeviceStatus {
        DeviceStatus::Alive
    }
    fn profiler(&self) -> Profiler {
        Profiler::Absent
    }
}
#[derive(Default)]
struct Indices(Cell<u64>);
impl PacketQueue for Indices {
    type Work = ();
    fn lane(&self) -> LaneId {
        LaneId::new(QueueId::new(0), Generation::FIRST)
    }
    fn reserve(&self, count: PacketCount) -> PacketId {
        PacketId::new(self.0.replace(self.0.get() + u64::from(count.count())))
    }
    fn commit(&self, _: PacketId, _: &Packet<()>) {}
    fn ring_doorbell(&self, _: PacketId) {}
    fn read_index(&self) -> PacketId {
        PacketId::FIRST
    }
    fn settled(&self) -> Settled {
        Settled::Reserving
    }
}

#[test]
fn a_device_that_was_lost_never_finishes_anything_again() {
    let (device, queue) = (LostAndAlive::default(), Indices::default());
    let mut tracker =
        Tracker::open(&device, HardwareQueue::new(&queue), Policy::default()).expect("it opens");
    let _of = tracker.submit(Submission::kernel(())).expect("it lives so far");
    let lost = |error| matches!(error, Error::DeviceLost { .. });
    assert!(tracker.synchronize().is_err_and(lost), "the wait says so");
    // From here on its status is all that is asked, and says that it lives.
    assert!(tracker.synchronize().is_err_and(lost), "the work never finished");
    assert!(tracker.drain().is_err_and(lost));
    assert!(tracker.reclaim().is_err_and(lost));
    assert!(tracker.probe().is_err_and(lost));
    assert!(tracker.close().is_err_and(lost));
}
