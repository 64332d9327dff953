//! What is so of streams, whatever their driver says.

use std::collections::{BTreeMap, BTreeSet};

use ringfence::{
    backend::streams::{StreamState, StreamWait},
    error::{DriverCode, DriverError},
    id::{Position, RawEvent, RawStream},
};

/// One stream as it is.
#[derive(Debug, Default)]
pub(super) struct Stream {
    pub(super) submitted: u64,
    pub(super) complete: u64,
    pub(super) is_capturing: bool,
    /// Whether the end of its capture failed: its own end is the only way out then.
    pub(super) is_left: bool,
    /// What its word reaches when so much is complete.
    pub(super) marks: Vec<(u64, Position)>,
    /// What it waits for, in order, each behind so much of its work.
    pub(super) waits: Vec<(u64, Reached)>,
}
/// A point in a stream's order: so much of its work, and so many of its waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached {
    pub(super) stream: u64,
    pub(super) upto: u64,
    pub(super) waits: usize,
}
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) lies: Vec<u8>,
    pub(super) told: usize,
    pub(super) next: u64,
    pub(super) streams: BTreeMap<u64, Stream>,
    pub(super) words: BTreeMap<u64, u64>,
    pub(super) events: BTreeMap<u64, Option<Reached>>,
    pub(super) memory: BTreeSet<u64>,
    pub(super) graphs: BTreeSet<u64>,
    pub(super) calls: Vec<(&'static str, u64, u64)>,
}
impl State {
    pub(super) fn log_text(&self) -> String {
        let lines = self.calls.iter().map(|(call, on, more)| format!("{call} {on} {more}"));
        lines.collect::<Vec<_>>().join("\n")
    }
    pub(super) fn log(&mut self, call: &'static str, on: u64, more: u64) {
        self.calls.push((call, on, more));
    }
    pub(super) fn byte(&mut self) -> u8 {
        let byte = self.lies.get(self.told).copied().unwrap_or(0);
        self.told += 1;
        byte
    }
    /// 0: the truth, four times of five.
    pub(super) fn lie(&mut self, lies: u8) -> u8 {
        let byte = self.byte();
        if byte < 205 { 0 } else { byte % (lies + 1) }
    }
    pub(super) fn name(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
    /// A refusal, now and then.
    pub(super) fn refuse(&mut self) -> Result<(), DriverError> {
        match self.lie(4) {
            1 => Err(DriverError::CaptureConflict(DriverCode::new(900))),
            2 => Err(DriverError::Bad(DriverCode::new(709))),
            3 => Err(DriverError::OutOfMemory(DriverCode::new(2))),
            4 => Err(DriverError::CaptureFailed(DriverCode::new(901))),
            _ => Ok(()),
        }
    }
    /// The library may name no other stream than those that it was given.
    pub(super) fn stream(&mut self, raw: RawStream) -> &mut Stream {
        let stream = self.streams.get_mut(&raw.as_u64());
        stream.unwrap_or_else(|| panic!("{raw:?} was never given to the library, or destroyed"))
    }
    pub(super) fn end_of(&mut self, raw: RawStream) -> Reached {
        let stream = self.stream(raw);
        Reached { stream: raw.as_u64(), upto: stream.submitted, waits: stream.waits.len() }
    }
    pub(super) fn is_finished(&self, reached: Reached) -> bool {
        self.streams.get(&reached.stream).is_none_or(|stream| {
            let mut waits = stream.waits.iter().take(reached.waits);
            stream.complete >= reached.upto && waits.all(|(_, on)| self.is_finished(*on))
        })
    }
    /// Whether a stream's next piece of work waits for nothing.
    pub(super) fn may_go_on(&self, stream: &Stream) -> bool {
        let mut waits = stream.waits.iter().take_while(|(behind, _)| *behind <= stream.complete);
        stream.complete < stream.submitted && waits.all(|(_, on)| self.is_finished(*on))
    }
    /// Everything up to there runs and ends.
    pub(super) fn finish(&mut self, reached: Reached) {
        let Some(stream) = self.streams.get_mut(&reached.stream) else { return };
        let waits: Vec<Reached> =
            stream.waits.iter().take(reached.waits).map(|(_, on)| *on).collect();
        waits.into_iter().for_each(|on| self.finish(on));
        if let Some(stream) = self.streams.get_mut(&reached.stream) {
            stream.complete = stream.complete.max(reached.upto);
        }
    }
    pub(super) fn event(&mut self, event: RawEvent) -> &mut Option<Reached> {
        let recorded = self.events.get_mut(&event.as_u64());
        recorded.unwrap_or_else(|| panic!("{event:?} was never given to the library"))
    }
    pub(super) fn state_of(&mut self, is_idle: bool) -> StreamState {
        match self.lie(3) {
            1 => StreamState::Pending,
            2 => StreamState::Unknown,
            3 => StreamState::Failed(DriverError::Bad(DriverCode::new(719))),
            _ if is_idle => StreamState::Idle,
            _ => StreamState::Pending,
        }
    }
    pub(super) fn wait(&mut self) -> Option<StreamWait> {
        match self.lie(3) {
            1 => Some(StreamWait::TimedOut),
            2 => Some(StreamWait::Unknown),
            3 => Some(StreamWait::Failed(DriverError::Bad(DriverCode::new(719)))),
            _ => None,
        }
    }
}
