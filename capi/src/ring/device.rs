//! The device behind trackers: a table of the caller's, HSA, or HIP.

use std::{
    num::NonZeroU64,
    sync::{Arc, atomic},
    time::Duration,
};

use ringfence::{
    backend::{
        Capabilities, Created, Device as Traits, DeviceStatus, Engine, Features, HandlerToken,
        Handlers, HostDataPath, HostWait, Profiler, RingMemory, SignalMemory, Signals, Timestamps,
        WaitHint, WaitOutcome,
    },
    error::{CreateError, HandlerRefused},
    id::{DeviceId, SignalHandle, SignalValue},
    timing::{RawInterval, TickRate},
};

use super::{
    backend::*,
    types::{memory, memory_number},
};
use crate::status::Failure;

/// What every call goes to. A cheap handle.
#[derive(Clone)]
pub(crate) enum Device {
    Table(Arc<DeviceTable>),
    #[cfg(feature = "hsa")]
    Hsa(ringfence_hsa::HsaDevice),
    #[cfg(feature = "hip")]
    Hip(ringfence_hip::HipDevice),
}

/// A table that was looked at.
pub(crate) struct DeviceTable(ringfence_device_backend_t);

// SAFETY: the header says on which threads entries are called; the context is handed to them alone.
unsafe impl Send for DeviceTable {}
// SAFETY: as above.
unsafe impl Sync for DeviceTable {}

impl DeviceTable {
    /// Looks whether everything is there that has to be.
    pub(crate) fn check(table: &ringfence_device_backend_t) -> Result<(), Failure> {
        group!(table, required: create, destroy, load, arm, wait, force, status);
        group!(table, optional "stores to device memory": publish_stores, flush);
        if table.features & RINGFENCE_FEATURE_DEVICE_SIGNALS != 0 {
            group!(table, required: publish_stores, flush);
        }
        if table.timestamps.is_some() && table.tick_rate == 0 {
            return Err(Failure::unknown("backend->tick_rate", 0));
        }
        if Features::from_bits(table.features).is_none() {
            return Err(Failure::unknown("backend->features", table.features));
        }
        Ok(())
    }
    /// Of a table that was looked at. Its end calls `release`.
    pub(crate) const fn new(table: ringfence_device_backend_t) -> Self {
        Self(table)
    }
}
impl Drop for DeviceTable {
    fn drop(&mut self) {
        if self.0.release.is_some() {
            entry!(self.0, release);
        }
    }
}

