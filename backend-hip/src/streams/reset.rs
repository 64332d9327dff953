//! A GPU that was reset.

use std::sync::{PoisonError, atomic::Ordering};

use ringfence::id::DeviceId;

use super::HipStreams;
use crate::error::HipError;

impl HipStreams {
    /// The user reset a GPU (`hipDeviceReset`): its streams, events, graphs and memory are gone, and with them the pinned memory that this
    /// driver made for it. Nothing of that is called, looked at or given out again: what is still asked for it is answered as unknown, and
    /// each [`HipDevice`](crate::HipDevice) of that GPU counts as lost, with its trackers.
    ///
    /// Called once after the reset, for each driver, before [`StreamPool::device_reset`](ringfence::drive::StreamPool::device_reset) and
    /// before anything else is asked of the driver, its pools or devices. From the reset on until this returned, no thread may be in a call
    /// of theirs, or wait in one, nor may a signal of that GPU be [watched](ringfence::backend::Handlers::watch): it would find memory that
    /// is gone. A [`HostBuffer`](crate::HostBuffer) of that GPU is the user's to drop
    /// before the reset, and a [`Module`](crate::Module) to load again after it.
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
        let (inner, number) = (&*self.0, self.hip().ordinal(device)?);
        inner.streams.retain(|stream| stream.device != number);
        inner.events.retain(|of| *of != number);
        inner.graphs.retain(|graph| graph.device != number);
        inner.memory.retain(|origin| origin.device() != number);
        inner.kept.lock().unwrap_or_else(PoisonError::into_inner).abandon(number);
        inner.frees.abandon(device);
        inner.words.abandon(device);
        inner.signals.abandon(device);
        inner.resets[number as usize].fetch_add(1, Ordering::AcqRel);
        Ok(())
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
