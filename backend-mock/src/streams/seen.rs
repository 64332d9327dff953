//! What happened, as the oracle of streams sees it: driver calls, device moves, and what the host says of
//! itself. Nothing else reaches the oracle.

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus, DriverState, StreamState, StreamWait},
    error::DriverError,
    id::{
        Bytes, DeviceId, Generation, Position, RawEvent, RawGraph, RawMemory, RawProgress,
        RawStream, StreamId, StreamKey, StreamRef,
    },
};

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident, $short:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);
        impl $name {
            /// The one with number `number`.
            pub const fn new(number: u32) -> Self { Self(number) }
            /// Its number.
            pub const fn as_u32(self) -> u32 { self.0 }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, concat!($short, "{}"), self.0) }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { std::fmt::Debug::fmt(self, f) }
        }
    )*};
}
names! {
    /// A piece of work, in the order of submission over the whole driver. Never used again.
    OpId, "op";
    /// A thread as the driver knows it: it has a capture mode and a last error of its own.
    ThreadId, "thread ";
    /// A lease, as the runner of a test calls it.
    LeaseName, "lease ";
    /// A task, as the runner of a test calls it.
    TaskName, "task ";
    /// A host buffer of an asynchronous copy.
    BufferId, "buffer ";
}

/// Who made a driver call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Caller {
    /// The library, through the backend traits.
    Library,
    /// The user's own code, past the library.
    User,
}

/// The circumstances of a driver call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Circumstance {
    /// Who called.
    pub caller: Caller,
    /// On which thread.
    pub thread: ThreadId,
    /// In which capture mode of that thread.
    pub mode: CaptureMode,
    /// Locks of the library that the OS thread held, of all kinds.
    pub locks: u32,
    /// Hand-over locks of streams among them.
    pub stream_locks: u32,
}

/// What a piece of work reads and writes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Touches {
    /// Memory that it reads.
    pub reads: Vec<RawMemory>,
    /// Memory that it writes.
    pub writes: Vec<RawMemory>,
    /// Host buffers that it reads or writes.
    pub buffers: Vec<BufferId>,
}

/// A driver call with its outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each field is what the call takes or brings")]
pub enum Call {
    /// `state`; reported only when the answer is not `Ready`.
    State(DriverState),
    /// `create`.
    Create { key: StreamKey, outcome: Result<RawStream, DriverError> },
    /// `destroy`.
    Destroy { stream: RawStream, outcome: Result<(), DriverError> },
    /// `capture_status`.
    Status { stream: RawStream, outcome: CaptureStatus },
    /// `query`. `invalidated`: streams whose capture the call broke.
    Query { stream: RawStream, outcome: StreamState, invalidated: Vec<RawStream> },
    /// `exchange_capture_mode`: to which mode.
    ExchangeMode { to: CaptureMode },
    /// `create_event`, `destroy_event`.
    CreateEvent { outcome: Result<RawEvent, DriverError> },
    /// See above.
    DestroyEvent { event: RawEvent },
    /// `record_event`. `captured`: it was recorded into a capture.
    Record { event: RawEvent, stream: RawStream, captured: bool, outcome: Result<(), DriverError> },
    /// `stream_wait`. The waiter's later work follows all of `after`.
    Wait { stream: RawStream, event: RawEvent, after: Vec<OpId>, outcome: Result<(), DriverError> },
    /// `query_event`. `invalidated` as above.
    QueryEvent { event: RawEvent, outcome: StreamState, invalidated: Vec<RawStream> },
    /// `synchronize_event`.
    SynchronizeEvent { event: RawEvent, outcome: StreamWait, invalidated: Vec<RawStream> },
    /// `begin_capture`.
    BeginCapture { stream: RawStream, mode: CaptureMode, outcome: Result<(), DriverError> },
    /// `end_capture`. `ops`: the nodes of the graph.
    EndCapture { stream: RawStream, outcome: Result<RawGraph, DriverError>, ops: Vec<OpId> },
    /// `launch_graph`: one new piece of work, which touches what the graph touches.
    LaunchGraph {
        graph: RawGraph,
        stream: RawStream,
        op: Option<OpId>,
        touches: Touches,
        outcome: Result<(), DriverError>,
    },
    /// `destroy_graph`.
    DestroyGraph { graph: RawGraph, outcome: Result<(), DriverError> },
    /// `allocate`.
    Allocate { bytes: Bytes, stream: RawStream, outcome: Result<RawMemory, DriverError> },
    /// `free`. `op`: the piece of work that frees it in the stream's order; `None` with success: freed at once.
    /// `recorded`: it became a node of somebody's graph.
    Free {
        memory: RawMemory,
        stream: RawStream,
        op: Option<OpId>,
        recorded: bool,
        outcome: Result<(), DriverError>,
    },
    /// `open_progress`, `close_progress`.
    OpenProgress { stream: RawStream, outcome: Option<RawProgress> },
    /// See above.
    CloseProgress { word: RawProgress },
    /// `mark`. `op`: the piece of work that writes the word. `captured`: the stream was capturing.
    Mark {
        stream: RawStream,
        word: RawProgress,
        position: Position,
        op: Option<OpId>,
        captured: bool,
        outcome: Result<(), DriverError>,
    },
    /// `observe`.
    Observe { word: RawProgress, outcome: Position },
    /// `wait_progress`.
    WaitProgress { word: RawProgress, position: Position, outcome: StreamWait },
    /// `launch`. `recorded`: it became a node, and does not run.
    Launch {
        stream: RawStream,
        op: Option<OpId>,
        touches: Touches,
        recorded: bool,
        outcome: Result<(), DriverError>,
    },
}

