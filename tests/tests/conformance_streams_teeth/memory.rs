//! Memory, progress words and work with one thing wrong.

use std::time::Duration;

use ringfence::{
    backend::streams::{
        CaptureStatus, StreamDriver, StreamMemory, StreamProgress, StreamWait, StreamWork,
    },
    error::DriverError,
    id::{Bytes, Position, RawMemory, RawProgress, RawStream},
};
use ringfence_tests::conformance::streams::MockWork;

use crate::{
    backend::{BrokenBackend, REFUSED, nth},
    flaw::Flaw,
};

impl StreamMemory for BrokenBackend {
    fn allocate(&self, bytes: Bytes, stream: RawStream) -> Result<RawMemory, DriverError> {
        self.dawdle(Flaw::AllocateWaits);
        let count = self.state().memory.len();
        match self.flaw {
            Flaw::AllocatesFew if count >= 5 => return Err(REFUSED),
            Flaw::AllocatesNothingElsewhere if self.elsewhere() => return Err(REFUSED),
            _ => {}
        }
        let last = self.state().memory.last().copied();
        if let (Flaw::AllocatesTheSame, Some(last)) = (self.flaw, last)
            && self.every(nth(3))
        {
            return Ok(last);
        }
        let memory = self.inner().allocate(bytes, stream)?;
        let mut state = self.state();
        state.memory.push(memory);
        state.pooled.insert(memory);
        drop(state);
        if self.is(Flaw::AllocatesFreed) {
            self.inner().free(memory, self.aside())?;
        }
        Ok(memory)
    }
    fn free(&self, memory: RawMemory, stream: RawStream) -> Result<(), DriverError> {
        self.wake();
        self.apply_waits(stream);
        self.dawdle(Flaw::FreeWaits);
        self.state().memory.retain(|&one| one != memory);
        let captures = self.state().capturing.last().copied();
        match (self.flaw, captures) {
            (Flaw::FreesNothing, _) => return Ok(()),
            (Flaw::FreesAtOnce, _)
                if self.inner().capture_status(stream) == CaptureStatus::None =>
            {
                return self.inner().free(memory, self.aside());
            }
            (Flaw::FreesNothingPlain, _) if !self.state().pooled.contains(&memory) => {
                return Err(REFUSED);
            }
            (Flaw::FreesIntoCaptures, Some(captures)) => {
                return self.inner().free(memory, captures);
            }
            _ => {}
        }
        let freed = self.inner().free(memory, stream);
        if let (Flaw::FreesRefused, Err(DriverError::CaptureConflict(_))) = (self.flaw, freed) {
            self.state().refused.push(memory);
        }
        freed
    }
}

impl StreamProgress for BrokenBackend {
    fn open_progress(&self, stream: RawStream) -> Result<Option<RawProgress>, DriverError> {
        match self.flaw {
            Flaw::NoWords => return Ok(None),
            Flaw::AWord => return Ok(Some(RawProgress::new(1))),
            Flaw::OneWord => {
                if let Some(word) = self.state().word {
                    return Ok(Some(word));
                }
            }
            _ => {}
        }
        let word = self.inner().open_progress(stream)?;
        let mut state = self.state();
        state.word = word;
        if let (Flaw::WordsAreDirty, Some(word), Some(position)) =
            (self.flaw, word, state.closed.pop())
        {
            state.dirty.insert(word, position);
        }
        Ok(word)
    }
    fn mark(
        &self,
        stream: RawStream,
        word: RawProgress,
        position: Position,
    ) -> Result<(), DriverError> {
        self.wake();
        self.apply_waits(stream);
        let position = match self.flaw {
            Flaw::MarksNothing => return Ok(()),
            Flaw::MarksNothingElsewhere if self.elsewhere() => return Ok(()),
            Flaw::MarksShort => Position::new(position.as_u64() & u64::from(u32::MAX)),
            _ => position,
        };
        self.state().dirty.remove(&word);
        let on = match self.flaw {
            Flaw::MarksAtOnce => self.aside(),
            // The stream has no work of its own that is unfinished, but it waits for some.
            Flaw::MarksBeforeWaits if self.state().waited.contains(&stream) => self.aside(),
            _ => stream,
        };
        self.inner().mark(on, word, position)?;
        self.late_work();
        Ok(())
    }
    fn observe(&self, word: RawProgress) -> Position {
        self.dawdle(Flaw::ObserveWaits);
        if self.is(Flaw::ObserveQueries) {
            let all = self.state().streams.clone();
            for stream in all {
                let _answer = self.inner().query(stream);
            }
        }
        if self.is(Flaw::AWord) {
            return Position::START;
        }
        let position = self.inner().observe(word);
        let before = self.state().seen.insert(word, position);
        if let (Flaw::WordsGoBack, Some(before)) = (self.flaw, before)
            && self.every(nth(3))
        {
            return Position::new(before.as_u64().saturating_sub(1));
        }
        if let Some(&dirty) = self.state().dirty.get(&word) {
            return dirty;
        }
        if self.is(Flaw::WordsRunAhead) && position != Position::START {
            return position.next();
        }
        position
    }
    fn wait_progress(&self, word: RawProgress, position: Position, limit: Duration) -> StreamWait {
        match self.flaw {
            Flaw::ProgressWaitsForNothing => return StreamWait::Finished,
            Flaw::ProgressTimesOut => return StreamWait::TimedOut,
            _ => {}
        }
        let waited = self.inner().wait_progress(word, position, limit);
        if waited == StreamWait::TimedOut {
            self.late(Flaw::ProgressIsLate, Duration::ZERO);
        }
        waited
    }
    fn close_progress(&self, word: RawProgress) {
        if self.is(Flaw::AWord) {
            return;
        }
        if self.is(Flaw::WordsAreDirty) {
            let last = self.inner().observe(word);
            self.state().closed.push(last);
        }
        if self.is(Flaw::OneWord) {
            return;
        }
        self.inner().close_progress(word);
    }
}

