//! A driver of streams that breaks its contract wherever the bytes say so. When they are used up, it is
//! honest. It never says of work that runs that it is finished, nor of a stream that captures that it does
//! not: no library could see through that.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use ringfence::{
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
};

use super::driver_truth::{Reached, State, Stream};

/// The driver.
#[derive(Debug, Default)]
pub(super) struct LyingDriver(Mutex<State>);
impl LyingDriver {
    pub(super) fn new(lies: &[u8]) -> Self {
        Self(Mutex::new(State { lies: lies.to_vec(), ..State::default() }))
    }
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// How much was submitted to a stream, for [`is_complete`](Self::is_complete).
    pub(super) fn submitted(&self, raw: RawStream) -> u64 {
        self.state().stream(raw).submitted
    }
    /// Every call, for messages: what, on which object, and a number that says more.
    pub(super) fn calls(&self) -> String {
        self.state().log_text()
    }
    /// Whether so much of a stream's work is complete.
    pub(super) fn is_complete(&self, raw: RawStream, upto: u64) -> bool {
        self.state().is_finished(Reached { stream: raw.as_u64(), upto, waits: 0 })
    }
    /// One piece of work of some stream ends.
    pub(super) fn go_on(&self, nth: usize) {
        let mut state = self.state();
        let able = |(&name, stream): (&u64, &Stream)| state.may_go_on(stream).then_some(name);
        let able: Vec<u64> = state.streams.iter().filter_map(able).collect();
        if let Some(name) = able.get(nth % able.len().max(1))
            && let Some(stream) = state.streams.get_mut(name)
        {
            stream.complete += 1;
        }
    }
    pub(super) fn run_until_idle(&self) {
        self.state().streams.values_mut().for_each(|stream| stream.complete = stream.submitted);
    }
}

