//! The border to C: nothing unwinds across it, in either direction.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

use crate::status::{Failure, ringfence_status_t as Status};

/// Runs a call. A panic, of ours or of a callback, becomes a status; what the call had to itself was poisoned by
/// the guard that it held.
pub(crate) fn border(call: impl FnOnce() -> Result<(), Failure>) -> Status {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => Status::RINGFENCE_OK,
        Ok(Err(Failure(status))) => status,
        Err(payload) => {
            let failure = Failure::new(
                Status::RINGFENCE_PANIC,
                format_args!(
                    "a panic was caught: {}; what the call had to itself is poisoned and can only be closed. A callback \
                     may not panic; if none did, please report it",
                    text(&*payload)
                ),
            );
            // A payload's destructor is somebody else's code, too.
            std::mem::forget(payload);
            failure.0
        }
    }
}
/// The same for calls that a finalizer may make: it leaves the thread's message alone, whose first use on a thread
/// may allocate where the library was loaded late.
pub(crate) fn quiet_border(call: impl FnOnce() -> Result<(), Status>) -> Status {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => Status::RINGFENCE_OK,
        Ok(Err(status)) => status,
        Err(payload) => {
            std::mem::forget(payload);
            Status::RINGFENCE_PANIC
        }
    }
}
fn text(payload: &(dyn Any + Send)) -> &str {
    let literal = payload.downcast_ref::<&'static str>().copied();
    literal.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no text")
}

/// A pointer that may not be NULL.
pub(crate) fn there<T>(pointer: Option<T>, name: &str) -> Result<T, Failure> {
    pointer.ok_or_else(|| Failure::null(name))
}
