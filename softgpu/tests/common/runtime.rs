//! AMD's runtimes, as `cargo xtask rocm` unpacks them.

use std::{
    ffi::OsStr,
    fmt,
    path::{Path, PathBuf},
    process::Command,
};

use super::build::target;

/// A release of AMD's runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Release {
    /// Debian 12's.
    V5_2,
    /// Debian 13's.
    V6_1,
    /// Debian unstable's.
    V6_4,
}

/// A GPU by its instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Gfx(pub(super) &'static str);

impl Release {
    pub(super) const ALL: [Self; 3] = [Self::V5_2, Self::V6_1, Self::V6_4];

    /// The GPUs that it is tried with. 5.2 knows no newer ones, and drops them without a word.
    pub(super) fn gpus(self) -> &'static [Gfx] {
        match self {
            Self::V5_2 => &[Gfx("gfx90a")],
            Self::V6_1 | Self::V6_4 => &[Gfx("gfx942"), Gfx("gfx1100")],
        }
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V5_2 => "5.2",
            Self::V6_1 => "6.1",
            Self::V6_4 => "6.4",
        })
    }
}

/// A release that is here.
#[derive(Clone, Debug)]
pub(super) struct Runtime {
    pub(super) release: Release,
    libraries: PathBuf,
}

impl Runtime {
    /// Looks for `RELEASE/root` in `RINGFENCE_ROCM`, or in `rocm` of cargo's target folder.
    ///
    /// # Errors
    /// Where it is not.
    ///
    /// # Panics
    /// If it is not there and has to be: 5.2, with `RINGFENCE_REQUIRE_ROCM=1`.
    pub(super) fn find(release: Release) -> Result<Self, String> {
        let folder = std::env::var_os("RINGFENCE_ROCM")
            .map_or_else(|| target().join("rocm"), PathBuf::from)
            .join(release.to_string());
        let libraries = folder.join("root/usr/lib/x86_64-linux-gnu");
        if libraries.join("libhsa-runtime64.so.1").exists() {
            return Ok(Self { release, libraries });
        }
        let missing = format!("no runtime in {}; `cargo xtask rocm` fetches it", folder.display());
        let required = std::env::var("RINGFENCE_REQUIRE_ROCM").is_ok_and(|value| value == "1");
        assert!(!required || release != Release::V5_2, "{missing}");
        Err(missing)
    }

    /// A command that runs `program` over the libraries of `preload`, with nothing of softgpu's set.
    pub(super) fn command(&self, preload: &[&Path], program: &Path) -> Command {
        let preload = preload.iter().map(|library| library.as_os_str()).collect::<Vec<_>>();
        let preload = preload.join(OsStr::new(":"));
        // It has its own C library where it is newer than the host's may be, and that has its own loader.
        let loader = self.libraries.join("ld-linux-x86-64.so.2");
        let mut command = if loader.exists() {
            let mut command = Command::new(loader);
            command.arg("--preload").arg(preload);
            command.arg("--library-path").arg(&self.libraries).arg(program);
            command
        } else {
            let mut command = Command::new(program);
            command.env("LD_PRELOAD", preload).env("LD_LIBRARY_PATH", &self.libraries);
            command
        };
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("RINGFENCE_SOFTGPU_") {
                command.env_remove(name);
            }
        }
        command
    }
}
