//! Functions of the host in a stream's order.

use std::ffi::c_void;

use ringfence::{
    backend::streams::CaptureStatus,
    error::{DriverCode, DriverError},
    id::RawStream,
};
use ringfence_backend_shared::parcel::{Parcel, unpack};

use crate::{
    streams::{HipStreams, raw},
    sys::{self, hipError_t, hipStream_t},
};

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
        let parcel = Parcel::send(function);
        let answer = match functions.hipLaunchHostFunc {
            // SAFETY: the caller holds the stream; `unpack` is called at most once with the parcel, which is its own.
            Some(launch) => unsafe { launch(raw(stream.as_u64()), unpack, parcel) },
            None => {
                let add = functions.hipStreamAddCallback;
                // SAFETY: as above.
                unsafe { add(raw(stream.as_u64()), unpack_callback, parcel, 0) }
            }
        };
        let taken = hip.check(answer);
        if taken.is_err() {
            // SAFETY: HIP did not take the parcel, so that nobody else has it.
            unsafe { Parcel::take_back(parcel) };
        }
        taken
    }
}

/// As [`unpack`], for the older call.
///
/// # Safety
/// As for [`unpack`].
unsafe extern "C" fn unpack_callback(_: hipStream_t, _: hipError_t, parcel: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { unpack(parcel) }
}