impl StreamWork for BrokenBackend {
    type Work = MockWork;
    fn launch(&self, stream: RawStream, work: MockWork) -> Result<(), DriverError> {
        self.apply_waits(stream);
        self.dawdle(Flaw::WorkWaits);
        if let MockWork::Hold(gate) = &work {
            self.state().held.insert(stream, gate.clone());
        }
        if let Some(count) = self.state().recordings.get_mut(&stream) {
            *count += 1;
        }
        let refused = match self.captures() {
            true => Vec::new(),
            false => std::mem::take(&mut self.state().refused),
        };
        for memory in refused {
            let _freed = self.inner().free(memory, self.aside());
        }
        let status = self.inner().capture_status(stream);
        let active = status == CaptureStatus::Active;
        let just_ended = self.state().ended.remove(&stream);
        let sets = matches!(work, MockWork::Set(..) | MockWork::Copy(..));
        match self.flaw {
            Flaw::CaptureRuns if active && sets => {
                self.inner().launch(self.aside(), work.clone())?;
            }
            Flaw::CaptureSwallowsOthers if !active && sets && self.captures() => return Ok(()),
            Flaw::CaptureSwallowsTheNext if just_ended && sets => return Ok(()),
            Flaw::CaptureSwallowsElsewhere if just_ended && sets && self.elsewhere() => {
                return Ok(());
            }
            Flaw::ForksLoseWork if self.joined(stream) => return Ok(()),
            Flaw::WorkIsLostElsewhere if self.elsewhere() => return Ok(()),
            Flaw::WorkOutOfOrder if !active && sets && self.every(nth(2)) => {
                return self.inner().launch(self.aside(), work);
            }
            Flaw::WorkIsLazy if !active => {
                self.state().lazy.push((stream, work));
                return Ok(());
            }
            _ => {}
        }
        match (self.flaw, work) {
            (Flaw::FailedWorkIsLate, work @ MockWork::FailingSet(..)) => {
                self.state().late.push((stream, work));
                Err(REFUSED)
            }
            (Flaw::FailedWorkIsTaken, MockWork::FailingSet(to, value)) => {
                self.inner().launch(stream, MockWork::Set(to, value))
            }
            (Flaw::ErrorsAreHidden, work) if self.state().spoilt.contains(&stream) => {
                drop(work);
                Ok(())
            }
            (_, work) => self.inner().launch(stream, work),
        }
    }
}
impl BrokenBackend {
    /// Submits what failed work left, once something was marked or recorded.
    pub(crate) fn late_work(&self) {
        let late = std::mem::take(&mut self.state().late);
        for (stream, work) in late {
            let _failed = self.inner().launch(stream, work);
        }
    }
}
