//! Questions that captures may forbid: is a stream idle, wait for it, wait for the device (M5-M7).

use ringfence::{
    backend::streams::{CaptureMode, StreamState, StreamWait},
    error::DriverError,
    id::RawStream,
};

use super::{
    Asked, Model, code,
    device::Waited,
    pace::Awaited,
    parts::Phase,
    streams::{NULL, Use},
};
use crate::streams::{
    counts::CallKind,
    profile::{CapturingQuery, Consequence, DeviceSyncRule, SyncCopyRule, ThreadGuard},
    seen::ThreadId,
};

/// What captures say to a call.
pub(super) enum Verdict {
    Allowed,
    /// Refused, and these streams' captures were broken by it.
    Refused(Vec<RawStream>),
}

impl Model {
    /// Whether the work of a stream is finished (M5).
    pub fn query(&mut self, by: ThreadId, raw: RawStream) -> Asked<StreamState> {
        let asked = self.ask(by, CallKind::Query, raw);
        let Asked { answer: Ok(()), invalidated } = asked else {
            return Asked {
                answer: asked.answer.err().map_or(StreamState::Unknown, code::state_of),
                invalidated: asked.invalidated,
            };
        };
        self.look(Awaited::Stream(raw));
        let answer = match self.idle(raw) {
            true => {
                self.succeeds(by);
                StreamState::Idle
            }
            false => {
                let more = self.costs.look_pending.saturating_sub(self.costs.look);
                self.pay(by, more);
                self.not_ready(by);
                StreamState::Pending
            }
        };
        Asked { answer, invalidated }
    }
    /// The host waits for a stream, without a limit (M5). Work that never ends is a crash.
    pub fn synchronize(&mut self, by: ThreadId, raw: RawStream) -> Asked<StreamWait> {
        let asked = self.ask(by, CallKind::Synchronize, raw);
        let answer = match asked.answer {
            Err(DriverError::CaptureConflict(_)) => StreamWait::Unknown,
            Err(error) => StreamWait::Failed(error),
            Ok(()) => self.wait_for_ever("a stream", by, Awaited::Stream(raw)),
        };
        Asked { answer, invalidated: asked.invalidated }
    }
    fn wait_for_ever(&mut self, what: &str, by: ThreadId, awaited: Awaited) -> StreamWait {
        if self.wait_until(None, awaited) == Waited::Done {
            self.succeeds(by);
            return StreamWait::Finished;
        }
        self.crash(format!("the wait for {what} never returns"));
        StreamWait::Failed(code::NOT_READY)
    }
    /// Whether captures, or the stream itself, refuse a question about it.
    fn ask(
        &mut self,
        by: ThreadId,
        kind: CallKind,
        raw: RawStream,
    ) -> Asked<Result<(), DriverError>> {
        if let Err(error) = self.enter(by, kind) {
            return Asked::plain(Err(error));
        }
        if raw == NULL {
            return Asked::plain(Ok(()));
        }
        let own = match self.working(raw, Use::Ask) {
            Ok(stream) => stream.own_mode,
            Err(error) => return Asked::plain(Err(self.fails(by, error))),
        };
        let verdict = match self.captures_refuse(raw) {
            Verdict::Allowed => {
                let (guard, consequence) = (self.rules.query, self.rules.query_consequence);
                self.guard(by, own, guard, consequence)
            }
            refused => refused,
        };
        match verdict {
            Verdict::Allowed => Asked::plain(Ok(())),
            Verdict::Refused(invalidated) => {
                Asked { answer: Err(self.fails(by, code::UNSUPPORTED)), invalidated }
            }
        }
    }
    /// What the stream's own capture says to a question about it.
    fn captures_refuse(&mut self, raw: RawStream) -> Verdict {
        let stream = &self.streams[&raw];
        let Some(id) = stream.capture else { return Verdict::Allowed };
        let capture = &self.captures[&id];
        let origin = capture.place_of(stream.serial) == Some(0);
        match self.rules.capturing_query {
            CapturingQuery::Answered => Verdict::Allowed,
            CapturingQuery::Refused if origin => Verdict::Refused(Vec::new()),
            // HIP 5.7 judges a stream that joined by the mode alone.
            CapturingQuery::Refused => Verdict::Allowed,
            CapturingQuery::Invalidates => Verdict::Refused(self.invalidate(&[id])),
        }
    }
    /// What all captures together say to a thread, about a stream whose last capture was in `own`.
    pub(super) fn guard(
        &mut self,
        by: ThreadId,
        own: CaptureMode,
        guard: ThreadGuard,
        consequence: Consequence,
    ) -> Verdict {
        let mode = self.mode(by);
        let global = match guard {
            ThreadGuard::Nothing => return Verdict::Allowed,
            ThreadGuard::ByStream if own != CaptureMode::Global => return Verdict::Allowed,
            ThreadGuard::ByStream => true,
            _ if mode == CaptureMode::Relaxed => return Verdict::Allowed,
            ThreadGuard::ByMode => mode == CaptureMode::Global,
            ThreadGuard::AllButRelaxed => true,
        };
        let guilty = match global && !self.global.is_empty() {
            true => self.global.clone(),
            false => self.thread(by).own.clone(),
        };
        if guilty.is_empty() {
            return Verdict::Allowed;
        }
        Verdict::Refused(match consequence {
            Consequence::Refused => Vec::new(),
            Consequence::Invalidates => self.invalidate(&guilty),
        })
    }
    /// The host waits for all devices (M7).
    pub fn device_sync(&mut self, by: ThreadId) -> Asked<StreamWait> {
        if let Err(error) = self.enter(by, CallKind::DeviceSync) {
            return Asked::plain(StreamWait::Failed(error));
        }
        if self.rules.device_sync == DeviceSyncRule::Invalidates && !self.open.is_empty() {
            let open = self.open.clone();
            self.fails(by, code::UNSUPPORTED);
            return Asked { answer: StreamWait::Unknown, invalidated: self.invalidate(&open) };
        }
        let begin = self.now;
        let answer = self.wait_for_ever("the device", by, Awaited::Device);
        self.lock_out(begin);
        Asked::plain(answer)
    }
    /// A synchronous copy: it waits for the device, where captures let it (M7).
    ///
    /// # Errors
    /// 906 while somebody captures.
    pub fn copy_now(&mut self, by: ThreadId) -> Asked<Result<(), DriverError>> {
        if let Err(error) = self.enter(by, CallKind::CopyNow) {
            return Asked::plain(Err(error));
        }
        let invalidated = match self.rules.sync_copy {
            SyncCopyRule::GlobalRefused if self.global.is_empty() => None,
            SyncCopyRule::GlobalRefused => Some(Vec::new()),
            SyncCopyRule::BlockingInvalidates => {
                let mut blocking: Vec<_> =
                    self.blocking_captures().map(|(_, capture)| capture).collect();
                blocking.sort_unstable();
                blocking.dedup();
                (!blocking.is_empty()).then(|| self.invalidate(&blocking))
            }
            SyncCopyRule::Invalidates if self.open.is_empty() => None,
            SyncCopyRule::Invalidates => {
                let open = self.open.clone();
                Some(self.invalidate(&open))
            }
        };
        if let Some(invalidated) = invalidated {
            return Asked { answer: Err(self.fails(by, code::IMPLICIT)), invalidated };
        }
        let answer = match self.wait_for_ever("the device", by, Awaited::Device) {
            StreamWait::Failed(error) => Err(error),
            _ => Ok(()),
        };
        Asked::plain(answer)
    }
    /// Whether this capture still records: a look for events.
    pub(super) fn recording_still(&self, id: super::CaptureId) -> bool {
        self.captures.get(&id).is_some_and(|capture| {
            matches!(capture.phase, Phase::Open | Phase::Unjoined | Phase::Wrecked)
        })
    }
}
