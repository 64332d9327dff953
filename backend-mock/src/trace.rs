//! What happened, one line each: host calls and device moves.

use std::{collections::VecDeque, fmt};

use ringfence::{
    backend::{Body, Engine, HandlerToken, PartIndex, SignalMemory, WaitOutcome},
    id::{Barrier, DeviceId, LaneId, PacketId, SignalHandle, SignalValue, UseId},
    timing::RawInterval,
};

use crate::{
    model::{Effect, Move},
    oracle::{Declaration, StepNumber},
};

/// What a packet does, without its particulars.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PacketKind {
    /// A kernel.
    Kernel,
    /// BARRIER_AND with this first dependency, or null.
    And(SignalHandle),
    /// BARRIER_OR with this first dependency, or null.
    Or(SignalHandle),
    /// Barrier-value.
    Value(SignalHandle),
}
impl PacketKind {
    pub(crate) fn of<W>(body: &Body<W>) -> Self {
        let first =
            |deps: &ringfence::backend::Deps| deps.iter().next().unwrap_or(SignalHandle::NULL);
        match body {
            Body::Kernel(_) => Self::Kernel,
            Body::And(deps) => Self::And(first(deps)),
            Body::Or(deps) => Self::Or(first(deps)),
            Body::Value(wait) => Self::Value(wait.signal),
        }
    }
}

/// One call of the host, or one move of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[expect(
    missing_docs,
    reason = "each variant is named after the call, each field after its argument"
)]
pub enum Event {
    Created { signal: SignalHandle, memory: SignalMemory },
    CreationFailed { memory: SignalMemory },
    Destroyed(SignalHandle),
    Loaded(SignalHandle, SignalValue),
    Armed(SignalHandle, SignalValue),
    StoresPublished,
    Flushed(DeviceId),
    Reserved(LaneId, PacketId, u32),
    Committed { of: UseId, kind: PacketKind, barrier: Barrier, completes: SignalHandle },
    Foreign { of: UseId, barrier: Barrier },
    Doorbell(LaneId, PacketId),
    ReadIndex(LaneId, PacketId),
    RingFull(LaneId),
    Submitted { of: UseId, part: PartIndex, completes: SignalHandle },
    PartRefused { of: UseId, part: PartIndex },
    WaitBegins(SignalHandle, SignalValue),
    WaitEnded(SignalHandle, WaitOutcome),
    Forced(SignalHandle),
    Timestamps(SignalHandle, Engine, RawInterval),
    Watched(SignalHandle, HandlerToken),
    CallbackBegins(HandlerToken),
    CallbackEnds(HandlerToken),
    Declared(Declaration),
    Moved(Move, Effect),
    ExtraDecrement(SignalHandle),
    Lost(DeviceId),
    ProfilerAttached(DeviceId),
    Restarted(LaneId),
}
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Created { signal, memory } => write!(f, "create {signal:?} in {memory} memory"),
            Self::CreationFailed { memory } => write!(f, "create in {memory} memory: refused"),
            Self::Destroyed(signal) => write!(f, "destroy {signal:?}"),
            Self::Loaded(signal, value) => write!(f, "load {signal:?} = {value:?}"),
            Self::Armed(signal, value) => write!(f, "arm {signal:?} with {value:?}"),
            Self::StoresPublished => f.write_str("store fence"),
            Self::Flushed(agent) => write!(f, "flush {agent}"),
            Self::Reserved(lane, first, 1) => write!(f, "reserve {lane}{first}"),
            Self::Reserved(lane, first, count) => write!(f, "reserve {count} from {lane}{first}"),
            Self::Committed { of, kind, barrier, completes } => {
                let bit = if barrier == Barrier::Set { " with barrier bit" } else { "" };
                write!(f, "write {of}: {kind:?}{bit}, completes {completes:?}")
            }
            Self::Foreign { of, barrier } => {
                write!(f, "a stranger publishes {of}, barrier bit {barrier:?}")
            }
            Self::Doorbell(lane, last) => write!(f, "doorbell {lane}{last}"),
            Self::ReadIndex(lane, read) => write!(f, "read index of {lane} = {}", read.as_u64()),
            Self::RingFull(lane) => write!(f, "the ring of {lane} is full"),
            Self::Submitted { of, part, completes } => {
                write!(f, "copy {of} part {}, completes {completes:?}", part.as_u32())
            }
            Self::PartRefused { of, part } => {
                write!(f, "copy {of} part {}: refused", part.as_u32())
            }
            Self::WaitBegins(signal, below) => write!(f, "wait for {signal:?} < {below:?}"),
            Self::WaitEnded(signal, outcome) => write!(f, "wait for {signal:?} ends: {outcome:?}"),
            Self::Forced(signal) => write!(f, "force {signal:?} to 0"),
            Self::Timestamps(signal, engine, raw) => {
                write!(f, "timestamps of {signal:?} ({engine:?}): {raw:?}")
            }
            Self::Watched(signal, token) => write!(f, "handler {} on {signal:?}", token.as_u64()),
            Self::CallbackBegins(token) => write!(f, "callback {} begins", token.as_u64()),
            Self::CallbackEnds(token) => write!(f, "callback {} ends", token.as_u64()),
            Self::Declared(statement) => write!(f, "  ({statement:?})"),
            Self::Moved(one, effect) => write_move(f, one, effect),
            Self::ExtraDecrement(signal) => write!(f, "device: a decrement too many of {signal:?}"),
            Self::Lost(agent) => write!(f, "device: {agent} is lost"),
            Self::ProfilerAttached(agent) => write!(f, "a profiler attaches to {agent}"),
            Self::Restarted(lane) => {
                write!(f, "the index space of {} restarts as {lane}", lane.queue())
            }
        }
    }
}
fn write_move(f: &mut fmt::Formatter<'_>, one: Move, effect: Effect) -> fmt::Result {
    f.write_str("device: ")?;
    match one {
        Move::Start(of) => write!(f, "{of} starts"),
        Move::Finish(of) => write!(f, "{of} completes"),
        Move::StartPart(of, part) => write!(f, "copy {of} part {} starts", part.as_u32()),
        Move::FinishPart(of, part) => write!(f, "copy {of} part {} completes", part.as_u32()),
        Move::Read(lane, to) => write!(f, "the read index of {lane} moves to {}", to.as_u64()),
        Move::Land(signal) => write!(f, "a store to {signal:?} lands early"),
    }?;
    match effect {
        Effect::Completed { signal, value } if !signal.is_null() => {
            write!(f, ", {signal:?} = {value:?}")
        }
        _ => Ok(()),
    }
}

