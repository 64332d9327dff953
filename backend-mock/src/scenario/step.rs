//! The operation language: one value a step. Scenario files are its text; random tests make the
//! same values.

use ringfence::{
    error::{Error, Failure},
    event::EventKind,
    id::{Barrier, CacheScope},
    placement::Role,
};

use super::{Expect, Name, word::words};
use crate::oracle::Rule;

/// One step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What happens.
    pub action: Action,
    /// The error that it must end in. `None`: it must succeed.
    pub fails: Option<ErrorKind>,
    /// The rule that is broken when it goes otherwise.
    pub rule: Option<Rule>,
}
impl From<Action> for Step {
    fn from(action: Action) -> Self {
        Self { action, fails: None, rule: None }
    }
}

words! {
    /// What a packet does.
    pub Kind, "a kind of packet" {
        /// Runs work.
        Kernel = "kernel",
        /// BARRIER_AND without dependencies: a marker.
        Marker = "marker",
    }
    /// Which packet waits for events.
    pub By, "a way to wait" {
        /// BARRIER_AND: for all of them.
        And = "and",
        /// BARRIER_OR: for one of them.
        Or = "or",
        /// The vendor's barrier-value packet, one for each.
        Value = "value",
    }
    /// Whether a packet completes a signal.
    pub Signal, "a signal" {
        /// It does: it is a use.
        Yes = "yes",
        /// It does not: only a later fence proves it.
        No = "no",
    }
    /// Whether the host wants to know when a use ran.
    pub Timing, "a timing" {
        /// It does.
        Wanted = "wanted",
        /// It does not.
        NotWanted = "not_wanted",
    }
    /// What the device writes for start and end.
    pub Stamps, "a fault of timestamps" {
        /// Honest ones.
        Honest = "honest",
        /// Both 0.
        Zero = "zero",
        /// Start after end.
        Reversed = "reversed",
        /// A start of 0 alone.
        NoStart = "no_start",
        /// An end of 0, until the device's next move.
        Late = "late",
    }
    /// An error of the library, without its particulars.
    pub ErrorKind, "an error" {
        /// A value fell below 0.
        OverDecrement = "over_decrement",
        /// No signal is left.
        Exhausted = "exhausted",
        /// A signal could not be created.
        Create = "create",
        /// The device is gone.
        DeviceLost = "device_lost",
        /// A wait ran into its limit.
        TimedOut = "timed_out",
        /// A submission failed half way.
        PartFailed = "part_failed",
        /// A timeout stored 0.
        Forced = "forced",
        /// A queue of another device would wait for a device cell.
        PeerCell = "peer_cell",
        /// An IPC event's one cell is in flight.
        IpcPending = "ipc_pending",
        /// The backend refused a handler.
        Handler = "handler",
        /// A staging request larger than a chunk.
        StagingTooLarge = "staging_too_large",
    }
    /// Whether the counted part of a scenario begins or ends here.
    pub Steady, "a mark" {
        /// From here on no signal may be created.
        Begin = "begin",
        /// Creation is allowed again.
        End = "end",
    }
}
impl ErrorKind {
    /// What kind of error `error` is; `None` for one that this format does not know yet.
    pub fn of(error: &Error) -> Option<Self> {
        Some(match error {
            Error::OverDecrement { .. } => Self::OverDecrement,
            Error::Exhausted { .. } => Self::Exhausted,
            Error::Create { .. } => Self::Create,
            Error::DeviceLost { .. } => Self::DeviceLost,
            Error::TimedOut { .. } => Self::TimedOut,
            Error::PartFailed { .. } => Self::PartFailed,
            Error::Failed { cause: Failure::Forced, .. } => Self::Forced,
            Error::Failed { cause: Failure::DeviceLost, .. } => Self::DeviceLost,
            Error::Failed { cause: Failure::PartFailed, .. } => Self::PartFailed,
            Error::Failed { cause: Failure::OverDecremented, .. } => Self::OverDecrement,
            Error::PeerCell { .. } => Self::PeerCell,
            Error::IpcPending { .. } => Self::IpcPending,
            Error::Handler { .. } => Self::Handler,
            Error::StagingTooLarge { .. } => Self::StagingTooLarge,
            _ => return None,
        })
    }
}

/// One packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Submit {
    /// What the use is called from here on.
    pub name: Name,
    /// The stream.
    pub on: Name,
    /// What the packet does.
    pub kind: Kind,
    /// Its barrier bit.
    pub barrier: Barrier,
    /// Whether it completes a signal.
    pub signal: Signal,
    /// What its signal is for; the tracker's default when `None`.
    pub role: Option<Role>,
    /// Whether its interval is wanted.
    pub timing: Timing,
    /// How long it runs, in ticks of the device.
    pub ticks: u32,
    /// The scope that it releases to; the submission's default when `None`.
    pub release: Option<CacheScope>,
    /// The event that records it.
    pub event: Option<Name>,
}
impl Submit {
    /// Ticks that a packet runs when nothing else is said.
    pub const TICKS: u32 = 10;
    /// A kernel with the barrier bit.
    pub fn new(name: impl Into<Name>, on: impl Into<Name>) -> Self {
        Self {
            name: name.into(),
            on: on.into(),
            kind: Kind::Kernel,
            barrier: Barrier::Set,
            signal: Signal::Yes,
            role: None,
            timing: Timing::NotWanted,
            ticks: Self::TICKS,
            release: None,
            event: None,
        }
    }
}

