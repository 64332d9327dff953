//! Driver calls: each is judged by the rules in order, then taken into the account.

use ringfence::{
    backend::streams::{CaptureStatus, DriverState, StreamState},
    error::DriverError,
    id::RawStream,
};

use super::{
    Broken, StreamOracle, StreamRule,
    conduct::describe,
    host::Ended,
    stream::{Capturing, Gone, Health, Life, Origin, Purpose, Stream},
};
use crate::streams::seen::{Call, Caller, Circumstance, DeviceMove};

impl StreamOracle {
    /// A driver call. The first rule that it breaks is reported, and it counts as made.
    pub(super) fn call(&mut self, at: &Circumstance, call: &Call) -> Broken {
        self.notice_others(at.thread);
        let met = self.meet(at);
        let judged = match at.caller {
            Caller::Library => self.judge(at, call),
            Caller::User => None,
        };
        let applied = self.apply(at, call);
        met.or(judged).or(applied)
    }
    fn judge(&self, at: &Circumstance, call: &Call) -> Broken {
        self.judge_moment(at, call)
            .or_else(|| self.judge_mark(call))
            .or_else(|| self.judge_locks(at, call))
            .or_else(|| self.judge_age(at, call))
            .or_else(|| self.judge_guard(at, call))
            .or_else(|| self.judge_act(call))
    }
    /// Whether a position is marked that never means what it says.
    fn judge_mark(&self, call: &Call) -> Broken {
        let Call::Mark { stream, captured: true, .. } = call else { return None };
        let name = self.stream(*stream).map_or_else(|| stream.to_string(), Stream::name);
        Some((StreamRule::T13, format!("a position is marked on {name}, which captures")))
    }
    /// Whether a call concerns a tenancy that is over.
    fn judge_age(&self, at: &Circumstance, call: &Call) -> Broken {
        let act = describe(call);
        match call {
            Call::QueryEvent { event, .. }
            | Call::SynchronizeEvent { event, .. }
            | Call::Wait { event, .. } => self
                .judge_event(*event, act)
                .or_else(|| self.judge_stale_wait(at, self.life_of_event(*event), act)),
            Call::Record { stream, .. } => {
                self.judge_stale_wait(at, self.stream(*stream).map(|stream| stream.life), act)
            }
            Call::WaitProgress { word, position, .. } => self
                .judge_position(*word, *position)
                .or_else(|| self.judge_stale_wait(at, self.life_of_word(*word), act)),
            _ => None,
        }
    }
    fn judge_act(&self, call: &Call) -> Broken {
        match call {
            Call::Destroy { stream, .. } => self.judge_destroy(*stream),
            Call::Free { memory, stream, op, recorded, outcome: Ok(()) } => {
                self.judge_free(*memory, *stream, *op, *recorded)
            }
            _ => None,
        }
    }
    fn judge_destroy(&self, raw: RawStream) -> Broken {
        let behind = |stream: &Stream| {
            stream.raw == raw && matches!(stream.gone, Gone::ByUser | Gone::Reset)
        };
        let Some(stream) = self.stream(raw).filter(|stream| stream.origin == Origin::Library)
        else {
            // The library cannot tell that its user, or a reset, took the stream; once it closed the
            // stream for that, it must not touch the handle's next stream.
            let unaware = self.streams.values().any(behind);
            let harmless = self.stream(raw).is_none() && self.taken.contains(&raw);
            let what = || format!("the library destroys {raw}, which is no stream of its own");
            return (!unaware && !harmless).then(|| (StreamRule::T12, what()));
        };
        let name = stream.name();
        if stream.gone != Gone::No {
            return None;
        }
        if stream.purpose == Purpose::Forgotten {
            let what = format!("{name} is destroyed, and its lease was forgotten");
            return Some((StreamRule::T11, what));
        }
        if let Some(op) = self.working(stream) {
            let what = format!("{name} is destroyed while {op} is unfinished");
            return Some((StreamRule::T10, what));
        }
        if self.just_finished.contains(&stream.life) {
            let what = format!("{name} is destroyed before its work is finished: the call waits");
            return Some((StreamRule::T10, what));
        }
        // A stream that a capture which is over left capturing has no other end than this.
        if matches!(stream.capturing, Capturing::Active(_)) {
            let what = format!("{name} is destroyed while it {}", stream.capturing.describe());
            return Some((StreamRule::T10, what));
        }
        if let Some(lease) = stream.leases.first() {
            return Some((StreamRule::T10, format!("{name} is destroyed while {lease} has it")));
        }
        self.judge_retirement(stream.life)
    }

