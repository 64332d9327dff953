//! Streams themselves, and the state of the driver.

use super::{CaptureMode, CaptureStatus};
use crate::{
    backend::pointers::through_pointers,
    error::DriverError,
    id::{Bytes, RawStream, StreamKey},
};

/// Whether the driver may be called.
///
/// ```
/// use ringfence::{backend::streams::*, error::StreamError};
/// /// For code that holds a stream already, and so does not ask the pool for one.
/// fn usable(driver: &impl StreamPlatform) -> Result<(), StreamError> {
///     match driver.state() {
///         DriverState::Ready => Ok(()),
///         DriverState::Lost => Err(StreamError::DeviceLost),
///         DriverState::Forked => Err(StreamError::Forked),
///         DriverState::ShuttingDown => Err(StreamError::ShutDown),
///     }
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum DriverState {
    /// It may.
    Ready,
    /// A fault made every further call useless (`hipErrorLaunchFailure` and its like).
    Lost,
    /// This process is a fork of the one that started the driver: any call may hang
    /// (<https://github.com/ROCm/rocm-systems/issues/8119>).
    Forked,
    /// The process is about to exit: calls may crash (<https://github.com/pytorch/pytorch/issues/15692>).
    ShuttingDown,
}

/// What destroying a stream does with its unfinished work ([`StreamFeatures`] shows what follows from it).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Destruction {
    /// The call waits for it (HIP); HIP 5.2 locks out the whole process meanwhile.
    Waits,
    /// The call returns, and the work finishes later (CUDA).
    Detaches,
}

/// What is true of a driver, whatever is done with it. There will be more of it.
///
/// ```
/// use ringfence::{backend::streams::*, id::Bytes};
/// let of_hip = StreamFeatures::new(Bytes::default(), Destruction::Waits);
/// let pumps_here = match of_hip.destruction {
///     Destruction::Detaches => true, // a pump is short wherever it runs
///     Destruction::Waits => false,   // it belongs on a thread of its own
/// };
/// assert!(!pumps_here);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct StreamFeatures {
    /// Pinned host memory that a live stream takes, for runtimes whose garbage collector should know.
    pub host_bytes: Bytes,
    /// What `destroy` does with unfinished work.
    pub destruction: Destruction,
}
impl StreamFeatures {
    /// A driver whose live streams take this much, and whose `destroy` does this.
    pub const fn new(host_bytes: Bytes, destruction: Destruction) -> Self {
        Self { host_bytes, destruction }
    }
}

/// The driver as a whole.
///
/// # Contract
/// 1. `state` never blocks, calls no driver, and is cheap enough to be asked at every acquire. Once it
///    said other than `Ready` it never says `Ready` again in this process.
/// 2. `features` never change.
///
/// ```
/// use ringfence::{backend::streams::*, id::Bytes};
/// struct Rings {
///     started_by: u32,
/// }
/// impl StreamPlatform for Rings {
///     fn state(&self) -> DriverState {
///         match std::process::id() == self.started_by {
///             true => DriverState::Ready,
///             false => DriverState::Forked,
///         }
///     }
///     fn features(&self) -> StreamFeatures {
///         StreamFeatures::new(Bytes::new(4096), Destruction::Waits)
///     }
/// }
/// assert_eq!(Rings { started_by: std::process::id() }.state(), DriverState::Ready);
/// ```
pub trait StreamPlatform {
    /// Contract 1.
    fn state(&self) -> DriverState;
    /// Contract 2.
    fn features(&self) -> StreamFeatures;
}
through_pointers! { StreamPlatform {
    fn state(&self) -> DriverState;
    fn features(&self) -> StreamFeatures;
} }

