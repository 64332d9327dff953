//! What there is of HIP on this machine, for people: `ringfence doctor` prints it.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use ringfence::id::DeviceId;

use crate::{
    HipVersion,
    error::HipError,
    runtime::Hip,
    sys::{Functions, Library},
};

/// Whether a GPU can be used through HIP.
///
/// ```no_run
/// use ringfence_hip::{Findings, Usable};
/// let findings = Findings::collect();
/// match findings.usable() {
///     Usable::Yes => println!("{} GPUs", findings.devices().len()),
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

/// What was found. HIP stays loaded: it cannot be shut down.
///
/// ```no_run
/// use ringfence_hip::Findings;
/// let findings = Findings::collect();
/// if let Some(error) = findings.error() {
///     eprintln!("{error}"); // with what to do
/// }
/// findings.missing().iter().for_each(|missing| println!("without: {missing}"));
/// println!("{findings}"); // or all of it
/// ```
#[derive(Debug)]
pub struct Findings {
    tried: Vec<PathBuf>,
    library: Option<PathBuf>,
    error: Option<HipError>,
    version: Option<HipVersion>,
    devices: Vec<FoundDevice>,
    missing: Vec<Missing>,
    quirks: Vec<Quirk>,
}

/// A GPU that HIP knows.
///
/// ```no_run
/// use ringfence_hip::{Findings, FoundDevice};
/// let findings = Findings::collect();
/// let is_mi300 = |gpu: &&FoundDevice| gpu.gfx().is_some_and(|gfx| gfx.starts_with("gfx942"));
/// let gpu = findings.devices().iter().find(is_mi300).map(FoundDevice::id);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundDevice {
    id: DeviceId,
    name: Option<String>,
    gfx: Option<String>,
}

/// Something that this HIP lacks, and what is done instead. It is no error.
///
/// ```no_run
/// use ringfence_hip::{Findings, Missing};
/// let findings = Findings::collect();
/// if findings.missing().contains(&Missing::Compiler) {
///     println!("kernels have to be loaded (Module::load)");
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Missing {
    /// `hipLaunchHostFunc`: 5.2 declares and does not export it.
    #[error(
        "no hipLaunchHostFunc: host functions go through hipStreamAddCallback, one thread for all streams"
    )]
    HostFunctions,
    /// `hipMallocAsync` or `hipFreeAsync`.
    #[error(
        "no memory in a stream's order (hipMallocAsync, hipFreeAsync): hipMalloc, and frees behind an event, which wait for the whole GPU"
    )]
    StreamMemory,
    /// `hipMemPoolTrimTo`, on a HIP that needs it ([`Quirk::DestroyWaitsForThePool`]).
    #[error(
        "no hipMemPoolTrimTo, which this version needs before it destroys a stream: use MemoryKind::Plain"
    )]
    PoolTrim,
    /// `hipStreamGetId`.
    #[error(
        "no hipStreamGetId (7.1 has it): a stream is known by its handle, which HIP gives again, and by the pool's own generation"
    )]
    StreamNumbers,
    /// The run-time compiler.
    #[error("no run-time compiler (libhiprtc): kernels have to be compiled before (Module::load)")]
    Compiler,
    /// The instruction set of a GPU cannot be told.
    #[error("{gpu}: HIP does not tell its instruction set: name it when kernels are compiled")]
    InstructionSet {
        /// The GPU.
        gpu: DeviceId,
    },
}

/// What a version of HIP does that its users do not expect, and what is done about it. All were tried on the named version, or
/// read in its source; a version between two that were tried is treated as the older.
///
/// ```
/// use ringfence_hip::{HipVersion, Quirk};
/// let quirks = Quirk::of(HipVersion::new(5, 2, 3));
/// assert!(quirks.contains(&Quirk::KernelsAreNotCaptured));
/// assert!(!Quirk::of(HipVersion::new(7, 0, 0)).contains(&Quirk::KernelsAreNotCaptured));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Quirk {
    /// Before 5.7 (5.2.3, tried).
    #[error(
        "hipStreamDestroy never returns while the device's memory pool keeps a freed block: the pool is emptied before, and frees wait meanwhile"
    )]
    DestroyWaitsForThePool,
    /// Before 5.7 (5.2.3, tried).
    #[error(
        "kernels of modules are not recorded by a capture, and run at once: they are refused there (copies and fills of device memory are recorded)"
    )]
    KernelsAreNotCaptured,
    /// Before 5.7 (5.2.3, tried).
    #[error(
        "a stream that joined another's capture captures for ever: it is asked before it is handed on, and destroyed instead"
    )]
    ForksStayCapturing,
    /// From 5.3 to 5.7 (5.7.1, tried).
    #[error(
        "a stream's query is refused by the mode of the stream's own last capture: each is made to capture nothing once, in relaxed mode"
    )]
    QueriesByOwnCapture,
    /// Since 6.0 (6.4.3, tried).
    #[error(
        "a query, or a wait for the GPU, while a stream captures breaks captures: the status is asked first, and queries are made in relaxed mode"
    )]
    QueriesBreakCaptures,
    /// 6.4 (6.4.3, tried).
    #[error(
        "a recorded fill of pinned host memory is left out of the graph, with no error: record a copy, or fill device memory"
    )]
    HostFillsAreForgotten,
    /// Since 7.0 (<https://github.com/ROCm/rocm-systems/tree/develop/projects/clr/hipamd/src>).
    #[error(
        "handles are not checked: what this library did not make, or what is gone, is refused before HIP sees it"
    )]
    HandlesAreNotChecked,
}

