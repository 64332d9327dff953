//! The driver behind a pool: a table of the caller's, or HIP.

use std::{ffi::c_void, time::Duration};

use ringfence::{
    backend::streams::{
        CaptureMode, CaptureStatus, DriverState, StreamCapture, StreamDriver, StreamEvents,
        StreamFeatures, StreamMemory, StreamPlatform, StreamProgress, StreamState, StreamWait,
        StreamWork,
    },
    error::{DriverCode, DriverError},
    id::{
        Bytes, DeviceContext, Position, RawEvent, RawGraph, RawMemory, RawProgress, RawStream,
        StreamKey,
    },
};

use super::{
    backend::{
        RINGFENCE_DRIVER_BAD, RINGFENCE_DRIVER_CAPTURE_CONFLICT, RINGFENCE_DRIVER_CAPTURE_FAILED,
        RINGFENCE_DRIVER_DEVICE_LOST, RINGFENCE_DRIVER_OK, RINGFENCE_DRIVER_OUT_OF_MEMORY,
        RINGFENCE_DRIVER_UNSUPPORTED, ringfence_driver_error_t,
    },
    table::StreamTable,
};
use crate::status::Failure;

/// What every call goes to.
pub(crate) enum Driver {
    Table(Box<StreamTable>),
    #[cfg(feature = "hip")]
    Hip(ringfence_hip::HipStreams),
}

/// A caller's function and what it is called with: it submits to the stream that it is given.
#[derive(Clone, Copy)]
pub(crate) struct Submit {
    call: unsafe extern "C-unwind" fn(*mut c_void, u64) -> ringfence_driver_error_t,
    argument: *mut c_void,
}
// SAFETY: it is called once, on the thread that brought it, before the call that brought it returns; it says `Send` because
// HIP's work is asked to.
unsafe impl Send for Submit {}
impl Submit {
    pub(crate) const fn new(
        call: unsafe extern "C-unwind" fn(*mut c_void, u64) -> ringfence_driver_error_t,
        argument: *mut c_void,
    ) -> Self {
        Self { call, argument }
    }
    fn run(self, stream: RawStream) -> Result<(), DriverError> {
        // SAFETY: the caller of this library's function said that it may be called with this argument, on this thread.
        let error = unsafe { (self.call)(self.argument, stream.as_u64()) };
        error.result()
    }
}

impl ringfence_driver_error_t {
    pub(crate) fn result(self) -> Result<(), DriverError> {
        let code = DriverCode::new(self.code);
        Err(match self.kind {
            RINGFENCE_DRIVER_OK => return Ok(()),
            RINGFENCE_DRIVER_CAPTURE_CONFLICT => DriverError::CaptureConflict(code),
            RINGFENCE_DRIVER_CAPTURE_FAILED => DriverError::CaptureFailed(code),
            RINGFENCE_DRIVER_BAD => DriverError::Bad(code),
            RINGFENCE_DRIVER_OUT_OF_MEMORY => DriverError::OutOfMemory(code),
            RINGFENCE_DRIVER_DEVICE_LOST => DriverError::DeviceLost(code),
            RINGFENCE_DRIVER_UNSUPPORTED => DriverError::Unsupported,
            _ => DriverError::Other(code),
        })
    }
}

/// The same call on whichever driver it is.
macro_rules! on {
    ($self:ident, $driver:ident => $call:expr) => {
        match $self {
            Driver::Table($driver) => $call,
            #[cfg(feature = "hip")]
            Driver::Hip($driver) => $call,
        }
    };
}

/// Streams of somebody else's.
impl Driver {
    /// HIP and its like are asked about streams that they know alone: of another handle they cannot tell that it is one.
    pub(crate) fn adopt(&self, stream: RawStream, place: DeviceContext) -> Result<(), Failure> {
        match self {
            Self::Table(_) => {
                let _any_handle = (stream, place);
                Ok(())
            }
            #[cfg(feature = "hip")]
            Self::Hip(hip) => {
                // SAFETY: who wraps it said that it is a stream of that place, and unwraps it before it is destroyed.
                let adopted = unsafe { hip.adopt(stream, place) };
                let wrong = crate::status::ringfence_status_t::RINGFENCE_INVALID_ARGUMENT;
                adopted.map_err(|error| Failure::of(wrong, &error))
            }
        }
    }
    /// Its owner may destroy it from here on. Waits for calls of other threads that are using it.
    pub(crate) fn forget(&self, stream: RawStream) {
        match self {
            Self::Table(_) => {
                let _any_handle = stream;
            }
            #[cfg(feature = "hip")]
            Self::Hip(hip) => hip.forget(stream),
        }
    }
}

