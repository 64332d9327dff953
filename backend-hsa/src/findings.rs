//! What there is on this machine, for people: `ringfence doctor` prints it.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use ringfence::{
    backend::{Features, HostDataPath},
    id::DeviceId,
};

use crate::{
    agent::RuntimeVersion,
    capabilities::{DeviceMemory, GpuFacts},
    error::HsaError,
    events::SystemEvents,
    runtime::Runtime,
    sys::Library,
};

/// Whether a GPU can be used.
///
/// ```no_run
/// use ringfence_hsa::{Findings, Usable};
/// let findings = Findings::collect();
/// match findings.usable() {
///     Usable::Yes => println!("{} GPUs", findings.gpus().len()),
///     Usable::No => println!("no GPU; {} libraries were looked for", findings.tried().len()),
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum Usable {
    /// At least one can.
    Yes,
    /// None can, and [`Findings::error`] says why.
    No,
}

/// What was found. Nothing is left open: the runtime is up for the look alone, unless somebody else holds it.
///
/// ```no_run
/// use ringfence_hsa::Findings;
/// let findings = Findings::collect();
/// if let Some(error) = findings.error() {
///     eprintln!("{error}"); // with what to do
/// }
/// println!("{findings}"); // all of it
/// ```
#[derive(Debug)]
pub struct Findings {
    tried: Vec<PathBuf>,
    library: Option<PathBuf>,
    error: Option<HsaError>,
    version: Option<RuntimeVersion>,
    agents: Vec<String>,
    gpus: Vec<GpuFacts>,
    missing: Vec<Missing>,
}

/// Something that would make a difference, and how to get it. It is no error: what depends on it is left out or done otherwise.
///
/// ```no_run
/// use ringfence_hsa::{Findings, Missing};
/// for missing in Findings::collect().missing() {
///     match missing {
///         Missing::LargeBar { gpu } => println!("{gpu}: see the firmware's settings"),
///         other => println!("{other}"),
///     }
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Missing {
    /// The host cannot map a GPU's memory.
    #[error(
        "{gpu}: no large BAR, so that signals stay in host memory; enable \"above 4G decoding\" and \"resizable BAR\" in the firmware"
    )]
    LargeBar {
        /// The GPU.
        gpu: DeviceId,
    },
    /// Stores of the host cannot be flushed.
    #[error(
        "{gpu}: neither a register that flushes host stores (HDP) nor a coherent link, so that signals stay in host memory; use a newer kernel driver"
    )]
    Flush {
        /// The GPU.
        gpu: DeviceId,
    },
    /// A signal in device memory was tried and did not work.
    #[error(
        "{gpu}: a signal in device memory could not be made, so that signals stay in host memory; is its memory used up?"
    )]
    DeviceSignals {
        /// The GPU.
        gpu: DeviceId,
    },
    /// No signal wakes a sleeping thread.
    #[error(
        "{gpu}: no interrupt event is left, so that blocking waits spin; a process has 4,096, and HSA_ENABLE_INTERRUPT=0 turns them off"
    )]
    Interrupts {
        /// The GPU.
        gpu: DeviceId,
    },
    /// The packet processor is not known to have the barrier-value packet.
    #[error(
        "{gpu}: {gfx} is not known to have the barrier-value packet; barrier-AND packets are used"
    )]
    BarrierValue {
        /// The GPU.
        gpu: DeviceId,
        /// Its instruction set.
        gfx: String,
    },
    /// The runtime has no batched creation of signals.
    #[error(
        "the runtime has no hsa_amd_signal_create_v2 (ROCm 10 has it): signals in device memory are raw blocks, of which it does not tell whether the GPU caches them; leave `DeviceSignals` off unless a test on this GPU has passed"
    )]
    CreateV2,
    /// The runtime says nothing of a GPU that was reset or hung.
    #[error(
        "this runtime reports memory faults and queue errors, and says nothing of a GPU that was reset or hung: waits for it end at their limit; ROCr 6 and newer report it"
    )]
    HardwareEvents,
    /// Somebody else handles memory faults.
    #[error(
        "another library of the process handles memory faults: a GPU that is lost by one is seen to be lost only when a queue fails"
    )]
    SystemEvents,
}

impl Findings {
    /// Looks. It never fails: what goes wrong is a finding.
    #[must_use]
    pub fn collect() -> Self {
        let mut findings = Self {
            tried: Library::paths(),
            library: None,
            error: None,
            version: None,
            agents: Vec::new(),
            gpus: Vec::new(),
            missing: Vec::new(),
        };
        match Library::load() {
            Err(error) => findings.error = Some(error.into()),
            Ok(library) => {
                findings.library = Some(library.path().to_owned());
                match Runtime::start_with(library) {
                    Err(error) => findings.error = Some(error),
                    Ok(runtime) => findings.look(&runtime, library),
                }
            }
        }
        findings
    }

