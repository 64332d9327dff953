//! What one test has of the driver: everything is given back at its end, also when it fails.

use std::{
    fmt::Debug,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use ringfence::{
    backend::streams::{
        CaptureMode, CaptureStatus, StreamCapture, StreamDriver, StreamEvents, StreamMemory,
        StreamProgress, StreamState, StreamWork,
    },
    error::DriverError,
    id::{Bytes, RawEvent, RawGraph, RawMemory, RawProgress, RawStream, StreamKey},
};

use super::{
    super::{
        Checked, Drive, Stop,
        check::{check, same},
    },
    Spot, StreamSubject, WorkOf,
};

/// How long what has to happen may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// How long what must not happen has time to happen.
pub(super) const GRACE: Duration = Duration::from_millis(2);
/// How large a piece of memory is.
pub(super) const SIZE: Bytes = Bytes::new(256);

/// A driver, and what a test made of it.
#[derive(Debug)]
pub(super) struct Stage<'a, S: StreamSubject> {
    pub(super) on: &'a S,
    made: Mutex<Made<S>>,
}
#[derive(Debug)]
struct Made<S: StreamSubject> {
    streams: Vec<RawStream>,
    events: Vec<RawEvent>,
    graphs: Vec<RawGraph>,
    words: Vec<RawProgress>,
    gates: Vec<S::Gate>,
}

/// Which of a stage's gates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "a gate that nobody opens holds its stream up until the test is over"]
pub(super) struct Closed(usize);

/// What the driver did, or the test fails in words.
pub(super) fn ok<T>(what: &str, result: Result<T, DriverError>) -> Checked<T> {
    result.map_err(|error| Stop::Failed(format!("{what}: {error}")))
}

impl<'a, S: StreamSubject> Stage<'a, S> {
    pub(super) fn new(on: &'a S) -> Self {
        let made = Made {
            streams: Vec::new(),
            events: Vec::new(),
            graphs: Vec::new(),
            words: Vec::new(),
            gates: Vec::new(),
        };
        Self { on, made: Mutex::new(made) }
    }
    fn made(&self) -> MutexGuard<'_, Made<S>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub(super) fn driver(&self) -> &'a S::Backend {
        self.on.backend()
    }

    pub(super) fn stream(&self) -> Checked<RawStream> {
        self.stream_of(self.on.key())
    }
    pub(super) fn stream_of(&self, key: StreamKey) -> Checked<RawStream> {
        let raw = ok("create", self.driver().create(key))?;
        self.made().streams.push(raw);
        Ok(raw)
    }
    pub(super) fn streams<const N: usize>(&self) -> Checked<[RawStream; N]> {
        let mut all = [RawStream::new(0); N];
        for one in &mut all {
            *one = self.stream()?;
        }
        Ok(all)
    }
    /// Destroys a stream. It is the stage's no longer.
    pub(super) fn destroy(&self, stream: RawStream) -> Checked {
        self.made().streams.retain(|&one| one != stream);
        ok("destroy", self.driver().destroy(stream))
    }
    pub(super) fn event(&self) -> Checked<RawEvent> {
        let event = ok("create an event", self.driver().create_event(self.on.key().place))?;
        self.made().events.push(event);
        Ok(event)
    }
    pub(super) fn destroy_event(&self, event: RawEvent) {
        self.made().events.retain(|&one| one != event);
        self.driver().destroy_event(event);
    }
    pub(super) fn word(&self, stream: RawStream) -> Checked<Option<RawProgress>> {
        let word = ok("open a word", self.driver().open_progress(stream))?;
        self.made().words.extend(word);
        Ok(word)
    }
    pub(super) fn close_word(&self, word: RawProgress) {
        self.made().words.retain(|&one| one != word);
        self.driver().close_progress(word);
    }
    pub(super) fn memory(&self, stream: RawStream) -> Checked<RawMemory> {
        ok("allocate", self.driver().allocate(SIZE, stream))
    }
    pub(super) fn cells<const N: usize>(&self) -> [S::Cell; N] {
        std::array::from_fn(|_| self.on.cell())
    }

    pub(super) fn launch(&self, stream: RawStream, work: WorkOf<S>) -> Checked {
        ok("launch", self.driver().launch(stream, work))
    }
    pub(super) fn set(&self, stream: RawStream, to: S::Cell, value: u32) -> Checked {
        self.launch(stream, self.on.set(Spot::Cell(to), value))
    }
    pub(super) fn copy(&self, stream: RawStream, from: S::Cell, to: S::Cell) -> Checked {
        self.launch(stream, self.on.copy(Spot::Cell(from), Spot::Cell(to)))
    }
    /// Puts work on a stream that is not finished before its gate is open.
    pub(super) fn hold(&self, stream: RawStream) -> Checked<Closed> {
        let gate = self.on.gate();
        let work = self.on.hold(&gate);
        let number = {
            let mut made = self.made();
            made.gates.push(gate);
            made.gates.len() - 1
        };
        self.launch(stream, work)?;
        Ok(Closed(number))
    }
    pub(super) fn open(&self, gate: Closed) {
        self.on.open(&self.made().gates[gate.0]);
    }
    pub(super) fn record(&self, event: RawEvent, stream: RawStream) -> Checked {
        ok("record", self.driver().record_event(event, stream))
    }
    pub(super) fn wait(&self, stream: RawStream, event: RawEvent) -> Checked {
        ok("wait", self.driver().stream_wait(stream, event))
    }

