//! What HIP answers, what that means for a pool of streams, and what to do about it.

use std::{ffi::CStr, fmt};

use ringfence::{
    backend::streams::{StreamState, StreamWait},
    error::{DriverCode, DriverError},
    id::DeviceId,
};

use crate::sys::{self, LoadError, hipError_t};

/// HIP's number for an answer, and HIP's name of it.
///
/// ```
/// use ringfence::error::DriverError;
/// use ringfence_hip::Code;
/// /// Whether the same call may do better later.
/// fn may_pass(code: Code) -> bool {
///     matches!(code.class(), DriverError::CaptureConflict(_) | DriverError::OutOfMemory(_))
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code {
    number: hipError_t,
    name: &'static str,
}

impl Code {
    pub(crate) const fn new(number: hipError_t, name: &'static str) -> Self {
        Self { number, name }
    }

    /// The number, as `hipError_t` has it.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.number
    }

    /// HIP's name of it; empty if it does not know the number.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// What it means for the one who called.
    ///
    /// | class | numbers |
    /// |---|---|
    /// | `CaptureConflict` | 900, 905 to 908: somebody captures; try again later |
    /// | `CaptureFailed` | 901, 904: this capture is broken, or left a stream unjoined |
    /// | `Bad` | 1, 201, 400, 709: HIP does not know the object (5.2 says 1 of a stale stream, later ones 709 or 400) |
    /// | `OutOfMemory` | 2 |
    /// | `DeviceLost` | 214, 700, 702, 710, 719: after one of these HIP refuses every further call, or should |
    /// | `Unsupported` | 801 |
    #[must_use]
    pub fn class(self) -> DriverError {
        let code = DriverCode::new(i32::try_from(self.number).unwrap_or(i32::MAX));
        match self.number {
            sys::hipErrorStreamCaptureUnsupported
            | sys::hipErrorStreamCaptureIsolation
            | sys::hipErrorStreamCaptureImplicit
            | sys::hipErrorCapturedEvent
            | sys::hipErrorStreamCaptureWrongThread => DriverError::CaptureConflict(code),
            sys::hipErrorStreamCaptureInvalidated | sys::hipErrorStreamCaptureUnjoined => {
                DriverError::CaptureFailed(code)
            }
            sys::hipErrorInvalidValue
            | sys::hipErrorInvalidContext
            | sys::hipErrorInvalidHandle
            | sys::hipErrorContextIsDestroyed => DriverError::Bad(code),
            sys::hipErrorOutOfMemory => DriverError::OutOfMemory(code),
            sys::hipErrorECCNotCorrectable
            | sys::hipErrorIllegalAddress
            | sys::hipErrorLaunchTimeOut
            | sys::hipErrorAssert
            | sys::hipErrorLaunchFailure => DriverError::DeviceLost(code),
            sys::hipErrorNotSupported => DriverError::Unsupported,
            _ => DriverError::Other(code),
        }
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number)?;
        if self.name.is_empty() { Ok(()) } else { write!(f, " ({})", self.name) }
    }
}

/// HIP does not know the object: what this crate says of handles that it did not make, or that are gone.
pub(crate) const UNKNOWN_HANDLE: DriverError =
    DriverError::Bad(DriverCode::new(sys::hipErrorInvalidHandle as i32));

/// What a query that failed says of a stream or an event.
pub(crate) fn state_of(error: DriverError) -> StreamState {
    match error {
        DriverError::CaptureConflict(_) => StreamState::Unknown,
        error => StreamState::Failed(error),
    }
}

/// What a query says to one who waits: nothing, if it is pending.
pub(crate) const fn wait_of(state: StreamState) -> Option<StreamWait> {
    match state {
        StreamState::Idle => Some(StreamWait::Finished),
        StreamState::Pending => None,
        StreamState::Unknown => Some(StreamWait::Unknown),
        StreamState::Failed(error) => Some(StreamWait::Failed(error)),
    }
}

/// What went wrong with HIP, and the way out.
///
/// ```
/// use ringfence_hip::{Hip, HipError};
/// /// HIP, or `None` on a machine that has no GPU for it.
/// fn hip() -> Result<Option<Hip>, HipError> {
///     match Hip::start() {
///         Ok(hip) => Ok(Some(hip)),
///         Err(HipError::Load(_) | HipError::NoGpu) => Ok(None),
///         Err(error) => Err(error), // it is there, and does not work
///     }
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HipError {
    /// There is no HIP.
    #[error(
        "{0}\ninstall AMD's runtime (Debian and Ubuntu: libamdhip64-5 or newer; ROCm: hip-runtime-amd), or name it in RINGFENCE_HIP_LIBRARY"
    )]
    Load(#[from] LoadError),
    /// A call failed.
    #[error("{call} failed with {code}{}", advice(call, *code))]
    Call {
        /// HIP's function.
        call: &'static str,
        /// Its answer.
        code: Code,
    },
    /// HIP works, and knows no GPU.
    #[error(
        "HIP knows no GPU; is the driver loaded (/dev/kfd), is this user in the groups `render` and `video`, and does HIP_VISIBLE_DEVICES hide it?"
    )]
    NoGpu,
    /// There is no GPU with that number.
    #[error("there is no {id}: HIP knows {count} GPUs")]
    NoSuchDevice {
        /// The number.
        id: DeviceId,
        /// How many GPUs there are.
        count: u32,
    },
    /// A listener of [`HipDevice::on_completion`](crate::HipDevice::on_completion) announced a reset, which would wait for that very
    /// listener.
    #[error(
        "a reset waits until listeners have returned, and a listener announced it; have another thread do that"
    )]
    InListener,
    /// This version of HIP lacks something.
    #[error("HIP {version} has no {what}; {remedy}")]
    Missing {
        /// The version.
        version: crate::HipVersion,
        /// What it lacks.
        what: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A kernel did not compile.
    #[error("the kernel does not compile:\n{log}")]
    Compile {
        /// What the compiler says.
        log: String,
    },
    /// A name with a 0 in it.
    #[error("`{name}` has a 0 in it, and HIP's names end at one")]
    Name {
        /// The name.
        name: String,
    },
}

/// What to do about `code` of `call`, where that is known.
fn advice(call: &str, code: Code) -> &'static str {
    match (call, code.number()) {
        ("hipInit", _) => {
            "; is there an AMD GPU, is the driver loaded (/dev/kfd), and is this user in the groups `render` and `video`?"
        }
        ("hipModuleLoadData", _) => "; is the code for this GPU's architecture?",
        (_, sys::hipErrorStreamCaptureUnsupported) => "; end the captures of this process first",
        (_, sys::hipErrorOutOfMemory) => "; free memory, or destroy streams",
        _ => "",
    }
}

/// HIP's name of a number; its strings are static.
pub(crate) fn name_of(functions: &sys::Functions, number: hipError_t) -> &'static str {
    // SAFETY: no precondition.
    let name = unsafe { (functions.hipGetErrorName)(number) };
    if name.is_null() {
        return "";
    }
    // SAFETY: HIP's names are literals that end in 0, in a library that is never unloaded.
    unsafe { CStr::from_ptr(name) }.to_str().unwrap_or("")
}

#[cfg(test)]
mod tests;
