//! One device, as the library sees it.

use std::time::Duration;

use ringfence::{
    backend::{
        Capabilities, Created, Device, DeviceStatus, Engine, HandlerToken, Handlers, HostWait,
        Profiler, SignalMemory, Signals, Timestamps, WaitHint, WaitOutcome,
    },
    error::{CreateError, HandlerRefused},
    id::{DeviceId, SignalHandle, SignalValue},
    timing::{RawInterval, TickRate},
};

use super::{MockCopyEngine, MockQueue, MockSystem};
use crate::counts::Counts;

/// One device of a [`MockSystem`]. A cheap handle: clones are the same device.
///
/// ```
/// # use ringfence::{backend::*, id::*};
/// use ringfence_mock::{chooser::Scripted, system::*};
/// let system = MockSystem::new(Scripted::tame(), Settings::default());
/// let gpu = system.add_device(DeviceSettings::default());
/// let mut batch = [SignalHandle::NULL; 4];
/// let created = gpu.create(SignalMemory::Host, &mut batch)?;
/// assert_eq!(created, Created { count: 4, memory: SignalMemory::Host });
/// assert_eq!(gpu.counts().created.of(SignalMemory::Host), 4);
/// gpu.lose();
/// assert_eq!(gpu.status(), DeviceStatus::Lost);
/// # Ok::<(), ringfence::error::CreateError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MockDevice {
    system: MockSystem,
    id: DeviceId,
}
impl MockDevice {
    pub(super) fn new(system: MockSystem, id: DeviceId) -> Self {
        Self { system, id }
    }
    /// The system that it is part of.
    pub fn system(&self) -> &MockSystem {
        &self.system
    }
    /// Adds a hardware queue to it.
    pub fn add_queue(&self) -> MockQueue {
        let lane = self.system.state().model.add_queue(self.id);
        MockQueue::new(self.system.clone(), self.id, lane.queue())
    }
    /// Adds a copy engine to it.
    pub fn add_copy_engine(&self) -> MockCopyEngine {
        let lane = self.system.state().model.add_engine(self.id);
        MockCopyEngine::new(self.system.clone(), self.id, lane)
    }
    /// Calls on this device and its queues and engines.
    pub fn counts(&self) -> Counts {
        *self.system.state().counts(self.id)
    }
    /// Reports it lost: nothing on it starts or completes from now on.
    pub fn lose(&self) {
        self.system.state().lose(self.id);
    }
    /// A tool attaches that reads, modifies and writes the completion signals of what is published
    /// from now on.
    pub fn attach_profiler(&self) {
        self.system.state().attach_profiler(self.id);
    }
}

impl Device for MockDevice {
    fn id(&self) -> DeviceId {
        self.id
    }
    fn capabilities(&self) -> Capabilities {
        self.system.state().model.capabilities(self.id)
    }
    fn status(&self) -> DeviceStatus {
        self.system.state().model.status(self.id)
    }
    fn profiler(&self) -> Profiler {
        self.system.state().device(self.id).profiler
    }
}
impl Signals for MockDevice {
    fn create(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        self.system.state().create(self.id, memory, batch)
    }
    fn destroy(&self, signal: SignalHandle) {
        self.system.state().destroy(self.id, signal);
    }
    #[inline]
    fn load(&self, signal: SignalHandle) -> SignalValue {
        self.system.state().load(self.id, signal)
    }
    #[inline]
    fn arm(&self, signal: SignalHandle, value: SignalValue) {
        self.system.state().arm(self.id, signal, value);
    }
    #[inline]
    fn publish_stores(&self) {
        self.system.state().publish_stores(self.id);
    }
    #[inline]
    fn flush(&self) {
        self.system.state().flush(self.id);
    }
}
impl HostWait for MockDevice {
    fn wait(
        &self,
        signal: SignalHandle,
        below: SignalValue,
        hint: WaitHint,
        limit: Duration,
    ) -> WaitOutcome {
        self.system.state().wait(self.id, signal, below, hint, limit)
    }
    fn force(&self, signal: SignalHandle) {
        self.system.state().force(self.id, signal);
    }
}
impl Timestamps for MockDevice {
    fn timestamps(&self, signal: SignalHandle, engine: Engine) -> RawInterval {
        self.system.state().timestamps(self.id, signal, engine)
    }
    fn tick_rate(&self) -> TickRate {
        self.system.state().tick_rate(self.id)
    }
}
impl Handlers for MockDevice {
    fn watch(&self, signal: SignalHandle, token: HandlerToken) -> Result<(), HandlerRefused> {
        self.system.state().watch(self.id, signal, token)
    }
}
