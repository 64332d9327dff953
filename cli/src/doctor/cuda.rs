//! What was found of CUDA.

use ringfence_cuda::{Findings, FoundDevice, Usable};
use serde::Serialize;

/// CUDA's part of what is printed.
#[derive(Serialize, Debug)]
pub(super) struct Cuda {
    /// Whether a GPU can be used through CUDA.
    pub(super) usable: bool,
    /// The library that was loaded.
    pub(super) library: Option<String>,
    /// Where a library was looked for, in that order.
    pub(super) tried: Vec<String>,
    /// The version of CUDA that the driver serves.
    pub(super) version: Option<String>,
    /// The kernel's driver.
    pub(super) driver: Option<String>,
    /// Why there is no GPU.
    pub(super) problem: Option<String>,
    /// The GPUs.
    pub(super) gpus: Vec<CudaGpu>,
    /// What this driver lacks, and what is done instead.
    pub(super) missing: Vec<String>,
    /// What the driver does that its users do not expect, and what is done about it.
    pub(super) quirks: Vec<String>,
}
/// A GPU, as CUDA names it.
#[derive(Serialize, Debug)]
pub(super) struct CudaGpu {
    pub(super) name: Option<String>,
    pub(super) compute_capability: Option<String>,
}

impl Cuda {
    pub(super) fn new(findings: &Findings) -> Self {
        Self {
            usable: findings.usable() == Usable::Yes,
            library: findings.library().map(|path| path.display().to_string()),
            tried: findings.tried().iter().map(|path| path.display().to_string()).collect(),
            version: findings.version().map(|version| version.to_string()),
            driver: findings.driver().map(str::to_owned),
            problem: findings.error().map(ToString::to_string),
            gpus: findings.devices().iter().map(CudaGpu::new).collect(),
            missing: findings.missing().iter().map(ToString::to_string).collect(),
            quirks: findings.quirks().iter().map(ToString::to_string).collect(),
        }
    }
}
impl CudaGpu {
    fn new(device: &FoundDevice) -> Self {
        Self {
            name: device.name().map(str::to_owned),
            compute_capability: device.capability().map(str::to_owned),
        }
    }
}
