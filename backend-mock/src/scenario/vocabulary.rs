//! The words that steps are made of.

use ringfence::error::{Error, Failure};

use super::word::words;

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