/// Packets that are reserved at once, as a graph launch does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    /// The uses, by position in the reservation.
    pub signals: Vec<(u32, Name)>,
    /// The stream.
    pub on: Name,
    /// How many packets.
    pub packets: u32,
    /// The barrier bit of each.
    pub barrier: Barrier,
    /// Whether intervals are wanted.
    pub timing: Timing,
}

/// A copy of several parts on another engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CopyParts {
    /// What the use is called from here on.
    pub name: Name,
    /// The stream whose tracker has it.
    pub on: Name,
    /// The engine.
    pub engine: Name,
    /// How many parts.
    pub parts: u32,
    /// Events that each part waits for.
    pub waits: Vec<Name>,
    /// Whether its interval is wanted.
    pub timing: Timing,
    /// The event that records it.
    pub event: Option<Name>,
}

/// A fault of the machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MachineFault {
    /// The `at`-th signal that is created from here on is not: 1 is the next.
    Creation {
        /// Which one.
        at: u32,
    },
    /// The `at`-th creation from here on reports success and returns the null handle.
    NullHandle {
        /// Which one.
        at: u32,
    },
    /// The `at`-th part, from 0, of the next copy is refused.
    Part {
        /// Which one.
        at: u32,
    },
    /// The `at`-th signal that is created from here on, and those with it, land in host memory.
    FallBack {
        /// Which one.
        at: u32,
    },
    /// The next interrupt is lost.
    Interrupt,
    /// The device decrements this use's signal once more.
    LateDecrement {
        /// The use.
        of: Name,
    },
    /// The next completions write such timestamps.
    Timestamps {
        /// Which ones.
        stamps: Stamps,
        /// How many completions.
        times: u32,
    },
    /// The device is lost.
    Device {
        /// The device.
        device: Name,
    },
}

/// How far the device runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Run {
    /// Until nothing more can happen.
    Idle,
    /// So many moves, or until nothing more can happen.
    Moves(u32),
}

/// What happens in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// A packet is published.
    Submit(Submit),
    /// Packets are published in one reservation.
    Graph(Graph),
    /// A copy is submitted.
    Copy(CopyParts),
    /// An event is recorded, which may take a marker packet.
    Record {
        /// The event.
        event: Name,
        /// The stream.
        on: Name,
        /// What it is for.
        kind: EventKind,
        /// Whether its interval is wanted.
        timing: Timing,
    },
    /// Somebody takes a snapshot of an event: what is recorded in it later does not concern them.
    Snapshot {
        /// What the snapshot is called: an event that is never recorded again.
        name: Name,
        /// The event.
        of: Name,
    },
    /// A stream waits for events on the device.
    Wait {
        /// The stream.
        on: Name,
        /// The events.
        events: Vec<Name>,
        /// Which packet waits.
        by: By,
        /// What the last packet that waits is called from here on.
        packet: Option<Name>,
    },
    /// The host asks whether an event or a use is finished, and never blocks.
    Query {
        /// The event, or the use.
        of: Name,
    },
    /// The host waits for an event.
    SyncEvent {
        /// The event.
        event: Name,
    },
    /// The host waits for all that a stream was given.
    SyncStream {
        /// The stream.
        stream: Name,
    },
    /// The host asks for the time between two events.
    Elapsed {
        /// The first.
        from: Name,
        /// The second.
        to: Name,
    },
    /// The event's owner lets go of it.
    Destroy {
        /// The event.
        event: Name,
    },
    /// The tracker retires what it can, with at most one load a lane.
    Reclaim {
        /// The stream.
        on: Name,
    },
    /// The tracker loads one use.
    Probe {
        /// The stream.
        on: Name,
    },
    /// The host waits until nothing of the stream is in flight.
    Drain {
        /// The stream.
        on: Name,
    },
    /// The stream moves to another hardware queue.
    Switch {
        /// The stream.
        on: Name,
        /// The queue.
        to: Name,
    },
    /// A new stream opens on a hardware queue that others may use.
    Share {
        /// The new stream.
        stream: Name,
        /// The queue.
        on: Name,
    },
    /// A stream's tracker is closed.
    Close {
        /// The stream.
        stream: Name,
    },
    /// A handler is set on an event.
    Handler {
        /// The event.
        event: Name,
    },
    /// The backend's callback thread reports what completed.
    Deliver,
    /// A timeout stores 0.
    Force {
        /// The event.
        event: Name,
    },
    /// The device starts a packet.
    Start {
        /// Its use.
        of: Name,
    },
    /// The device completes packets, or parts of a copy.
    Finish {
        /// Their uses.
        of: Vec<Name>,
        /// How many parts of each; all when `None`.
        parts: Option<u32>,
    },
    /// The read index is seen at this value from here on, until it is set again.
    ReadIndex {
        /// The value.
        index: u64,
        /// The queue.
        of: Name,
    },
    /// The device runs.
    Run(Run),
    /// Somebody else publishes packets on a queue.
    Foreign {
        /// The queue.
        queue: Name,
        /// How many.
        packets: u32,
        /// Their barrier bit.
        barrier: Barrier,
    },
    /// A queue's index space restarts.
    Restart {
        /// The queue.
        queue: Name,
    },
    /// A profiler attaches to a device.
    Profiler {
        /// The device.
        device: Name,
    },
    /// Something breaks.
    Fail(MachineFault),
    /// From here on nothing may be created, or again may.
    Steady(Steady),
    /// Counters are 0 here.
    CountFrom,
    /// Steps that happen several times.
    Repeat {
        /// How many times.
        times: u32,
        /// The steps.
        steps: Vec<Step>,
    },
    /// What must be true here.
    Expect(Expect),
}