    fn apply(&mut self, at: &Circumstance, call: &Call) -> Broken {
        match call {
            Call::State(DriverState::Lost) => self.epilogue.lose(self.step),
            Call::Create { key, outcome: Ok(raw) } => {
                let origin = match at.caller {
                    Caller::Library => Origin::Library,
                    Caller::User => Origin::Elsewhere,
                };
                let life = self.begin_life(*raw, origin, Some(*key));
                self.created_in(at.thread, *key, life);
            }
            // What the library tried to destroy it has no more business with; a user who was refused still has the stream.
            Call::Destroy { stream, outcome }
                if at.caller == Caller::Library || outcome.is_ok() =>
            {
                self.destroyed(at.caller, *stream);
            }
            Call::Status { stream, outcome } => {
                self.status(*stream, *outcome);
                self.looked(*stream, at.thread, *outcome);
            }
            Call::Query { stream, outcome, invalidated } => {
                self.queried(at.caller, *stream, *outcome);
                return self.invalidated(at.caller, invalidated);
            }
            Call::QueryEvent { invalidated, .. } | Call::SynchronizeEvent { invalidated, .. } => {
                return self.invalidated(at.caller, invalidated);
            }
            Call::ExchangeMode { to } => self.mode_set(at, *to),
            Call::DestroyEvent { event } => {
                self.events.remove(event);
            }
            Call::Record { event, stream, captured, outcome } => match outcome {
                Ok(()) => self.event_recorded(*event, *stream, *captured),
                Err(error) => self.ails(*stream, *error, Health::Doubtful),
            },
            Call::Wait { stream, event, after, outcome } => match outcome {
                Ok(()) => self.event_awaited(*stream, *event, after),
                Err(error) => self.ails(*stream, *error, Health::Doubtful),
            },
            Call::BeginCapture { stream, outcome, .. } => match outcome {
                Ok(()) => self.capture_began(*stream, at.thread),
                Err(error) => self.ails(*stream, *error, Health::Doubtful),
            },
            Call::EndCapture { stream, outcome, ops } => {
                self.capture_ended(*stream, *outcome, ops);
            }
            Call::LaunchGraph { stream, op, touches, outcome, .. } => {
                self.uncounted(*stream);
                if let Err(error) = outcome {
                    self.ails(*stream, *error, Health::Doubtful);
                }
                return self.launched(at.caller, *stream, *op, touches);
            }
            Call::Allocate { stream, outcome: Ok(memory), .. } => self.allocated(*memory, *stream),
            Call::Free { memory, stream, op, recorded, outcome: Ok(()) } => {
                if *recorded {
                    self.free_recorded(*stream, *op);
                }
                self.freed(*memory, *stream, op.filter(|_| !recorded));
            }
            Call::OpenProgress { stream, outcome: Some(word) } => self.word_opened(*word, *stream),
            Call::CloseProgress { word } => self.word_closed(*word),
            Call::Mark { stream, word, position, op, captured, outcome } => match outcome {
                Ok(()) => {
                    self.position_marked(*stream, *word, *position, op.filter(|_| !captured));
                }
                Err(error) => self.ails(*stream, *error, Health::Doubtful),
            },
            Call::Observe { word, outcome } => return self.observed(*word, *outcome),
            Call::Launch { stream, op, touches, recorded, outcome } => {
                if at.caller == Caller::User {
                    self.uncounted(*stream);
                }
                if let Err(error) = outcome {
                    self.ails(*stream, *error, Health::Bad);
                }
                if *recorded {
                    self.recorded(*stream, *op, at.thread);
                } else {
                    return self.launched(at.caller, *stream, *op, touches);
                }
            }
            _ => {}
        }
        None
    }
    /// A call on a stream failed. `bad`: what an error of the object says of the stream itself.
    fn ails(&mut self, raw: RawStream, error: DriverError, bad: Health) {
        let health = match error {
            DriverError::CaptureConflict(_) => return,
            DriverError::DeviceLost(_) => return self.epilogue.lose(self.step),
            DriverError::Bad(_) => bad,
            _ => Health::Doubtful,
        };
        if let Some(stream) = self.stream_mut(raw) {
            stream.ail(health);
        }
    }
    fn uncounted(&mut self, raw: RawStream) {
        if let Some(stream) = self.stream_mut(raw) {
            stream.conduct.uncounted = true;
        }
    }
    fn queried(&mut self, caller: Caller, raw: RawStream, outcome: StreamState) {
        if caller == Caller::User {
            return;
        }
        let step = self.step;
        let Some(stream) = self.stream_mut(raw) else { return };
        stream.said_unknown = outcome == StreamState::Unknown;
        if outcome == StreamState::Idle {
            stream.said_idle = step;
            // A launch that failed may be its work's own fault: asked since, the driver has nothing against it.
            stream.health = stream.health.min(Health::Doubtful);
        } else {
            stream.said_other = step;
        }
        if let StreamState::Failed(error) = outcome {
            self.ails(raw, error, Health::Bad);
            // A query has no other object: whatever the number, the stream does not work.
            if let Some(stream) = self.stream_mut(raw) {
                stream.ail(Health::Bad);
            }
        }
    }
    fn destroyed(&mut self, caller: Caller, raw: RawStream) {
        let Some(life) = self.by_raw.remove(&raw) else { return };
        self.capture_dropped(life);
        let Some(stream) = self.streams.get_mut(&life) else { return };
        match caller {
            Caller::Library => {
                stream.gone = Gone::Destroyed;
                let identity = stream.identity;
                if let Some(now) = identity.and_then(|id| self.identities.get_mut(&id)) {
                    now.closed = true;
                }
            }
            Caller::User => {
                stream.gone = Gone::ByUser;
                self.taken.insert(raw);
            }
        }
        self.settle(life);
        self.bury(life);
    }
    /// The device moved by itself.
    pub(super) fn device(&mut self, moved: &DeviceMove) {
        match moved {
            DeviceMove::Started(_) => {}
            DeviceMove::Finished(op) => self.finished(*op),
            DeviceMove::Lost => self.epilogue.lose(self.step),
            DeviceMove::Forked => self.epilogue.end(self.step, Ended::Forked),
            DeviceMove::Exiting => self.epilogue.end(self.step, Ended::Exiting),
        }
    }
    /// All streams of a device went at once: with their work, and with the memory that they used.
    pub(super) fn reset(&mut self, device: ringfence::id::DeviceId) {
        let of_device = |stream: &&mut Stream| {
            stream.gone == Gone::No && stream.key.is_some_and(|key| key.place.device == device)
        };
        let mut lives: Vec<Life> = Vec::new();
        for stream in self.streams.values_mut().filter(of_device) {
            stream.gone = Gone::Reset;
            lives.push(stream.life);
        }
        for life in lives {
            self.capture_dropped(life);
            let Some(stream) = self.streams.get(&life) else { continue };
            let (raw, unfinished) = (stream.raw, stream.unfinished.clone());
            if self.by_raw.get(&raw) == Some(&life) {
                self.by_raw.remove(&raw);
            }
            self.taken.insert(raw);
            self.went_with(life);
            for op in unfinished {
                self.finished(op);
            }
            self.settle(life);
            self.bury(life);
        }
    }
    /// What the runner knows of a stream without asking the driver.
    pub(super) fn capture_left(&mut self, raw: RawStream, status: CaptureStatus) {
        self.status(raw, status);
    }
}
