//! Events and captures with one thing wrong.

use std::time::Duration;

use ringfence::{
    backend::streams::{
        CaptureMode, CaptureStatus, StreamCapture, StreamDriver, StreamEvents, StreamState,
        StreamWait,
    },
    error::DriverError,
    id::{DeviceContext, RawEvent, RawGraph, RawStream},
};
use ringfence_tests::conformance::streams::StreamSubject;

use crate::{
    backend::{BrokenBackend, REFUSED, nth},
    flaw::Flaw,
};

impl StreamEvents for BrokenBackend {
    fn create_event(&self, place: DeviceContext) -> Result<RawEvent, DriverError> {
        let again = match self.flaw {
            Flaw::EventsAreTheSame => self.every(nth(7)),
            Flaw::EventsAreTheSameElsewhere => self.elsewhere(),
            _ => false,
        };
        let last = self.state().events.last().copied();
        if let (true, Some(last)) = (again, last) {
            return Ok(last);
        }
        let event = self.inner().create_event(place)?;
        self.state().events.push(event);
        if self.is(Flaw::EventsRemember)
            && let Some(&stream) = self.state().recorded.get(&event)
        {
            let _recorded = self.inner().record_event(event, stream);
        }
        Ok(event)
    }
    fn destroy_event(&self, event: RawEvent) {
        {
            let mut state = self.state();
            let many = state.events.iter().filter(|&&one| one == event).count();
            state.events.retain(|&one| one != event);
            state.waits.retain(|&(_, waited)| waited != event);
            state.waiters.remove(&event);
            if many == 0 {
                return;
            }
        }
        self.inner().destroy_event(event);
    }
    fn record_event(&self, event: RawEvent, stream: RawStream) -> Result<(), DriverError> {
        self.wake();
        self.apply_waits(stream);
        let again = self.state().recorded.insert(event, stream).is_some();
        match self.flaw {
            Flaw::RecordsNothing => return Ok(()),
            Flaw::RecordsOnce if again => return Ok(()),
            _ => {}
        }
        self.inner().record_event(event, stream)?;
        self.late_work();
        Ok(())
    }
    fn stream_wait(&self, stream: RawStream, event: RawEvent) -> Result<(), DriverError> {
        let first = self.state().waited.insert(stream);
        let itself = self.state().recorded.get(&event) == Some(&stream);
        match self.flaw {
            Flaw::WaitsForNothing => return Ok(()),
            Flaw::WaitsForNothingElsewhere if self.elsewhere() => return Ok(()),
            Flaw::WaitsOnce if !first => return Ok(()),
            Flaw::WaitsForOne if !self.state().waiters.insert(event) => return Ok(()),
            Flaw::WaitsForItself if itself => {
                let gate = self.mock.gate();
                let hold = self.mock.hold(&gate);
                return ringfence::backend::streams::StreamWork::launch(self.inner(), stream, hold);
            }
            Flaw::WaitsLater if self.inner().capture_status(stream) == CaptureStatus::None => {
                self.state().waits.push((stream, event));
                return Ok(());
            }
            _ => {}
        }
        self.inner().stream_wait(stream, event)
    }
    fn query_event(&self, event: RawEvent) -> StreamState {
        self.wake();
        self.dawdle(Flaw::EventQueryWaits);
        let recorded = self.state().recorded.get(&event).copied();
        match (self.flaw, recorded) {
            (Flaw::EventIsIdle, _) => StreamState::Idle,
            (Flaw::EventIsPending, _) | (Flaw::EventBeginsPending, None) => StreamState::Pending,
            (Flaw::RecordsLaterWork, Some(stream)) => self.inner().query(stream),
            _ => self.inner().query_event(event),
        }
    }
    fn synchronize_event(&self, event: RawEvent, limit: Duration) -> StreamWait {
        self.wake();
        match self.flaw {
            Flaw::SynchronizesNothing => return StreamWait::Finished,
            Flaw::SynchronizeTimesOut => return StreamWait::TimedOut,
            _ => {}
        }
        let waited = self.inner().synchronize_event(event, limit);
        if waited == StreamWait::TimedOut {
            self.late(Flaw::SynchronizeIsLate, Duration::ZERO);
            if self.is(Flaw::SynchronizeEndsFinished) {
                return StreamWait::Finished;
            }
        }
        waited
    }
}
impl BrokenBackend {
    /// Waits that were put off until the stream's next work.
    pub(crate) fn apply_waits(&self, stream: RawStream) {
        let due = {
            let mut state = self.state();
            let (due, kept) =
                std::mem::take(&mut state.waits).into_iter().partition(|&(of, _)| of == stream);
            state.waits = kept;
            let due: Vec<(RawStream, RawEvent)> = due;
            due
        };
        for (_, event) in due {
            let _waited = self.inner().stream_wait(stream, event);
        }
    }
}

