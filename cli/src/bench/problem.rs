//! Why there are no figures.

use std::{io, path::PathBuf, process::ExitCode};

use ringfence::error::{DriverError, Error, StreamError};
use ringfence_cuda::CudaError;
use ringfence_hip::HipError;
use ringfence_hsa::HsaError;

/// The exit code where there is nothing to measure on.
const NOTHING_HERE: u8 = 3;

/// What ended a benchmark.
#[derive(Debug, thiserror::Error)]
pub(super) enum Problem {
    /// There is no HIP here, or it has no GPU.
    #[error("{0}\n`ringfence doctor` says what is missing")]
    NoHip(HipError),
    /// There is no HSA runtime here, or it has no GPU.
    #[error("{0}\n`ringfence doctor` says what is missing")]
    NoHsa(HsaError),
    /// There is no CUDA here, or it has no GPU.
    #[error("{0}\n`ringfence doctor` says what is missing")]
    NoCuda(CudaError),
    /// CUDA refused something.
    #[error("{0}")]
    Cuda(#[from] CudaError),
    /// HIP refused something.
    #[error("{0}")]
    Hip(#[from] HipError),
    /// A call of the runtime failed.
    #[error("{call} answered {number}")]
    Call {
        /// The runtime's function.
        call: &'static str,
        /// Its answer, as `hipError_t` or `CUresult` has it.
        number: u32,
    },
    /// The runtime refused a stream, or its work.
    #[error("the runtime refused a stream, or its work: {0}")]
    Driver(DriverError),
    /// The HSA runtime refused something.
    #[error("{0}")]
    Hsa(#[from] HsaError),
    /// The architecture to compile for is not known.
    #[error("the GPU's architecture is not known, since HSA does not say: {0}\nname it with --gfx")]
    NoArchitecture(HsaError),
    /// The library reported an error of a stream.
    #[error("{0}")]
    Stream(#[from] StreamError),
    /// The library reported an error of a signal.
    #[error("{0}")]
    Signal(#[from] Error),
    /// A result is not the CPU's.
    #[error("wrong result: {what} is {found}, and the CPU says {expected}")]
    Wrong {
        /// Which one.
        what: String,
        /// What the GPU computed.
        found: String,
        /// What the CPU did.
        expected: String,
    },
    /// The system does not say how much memory the process has.
    #[error("/proc/self/status: {0}")]
    Memory(io::Error),
    /// The page cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Unwritable {
        /// Its file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// A measurement never came about.
    #[error("{0}")]
    Unmeasured(String),
    /// With where it happened.
    #[error("{place}: {problem}")]
    At {
        /// Which run.
        place: String,
        /// What happened there.
        problem: Box<Problem>,
    },
}

impl Problem {
    /// With where it happened.
    pub(super) fn at(self, place: impl Into<String>) -> Self {
        Self::At { place: place.into(), problem: Box::new(self) }
    }
    /// 3 where there is nothing to measure on, else 1.
    pub(super) fn exit_code(&self) -> ExitCode {
        match self {
            Self::NoHip(_) | Self::NoHsa(_) | Self::NoCuda(_) => ExitCode::from(NOTHING_HERE),
            Self::At { problem, .. } => problem.exit_code(),
            _ => ExitCode::FAILURE,
        }
    }
}