/// How much of the trace is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TraceLength {
    /// Everything, for short runs.
    Whole,
    /// The last so many events.
    Last(usize),
    /// Nothing but the step numbers: the fastest.
    Off,
}
impl Default for TraceLength {
    fn default() -> Self {
        Self::Last(4_096)
    }
}

/// The events so far, or the last of them.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    events: VecDeque<Event>,
    keep: usize,
    steps: u64,
}
impl Trace {
    pub(crate) fn new(length: TraceLength) -> Self {
        let keep = match length {
            TraceLength::Whole => usize::MAX,
            TraceLength::Last(count) => count,
            TraceLength::Off => 0,
        };
        Self { events: VecDeque::new(), keep, steps: 0 }
    }
    #[inline]
    pub(crate) fn push(&mut self, event: Event) {
        self.steps += 1;
        if self.keep == 0 {
            return;
        }
        if self.events.len() >= self.keep {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }
    pub(crate) fn step(&self) -> StepNumber {
        StepNumber(self.steps)
    }
    /// The last `count` events, as numbered lines.
    pub(crate) fn last(&self, count: usize) -> Vec<String> {
        let from = self.events.len().saturating_sub(count);
        let first = self.steps - (self.events.len() - from) as u64 + 1;
        let lines = self.events.range(from..).zip(first..);
        lines.map(|(event, step)| format!("{step:>6}  {event}")).collect()
    }
    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }
}