/// What the device did by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeviceMove {
    /// A piece of work began.
    Started(OpId),
    /// A piece of work finished.
    Finished(OpId),
    /// The device was lost.
    Lost,
    /// The process forked: what follows is the child's.
    Forked,
    /// The process began to exit.
    Exiting,
}

/// Whether a lease is to be its owner's alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exclusive {
    /// It is.
    Yes,
    /// It comes from a baseline policy that shares streams: sharing is counted, and breaks no rule.
    No,
}

/// What the host says of itself, at the moment when it happens.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each field is what the host speaks of")]
pub enum Declaration {
    /// The pool's settings that rules speak of.
    Pool {
        /// Idle streams kept for each key.
        idle_cap: u32,
    },
    /// A call that may hand out a stream begins, for this task. `AcquireEnded` follows.
    AcquireBegins { task: TaskName, key: StreamKey },
    /// It returned, with a lease or without.
    AcquireEnded { task: TaskName },
    /// The library gave a lease to a task.
    Leased {
        lease: LeaseName,
        task: TaskName,
        key: StreamKey,
        raw: RawStream,
        stream: StreamRef,
        exclusive: Exclusive,
    },
    /// The lease was dropped: the library may do with it what is right.
    Released { lease: LeaseName },
    /// The lease was forgotten without a drop: its stream never comes back.
    Forgotten { lease: LeaseName },
    /// The raw handle of the lease's stream was given to the user's code.
    Exposed { lease: LeaseName },
    /// The task has switched to `key`, and its stream there is `stream`.
    Switched { task: TaskName, key: StreamKey, stream: StreamRef },
    /// The task is over.
    TaskEnded { task: TaskName },
    /// A destructor begins: no driver call until `DropEnded`.
    DropBegins,
    /// It ended.
    DropEnded,
    /// The library answered what a raw handle is: this stream of the pool, or none of its own.
    Wrapped { raw: RawStream, got: Option<StreamId> },
    /// The generation of a stream as the library reports it after a step, for T6.
    Generation { stream: StreamId, generation: Generation },
    /// The owner gave memory up: from here on exactly one free must follow, unless the device is lost.
    Retired { memory: RawMemory },
    /// The library says that it leaked this memory (a lost device, a shut-down pool).
    Leaked { memory: RawMemory },
    /// A host buffer was dropped or given back to its owner.
    BufferReleased { buffer: BufferId },
    /// All streams of a device were reset by the user.
    Reset { device: DeviceId },
    /// The library said that it closed this stream because it is unusable (capturing, in error, destroyed by its user).
    Condemned { stream: StreamId, raw: RawStream },
    /// Trimming begins: idle streams may be let go of below the cap until `TrimEnded`.
    TrimBegins,
    /// It ended.
    TrimEnded,
    /// The pool was shut down: no driver call after this.
    ShutDown,
    /// The run is over: everything must be accounted for.
    End,
    /// The same, said on this thread: what is forbidden until `DropEnded` is forbidden to the thread whose
    /// destructor it is alone. Said bare, a declaration is about every thread.
    On { thread: ThreadId, said: Box<Declaration> },
    /// From here on several OS threads run at once, so that one may say what it did after another saw it. Also
    /// concluded when one thread calls the driver inside another's acquire or destructor.
    AtOnce,
    /// Said after `AcquireBegins`: the call asks for a stream of the caller's own, which is not the task's
    /// stream of that key, and is destroyed when its lease is over.
    Reserves { task: TaskName },
    /// What is submitted to this lease's stream from here on is submitted through this lease: tells tasks
    /// apart that share a stream. Not needed while each stream has one lease.
    Submits { lease: LeaseName },
    /// A call begins that orders work after, or waits for, what this tenancy submitted.
    WaitBegins { after: StreamRef },
    /// It ended.
    WaitEnded,
    /// What the end of a capture left a stream in, as the driver knows it, whether or not anybody asked
    /// (HIP 5.2 leaves a stream that joined a capture in it for ever).
    CaptureLeft { raw: RawStream, status: CaptureStatus },
}

/// One thing that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// A driver call.
    Call(Circumstance, Call),
    /// The device moved.
    Device(DeviceMove),
    /// The host spoke.
    Host(Declaration),
}