    pub(super) fn begin(&self, stream: RawStream, mode: CaptureMode) -> Checked {
        ok("begin a capture", self.driver().begin_capture(stream, mode))
    }
    pub(super) fn end(&self, stream: RawStream) -> Checked<RawGraph> {
        let graph = ok("end a capture", self.driver().end_capture(stream))?;
        self.made().graphs.push(graph);
        Ok(graph)
    }
    pub(super) fn launch_graph(&self, graph: RawGraph, stream: RawStream) -> Checked {
        ok("launch a graph", self.driver().launch_graph(graph, stream))
    }
    pub(super) fn destroy_graph(&self, graph: RawGraph) -> Checked {
        self.made().graphs.retain(|&one| one != graph);
        ok("destroy a graph", self.driver().destroy_graph(graph))
    }
    pub(super) fn has_status(
        &self,
        what: &str,
        stream: RawStream,
        status: CaptureStatus,
    ) -> Checked {
        same(what, self.driver().capture_status(stream), status)
    }

    /// Runs something in a mode of the calling thread.
    pub(super) fn in_mode<T>(&self, mode: CaptureMode, act: impl FnOnce() -> T) -> T {
        in_mode(self.driver(), mode, act)
    }
    /// Asks as a pool does: in relaxed mode.
    pub(super) fn asks(&self, stream: RawStream) -> StreamState {
        self.in_mode(CaptureMode::Relaxed, || self.driver().query(stream))
    }
    pub(super) fn asks_event(&self, event: RawEvent) -> StreamState {
        self.in_mode(CaptureMode::Relaxed, || self.driver().query_event(event))
    }
    /// Waits until a condition holds, or the test fails.
    pub(super) fn until(&self, what: &str, condition: impl FnMut() -> bool) -> Checked {
        check!(self.on.settle(PATIENCE, condition), "{what} did not happen in time");
        Ok(())
    }
    pub(super) fn finishes(&self, stream: RawStream) -> Checked {
        let mut last = StreamState::Pending;
        let idle = self.on.settle(PATIENCE, || {
            last = self.asks(stream);
            last == StreamState::Idle
        });
        check!(idle, "{stream} does not finish: {last:?}");
        Ok(())
    }
    /// A stream is finished, and a word has this value at that moment.
    pub(super) fn brings(
        &self,
        what: &str,
        stream: RawStream,
        cell: S::Cell,
        value: u32,
    ) -> Checked {
        self.finishes(stream)?;
        self.holds(what, cell, value)
    }
    pub(super) fn holds(&self, what: &str, cell: S::Cell, value: u32) -> Checked {
        same(what, self.on.read(cell), value)
    }
    /// A word keeps its value although the device has time.
    pub(super) fn stays(&self, what: &str, cell: S::Cell, value: u32) -> Checked {
        let moved = self.on.settle(GRACE, || self.on.read(cell) != value);
        check!(!moved, "{what}: {:?}, and not {value:?}", self.on.read(cell));
        Ok(())
    }
    /// Something is still pending although the device has time.
    pub(super) fn pends(&self, what: &str, mut state: impl FnMut() -> StreamState) -> Checked {
        let mut last = StreamState::Pending;
        let other = self.on.settle(GRACE, || {
            last = state();
            last != StreamState::Pending
        });
        check!(!other, "{what}: {last:?}, and not pending");
        Ok(())
    }
    /// Something that must not block. With a virtual clock, no time passes in it.
    pub(super) fn at_once<T: Debug>(&self, what: &str, act: impl FnOnce() -> T) -> Checked<T> {
        let begin = self.on.now();
        let answer = act();
        let took = self.on.now().saturating_sub(begin);
        let most = match self.on.facts().drive {
            Drive::Virtual => Duration::from_nanos(1),
            Drive::Real => PATIENCE / 10,
        };
        check!(took < most, "{what} took {took:?}");
        Ok(answer)
    }
}

/// Runs something in a mode of the calling thread, which it has no more after it.
pub(super) fn in_mode<B: StreamDriver, T>(
    driver: &B,
    mode: CaptureMode,
    act: impl FnOnce() -> T,
) -> T {
    struct Restore<'a, B: StreamDriver>(&'a B, CaptureMode);
    impl<B: StreamDriver> Drop for Restore<'_, B> {
        fn drop(&mut self) {
            self.0.exchange_capture_mode(self.1);
        }
    }
    let _restore = Restore(driver, driver.exchange_capture_mode(mode));
    act()
}

impl<S: StreamSubject> Drop for Stage<'_, S> {
    fn drop(&mut self) {
        let driver = self.driver();
        let made = self.made.get_mut().unwrap_or_else(PoisonError::into_inner);
        made.gates.iter().for_each(|gate| self.on.open(gate));
        // The end of a broken capture can be a crash; the stream's own never is.
        let _restore = driver.exchange_capture_mode(CaptureMode::Relaxed);
        for &stream in &made.streams {
            if driver.capture_status(stream) == CaptureStatus::None {
                self.on.settle(PATIENCE, || driver.query(stream) != StreamState::Pending);
            }
        }
        made.events.iter().for_each(|&event| driver.destroy_event(event));
        for &stream in &made.streams {
            let _gone = driver.destroy(stream);
        }
        for &graph in &made.graphs {
            let _gone = driver.destroy_graph(graph);
        }
        made.words.iter().for_each(|&word| driver.close_progress(word));
        driver.exchange_capture_mode(CaptureMode::Global);
    }
}
