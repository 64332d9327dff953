//! Pinned host memory that streams write and the host reads.

use std::{
    ffi::c_void,
    ptr::NonNull,
    slice,
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
};

use ringfence::{backend::streams::DriverState, id::RawMemory};
use ringfence_backend_shared::words::Pinned;

use crate::{error::CudaError, runtime::Cuda};

/// Pinned, mapped host memory, at first all 0. Its drop waits for the whole device (`cuMemFreeHost`). Neither concerns a capture.
/// It is of the first GPU that has a context, and a reset of that one takes it away: it is dropped before that.
///
/// ```no_run
/// # use std::{error::Error, sync::atomic::Ordering, time::Duration};
/// # use ringfence::{drive::StreamPool, stream::Lease};
/// use ringfence_cuda::{Cuda, CudaStreams, CudaWork, HostBuffer};
/// # fn written(cuda: Cuda, pool: &StreamPool<CudaStreams>, task: &mut Lease) -> Result<(), Box<dyn Error>> {
/// let buffer = HostBuffer::new(cuda, 1)?;
/// let written = pool.submit_owning(task, buffer, |buffer| {
///     // SAFETY: it is a word of pinned memory, and the pool's alone until the write is finished.
///     unsafe { CudaWork::write_value(buffer.address().as_u64(), 7) }
/// })?;
/// let buffer = written.wait(pool, Duration::from_secs(1)).map_err(|(_, error)| error)?;
/// assert_eq!(buffer.words()[0].load(Ordering::Acquire), 7);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct HostBuffer {
    cuda: Cuda,
    at: NonNull<c_void>,
    words: usize,
}

// SAFETY: it is memory that is only reached through atomics.
unsafe impl Send for HostBuffer {}
// SAFETY: as above.
unsafe impl Sync for HostBuffer {}

impl HostBuffer {
    /// Room for so many words of 8 bytes. It may be made while somebody captures.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(cuda: Cuda, words: usize) -> Result<Self, CudaError> {
        let words = words.max(1);
        let made = cuda.pinned(words * 8, cuda.any_device());
        let at = made.map_err(|error| CudaError::Memory { error })?;
        let buffer = Self { cuda, at, words };
        for word in buffer.words() {
            word.store(0, Ordering::Relaxed);
        }
        Ok(buffer)
    }

    /// Where a GPU finds it.
    #[must_use]
    pub fn address(&self) -> RawMemory {
        RawMemory::new(self.at.as_ptr().expose_provenance() as u64)
    }

    /// As words of 8 bytes.
    #[must_use]
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: so many aligned words are there as long as the buffer, and are only reached through atomics.
        unsafe { slice::from_raw_parts(self.at.as_ptr().cast(), self.words) }
    }

    /// As words of 4 bytes.
    #[must_use]
    pub fn halves(&self) -> &[AtomicU32] {
        // SAFETY: as above.
        unsafe { slice::from_raw_parts(self.at.as_ptr().cast(), self.words * 2) }
    }
}

impl Drop for HostBuffer {
    fn drop(&mut self) {
        if self.cuda.state() == DriverState::Ready {
            // It breaks captures otherwise.
            let _nothing_to_do = self.cuda.relaxed().and_then(|_relaxed| {
                let free = self.cuda.functions().cuMemFreeHost;
                // SAFETY: it is freed once; the driver waits for work that uses it.
                self.cuda.check(unsafe { free(self.at.as_ptr()) })
            });
        }
    }
}
