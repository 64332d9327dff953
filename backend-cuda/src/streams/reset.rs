//! A GPU that was reset.

use ringfence::id::DeviceId;

use super::CudaStreams;
use crate::error::CudaError;

impl CudaStreams {
    /// The user reset a GPU's primary context (`cuDevicePrimaryCtxReset`, `cudaDeviceReset`): its streams, events, graphs and memory are gone,
    /// and with them the pinned memory that this driver made for it. Nothing of that is called, looked at or given out again: what is
    /// still asked for it is answered as unknown. The context is retained again, which makes it usable.
    ///
    /// Called once after the reset, for each driver, before [`StreamPool::device_reset`](ringfence::drive::StreamPool::device_reset) and
    /// before anything else is asked of the driver or its pools. From the reset on until this returned, no thread may be in a call of
    /// theirs, or wait in one: it would find memory that is gone. A [`HostBuffer`](crate::HostBuffer) of that GPU is the user's to drop
    /// before the reset, and a [`Module`](crate::Module) to load again after it.
    ///
    /// ```no_run
    /// # use ringfence::{drive::StreamPool, id::DeviceId};
    /// # use ringfence_cuda::CudaStreams;
    /// # fn reset(pool: &StreamPool<CudaStreams>, gpu: DeviceId) -> Result<(), ringfence_cuda::CudaError> {
    /// // cuDevicePrimaryCtxReset(gpu); while nobody else is in a call, then:
    /// pool.driver().device_was_reset(gpu)?;
    /// pool.device_reset(gpu); // each pool of the driver; leases get new streams from here on
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`CudaError::NoSuchDevice`]; what the driver says when it makes the context again, which the next call that needs it tries as well.
    pub fn device_was_reset(&self, device: DeviceId) -> Result<(), CudaError> {
        let (inner, number) = (&*self.0, self.cuda().ordinal(device)?);
        inner.streams.retain(|stream| stream.device != number);
        inner.events.retain(|of| *of != number);
        inner.graphs.retain(|graph| graph.device != number);
        inner.memory.retain(|of| *of != number);
        inner.words.abandon(device);
        self.cuda().context_was_reset(number)
    }
}
