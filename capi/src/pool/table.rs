//! A caller's table as a driver.

use std::time::Duration;

use ringfence::{
    backend::streams::{
        CaptureMode, CaptureStatus, Destruction, DriverState, StreamCapture, StreamDriver,
        StreamEvents, StreamFeatures, StreamMemory, StreamPlatform, StreamProgress, StreamState,
        StreamWait,
    },
    error::{DriverCode, DriverError},
    id::{
        Bytes, DeviceContext, Position, RawEvent, RawGraph, RawMemory, RawProgress, RawStream,
        StreamKey,
    },
};

use super::{backend::*, types::ringfence_stream_key_t};
use crate::status::Failure;

/// A table that was looked at. Its groups are whole.
pub(crate) struct StreamTable(ringfence_stream_backend_t);

// SAFETY: every entry may be called on any thread, and by several at once, as the header demands; the context is handed
// to them alone.
unsafe impl Send for StreamTable {}
// SAFETY: as above.
unsafe impl Sync for StreamTable {}

impl StreamTable {
    /// Looks whether everything is there that has to be.
    pub(crate) fn check(table: &ringfence_stream_backend_t) -> Result<(), Failure> {
        Failure::unless_0("backend->reserved", table.reserved)?;
        group!(table, required: state, create, destroy, query, create_event, destroy_event, record_event,
            stream_wait, query_event, synchronize_event);
        group!(table, optional "memory": allocate, free);
        group!(table, optional "captures": capture_status, exchange_capture_mode, begin_capture, end_capture,
            launch_graph, destroy_graph);
        group!(table, optional "progress words": open_progress, mark, observe, wait_progress, close_progress);
        Ok(())
    }
    /// Of a table that was looked at. Its end calls `release`.
    pub(crate) const fn new(table: ringfence_stream_backend_t) -> Self {
        Self(table)
    }
    fn has_captures(&self) -> bool {
        self.0.capture_status.is_some()
    }
    fn has_memory(&self) -> bool {
        self.0.free.is_some()
    }
}
/// No entry is called after this.
impl Drop for StreamTable {
    fn drop(&mut self) {
        if self.0.release.is_some() {
            entry!(self.0, release);
        }
    }
}

fn nanoseconds(limit: Duration) -> u64 {
    u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX)
}
fn stream_state(number: ringfence_stream_state_t) -> StreamState {
    match number {
        RINGFENCE_STREAM_STATE_IDLE => StreamState::Idle,
        RINGFENCE_STREAM_STATE_PENDING => StreamState::Pending,
        RINGFENCE_STREAM_STATE_UNKNOWN => StreamState::Unknown,
        RINGFENCE_STREAM_STATE_LOST => {
            StreamState::Failed(DriverError::DeviceLost(DriverCode::new(0)))
        }
        _ => StreamState::Failed(DriverError::Bad(DriverCode::new(0))),
    }
}
fn stream_wait(number: ringfence_stream_wait_t) -> StreamWait {
    match number {
        RINGFENCE_WAIT_FINISHED => StreamWait::Finished,
        RINGFENCE_WAIT_TIMED_OUT => StreamWait::TimedOut,
        RINGFENCE_WAIT_UNKNOWN => StreamWait::Unknown,
        RINGFENCE_WAIT_LOST => StreamWait::Failed(DriverError::DeviceLost(DriverCode::new(0))),
        _ => StreamWait::Failed(DriverError::Other(DriverCode::new(0))),
    }
}
fn mode_number(mode: CaptureMode) -> ringfence_capture_mode_t {
    match mode {
        CaptureMode::Global => RINGFENCE_CAPTURE_MODE_GLOBAL,
        CaptureMode::ThreadLocal => RINGFENCE_CAPTURE_MODE_THREAD_LOCAL,
        CaptureMode::Relaxed => RINGFENCE_CAPTURE_MODE_RELAXED,
    }
}

