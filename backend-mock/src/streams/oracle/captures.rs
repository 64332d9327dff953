//! Captures: who captures, who joined, and whose work went into the graph.

use std::collections::BTreeSet;

use ringfence::{
    backend::streams::CaptureStatus,
    error::DriverError,
    id::{RawGraph, RawStream},
};

use super::{
    Broken, StreamOracle, StreamRule,
    stream::{Capturing, Health, Life, Stream},
};
use crate::streams::seen::{Caller, Exclusive, LeaseName, OpId, ThreadId};

/// A capture, from its beginning to its end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct CaptureNumber(u64);

/// What is known of a capture.
#[derive(Clone, Debug)]
pub(super) struct Capture {
    origin: Life,
    owner: Option<LeaseName>,
    thread: ThreadId,
    /// Nodes that somebody else recorded; those without a name are counted.
    foreign: BTreeSet<OpId>,
    nameless: u64,
}

impl StreamOracle {
    /// Whether the stream is lent by a policy that shares streams.
    pub(super) fn is_shared(&self, stream: &Stream) -> bool {
        stream.leases.iter().any(|lease| {
            self.leases.get(lease).is_some_and(|lease| lease.exclusive == Exclusive::No)
        })
    }
    /// Through which lease of `stream` the host submits now, as far as was said or is plain.
    fn submitter(&self, stream: &Stream) -> Option<LeaseName> {
        let said = self.submitting.filter(|lease| stream.leases.contains(lease));
        said.or_else(|| match stream.leases.len() {
            1 => stream.leases.first().copied(),
            _ => None,
        })
    }
    /// A capture began.
    pub(super) fn capture_began(&mut self, raw: RawStream, thread: ThreadId) {
        let life = self.known(raw);
        let owner = self.streams.get(&life).and_then(|stream| self.submitter(stream));
        let number = CaptureNumber(self.step);
        let (foreign, nameless) = Default::default();
        self.captures.insert(number, Capture { origin: life, owner, thread, foreign, nameless });
        self.joins(life, Capturing::Active(number));
    }
    /// A stream is part of a capture from here on.
    pub(super) fn joins(&mut self, life: Life, capturing: Capturing) {
        if let Some(stream) = self.streams.get_mut(&life) {
            stream.capturing = capturing;
            stream.conduct.captured = true;
            stream.looked.clear();
        }
        self.settle(life);
    }
    /// A capture ended, or could not be.
    pub(super) fn capture_ended(
        &mut self,
        raw: RawStream,
        outcome: Result<RawGraph, DriverError>,
        ops: &[OpId],
    ) {
        let life = self.known(raw);
        let (number, left) = match outcome {
            // The capture goes on: this was the wrong thread, or not its origin.
            Err(DriverError::CaptureConflict(_)) => return,
            Ok(_) => (self.capture_of(life), Capturing::No),
            Err(_) => (self.capture_of(life), Capturing::Doubtful),
        };
        if let Some(stream) = self.streams.get_mut(&life) {
            stream.capturing = left;
        }
        let Some(capture) = number.and_then(|number| self.captures.remove(&number)) else { return };
        if outcome.is_ok() {
            let named = ops.iter().filter(|op| capture.foreign.contains(op)).count();
            self.foreign_nodes += named as u64 + capture.nameless;
        }
        for stream in self.streams.values_mut() {
            if number.is_some_and(|number| stream.capturing == Capturing::Active(number)) {
                stream.capturing = left;
            }
        }
    }
    fn capture_of(&self, origin: Life) -> Option<CaptureNumber> {
        let found = self.captures.iter().find(|(_, capture)| capture.origin == origin);
        found.map(|(&number, _)| number)
    }
    /// The stream that a capture began on is gone, and the capture with it.
    pub(super) fn capture_dropped(&mut self, origin: Life) {
        let Some(number) = self.capture_of(origin) else { return };
        self.captures.remove(&number);
        for stream in self.streams.values_mut() {
            if stream.capturing == Capturing::Active(number) {
                stream.capturing = Capturing::Doubtful;
            }
        }
    }
    /// A piece of work became a node.
    pub(super) fn recorded(&mut self, raw: RawStream, op: Option<OpId>, by: ThreadId) {
        let Some(stream) = self.stream(raw) else { return };
        let Capturing::Active(number) = stream.capturing else { return };
        let submitter = self.submitter(stream);
        let (life, crowd) = (stream.life, stream.leases.len() > 1);
        let Some(capture) = self.captures.get_mut(&number) else { return };
        let foreign = capture.origin == life
            && crowd
            && match (submitter, capture.owner) {
                (Some(submitter), Some(owner)) => submitter != owner,
                _ => by != capture.thread,
            };
        if foreign {
            capture.add_foreign(op);
        }
    }
    /// A free became a node: nobody's own work, whoever called.
    pub(super) fn free_recorded(&mut self, raw: RawStream, op: Option<OpId>) {
        let Some(Capturing::Active(number)) = self.stream(raw).map(|stream| stream.capturing)
        else {
            return;
        };
        if let Some(capture) = self.captures.get_mut(&number) {
            capture.add_foreign(op);
        }
    }
    /// What the driver says, or what is known of it without asking.
    pub(super) fn status(&mut self, raw: RawStream, status: CaptureStatus) {
        let life = self.known(raw);
        let Some(stream) = self.streams.get_mut(&life) else { return };
        match status {
            CaptureStatus::None => stream.capturing = Capturing::No,
            CaptureStatus::Active if matches!(stream.capturing, Capturing::Active(_)) => {}
            CaptureStatus::Active => self.joins(life, Capturing::Stuck),
            CaptureStatus::Invalidated => self.joins(life, Capturing::Invalidated),
            CaptureStatus::Unknown(DriverError::Bad(_)) => stream.ail(Health::Bad),
            CaptureStatus::Unknown(_) => stream.ail(Health::Doubtful),
        }
        self.settle(life);
    }
    /// A look at the status, by `thread`: what it may call next (T8).
    pub(super) fn looked(&mut self, raw: RawStream, thread: ThreadId, status: CaptureStatus) {
        if let Some(stream) = self.stream_mut(raw) {
            if status == CaptureStatus::None {
                stream.looked.insert(thread);
            } else {
                stream.looked.clear();
            }
        }
    }
    /// A call broke captures.
    pub(super) fn invalidated(&mut self, caller: Caller, streams: &[RawStream]) -> Broken {
        for &raw in streams {
            let life = self.known(raw);
            self.joins(life, Capturing::Invalidated);
        }
        let first = streams.first().filter(|_| caller == Caller::Library)?;
        let name = self.stream(*first).map(Stream::name).unwrap_or_default();
        Some((StreamRule::T8, format!("a call of the library broke the capture on {name}")))
    }
}
impl Capture {
    fn add_foreign(&mut self, op: Option<OpId>) {
        match op {
            Some(op) => {
                self.foreign.insert(op);
            }
            None => self.nameless += 1,
        }
    }
}
