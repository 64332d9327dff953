//! What can go wrong with signals: what happened, to which object, and what to do about it.
//!
//! "Not finished yet" is never an error: it is a state of the outcome enums.

mod stream;
mod text;

use text::{timed_out, way_out};

pub use stream::{Closed, DriverCode, DriverError, StreamError};

use crate::{
    backend::{CopyRefused, SignalMemory},
    id::{DeviceId, QueueId, SignalHandle, SignalValue, UseId},
};

/// What went wrong, with the object and the way out.
///
/// ```
/// use ringfence::{backend::*, drive::*, error::Error, id::UseId};
/// /// Submits, or sheds the work where others hold all signals.
/// fn submit<D: Device, Q: PacketQueue>(
///     tracker: &mut Tracker<D, Q>,
///     work: Q::Work,
/// ) -> Result<Option<UseId>, Error> {
///     match tracker.submit(Submission::kernel(work)) {
///         Ok(of) => Ok(Some(of)),
///         Err(Error::Exhausted { .. }) => Ok(None),
///         Err(error) => Err(error), // its text says what to do
///     }
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A signal fell below 0 (S7). It is quarantined; whoever waits for the use gets this error.
    #[error(
        "use {of}: signal {signal:?} fell to {value:?}, so something decremented it once too often; it is \
         quarantined. Look for two packets with the same completion signal, or a reset during a copy"
    )]
    OverDecrement {
        /// The use during which it was seen.
        of: UseId,
        /// The signal.
        signal: SignalHandle,
        /// What was loaded.
        value: SignalValue,
    },
    /// The ring is at its cap, nothing is in flight, and everybody else holds what there is (S14).
    #[error(
        "no signal is left: {parked} are held by events, handlers or waiters, {quarantined} are quarantined, and \
         the cap is {cap}. Let go of finished handlers and waits, or raise the cap"
    )]
    Exhausted {
        /// Signals that somebody else holds.
        parked: u32,
        /// Signals that may never be used again.
        quarantined: u32,
        /// The ring's cap.
        cap: u32,
    },
    /// The backend could not create a signal.
    #[error(
        "a signal in {memory} memory could not be created: {cause}; let go of signals, or lower the ring's size"
    )]
    Create {
        /// Where it should have lived.
        memory: SignalMemory,
        /// Why not.
        cause: CreateError,
    },
    /// The device is gone (S17). Nothing is proven by that; what it may still write to is leaked.
    #[error(
        "the device was lost; its work will not finish, and {leaked} signals it may still write to are leaked"
    )]
    DeviceLost {
        /// Signals given up.
        leaked: u32,
    },
    /// A wait ran into its limit. Nothing was changed: wait again, or force the completion.
    #[error("{}", timed_out(*.of, *.waited_for))]
    TimedOut {
        /// The use that was waited for; of a stream's work, the oldest that is not finished.
        of: UseId,
        /// What it was that was waited for.
        waited_for: WaitedFor,
    },
    /// A submission failed after some of its parts were issued (S8). The issued ones were waited for,
    /// or the signal is quarantined until they are seen to be over.
    #[error("use {of} failed after {issued} of its {parts} parts: {cause}; {}", way_out(*.cause))]
    PartFailed {
        /// The use.
        of: UseId,
        /// Parts that the engine took.
        issued: u32,
        /// Parts that were asked for.
        parts: u32,
        /// Why it did not take the next one.
        cause: CopyRefused,
    },
    /// A use that somebody waits for will never be known to be finished.
    #[error("use {of} {cause}")]
    Failed {
        /// The use.
        of: UseId,
        /// Why.
        cause: Failure,
    },
    /// A queue of another device was told to wait for a cell in this device's memory: a fault there,
    /// not a wait (<https://github.com/ROCm/rocm-systems/issues/11212>).
    #[error(
        "use {of} completes a signal in the memory of another device, which this queue cannot wait for; record the \
         event in host memory or as a twin"
    )]
    PeerCell {
        /// The use.
        of: UseId,
    },
    /// The host asked or waited on another device than the one that an event was recorded on.
    #[error(
        "use {of} is of {recorded_on}, and {asked} was asked: its signals are others, of whatever name. Wait with the \
         device that the event was recorded on, or have a queue of {asked} wait for it with `wait_on`"
    )]
    OtherDevice {
        /// The use.
        of: UseId,
        /// Where it was recorded.
        recorded_on: DeviceId,
        /// Which device was asked.
        asked: DeviceId,
    },
    /// An IPC event was recorded again before its first recording was proven (S12): it has one cell.
    #[error(
        "the IPC event's recording {of} is not finished, and it has one cell: wait for it, then record again"
    )]
    IpcPending {
        /// The recording that is in flight.
        of: UseId,
    },
    /// One packet was to wait for any of more uses than it has places.
    #[error("one packet can wait for any of {max} uses at most; wait for fewer")]
    TooManyAlternatives {
        /// How many places there are.
        max: usize,
    },
    /// Two queues, or a queue and a copy engine, have one number: proofs are compared by it.
    #[error(
        "another queue or copy engine has the number of {queue}, too; number each with `QueueId::unique`, and clone \
         the one `HardwareQueue` of a queue for each of its streams"
    )]
    SameQueueId {
        /// The number.
        queue: QueueId,
    },
    /// The backend refused to call back for this signal.
    #[error("no handler can be set on {signal:?}: {cause}")]
    Handler {
        /// The signal.
        signal: SignalHandle,
        /// Why not.
        cause: HandlerRefused,
    },
    /// A staging request larger than a chunk.
    #[error(
        "{wanted} bytes were asked of a staging ring whose chunks have {chunk}; ask for less, or make larger chunks"
    )]
    StagingTooLarge {
        /// Bytes asked for.
        wanted: u64,
        /// Bytes of a chunk.
        chunk: u64,
    },
}

