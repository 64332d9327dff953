//! The ends of a capture: good, unjoined, invalidated, by a stream's destruction (M9, M15).

use ringfence::{
    backend::streams::CaptureMode,
    error::DriverError,
    id::{RawGraph, RawStream},
};

use super::{
    CaptureId, Model, code,
    parts::{After, Capture, Graph, Phase},
    streams::Use,
};
use crate::streams::{
    counts::CallKind,
    profile::{
        BrokenEnd, EndOfNothing, JoinedFork, OrphanedCapture, SecondEnd, StrayEnd, UnjoinedRule,
    },
    seen::{OpId, ThreadId},
};

impl Model {
    /// Ends a capture, on the thread that began it. With the graph come its nodes.
    ///
    /// # Errors
    /// 901 when it was invalidated, 904 when a stream is unjoined, 903 on a stream that only joined, 908
    /// on another thread; 401 or 903 when nothing is captured.
    pub fn end_capture(
        &mut self,
        by: ThreadId,
        raw: RawStream,
    ) -> Result<(RawGraph, Vec<OpId>), DriverError> {
        self.enter(by, CallKind::EndCapture)?;
        let result = self.end(by, raw);
        self.noted(by, result)
    }
    fn end(&mut self, by: ThreadId, raw: RawStream) -> Result<(RawGraph, Vec<OpId>), DriverError> {
        let stream = self.stream(raw, Use::Capture)?;
        let serial = stream.serial;
        let Some(id) = stream.capture else {
            return Err(match self.rules.end_of_nothing {
                EndOfNothing::IllegalState => code::ILLEGAL_STATE,
                EndOfNothing::Unmatched => code::UNMATCHED,
            });
        };
        let capture = &self.captures[&id];
        let relaxed = capture.mode == CaptureMode::Relaxed;
        if capture.place_of(serial) != Some(0) {
            return Err(code::UNMATCHED);
        }
        if !relaxed && capture.by != by {
            if self.rules.stray_end == StrayEnd::Ends {
                self.delist(id);
                self.let_go(id);
            }
            return Err(code::WRONG_THREAD);
        }
        match capture.phase {
            Phase::Unjoined => Err(match (relaxed, self.rules.second_end) {
                (true, SecondEnd::RelaxedCrashes) => {
                    self.crash(format!("second end of the unjoined relaxed capture of {raw}"));
                    code::UNJOINED
                }
                (true, _) => code::UNJOINED,
                (false, _) => code::WRONG_THREAD,
            }),
            Phase::Over(_) => Err(code::INVALIDATED),
            Phase::Broken => {
                self.delist(id);
                match self.rules.broken_end {
                    BrokenEnd::Sticks => self.set_phase(id, Phase::Over(After::Broken)),
                    BrokenEnd::Clears => self.let_go(id),
                }
                Err(code::INVALIDATED)
            }
            Phase::Open | Phase::Wrecked => self.end_open(id),
        }
    }
    fn end_open(&mut self, id: CaptureId) -> Result<(RawGraph, Vec<OpId>), DriverError> {
        self.delist(id);
        let capture = &self.captures[&id];
        if capture.phase == Phase::Wrecked || self.unjoined(capture) {
            match self.rules.second_end {
                SecondEnd::Over => self.let_go(id),
                _ => self.set_phase(id, Phase::Unjoined),
            }
            return Err(code::UNJOINED);
        }
        let raw = RawGraph::new(self.fresh_name());
        let capture = self.captures.get_mut(&id).expect("it is open");
        let nodes = std::mem::take(&mut capture.nodes);
        (capture.graph, capture.phase) = (Some(raw), Phase::Over(After::Good));
        let origin = capture.members[0].raw;
        let ops = nodes.iter().map(|node| node.op).collect();
        self.graphs.insert(raw, Graph { nodes, capture: id });
        match self.rules.joined_fork {
            JoinedFork::Clears => self.let_go(id),
            JoinedFork::StaysActive => {
                self.streams.get_mut(&origin).expect("it ended the capture").capture = None;
                self.release_capture(id);
            }
        }
        Ok((raw, ops))
    }
    /// Whether the driver calls a capture unjoined.
    fn unjoined(&self, capture: &Capture) -> bool {
        let lives = |raw: RawStream, serial| {
            self.streams.get(&raw).is_some_and(|stream| stream.serial == serial)
        };
        let members = || capture.members.iter().enumerate();
        match self.rules.unjoined {
            UnjoinedRule::Forks => {
                let joined = &capture.members[0].seen;
                members().skip(1).any(|(index, member)| {
                    lives(member.raw, member.serial) && member.seen[index] > joined[index]
                })
            }
            UnjoinedRule::LooseEnds => {
                let ends =
                    members().filter(|(index, member)| member.seen[*index] > member.followed);
                ends.count() > 1
            }
        }
    }
    fn set_phase(&mut self, id: CaptureId, phase: Phase) {
        self.captures.get_mut(&id).expect("a stream points to it").phase = phase;
    }
    /// Takes it off all lists that forbid calls.
    fn delist(&mut self, id: CaptureId) {
        let by = self.captures[&id].by;
        self.global.retain(|&one| one != id);
        self.open.retain(|&one| one != id);
        self.thread(by).own.retain(|&one| one != id);
    }
    /// All its streams stop pointing to it.
    fn let_go(&mut self, id: CaptureId) {
        for stream in self.streams.values_mut() {
            if stream.capture == Some(id) {
                stream.capture = None;
            }
        }
        self.captures.remove(&id);
    }
    /// Forgets a capture that no stream points to.
    pub(super) fn release_capture(&mut self, id: CaptureId) {
        let points = |member: &super::parts::Member| {
            self.streams.get(&member.raw).is_some_and(|stream| stream.capture == Some(id))
        };
        if self.captures.get(&id).is_some_and(|capture| !capture.members.iter().any(points)) {
            self.captures.remove(&id);
        }
    }
    /// The stream is about to be destroyed: its capture ends, and its graph is lost. A capture that it
    /// only joined goes on without it.
    pub(super) fn end_capture_silently(&mut self, by: ThreadId, raw: RawStream) {
        let stream = self.streams.get_mut(&raw).expect("the caller looked it up");
        let serial = stream.serial;
        let Some(id) = stream.capture.take() else { return };
        let capture = &self.captures[&id];
        let (owner, origin) = (capture.by, capture.place_of(serial) == Some(0));
        if !origin {
            return self.release_capture(id);
        }
        self.global.retain(|&one| one != id);
        self.open.retain(|&one| one != id);
        self.thread(by).own.retain(|&one| one != id);
        if self.rules.orphaned_capture == OrphanedCapture::Harmless {
            self.thread(owner).own.retain(|&one| one != id);
        }
        match self.rules.joined_fork {
            JoinedFork::Clears => self.let_go(id),
            JoinedFork::StaysActive => {
                self.set_phase(id, Phase::Over(After::Good));
                self.release_capture(id);
            }
        }
    }
}
