//! The border to C: no panic crosses it, and errors become error numbers.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{errno::Errno, trace};

/// Runs `act`; answers with `failed` and sets `errno` if it fails.
pub(super) fn guarded<R>(failed: R, act: impl FnOnce() -> Result<R, Errno>) -> R {
    let done = catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_| {
        trace::line("internal error in a call: see above");
        Err(Errno::IO)
    });
    done.unwrap_or_else(|why| {
        // SAFETY: answers with the place of the calling thread's `errno`.
        let errno = unsafe { libc::__errno_location() };
        // SAFETY: as above; nobody else uses it.
        unsafe { *errno = why.number() };
        failed
    })
}
/// The same for functions that answer with 0 or a negative error number, as libdrm's.
pub(super) fn negative(act: impl FnOnce() -> Result<(), Errno>) -> libc::c_int {
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(Ok(())) => 0,
        Ok(Err(why)) => -why.number(),
        Err(_) => {
            trace::line("internal error in a call: see above");
            -libc::EIO
        }
    }
}