/// What a wait that ran into its limit was for.
///
/// ```
/// use ringfence::{error::{Error, WaitedFor}, id::*};
/// # let of = UseId::new(LaneId::new(QueueId::new(0), Generation::FIRST), PacketId::new(7));
/// let error = Error::TimedOut { of, waited_for: WaitedFor::Stream };
/// assert!(error.to_string().starts_with("the stream's work was not finished"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WaitedFor {
    /// One use: an event, or a signal that a submission needs.
    Use,
    /// All work of a stream.
    Stream,
}

/// Why a use will never be known to be finished.
///
/// ```
/// use ringfence::{error::{Error, Failure}, id::*};
/// let of = UseId::new(LaneId::new(QueueId::new(0), Generation::FIRST), PacketId::new(7));
/// let error = Error::Failed { of, cause: Failure::Forced };
/// assert!(error.to_string().starts_with("use q0g0#7 was completed by force"));
/// /// Whether the work may be submitted again on the same stream.
/// fn may_try_again(cause: Failure) -> bool {
///     match cause {
///         Failure::PartFailed => true,
///         Failure::Forced | Failure::OverDecremented => false, // it may still run
///         _ => false,                                          // the stream is gone
///     }
/// }
/// # assert!(!may_try_again(Failure::Forced));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The device is gone (S17).
    #[error("was in flight when the device was lost; its results are undefined")]
    DeviceLost,
    /// A timeout stored 0 (S18).
    #[error("was completed by force; its work may still run, and its signal is quarantined")]
    Forced,
    /// Some of its parts were refused (S8).
    #[error("was issued in part only")]
    PartFailed,
    /// Its stream was closed before it finished.
    #[error("was still in flight when its stream was closed; its results are not to be read")]
    Abandoned,
    /// Its signal fell below 0 (S7).
    #[error("ended with its signal below 0: something decremented it once too often")]
    OverDecremented,
}

/// Why a signal could not be created.
///
/// ```
/// use ringfence::{error::CreateError, id::SignalHandle};
/// /// What one call of a runtime brought: status and signal.
/// fn created(status: u32, signal: SignalHandle) -> Result<SignalHandle, CreateError> {
///     match status {
///         0 if signal.is_null() => Err(CreateError::NullHandle), // it has happened
///         0 => Ok(signal),
///         _ => Err(CreateError::OutOfMemory),
///     }
/// }
/// assert_eq!(created(0, SignalHandle::NULL), Err(CreateError::NullHandle));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CreateError {
    /// Memory for signals ran out.
    #[error("out of memory for signals")]
    OutOfMemory,
    /// The process's interrupt events are used up (4,096 on Linux's KFD).
    #[error("the process has no interrupt event left")]
    NoInterrupts,
    /// The runtime or the device does not have signals of that kind.
    #[error("signals of that kind are not supported here")]
    Unsupported,
    /// The backend answered with success and no signal
    /// (<https://github.com/ROCm/rocm-systems/issues/1309>).
    #[error("the backend reported success and returned the null handle")]
    NullHandle,
    /// The device is gone.
    #[error("the device was lost")]
    DeviceLost,
}

/// Why a handler could not be set.
///
/// ```
/// use ringfence::{backend::SignalMemory, error::HandlerRefused};
/// /// What a backend whose callback thread sleeps can watch.
/// fn can_watch(memory: SignalMemory) -> Result<(), HandlerRefused> {
///     match memory {
///         SignalMemory::Interrupt => Ok(()),
///         SignalMemory::Device => Err(HandlerRefused::DeviceMemory),
///         SignalMemory::Host | SignalMemory::Shared => Err(HandlerRefused::NoInterrupt),
///     }
/// }
/// # assert_eq!(can_watch(SignalMemory::Host), Err(HandlerRefused::NoInterrupt));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HandlerRefused {
    /// The signal wakes nobody, so that a thread would have to poll it
    /// (<https://github.com/ROCm/rocm-systems/issues/7898>).
    #[error("it wakes nobody; submit the work with the role `Blocking`")]
    NoInterrupt,
    /// The runtime refuses handlers on signals in device memory.
    #[error("signals in device memory take no handlers on this runtime")]
    DeviceMemory,
    /// The device is gone.
    #[error("the device was lost")]
    DeviceLost,
}
