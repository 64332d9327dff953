//! What was found of HIP.

use ringfence_hip::{Findings, FoundDevice, Usable};
use serde::Serialize;

/// HIP's part of what is printed.
#[derive(Serialize, Debug)]
pub(super) struct Hip {
    /// Whether a GPU can be used through HIP.
    pub(super) usable: bool,
    /// The library that was loaded.
    pub(super) library: Option<String>,
    /// Where a library was looked for, in that order.
    pub(super) tried: Vec<String>,
    /// HIP's version.
    pub(super) version: Option<String>,
    /// Why there is no GPU.
    pub(super) problem: Option<String>,
    /// The GPUs.
    pub(super) gpus: Vec<HipGpu>,
    /// What this version lacks, and what is done instead.
    pub(super) missing: Vec<String>,
    /// What this version does that its users do not expect, and what is done about it.
    pub(super) quirks: Vec<String>,
}
/// A GPU, as HIP names it.
#[derive(Serialize, Debug)]
pub(super) struct HipGpu {
    pub(super) name: Option<String>,
    pub(super) gfx: Option<String>,
}

impl Hip {
    pub(super) fn new(findings: &Findings) -> Self {
        Self {
            usable: findings.usable() == Usable::Yes,
            library: findings.library().map(|path| path.display().to_string()),
            tried: findings.tried().iter().map(|path| path.display().to_string()).collect(),
            version: findings.version().map(|version| version.to_string()),
            problem: findings.error().map(ToString::to_string),
            gpus: findings.devices().iter().map(HipGpu::new).collect(),
            missing: findings.missing().iter().map(ToString::to_string).collect(),
            quirks: findings.quirks().iter().map(ToString::to_string).collect(),
        }
    }
}
impl HipGpu {
    fn new(device: &FoundDevice) -> Self {
        Self { name: device.name().map(str::to_owned), gfx: device.gfx().map(str::to_owned) }
    }
}
