//! The operation language of streams: one value a step. Scenario files are its text; random tests make the
//! same values.

use ringfence::{backend::streams::CaptureMode, stream::Access};

use super::{
    FailingCall, Leaving, Place, Presence, Refusal, StreamErrorKind, StreamExpect, Through,
};
use crate::{
    clock::Ticks,
    scenario::Name,
    streams::{op::RunTime, oracle::StreamRule},
};

/// One step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StreamStep {
    /// What happens.
    pub action: StreamAction,
    /// The logical thread that does it; `None`: the one of the step around it, or the main one.
    pub thread: Option<Name>,
    /// The error that it must end in. `None`: it must succeed.
    pub fails: Option<StreamErrorKind>,
    /// The rule that is broken when it goes otherwise.
    pub rule: Option<StreamRule>,
}
impl From<StreamAction> for StreamStep {
    fn from(action: StreamAction) -> Self {
        Self { action, thread: None, fails: None, rule: None }
    }
}

/// What a task asks the pool for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Manner {
    /// A stream, created if need be.
    Any,
    /// One that exists.
    Existing,
    /// One that nobody gets after it.
    Reserved,
}

/// A task asks for streams.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Acquire {
    /// What the leases are called.
    pub leases: Vec<Name>,
    /// Above 1: the one name stands for so many leases, one after another.
    pub times: u32,
    /// The task; each lease is a task's of its own when it is not named.
    pub task: Option<Name>,
    /// Which streams.
    pub place: Place,
    /// In which way.
    pub manner: Manner,
    /// What others do while the driver creates the first stream.
    pub while_creating: Vec<StreamStep>,
}
impl Acquire {
    /// One lease of a usual stream.
    pub fn of(lease: impl Into<Name>) -> Self {
        Self {
            leases: vec![lease.into()],
            times: 1,
            task: None,
            place: Place::default(),
            manner: Manner::Any,
            while_creating: Vec::new(),
        }
    }
}

/// Work for streams, ordered after earlier work on the same memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// How long it runs.
    pub time: RunTime,
    /// Leases, handles or participants, each of which gets one.
    pub on: Vec<Name>,
    /// Memory that it reads.
    pub reads: Vec<Name>,
    /// Memory that it writes.
    pub writes: Vec<Name>,
    /// What it is called.
    pub name: Option<Name>,
    /// Through the pool or past it.
    pub through: Through,
}

/// A capture through the pool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Capture {
    /// The graph.
    pub graph: Name,
    /// The lease.
    pub on: Name,
    /// The mode.
    pub mode: CaptureMode,
    /// Whether the closure panics after its steps.
    pub ends: Ending,
    /// What happens inside the closure.
    pub steps: Vec<StreamStep>,
}
/// How a capture's closure ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// It returns.
    Returns,
    /// It panics.
    Panics,
}

/// A future.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Spawn {
    /// A lease, once the pool has one.
    Acquire {
        /// The lease.
        lease: Name,
        /// The task, as in [`Acquire`].
        task: Option<Name>,
        /// Which stream.
        place: Place,
    },
    /// Ready when a piece of work is finished.
    Finished {
        /// The work.
        work: Name,
    },
}

/// What is left when a pool is shut down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Leaks {
    /// Streams.
    pub streams: u32,
    /// Memory.
    pub memory: u32,
    /// Buffers.
    pub buffers: u32,
}

/// Something that breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DriverFault {
    /// A call of this kind fails, the `nth` from now on, counted from 0.
    Call {
        /// Which.
        call: FailingCall,
        /// The how-manieth.
        nth: u32,
        /// What it says; `None`: what is usual for it.
        says: Option<Refusal>,
    },
    /// Creation fails while so many streams are alive.
    AtLive(u32),
    /// The stream is in error from now on.
    Stream(Name),
    /// The device is lost.
    Device,
}

