//! The operation language: one value a step. Scenario files are its text; random tests make the
//! same values.

use ringfence::{event::EventKind, id::Barrier};

use super::{By, CopyParts, ErrorKind, Expect, Graph, MachineFault, Name, Steady, Submit, Timing};
use crate::{chooser::Look, oracle::Rule};

/// One step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What happens.
    pub action: Action,
    /// The error that it must end in. `None`: it must succeed.
    pub fails: Option<ErrorKind>,
    /// The rule that is broken when it goes otherwise.
    pub rule: Option<Rule>,
    /// Whose step it is: those of different tasks that stand together may be taken in any order by a
    /// search. `None`: after all before it, and before all behind it.
    pub task: Option<Name>,
    /// The device does it in the middle of the next step of the host, at this look, and not now.
    pub at: Option<Look>,
}
impl From<Action> for Step {
    fn from(action: Action) -> Self {
        Self { action, fails: None, rule: None, task: None, at: None }
    }
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
    /// The callback thread calls one handler that is due, and no other.
    DeliverOne {
        /// Its place, from 1, in the order in which they were set.
        nth: u32,
    },
    /// The tracker takes so many steps of a search for finished uses: a later one, or `Reclaim`, goes on.
    Search {
        /// The stream.
        on: Name,
        /// How many.
        steps: u32,
    },
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
