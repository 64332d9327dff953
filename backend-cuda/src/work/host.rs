//! Functions of the host in a stream's order.

use ringfence::{
    backend::streams::CaptureStatus,
    error::{DriverCode, DriverError},
    id::RawStream,
};
use ringfence_backend_shared::parcel::{Parcel, unpack};

use crate::{
    streams::{CudaStreams, raw},
    sys,
};

impl CudaStreams {
    /// The caller holds the stream.
    pub(super) fn launch_host(
        &self,
        stream: RawStream,
        function: Box<dyn FnOnce() + Send>,
    ) -> Result<(), DriverError> {
        if self.status_of_held(stream) != CaptureStatus::None {
            let code = DriverCode::new(sys::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED.cast_signed());
            return Err(DriverError::CaptureConflict(code));
        }
        let (cuda, parcel) = (self.cuda(), Parcel::send(function));
        let launch = cuda.functions().cuLaunchHostFunc;
        // SAFETY: the caller holds the stream; `unpack` is called at most once with the parcel, which is its own.
        let taken = cuda.check(unsafe { launch(raw(stream.as_u64()), unpack, parcel) });
        if taken.is_err() {
            // SAFETY: the driver did not take the parcel, so that nobody else has it.
            unsafe { Parcel::take_back(parcel) };
        }
        taken
    }
}
