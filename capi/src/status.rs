//! What calls answer with, and the message that goes with it.

use std::{
    cell::RefCell,
    ffi::c_char,
    fmt::{self, Write},
};

use ringfence::error::{Error, StreamError};
use ringfence::task::TaskError;

/// What a call answers with. Everything but `RINGFENCE_OK` left things as they were, unless the function
/// says otherwise; `ringfence_last_error` has the object and the remedy in words.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum ringfence_status_t {
    /// Done.
    RINGFENCE_OK = 0,
    /// A pointer that may not be NULL is, or a number is none of its enumeration.
    RINGFENCE_INVALID_ARGUMENT = 1,
    /// The handle is 0, was never given out, or names an object of another kind.
    RINGFENCE_BAD_HANDLE = 2,
    /// The object of this handle is gone: it was closed, released or given up.
    RINGFENCE_STALE_HANDLE = 3,
    /// Another call has the object at this moment, or something still depends on it.
    RINGFENCE_IN_USE = 4,
    /// A structure's `size` is too small, or a table was written for another version of this interface.
    RINGFENCE_ABI_MISMATCH = 5,
    /// A required entry of a table is NULL.
    RINGFENCE_INCOMPLETE_TABLE = 6,
    /// A callback written in Rust panicked, or this library has a bug. What the call had to itself is poisoned.
    RINGFENCE_PANIC = 7,
    /// An earlier call on this object ended with `RINGFENCE_PANIC`: it can only be closed.
    RINGFENCE_POISONED = 8,
    /// A hand-in has no place left. Nothing is lost: the caller still owns what it brought. Pump, and call again.
    RINGFENCE_FULL = 9,
    /// The library was built without this backend, or the backend does not have the function.
    RINGFENCE_UNSUPPORTED = 10,
    /// AMD's runtime could not be loaded or started.
    RINGFENCE_NO_RUNTIME = 11,
    /// The calling thread is not the one that has to make this call.
    RINGFENCE_WRONG_THREAD = 12,
    /// Calls came in another order than the one that they have to come in.
    RINGFENCE_OUT_OF_ORDER = 13,
    /// The callback gave up what it was called for.
    RINGFENCE_GIVEN_UP = 14,
    /// The memory, stamp, lease or graph came from another pool, or the ring's object from another ring.
    RINGFENCE_OTHER_POOL = 15,
    /// The memory gave another stamp, which has what used it: memory is given up with that one alone.
    RINGFENCE_OTHER_STAMP = 16,

    /// The driver refused what was asked for; a part of refused work may run all the same.
    RINGFENCE_DRIVER = 32,
    /// No stream could be created.
    RINGFENCE_NO_STREAM = 33,
    /// The pool's hard cap is reached, and nothing is idle.
    RINGFENCE_POOL_FULL = 34,
    /// The device is lost. What its work may still write to is leaked and counted.
    RINGFENCE_DEVICE_LOST = 35,
    /// This process is a fork of the one that started the driver: no driver call is made.
    RINGFENCE_FORKED = 36,
    /// The pool is shut down, or the process exits.
    RINGFENCE_SHUT_DOWN = 37,
    /// The raw handle is no stream of its own (0, 1 and 2 of HIP and CUDA).
    RINGFENCE_NOT_ONE_STREAM = 38,
    /// The stream was handed on or closed meanwhile.
    RINGFENCE_STALE_STREAM = 39,
    /// The device was reset after the object was made.
    RINGFENCE_RESET = 40,
    /// The stream captures, so that what was asked for would be recorded, or refused.
    RINGFENCE_CAPTURING = 41,
    /// A wait ran into its limit. Nothing was changed: wait again.
    RINGFENCE_TIMED_OUT = 42,
    /// Whether earlier work is finished cannot be known any more.
    RINGFENCE_UNKNOWABLE = 43,
    /// Another call has this owner's streams at this moment.
    RINGFENCE_OWNER_IN_USE = 44,

    /// A signal fell below 0: something decremented it once too often. It is quarantined.
    RINGFENCE_OVER_DECREMENT = 64,
    /// The ring is at its cap, and others hold every signal.
    RINGFENCE_EXHAUSTED = 65,
    /// The backend could not create a signal.
    RINGFENCE_NO_SIGNAL = 66,
    /// The use that was waited for will never be known to be finished.
    RINGFENCE_USE_FAILED = 67,
    /// A queue was told to wait for a signal in another device's memory.
    RINGFENCE_PEER_CELL = 68,
    /// An event for other processes was recorded again before its first recording was proven.
    RINGFENCE_EVENT_PENDING = 69,
    /// No handler can be set on this signal.
    RINGFENCE_NO_HANDLER = 70,
    /// An error that this version of the interface has no name for; the message has it.
    RINGFENCE_OTHER = 127,
}
use ringfence_status_t as Status;

/// Bytes of a message; a longer one is cut.
const LENGTH: usize = 512;

struct Text {
    bytes: [u8; LENGTH],
    len: usize,
}
impl Write for Text {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        let mut take = more.len().min(LENGTH - self.len);
        while !more.is_char_boundary(take) {
            take -= 1;
        }
        self.bytes[self.len..self.len + take].copy_from_slice(&more.as_bytes()[..take]);
        self.len += take;
        Ok(())
    }
}
thread_local! {
    /// Without a destructor and in place, so that to use it allocates nothing of its own.
    static LAST: RefCell<Text> = const { RefCell::new(Text { bytes: [0; LENGTH], len: 0 }) };
}

