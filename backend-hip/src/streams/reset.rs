//! A GPU that is reset.

use std::{
    fmt,
    sync::{PoisonError, atomic::Ordering},
};

use ringfence::id::DeviceId;

use super::HipStreams;
use crate::error::HipError;

impl HipStreams {
    /// The user is about to reset a GPU (`hipDeviceReset`) of which signals may be [watched](ringfence::backend::Handlers::watch): a
    /// thread of this crate's looks at those, and would find memory that is gone. As long as what this answers with exists, no such
    /// thread looks, and no [listener](crate::HipDevice::on_completion) of this driver's devices is told. Once it is
    /// [finished](DeviceReset::finish) everything is as after [`device_was_reset`](Self::device_was_reset), which it stands for, and
    /// whoever watched a signal of that GPU is told: the device is lost.
    ///
    /// Waits for listeners that are being told, so that the caller holds nothing that they wait for. What is said of other threads there
    /// holds from here until the end of [`finish`](DeviceReset::finish). Several GPUs may be announced at once, and one to several
    /// drivers.
    ///
    /// ```no_run
    /// # use ringfence::{drive::StreamPool, id::DeviceId};
    /// # use ringfence_hip::HipStreams;
    /// # fn reset(pool: &StreamPool<HipStreams>, gpu: DeviceId) -> Result<(), ringfence_hip::HipError> {
    /// let reset = pool.driver().device_will_be_reset(gpu)?; // while nobody else is in a call
    /// // hipSetDevice(gpu); hipDeviceReset();
    /// reset.finish(); // handlers of its signals end in an error
    /// pool.device_reset(gpu);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`HipError::NoSuchDevice`]; [`HipError::InListener`] when a listener calls it.
    pub fn device_will_be_reset(&self, device: DeviceId) -> Result<DeviceReset, HipError> {
        let _known = self.hip().ordinal(device)?;
        self.listeners().stop()?;
        Ok(DeviceReset { streams: self.clone(), device })
    }

    /// The user reset a GPU (`hipDeviceReset`): its streams, events, graphs and memory are gone, and with them the pinned memory that this
    /// driver made for it. Nothing of that is called, looked at or given out again: what is still asked for it is answered as unknown, and
    /// each [`HipDevice`](crate::HipDevice) of that GPU counts as lost, with its trackers.
    ///
    /// Called once after the reset, for each driver, before [`StreamPool::device_reset`](ringfence::drive::StreamPool::device_reset) and
    /// before anything else is asked of the driver, its pools or devices. From the reset on until this returned, no thread may be in a call
    /// of theirs, or wait in one: it would find memory that is gone. Nor may a signal of that GPU be
    /// [watched](ringfence::backend::Handlers::watch) then, since a thread of this crate's looks at it: where one may be, the reset is
    /// announced before, by [`device_will_be_reset`](Self::device_will_be_reset). Queues, copy engines and devices of before may be dropped
    /// at any time. A [`HostBuffer`](crate::HostBuffer) of that GPU is the user's to drop before the reset, and a
    /// [`Module`](crate::Module) to load again after it.
    ///
    /// ```no_run
    /// # use ringfence::{drive::StreamPool, id::DeviceId};
    /// # use ringfence_hip::HipStreams;
    /// # fn reset(pool: &StreamPool<HipStreams>, gpu: DeviceId) -> Result<(), ringfence_hip::HipError> {
    /// // hipSetDevice(gpu); hipDeviceReset(); while nobody else is in a call, then:
    /// pool.driver().device_was_reset(gpu)?;
    /// pool.device_reset(gpu); // each pool of the driver; leases get new streams from here on
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`HipError::NoSuchDevice`].
    pub fn device_was_reset(&self, device: DeviceId) -> Result<(), HipError> {
        let _known = self.hip().ordinal(device)?;
        self.let_go_of(device);
        Ok(())
    }

    fn let_go_of(&self, device: DeviceId) {
        let (inner, number) = (&*self.0, device.as_u32().cast_signed());
        inner.streams.retain(|stream| stream.device != number);
        inner.events.retain(|of| *of != number);
        inner.graphs.retain(|graph| graph.device != number);
        inner.memory.retain(|origin| origin.device() != number);
        inner.kept.lock().unwrap_or_else(PoisonError::into_inner).abandon(number);
        inner.frees.abandon(device);
        inner.words.abandon(device);
        inner.signals.abandon(device);
        // Behind the signals: who finds the device lost, and looks at one all the same, finds memory of the host's own.
        if let Some(resets) = inner.resets.get(device.as_u32() as usize) {
            resets.fetch_add(1, Ordering::AcqRel);
        }
        // Behind the count: a queue that is dropped meanwhile sees it, or has parked what this takes out.
        inner.parked.abandon(device);
    }

    /// How often a GPU was reset: a ring's device from before is lost.
    #[inline]
    pub(crate) fn resets(&self, device: DeviceId) -> u32 {
        self.0
            .resets
            .get(device.as_u32() as usize)
            .map_or(0, |resets| resets.load(Ordering::Acquire))
    }
}

/// A GPU that is about to be reset: nobody looks at watched signals of its driver as long as this exists
/// ([`HipStreams::device_will_be_reset`]).
///
/// Dropping it is to [`finish`](Self::finish) it, also where the reset was refused or never tried: what a GPU still has then nobody
/// can tell, and to take it for reset is the safe side. Where it is forgotten (`mem::forget`), no listener is ever told again.
#[must_use = "the GPU may be reset while this exists, and is taken for reset afterwards"]
pub struct DeviceReset {
    streams: HipStreams,
    device: DeviceId,
}

impl DeviceReset {
    /// The GPU was reset: as [`HipStreams::device_was_reset`], in place of which this is called. Listeners are told again from here on, of
    /// all that was watched on the GPU among them.
    pub fn finish(self) {}
}

impl Drop for DeviceReset {
    fn drop(&mut self) {
        self.streams.let_go_of(self.device);
        self.streams.listeners().go_on();
    }
}

impl fmt::Debug for DeviceReset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceReset").field("device", &self.device).finish_non_exhaustive()
    }
}
