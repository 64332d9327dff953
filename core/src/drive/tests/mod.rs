//! Trackers over a device whose every signal the test sets by hand.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    num::NonZeroU64,
    time::Duration,
};

use super::*;
use crate::{
    backend::*, error::*, id::*, placement::DeviceSignals, ring::*, timing::*, wait::WaitPolicy,
};

mod looking;
mod room;

struct Gpu {
    values: RefCell<HashMap<SignalHandle, i64>>,
    features: Features,
    waits: Cell<u32>,
    /// What the host waits for is over then.
    done_by_wait: Cell<bool>,
}
impl Gpu {
    fn with(features: Features) -> Self {
        let (values, waits) = (RefCell::default(), Cell::new(0));
        Self { values, features, waits, done_by_wait: Cell::new(false) }
    }
    fn set(&self, signal: SignalHandle, value: i64) {
        self.values.borrow_mut().insert(signal, value);
    }
}
impl Signals for Gpu {
    fn create(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        let mut values = self.values.borrow_mut();
        for signal in &mut *batch {
            *signal = SignalHandle::new(values.len() as u64 + 1);
            values.insert(*signal, 1);
        }
        Ok(Created { count: batch.len(), memory })
    }
    fn destroy(&self, _: SignalHandle) {}
    fn load(&self, signal: SignalHandle) -> SignalValue {
        SignalValue::new(self.values.borrow()[&signal])
    }
    fn arm(&self, signal: SignalHandle, value: SignalValue) {
        self.set(signal, value.as_i64());
    }
    fn publish_stores(&self) {}
    fn flush(&self) {}
}
impl HostWait for Gpu {
    fn wait(
        &self,
        signal: SignalHandle,
        below: SignalValue,
        _: WaitHint,
        _: Duration,
    ) -> WaitOutcome {
        self.waits.set(self.waits.get() + 1);
        if self.done_by_wait.get() {
            self.set(signal, 0);
        }
        let value = self.load(signal);
        if value < below { WaitOutcome::Reached(value) } else { WaitOutcome::TimedOut }
    }
    fn force(&self, signal: SignalHandle) {
        self.set(signal, 0);
    }
}
impl Timestamps for Gpu {
    fn timestamps(&self, _: SignalHandle, _: Engine) -> RawInterval {
        RawInterval::default()
    }
    fn tick_rate(&self) -> TickRate {
        TickRate::new(NonZeroU64::MIN)
    }
}
impl Device for Gpu {
    fn id(&self) -> DeviceId {
        DeviceId::new(0)
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities::new(self.features, RingMemory::System, HostDataPath::Coherent)
    }
    fn status(&self) -> DeviceStatus {
        DeviceStatus::Alive
    }
    fn profiler(&self) -> Profiler {
        Profiler::Absent
    }
}

/// A queue, or a copy engine, that publishes and does nothing else.
#[derive(Default)]
struct Numbers {
    queue: u32,
    next: Cell<u64>,
}
impl Numbers {
    fn new(queue: u32) -> Self {
        Self { queue, ..Self::default() }
    }
    fn take(&self, count: u32) -> PacketId {
        PacketId::new(self.next.replace(self.next.get() + u64::from(count)))
    }
}
impl PacketQueue for Numbers {
    type Work = ();
    fn lane(&self) -> LaneId {
        LaneId::new(QueueId::new(self.queue), Generation::FIRST)
    }
    fn reserve(&self, count: PacketCount) -> PacketId {
        self.take(count.count())
    }
    fn commit(&self, _: PacketId, _: &Packet<()>) {}
    fn ring_doorbell(&self, _: PacketId) {}
    fn read_index(&self) -> PacketId {
        PacketId::FIRST
    }
    fn settled(&self) -> Settled {
        Settled::Below(PacketId::new(self.next.get()))
    }
}
impl CopyEngine for Numbers {
    type Work = ();
    fn lane(&self) -> LaneId {
        LaneId::new(QueueId::new(self.queue), Generation::FIRST)
    }
    fn reserve(&self) -> PacketId {
        self.take(1)
    }
    fn submit(
        &self,
        _: PacketId,
        _: PartIndex,
        (): (),
        _: SignalHandle,
        _: &[SignalHandle],
    ) -> Result<(), CopyRefused> {
        Ok(())
    }
}

fn small(size: u32) -> Policy {
    let ring = RingLimits { size, cap: size, batch: 1, interrupt_spares: 0 };
    let wait = WaitPolicy { limit: Duration::ZERO, ..WaitPolicy::default() };
    Policy { ring, wait, ..Policy::default() }
}
fn open<'a>(gpu: &'a Gpu, queue: &'a Numbers, policy: Policy) -> Tracker<&'a Gpu, &'a Numbers> {
    Tracker::open(gpu, HardwareQueue::new(queue), policy).expect("it opens")
}
fn clear() -> Submission<()> {
    Submission::kernel(()).barrier(Barrier::Clear)
}
/// Everything that a search does, but for asking for a fence.
fn look_only(tracker: &mut Tracker<&Gpu, &Numbers>) {
    let mut search = Reclaim::Look;
    while !matches!(search, Reclaim::Fence | Reclaim::Done) {
        search = search.step(tracker).expect("nothing fell below 0");
    }
}
