//! What was found and what follows from it, for people and for programs.

use ringfence::{
    backend::{Features, HostDataPath, Profiler},
    placement::{DeviceSignals, Placement, Role},
};
use ringfence_hsa::{Findings, GpuFacts, Usable};
use serde::Serialize;

use super::{
    advice,
    cuda::Cuda,
    hip::Hip,
    surroundings::{Device, Surroundings},
};

/// Everything that is printed.
#[derive(Serialize, Debug)]
pub(super) struct Diagnosis {
    /// Whether a GPU can be used through HSA.
    pub(super) usable: bool,
    /// The library that was loaded.
    pub(super) library: Option<String>,
    /// Where a library was looked for, in that order.
    pub(super) tried: Vec<String>,
    /// The runtime's version.
    pub(super) version: Option<String>,
    /// Why there is no GPU.
    pub(super) problem: Option<String>,
    /// `/dev/kfd`.
    pub(super) device: &'static str,
    /// Variables that change what the runtime does.
    pub(super) variables: Vec<Variable>,
    /// All processors that the runtime knows.
    pub(super) agents: Vec<String>,
    /// The GPUs.
    pub(super) gpus: Vec<Gpu>,
    /// What is missing, and how to get it.
    pub(super) missing: Vec<String>,
    /// The same of HIP.
    pub(super) hip: Hip,
    /// The same of CUDA.
    pub(super) cuda: Cuda,
}
/// A variable of the environment.
#[derive(Serialize, Debug)]
pub(super) struct Variable {
    pub(super) name: &'static str,
    pub(super) value: String,
}
/// One GPU.
#[derive(Serialize, Debug)]
pub(super) struct Gpu {
    pub(super) name: String,
    pub(super) product: String,
    pub(super) large_bar: bool,
    pub(super) host_stores: &'static str,
    pub(super) device_signals: String,
    pub(super) interrupts: bool,
    pub(super) barrier_value: bool,
    pub(super) clock_hz: u64,
    pub(super) queue_packets: u32,
    /// What a tracker on this GPU should be, and why.
    pub(super) choice: Choice,
}
/// What would be chosen.
#[derive(Serialize, Debug)]
pub(super) struct Choice {
    pub(super) tracker: &'static str,
    pub(super) why: String,
    /// Where a signal lives, by what it is for.
    pub(super) placement: Vec<Placed>,
}
/// Where signals of one role live.
#[derive(Serialize, Debug)]
pub(super) struct Placed {
    pub(super) role: &'static str,
    /// As the library is set when nothing is said.
    pub(super) by_default: String,
    /// With signals in device memory allowed.
    pub(super) with_device_signals: String,
}

impl Diagnosis {
    pub(super) fn new(
        findings: &Findings,
        hip: &ringfence_hip::Findings,
        cuda: &ringfence_cuda::Findings,
        around: &Surroundings,
    ) -> Self {
        let mut missing = around.advice();
        missing.extend(findings.missing().iter().map(ToString::to_string));
        let gpus: Vec<_> = findings.gpus().iter().map(Gpu::new).collect();
        missing.extend(findings.version().and_then(advice::on_runtime));
        missing.extend(gpus.iter().filter_map(advice::on_gpu));
        Self {
            usable: findings.usable() == Usable::Yes,
            library: findings.library().map(|path| path.display().to_string()),
            tried: findings.tried().iter().map(|path| path.display().to_string()).collect(),
            version: findings.version().map(ToString::to_string),
            problem: findings.error().map(ToString::to_string),
            device: match around.device {
                Device::Open => "can be opened",
                Device::Absent => "is not there",
                Device::Forbidden => "may not be opened by this user",
                Device::Broken => "cannot be opened",
            },
            variables: around
                .variables
                .iter()
                .map(|(name, value)| Variable { name, value: value.clone() })
                .collect(),
            agents: findings.agents().to_vec(),
            gpus,
            missing,
            hip: Hip::new(hip),
            cuda: Cuda::new(cuda),
        }
    }
}
impl Gpu {
    fn new(facts: &GpuFacts) -> Self {
        let capabilities = facts.capabilities();
        let has = |one| capabilities.features.contains(one);
        Self {
            name: facts.name().to_owned(),
            product: facts.product().to_owned(),
            large_bar: has(Features::LARGE_BAR),
            host_stores: match (facts.has_flush_register(), capabilities.path) {
                (true, _) => "through HDP, with a register that flushes it",
                (false, HostDataPath::Coherent) => "coherent",
                (false, HostDataPath::Hdp) => "through HDP, with no way to flush it",
            },
            device_signals: facts.device_memory().to_string(),
            interrupts: has(Features::INTERRUPTS),
            barrier_value: has(Features::BARRIER_VALUE),
            clock_hz: facts.tick_rate().hertz(),
            queue_packets: facts.queue_limit(),
            choice: Choice::new(facts),
        }
    }
}
impl Choice {
    fn new(facts: &GpuFacts) -> Self {
        let capabilities = facts.capabilities();
        let placed = |device_signals, role| {
            let profiler = Profiler::Absent;
            Placement { device_signals, capabilities, profiler }.memory(role).to_string()
        };
        let row = |(role, name)| Placed {
            role: name,
            by_default: placed(DeviceSignals::Off, role),
            with_device_signals: placed(DeviceSignals::On, role),
        };
        let why = if capabilities.can_hold_device_signals() {
            "signals are armed again from proofs, with no load for each use; they may live in this GPU's memory \
             (DeviceSignals::On), which is off until it was measured on this GPU to pay"
        } else {
            "signals are armed again from proofs, with no load for each use; they live in host memory, since this \
             GPU's memory cannot hold them"
        };
        Self {
            tracker: "retiring",
            why: why.to_owned(),
            placement: ROLES.into_iter().map(row).collect(),
        }
    }
}

const ROLES: [(Role, &str); 8] = [
    (Role::Dispatch, "dispatch"),
    (Role::GpuWait, "wait on the GPU"),
    (Role::HostQuery, "query by the host"),
    (Role::TimingOnly, "timing only"),
    (Role::Blocking, "blocking wait"),
    (Role::Copy, "copy"),
    (Role::Peer, "wait by a peer"),
    (Role::Ipc, "another process"),
];