/// A call failed; the message is where `ringfence_last_error` finds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) struct Failure(pub(crate) Status);
impl Failure {
    /// Keeps the message for this thread.
    pub(crate) fn new(status: Status, message: fmt::Arguments<'_>) -> Self {
        LAST.with_borrow_mut(|last| {
            last.len = 0;
            let _cut = last.write_fmt(message);
        });
        Self(status)
    }
    /// With a message made of the error itself.
    pub(crate) fn of(status: Status, error: &dyn fmt::Display) -> Self {
        Self::new(status, format_args!("{error}"))
    }
    pub(crate) fn null(name: &str) -> Self {
        Self::new(
            Status::RINGFENCE_INVALID_ARGUMENT,
            format_args!("`{name}` is NULL; pass the address of an object that is there"),
        )
    }
    /// What is to become something one day is 0 until then.
    pub(crate) fn unless_0(name: &str, reserved: u32) -> Result<(), Self> {
        if reserved == 0 {
            return Ok(());
        }
        Err(Self::new(
            Status::RINGFENCE_INVALID_ARGUMENT,
            format_args!(
                "`{name}` is {reserved}, and is 0 in this version; zero the structure before it is filled in"
            ),
        ))
    }
    /// A number that memory is made by before anything else is known.
    pub(crate) fn at_most(name: &str, number: u32, most: u32) -> Result<u32, Self> {
        if number <= most {
            return Ok(number);
        }
        Err(Self::new(
            Status::RINGFENCE_INVALID_ARGUMENT,
            format_args!(
                "`{name}` is {number}, and is {most} at most: so much is made at once; pass less"
            ),
        ))
    }
    pub(crate) fn unknown(name: &str, number: impl fmt::Display) -> Self {
        Self::new(
            Status::RINGFENCE_INVALID_ARGUMENT,
            format_args!(
                "`{name}` is {number}, which is none of its enumeration's values; see ringfence.h"
            ),
        )
    }
}
impl From<StreamError> for Failure {
    fn from(error: StreamError) -> Self {
        let status = match error {
            StreamError::Driver { .. } => Status::RINGFENCE_DRIVER,
            StreamError::Create { .. } => Status::RINGFENCE_NO_STREAM,
            StreamError::Full { .. } => Status::RINGFENCE_POOL_FULL,
            StreamError::DeviceLost => Status::RINGFENCE_DEVICE_LOST,
            StreamError::Forked => Status::RINGFENCE_FORKED,
            StreamError::ShutDown => Status::RINGFENCE_SHUT_DOWN,
            StreamError::NotOneStream { .. } => Status::RINGFENCE_NOT_ONE_STREAM,
            StreamError::Stale { .. } => Status::RINGFENCE_STALE_STREAM,
            StreamError::OtherPool { .. } | StreamError::MemoryOfOtherPool { .. } => {
                Status::RINGFENCE_OTHER_POOL
            }
            StreamError::Reset { .. } => Status::RINGFENCE_RESET,
            StreamError::Capturing { .. } | StreamError::Participants { .. } => {
                Status::RINGFENCE_CAPTURING
            }
            StreamError::Unjoined { .. } => Status::RINGFENCE_DRIVER,
            StreamError::TimedOut { .. } => Status::RINGFENCE_TIMED_OUT,
            StreamError::Unknowable { .. } => Status::RINGFENCE_UNKNOWABLE,
            _ => Status::RINGFENCE_OTHER,
        };
        Self::of(status, &error)
    }
}
impl From<TaskError> for Failure {
    fn from(error: TaskError) -> Self {
        match error {
            TaskError::Stream(error) => error.into(),
            TaskError::InUse => Self::of(Status::RINGFENCE_OWNER_IN_USE, &error),
            _ => Self::of(Status::RINGFENCE_OTHER, &error),
        }
    }
}
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::OverDecrement { .. } => Status::RINGFENCE_OVER_DECREMENT,
            Error::Exhausted { .. } => Status::RINGFENCE_EXHAUSTED,
            Error::Create { .. } => Status::RINGFENCE_NO_SIGNAL,
            Error::DeviceLost { .. } => Status::RINGFENCE_DEVICE_LOST,
            Error::TimedOut { .. } => Status::RINGFENCE_TIMED_OUT,
            Error::PartFailed { .. } | Error::Failed { .. } => Status::RINGFENCE_USE_FAILED,
            Error::PeerCell { .. } => Status::RINGFENCE_PEER_CELL,
            Error::IpcPending { .. } => Status::RINGFENCE_EVENT_PENDING,
            Error::Handler { .. } => Status::RINGFENCE_NO_HANDLER,
            Error::TooManyAlternatives { .. }
            | Error::SameQueueId { .. }
            | Error::OtherDevice { .. } => Status::RINGFENCE_INVALID_ARGUMENT,
            _ => Status::RINGFENCE_OTHER,
        };
        Self::of(status, &error)
    }
}

/// Copies the message of this thread's last failed call into `buffer`, cut to `length - 1` bytes and ended with a
/// 0, and returns the length of the whole message, without the 0. `buffer` may be NULL when `length` is 0.
///
/// UTF-8; it names the object and the remedy. A call that succeeds leaves the message as it is, and so does every
/// call that a finalizer may make, whose status says all.
///
/// Threads: each has its own message. Finalizers: no.
///
/// # Safety
/// `buffer` has `length` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_last_error(buffer: *mut c_char, length: usize) -> usize {
    LAST.with_borrow(|last| {
        if !buffer.is_null() && length > 0 {
            let take = last.len.min(length - 1);
            // SAFETY: the caller has `length` writable bytes there, which is more than `take`; ours are in this thread.
            unsafe { std::ptr::copy_nonoverlapping(last.bytes.as_ptr(), buffer.cast(), take) };
            // SAFETY: as above: `take` is below `length`.
            let end = unsafe { buffer.add(take) };
            // SAFETY: as above.
            unsafe { end.write(0) };
        }
        last.len
    })
}
