//! A driver for unit tests: it does what it is told, notes every call, and has no rules of its own.

use std::{collections::HashMap, time::Duration};

use crate::{
    backend::streams::{
        CaptureMode, CaptureStatus, Destruction, DriverState, StreamCapture, StreamDriver,
        StreamEvents, StreamFeatures, StreamMemory, StreamPlatform, StreamProgress, StreamState,
        StreamWait, StreamWork,
    },
    error::{DriverCode, DriverError},
    id::{
        Bytes, DeviceContext, Position, RawEvent, RawGraph, RawMemory, RawProgress, RawStream,
        StreamKey,
    },
    sync::{Arc, Mutex},
};

/// A call that a test may care about. Looks (status, query, observe) are only counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DriverCall {
    Create(StreamKey, RawStream),
    Destroy(RawStream),
    Launch(RawStream, &'static str),
    Record(RawStream),
    Wait(RawStream),
    Mark(RawStream),
    Free(RawMemory, RawStream),
}

/// Whether the driver has progress words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TestWords {
    On,
    Off,
}

/// A driver for unit tests. Work runs until [`finish`](Self::finish). Clones are the same driver.
#[derive(Clone, Debug)]
pub(crate) struct TestDriver {
    words: TestWords,
    told: Arc<Mutex<Told>>,
}
#[derive(Debug)]
struct Told {
    next: u64,
    calls: Vec<DriverCall>,
    looks: u32,
    streams: HashMap<RawStream, TestStream>,
    create_fails: Option<DriverError>,
    refused: Option<(Refusable, DriverError)>,
    meanwhile: Option<(Refusable, Act)>,
    /// The newest name that went with a reset.
    gone: u64,
    words_closed: u32,
    graphs_panic: bool,
    looks_panic: bool,
    fault: Option<DriverError>,
    state: DriverState,
}
/// What somebody else does in the middle of a call.
struct Act(Box<dyn FnOnce() + Send>);
impl std::fmt::Debug for Act {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an act")
    }
}
#[derive(Clone, Copy, Debug)]
struct TestStream {
    launched: u32,
    finished: u32,
    marked: Position,
    seen: Position,
    capture: CaptureStatus,
}

impl TestStream {
    const NEW: Self = Self {
        launched: 0,
        finished: 0,
        marked: Position::START,
        seen: Position::START,
        capture: CaptureStatus::None,
    };
}
/// A call that can be made to fail, or before which somebody else acts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refusable {
    Launch,
    Record,
    Free,
    Synchronize,
    Query,
    WaitProgress,
    DestroyGraph,
    Wait,
    BeginCapture,
    EndCapture,
    /// A launch of which a part runs.
    RestOfLaunch,
    Allocate,
    Mark,
    Destroy,
}

