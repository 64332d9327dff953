//! The error numbers of HIP, which CUDA shares but for a few.

use ringfence::{
    backend::streams::StreamState,
    error::{DriverCode, DriverError},
};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $class:ident $number:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) const $name: DriverError = DriverError::$class(DriverCode::new($number));
    )*};
}
codes! {
    /// An argument that the driver does not know.
    INVALID_VALUE = Bad 1;
    /// Out of memory, or of queues.
    OUT_OF_MEMORY = OutOfMemory 2;
    /// The driver is shut down, or of another process.
    DEINITIALIZED = Other 4;
    /// A handle of nothing.
    INVALID_HANDLE = Bad 400;
    /// The call does not fit the state of the stream.
    ILLEGAL_STATE = Other 401;
    /// Not finished.
    NOT_READY = Other 600;
    /// A handle of a stream that is gone.
    DESTROYED = Bad 709;
    /// The device is lost.
    LOST = DeviceLost 719;
    /// Not while somebody captures.
    UNSUPPORTED = CaptureConflict 900;
    /// The capture was invalidated.
    INVALIDATED = CaptureFailed 901;
    /// Two captures would become one.
    MERGE = Other 902;
    /// The stream did not begin the capture.
    UNMATCHED = Other 903;
    /// A stream that joined has not come back.
    UNJOINED = CaptureFailed 904;
    /// A dependency from outside the capture.
    ISOLATION = CaptureConflict 905;
    /// Would wait for a capturing stream.
    IMPLICIT = CaptureConflict 906;
    /// The event is part of a capture.
    CAPTURED_EVENT = CaptureConflict 907;
    /// Another thread began the capture.
    WRONG_THREAD = CaptureConflict 908;
}

/// What a query that brought this error says of the stream.
pub(crate) const fn state_of(error: DriverError) -> StreamState {
    match error {
        DriverError::CaptureConflict(_) => StreamState::Unknown,
        error => StreamState::Failed(error),
    }
}
