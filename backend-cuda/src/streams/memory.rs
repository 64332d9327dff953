//! Memory in a stream's order.

use ringfence::{
    backend::streams::{CaptureStatus, StreamMemory},
    error::DriverError,
    id::{Bytes, DeviceContext, RawMemory, RawStream},
};

use super::{CudaStreams, class, raw};
use crate::error::{CudaError, UNKNOWN_HANDLE};

impl CudaStreams {
    /// Memory that no stream's order knows of (`cuMemAlloc`): it can be used at once, by any stream of the GPU. It is freed as other
    /// memory is, in a stream's order: `cuMemFreeAsync` takes it, and does not wait (driver 580, tried).
    ///
    /// # Errors
    /// What the driver says; [`DriverError::CaptureConflict`] while a capture forbids it to this thread, which breaks that capture.
    pub fn allocate_plain(
        &self,
        bytes: Bytes,
        place: DeviceContext,
    ) -> Result<RawMemory, DriverError> {
        let cuda = self.cuda();
        let device = cuda.ordinal(place.device).map_err(class)?;
        let _current = cuda.on(device).map_err(class)?;
        let (mut memory, bytes) = (0, size(bytes)?);
        // SAFETY: `memory` is writable.
        cuda.check(unsafe { (cuda.functions().cuMemAlloc)(&raw mut memory, bytes) })?;
        Ok(self.known(memory, device))
    }

    /// Makes memory known that somebody else allocated, so that a pool can free it.
    ///
    /// # Errors
    /// [`CudaError::NoSuchDevice`].
    ///
    /// # Safety
    /// It was allocated by `cuMemAllocAsync` or `cuMemAlloc` on `place`, and nobody else frees it.
    pub unsafe fn adopt_memory(
        &self,
        memory: RawMemory,
        place: DeviceContext,
    ) -> Result<(), CudaError> {
        let device = self.cuda().ordinal(place.device)?;
        let _same = self.known(memory.as_u64(), device);
        Ok(())
    }

    fn known(&self, memory: u64, device: i32) -> RawMemory {
        self.0.memory.insert(memory, device);
        RawMemory::new(memory)
    }
}

/// The driver has no address for a request for nothing.
fn size(bytes: Bytes) -> Result<usize, DriverError> {
    usize::try_from(bytes.as_u64().max(1)).map_err(|_| UNKNOWN_HANDLE)
}

impl StreamMemory for CudaStreams {
    fn allocate(&self, bytes: Bytes, stream: RawStream) -> Result<RawMemory, DriverError> {
        let held = self.stream(stream)?;
        let (cuda, mut memory, bytes) = (self.cuda(), 0, size(bytes)?);
        let allocate = cuda.functions().cuMemAllocAsync;
        // SAFETY: the stream exists while it is held, and `memory` is writable.
        cuda.check(unsafe { allocate(&raw mut memory, bytes, raw(stream.as_u64())) })?;
        Ok(self.known(memory, held.of().device))
    }

    /// Memory that this did not allocate, or that was freed, is answered as unknown. A capture takes the free of what it allocated
    /// itself, which is a node then, and refuses any other.
    fn free(&self, memory: RawMemory, stream: RawStream) -> Result<(), DriverError> {
        let _held = self.stream(stream)?;
        let device = self.0.memory.take(memory.as_u64()).ok_or(UNKNOWN_HANDLE)?;
        let recorded = self.status_of_held(stream) != CaptureStatus::None;
        let free = self.cuda().functions().cuMemFreeAsync;
        // SAFETY: the stream exists while it is held; the memory is the driver's, and was taken off the list by this call.
        let freed = unsafe { free(memory.as_u64(), raw(stream.as_u64())) };
        let freed = self.cuda().check(freed);
        // A refusal frees nothing, and a node frees at each launch what that allocates.
        if freed.is_err() || recorded {
            self.0.memory.insert(memory.as_u64(), device);
        }
        freed
    }
}
