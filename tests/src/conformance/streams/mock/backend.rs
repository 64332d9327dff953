//! The mock's backend with work that leaves values behind.

use std::{
    cell::Cell,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

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
use ringfence_mock::streams::{
    op::StreamOp,
    seen::{Call, OpId},
    system::MockStreams,
};

use super::{
    super::Spot,
    WORK,
    values::{Effect, Kept, MockCell, Values},
};

/// A piece of the mock's work.
#[derive(Clone, Debug)]
pub enum MockWork {
    /// It writes a value.
    Set(Spot<MockCell>, u32),
    /// It reads from the first place, and writes to the second.
    Copy(Spot<MockCell>, Spot<MockCell>),
    /// The same as `Set`, and the call fails.
    FailingSet(Spot<MockCell>, u32),
    /// It ends when the gate is open.
    Hold(MockGate),
}

/// What holds work of the mock up.
#[derive(Clone, Debug)]
pub struct MockGate {
    number: u32,
    state: Arc<Mutex<Passage>>,
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Passage {
    Closed,
    Holds(RawStream),
    Open,
}
impl MockGate {
    pub(super) fn new(number: u32) -> Self {
        Self { number, state: Arc::new(Mutex::new(Passage::Closed)) }
    }
    /// Opens it. The stream whose work it held.
    pub(super) fn open(&self) -> Option<RawStream> {
        match std::mem::replace(&mut *self.passage(), Passage::Open) {
            Passage::Holds(stream) => Some(stream),
            _ => None,
        }
    }
    fn passage(&self) -> std::sync::MutexGuard<'_, Passage> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The mock's driver, and what its work has written.
#[derive(Debug)]
pub struct MockBackend {
    driver: MockStreams,
    values: Values,
}

std::thread_local! {
    /// What the calling thread submitted last, and whether it was recorded.
    static LAST: Cell<Option<(OpId, bool)>> = const { Cell::new(None) };
}

impl MockBackend {
    pub(super) fn new(driver: MockStreams) -> Self {
        driver.on_call(Some(Box::new(|call| {
            if let Call::Launch { op: Some(op), recorded, .. } = call {
                LAST.set(Some((*op, *recorded)));
            }
        })));
        Self { driver, values: Values::default() }
    }
    pub(super) fn driver(&self) -> &MockStreams {
        &self.driver
    }
    pub(super) fn values(&self) -> &Values {
        &self.values
    }
    pub(super) fn read(&self, from: Spot<MockCell>) -> u32 {
        self.values.read(&self.driver, from)
    }
    fn submit(&self, stream: RawStream, effect: Effect) -> Result<(), DriverError> {
        let mut op = StreamOp::new("work", WORK);
        let (from, to) = match effect {
            Effect::Set(to, _) => (None, to),
            Effect::Copy(from, to) => (Some(from), to),
        };
        if let Some(Spot::Memory(memory)) = from {
            op = op.reads(memory);
        }
        if let Spot::Memory(memory) = to {
            op = op.writes(memory);
        }
        self.values.submit(|kept| {
            LAST.set(None);
            self.driver.launch(stream, op)?;
            match LAST.take() {
                Some((node, true)) => kept.node(node, effect),
                Some((_, false)) => self.witness(kept, stream, vec![effect])?,
                None => {}
            }
            Ok(())
        })
    }
    /// A host function that follows what was just submitted: once it has run, so has that.
    fn witness(
        &self,
        kept: &mut Kept,
        stream: RawStream,
        effects: Vec<Effect>,
    ) -> Result<(), DriverError> {
        LAST.set(None);
        self.driver.user().host_function(stream)?;
        if let Some((function, _)) = LAST.take() {
            kept.witness(function, effects);
        }
        Ok(())
    }
    /// A launch on a stream that captures: a host function would be recorded, and a mark is written.
    fn launch_in_a_capture(
        &self,
        stream: RawStream,
        effects: Vec<Effect>,
    ) -> Result<(), DriverError> {
        let Ok(Some(word)) = self.driver.open_progress(stream) else {
            // Without words nothing tells when: the work counts as finished at once.
            self.values.apply(&effects);
            return Ok(());
        };
        let at = Position::START.next();
        self.driver.mark(stream, word, at)?;
        self.values.submit(|kept| kept.witness_by_mark(word, at, effects));
        Ok(())
    }
}

impl StreamWork for MockBackend {
    type Work = MockWork;
    fn launch(&self, stream: RawStream, work: MockWork) -> Result<(), DriverError> {
        match work {
            MockWork::Set(to, value) => self.submit(stream, Effect::Set(to, value)),
            MockWork::Copy(from, to) => self.submit(stream, Effect::Copy(from, to)),
            MockWork::FailingSet(to, value) => {
                self.submit(stream, Effect::Set(to, value))?;
                Err(DriverError::Other(DriverCode::new(1)))
            }
            MockWork::Hold(gate) => {
                let mut passage = gate.passage();
                assert_eq!(
                    *passage,
                    Passage::Closed,
                    "gate {} holds one piece of work",
                    gate.number
                );
                self.driver.launch(stream, StreamOp::endless("hold"))?;
                *passage = Passage::Holds(stream);
                Ok(())
            }
        }
    }
}
impl StreamCapture for MockBackend {
    fn begin_capture(&self, stream: RawStream, mode: CaptureMode) -> Result<(), DriverError> {
        self.driver.begin_capture(stream, mode)
    }
    fn end_capture(&self, stream: RawStream) -> Result<RawGraph, DriverError> {
        self.driver.end_capture(stream)
    }
    fn launch_graph(&self, graph: RawGraph, stream: RawStream) -> Result<(), DriverError> {
        let nodes = self.driver.with_model(|model| model.nodes(graph));
        let captures =
            self.driver.with_model(|model| model.status_of(stream)) != CaptureStatus::None;
        let effects = self.values.submit(|kept| {
            self.driver.launch_graph(graph, stream)?;
            let effects = kept.of_nodes(&nodes);
            if captures {
                return Ok(effects);
            }
            self.witness(kept, stream, effects).map(|()| Vec::new())
        })?;
        if captures { self.launch_in_a_capture(stream, effects) } else { Ok(()) }
    }
    fn destroy_graph(&self, graph: RawGraph) -> Result<(), DriverError> {
        self.driver.destroy_graph(graph)
    }
}
impl StreamPlatform for MockBackend {
    fn state(&self) -> DriverState {
        self.driver.state()
    }
    fn features(&self) -> StreamFeatures {
        self.driver.features()
    }
}
impl StreamDriver for MockBackend {
    fn create(&self, key: StreamKey) -> Result<RawStream, DriverError> {
        self.driver.create(key)
    }
    fn destroy(&self, stream: RawStream) -> Result<(), DriverError> {
        self.driver.destroy(stream)
    }
    fn capture_status(&self, stream: RawStream) -> CaptureStatus {
        self.driver.capture_status(stream)
    }
    fn query(&self, stream: RawStream) -> StreamState {
        self.driver.query(stream)
    }
    fn exchange_capture_mode(&self, mode: CaptureMode) -> CaptureMode {
        self.driver.exchange_capture_mode(mode)
    }
}
impl StreamEvents for MockBackend {
    fn create_event(&self, place: DeviceContext) -> Result<RawEvent, DriverError> {
        self.driver.create_event(place)
    }
    fn destroy_event(&self, event: RawEvent) {
        self.driver.destroy_event(event);
    }
    fn record_event(&self, event: RawEvent, stream: RawStream) -> Result<(), DriverError> {
        self.driver.record_event(event, stream)
    }
    fn stream_wait(&self, stream: RawStream, event: RawEvent) -> Result<(), DriverError> {
        self.driver.stream_wait(stream, event)
    }
    fn query_event(&self, event: RawEvent) -> StreamState {
        self.driver.query_event(event)
    }
    fn synchronize_event(&self, event: RawEvent, limit: Duration) -> StreamWait {
        self.driver.synchronize_event(event, limit)
    }
}
impl StreamMemory for MockBackend {
    fn allocate(&self, bytes: Bytes, stream: RawStream) -> Result<RawMemory, DriverError> {
        self.driver.allocate(bytes, stream)
    }
    fn free(&self, memory: RawMemory, stream: RawStream) -> Result<(), DriverError> {
        self.driver.free(memory, stream)
    }
}
impl StreamProgress for MockBackend {
    fn open_progress(&self, stream: RawStream) -> Result<Option<RawProgress>, DriverError> {
        self.driver.open_progress(stream)
    }
    fn mark(
        &self,
        stream: RawStream,
        word: RawProgress,
        position: Position,
    ) -> Result<(), DriverError> {
        self.driver.mark(stream, word, position)
    }
    fn observe(&self, word: RawProgress) -> Position {
        self.driver.observe(word)
    }
    fn wait_progress(&self, word: RawProgress, position: Position, limit: Duration) -> StreamWait {
        self.driver.wait_progress(word, position, limit)
    }
    fn close_progress(&self, word: RawProgress) {
        self.driver.close_progress(word);
    }
}