/// What a query of a stream brought.
///
/// ```
/// use ringfence::{backend::streams::StreamState, error::{DriverCode, DriverError}};
/// /// What a backend makes of the answer of `hipStreamQuery`.
/// fn state(code: i32) -> StreamState {
///     match code {
///         0 => StreamState::Idle,
///         600 => StreamState::Pending, // hipErrorNotReady
///         900 => StreamState::Unknown, // says nothing about the stream
///         code => StreamState::Failed(DriverError::Bad(DriverCode::new(code))),
///     }
/// }
/// assert_eq!(state(900), StreamState::Unknown);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum StreamState {
    /// All work that was submitted is finished.
    Idle,
    /// Some is not.
    Pending,
    /// The driver refused to say because somebody captures (`hipErrorStreamCaptureUnsupported`, 900): it
    /// says nothing about the stream, and is to be asked again later (T9).
    Unknown,
    /// The stream, or the device, does not work.
    Failed(DriverError),
}

/// Streams of one driver.
///
/// # Contract
/// 1. `create` makes a stream of that key, idle and not capturing. Its handle is no other live stream's, and none of 0, 1 and 2:
///    those are the default streams of HIP and CUDA, which are not one stream each, and which a pool refuses to wrap. A handle
///    may come again once its stream is gone. `create` may take long; it is called with no lock held, and by several threads at once.
/// 2. `destroy` ends a stream. It is called once for each that `create` made, with no lock held, and by
///    a pool only when the stream is proven idle and not capturing (T10).
/// 3. `capture_status` has no side effect on any capture, whoever asks.
/// 4. `query` never blocks. A pool calls it only after `capture_status` said `None`, in relaxed mode.
/// 5. `exchange_capture_mode` sets the calling thread's mode and returns the one before it.
///
/// ```
/// use ringfence::{backend::streams::*, error::DriverError, id::*};
/// use std::{cell::Cell, sync::atomic::{AtomicU64, Ordering}};
/// thread_local! { static MODE: Cell<CaptureMode> = const { Cell::new(CaptureMode::ThreadLocal) } }
/// /// Runs work on the host, inside the launch: a stream is never busy, and captures nothing.
/// struct Inline(AtomicU64);
/// impl StreamDriver for Inline {
///     fn create(&self, _: StreamKey) -> Result<RawStream, DriverError> {
///         Ok(RawStream::new(self.0.fetch_add(1, Ordering::Relaxed)))
///     }
///     fn destroy(&self, _: RawStream) -> Result<(), DriverError> { Ok(()) }
///     fn capture_status(&self, _: RawStream) -> CaptureStatus { CaptureStatus::None }
///     fn query(&self, _: RawStream) -> StreamState { StreamState::Idle }
///     fn exchange_capture_mode(&self, mode: CaptureMode) -> CaptureMode { MODE.replace(mode) }
/// }
/// # let driver = Inline(AtomicU64::new(0x10));
/// # assert_eq!(driver.exchange_capture_mode(CaptureMode::Relaxed), CaptureMode::ThreadLocal);
/// # assert_eq!(driver.exchange_capture_mode(CaptureMode::ThreadLocal), CaptureMode::Relaxed);
/// ```
pub trait StreamDriver {
    /// Contract 1.
    ///
    /// # Errors
    /// When the stream could not be made.
    fn create(&self, key: StreamKey) -> Result<RawStream, DriverError>;
    /// Contract 2.
    ///
    /// # Errors
    /// When the driver refuses; the handle is not to be used again.
    fn destroy(&self, stream: RawStream) -> Result<(), DriverError>;
    /// Contract 3.
    fn capture_status(&self, stream: RawStream) -> CaptureStatus;
    /// Contract 4.
    fn query(&self, stream: RawStream) -> StreamState;
    /// Contract 5.
    fn exchange_capture_mode(&self, mode: CaptureMode) -> CaptureMode;
}
through_pointers! { StreamDriver {
    fn create(&self, key: StreamKey) -> Result<RawStream, DriverError>;
    fn destroy(&self, stream: RawStream) -> Result<(), DriverError>;
    fn capture_status(&self, stream: RawStream) -> CaptureStatus;
    fn query(&self, stream: RawStream) -> StreamState;
    fn exchange_capture_mode(&self, mode: CaptureMode) -> CaptureMode;
} }
