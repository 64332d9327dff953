//! The traits of `ringfence::backend::streams` on the CUDA driver.

mod capture;
mod driver;
mod events;
mod memory;
mod positions;
mod progress;
mod reset;

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex},
};

use ringfence::{
    backend::streams::{Destruction, DriverState, StreamFeatures, StreamPlatform},
    error::DriverError,
    id::{Bytes, DeviceContext, DeviceId, RawStream},
};
use ringfence_backend_shared::registry::{Held, Registry};

use self::positions::Positions;
use crate::{
    error::{CudaError, UNKNOWN_HANDLE},
    runtime::Cuda,
};

/// Host memory of a stream: 17,664 bytes a stream over 4,096 of them were measured on driver 580 (`docs/cuda.md`).
const STREAM_BYTES: Bytes = Bytes::new(17_664);

/// How streams of CUDA are to be used.
///
/// ```
/// use ringfence_cuda::{Progress, StreamOptions};
/// let options = StreamOptions::default().with_progress(Progress::Queries); // no word behind each piece of work
/// assert_ne!(options, StreamOptions::default());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct StreamOptions {
    /// Whether streams have progress words.
    pub progress: Progress,
}

impl StreamOptions {
    /// With or without progress words.
    #[must_use]
    pub const fn with_progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }
}

/// Whether a stream writes how far it is into host memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Progress {
    /// It does, by `cuStreamWriteValue64` behind each piece of work: whether work is finished is then one load.
    #[default]
    Words,
    /// It does not: the driver is asked about each stream.
    Queries,
}

/// Streams of CUDA: the driver for a [`StreamPool`](ringfence::drive::StreamPool). A cheap handle; clones are the same driver.
///
/// Handles that it did not make, or that are gone, are answered as unknown ([`DriverError::Bad`]): it keeps a list, since the driver
/// follows a stale handle into freed memory. A stream from elsewhere is made known by [`adopt`](Self::adopt).
///
/// No thread needs a current context: this crate sets a GPU's primary context where a call asks for one, and takes it off again.
///
/// ```no_run
/// # use ringfence::{drive::*, id::*, stream::PoolOptions};
/// use ringfence_cuda::{Cuda, CudaStreams, StreamOptions};
/// # fn foreign(cuda: Cuda, theirs: RawStream) -> Result<(), Box<dyn std::error::Error>> {
/// let streams = CudaStreams::new(cuda, StreamOptions::default());
/// let pool = StreamPool::new(streams.clone(), PoolOptions::default());
/// let place = DeviceContext::primary(DeviceId::new(0));
/// // SAFETY: it is a stream of that GPU, and is destroyed after `forget`.
/// unsafe { streams.adopt(theirs, place)? };
/// if let Wrapped::External(lease) = pool.wrap_external(theirs, StreamKey::new(place))? {
///     pool.unwrap_external(lease)?; // after its work was submitted
/// }
/// streams.forget(theirs); // its owner may destroy it now
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct CudaStreams(Arc<Inner>);

const _: () = {
    const fn shared<T: Clone + Send + Sync + 'static>() {}
    shared::<CudaStreams>(); // one for the whole process, if need be
};

struct Inner {
    cuda: Cuda,
    options: StreamOptions,
    streams: Registry<StreamEntry>,
    /// Each with its GPU.
    events: Registry<i32>,
    /// Graphs that can be launched, each with the graph that it was made from.
    graphs: Registry<capture::Template>,
    /// Each with its GPU.
    memory: Registry<i32>,
    words: Positions<Cuda>,
    /// The least and the most urgent number of a GPU's streams.
    priorities: Mutex<HashMap<i32, [i32; 2]>>,
}

/// What is known of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StreamEntry {
    device: i32,
}

impl StreamEntry {
    /// Its GPU.
    pub(crate) fn gpu(self) -> DeviceId {
        DeviceId::new(self.device.unsigned_abs())
    }
}

impl CudaStreams {
    /// Streams of `cuda`. Creates none before it is asked.
    #[must_use]
    pub fn new(cuda: Cuda, options: StreamOptions) -> Self {
        Self(Arc::new(Inner {
            cuda,
            options,
            streams: Registry::default(),
            events: Registry::default(),
            graphs: Registry::default(),
            memory: Registry::default(),
            words: Positions::new(cuda),
            priorities: Mutex::default(),
        }))
    }

    /// The driver.
    #[must_use]
    pub fn cuda(&self) -> Cuda {
        self.0.cuda
    }

    /// Makes a stream known that somebody else made, so that a pool can wrap it.
    ///
    /// # Errors
    /// [`CudaError::NoSuchDevice`].
    ///
    /// # Safety
    /// `stream` is a stream of the primary context of `place`, and is not destroyed before [`forget`](Self::forget) returned for it.
    pub unsafe fn adopt(&self, stream: RawStream, place: DeviceContext) -> Result<(), CudaError> {
        let device = self.0.cuda.ordinal(place.device)?;
        self.0.streams.insert(stream.as_u64(), StreamEntry { device });
        Ok(())
    }

    /// Forgets a stream that was adopted, or taken out of its pool, and is about to be destroyed by its owner. Waits for calls of other
    /// threads that are using it.
    pub fn forget(&self, stream: RawStream) {
        let _gone_already = self.0.streams.take(stream.as_u64());
    }

    /// The driver's own number of a stream, which is never given twice: it has it since CUDA 12.0.
    ///
    /// # Errors
    /// [`DriverError::Unsupported`] before; [`DriverError::Bad`] for a stream that is not known.
    pub fn stream_number(&self, stream: RawStream) -> Result<u64, DriverError> {
        let number = self.cuda().functions().cuStreamGetId.ok_or(DriverError::Unsupported)?;
        let _held = self.stream(stream)?;
        let mut id = 0;
        // SAFETY: the stream exists while it is held, and `id` is writable.
        self.cuda().check(unsafe { number(raw(stream.as_u64()), &raw mut id) })?;
        Ok(id)
    }

    /// Waits on the host for all work of a stream. It breaks captures as a query does.
    ///
    /// # Errors
    /// What the driver says.
    pub fn synchronize(&self, stream: RawStream) -> Result<(), DriverError> {
        let _held = self.stream(stream)?;
        let synchronize = self.cuda().functions().cuStreamSynchronize;
        // SAFETY: the stream exists while it is held.
        self.cuda().check(unsafe { synchronize(raw(stream.as_u64())) })
    }

    pub(crate) fn stream(&self, stream: RawStream) -> Result<Held<StreamEntry>, DriverError> {
        self.0.streams.hold(stream.as_u64()).ok_or(UNKNOWN_HANDLE)
    }
}

/// A handle as the driver has it.
pub(crate) fn raw<T>(handle: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(handle as usize)
}

/// A handle of the driver's as this crate has it.
pub(crate) fn number<T>(handle: *mut T) -> u64 {
    handle.expose_provenance() as u64
}

/// An error of the driver's for people, as a pool has it.
pub(crate) fn class(error: CudaError) -> DriverError {
    match error {
        CudaError::Call { code, .. } => code.class(),
        CudaError::Memory { error } => error,
        _ => UNKNOWN_HANDLE,
    }
}

impl StreamPlatform for CudaStreams {
    #[inline]
    fn state(&self) -> DriverState {
        self.0.cuda.state()
    }
    fn features(&self) -> StreamFeatures {
        StreamFeatures::new(STREAM_BYTES, Destruction::Detaches)
    }
}

impl fmt::Debug for CudaStreams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaStreams")
            .field("cuda", &self.0.cuda.version())
            .field("options", &self.0.options)
            .finish_non_exhaustive()
    }
}