    fn look(&mut self, runtime: &Runtime, library: &Library) {
        self.version = Some(runtime.version().clone());
        self.agents = runtime.agents().iter().map(|one| one.name().to_owned()).collect();
        self.gpus = runtime.all_facts().cloned().collect();
        if library.signal_create_v2().is_none() {
            self.missing.push(Missing::CreateV2);
        }
        if runtime.version().extensions.is_none() {
            self.missing.push(Missing::HardwareEvents);
        }
        if runtime.system_events() == SystemEvents::Others {
            self.missing.push(Missing::SystemEvents);
        }
        for (index, facts) in (0..).zip(&self.gpus) {
            missing_of(DeviceId::new(index), facts, &mut self.missing);
        }
    }

    /// Whether a GPU can be used.
    pub fn usable(&self) -> Usable {
        if self.gpus.is_empty() { Usable::No } else { Usable::Yes }
    }

    /// The libraries that are looked for, in order.
    #[must_use]
    pub fn tried(&self) -> &[PathBuf] {
        &self.tried
    }

    /// The library that was loaded, as it was named.
    #[must_use]
    pub fn library(&self) -> Option<&Path> {
        self.library.as_deref()
    }

    /// Why no GPU can be used, with each library that was tried and what to do.
    #[must_use]
    pub fn error(&self) -> Option<&HsaError> {
        self.error.as_ref()
    }

    /// The runtime's version.
    #[must_use]
    pub fn version(&self) -> Option<&RuntimeVersion> {
        self.version.as_ref()
    }

    /// Names of all processors that the runtime knows.
    #[must_use]
    pub fn agents(&self) -> &[String] {
        &self.agents
    }

    /// The GPUs, in the order of their [`DeviceId`]s.
    #[must_use]
    pub fn gpus(&self) -> &[GpuFacts] {
        &self.gpus
    }

    /// What would make a difference.
    #[must_use]
    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }
}

fn missing_of(gpu: DeviceId, facts: &GpuFacts, missing: &mut Vec<Missing>) {
    match facts.device_memory() {
        DeviceMemory::NoLargeBar => missing.push(Missing::LargeBar { gpu }),
        DeviceMemory::NoFlush => missing.push(Missing::Flush { gpu }),
        DeviceMemory::Failed => missing.push(Missing::DeviceSignals { gpu }),
        DeviceMemory::ByRuntime | DeviceMemory::RawBlocks => {}
    }
    let features = facts.capabilities().features;
    if !features.contains(Features::INTERRUPTS) {
        missing.push(Missing::Interrupts { gpu });
    }
    if !features.contains(Features::BARRIER_VALUE) {
        missing.push(Missing::BarrierValue { gpu, gfx: facts.name().to_owned() });
    }
}

impl fmt::Display for RuntimeVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor] = self.interface;
        write!(f, "HSA {major}.{minor}")?;
        if let Some([major, minor]) = self.extensions {
            write!(f, ", AMD's extensions {major}.{minor}")?;
        }
        self.build.map_or(Ok(()), |build| write!(f, ", build {build}"))
    }
}

impl fmt::Display for DeviceMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ByRuntime => "by hsa_amd_signal_create_v2",
            Self::RawBlocks => "raw blocks",
            Self::NoLargeBar => "no: there is no large BAR",
            Self::NoFlush => "no: host stores cannot be flushed",
            Self::Failed => "no: one was tried and failed",
        })
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.library, &self.error) {
            (Some(library), _) => writeln!(f, "runtime: {}", library.display())?,
            (None, _) => writeln!(f, "runtime: none")?,
        }
        if let Some(version) = &self.version {
            writeln!(f, "version: {version}")?;
        }
        if let Some(error) = &self.error {
            writeln!(f, "problem: {error}")?;
        }
        for (index, facts) in self.gpus.iter().enumerate() {
            let capabilities = facts.capabilities();
            let yes = |one| if capabilities.features.contains(one) { "yes" } else { "no" };
            let path = match (facts.has_flush_register(), capabilities.path) {
                (true, _) => "HDP, with its register",
                (false, HostDataPath::Coherent) => "coherent",
                (false, HostDataPath::Hdp) => "HDP, without a register",
            };
            writeln!(f, "{}: {} {}", DeviceId::new(index as u32), facts.name(), facts.product())?;
            writeln!(f, "  large BAR: {}", yes(Features::LARGE_BAR))?;
            writeln!(f, "  host stores: {path}")?;
            writeln!(f, "  signals in its memory: {}", facts.device_memory())?;
            writeln!(f, "  interrupt signals: {}", yes(Features::INTERRUPTS))?;
            writeln!(f, "  barrier-value packets: {}", yes(Features::BARRIER_VALUE))?;
            writeln!(f, "  clock: {} Hz", facts.tick_rate().hertz())?;
            writeln!(f, "  packets of a queue: up to {}", facts.queue_limit())?;
        }
        self.missing.iter().try_for_each(|missing| writeln!(f, "missing: {missing}"))
    }
}
