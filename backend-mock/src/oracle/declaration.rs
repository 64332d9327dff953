//! What whoever drives the library tells the oracle: things that no call shows.

use ringfence::{
    id::{SignalHandle, UseId},
    timing::Interval,
};

/// A ring, by a number that the runner gives out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RingName(u32);
impl RingName {
    /// The ring called `number`.
    pub const fn new(number: u32) -> Self {
        Self(number)
    }
    /// The number.
    pub const fn as_u32(self) -> u32 {
        self.0
    }
}

/// How many signals a ring may have, spares and parked ones aside.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SignalCount(u32);
impl SignalCount {
    /// `count` signals.
    pub const fn new(count: u32) -> Self {
        Self(count)
    }
    /// The number.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Which recording of an event an answer was about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Recording {
    /// The one that the asker waits for; nothing was recorded since.
    Latest,
    /// The event was recorded again after the asker took its snapshot.
    Overwritten,
}

/// One statement to the oracle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Declaration {
    /// Ring `ring` exists and may grow to `cap` signals.
    Limits {
        /// The ring.
        ring: RingName,
        /// Its cap.
        cap: SignalCount,
    },
    /// Ring `ring`, whose limits were declared, is a polling baseline: it looks at one signal after
    /// another, and a busy one does hide finished ones behind it (no S6).
    Polls(RingName),
    /// A submission through `ring` begins (or its construction): signals created until `Submitted`
    /// are that ring's.
    Submitting(RingName),
    /// Through `ring`, the host waits for work that was submitted: signals created until `Submitted` are that
    /// ring's, and its waits are for work, not for room.
    Synchronizing(RingName),
    /// The submission, or the wait, is over.
    Submitted,
    /// The timing of this use is wanted. Said right after its submission.
    WantsTiming(UseId),
    /// The next packet that waits for `signal` means this use of it.
    ExpectWait {
        /// The signal.
        signal: SignalHandle,
        /// The use.
        of: UseId,
    },
    /// Somebody else holds the signal of this use: another thread's wait, a live event.
    Holds(UseId),
    /// They let go.
    LetsGo(UseId),
    /// From now on the host repeats itself: it should create nothing.
    SteadyBegins,
    /// No longer.
    SteadyEnds,
    /// A query of this use begins.
    QueryBegins(UseId),
    /// The query is over.
    QueryEnds,
    /// A synchronize begins.
    SyncBegins,
    /// The synchronize is over.
    SyncEnds,
    /// The library said that this use is finished.
    ClaimsFinished {
        /// The use that the asker means.
        of: UseId,
        /// Whether that is still the event's recording.
        recording: Recording,
    },
    /// The library said that this use is not finished.
    ClaimsPending(UseId),
    /// The library said when this use ran.
    ClaimsInterval {
        /// The use.
        of: UseId,
        /// What it said.
        interval: Option<Interval>,
    },
    /// A wait for this use that promises its data ended well.
    ClaimsData(UseId),
    /// All work is finished and the library had a bounded number of calls to retire it: so many uses
    /// it still counts as in flight.
    Finale {
        /// Uses in flight.
        left_over: u32,
    },
}
