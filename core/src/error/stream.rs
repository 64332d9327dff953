//! What can go wrong with streams.

use crate::id::{DeviceContext, Position, RawMemory, RawStream, StreamKey, StreamRef};

/// A driver's own error number, as its documentation lists it.
///
/// ```
/// use ringfence::error::{DriverCode, DriverError};
/// let refused = DriverError::CaptureConflict(DriverCode::new(900));
/// assert_eq!(refused.to_string(), "the driver refused the call because a stream is capturing (error 900)");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DriverCode(i32);
impl DriverCode {
    /// The number `code`.
    pub const fn new(code: i32) -> Self {
        Self(code)
    }
    /// The number.
    pub const fn as_i32(self) -> i32 {
        self.0
    }
}
impl std::fmt::Debug for DriverCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}
impl std::fmt::Display for DriverCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What a driver's error means for the one who called. A backend sorts its numbers into these.
///
/// ```
/// use ringfence::error::{DriverCode, DriverError};
/// /// Sorts the numbers of HIP.
/// fn sorted(number: i32) -> DriverError {
///     let code = DriverCode::new(number);
///     match number {
///         900 | 905..=908 => DriverError::CaptureConflict(code), // try again later
///         901 | 904 => DriverError::CaptureFailed(code),         // the capture is lost
///         400 | 709 | 719 => DriverError::Bad(code),             // the object is lost
///         2 => DriverError::OutOfMemory(code),
///         _ => DriverError::Other(code),
///     }
/// }
/// assert_eq!(sorted(905), DriverError::CaptureConflict(DriverCode::new(905)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// Somebody captures, and the call may not happen meanwhile (900 and 905 to 908 of HIP): nothing is
    /// wrong with the object; try again later.
    #[error("the driver refused the call because a stream is capturing (error {0})")]
    CaptureConflict(DriverCode),
    /// This capture is broken or left a stream unjoined (901, 904).
    #[error("the capture failed (error {0})")]
    CaptureFailed(DriverCode),
    /// The stream, event or graph does not work, or does not exist any more (709, 719, 400).
    #[error("the driver does not know the object, or it is in error (error {0})")]
    Bad(DriverCode),
    /// Memory, queues or handles ran out.
    #[error("the driver is out of memory or of handles (error {0})")]
    OutOfMemory(DriverCode),
    /// The device is gone.
    #[error("the device was lost (error {0})")]
    DeviceLost(DriverCode),
    /// This version of the driver does not have the function.
    #[error("the driver does not have this function")]
    Unsupported,
    /// Anything else.
    #[error("the driver failed (error {0})")]
    Other(DriverCode),
}

/// Why a stream was closed: it is never handed out again, and its identity is never used again.
///
/// ```
/// use ringfence::error::Closed;
/// /// Worth a line in a log: the others are what the pool, or an owner, meant to do.
/// fn is_a_fault(cause: Closed) -> bool {
///     matches!(cause, Closed::Bad | Closed::Capture | Closed::Lost)
/// }
/// assert!(!is_a_fault(Closed::Trimmed));
/// assert_eq!(format!("s3: {}", Closed::Capture), "s3: a capture left it unusable");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Closed {
    /// It was idle and not wanted any more.
    #[error("it was idle and the pool let go of it")]
    Trimmed,
    /// Its lease asked for a stream of its own, which nobody else gets.
    #[error("it was reserved, and its owner is done")]
    Reserved,
    /// It reports an error, or its user destroyed it.
    #[error("it is in error, or was destroyed by its user")]
    Bad,
    /// Its owner took it out of the pool.
    #[error("its owner took it out of the pool")]
    Disowned,
    /// A capture on it failed, was abandoned, or left it capturing.
    #[error("a capture left it unusable")]
    Capture,
    /// Its device was reset.
    #[error("its device was reset")]
    Reset,
    /// Its device, or the driver, is gone.
    #[error("its device was lost")]
    Lost,
}

