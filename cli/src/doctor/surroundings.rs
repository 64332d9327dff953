//! What the system says before any library is asked.

use std::{env, fs::OpenOptions, io::ErrorKind, path::Path};

/// Whether the kernel driver's device can be opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Device {
    /// It can.
    Open,
    /// There is none.
    Absent,
    /// It is not this user's.
    Forbidden,
    /// It fails in another way.
    Broken,
}

/// What there is around the runtime.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Surroundings {
    /// `/dev/kfd`.
    pub(super) device: Device,
    /// Variables that change what the runtime does, with their values.
    pub(super) variables: Vec<(&'static str, String)>,
    /// Whether this looks like a container.
    pub(super) contained: Contained,
}
/// Whether the process is in a container.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Contained {
    /// By all signs.
    Yes,
    /// By none.
    No,
}

/// Variables of the runtime and of its tools that a user may have forgotten.
const VARIABLES: [&str; 8] = [
    "HSA_ENABLE_INTERRUPT",
    "HSA_ENABLE_SDMA",
    "HSA_OVERRIDE_GFX_VERSION",
    "HSA_TOOLS_LIB",
    "ROCP_TOOL_LIBRARIES",
    "ROCR_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCM_PATH",
];

impl Surroundings {
    /// Looks around.
    pub(super) fn look() -> Self {
        let set =
            |name| env::var_os(name).map(|value| (name, value.to_string_lossy().into_owned()));
        let marks = ["/.dockerenv", "/run/.containerenv"];
        let contained = if marks.iter().any(|mark| Path::new(mark).exists()) {
            Contained::Yes
        } else {
            Contained::No
        };
        Self {
            device: open_device(Path::new("/dev/kfd")),
            variables: VARIABLES.iter().copied().filter_map(set).collect(),
            contained,
        }
    }
    /// What to do about it, in plain words.
    pub(super) fn advice(&self) -> Vec<String> {
        let mut advice = Vec::new();
        match (self.device, self.contained) {
            (Device::Open, _) => {}
            (Device::Absent, Contained::Yes) => advice.push(
                "there is no /dev/kfd in this container: start it with --device=/dev/kfd --device=/dev/dri"
                    .to_owned(),
            ),
            (Device::Absent, Contained::No) => advice.push(
                "there is no /dev/kfd: load the kernel's amdgpu driver (modprobe amdgpu), or there is no AMD GPU here"
                    .to_owned(),
            ),
            (Device::Forbidden, _) => advice.push(
                "/dev/kfd may not be opened: add this user to the groups render and video, and log in again"
                    .to_owned(),
            ),
            (Device::Broken, _) => {
                advice.push("/dev/kfd cannot be opened: the kernel's log (dmesg) says why".to_owned());
            }
        }
        for (name, value) in &self.variables {
            match (*name, value.as_str()) {
                ("HSA_ENABLE_INTERRUPT", "0") => advice.push(
                    "HSA_ENABLE_INTERRUPT=0: no signal wakes a thread, so that every wait spins; unset it".to_owned(),
                ),
                ("HSA_TOOLS_LIB" | "ROCP_TOOL_LIBRARIES", tool) if !tool.is_empty() => advice.push(format!(
                    "{name}={tool}: a profiler may read and write signals, so that they stay in host memory"
                )),
                ("HSA_OVERRIDE_GFX_VERSION", gfx) => advice.push(format!(
                    "HSA_OVERRIDE_GFX_VERSION={gfx}: the GPU is told to be another, and what is known of that may not hold"
                )),
                _ => {}
            }
        }
        advice
    }
}

fn open_device(path: &Path) -> Device {
    match OpenOptions::new().read(true).write(true).open(path) {
        Ok(_) => Device::Open,
        Err(why) => match why.kind() {
            ErrorKind::NotFound => Device::Absent,
            ErrorKind::PermissionDenied => Device::Forbidden,
            _ => Device::Broken,
        },
    }
}