impl Signals for DeviceTable {
    fn create(
        &self,
        wanted: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        let mut signals = [0_u64; 64];
        let count = batch.len().min(signals.len());
        let (mut made, mut lives) = (0_usize, memory_number(wanted));
        let (first, number) = (signals.as_mut_ptr(), memory_number(wanted));
        match entry!(self.0, create, number, first, count, &raw mut made, &raw mut lives) {
            RINGFENCE_CREATE_OK => {}
            RINGFENCE_CREATE_NO_INTERRUPTS => return Err(CreateError::NoInterrupts),
            RINGFENCE_CREATE_UNSUPPORTED => return Err(CreateError::Unsupported),
            RINGFENCE_CREATE_DEVICE_LOST => return Err(CreateError::DeviceLost),
            _ => return Err(CreateError::OutOfMemory),
        }
        let count = made.min(count);
        for (place, signal) in batch.iter_mut().zip(&signals[..count]) {
            *place = SignalHandle::new(*signal);
        }
        Ok(Created { count, memory: memory(lives).unwrap_or(wanted) })
    }
    fn destroy(&self, signal: SignalHandle) {
        entry!(self.0, destroy, signal.as_u64());
    }
    fn load(&self, signal: SignalHandle) -> SignalValue {
        SignalValue::new(entry!(self.0, load, signal.as_u64()))
    }
    fn arm(&self, signal: SignalHandle, value: SignalValue) {
        entry!(self.0, arm, signal.as_u64(), value.as_i64());
    }
    fn publish_stores(&self) {
        match self.0.publish_stores {
            Some(_) => entry!(self.0, publish_stores),
            None => atomic::fence(atomic::Ordering::SeqCst),
        }
    }
    fn flush(&self) {
        match self.0.flush {
            Some(_) => entry!(self.0, flush),
            None => atomic::fence(atomic::Ordering::SeqCst),
        }
    }
}
impl HostWait for DeviceTable {
    fn wait(
        &self,
        signal: SignalHandle,
        below: SignalValue,
        hint: WaitHint,
        limit: Duration,
    ) -> WaitOutcome {
        let limit = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        let blocked = u32::from(hint == WaitHint::Blocked);
        let mut value = below.as_i64();
        let (signal, below) = (signal.as_u64(), below.as_i64());
        match entry!(self.0, wait, signal, below, blocked, limit, &raw mut value) {
            // One that ends early proves nothing by it: its value says so.
            RINGFENCE_SIGNAL_WAIT_REACHED if value < below => {
                WaitOutcome::Reached(SignalValue::new(value))
            }
            RINGFENCE_SIGNAL_WAIT_LOST => WaitOutcome::Lost,
            _ => WaitOutcome::TimedOut,
        }
    }
    fn force(&self, signal: SignalHandle) {
        entry!(self.0, force, signal.as_u64());
    }
}
impl Timestamps for DeviceTable {
    fn timestamps(&self, signal: SignalHandle, engine: Engine) -> RawInterval {
        if self.0.timestamps.is_none() {
            return RawInterval::default();
        }
        let (mut start, mut end) = (0, 0);
        let copy = u32::from(engine == Engine::Copy);
        entry!(self.0, timestamps, signal.as_u64(), copy, &raw mut start, &raw mut end);
        RawInterval::new(start, end)
    }
    fn tick_rate(&self) -> TickRate {
        // Without a clock there is no interval that this could be of.
        TickRate::new(NonZeroU64::new(self.0.tick_rate).unwrap_or(NonZeroU64::MIN))
    }
}
impl Traits for DeviceTable {
    fn id(&self) -> DeviceId {
        DeviceId::new(self.0.device)
    }
    fn capabilities(&self) -> Capabilities {
        let on_device = self.0.rings_in_device_memory != 0;
        Capabilities::new(
            Features::from_bits_truncate(self.0.features),
            if on_device { RingMemory::Device } else { RingMemory::System },
            if self.0.coherent == 0 { HostDataPath::Hdp } else { HostDataPath::Coherent },
        )
    }
    fn status(&self) -> DeviceStatus {
        match entry!(self.0, status) {
            0 => DeviceStatus::Alive,
            _ => DeviceStatus::Lost,
        }
    }
    fn profiler(&self) -> Profiler {
        match self.0.profiler {
            Some(_) if entry!(self.0, profiler) != 0 => Profiler::Attached,
            _ => Profiler::Absent,
        }
    }
}
impl Handlers for DeviceTable {
    fn watch(&self, signal: SignalHandle, token: HandlerToken) -> Result<(), HandlerRefused> {
        if self.0.watch.is_none() {
            return Err(HandlerRefused::NoInterrupt);
        }
        match entry!(self.0, watch, signal.as_u64(), token.as_u64()) {
            0 => Ok(()),
            2 => Err(HandlerRefused::DeviceMemory),
            3 => Err(HandlerRefused::DeviceLost),
            _ => Err(HandlerRefused::NoInterrupt),
        }
    }
}

/// The same call on whichever device it is.
macro_rules! on {
    ($self:ident, $device:ident => $call:expr) => {
        match $self {
            Device::Table($device) => $call,
            #[cfg(feature = "hsa")]
            Device::Hsa($device) => $call,
            #[cfg(feature = "hip")]
            Device::Hip($device) => $call,
        }
    };
}
impl Signals for Device {
    fn create(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        on!(self, device => device.create(memory, batch))
    }
    fn destroy(&self, signal: SignalHandle) {
        on!(self, device => device.destroy(signal));
    }
    #[inline]
    fn load(&self, signal: SignalHandle) -> SignalValue {
        on!(self, device => device.load(signal))
    }
    #[inline]
    fn arm(&self, signal: SignalHandle, value: SignalValue) {
        on!(self, device => device.arm(signal, value));
    }
    fn publish_stores(&self) {
        on!(self, device => device.publish_stores());
    }
    fn flush(&self) {
        on!(self, device => device.flush());
    }
}
impl HostWait for Device {
    fn wait(
        &self,
        signal: SignalHandle,
        below: SignalValue,
        hint: WaitHint,
        limit: Duration,
    ) -> WaitOutcome {
        on!(self, device => device.wait(signal, below, hint, limit))
    }
    fn force(&self, signal: SignalHandle) {
        on!(self, device => device.force(signal));
    }
}
impl Timestamps for Device {
    fn timestamps(&self, signal: SignalHandle, engine: Engine) -> RawInterval {
        on!(self, device => device.timestamps(signal, engine))
    }
    fn tick_rate(&self) -> TickRate {
        on!(self, device => device.tick_rate())
    }
}
impl Traits for Device {
    fn id(&self) -> DeviceId {
        on!(self, device => device.id())
    }
    fn capabilities(&self) -> Capabilities {
        on!(self, device => device.capabilities())
    }
    fn status(&self) -> DeviceStatus {
        on!(self, device => device.status())
    }
    fn profiler(&self) -> Profiler {
        on!(self, device => device.profiler())
    }
}
impl Handlers for Device {
    fn watch(&self, signal: SignalHandle, token: HandlerToken) -> Result<(), HandlerRefused> {
        on!(self, device => device.watch(signal, token))
    }
}
