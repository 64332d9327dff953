//! What there is of CUDA on this machine, for people: `ringfence doctor` prints it.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use ringfence::id::DeviceId;

use crate::{CudaVersion, error::CudaError, runtime::Cuda, sys::Library};

/// Where the kernel says which driver it has.
const KERNEL_DRIVER: &str = "/sys/module/nvidia/version";

/// Whether a GPU can be used through CUDA.
///
/// ```no_run
/// use ringfence_cuda::{Findings, Usable};
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

/// What was found. The driver stays loaded: it cannot be shut down.
///
/// ```no_run
/// use ringfence_cuda::Findings;
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
    error: Option<CudaError>,
    version: Option<CudaVersion>,
    driver: Option<String>,
    devices: Vec<FoundDevice>,
    missing: Vec<Missing>,
    quirks: Vec<Quirk>,
}

/// A GPU that the driver knows.
///
/// ```no_run
/// use ringfence_cuda::{Findings, FoundDevice};
/// let findings = Findings::collect();
/// let hopper = |gpu: &&FoundDevice| gpu.capability() == Some("9.0");
/// let gpu = findings.devices().iter().find(hopper).map(FoundDevice::id);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundDevice {
    id: DeviceId,
    name: Option<String>,
    capability: Option<String>,
}

/// Something that this driver lacks, and what is done instead. It is no error.
///
/// ```no_run
/// use ringfence_cuda::{Findings, Missing};
/// let findings = Findings::collect();
/// if findings.missing().contains(&Missing::StreamNumbers) {
///     println!("streams have no numbers in this driver's traces");
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Missing {
    /// `cuStreamGetId`.
    #[error(
        "no cuStreamGetId (CUDA 12.0 has it): a stream is known by its handle, which the driver gives again, and by the pool's own generation"
    )]
    StreamNumbers,
}

/// What the driver does that its users do not expect, and what is done about it. All were tried on driver 580 (CUDA 13.0); no other
/// was, and older ones are treated alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Quirk {
    /// T8.
    #[error(
        "a query, a wait or an allocation while another thread captures in global mode breaks that capture: the status is asked first, and calls are made in relaxed mode"
    )]
    QueriesBreakCaptures,
    /// T4.
    #[error(
        "each 43rd creation of a stream waits for all work of the GPU, and the memory is never given back: streams are used again, and CudaStreams::make_room does it beforehand"
    )]
    CreationsWait,
    /// T10.
    #[error(
        "a stream that is destroyed finishes its work later: its progress word is given out again once all of its marks have come"
    )]
    DestroyDetaches,
    /// M10.
    #[error(
        "handles are not checked, and a stale one is a crash: what this library did not make, or what is gone, is refused before the driver sees it"
    )]
    HandlesAreNotChecked,
    /// `CUDA_DEVICE_MAX_CONNECTIONS`.
    #[error(
        "streams share connections, 8 unless CUDA_DEVICE_MAX_CONNECTIONS says otherwise: where as many wait for a value, no other stream runs"
    )]
    FewConnections,
    /// M13.
    #[error(
        "host functions of all streams are called by one thread: one that blocks holds up the others"
    )]
    OneHostThread,
}

impl Quirk {
    /// Those that are known.
    pub const ALL: [Self; 6] = [
        Self::QueriesBreakCaptures,
        Self::CreationsWait,
        Self::DestroyDetaches,
        Self::HandlesAreNotChecked,
        Self::FewConnections,
        Self::OneHostThread,
    ];
}

impl Findings {
    /// Looks. It never fails: what goes wrong is a finding.
    #[must_use]
    pub fn collect() -> Self {
        let driver = std::fs::read_to_string(KERNEL_DRIVER).ok();
        let mut findings = Self {
            tried: Library::paths(),
            library: None,
            error: None,
            version: None,
            driver: driver.map(|version| version.trim().to_owned()),
            devices: Vec::new(),
            missing: Vec::new(),
            quirks: Vec::new(),
        };
        match Library::load() {
            Err(error) => findings.error = Some(error.into()),
            Ok(library) => {
                findings.library = Some(library.path().to_owned());
                match Cuda::start() {
                    Err(error) => findings.error = Some(error),
                    Ok(cuda) => findings.look(cuda),
                }
            }
        }
        findings
    }

    fn look(&mut self, cuda: Cuda) {
        self.version = Some(cuda.version());
        self.quirks = Quirk::ALL.to_vec();
        if cuda.functions().cuStreamGetId.is_none() {
            self.missing.push(Missing::StreamNumbers);
        }
        let found = |id| FoundDevice {
            id,
            name: cuda.device_name(id).ok(),
            capability: cuda.compute_capability(id).ok(),
        };
        self.devices = cuda.devices().map(found).collect();
    }

    /// Whether a GPU can be used through CUDA.
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
    pub fn error(&self) -> Option<&CudaError> {
        self.error.as_ref()
    }

    /// The version of CUDA that the driver serves.
    #[must_use]
    pub fn version(&self) -> Option<CudaVersion> {
        self.version
    }

    /// The kernel's driver (580.159.04); `None` if the kernel does not tell it.
    #[must_use]
    pub fn driver(&self) -> Option<&str> {
        self.driver.as_deref()
    }

    /// The GPUs, by number.
    #[must_use]
    pub fn devices(&self) -> &[FoundDevice] {
        &self.devices
    }

    /// What this driver lacks.
    #[must_use]
    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }

    /// What this driver does that its users do not expect.
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

    /// Its name; `None` if the driver does not tell it.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Its compute capability, as [`Cuda::compute_capability`] says it; `None` if it cannot be told.
    #[must_use]
    pub fn capability(&self) -> Option<&str> {
        self.capability.as_deref()
    }
}

impl fmt::Display for FoundDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |what: Option<&str>| what.unwrap_or("not told").to_owned();
        write!(
            f,
            "{}: {} (compute capability {})",
            self.id,
            told(self.name()),
            told(self.capability())
        )
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.library {
            Some(library) => writeln!(f, "driver library: {}", library.display())?,
            None => writeln!(f, "driver library: none")?,
        }
        if let Some(version) = self.version {
            writeln!(f, "version: {version}")?;
        }
        if let Some(driver) = &self.driver {
            writeln!(f, "kernel driver: {driver}")?;
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