/// What happens in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StreamAction {
    /// A task asks for streams.
    Acquire(Acquire),
    /// A task asks for its own stream of a kind: the same one each time.
    Switch {
        /// What the lease is called.
        stream: Name,
        /// The task.
        task: Name,
        /// Which stream.
        place: Place,
    },
    /// An owner that never says that it is done asks for its own stream.
    Own {
        /// What the lease is called.
        stream: Name,
        /// The owner.
        owner: Name,
        /// Which stream.
        place: Place,
    },
    /// From here on the probe says that this owner is gone.
    Over(Name),
    /// Leases are dropped.
    Release(Vec<Name>),
    /// A task is over, with all its leases.
    End(Name),
    /// A lease or a future is forgotten: its destructor never runs.
    Forget(Name),
    /// A future, or a part in a capture, is dropped.
    Drop(Name),
    /// Work is submitted.
    Run(Run),
    /// An array is taken over by work.
    Use {
        /// The memory.
        memory: Name,
        /// Whether it reads or writes.
        access: Access,
        /// The lease.
        on: Name,
        /// How long the work runs.
        ticks: Ticks,
        /// What the work is called.
        name: Option<Name>,
    },
    /// An asynchronous copy that owns its host buffer: a future.
    Copy {
        /// The future.
        future: Name,
        /// The lease.
        on: Name,
        /// How long the copy runs.
        ticks: Ticks,
    },
    /// A future is made.
    Spawn {
        /// The future.
        future: Name,
        /// What it waits for.
        what: Spawn,
    },
    /// A future is polled once.
    Poll(Name),
    /// Time passes.
    Tick(Ticks),
    /// Time passes until nothing runs that ends by itself.
    TickIdle,
    /// Endless work of a stream ends.
    Finish(Name),
    /// Memory is allocated in a stream's order.
    Alloc {
        /// The memory.
        memory: Name,
        /// The lease.
        on: Name,
    },
    /// Memory is given up.
    Free(Name),
    /// The stream leaves the pool: it is the user's from here on, under the lease's name.
    Disown(Name),
    /// The raw handle is given out.
    Expose(Name),
    /// A capture through the pool.
    Capture(Capture),
    /// Inside a capture: the graph keeps memory alive.
    Pin(Name),
    /// Inside a capture: another leased stream joins.
    Fork(Name),
    /// Inside a capture: the forked stream is joined.
    Join(Name),
    /// Inside a capture: a child task gets a part.
    Participant(Name),
    /// The user begins a capture past the pool.
    BeginCapture {
        /// The lease or handle.
        on: Name,
        /// The mode.
        mode: CaptureMode,
    },
    /// The user ends it.
    EndCapture {
        /// The graph.
        graph: Name,
        /// The lease or handle.
        on: Name,
    },
    /// A graph is launched.
    Launch {
        /// The graph.
        graph: Name,
        /// The lease.
        on: Name,
        /// What the launch is called.
        name: Option<Name>,
    },
    /// A graph is let go of.
    DropGraph(Name),
    /// The user asks about a stream or an event.
    Query(Name),
    /// The user records an event.
    Record {
        /// The event.
        event: Name,
        /// The lease or handle.
        on: Name,
    },
    /// The user makes a stream wait for an event.
    Wait {
        /// The event.
        event: Name,
        /// The lease or handle.
        on: Name,
    },
    /// The user makes a stream.
    Create {
        /// The handle.
        handle: Name,
        /// Which.
        place: Place,
    },
    /// The user destroys a stream.
    Destroy(Name),
    /// A raw handle is wrapped.
    Wrap {
        /// What the result is called.
        wrapped: Name,
        /// The lease or handle; `None`: the per-thread default stream.
        of: Option<Name>,
    },
    /// The pool's interest in somebody's stream ends.
    Unwrap(Name),
    /// The host waits for all work on memory, or for a piece of work.
    Sync {
        /// The memory or the work.
        of: Name,
        /// For how long at most, in ticks.
        limit: u32,
    },
    /// Somebody looks whether there is an idle stream.
    Peek {
        /// Whether there is one.
        is: Presence,
        /// Of which kind.
        place: Place,
    },
    /// The pool is pumped.
    Pump,
    /// The pool lets go of what nobody needed.
    Trim,
    /// The user resets a device.
    Reset(u32),
    /// The pool is shut down.
    ShutDown(Leaks),
    /// The process leaves the driver behind.
    Process(Leaving),
    /// Something breaks.
    Fail(DriverFault),
    /// Counters are 0 here.
    CountFrom,
    /// Steps that happen several times.
    Repeat {
        /// How many times.
        times: u32,
        /// The steps.
        steps: Vec<StreamStep>,
    },
    /// What must be true here.
    Expect(StreamExpect),
}