impl Quirk {
    /// Those of a version.
    #[must_use]
    pub fn of(version: HipVersion) -> Vec<Self> {
        let since = |major, minor| version >= HipVersion::new(major, minor, 0);
        [
            (version.destroy_needs_an_empty_pool(), Self::DestroyWaitsForThePool),
            (version.launches_are_not_captured(), Self::KernelsAreNotCaptured),
            (!since(5, 7), Self::ForksStayCapturing),
            (version.streams_need_a_first_capture(), Self::QueriesByOwnCapture),
            (since(6, 0), Self::QueriesBreakCaptures),
            (since(6, 4) && !since(6, 5), Self::HostFillsAreForgotten),
            (since(7, 0), Self::HandlesAreNotChecked),
        ]
        .into_iter()
        .filter_map(|(has, quirk)| has.then_some(quirk))
        .collect()
    }
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
            devices: Vec::new(),
            missing: Vec::new(),
            quirks: Vec::new(),
        };
        match Library::load() {
            Err(error) => findings.error = Some(error.into()),
            Ok(library) => {
                findings.library = Some(library.path().to_owned());
                match Hip::start() {
                    Err(error) => findings.error = Some(error),
                    Ok(hip) => findings.look(hip),
                }
            }
        }
        findings
    }

    fn look(&mut self, hip: Hip) {
        self.version = Some(hip.version());
        self.quirks = Quirk::of(hip.version());
        self.missing = missing_of(hip.functions(), &self.quirks);
        if hip.library().compiler().is_none() {
            self.missing.push(Missing::Compiler);
        }
        for id in hip.devices() {
            let gfx = hip.gfx(id).ok();
            if gfx.is_none() {
                self.missing.push(Missing::InstructionSet { gpu: id });
            }
            self.devices.push(FoundDevice { id, name: hip.device_name(id).ok(), gfx });
        }
    }

    /// Whether a GPU can be used through HIP.
    pub fn usable(&self) -> Usable {
        if self.devices.is_empty() { Usable::No } else { Usable::Yes }
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
    pub fn error(&self) -> Option<&HipError> {
        self.error.as_ref()
    }

    /// HIP's version.
    #[must_use]
    pub fn version(&self) -> Option<HipVersion> {
        self.version
    }

    /// The GPUs, by number.
    #[must_use]
    pub fn devices(&self) -> &[FoundDevice] {
        &self.devices
    }

    /// What this HIP lacks.
    #[must_use]
    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }

    /// What this version does that its users do not expect.
    #[must_use]
    pub fn quirks(&self) -> &[Quirk] {
        &self.quirks
    }
}

impl FoundDevice {
    /// Its number.
    #[must_use]
    pub const fn id(&self) -> DeviceId {
        self.id
    }

    /// Its name; `None` if HIP does not tell it.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Its instruction set, as [`Hip::gfx`] says it; `None` if it cannot be told.
    #[must_use]
    pub fn gfx(&self) -> Option<&str> {
        self.gfx.as_deref()
    }
}

fn missing_of(functions: &Functions, quirks: &[Quirk]) -> Vec<Missing> {
    let ordered = functions.hipMallocAsync.is_some() && functions.hipFreeAsync.is_some();
    let trims =
        functions.hipDeviceGetDefaultMemPool.is_some() && functions.hipMemPoolTrimTo.is_some();
    let needs_trims = ordered && quirks.contains(&Quirk::DestroyWaitsForThePool);
    [
        (functions.hipLaunchHostFunc.is_some(), Missing::HostFunctions),
        (ordered, Missing::StreamMemory),
        (trims || !needs_trims, Missing::PoolTrim),
        (functions.hipStreamGetId.is_some(), Missing::StreamNumbers),
    ]
    .into_iter()
    .filter_map(|(there, missing)| (!there).then_some(missing))
    .collect()
}

impl fmt::Display for FoundDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |what: Option<&str>| what.unwrap_or("not told").to_owned();
        write!(f, "{}: {} ({})", self.id, told(self.gfx()), told(self.name()))
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.library {
            Some(library) => writeln!(f, "runtime: {}", library.display())?,
            None => writeln!(f, "runtime: none")?,
        }
        if let Some(version) = self.version {
            writeln!(f, "version: {version}")?;
        }
        if let Some(error) = &self.error {
            writeln!(f, "problem: {error}")?;
        }
        self.devices.iter().try_for_each(|device| writeln!(f, "{device}"))?;
        self.missing.iter().try_for_each(|missing| writeln!(f, "missing: {missing}"))?;
        self.quirks.iter().try_for_each(|quirk| writeln!(f, "quirk: {quirk}"))
    }
}

#[cfg(test)]
mod tests;