impl StreamPlatform for LyingDriver {
    fn state(&self) -> DriverState {
        // Rarely; and then it is ready again.
        match LyingDriver::state(self).byte() {
            255 => DriverState::Lost,
            _ => DriverState::Ready,
        }
    }
    fn features(&self) -> StreamFeatures {
        let destruction = match LyingDriver::state(self).lie(1) {
            0 => Destruction::Waits,
            _ => Destruction::Detaches,
        };
        StreamFeatures::new(Bytes::new(u64::MAX), destruction)
    }
}
impl StreamDriver for LyingDriver {
    fn create(&self, _key: StreamKey) -> Result<RawStream, DriverError> {
        let mut state = LyingDriver::state(self);
        state.log("create", 0, 0);
        state.refuse()?;
        let name = state.name();
        state.streams.insert(name, Stream::default());
        Ok(RawStream::new(name))
    }
    fn destroy(&self, raw: RawStream) -> Result<(), DriverError> {
        let mut state = LyingDriver::state(self);
        state.log("destroy", raw.as_u64(), 0);
        let stream = state.stream(raw);
        let is_idle = stream.complete == stream.submitted;
        assert!(is_idle, "T10: {raw:?} is destroyed with work pending\n{}", state.log_text());
        let stream = state.stream(raw);
        assert!(!stream.is_capturing || stream.is_left, "T10: {raw:?} is destroyed, and captures");
        state.refuse()?;
        state.streams.remove(&raw.as_u64());
        Ok(())
    }
    fn capture_status(&self, raw: RawStream) -> CaptureStatus {
        let mut state = LyingDriver::state(self);
        state.log("status", raw.as_u64(), 0);
        let is_capturing = state.stream(raw).is_capturing;
        match state.lie(3) {
            1 => CaptureStatus::Active,
            2 => CaptureStatus::Invalidated,
            3 => CaptureStatus::Unknown(DriverError::Bad(DriverCode::new(709))),
            _ if is_capturing => CaptureStatus::Active,
            _ => CaptureStatus::None,
        }
    }
    fn query(&self, raw: RawStream) -> StreamState {
        let mut state = LyingDriver::state(self);
        state.log("query", raw.as_u64(), 0);
        let end = state.end_of(raw);
        let is_idle = state.is_finished(end) && !state.stream(raw).is_capturing;
        state.state_of(is_idle)
    }
    fn exchange_capture_mode(&self, mode: CaptureMode) -> CaptureMode {
        match LyingDriver::state(self).lie(2) {
            1 => CaptureMode::Global,
            2 => CaptureMode::Relaxed,
            _ => mode,
        }
    }
}
impl StreamEvents for LyingDriver {
    fn create_event(&self, _place: DeviceContext) -> Result<RawEvent, DriverError> {
        let mut state = LyingDriver::state(self);
        state.refuse()?;
        let name = state.name();
        state.events.insert(name, None);
        Ok(RawEvent::new(name))
    }
    fn destroy_event(&self, event: RawEvent) {
        let gone = LyingDriver::state(self).events.remove(&event.as_u64());
        assert!(gone.is_some(), "{event:?} is destroyed twice");
    }
    fn record_event(&self, event: RawEvent, raw: RawStream) -> Result<(), DriverError> {
        let mut state = LyingDriver::state(self);
        state.log("record on", raw.as_u64(), event.as_u64());
        let end = state.end_of(raw);
        state.event(event);
        state.refuse()?;
        *state.event(event) = Some(end);
        Ok(())
    }
    fn stream_wait(&self, raw: RawStream, event: RawEvent) -> Result<(), DriverError> {
        let mut state = LyingDriver::state(self);
        state.log("wait on", raw.as_u64(), event.as_u64());
        let recorded = *state.event(event);
        let behind = state.stream(raw).submitted;
        state.refuse()?;
        state.stream(raw).waits.extend(recorded.map(|on| (behind, on)));
        Ok(())
    }
    fn query_event(&self, event: RawEvent) -> StreamState {
        let mut state = LyingDriver::state(self);
        state.log("query event", event.as_u64(), 0);
        let recorded = *state.event(event);
        let is_finished = recorded.is_none_or(|recorded| state.is_finished(recorded));
        state.state_of(is_finished)
    }
    fn synchronize_event(&self, event: RawEvent, _limit: Duration) -> StreamWait {
        let mut state = LyingDriver::state(self);
        state.log("synchronize event", event.as_u64(), 0);
        let recorded = *state.event(event);
        if let Some(lie) = state.wait() {
            return lie;
        }
        if let Some(recorded) = recorded {
            state.finish(recorded);
        }
        StreamWait::Finished
    }
}
impl StreamCapture for LyingDriver {
    fn begin_capture(&self, raw: RawStream, _mode: CaptureMode) -> Result<(), DriverError> {
        let mut state = LyingDriver::state(self);
        state.log("begin capture", raw.as_u64(), 0);
        state.stream(raw);
        state.refuse()?;
        state.stream(raw).is_capturing = true;
        Ok(())
    }
    fn end_capture(&self, raw: RawStream) -> Result<RawGraph, DriverError> {
        let mut state = LyingDriver::state(self);
        state.log("end capture", raw.as_u64(), 0);
        if state.lie(1) == 1 {
            state.stream(raw).is_left = true;
            return Err(DriverError::CaptureFailed(DriverCode::new(901))); // and it goes on
        }
        state.stream(raw).is_capturing = false;
        state.refuse()?;
        let name = state.name();
        state.graphs.insert(name);
        Ok(RawGraph::new(name))
    }
    fn launch_graph(&self, graph: RawGraph, raw: RawStream) -> Result<(), DriverError> {
        let mut state = LyingDriver::state(self);
        state.log("launch graph on", raw.as_u64(), graph.as_u64());
        assert!(state.graphs.contains(&graph.as_u64()), "{graph:?} is launched after its end");
        state.stream(raw).submitted += 1;
        state.refuse()
    }
    fn destroy_graph(&self, graph: RawGraph) -> Result<(), DriverError> {
        let mut state = LyingDriver::state(self);
        assert!(state.graphs.contains(&graph.as_u64()), "{graph:?} is destroyed twice");
        state.refuse()?;
        state.graphs.remove(&graph.as_u64());
        Ok(())
    }
}
impl StreamMemory for LyingDriver {
    fn allocate(&self, _bytes: Bytes, raw: RawStream) -> Result<RawMemory, DriverError> {
        let mut state = LyingDriver::state(self);
        state.log("allocate on", raw.as_u64(), 0);
        state.stream(raw);
        state.refuse()?;
        let name = state.name();
        state.memory.insert(name);
        Ok(RawMemory::new(name))
    }
    fn free(&self, memory: RawMemory, raw: RawStream) -> Result<(), DriverError> {
        let mut state = LyingDriver::state(self);
        state.log("free on", raw.as_u64(), memory.as_u64());
        state.stream(raw);
        assert!(state.memory.contains(&memory.as_u64()), "T7: {memory:?} is freed twice");
        state.refuse()?;
        state.memory.remove(&memory.as_u64());
        Ok(())
    }
}
impl StreamProgress for LyingDriver {
    fn open_progress(&self, raw: RawStream) -> Result<Option<RawProgress>, DriverError> {
        let mut state = LyingDriver::state(self);
        state.refuse()?;
        if state.lie(1) == 1 {
            return Ok(None);
        }
        let name = state.name();
        state.words.insert(name, raw.as_u64());
        Ok(Some(RawProgress::new(name)))
    }
    fn mark(&self, raw: RawStream, _: RawProgress, position: Position) -> Result<(), DriverError> {
        let mut state = LyingDriver::state(self);
        state.log("mark on", raw.as_u64(), position.as_u64());
        state.stream(raw);
        state.refuse()?;
        let stream = state.stream(raw);
        stream.marks.push((stream.submitted, position));
        Ok(())
    }
    /// Where it is, or where it was: a word that goes back.
    fn observe(&self, word: RawProgress) -> Position {
        let mut state = LyingDriver::state(self);
        state.log("observe word", word.as_u64(), 0);
        let stream = state.words.get(&word.as_u64()).copied();
        let lie = state.lie(2);
        let stream = state.streams.get(&stream.expect("a word that was opened"));
        let reached = stream.and_then(|stream| {
            let (complete, skipped) = (stream.complete, usize::from(lie == 2));
            let below = stream.marks.iter().rev().filter(|(upto, _)| *upto <= complete);
            below.map(|(_, position)| *position).nth(skipped)
        });
        if lie == 1 { Position::START } else { reached.unwrap_or(Position::START) }
    }
    fn wait_progress(&self, word: RawProgress, position: Position, _: Duration) -> StreamWait {
        let mut state = LyingDriver::state(self);
        state.log("wait for word", word.as_u64(), position.as_u64());
        let stream = state.words.get(&word.as_u64()).copied();
        if let Some(lie) = state.wait() {
            return lie;
        }
        let name = stream.expect("a word that was opened");
        let Some(stream) = state.streams.get(&name) else { return StreamWait::Unknown };
        let mark = stream.marks.iter().find(|(_, mark)| *mark >= position);
        let Some(&(upto, _)) = mark else { return StreamWait::TimedOut };
        let waits = stream.waits.iter().filter(|(behind, _)| *behind < upto).count();
        state.finish(Reached { stream: name, upto, waits });
        StreamWait::Finished
    }
    fn close_progress(&self, word: RawProgress) {
        let gone = LyingDriver::state(self).words.remove(&word.as_u64());
        assert!(gone.is_some(), "{word:?} is closed twice");
    }
}
impl StreamWork for LyingDriver {
    type Work = ();
    fn launch(&self, raw: RawStream, (): ()) -> Result<(), DriverError> {
        let mut state = LyingDriver::state(self);
        state.log("launch on", raw.as_u64(), 0);
        let stream = state.stream(raw);
        if !stream.is_capturing {
            stream.submitted += 1; // a part of it, if it is refused
        }
        state.refuse()
    }
}
