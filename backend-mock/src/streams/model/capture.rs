//! Captures: who is in them, what they recorded, and who is told that a stream captures.

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus},
    error::DriverError,
    id::RawStream,
};

use super::{
    Model, code,
    parts::{After, Capture, Member, Node, NodeEffect, Phase, Serial},
    streams::{NULL, Use},
};
use crate::streams::{
    counts::CallKind,
    op::RunTime,
    profile::StaleRule,
    seen::{OpId, ThreadId, Touches},
};

/// A capture: never used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CaptureId(pub(super) u32);

/// What a stream's capture makes of something that is submitted to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Recording {
    /// It does not capture: the device gets it.
    None,
    /// It is recorded.
    Into(CaptureId),
}

impl Model {
    /// Begins a capture (M4).
    ///
    /// # Errors
    /// On the null stream, and on a stream that captures or is stuck in a capture.
    pub fn begin_capture(
        &mut self,
        by: ThreadId,
        raw: RawStream,
        mode: CaptureMode,
    ) -> Result<(), DriverError> {
        self.enter(by, CallKind::BeginCapture)?;
        let result = self.begin(by, raw, mode);
        self.noted(by, result)
    }
    fn begin(
        &mut self,
        by: ThreadId,
        raw: RawStream,
        mode: CaptureMode,
    ) -> Result<(), DriverError> {
        if raw == NULL {
            return Err(code::UNSUPPORTED);
        }
        let id = CaptureId(self.next_capture);
        let stream = self.working(raw, Use::Capture)?;
        if stream.capture.is_some() {
            return Err(code::ILLEGAL_STATE);
        }
        (stream.capture, stream.own_mode) = (Some(id), mode);
        let first = Member { raw, serial: stream.serial, seen: vec![0], followed: 0 };
        let (phase, nodes) = (Phase::Open, Vec::new());
        self.next_capture += 1;
        let capture = Capture { mode, by, phase, members: vec![first], nodes, graph: None };
        self.captures.insert(id, capture);
        self.open.push(id);
        if mode != CaptureMode::Relaxed {
            self.thread(by).own.push(id);
        }
        if mode == CaptureMode::Global {
            self.global.push(id);
        }
        Ok(())
    }
    /// Whether a stream captures. It touches no capture.
    pub fn capture_status(&mut self, by: ThreadId, raw: RawStream) -> CaptureStatus {
        if let Err(error) = self.enter(by, CallKind::Status) {
            return CaptureStatus::Unknown(error);
        }
        if raw == NULL {
            let told = self.rules.stale != StaleRule::WorkCrashes;
            return match told && self.blocking_capture(None) {
                true => CaptureStatus::Unknown(self.fails(by, code::IMPLICIT)),
                false => CaptureStatus::None,
            };
        }
        match self.stream(raw, Use::Capture).map(|stream| stream.capture) {
            Err(error) => CaptureStatus::Unknown(self.fails(by, error)),
            Ok(_) => {
                self.succeeds(by);
                self.status_of(raw)
            }
        }
    }
    /// What a stream's status is, without a call. One that is gone has none.
    pub fn status_of(&self, raw: RawStream) -> CaptureStatus {
        match self.streams.get(&raw).and_then(|stream| stream.capture) {
            None => CaptureStatus::None,
            Some(capture) if self.active(capture) => CaptureStatus::Active,
            Some(_) => CaptureStatus::Invalidated,
        }
    }
    /// The streams of the capture that this stream is in, itself among them.
    pub fn captured_with(&self, raw: RawStream) -> Vec<RawStream> {
        let Some(id) = self.streams.get(&raw).and_then(|stream| stream.capture) else {
            return Vec::new();
        };
        let in_it =
            |raw: &RawStream| self.streams.get(raw).is_some_and(|one| one.capture == Some(id));
        self.captures[&id].members.iter().map(|member| member.raw).filter(in_it).collect()
    }
    /// Whether streams that point to this capture say `Active`.
    pub(super) fn active(&self, capture: CaptureId) -> bool {
        !matches!(self.captures[&capture].phase, Phase::Broken | Phase::Over(After::Broken))
    }
    /// Whether the stream says `Active`. One that is gone does not.
    pub(super) fn captures_now(&self, raw: RawStream) -> bool {
        let capture = self.streams.get(&raw).and_then(|stream| stream.capture);
        capture.is_some_and(|capture| self.active(capture))
    }
    /// What happens to work that is submitted to this stream.
    pub(super) fn recording(&mut self, raw: RawStream) -> Result<Recording, DriverError> {
        let Some(id) = self.streams.get(&raw).and_then(|stream| stream.capture) else {
            return Ok(Recording::None);
        };
        let capture = &self.captures[&id];
        match capture.phase {
            Phase::Open | Phase::Unjoined => Ok(Recording::Into(id)),
            Phase::Broken | Phase::Over(After::Broken) => Err(code::INVALIDATED),
            Phase::Wrecked => Err(code::INVALID_VALUE),
            // HIP 5.2: the finished graph swallows the work while it exists.
            Phase::Over(After::Good) => match capture.graph {
                Some(graph) if self.graphs.contains_key(&graph) => Ok(Recording::Into(id)),
                _ => {
                    self.crash(format!(
                        "work on {raw}, which still records into a graph that is gone"
                    ));
                    Err(code::INVALID_VALUE)
                }
            },
        }
    }
    /// Adds a node of the stream `raw`.
    pub(super) fn record_node(
        &mut self,
        id: CaptureId,
        raw: RawStream,
        time: RunTime,
        touches: Touches,
        effect: NodeEffect,
    ) -> OpId {
        let op = self.fresh_op();
        let serial = self.streams[&raw].serial;
        let node = Node { op, time, touches, effect };
        let capture = self.captures.get_mut(&id).expect("the stream points to it");
        if let (Phase::Over(_), Some(graph)) = (capture.phase, capture.graph) {
            if let Some(graph) = self.graphs.get_mut(&graph) {
                graph.nodes.push(node);
            }
            return op;
        }
        if let Some(me) = capture.place_of(serial) {
            let seen = capture.members[me].seen.clone();
            for (index, member) in capture.members.iter_mut().enumerate() {
                if index == me {
                    member.seen[me] += 1;
                } else {
                    member.followed = member.followed.max(seen[index]);
                }
            }
        }
        capture.nodes.push(node);
        op
    }
    /// Breaks the captures in `ids` that are not broken yet, and names their streams.
    pub(super) fn invalidate(&mut self, ids: &[CaptureId]) -> Vec<RawStream> {
        let mut streams = Vec::new();
        for id in ids {
            let Some(capture) = self.captures.get_mut(id) else { continue };
            if matches!(capture.phase, Phase::Open | Phase::Unjoined | Phase::Wrecked) {
                capture.phase = Phase::Broken;
                for member in &capture.members {
                    let there = self.streams.get(&member.raw);
                    if there.is_some_and(|stream| stream.serial == member.serial) {
                        streams.push(member.raw);
                    }
                }
            }
        }
        streams
    }
}

impl Capture {
    pub(super) fn place_of(&self, serial: Serial) -> Option<usize> {
        self.members.iter().position(|member| member.serial == serial)
    }
    /// A stream joins, after what `seen` counts.
    pub(super) fn join(&mut self, raw: RawStream, serial: Serial, seen: &[u32]) {
        for member in &mut self.members {
            member.seen.push(0);
        }
        let mut mine = vec![0; self.members.len() + 1];
        mine[..seen.len()].copy_from_slice(seen);
        self.members.push(Member { raw, serial, seen: mine, followed: 0 });
    }
    /// Member `me` follows what `seen` counts.
    pub(super) fn follow(&mut self, me: usize, seen: &[u32]) {
        for (mine, theirs) in self.members[me].seen.iter_mut().zip(seen) {
            *mine = (*mine).max(*theirs);
        }
    }
}
