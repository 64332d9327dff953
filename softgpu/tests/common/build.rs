//! The preload library and the programs, which are built when the first test needs them.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// A program of the tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Program(pub(super) &'static str);

/// Where they are.
#[derive(Clone, Debug)]
pub(super) struct Built {
    pub(super) library: PathBuf,
    /// The library that counts a stack's calls of the HSA runtime.
    pub(super) counter: PathBuf,
    programs: PathBuf,
}

impl Built {
    pub(super) fn program(&self, program: Program) -> PathBuf {
        self.programs.join(program.0)
    }
}

/// Builds all, once; `RINGFENCE_SOFTGPU_LIB` names a library, and `RINGFENCE_SOFTGPU_PROGRAMS` a folder with the programs, as cargo
/// fills it, that are taken as they are.
///
/// # Panics
/// If that fails, with what cargo says.
pub(super) fn built() -> &'static Built {
    static BUILT: OnceLock<Result<Built, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let folder = target().join("softgpu");
        let given = |variable| std::env::var_os(variable).map(PathBuf::from);
        let programs = given("RINGFENCE_SOFTGPU_PROGRAMS")
            .map_or_else(|| cargo(PROGRAMS).map(|()| folder.clone()), Ok)?;
        let library = given("RINGFENCE_SOFTGPU_LIB")
            .map_or_else(|| cargo(LIBRARY).map(|()| folder.join("libringfence_softgpu.so")), Ok)?;
        let counter = programs.join("examples/libhsa_count.so");
        Ok(Built { library, counter, programs })
    });
    built.as_ref().unwrap_or_else(|failure| panic!("{failure}"))
}

/// Cargo's target folder.
pub(super) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member lies in its workspace")
}

/// What cargo builds for the programs and the counter, and for the preload library.
const PROGRAMS: &[&str] = &["ringfence-softgpu-programs", "--bins", "--examples"];
const LIBRARY: &[&str] = &["ringfence-softgpu"];

fn cargo(package: &[&str]) -> Result<(), String> {
    let output = Command::new(env!("CARGO"))
        .current_dir(workspace())
        .args(["build", "--quiet", "--profile", "softgpu", "--package"])
        .args(package)
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    let said = || String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(said()) }
}
