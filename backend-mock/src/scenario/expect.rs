//! What a scenario may ask to be true.

use ringfence::backend::SignalMemory;

use super::{Name, word::words};

words! {
    /// What the host was last told of an event, or of a use by its name.
    pub EventState, "a state of an event" {
        /// It was never recorded.
        NotRecorded = "not_recorded",
        /// Its work is not known to be finished.
        Pending = "pending",
        /// Its work is finished.
        Finished = "finished",
        /// Its work will never be known to be finished.
        Failed = "failed",
    }
    /// Something that is counted, from the start or from the last `count_from`.
    pub Counter, "a counter" {
        /// Signals created.
        Created = "created",
        /// Loads of signals by the host, wherever they live.
        HostLoads = "host_loads",
        /// Loads of signals in device memory by the host.
        DeviceReads = "device_reads",
        /// Device reads whose cause was retirement.
        RetireReads = "retire_reads",
        /// Stores that armed a signal.
        Arms = "arms",
        /// Flushes.
        Flushes = "flushes",
        /// Packets with or without a signal that the library published.
        Packets = "packets",
        /// Host waits.
        Waits = "waits",
        /// Signals that somebody else holds, now.
        Parked = "parked",
        /// Signals that may not be used again, now.
        Quarantined = "quarantined",
        /// Signals that were given up with a lost device.
        Leaked = "leaked",
    }
    /// Whether a step blocked the host.
    pub Blocked, "an answer" {
        /// It did.
        Waited = "waited",
        /// It did not.
        NotWaited = "not_waited",
    }
    /// Whether there is an interval.
    pub Presence, "an answer" {
        /// There is one.
        Some = "some",
        /// There is none.
        None = "none",
    }
}

/// Which side of a bound a count must keep to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bound {
    /// Equal.
    Exactly,
    /// At most.
    AtMost,
    /// At least.
    AtLeast,
}
impl Bound {
    /// Every bound.
    pub const ALL: [Self; 3] = [Self::Exactly, Self::AtMost, Self::AtLeast];
    /// What follows the counter's word: `created`, `created_max`, `created_min`.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Exactly => "",
            Self::AtMost => "_max",
            Self::AtLeast => "_min",
        }
    }
    /// Whether `seen` keeps to it.
    pub const fn admits(self, seen: u64, bound: u64) -> bool {
        match self {
            Self::Exactly => seen == bound,
            Self::AtMost => seen <= bound,
            Self::AtLeast => seen >= bound,
        }
    }
}

/// What must be true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expect {
    /// The library has retired these uses.
    Retired(Vec<Name>),
    /// The library has not retired these uses.
    Busy(Vec<Name>),
    /// The device has completed these uses, whatever the host knows.
    Complete(Vec<Name>),
    /// The device has not completed these uses.
    Running(Vec<Name>),
    /// These uses were given one and the same signal.
    Same(Vec<Name>),
    /// No two of these uses were given the same signal.
    Distinct(Vec<Name>),
    /// The device completed each of these before the next.
    CompletedBefore(Vec<Name>),
    /// A count.
    Count {
        /// Of what.
        counter: Counter,
        /// Which side to keep to.
        bound: Bound,
        /// The count.
        value: u64,
    },
    /// Whether the last step before this one blocked the host.
    Blocked(Blocked),
    /// What the host was last told of these events or uses.
    State {
        /// The events and uses.
        of: Vec<Name>,
        /// The answer.
        is: EventState,
    },
    /// Where the signals of these uses live.
    Memory {
        /// The uses.
        of: Vec<Name>,
        /// The memory.
        is: SignalMemory,
    },
    /// Whether these events have an interval.
    Interval {
        /// The events.
        of: Vec<Name>,
        /// Whether.
        is: Presence,
    },
    /// What the last `elapsed` answered, in nanoseconds; `None`: there was no answer.
    ElapsedNs(Option<u64>),
    /// The kind of the error in which these events' last query or wait ended.
    Error {
        /// The events.
        of: Vec<Name>,
        /// The error.
        is: super::ErrorKind,
    },
}
