//! The traits of `ringfence::backend::streams` on HIP.

mod capture;
mod driver;
mod events;
mod frees;
mod memory;
mod progress;
mod reset;
mod reuse;

use std::{
    collections::HashMap,
    ffi::c_void,
    fmt,
    sync::{Arc, Mutex, atomic::AtomicU32},
};

use ringfence::{
    backend::streams::{Destruction, DriverState, StreamFeatures, StreamPlatform},
    error::DriverError,
    id::{DeviceContext, DeviceId, RawStream},
};
use ringfence_backend_shared::{
    registry::{Held, Registry},
    words::Words,
};

use crate::{
    error::{HipError, UNKNOWN_HANDLE},
    ring::{Listeners, Parked, Table},
    runtime::Hip,
};

pub use memory::MemoryKind;
pub use reset::DeviceReset;

/// How streams of HIP are to be used.
///
/// ```
/// use ringfence_hip::{MemoryKind, Progress, StreamOptions};
/// let options = StreamOptions::default()
///     .with_progress(Progress::Queries) // no word behind each piece of work
///     .with_memory(MemoryKind::Plain); // what is freed is kept, and given out again
/// assert_ne!(options, StreamOptions::default());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct StreamOptions {
    /// Whether streams have progress words.
    pub progress: Progress,
    /// Where memory comes from.
    pub memory: MemoryKind,
}

impl StreamOptions {
    /// With or without progress words.
    #[must_use]
    pub const fn with_progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }
    /// With memory of this kind.
    #[must_use]
    pub const fn with_memory(mut self, memory: MemoryKind) -> Self {
        self.memory = memory;
        self
    }
}

/// Whether a stream writes how far it is into host memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Progress {
    /// It does, by `hipStreamWriteValue64` behind each piece of work: whether work is finished is then one load.
    #[default]
    Words,
    /// It does not: HIP is asked about each stream.
    Queries,
}

/// Streams of HIP: the driver for a [`StreamPool`](ringfence::drive::StreamPool). A cheap handle; clones are the same driver.
///
/// Handles that it did not make, or that are gone, are answered as unknown ([`DriverError::Bad`]): it keeps a list, since HIP 7 does
/// not check them. A stream from elsewhere is made known by [`adopt`](Self::adopt).
///
/// ```no_run
/// # use ringfence::{drive::*, id::*, stream::PoolOptions};
/// use ringfence_hip::{Hip, HipStreams, StreamOptions};
/// # fn foreign(hip: Hip, theirs: RawStream) -> Result<(), Box<dyn std::error::Error>> {
/// let streams = HipStreams::new(hip, StreamOptions::default());
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
pub struct HipStreams(Arc<Inner>);

const _: () = {
    const fn shared<T: Clone + Send + Sync + 'static>() {}
    shared::<HipStreams>(); // one for the whole process, if need be
};

struct Inner {
    hip: Hip,
    options: StreamOptions,
    streams: Registry<StreamEntry>,
    /// Each with its GPU.
    events: Registry<i32>,
    /// Graphs that can be launched, each with the graph that it was made from.
    graphs: Registry<capture::Template>,
    memory: Registry<memory::Origin>,
    words: Words<Hip>,
    /// Signals of the ring's devices.
    signals: Table,
    /// Who looks at those that are watched.
    listeners: Listeners,
    /// Streams of the ring's queues and copy engines that were dropped.
    parked: Parked,
    kept: Mutex<memory::Kept>,
    frees: frees::Frees<Hip>,
    /// How often each GPU was reset.
    resets: Box<[AtomicU32]>,
    /// The least and the most urgent number of a GPU's streams.
    priorities: Mutex<HashMap<i32, [i32; 2]>>,
}

/// What is known of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StreamEntry {
    pub(crate) device: i32,
}

impl StreamEntry {
    /// Its GPU.
    pub(crate) fn gpu(self) -> DeviceId {
        DeviceId::new(self.device.unsigned_abs())
    }
}