impl StreamCapture for BrokenBackend {
    fn begin_capture(&self, stream: RawStream, mode: CaptureMode) -> Result<(), DriverError> {
        let active = self.inner().capture_status(stream) == CaptureStatus::Active;
        match self.flaw {
            Flaw::BeginsTwice if active => return Ok(()),
            Flaw::CapturesOne if self.captures() => return Err(REFUSED),
            _ => {}
        }
        let mode = match (self.flaw, mode) {
            (Flaw::CapturesRelaxed, _) => CaptureMode::Relaxed,
            (Flaw::CapturesThreadLocal, CaptureMode::Relaxed) => CaptureMode::ThreadLocal,
            _ => mode,
        };
        self.wake();
        self.inner().begin_capture(stream, mode)?;
        if self.is(Flaw::ModeIsReset) {
            self.inner().exchange_capture_mode(CaptureMode::Global);
        }
        let mut state = self.state();
        state.capturing.push(stream);
        state.recordings.insert(stream, 0);
        Ok(())
    }
    fn end_capture(&self, stream: RawStream) -> Result<RawGraph, DriverError> {
        let active = self.inner().capture_status(stream) == CaptureStatus::Active;
        if active && self.is(Flaw::EmptyIsRefused) && self.state().recordings[&stream] == 0 {
            let _thrown_away = self.inner().end_capture(stream);
            self.state().capturing.retain(|&one| one != stream);
            return Err(REFUSED);
        }
        let ended = self.inner().end_capture(stream);
        if self.inner().capture_status(stream) != CaptureStatus::Active {
            let mut state = self.state();
            state.capturing.retain(|&one| one != stream);
            if active {
                state.ended.insert(stream);
            }
        }
        match (self.flaw, ended) {
            (Flaw::EndsNothing, Err(_)) if !active => Ok(RawGraph::new(999_999)),
            (Flaw::EndsUnjoined, Err(_)) if active => Ok(RawGraph::new(999_999)),
            (_, Ok(graph)) => {
                let mut state = self.state();
                state.homes.insert(graph, stream);
                state.graphs.push(graph);
                Ok(graph)
            }
            (_, ended) => ended,
        }
    }
    fn launch_graph(&self, graph: RawGraph, stream: RawStream) -> Result<(), DriverError> {
        self.wake();
        self.apply_waits(stream);
        let (again, home) = {
            let mut state = self.state();
            (!state.launched.insert(graph), state.homes.get(&graph).copied())
        };
        match self.flaw {
            Flaw::LaunchesNothing => return Ok(()),
            Flaw::LaunchesOnce if again => return Ok(()),
            Flaw::LaunchesAtHome if home != Some(stream) => return Ok(()),
            Flaw::LaunchesNothingElsewhere if self.elsewhere() => return Ok(()),
            Flaw::LaunchesAside => return self.inner().launch_graph(graph, self.aside()),
            _ => {}
        }
        self.dawdle(Flaw::LaunchWaits);
        self.inner().launch_graph(graph, stream)
    }
    fn destroy_graph(&self, graph: RawGraph) -> Result<(), DriverError> {
        if self.is(Flaw::GraphsStay) {
            return Err(REFUSED);
        }
        let before = {
            let mut state = self.state();
            let at = state.graphs.iter().position(|&one| one == graph);
            at.and_then(|at| {
                state.graphs.remove(at);
                (at > 0).then(|| state.graphs[at - 1])
            })
        };
        if let (Flaw::GraphsGoTogether, Some(before)) = (self.flaw, before) {
            self.state().graphs.retain(|&one| one != before);
            let _gone = self.inner().destroy_graph(before);
        }
        self.inner().destroy_graph(graph)
    }
}
