//! Functions of the host in a stream's order.

use std::{
    ffi::c_void,
    panic::{AssertUnwindSafe, catch_unwind},
};

use ringfence::{
    backend::streams::CaptureStatus,
    error::{DriverCode, DriverError},
    id::RawStream,
};

use crate::{
    streams::{HipStreams, raw},
    sys::{self, hipError_t, hipStream_t},
};

/// What travels through HIP.
struct Parcel(Box<dyn FnOnce() + Send>);

impl HipStreams {
    /// The caller holds the stream.
    pub(super) fn launch_host(
        &self,
        stream: RawStream,
        function: Box<dyn FnOnce() + Send>,
    ) -> Result<(), DriverError> {
        if self.status_of_held(stream) != CaptureStatus::None {
            let code = DriverCode::new(sys::hipErrorStreamCaptureUnsupported.cast_signed());
            return Err(DriverError::CaptureConflict(code));
        }
        let (hip, functions) = (self.hip(), self.hip().functions());
        let parcel = Box::into_raw(Box::new(Parcel(function)));
        let answer = match functions.hipLaunchHostFunc {
            // SAFETY: the caller holds the stream; `unpack` is called at most once with the parcel, which is its own.
            Some(launch) => unsafe { launch(raw(stream.as_u64()), unpack, parcel.cast()) },
            None => {
                let add = functions.hipStreamAddCallback;
                // SAFETY: as above.
                unsafe { add(raw(stream.as_u64()), unpack_callback, parcel.cast(), 0) }
            }
        };
        let taken = hip.check(answer);
        if taken.is_err() {
            // SAFETY: HIP did not take the parcel, so that nobody else has it.
            drop(unsafe { Box::from_raw(parcel) });
        }
        taken
    }
}

/// Called by HIP, once.
///
/// # Safety
/// `parcel` is a [`Parcel`] that nobody else has.
unsafe extern "C" fn unpack(parcel: *mut c_void) {
    // SAFETY: the caller's promise.
    let Parcel(function) = *unsafe { Box::from_raw(parcel.cast::<Parcel>()) };
    // Nothing may unwind into HIP; the panic's message was printed where it happened.
    let _printed = catch_unwind(AssertUnwindSafe(function));
}

/// As [`unpack`], for the older call.
///
/// # Safety
/// As for [`unpack`].
unsafe extern "C" fn unpack_callback(_: hipStream_t, _: hipError_t, parcel: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { unpack(parcel) }
}
