//! The backend traits of memory, progress words and work.

use std::time::Duration;

use ringfence::{
    backend::streams::{CaptureStatus, StreamMemory, StreamProgress, StreamWait, StreamWork},
    error::DriverError,
    id::{Bytes, Position, RawMemory, RawProgress, RawStream},
};

use super::{
    super::{
        model::{Place, Submitted},
        op::StreamOp,
        seen::{Call, OpId},
    },
    MockStreams, Words,
};

/// What was submitted, and whether it was recorded.
pub(super) fn parts(
    result: Result<Submitted, DriverError>,
) -> (Option<OpId>, bool, Result<(), DriverError>) {
    match result {
        Ok(done) => (done.op, done.place == Place::Graph, Ok(())),
        Err(error) => (None, false, Err(error)),
    }
}

impl StreamMemory for MockStreams {
    fn allocate(&self, bytes: Bytes, stream: RawStream) -> Result<RawMemory, DriverError> {
        self.act(|model, by| {
            let outcome = model.allocate(by, bytes, stream);
            (outcome, Call::Allocate { bytes, stream, outcome })
        })
    }
    fn free(&self, memory: RawMemory, stream: RawStream) -> Result<(), DriverError> {
        self.act(|model, by| {
            let (op, recorded, outcome) = parts(model.free(by, memory, stream));
            (outcome, Call::Free { memory, stream, op, recorded, outcome })
        })
    }
}

impl StreamProgress for MockStreams {
    fn open_progress(&self, stream: RawStream) -> Result<Option<RawProgress>, DriverError> {
        if self.shared.words == Words::Off {
            return Ok(None);
        }
        self.act(|model, by| {
            let outcome = model.open_progress(by, stream);
            (outcome.map(Some), Call::OpenProgress { stream, outcome: outcome.ok() })
        })
    }
    fn mark(
        &self,
        stream: RawStream,
        word: RawProgress,
        position: Position,
    ) -> Result<(), DriverError> {
        self.act(|model, by| {
            let captured = model.status_of(stream) == CaptureStatus::Active;
            let (op, _, outcome) = parts(model.mark(by, stream, word, position));
            (outcome, Call::Mark { stream, word, position, op, captured, outcome })
        })
    }
    fn observe(&self, word: RawProgress) -> Position {
        self.act(|model, by| {
            let outcome = model.observe(by, word);
            (outcome, Call::Observe { word, outcome })
        })
    }
    fn wait_progress(&self, word: RawProgress, position: Position, limit: Duration) -> StreamWait {
        self.act(|model, by| {
            let outcome = model.wait_progress(by, word, position, limit);
            (outcome, Call::WaitProgress { word, position, outcome })
        })
    }
    fn close_progress(&self, word: RawProgress) {
        self.act(|model, by| {
            model.close_progress(by, word);
            ((), Call::CloseProgress { word })
        });
    }
}

impl StreamWork for MockStreams {
    type Work = StreamOp;
    fn launch(&self, stream: RawStream, work: StreamOp) -> Result<(), DriverError> {
        self.act(|model, by| {
            let (op, recorded, outcome) = parts(model.launch(by, stream, &work));
            let touches = work.touches().clone();
            (outcome, Call::Launch { stream, op, touches, recorded, outcome })
        })
    }
}