/// What went wrong with a stream, with the object and the way out.
///
/// ```
/// use ringfence::{backend::streams::StreamBackend, drive::StreamPool, error::*, id::StreamKey, stream::Lease};
///
/// /// A lease, or `None` while there is none to be had.
/// fn lease<B: StreamBackend>(pool: &StreamPool<B>, key: StreamKey) -> Result<Option<Lease>, StreamError> {
///     match pool.acquire(key) {
///         Ok(lease) => Ok(Some(lease)),
///         Err(StreamError::Full { .. }) => Ok(None), // a lease that is dropped helps
///         Err(StreamError::Create { cause: DriverError::OutOfMemory(_), .. }) => {
///             pool.trim(); // idle streams take memory too
///             Ok(None)
///         }
///         Err(error) => Err(error), // its text says the way out
///     }
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The driver refused something that the caller asked for.
    #[error("{stream}: {cause}")]
    Driver {
        /// The stream.
        stream: StreamRef,
        /// Why.
        cause: DriverError,
    },
    /// A stream could not be created. The reservation was taken back.
    #[error(
        "no stream of {key} could be created: {cause}; drop leases that are not needed, or set `live_cap`"
    )]
    Create {
        /// Of which kind.
        key: StreamKey,
        /// Why.
        cause: DriverError,
    },
    /// The pool's hard cap is reached, and nothing is idle.
    #[error(
        "{live} streams are alive and the cap is {cap}: wait with `acquire_async`, drop leases, or raise `live_cap`"
    )]
    Full {
        /// Streams alive or being created.
        live: u32,
        /// The cap.
        cap: u32,
    },
    /// The device is gone. What its streams may still write to is leaked and counted.
    #[error("the device was lost; make a new pool after the driver was started again")]
    DeviceLost,
    /// This process is a fork of the one that started the driver.
    #[error(
        "this process was forked after the driver started, so that no driver call is safe; start the driver in the child, or use `exec`"
    )]
    Forked,
    /// The pool was shut down, or the process exits.
    #[error("the pool is shut down; acquire streams before `shutdown`")]
    ShutDown,
    /// A raw handle that is not a stream of its own: a default or per-thread stream means another stream
    /// on each thread (<https://github.com/huggingface/candle/pull/3565>).
    #[error(
        "{raw} is not one stream: it means another on each thread, or none; create a stream and wrap that"
    )]
    NotOneStream {
        /// The handle.
        raw: RawStream,
    },
    /// A reference to an earlier tenancy, or to a closed stream.
    #[error(
        "{stream} is over: the stream was handed on or closed; use the lease of its present owner"
    )]
    Stale {
        /// The reference.
        stream: StreamRef,
    },
    /// A lease, stamp or reference of another pool.
    #[error("{stream} belongs to another pool; use the pool that it came from")]
    OtherPool {
        /// The reference.
        stream: StreamRef,
    },
    /// Memory of another pool, which frees it whatever is done here.
    #[error("{memory} belongs to another pool; use the pool that it was allocated with")]
    MemoryOfOtherPool {
        /// The memory.
        memory: RawMemory,
    },
    /// The device was reset after the object was made.
    #[error("{place:?} was reset after this was made, and it is gone; make it again")]
    Reset {
        /// Where it lived.
        place: DeviceContext,
    },
    /// The stream captures, so that what was asked for would be recorded, or refused.
    #[error("{stream} is capturing; end its capture first, or submit through the capture's scope")]
    Capturing {
        /// The stream.
        stream: StreamRef,
    },
    /// Participants of a capture were still alive at its end.
    #[error(
        "{left} participants of the capture on {stream} were still alive at its end; join them inside the closure. The stream is retired"
    )]
    Participants {
        /// The stream.
        stream: StreamRef,
        /// How many.
        left: u32,
    },
    /// A capture ended while streams that were forked into it were not joined.
    #[error(
        "the capture on {stream} ended with {left} of its forks not joined, {fork} among them ({cause}); join each inside the closure, after the last work on it. The streams are retired"
    )]
    Unjoined {
        /// The capture's stream.
        stream: StreamRef,
        /// One of those that were not joined.
        fork: StreamRef,
        /// How many were not.
        left: u32,
        /// What the driver said of the end.
        cause: DriverError,
    },
    /// A host wait ran into its limit. Nothing was changed.
    #[error(
        "{stream} had not reached {position} within the limit of the wait; wait again, or raise the limit"
    )]
    TimedOut {
        /// The stream.
        stream: StreamRef,
        /// What was waited for.
        position: Position,
    },
    /// Whether earlier work is finished cannot be known: its stream was closed with work pending, and left
    /// no event to wait for.
    #[error(
        "whether {stream} finished its work before it was closed cannot be known; synchronize the device, then forget the stamp"
    )]
    Unknowable {
        /// The stream.
        stream: StreamRef,
    },
}
