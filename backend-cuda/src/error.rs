//! What the driver answers, what that means for a pool of streams, and what to do about it.

use std::{ffi::CStr, fmt, ptr};

use ringfence::{
    backend::streams::{StreamState, StreamWait},
    error::{DriverCode, DriverError},
    id::DeviceId,
};

use crate::sys::{self, CUresult, LoadError};

/// The driver's number for an answer, and its name.
///
/// ```
/// use ringfence::error::DriverError;
/// use ringfence_cuda::Code;
/// /// Whether the same call may do better later.
/// fn may_pass(code: Code) -> bool {
///     matches!(code.class(), DriverError::CaptureConflict(_) | DriverError::OutOfMemory(_))
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code {
    number: CUresult,
    name: &'static str,
}

impl Code {
    pub(crate) const fn new(number: CUresult, name: &'static str) -> Self {
        Self { number, name }
    }

    /// The number, as `CUresult` has it.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.number
    }

    /// The driver's name of it; empty if it does not know the number.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// What it means for the one who called.
    ///
    /// | class | numbers |
    /// |---|---|
    /// | `CaptureConflict` | 900, 905 to 908: somebody captures; try again later |
    /// | `CaptureFailed` | 901, 902, 904: this capture is broken, or left a stream unjoined |
    /// | `Bad` | 1, 201, 400, 709: the driver does not know the object |
    /// | `OutOfMemory` | 2 |
    /// | `DeviceLost` | 214, 220, 700, 702, 710, 714 to 719: the context is of no use any more |
    /// | `Unsupported` | 801 |
    #[must_use]
    pub fn class(self) -> DriverError {
        let code = DriverCode::new(i32::try_from(self.number).unwrap_or(i32::MAX));
        match self.number {
            sys::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
            | sys::CUDA_ERROR_STREAM_CAPTURE_ISOLATION
            | sys::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
            | sys::CUDA_ERROR_CAPTURED_EVENT
            | sys::CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD => DriverError::CaptureConflict(code),
            sys::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
            | sys::CUDA_ERROR_STREAM_CAPTURE_MERGE
            | sys::CUDA_ERROR_STREAM_CAPTURE_UNJOINED => DriverError::CaptureFailed(code),
            sys::CUDA_ERROR_INVALID_VALUE
            | sys::CUDA_ERROR_INVALID_CONTEXT
            | sys::CUDA_ERROR_INVALID_HANDLE
            | sys::CUDA_ERROR_CONTEXT_IS_DESTROYED => DriverError::Bad(code),
            sys::CUDA_ERROR_OUT_OF_MEMORY => DriverError::OutOfMemory(code),
            sys::CUDA_ERROR_ECC_UNCORRECTABLE
            | sys::CUDA_ERROR_NVLINK_UNCORRECTABLE
            | sys::CUDA_ERROR_ILLEGAL_ADDRESS
            | sys::CUDA_ERROR_LAUNCH_TIMEOUT
            | sys::CUDA_ERROR_ASSERT
            | sys::CUDA_ERROR_HARDWARE_STACK_ERROR
            | sys::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | sys::CUDA_ERROR_MISALIGNED_ADDRESS
            | sys::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | sys::CUDA_ERROR_INVALID_PC
            | sys::CUDA_ERROR_LAUNCH_FAILED => DriverError::DeviceLost(code),
            sys::CUDA_ERROR_NOT_SUPPORTED => DriverError::Unsupported,
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

/// The driver does not know the object: what this crate says of handles that it did not make, or that are gone. The driver itself
/// would crash (580, tried).
pub(crate) const UNKNOWN_HANDLE: DriverError =
    DriverError::Bad(DriverCode::new(sys::CUDA_ERROR_INVALID_HANDLE as i32));

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

/// What went wrong with the driver, and the way out.
///
/// ```
/// use ringfence_cuda::{Cuda, CudaError};
/// /// The driver, or `None` on a machine that has no GPU for it.
/// fn cuda() -> Result<Option<Cuda>, CudaError> {
///     match Cuda::start() {
///         Ok(cuda) => Ok(Some(cuda)),
///         Err(CudaError::Load(_) | CudaError::NoGpu) => Ok(None),
///         Err(error) => Err(error), // it is there, and does not work
///     }
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// There is no driver.
    #[error(
        "{0}\ninstall NVIDIA's driver (in a container: start it with the GPU passed through), or name its libcuda.so.1 in RINGFENCE_CUDA_LIBRARY"
    )]
    Load(#[from] LoadError),
    /// A call failed.
    #[error("{call} failed with {code}{}", advice(call, *code))]
    Call {
        /// The driver's function.
        call: &'static str,
        /// Its answer.
        code: Code,
    },
    /// The driver works, and knows no GPU.
    #[error(
        "the CUDA driver knows no GPU; are /dev/nvidia0 and /dev/nvidiactl there, and does CUDA_VISIBLE_DEVICES hide it?"
    )]
    NoGpu,
    /// There is no GPU with that number.
    #[error("there is no {id}: the driver knows {count} GPUs")]
    NoSuchDevice {
        /// The number.
        id: DeviceId,
        /// How many GPUs there are.
        count: u32,
    },
    /// There is no pinned memory.
    #[error("no pinned host memory: {error}")]
    Memory {
        /// What the driver says.
        error: DriverError,
    },
    /// A name or a text with a 0 in it.
    #[error("`{name}` has a 0 in it, and the driver's texts end at one")]
    Name {
        /// The text.
        name: String,
    },
}

/// What to do about `code` of `call`, where that is known.
fn advice(call: &str, code: Code) -> &'static str {
    match (call, code.number()) {
        (_, sys::CUDA_ERROR_STUB_LIBRARY) => {
            "; this is the toolkit's stub for linking, and not the driver's library: take its folder out of LD_LIBRARY_PATH"
        }
        (_, sys::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH) => {
            "; libcuda.so.1 and the kernel's driver are of different versions: restart, or match them"
        }
        ("cuInit", _) => {
            "; is the kernel's driver loaded (/dev/nvidiactl), and may this user open it?"
        }
        ("cuModuleLoadData", _) => {
            "; is the PTX for this GPU, and of a version that this driver knows?"
        }
        (_, sys::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) => {
            "; end the captures of this process first"
        }
        (_, sys::CUDA_ERROR_OUT_OF_MEMORY) => "; free memory, or destroy streams",
        _ => "",
    }
}

/// The driver's name of a number; its strings are static.
pub(crate) fn name_of(functions: &sys::Functions, number: CUresult) -> &'static str {
    let mut name = ptr::null();
    // SAFETY: `name` is writable.
    let known = unsafe { (functions.cuGetErrorName)(number, &raw mut name) };
    if known != sys::CUDA_SUCCESS || name.is_null() {
        return "";
    }
    // SAFETY: the driver's names are literals that end in 0, in a library that is never unloaded.
    unsafe { CStr::from_ptr(name) }.to_str().unwrap_or("")
}

#[cfg(test)]
mod tests;
