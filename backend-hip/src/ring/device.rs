//! A GPU, as a ring sees it.

use std::{
    fmt,
    num::NonZeroU64,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use ringfence::{
    backend::{
        Capabilities, Created, Device, DeviceStatus, Engine, Features, HostDataPath, Profiler,
        RingMemory, SignalMemory, Signals, Timestamps, streams::DriverState,
    },
    error::{CreateError, DriverCode, DriverError},
    id::{DeviceContext, DeviceId, SignalHandle, SignalValue},
    timing::{RawInterval, TickRate},
};

use super::{Table, handlers::Watches};
use crate::{error::HipError, runtime::Hip, streams::HipStreams, sys};

/// A GPU for [`Tracker`](ringfence::drive::Tracker)s on HIP's streams. A cheap handle that threads may share.
///
/// ```no_run
/// # use ringfence::{drive::*, id::*};
/// use ringfence_hip::{Hip, HipDevice, HipStreams, Launch, StreamOptions};
/// # fn tracked(hip: Hip, kernel: Launch) -> Result<(), Box<dyn std::error::Error>> {
/// let streams = HipStreams::new(hip, StreamOptions::default());
/// let gpu = HipDevice::new(&streams, DeviceId::new(0))?;
/// let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// let queue = HardwareQueue::new(gpu.create_queue(key)?); // a stream of HIP
/// let mut tracker = Tracker::open(gpu, queue, Policy::default())?;
/// tracker.submit(Submission::kernel(kernel))?;
/// let _synced = tracker.synchronize()?;
/// tracker.close()?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct HipDevice(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) streams: HipStreams,
    pub(super) id: DeviceId,
    /// How often it was reset before: once more, and all that this has is gone.
    resets: u32,
    lost: AtomicBool,
    cause: OnceLock<DriverError>,
    pub(super) watches: Watches,
}

impl HipDevice {
    /// GPU `id` of `streams`, as it is until it is [reset](HipStreams::device_was_reset). Devices of one [`HipStreams`] know each other's signals; those of another are answered as ones that do
    /// not exist.
    ///
    /// # Errors
    /// [`HipError::NoSuchDevice`].
    pub fn new(streams: &HipStreams, id: DeviceId) -> Result<Self, HipError> {
        let _known = streams.hip().ordinal(id)?;
        Ok(Self(Arc::new(Inner {
            streams: streams.clone(),
            id,
            resets: streams.resets(id),
            lost: AtomicBool::new(false),
            cause: OnceLock::new(),
            watches: Watches::default(),
        })))
    }

    /// The driver of its streams.
    #[must_use]
    pub fn streams(&self) -> &HipStreams {
        &self.0.streams
    }

    /// Counts the GPU as lost from now on, as far as this handle and its clones are concerned: waits for it end.
    pub fn report_lost(&self, cause: DriverError) {
        let _first_stays = self.0.cause.set(cause);
        self.0.lost.store(true, Ordering::Release);
    }

    /// Why it was lost, as far as one call said: a packet that HIP refused ends the queue that it was in.
    #[must_use]
    pub fn loss(&self) -> Option<DriverError> {
        self.0.cause.get().copied().or(self.still_there().err())
    }

    /// An error once it was reset: the streams that this had may be others' by now.
    pub(super) fn still_there(&self) -> Result<(), DriverError> {
        let code = DriverCode::new(sys::hipErrorContextIsDestroyed.cast_signed());
        if self.was_reset() { Err(DriverError::DeviceLost(code)) } else { Ok(()) }
    }

    /// What it had is gone: [`HipStreams::device_was_reset`].
    #[inline]
    fn was_reset(&self) -> bool {
        self.0.streams.resets(self.0.id) != self.0.resets
    }

    /// Completes a signal from the host, as a packet would: for work of the host that streams wait for.
    ///
    /// # Panics
    /// If there is no such signal.
    pub fn complete(&self, signal: SignalHandle) {
        self.table().expect(signal).complete();
    }

    pub(super) fn hip(&self) -> Hip {
        self.0.streams.hip()
    }

    pub(super) fn table(&self) -> &Table {
        self.0.streams.signals()
    }

    pub(super) fn place(&self) -> DeviceContext {
        DeviceContext::primary(self.0.id)
    }
}

impl Device for HipDevice {
    fn id(&self) -> DeviceId {
        self.0.id
    }

    fn capabilities(&self) -> Capabilities {
        // Any GPU reads pinned host memory; a blocked wait sleeps.
        Capabilities::new(Features::INTERRUPTS, RingMemory::System, HostDataPath::Coherent)
    }

    #[inline]
    fn status(&self) -> DeviceStatus {
        let driver = self.hip().state() == DriverState::Ready;
        if driver && !self.was_reset() && !self.0.lost.load(Ordering::Acquire) {
            DeviceStatus::Alive
        } else {
            DeviceStatus::Lost
        }
    }

    #[inline]
    fn profiler(&self) -> Profiler {
        Profiler::Absent
    }
}

impl Signals for HipDevice {
    fn create(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        let memory = match memory {
            SignalMemory::Host | SignalMemory::Interrupt => memory,
            SignalMemory::Device => SignalMemory::Host,
            SignalMemory::Shared => return Err(CreateError::Unsupported),
        };
        if self.status() == DeviceStatus::Lost {
            return Err(CreateError::DeviceLost);
        }
        let mut count = 0;
        for place in batch {
            match self.table().create(memory, self.0.id) {
                Ok(signal) => *place = signal,
                Err(_) if count > 0 => break,
                Err(error) => return Err(error),
            }
            count += 1;
        }
        Ok(Created { count, memory })
    }

    fn destroy(&self, signal: SignalHandle) {
        self.table().destroy(signal);
    }

    /// # Panics
    /// If there is no such signal, or no more.
    #[inline]
    fn load(&self, signal: SignalHandle) -> SignalValue {
        SignalValue::new(self.table().expect(signal).load())
    }

    /// # Panics
    /// If there is no such signal, or no more.
    #[inline]
    fn arm(&self, signal: SignalHandle, value: SignalValue) {
        self.table().expect(signal).arm(value);
    }

    /// Nothing that a GPU reads was stored.
    #[inline]
    fn publish_stores(&self) {}

    /// As [`publish_stores`](Self::publish_stores).
    #[inline]
    fn flush(&self) {}
}

impl Timestamps for HipDevice {
    fn timestamps(&self, _signal: SignalHandle, _engine: Engine) -> RawInterval {
        RawInterval::default()
    }

    fn tick_rate(&self) -> TickRate {
        TickRate::new(NonZeroU64::new(1_000_000_000).expect("not 0"))
    }
}

impl fmt::Debug for HipDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HipDevice")
            .field("id", &self.0.id)
            .field("loss", &self.loss())
            .finish_non_exhaustive()
    }
}
