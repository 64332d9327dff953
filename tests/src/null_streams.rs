//! A driver of streams that does nothing, at once: what is left is the pool's own cost.

use std::{
    hint::black_box,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use ringfence::{
    backend::streams::{
        CaptureMode, CaptureStatus, Destruction, DriverState, StreamCapture, StreamDriver,
        StreamEvents, StreamFeatures, StreamMemory, StreamPlatform, StreamProgress, StreamState,
        StreamWait, StreamWork,
    },
    error::DriverError,
    id::{
        Bytes, DeviceContext, DeviceId, Position, RawEvent, RawGraph, RawMemory, RawProgress,
        RawStream, StreamKey,
    },
};

/// Whether streams have progress words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Words {
    /// They have: work is finished when it is submitted.
    On,
    /// They have not; a look asks the driver, which answers after about so long.
    Off {
        /// What the capture status costs.
        status: Duration,
        /// What the query costs.
        query: Duration,
    },
}

/// Streams that a driver of this kind can have in its life.
const STREAMS: usize = 1 << 16;

/// A driver whose calls do nothing. Clones are the same driver.
#[derive(Clone, Debug)]
pub struct NullStreams(Arc<State>);
#[derive(Debug)]
struct State {
    words: Words,
    created: AtomicU64,
    destroyed: AtomicU64,
    progress: Box<[AtomicU64]>,
}
impl NullStreams {
    /// A driver without streams.
    pub fn new(words: Words) -> Self {
        let progress = (0..STREAMS).map(|_| AtomicU64::new(0)).collect();
        let (created, destroyed) = (AtomicU64::new(0), AtomicU64::new(0));
        Self(Arc::new(State { words, created, destroyed, progress }))
    }
    /// Streams created so far.
    pub fn created(&self) -> u64 {
        self.0.created.load(Ordering::Relaxed)
    }
    /// Streams destroyed so far.
    pub fn destroyed(&self) -> u64 {
        self.0.destroyed.load(Ordering::Relaxed)
    }
    fn word(&self, word: RawProgress) -> &AtomicU64 {
        &self.0.progress[word.as_u64() as usize]
    }
}
/// Non-blocking streams of the only device.
pub fn key() -> StreamKey {
    StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
}
/// Spends about so long, as a call into a driver does.
fn spend(time: Duration) {
    // About a nanosecond a round on the machines that this was written for.
    for round in 0..time.as_nanos() {
        black_box(round);
    }
}

impl StreamPlatform for NullStreams {
    #[inline]
    fn state(&self) -> DriverState {
        DriverState::Ready
    }
    fn features(&self) -> StreamFeatures {
        StreamFeatures::new(Bytes::new(8 << 20), Destruction::Waits)
    }
}
impl StreamDriver for NullStreams {
    fn create(&self, _key: StreamKey) -> Result<RawStream, DriverError> {
        Ok(RawStream::new(0x100 + self.0.created.fetch_add(1, Ordering::Relaxed)))
    }
    fn destroy(&self, _stream: RawStream) -> Result<(), DriverError> {
        self.0.destroyed.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
    fn capture_status(&self, _stream: RawStream) -> CaptureStatus {
        if let Words::Off { status, .. } = self.0.words {
            spend(status);
        }
        CaptureStatus::None
    }
    fn query(&self, _stream: RawStream) -> StreamState {
        if let Words::Off { query, .. } = self.0.words {
            spend(query);
        }
        StreamState::Idle
    }
    fn exchange_capture_mode(&self, _mode: CaptureMode) -> CaptureMode {
        CaptureMode::Global
    }
}
impl StreamEvents for NullStreams {
    fn create_event(&self, _place: DeviceContext) -> Result<RawEvent, DriverError> {
        Ok(RawEvent::new(1))
    }
    fn destroy_event(&self, _event: RawEvent) {}
    fn record_event(&self, _event: RawEvent, _stream: RawStream) -> Result<(), DriverError> {
        Ok(())
    }
    fn stream_wait(&self, _stream: RawStream, _event: RawEvent) -> Result<(), DriverError> {
        Ok(())
    }
    fn query_event(&self, _event: RawEvent) -> StreamState {
        StreamState::Idle
    }
    fn synchronize_event(&self, _event: RawEvent, _limit: Duration) -> StreamWait {
        StreamWait::Finished
    }
}
impl StreamCapture for NullStreams {
    fn begin_capture(&self, _stream: RawStream, _mode: CaptureMode) -> Result<(), DriverError> {
        Ok(())
    }
    fn end_capture(&self, _stream: RawStream) -> Result<RawGraph, DriverError> {
        Ok(RawGraph::new(1))
    }
    fn launch_graph(&self, _graph: RawGraph, _stream: RawStream) -> Result<(), DriverError> {
        Ok(())
    }
    fn destroy_graph(&self, _graph: RawGraph) -> Result<(), DriverError> {
        Ok(())
    }
}
impl StreamMemory for NullStreams {
    fn allocate(&self, _bytes: Bytes, _stream: RawStream) -> Result<RawMemory, DriverError> {
        Ok(RawMemory::new(1))
    }
    fn free(&self, _memory: RawMemory, _stream: RawStream) -> Result<(), DriverError> {
        Ok(())
    }
}
impl StreamProgress for NullStreams {
    fn open_progress(&self, stream: RawStream) -> Result<Option<RawProgress>, DriverError> {
        let index = (stream.as_u64() - 0x100) as usize;
        let has = self.0.words == Words::On && index < STREAMS;
        Ok(has.then(|| RawProgress::new(index as u64)))
    }
    #[inline]
    fn mark(
        &self,
        _stream: RawStream,
        word: RawProgress,
        position: Position,
    ) -> Result<(), DriverError> {
        self.word(word).store(position.as_u64(), Ordering::Release);
        Ok(())
    }
    #[inline]
    fn observe(&self, word: RawProgress) -> Position {
        Position::new(self.word(word).load(Ordering::Acquire))
    }
    fn wait_progress(
        &self,
        _word: RawProgress,
        _position: Position,
        _limit: Duration,
    ) -> StreamWait {
        StreamWait::Finished
    }
    fn close_progress(&self, _word: RawProgress) {}
}
impl StreamWork for NullStreams {
    type Work = ();
    #[inline]
    fn launch(&self, _stream: RawStream, _work: ()) -> Result<(), DriverError> {
        Ok(())
    }
}
