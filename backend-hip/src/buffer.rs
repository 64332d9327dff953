//! Pinned host memory that streams write and the host reads.

use std::{
    ffi::c_void,
    ptr::NonNull,
    slice,
    sync::atomic::{AtomicU32, AtomicU64},
};

use ringfence::id::RawMemory;

use crate::{
    error::HipError,
    runtime::Hip,
    sys::{hipHostMallocCoherent, hipHostMallocMapped, hipHostMallocPortable},
};

/// Pinned, coherent host memory, at first all 0. Its drop waits for the whole device (`hipHostFree`). Neither concerns a capture.
/// A reset of the device that was the thread's takes it away: it is dropped before that.
///
/// ```no_run
/// # use std::{error::Error, sync::atomic::Ordering, time::Duration};
/// # use ringfence::{drive::StreamPool, stream::Lease};
/// use ringfence_hip::{Hip, HipStreams, HipWork, HostBuffer};
/// # fn written(hip: Hip, pool: &StreamPool<HipStreams>, task: &mut Lease) -> Result<(), Box<dyn Error>> {
/// let buffer = HostBuffer::new(hip, 1)?;
/// let written = pool.submit_owning(task, buffer, |buffer| {
///     // SAFETY: it is a word of pinned memory, and the pool's alone until the write is finished.
///     unsafe { HipWork::write_value(buffer.address().as_u64(), 7) }
/// })?;
/// let buffer = written.wait(pool, Duration::from_secs(1)).map_err(|(_, error)| error)?;
/// assert_eq!(buffer.words()[0].load(Ordering::Acquire), 7);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct HostBuffer {
    hip: Hip,
    at: NonNull<c_void>,
    words: usize,
}

// SAFETY: it is memory that is only reached through atomics.
unsafe impl Send for HostBuffer {}
// SAFETY: as above.
unsafe impl Sync for HostBuffer {}

impl HostBuffer {
    /// Room for so many words of 8 bytes.
    ///
    /// # Errors
    /// What HIP says.
    pub fn new(hip: Hip, words: usize) -> Result<Self, HipError> {
        let words = words.max(1);
        let flags = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent;
        let mut at = std::ptr::null_mut();
        let _relaxed = hip.relaxed()?; // it breaks captures otherwise
        // SAFETY: `at` is writable.
        let answer = unsafe { (hip.functions().hipHostMalloc)(&raw mut at, words * 8, flags) };
        hip.ok("hipHostMalloc", answer)?;
        let at = NonNull::new(at).ok_or(HipError::NoGpu)?;
        let buffer = Self { hip, at, words };
        for word in buffer.words() {
            word.store(0, std::sync::atomic::Ordering::Relaxed);
        }
        Ok(buffer)
    }

    /// Where a GPU finds it.
    #[must_use]
    pub fn address(&self) -> RawMemory {
        RawMemory::new(crate::streams::number(self.at.as_ptr()))
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
        if self.hip.state() == ringfence::backend::streams::DriverState::Ready {
            let _relaxed = self.hip.relaxed(); // it breaks captures otherwise
            // SAFETY: it is freed once; HIP waits for work that uses it.
            let answer = unsafe { (self.hip.functions().hipHostFree)(self.at.as_ptr()) };
            let _nothing_to_do = self.hip.check(answer);
        }
    }
}
