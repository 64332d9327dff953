//! A stream as a copy engine.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use ringfence::{
    backend::{CopyEngine, CopyRefused, Device, DeviceStatus, PartIndex},
    error::DriverError,
    id::{Bytes, Generation, LaneId, PacketId, QueueId, RawMemory, SignalHandle, StreamKey},
};

use super::{HipDevice, own::OwnStream, queue::Stream};
use crate::{streams::raw, sys};

/// What to copy: all parts of an operation share it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CopyOrder {
    to: RawMemory,
    from: RawMemory,
    part: Bytes,
    stride: Bytes,
}

impl CopyOrder {
    /// Part `n` copies `part` bytes, `n * part` behind both addresses (`hipMemcpyAsync`).
    ///
    /// # Safety
    /// Until each part that is submitted is complete: both addresses have as many bytes, and nobody uses them against what the copy
    /// does.
    #[must_use]
    pub const unsafe fn new(to: RawMemory, from: RawMemory, part: Bytes) -> Self {
        Self { to, from, part, stride: part }
    }

    /// Part `n` begins `n * stride` bytes behind both addresses, for rows that do not touch; with 0, every part copies the same bytes.
    ///
    /// # Safety
    /// As for [`new`](Self::new), of these ranges.
    #[must_use]
    pub const unsafe fn with_stride(self, stride: Bytes) -> Self {
        Self { stride, ..self }
    }
}

/// A stream that only copies, for [`Tracker::copy`](ringfence::drive::Tracker::copy). A cheap handle that threads may share: clones
/// are the same engine. The stream goes to a later engine or queue when it is dropped: nothing is waited for.
///
/// ```no_run
/// # use ringfence::{drive::*, event::*, id::*, wait::WaitPolicy};
/// use ringfence_hip::{CopyOrder, HipDevice, HipQueue};
/// # fn copied(gpu: &HipDevice, tracker: &mut Tracker<HipDevice, HipQueue>, to: RawMemory, from: RawMemory) -> Result<(), Box<dyn std::error::Error>> {
/// let engine = gpu.create_copy_engine()?;
/// // SAFETY: both addresses have 2 MiB, and nobody uses them before the copy is seen to be over.
/// let order = unsafe { CopyOrder::new(to, from, Bytes::new(1 << 20)) };
/// let parts = [order; 2]; // part `n` copies the mebibyte number `n`
/// let record = tracker.copy(&engine, CopySubmission::new(&parts), None)?;
/// let mut copied = Event::new(EventOptions::default());
/// copied.record_copy(record);
/// copied.synchronize(gpu, &WaitPolicy::default())?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct HipCopyEngine(Arc<Inner>);

struct Inner {
    own: OwnStream,
    lane: LaneId,
    tickets: AtomicU64,
}

impl HipDevice {
    /// Makes a copy engine.
    ///
    /// # Errors
    /// What HIP says, as it says it of streams; [`DriverError::DeviceLost`] after a reset.
    pub fn create_copy_engine(&self) -> Result<HipCopyEngine, DriverError> {
        let own = self.own_stream(StreamKey::new(self.place()))?;
        let lane = LaneId::new(QueueId::unique(), Generation::FIRST);
        Ok(HipCopyEngine(Arc::new(Inner { own, lane, tickets: AtomicU64::new(0) })))
    }
}

impl CopyEngine for HipCopyEngine {
    type Work = CopyOrder;

    fn lane(&self) -> LaneId {
        self.0.lane
    }

    fn reserve(&self) -> PacketId {
        PacketId::new(self.0.tickets.fetch_add(1, Ordering::Relaxed))
    }

    fn submit(
        &self,
        _at: PacketId,
        part: PartIndex,
        work: CopyOrder,
        completes: SignalHandle,
        waits: &[SignalHandle],
    ) -> Result<(), CopyRefused> {
        let (inner, device) = (&*self.0, &self.0.own.device);
        if device.status() == DeviceStatus::Lost {
            return Err(CopyRefused::DeviceLost);
        }
        let refused = |error| match error {
            DriverError::DeviceLost(_) => CopyRefused::DeviceLost,
            _ => CopyRefused::Failed,
        };
        let hip = device.hip();
        let _held = device.streams().stream(inner.own.stream()).map_err(refused)?;
        let stream = Stream { device, raw: raw(inner.own.stream().as_u64()) };
        for &signal in waits.iter().filter(|signal| !signal.is_null()) {
            stream.wait(signal, 1).map_err(refused)?;
        }
        let bytes = work.part.as_u64();
        let offset = u64::from(part.as_u32()) * work.stride.as_u64();
        let (to, from) = (raw(work.to.as_u64() + offset), raw(work.from.as_u64() + offset));
        let copy = hip.functions().hipMemcpyAsync;
        // SAFETY: the stream exists while it is held; the rest was vouched for in `CopyOrder::new`.
        let answer = unsafe {
            copy(to, from.cast_const(), bytes as usize, sys::hipMemcpyDefault, stream.raw)
        };
        hip.check(answer).map_err(refused)?;
        stream.complete(completes).map_err(|error| {
            // The copy was issued, and nothing will say when it is over.
            device.report_lost(error);
            CopyRefused::DeviceLost
        })
    }
}

impl fmt::Debug for HipCopyEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HipCopyEngine").field("lane", &self.0.lane).finish_non_exhaustive()
    }
}
