//! What a driver declares of itself, by the columns of [`DriverRules`], against what it does. The pool rests on
//! these answers, and drivers differ in them by version.
//!
//! Three columns speak of calls that the traits do not have (`device_sync`, `sync_copy`,
//! `captured_host_function`), `malloc` with them, and three of what cannot be seen through them (`last_error`,
//! `host_memory`, `idle_queue`). What a row declares to be a crash is not tried.

mod captures;
mod ends;
mod events;
mod handles;
mod memory;
mod queries;

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus, StreamCapture, StreamState},
    error::DriverError,
    id::{RawGraph, RawStream},
};
use ringfence_mock::streams::profile::{Consequence, DriverRules, ThreadGuard};

use super::{
    super::{
        super::{
            Checked,
            check::{check, same},
        },
        StreamSubject,
        stage::Stage,
    },
    StreamCase,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    let all = [
        queries::cases(),
        events::cases(),
        captures::cases(),
        ends::cases(),
        memory::cases(),
        handles::cases(),
    ];
    all.into_iter().flatten().collect()
}

/// Which thread asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum By {
    /// The one that captures.
    Capturing,
    /// Another.
    Another,
}
impl By {
    const ALL: [Self; 2] = [Self::Capturing, Self::Another];
    /// Runs something on that thread, in this mode.
    fn act<S: StreamSubject, T: Send>(
        self,
        stage: &Stage<'_, S>,
        mode: CaptureMode,
        act: impl FnOnce() -> T + Send,
    ) -> T {
        match self {
            Self::Capturing => stage.in_mode(mode, act),
            Self::Another => stage.on.elsewhere(|| stage.in_mode(mode, act)),
        }
    }
}

/// Whether one open capture forbids a question about a stream that is not in it.
fn forbids(
    guard: ThreadGuard,
    captured: CaptureMode,
    (by, mode): (By, CaptureMode),
    last_of_asked: CaptureMode,
) -> bool {
    let counts_global = match guard {
        ThreadGuard::Nothing => return false,
        ThreadGuard::ByStream if last_of_asked != CaptureMode::Global => return false,
        ThreadGuard::ByStream => true,
        _ if mode == CaptureMode::Relaxed => return false,
        ThreadGuard::ByMode => mode == CaptureMode::Global,
        ThreadGuard::AllButRelaxed => true,
    };
    match captured {
        CaptureMode::Global => counts_global || by == By::Capturing,
        CaptureMode::ThreadLocal => by == By::Capturing,
        CaptureMode::Relaxed => false,
    }
}
/// What such a question brings, and what the capture is in then.
fn expected(rules: &DriverRules, forbidden: bool) -> (StreamState, CaptureStatus) {
    match (forbidden, rules.query_consequence) {
        (false, _) => (StreamState::Idle, CaptureStatus::Active),
        (true, Consequence::Refused) => (StreamState::Unknown, CaptureStatus::Active),
        (true, Consequence::Invalidates) => (StreamState::Unknown, CaptureStatus::Invalidated),
    }
}

/// A capture with one node so far.
struct Recording<'a, S: StreamSubject> {
    stage: &'a Stage<'a, S>,
    stream: RawStream,
    cells: [S::Cell; 2],
}
impl<'a, S: StreamSubject> Recording<'a, S> {
    fn begin(stage: &'a Stage<'a, S>, mode: CaptureMode) -> Checked<Self> {
        Self::begin_on(stage, stage.stream()?, mode)
    }
    fn begin_on(stage: &'a Stage<'a, S>, stream: RawStream, mode: CaptureMode) -> Checked<Self> {
        let cells = stage.cells();
        stage.begin(stream, mode)?;
        stage.set(stream, cells[0], 41)?;
        Ok(Self { stage, stream, cells })
    }
    /// It records another node, ends, and its graph does both.
    fn ends_well(self, what: &str) -> Checked {
        let graph = self.ends(what)?;
        self.has_both(what, graph)
    }
    /// It records another node, and ends.
    fn ends(&self, what: &str) -> Checked<RawGraph> {
        let Self { stage, stream, cells: [first, last] } = *self;
        stage.has_status(what, stream, CaptureStatus::Active)?;
        stage.copy(stream, first, last)?;
        stage.end(stream)
    }
    /// Its graph does what was recorded. No capture is open any more.
    fn has_both(&self, what: &str, graph: RawGraph) -> Checked {
        let Self { stage, cells: [first, last], .. } = *self;
        stage.stays(what, first, 0)?;
        let runs = stage.stream()?;
        stage.launch_graph(graph, runs)?;
        stage.brings(&format!("{what}: the second node"), runs, last, 41)?;
        stage.holds(&format!("{what}: the first node"), first, 41)
    }
    /// It is invalidated, and ends in no graph.
    fn ends_broken(self, what: &str) -> Checked {
        self.stage.has_status(what, self.stream, CaptureStatus::Invalidated)?;
        let ended = self.stage.driver().end_capture(self.stream);
        check!(ended.is_err(), "{what}: a broken capture ended in {ended:?}");
        Ok(())
    }
    /// One or the other.
    fn comes_out(self, what: &str, status: CaptureStatus) -> Checked {
        match status {
            CaptureStatus::Invalidated => self.ends_broken(what),
            _ => self.ends_well(what),
        }
    }
}

/// The driver's own number of an error.
fn number(error: DriverError) -> Option<i32> {
    match error {
        DriverError::CaptureConflict(code)
        | DriverError::CaptureFailed(code)
        | DriverError::Bad(code)
        | DriverError::OutOfMemory(code)
        | DriverError::DeviceLost(code)
        | DriverError::Other(code) => Some(code.as_i32()),
        _ => None,
    }
}
fn is_conflict(what: &str, result: &Result<(), DriverError>) -> Checked {
    let conflict = matches!(result, Err(DriverError::CaptureConflict(_)));
    same(&format!("{what}, refused as {result:?}"), conflict, true)
}
