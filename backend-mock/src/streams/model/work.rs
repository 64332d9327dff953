//! What is submitted to a stream: work, host functions, progress marks (M13, M14).

use std::time::Duration;

use ringfence::{
    backend::streams::StreamWait,
    error::DriverError,
    id::{Position, RawProgress, RawStream},
};

use super::{
    Model, Place, Submitted,
    capture::Recording,
    code,
    device::Waited,
    memory::AT_ONCE,
    pace::Awaited,
    parts::{Effect, NodeEffect, Word},
    streams::Use,
};
use crate::streams::{
    counts::CallKind,
    op::StreamOp,
    profile::{CapturedHostFunction, CapturedMark},
    seen::{ThreadId, Touches},
};

impl Model {
    /// Submits work, or records it.
    ///
    /// # Errors
    /// For a handle of nothing, a stream in error, an invalidated capture.
    pub fn launch(
        &mut self,
        by: ThreadId,
        raw: RawStream,
        work: &StreamOp,
    ) -> Result<Submitted, DriverError> {
        self.enter(by, CallKind::Launch)?;
        let result = self.working(raw, Use::Launch).map(drop);
        let result = result.and_then(|()| self.recording(raw)).map(|recording| match recording {
            Recording::None => {
                let op = self.submit(raw, work.time(), Vec::new());
                Submitted { op: Some(op), place: Place::Device }
            }
            Recording::Into(id) => {
                let touches = work.touches().clone();
                let op = self.record_node(id, raw, work.time(), touches, NodeEffect::None);
                Submitted { op: Some(op), place: Place::Graph }
            }
        });
        self.noted(by, result)
    }
    /// A host function in a stream's order. After an error of the stream it is dropped (M13).
    ///
    /// # Errors
    /// For a handle of nothing, an invalidated capture.
    pub fn host_function(
        &mut self,
        by: ThreadId,
        raw: RawStream,
    ) -> Result<Submitted, DriverError> {
        self.enter(by, CallKind::HostFunction)?;
        let result = self.host_function_it(raw);
        self.noted(by, result)
    }
    fn host_function_it(&mut self, raw: RawStream) -> Result<Submitted, DriverError> {
        if self.stream(raw, Use::Ask)?.error.is_some() {
            return Ok(Submitted { op: None, place: Place::Device });
        }
        if self.rules.captured_host_function == CapturedHostFunction::Node
            && let Recording::Into(id) = self.recording(raw)?
        {
            let touches = Touches::default();
            let op = self.record_node(id, raw, AT_ONCE, touches, NodeEffect::HostFunction);
            return Ok(Submitted { op: Some(op), place: Place::Graph });
        }
        let op = self.submit(raw, AT_ONCE, Vec::new());
        let queued = self.ops.get_mut(&op).expect("it was just submitted");
        queued.effects.push(Effect::HostFunction(op));
        Ok(Submitted { op: Some(op), place: Place::Device })
    }
    /// The progress word of a stream.
    ///
    /// # Errors
    /// For a handle of nothing.
    pub fn open_progress(
        &mut self,
        by: ThreadId,
        raw: RawStream,
    ) -> Result<RawProgress, DriverError> {
        self.enter(by, CallKind::OpenProgress)?;
        let known = self.stream(raw, Use::Note).map(drop);
        let word = RawProgress::new(self.fresh_name());
        let result = known.map(|()| {
            self.words.insert(word, Word { value: Position::START });
            word
        });
        self.noted(by, result)
    }
    /// Gives a word back.
    pub fn close_progress(&mut self, by: ThreadId, word: RawProgress) {
        if self.enter(by, CallKind::CloseProgress).is_ok() && self.words.remove(&word).is_none() {
            self.crash(format!("{word} was given back twice"));
        }
    }
    /// The word reaches `position` when all earlier work of the stream is finished. On a capturing
    /// stream HIP writes it all the same, and CUDA at every launch (M14).
    ///
    /// # Errors
    /// For handles of nothing, a stream in error.
    pub fn mark(
        &mut self,
        by: ThreadId,
        raw: RawStream,
        word: RawProgress,
        position: Position,
    ) -> Result<Submitted, DriverError> {
        self.enter(by, CallKind::Mark)?;
        let result = self.mark_it(raw, word, position);
        self.noted(by, result)
    }
    fn mark_it(
        &mut self,
        raw: RawStream,
        word: RawProgress,
        position: Position,
    ) -> Result<Submitted, DriverError> {
        self.working(raw, Use::Note)?;
        if !self.words.contains_key(&word) {
            return Err(code::INVALID_VALUE);
        }
        if self.rules.captured_mark == CapturedMark::Node
            && let Recording::Into(id) = self.recording(raw)?
        {
            let effect = NodeEffect::Mark(word, position);
            let op = self.record_node(id, raw, AT_ONCE, Touches::default(), effect);
            return Ok(Submitted { op: Some(op), place: Place::Graph });
        }
        let op = self.submit(raw, AT_ONCE, vec![Effect::Mark(word, position)]);
        Ok(Submitted { op: Some(op), place: Place::Device })
    }
    /// What a word says: a load, in any state of the driver.
    pub fn observe(&mut self, by: ThreadId, word: RawProgress) -> Position {
        self.may_move();
        self.look_at_word(word);
        self.counts.called(CallKind::Observe);
        let cost = self.costs.observe;
        self.pay(by, cost);
        match self.words.get(&word) {
            Some(known) => known.value,
            None => {
                self.crash(format!("{word} was read after it was given back"));
                Position::START
            }
        }
    }
    /// The host waits until a word reaches `position`.
    pub fn wait_progress(
        &mut self,
        by: ThreadId,
        word: RawProgress,
        position: Position,
        limit: Duration,
    ) -> StreamWait {
        if let Err(error) = self.enter(by, CallKind::WaitProgress) {
            return StreamWait::Failed(error);
        }
        if !self.words.contains_key(&word) {
            self.crash(format!("{word} was waited for after it was given back"));
            return StreamWait::Failed(code::INVALID_VALUE);
        }
        match self.wait_until(Some(limit), Awaited::Word(word, position)) {
            Waited::Done => StreamWait::Finished,
            _ => StreamWait::TimedOut,
        }
    }
}
