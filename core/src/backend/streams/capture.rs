//! Captures: work that is recorded into a graph in place of running.

use crate::{
    backend::pointers::through_pointers,
    error::DriverError,
    id::{RawGraph, RawStream},
};

/// Whom a capture, or the calling thread's mode, concerns (`hipStreamCaptureMode`).
///
/// ```
/// use ringfence::backend::streams::CaptureMode;
/// /// The numbers of HIP and CUDA.
/// fn raw(mode: CaptureMode) -> i32 {
///     match mode {
///         CaptureMode::Global => 0,
///         CaptureMode::ThreadLocal => 1,
///         CaptureMode::Relaxed => 2,
///     }
/// }
/// assert_eq!(raw(CaptureMode::default()), 1); // disturbs no other thread, and is still checked
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CaptureMode {
    /// Calls that may not happen during a capture are refused to every thread of the process.
    Global,
    /// They are refused to the thread that captures.
    #[default]
    ThreadLocal,
    /// They are refused to nobody.
    Relaxed,
}

/// Whether a stream captures (`hipStreamIsCapturing`). Anything but `None` means that work does not run:
/// rocBLAS took `Invalidated` for "not capturing" once
/// (<https://github.com/ROCm/rocBLAS/issues/1447>).
///
/// ```
/// use ringfence::{backend::streams::CaptureStatus, error::{DriverCode, DriverError}};
/// /// What a backend makes of the driver's error and, where there is none, its answer.
/// fn status(error: i32, answer: i32) -> CaptureStatus {
///     match (error, answer) {
///         (0, 0) => CaptureStatus::None,
///         (0, 1) => CaptureStatus::Active,
///         (0, _) => CaptureStatus::Invalidated,
///         (code, _) => CaptureStatus::Unknown(DriverError::Bad(DriverCode::new(code))),
///     }
/// }
/// assert_ne!(status(0, 2), CaptureStatus::None); // work would not run there
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum CaptureStatus {
    /// It does not.
    None,
    /// It does; work is recorded.
    Active,
    /// It did, and the capture is broken; only its end, or the stream's, gets rid of it.
    Invalidated,
    /// The driver did not say.
    Unknown(DriverError),
}

/// Captures of one driver.
///
/// # Contract
/// 1. `begin_capture` starts recording on `stream`.
/// 2. `end_capture` ends it, on the thread that began it, and makes a graph that can be launched. When it
///    fails there is no graph, and the stream may go on capturing: only `capture_status` knows.
/// 3. `launch_graph` submits a graph as one piece of work of `stream`. It is called on a stream that
///    does not capture.
/// 4. `destroy_graph` gives a graph back when no launch of it is unfinished.
///
/// ```
/// use ringfence::{backend::streams::*, error::DriverError, id::{RawGraph, RawStream}};
/// /// Has no graphs: a pool hands that on to whoever wants to capture, and does the rest without.
/// struct NoGraphs;
/// impl StreamCapture for NoGraphs {
///     fn begin_capture(&self, _: RawStream, _: CaptureMode) -> Result<(), DriverError> {
///         Err(DriverError::Unsupported)
///     }
///     // The others are never called, since no capture begins.
/// #   fn end_capture(&self, _: RawStream) -> Result<RawGraph, DriverError> { Err(DriverError::Unsupported) }
/// #   fn launch_graph(&self, _: RawGraph, _: RawStream) -> Result<(), DriverError> { Err(DriverError::Unsupported) }
/// #   fn destroy_graph(&self, _: RawGraph) -> Result<(), DriverError> { Err(DriverError::Unsupported) }
/// }
/// let begun = NoGraphs.begin_capture(RawStream::new(0x10), CaptureMode::ThreadLocal);
/// assert_eq!(begun, Err(DriverError::Unsupported));
/// ```
pub trait StreamCapture {
    /// Contract 1.
    ///
    /// # Errors
    /// When the driver refuses; the stream does not capture then.
    fn begin_capture(&self, stream: RawStream, mode: CaptureMode) -> Result<(), DriverError>;
    /// Contract 2.
    ///
    /// # Errors
    /// When the capture was broken or left a forked stream unjoined.
    fn end_capture(&self, stream: RawStream) -> Result<RawGraph, DriverError>;
    /// Contract 3.
    ///
    /// # Errors
    /// When the driver refuses.
    fn launch_graph(&self, graph: RawGraph, stream: RawStream) -> Result<(), DriverError>;
    /// Contract 4.
    ///
    /// # Errors
    /// When the driver refuses; the graph still exists then, and with it what it uses.
    fn destroy_graph(&self, graph: RawGraph) -> Result<(), DriverError>;
}
through_pointers! { StreamCapture {
    fn begin_capture(&self, stream: RawStream, mode: CaptureMode) -> Result<(), DriverError>;
    fn end_capture(&self, stream: RawStream) -> Result<RawGraph, DriverError>;
    fn launch_graph(&self, graph: RawGraph, stream: RawStream) -> Result<(), DriverError>;
    fn destroy_graph(&self, graph: RawGraph) -> Result<(), DriverError>;
} }