impl HipStreams {
    /// Streams of `hip`. Creates none before it is asked.
    #[must_use]
    pub fn new(hip: Hip, options: StreamOptions) -> Self {
        Self(Arc::new(Inner {
            hip,
            options,
            streams: Registry::default(),
            events: Registry::default(),
            graphs: Registry::default(),
            memory: Registry::default(),
            words: Words::new(hip),
            signals: Table::new(hip),
            listeners: Listeners::default(),
            parked: Parked::default(),
            kept: Mutex::default(),
            frees: frees::Frees::new(hip),
            resets: hip.devices().map(|_| AtomicU32::new(0)).collect(),
            priorities: Mutex::default(),
        }))
    }

    /// The runtime.
    #[must_use]
    pub fn hip(&self) -> Hip {
        self.0.hip
    }

    /// Makes a stream known that somebody else made, so that a pool can wrap it.
    ///
    /// # Errors
    /// [`HipError::NoSuchDevice`].
    ///
    /// # Safety
    /// `stream` is a stream of `place`, and is not destroyed before [`forget`](Self::forget) returned for it.
    pub unsafe fn adopt(&self, stream: RawStream, place: DeviceContext) -> Result<(), HipError> {
        let device = self.0.hip.ordinal(place.device)?;
        self.0.streams.insert(stream.as_u64(), StreamEntry { device });
        Ok(())
    }

    /// Forgets a stream that was adopted, or taken out of its pool, and is about to be destroyed by its owner. Waits for calls of other
    /// threads that are using it.
    pub fn forget(&self, stream: RawStream) {
        let _gone_already = self.0.streams.take(stream.as_u64());
        self.0.frees.leave(stream);
    }

    /// HIP's own number of a stream, which is never given twice: HIP has it since 7.1.
    ///
    /// # Errors
    /// [`DriverError::Unsupported`] before; [`DriverError::Bad`] for a stream that is not known.
    pub fn stream_number(&self, stream: RawStream) -> Result<u64, DriverError> {
        let number = self.hip().functions().hipStreamGetId.ok_or(DriverError::Unsupported)?;
        let _held = self.stream(stream)?;
        let mut id = 0;
        // SAFETY: the stream exists while it is held, and `id` is writable.
        self.hip().check(unsafe { number(raw(stream.as_u64()), &raw mut id) })?;
        Ok(id)
    }

    /// Waits on the host for all work of a stream. Legal while nobody captures, or where HIP says so.
    ///
    /// # Errors
    /// What HIP says.
    pub fn synchronize(&self, stream: RawStream) -> Result<(), DriverError> {
        let _held = self.stream(stream)?;
        // SAFETY: the stream exists while it is held.
        self.hip()
            .check(unsafe { (self.hip().functions().hipStreamSynchronize)(raw(stream.as_u64())) })
    }

    pub(crate) fn words(&self) -> &Words<Hip> {
        &self.0.words
    }

    pub(crate) fn signals(&self) -> &Table {
        &self.0.signals
    }

    pub(crate) fn listeners(&self) -> &Listeners {
        &self.0.listeners
    }

    pub(crate) fn parked(&self) -> &Parked {
        &self.0.parked
    }

    pub(crate) fn stream(&self, stream: RawStream) -> Result<Held<StreamEntry>, DriverError> {
        self.0.streams.hold(stream.as_u64()).ok_or(UNKNOWN_HANDLE)
    }
}

/// A handle as HIP has it.
pub(crate) fn raw(handle: u64) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(handle as usize)
}

/// A handle of HIP's as this crate has it.
pub(crate) fn number(handle: *mut c_void) -> u64 {
    handle.expose_provenance() as u64
}

/// An error of HIP's for people, as a pool has it.
pub(crate) fn class(error: HipError) -> DriverError {
    match error {
        HipError::Call { code, .. } => code.class(),
        _ => UNKNOWN_HANDLE,
    }
}

impl StreamPlatform for HipStreams {
    #[inline]
    fn state(&self) -> DriverState {
        self.0.hip.state()
    }
    fn features(&self) -> StreamFeatures {
        StreamFeatures::new(self.hip().version().stream_bytes(), Destruction::Waits)
    }
}

impl fmt::Debug for HipStreams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HipStreams")
            .field("hip", &self.0.hip.version())
            .field("options", &self.0.options)
            .finish_non_exhaustive()
    }
}