impl StreamPlatform for StreamTable {
    fn state(&self) -> DriverState {
        match entry!(self.0, state) {
            RINGFENCE_STATE_READY => DriverState::Ready,
            RINGFENCE_STATE_FORKED => DriverState::Forked,
            RINGFENCE_STATE_SHUTTING_DOWN => DriverState::ShuttingDown,
            _ => DriverState::Lost,
        }
    }
    fn features(&self) -> StreamFeatures {
        let destruction = match self.0.destroy_detaches {
            0 => Destruction::Waits,
            _ => Destruction::Detaches,
        };
        StreamFeatures::new(Bytes::new(self.0.host_bytes), destruction)
    }
}
impl StreamDriver for StreamTable {
    fn create(&self, key: StreamKey) -> Result<RawStream, DriverError> {
        let key = ringfence_stream_key_t::of(key);
        let mut stream = 0;
        entry!(self.0, create, &raw const key, &raw mut stream).result()?;
        Ok(RawStream::new(stream))
    }
    fn destroy(&self, stream: RawStream) -> Result<(), DriverError> {
        entry!(self.0, destroy, stream.as_u64()).result()
    }
    fn capture_status(&self, stream: RawStream) -> CaptureStatus {
        if !self.has_captures() {
            return CaptureStatus::None;
        }
        match entry!(self.0, capture_status, stream.as_u64()) {
            RINGFENCE_CAPTURE_STATUS_NONE => CaptureStatus::None,
            RINGFENCE_CAPTURE_STATUS_ACTIVE => CaptureStatus::Active,
            RINGFENCE_CAPTURE_STATUS_INVALIDATED => CaptureStatus::Invalidated,
            _ => CaptureStatus::Unknown(DriverError::Other(DriverCode::new(0))),
        }
    }
    fn query(&self, stream: RawStream) -> StreamState {
        stream_state(entry!(self.0, query, stream.as_u64()))
    }
    fn exchange_capture_mode(&self, mode: CaptureMode) -> CaptureMode {
        if !self.has_captures() {
            return mode;
        }
        match entry!(self.0, exchange_capture_mode, mode_number(mode)) {
            RINGFENCE_CAPTURE_MODE_GLOBAL => CaptureMode::Global,
            RINGFENCE_CAPTURE_MODE_RELAXED => CaptureMode::Relaxed,
            _ => CaptureMode::ThreadLocal,
        }
    }
}
impl StreamEvents for StreamTable {
    fn create_event(&self, place: DeviceContext) -> Result<RawEvent, DriverError> {
        let mut event = 0;
        let (device, context) = (place.device.as_u32(), place.context.as_u32());
        entry!(self.0, create_event, device, context, &raw mut event).result()?;
        Ok(RawEvent::new(event))
    }
    fn destroy_event(&self, event: RawEvent) {
        entry!(self.0, destroy_event, event.as_u64());
    }
    fn record_event(&self, event: RawEvent, stream: RawStream) -> Result<(), DriverError> {
        entry!(self.0, record_event, event.as_u64(), stream.as_u64()).result()
    }
    fn stream_wait(&self, stream: RawStream, event: RawEvent) -> Result<(), DriverError> {
        entry!(self.0, stream_wait, stream.as_u64(), event.as_u64()).result()
    }
    fn query_event(&self, event: RawEvent) -> StreamState {
        stream_state(entry!(self.0, query_event, event.as_u64()))
    }
    fn synchronize_event(&self, event: RawEvent, limit: Duration) -> StreamWait {
        stream_wait(entry!(self.0, synchronize_event, event.as_u64(), nanoseconds(limit)))
    }
}
impl StreamCapture for StreamTable {
    fn begin_capture(&self, stream: RawStream, mode: CaptureMode) -> Result<(), DriverError> {
        if !self.has_captures() {
            return Err(DriverError::Unsupported);
        }
        entry!(self.0, begin_capture, stream.as_u64(), mode_number(mode)).result()
    }
    fn end_capture(&self, stream: RawStream) -> Result<RawGraph, DriverError> {
        let mut graph = 0;
        entry!(self.0, end_capture, stream.as_u64(), &raw mut graph).result()?;
        Ok(RawGraph::new(graph))
    }
    fn launch_graph(&self, graph: RawGraph, stream: RawStream) -> Result<(), DriverError> {
        entry!(self.0, launch_graph, graph.as_u64(), stream.as_u64()).result()
    }
    fn destroy_graph(&self, graph: RawGraph) -> Result<(), DriverError> {
        entry!(self.0, destroy_graph, graph.as_u64()).result()
    }
}
impl StreamMemory for StreamTable {
    fn allocate(&self, bytes: Bytes, stream: RawStream) -> Result<RawMemory, DriverError> {
        if !self.has_memory() {
            return Err(DriverError::Unsupported);
        }
        let mut memory = 0;
        entry!(self.0, allocate, bytes.as_u64(), stream.as_u64(), &raw mut memory).result()?;
        Ok(RawMemory::new(memory))
    }
    fn free(&self, memory: RawMemory, stream: RawStream) -> Result<(), DriverError> {
        if !self.has_memory() {
            return Err(DriverError::Unsupported);
        }
        entry!(self.0, free, memory.as_u64(), stream.as_u64()).result()
    }
}
impl StreamProgress for StreamTable {
    fn open_progress(&self, stream: RawStream) -> Result<Option<RawProgress>, DriverError> {
        if self.0.mark.is_none() {
            return Ok(None);
        }
        let mut word = 0;
        entry!(self.0, open_progress, stream.as_u64(), &raw mut word).result()?;
        Ok((word != 0).then(|| RawProgress::new(word)))
    }
    fn mark(
        &self,
        stream: RawStream,
        word: RawProgress,
        position: Position,
    ) -> Result<(), DriverError> {
        entry!(self.0, mark, stream.as_u64(), word.as_u64(), position.as_u64()).result()
    }
    fn observe(&self, word: RawProgress) -> Position {
        Position::new(entry!(self.0, observe, word.as_u64()))
    }
    fn wait_progress(&self, word: RawProgress, position: Position, limit: Duration) -> StreamWait {
        let (position, limit) = (position.as_u64(), nanoseconds(limit));
        stream_wait(entry!(self.0, wait_progress, word.as_u64(), position, limit))
    }
    fn close_progress(&self, word: RawProgress) {
        entry!(self.0, close_progress, word.as_u64());
    }
}