impl TestDriver {
    pub(crate) fn new(words: TestWords) -> Self {
        let told = Told {
            next: 0x10,
            calls: Vec::new(),
            looks: 0,
            streams: HashMap::new(),
            create_fails: None,
            refused: None,
            meanwhile: None,
            gone: 0,
            words_closed: 0,
            graphs_panic: false,
            looks_panic: false,
            fault: None,
            state: DriverState::Ready,
        };
        Self { words, told: Arc::new(Mutex::new(told)) }
    }
    /// All work that was submitted so far is finished.
    pub(crate) fn finish(&self) {
        for stream in self.told.lock().streams.values_mut() {
            stream.finished = stream.launched;
            stream.seen = stream.marked;
        }
    }
    pub(crate) fn set_capture(&self, stream: RawStream, capture: CaptureStatus) {
        if let Some(stream) = self.told.lock().streams.get_mut(&stream) {
            stream.capture = capture;
        }
    }
    /// The next creation fails.
    pub(crate) fn fail_next_create(&self, error: DriverError) {
        self.told.lock().create_fails = Some(error);
    }
    /// The next such call fails.
    pub(crate) fn refuse_next(&self, call: Refusable, error: DriverError) {
        self.told.lock().refused = Some((call, error));
    }
    /// Somebody else does this before the next such call.
    pub(crate) fn meanwhile(&self, call: Refusable, act: impl FnOnce() + Send + 'static) {
        self.told.lock().meanwhile = Some((call, Act(Box::new(act))));
    }
    /// A reset takes along every event that there is: to record one again is a fault.
    pub(crate) fn events_go(&self) {
        let mut told = self.told.lock();
        told.gone = told.next;
    }
    fn refuses(&self, call: Refusable) -> Result<(), DriverError> {
        let meanwhile = self.told.lock().meanwhile.take_if(|meanwhile| meanwhile.0 == call);
        if let Some((_, act)) = meanwhile {
            act.0();
        }
        let mut told = self.told.lock();
        match told.refused.take_if(|refused| refused.0 == call) {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }
    /// The user destroyed a stream.
    pub(crate) fn lose_stream(&self, stream: RawStream) {
        self.told.lock().streams.remove(&stream);
    }
    /// A stream of the user's own, with this handle.
    pub(crate) fn users_stream(&self, stream: RawStream) {
        self.told.lock().streams.insert(stream, TestStream::NEW);
    }
    /// How many streams there are.
    pub(crate) fn live(&self) -> usize {
        self.told.lock().streams.len()
    }
    /// How many words were given back.
    pub(crate) fn words_closed(&self) -> u32 {
        self.told.lock().words_closed
    }
    /// Launches of graphs panic, after they were submitted.
    pub(crate) fn panic_at_graphs(&self) {
        self.told.lock().graphs_panic = true;
    }
    /// From now on this is what the driver is.
    pub(crate) fn becomes(&self, state: DriverState) {
        self.told.lock().state = state;
    }
    /// The device faults: no word is written any more, and whoever asks is told this.
    pub(crate) fn faults(&self, says: DriverError) {
        self.told.lock().fault = Some(says);
    }
    /// It was none after all.
    pub(crate) fn works_again(&self) {
        self.told.lock().fault = None;
    }
    /// The next look at a word panics.
    pub(crate) fn panic_at_next_look(&self) {
        self.told.lock().looks_panic = true;
    }
    /// Every call since the last time this was asked.
    pub(crate) fn take_calls(&self) -> Vec<DriverCall> {
        std::mem::take(&mut self.told.lock().calls)
    }
    /// How many times a status, a query or a word was asked for, so far.
    pub(crate) fn looks(&self) -> u32 {
        self.told.lock().looks
    }
    fn note(&self, call: DriverCall) {
        self.told.lock().calls.push(call);
    }
    fn name(&self) -> u64 {
        let mut told = self.told.lock();
        told.next += 0x10;
        told.next
    }
    fn look<T>(&self, stream: RawStream, look: impl FnOnce(&TestStream) -> T) -> Option<T> {
        let mut told = self.told.lock();
        told.looks += 1;
        told.streams.get(&stream).map(look)
    }
}

/// Work whose launch panics.
pub(crate) const PANICS: &str = "panics";
/// What the driver says of a handle that it does not know.
const UNKNOWN: DriverError = DriverError::Bad(DriverCode::new(400));

impl StreamPlatform for TestDriver {
    fn state(&self) -> DriverState {
        self.told.lock().state
    }
    fn features(&self) -> StreamFeatures {
        StreamFeatures::new(Bytes::new(8 << 20), Destruction::Waits)
    }
}
impl StreamDriver for TestDriver {
    fn create(&self, key: StreamKey) -> Result<RawStream, DriverError> {
        #[cfg(feature = "audit")]
        assert_eq!(crate::sync::audit::locks_held(), 0, "a creation under a lock (T4)");
        if let Some(error) = self.told.lock().create_fails.take() {
            return Err(error);
        }
        let raw = RawStream::new(self.name());
        let mut told = self.told.lock();
        told.calls.push(DriverCall::Create(key, raw));
        told.streams.insert(raw, TestStream::NEW);
        Ok(raw)
    }
    fn destroy(&self, stream: RawStream) -> Result<(), DriverError> {
        self.note(DriverCall::Destroy(stream));
        self.refuses(Refusable::Destroy)?;
        match self.told.lock().streams.remove(&stream) {
            Some(_) => Ok(()),
            None => Err(UNKNOWN),
        }
    }
    fn capture_status(&self, stream: RawStream) -> CaptureStatus {
        self.look(stream, |stream| stream.capture).unwrap_or(CaptureStatus::Unknown(UNKNOWN))
    }
    fn query(&self, stream: RawStream) -> StreamState {
        let fault = self.told.lock().fault;
        if let Some(cause) = fault.or(self.refuses(Refusable::Query).err()) {
            return StreamState::Failed(cause);
        }
        self.look(stream, |stream| match stream.launched == stream.finished {
            true => StreamState::Idle,
            false => StreamState::Pending,
        })
        .unwrap_or(StreamState::Failed(UNKNOWN))
    }
    fn exchange_capture_mode(&self, _mode: CaptureMode) -> CaptureMode {
        CaptureMode::Global
    }
}
impl StreamEvents for TestDriver {
    fn create_event(&self, _place: DeviceContext) -> Result<RawEvent, DriverError> {
        Ok(RawEvent::new(self.name()))
    }
    fn destroy_event(&self, _event: RawEvent) {}
    fn record_event(&self, event: RawEvent, stream: RawStream) -> Result<(), DriverError> {
        self.refuses(Refusable::Record)?;
        assert!(event.as_u64() > self.told.lock().gone, "an event that went with its device");
        self.note(DriverCall::Record(stream));
        Ok(())
    }
    fn stream_wait(&self, stream: RawStream, _event: RawEvent) -> Result<(), DriverError> {
        self.note(DriverCall::Wait(stream));
        self.refuses(Refusable::Wait)
    }
    fn query_event(&self, _event: RawEvent) -> StreamState {
        StreamState::Idle
    }
    fn synchronize_event(&self, _event: RawEvent, _limit: Duration) -> StreamWait {
        if let Err(cause) = self.refuses(Refusable::Synchronize) {
            return StreamWait::Failed(cause);
        }
        if self.told.lock().fault.is_some() {
            return StreamWait::TimedOut;
        }
        self.finish();
        StreamWait::Finished
    }
}
impl StreamCapture for TestDriver {
    fn begin_capture(&self, stream: RawStream, _mode: CaptureMode) -> Result<(), DriverError> {
        self.refuses(Refusable::BeginCapture)?;
        self.set_capture(stream, CaptureStatus::Active);
        Ok(())
    }
    fn end_capture(&self, stream: RawStream) -> Result<RawGraph, DriverError> {
        self.set_capture(stream, CaptureStatus::None);
        self.refuses(Refusable::EndCapture)?;
        Ok(RawGraph::new(self.name()))
    }
    fn launch_graph(&self, _graph: RawGraph, stream: RawStream) -> Result<(), DriverError> {
        let panics = self.told.lock().graphs_panic;
        self.launch(stream, if panics { PANICS } else { "graph" })
    }
    fn destroy_graph(&self, _graph: RawGraph) -> Result<(), DriverError> {
        self.refuses(Refusable::DestroyGraph)
    }
}
impl StreamMemory for TestDriver {
    fn allocate(&self, _bytes: Bytes, _stream: RawStream) -> Result<RawMemory, DriverError> {
        self.refuses(Refusable::Allocate)?;
        Ok(RawMemory::new(self.name()))
    }
    fn free(&self, memory: RawMemory, stream: RawStream) -> Result<(), DriverError> {
        self.note(DriverCall::Free(memory, stream));
        self.refuses(Refusable::Free)
    }
}
/// A word has the name of its stream.
impl StreamProgress for TestDriver {
    fn open_progress(&self, stream: RawStream) -> Result<Option<RawProgress>, DriverError> {
        Ok((self.words == TestWords::On).then(|| RawProgress::new(stream.as_u64())))
    }
    fn mark(
        &self,
        stream: RawStream,
        _word: RawProgress,
        position: Position,
    ) -> Result<(), DriverError> {
        self.refuses(Refusable::Mark)?;
        let mut told = self.told.lock();
        told.calls.push(DriverCall::Mark(stream));
        let stream = told.streams.get_mut(&stream).ok_or(UNKNOWN)?;
        stream.marked = position;
        Ok(())
    }
    fn observe(&self, word: RawProgress) -> Position {
        let panics = std::mem::take(&mut self.told.lock().looks_panic);
        assert!(!panics, "at a look");
        self.look(RawStream::new(word.as_u64()), |stream| stream.seen).unwrap_or_default()
    }
    fn wait_progress(&self, word: RawProgress, position: Position, _limit: Duration) -> StreamWait {
        if let Err(cause) = self.refuses(Refusable::WaitProgress) {
            return StreamWait::Failed(cause);
        }
        if self.told.lock().fault.is_some() {
            return StreamWait::TimedOut;
        }
        self.finish();
        match self.observe(word) >= position {
            true => StreamWait::Finished,
            false => StreamWait::TimedOut,
        }
    }
    fn close_progress(&self, _word: RawProgress) {
        self.told.lock().words_closed += 1;
    }
}
impl StreamWork for TestDriver {
    type Work = &'static str;
    fn launch(&self, stream: RawStream, work: &'static str) -> Result<(), DriverError> {
        self.refuses(Refusable::Launch)?;
        let mut told = self.told.lock();
        told.calls.push(DriverCall::Launch(stream, work));
        told.streams.get_mut(&stream).ok_or(UNKNOWN)?.launched += 1;
        drop(told);
        assert_ne!(work, PANICS, "after it was submitted");
        self.refuses(Refusable::RestOfLaunch)
    }
}
