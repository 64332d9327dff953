//! How driver calls are made: in which mode (T8), with which locks (T4, T5), and when at all (T10).

use ringfence::{backend::streams::CaptureMode, id::RawStream};

use super::{Broken, StreamOracle, StreamRule, stream::Stream};
use crate::streams::seen::{Call, Caller, Circumstance, ThreadId};

/// A thread's capture mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Thread {
    /// The mode that its user gave it.
    user: CaptureMode,
    /// The mode that it has.
    now: CaptureMode,
}

impl StreamOracle {
    /// A call shows its thread's mode; whether the library left it in another than the user's.
    pub(super) fn meet(&mut self, at: &Circumstance) -> Broken {
        let first = Thread { user: at.mode, now: at.mode };
        let thread = self.threads.entry(at.thread).or_insert(first);
        if thread.now != at.mode {
            // Changed past the driver calls that were seen: the user's affair.
            *thread = first;
        }
        if at.caller == Caller::User && thread.now != thread.user {
            let (user, now) = (thread.user, thread.now);
            thread.user = now;
            let what = format!(
                "{} runs the user's code in mode {now:?}, not in its own, {user:?}",
                at.thread
            );
            return Some((StreamRule::T8, what));
        }
        None
    }
    /// A thread's mode was set.
    pub(super) fn mode_set(&mut self, at: &Circumstance, to: CaptureMode) {
        if let Some(thread) = self.threads.get_mut(&at.thread) {
            thread.now = to;
            if at.caller == Caller::User {
                thread.user = to;
            }
        }
    }
    /// Whether a thread is left in a mode that is not its own: `of`, or any.
    pub(super) fn judge_modes(&mut self, of: Option<ThreadId>, when: &str) -> Broken {
        let left = |(name, thread): &(&ThreadId, &mut Thread)| {
            of.is_none_or(|of| of == **name) && thread.now != thread.user
        };
        let (name, thread) = self.threads.iter_mut().find(left)?;
        let (user, now) = (thread.user, thread.now);
        thread.user = now;
        let what = format!("{name} is in mode {now:?} when {when}, and was in {user:?}");
        Some((StreamRule::T8, what))
    }

    /// Whether the library may call the driver here at all.
    pub(super) fn judge_moment(&self, at: &Circumstance, call: &Call) -> Broken {
        if matches!(call, Call::State(_) | Call::Observe { .. }) {
            return None;
        }
        let act = describe(call);
        if let Some(over) = self.epilogue.ended() {
            return Some((StreamRule::T10, format!("{act} after {over}")));
        }
        let in_drop = !matches!(call, Call::ExchangeMode { .. } | Call::EndCapture { .. })
            && self.is_dropping(at.thread);
        in_drop.then(|| (StreamRule::T10, format!("a destructor calls the driver: {act}")))
    }
    /// Whether the locks are right.
    pub(super) fn judge_locks(&self, at: &Circumstance, call: &Call) -> Broken {
        let on: RawStream = match call {
            Call::Create { .. } | Call::Destroy { .. } => {
                let what = || format!("{} with {} locks held", describe(call), at.locks);
                return (at.locks > 0).then(|| (StreamRule::T4, what()));
            }
            Call::SynchronizeEvent { event, .. } => return self.judge_host_wait(at, Some(*event)),
            Call::WaitProgress { .. } => return self.judge_host_wait(at, None),
            Call::Record { stream, .. }
            | Call::Free { stream, .. }
            | Call::BeginCapture { stream, .. }
            | Call::EndCapture { stream, .. }
            | Call::Mark { stream, .. } => *stream,
            Call::Wait { stream, event, .. } if self.speaks_of_pooled(*event) => {
                return self.judge_hold(at, call, *stream);
            }
            _ => return None,
        };
        let pooled = self.stream(on).is_some_and(Stream::is_pooled);
        if pooled { self.judge_hold(at, call, on) } else { None }
    }
    fn judge_hold(&self, at: &Circumstance, call: &Call, on: RawStream) -> Broken {
        let why = match at.stream_locks {
            0 => "without a stream's lock".to_owned(),
            1 if at.locks > 1 => "with another lock held beside the stream's".to_owned(),
            1 => return None,
            more => format!("with the locks of {more} streams held"),
        };
        let name = self.stream(on).map_or_else(|| on.to_string(), Stream::name);
        Some((StreamRule::T5, format!("{} on {name} {why}", describe(call))))
    }
    /// Whether a call leaves captures alone.
    pub(super) fn judge_guard(&self, at: &Circumstance, call: &Call) -> Broken {
        match call {
            Call::Query { .. }
            | Call::QueryEvent { .. }
            | Call::SynchronizeEvent { .. }
            | Call::Free { .. }
            | Call::Destroy { .. }
            | Call::Allocate { .. } => {}
            _ => return None,
        }
        if at.mode != CaptureMode::Relaxed {
            let what = format!("{} in mode {:?}", describe(call), at.mode);
            return Some((StreamRule::T8, what));
        }
        let Call::Query { stream, .. } = call else { return None };
        let looked = self.stream(*stream).is_some_and(|stream| stream.looked.contains(&at.thread));
        (!looked).then(|| {
            let name = self.stream(*stream).map_or_else(|| stream.to_string(), Stream::name);
            (
                StreamRule::T8,
                format!("a query of {name}, whose capture status was not seen to be none"),
            )
        })
    }
}

/// What a report calls a driver call.
pub(super) const fn describe(call: &Call) -> &'static str {
    match call {
        Call::State(_) => "a look at the driver's state",
        Call::Create { .. } => "a creation of a stream",
        Call::Destroy { .. } => "a destruction of a stream",
        Call::Status { .. } => "a look at the capture status",
        Call::Query { .. } => "a query of a stream",
        Call::ExchangeMode { .. } => "an exchange of the capture mode",
        Call::CreateEvent { .. } => "a creation of an event",
        Call::DestroyEvent { .. } => "a destruction of an event",
        Call::Record { .. } => "a record of an event",
        Call::Wait { .. } => "a device-side wait",
        Call::QueryEvent { .. } => "a query of an event",
        Call::SynchronizeEvent { .. } => "a host wait for an event",
        Call::BeginCapture { .. } => "a begin of a capture",
        Call::EndCapture { .. } => "an end of a capture",
        Call::LaunchGraph { .. } => "a launch of a graph",
        Call::DestroyGraph { .. } => "a destruction of a graph",
        Call::Allocate { .. } => "an allocation",
        Call::Free { .. } => "a free",
        Call::OpenProgress { .. } => "an opening of a progress word",
        Call::CloseProgress { .. } => "a closing of a progress word",
        Call::Mark { .. } => "a mark of a position",
        Call::Observe { .. } => "a load of a progress word",
        Call::WaitProgress { .. } => "a host wait for a position",
        Call::Launch { .. } => "a launch",
    }
}
