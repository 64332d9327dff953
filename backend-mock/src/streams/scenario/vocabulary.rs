//! The words that steps of streams are made of.

use ringfence::{
    backend::streams::{CaptureMode, StreamState},
    drive::{Freed, Ordered},
    error::{DriverError, StreamError},
    id::Priority,
};

use crate::scenario::word::{words, words_of};

words_of! { CaptureMode, "a capture mode" {
    Global = "global", ThreadLocal = "thread_local", Relaxed = "relaxed",
} }
impl crate::scenario::Word for Priority {
    const WHAT: &'static str = "a priority";
    const ALL: &'static [Self] = &[Self::Low, Self::Normal, Self::High];
    fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::High => "high",
            // A driver's own number has no word, and no scenario can say one.
            Self::Normal | Self::Level(_) => "normal",
        }
    }
}

words! {
    /// How a pool answers.
    pub PolicyKind, "a policy" {
        /// A stream is one task's at a time, and handed on.
        Lease = "lease",
        /// Created for each task, destroyed after it.
        FreshDrop = "fresh_drop",
        /// Created for each task, destroyed late.
        FreshDeferred = "fresh_deferred",
        /// A fixed number, given out in turn.
        RoundRobin = "round_robin",
    }
    /// Who pumps the pool.
    pub Pumping, "a way to pump" {
        /// A step does.
        Manual = "manual",
        /// After each step, somebody does.
        Auto = "auto",
    }
    /// By which way work reaches a stream.
    pub Through, "a way to submit" {
        /// Through the pool.
        Pool = "pool",
        /// Past it, with the raw handle.
        Handle = "handle",
    }
    /// What became of memory that was given up.
    pub FreedHow, "an end of memory" {
        /// Freed on the stream that used it.
        OnStream = "on_stream",
        /// Freed on the disposal stream, after those that used it.
        OnDisposal = "on_disposal",
        /// Freed on the disposal stream, with nothing to wait for.
        AtOnce = "at_once",
        /// Not yet.
        Deferred = "deferred",
        /// Gone with a reset of its device.
        Gone = "gone",
        /// Never.
        Leaked = "leaked",
    }
    /// How later work follows earlier work.
    pub OrderedHow, "an order" {
        /// It does already.
        Already = "already",
        /// The stream waits.
        OnDevice = "on_device",
        /// The host waited.
        OnHost = "on_host",
    }
    /// Whether a stream captures, as the driver has it.
    pub StatusWord, "a capture status" {
        /// It does not.
        None = "none",
        /// It does.
        Active = "active",
        /// Its capture is broken.
        Invalidated = "invalidated",
    }
    /// What the user's last query brought.
    pub Answer, "an answer" {
        /// All work is finished.
        Idle = "idle",
        /// Some is not.
        Pending = "pending",
        /// The driver would not say.
        Refused = "refused",
        /// It does not work.
        Failed = "failed",
    }
    /// Whether there is one.
    pub Presence, "an answer" {
        /// There is one.
        Some = "some",
        /// There is none.
        None = "none",
    }
    /// How the process leaves the driver behind.
    pub Leaving, "a way to leave" {
        /// What follows happens in a forked child.
        Fork = "fork",
        /// It exits.
        Exit = "exit",
    }
    /// A driver call that fails when it is told to.
    pub FailingCall, "a call that can fail" {
        /// A creation of a stream.
        Create = "create",
        /// A query of a stream.
        Query = "query",
        /// A look at the capture status.
        Status = "status",
        /// An event's record.
        Record = "record",
        /// A device-side wait.
        Wait = "wait",
        /// A begin of a capture.
        BeginCapture = "begin_capture",
        /// A launch of work.
        Launch = "launch",
        /// An allocation.
        Allocate = "allocate",
        /// A free.
        Free = "free",
        /// A mark of a position.
        Mark = "mark",
        /// A destruction of a stream.
        Destroy = "destroy",
    }
    /// What a call that fails says.
    pub Refusal, "a refusal" {
        /// Somebody captures (900).
        Conflict = "conflict",
        /// The object does not work (719).
        Bad = "bad",
        /// Nothing is left (2).
        Memory = "memory",
    }
    /// An error that a step may announce.
    pub StreamErrorKind, "an error" {
        /// The driver refuses because somebody captures.
        Conflict = "conflict",
        /// A capture is broken, or left a stream unjoined.
        CaptureFailed = "capture_failed",
        /// The driver does not know the object, or it is in error.
        Bad = "bad",
        /// The driver has no more of it.
        OutOfMemory = "out_of_memory",
        /// The driver does not have the function.
        Unsupported = "unsupported",
        /// Another error of the driver.
        Driver = "driver",
        /// A stream could not be created.
        Create = "create",
        /// The hard cap is reached.
        Full = "full",
        /// The device is gone.
        DeviceLost = "device_lost",
        /// The process is a fork.
        Forked = "forked",
        /// The pool was shut down, or the process exits.
        ShutDown = "shut_down",
        /// A handle that is not one stream.
        NotOneStream = "not_one_stream",
        /// A reference to a tenancy that is over.
        Stale = "stale",
        /// A thing of another pool.
        OtherPool = "other_pool",
        /// The stream captures.
        Capturing = "capturing",
        /// Participants were left in a capture.
        Participants = "participants",
        /// Forked streams were not joined at the end of a capture.
        Unjoined = "unjoined",
        /// A wait ran into its limit.
        TimedOut = "timed_out",
        /// Whether work is finished cannot be known.
        Unknowable = "unknowable",
        /// Its device was reset.
        Reset = "reset",
        /// There was no existing stream to be had.
        NoStream = "no_stream",
        /// The user's own code panicked.
        Panicked = "panicked",
    }
    /// Something that is counted, from the start or from the last `count_from`; what is marked "now" is not.
    pub StreamCounter, "a counter" {
        /// Leases given out.
        Leases = "leases",
        /// Leases of a stream that somebody had before.
        Reused = "reused",
        /// Streams created for leases.
        Created = "created",
        /// Creations that failed.
        CreationsFailed = "creations_failed",
        /// Streams let go of because they were idle and not wanted.
        Trimmed = "trimmed",
        /// Streams destroyed.
        Destroyed = "destroyed",
        /// Streams closed for an error.
        Bad = "bad",
        /// Streams closed for a capture.
        Captured = "captured",
        /// Streams that can be neither used nor destroyed.
        Leaked = "leaked",
        /// Looks that asked the driver.
        LooksByQuery = "looks_by_query",
        /// Frees on the stream that used the memory.
        FreedOnStream = "freed_on_stream",
        /// Frees on the disposal stream, after others.
        FreedOnDisposal = "freed_on_disposal",
        /// Frees on the disposal stream at once.
        FreedAtOnce = "freed_at_once",
        /// Frees that were put off.
        Deferred = "deferred",
        /// Memory that is never freed.
        LeakedMemory = "leaked_memory",
        /// Queries that the driver answered.
        Queries = "queries",
        /// Looks at a capture status that the driver answered.
        StatusCalls = "status_calls",
        /// Device-side waits that the driver was asked for.
        DeviceWaits = "device_waits",
        /// All calls of the driver.
        DriverCalls = "driver_calls",
        /// Tasks woken.
        Woken = "woken",
        /// Tasks that shared a stream with another.
        Shared = "shared",
        /// Nodes that somebody else recorded into a capture.
        ForeignNodes = "foreign_nodes",
        /// Warnings of too many live streams.
        Warnings = "warnings",
        /// Some task's streams, now.
        Leased = "leased",
        /// Streams returned and not proven finished, now.
        Draining = "draining",
        /// Streams proven finished and nobody's, now.
        Idle = "idle",
        /// Streams closed and not destroyed, now.
        Condemned = "condemned",
        /// Streams alive, now.
        Live = "live",
        /// The most that were leased or draining at one time.
        Peak = "peak",
        /// The most that were being created at one time.
        PeakCreating = "peak_creating",
        /// Pinned host memory of live streams in MiB, now: a model, not silicon.
        HostMib = "host_mib",
    }
}
impl StreamCounter {
    /// Whether it says how things are now, and `count_from` does not concern it.
    pub const fn is_now(self) -> bool {
        matches!(
            self,
            Self::Leased
                | Self::Draining
                | Self::Idle
                | Self::Condemned
                | Self::Live
                | Self::Peak
                | Self::PeakCreating
                | Self::HostMib
                | Self::Warnings
        )
    }
}
impl From<Freed> for FreedHow {
    fn from(freed: Freed) -> Self {
        match freed {
            Freed::OnStream => Self::OnStream,
            Freed::OnDisposal => Self::OnDisposal,
            Freed::AtOnce => Self::AtOnce,
            Freed::Deferred(_) => Self::Deferred,
            Freed::Gone => Self::Gone,
            Freed::Leaked | Freed::OtherPool => Self::Leaked,
        }
    }
}
impl From<Ordered> for OrderedHow {
    fn from(ordered: Ordered) -> Self {
        match ordered {
            Ordered::Already => Self::Already,
            Ordered::OnDevice => Self::OnDevice,
            Ordered::OnHost => Self::OnHost,
        }
    }
}
impl From<StreamState> for Answer {
    fn from(state: StreamState) -> Self {
        match state {
            StreamState::Idle => Self::Idle,
            StreamState::Pending => Self::Pending,
            StreamState::Unknown => Self::Refused,
            StreamState::Failed(_) => Self::Failed,
        }
    }
}
impl StreamErrorKind {
    /// What kind of error `error` is.
    pub fn of(error: &StreamError) -> Self {
        match error {
            StreamError::Driver { cause, .. } => Self::of_driver(*cause),
            StreamError::Create { .. } => Self::Create,
            StreamError::Full { .. } => Self::Full,
            StreamError::DeviceLost => Self::DeviceLost,
            StreamError::Forked => Self::Forked,
            StreamError::ShutDown => Self::ShutDown,
            StreamError::NotOneStream { .. } => Self::NotOneStream,
            StreamError::Stale { .. } => Self::Stale,
            StreamError::OtherPool { .. } | StreamError::MemoryOfOtherPool { .. } => {
                Self::OtherPool
            }
            StreamError::Capturing { .. } => Self::Capturing,
            StreamError::Participants { .. } => Self::Participants,
            StreamError::Unjoined { .. } => Self::Unjoined,
            StreamError::TimedOut { .. } => Self::TimedOut,
            StreamError::Unknowable { .. } => Self::Unknowable,
            StreamError::Reset { .. } => Self::Reset,
            _ => Self::Driver,
        }
    }
    /// What kind of error a driver's own is.
    pub const fn of_driver(error: DriverError) -> Self {
        match error {
            DriverError::CaptureConflict(_) => Self::Conflict,
            DriverError::CaptureFailed(_) => Self::CaptureFailed,
            DriverError::Bad(_) => Self::Bad,
            DriverError::OutOfMemory(_) => Self::OutOfMemory,
            DriverError::DeviceLost(_) => Self::DeviceLost,
            DriverError::Unsupported => Self::Unsupported,
            _ => Self::Driver,
        }
    }
}