impl StreamPlatform for Driver {
    fn state(&self) -> DriverState {
        on!(self, driver => driver.state())
    }
    fn features(&self) -> StreamFeatures {
        on!(self, driver => driver.features())
    }
}
impl StreamDriver for Driver {
    fn create(&self, key: StreamKey) -> Result<RawStream, DriverError> {
        on!(self, driver => driver.create(key))
    }
    fn destroy(&self, stream: RawStream) -> Result<(), DriverError> {
        on!(self, driver => driver.destroy(stream))
    }
    fn capture_status(&self, stream: RawStream) -> CaptureStatus {
        on!(self, driver => driver.capture_status(stream))
    }
    fn query(&self, stream: RawStream) -> StreamState {
        on!(self, driver => driver.query(stream))
    }
    fn exchange_capture_mode(&self, mode: CaptureMode) -> CaptureMode {
        on!(self, driver => driver.exchange_capture_mode(mode))
    }
}
impl StreamEvents for Driver {
    fn create_event(&self, place: DeviceContext) -> Result<RawEvent, DriverError> {
        on!(self, driver => driver.create_event(place))
    }
    fn destroy_event(&self, event: RawEvent) {
        on!(self, driver => driver.destroy_event(event));
    }
    fn record_event(&self, event: RawEvent, stream: RawStream) -> Result<(), DriverError> {
        on!(self, driver => driver.record_event(event, stream))
    }
    fn stream_wait(&self, stream: RawStream, event: RawEvent) -> Result<(), DriverError> {
        on!(self, driver => driver.stream_wait(stream, event))
    }
    fn query_event(&self, event: RawEvent) -> StreamState {
        on!(self, driver => driver.query_event(event))
    }
    fn synchronize_event(&self, event: RawEvent, limit: Duration) -> StreamWait {
        on!(self, driver => driver.synchronize_event(event, limit))
    }
}
impl StreamCapture for Driver {
    fn begin_capture(&self, stream: RawStream, mode: CaptureMode) -> Result<(), DriverError> {
        on!(self, driver => driver.begin_capture(stream, mode))
    }
    fn end_capture(&self, stream: RawStream) -> Result<RawGraph, DriverError> {
        on!(self, driver => driver.end_capture(stream))
    }
    fn launch_graph(&self, graph: RawGraph, stream: RawStream) -> Result<(), DriverError> {
        on!(self, driver => driver.launch_graph(graph, stream))
    }
    fn destroy_graph(&self, graph: RawGraph) -> Result<(), DriverError> {
        on!(self, driver => driver.destroy_graph(graph))
    }
}
impl StreamMemory for Driver {
    fn allocate(&self, bytes: Bytes, stream: RawStream) -> Result<RawMemory, DriverError> {
        on!(self, driver => driver.allocate(bytes, stream))
    }
    fn free(&self, memory: RawMemory, stream: RawStream) -> Result<(), DriverError> {
        on!(self, driver => driver.free(memory, stream))
    }
}
impl StreamProgress for Driver {
    fn open_progress(&self, stream: RawStream) -> Result<Option<RawProgress>, DriverError> {
        on!(self, driver => driver.open_progress(stream))
    }
    fn mark(
        &self,
        stream: RawStream,
        word: RawProgress,
        position: Position,
    ) -> Result<(), DriverError> {
        on!(self, driver => driver.mark(stream, word, position))
    }
    fn observe(&self, word: RawProgress) -> Position {
        on!(self, driver => driver.observe(word))
    }
    fn wait_progress(&self, word: RawProgress, position: Position, limit: Duration) -> StreamWait {
        on!(self, driver => driver.wait_progress(word, position, limit))
    }
    fn close_progress(&self, word: RawProgress) {
        on!(self, driver => driver.close_progress(word));
    }
}
impl StreamWork for Driver {
    type Work = Submit;
    fn launch(&self, stream: RawStream, work: Submit) -> Result<(), DriverError> {
        match self {
            Self::Table(_) => work.run(stream),
            #[cfg(feature = "hip")]
            Self::Hip(hip) => {
                // HIP's list of handles is held meanwhile, so that the stream is there.
                hip.launch(stream, ringfence_hip::HipWork::call(move |_, stream| work.run(stream)))
            }
        }
    }
}
