//! The tests of a backend under valgrind's memcheck, on AMD's runtime over the GPU in software.
//!
//! Not a step of the continuous integration: it slows a program down ten times and more.

use clap::{Args, ValueEnum};

use crate::{
    commands::{
        rocm::{self, Fetched, Headers, Release},
        softgpu,
    },
    process::{Presence, Program},
    step::{Failure, Outcome},
    tree::Tree,
};

/// What cargo starts test programs by; the library is for this target alone.
const RUNNER: &str = "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER";
/// Its libraries are the host's kind, so that valgrind can load them.
const RELEASE: Release = Release::V5_2;
/// What valgrind does: invalid accesses fail; what AMD's runtime never frees is not ours.
const MEMCHECK: &str =
    "valgrind --quiet --error-exitcode=97 --leak-check=no --undef-value-errors=no --fair-sched=yes";
/// Memory of the GPU in MiB: the usual 64 GiB, mapped twice over, are more than valgrind has room for.
const VRAM_MIB: &str = "1024";

/// Whose tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Backend {
    /// Those of `ringfence-hsa`.
    Hsa,
    /// Those of `ringfence-hip`.
    Hip,
}

/// What runs under valgrind.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Whose tests.
    #[arg(value_enum)]
    backend: Backend,
    /// The test program, a file of the backend's `tests`.
    test: String,
    /// Only the tests whose names contain this.
    #[arg(default_value = "")]
    filter: String,
}

/// Builds the tests and runs them; one thread at a time runs under valgrind in any case.
pub(crate) fn run(tree: &Tree, options: &Options) -> Result<Outcome, Failure> {
    if Program::new(tree, "valgrind").arguments(["--version"]).presence() == Presence::Missing {
        return Ok(Outcome::Skipped("valgrind is not installed".to_owned()));
    }
    let runtime = match rocm::fetch(tree, RELEASE, Headers::Without)? {
        Fetched::Here(runtime) => runtime,
        Fetched::Unavailable(reason) => return Ok(Outcome::Skipped(reason)),
    };
    let build = "build --quiet --profile softgpu --package ringfence-softgpu";
    let _ = Program::cargo(tree, build).run()?;
    let runner = format!("{} {MEMCHECK}", softgpu::runner(&runtime, tree)?);
    let package = match options.backend {
        Backend::Hsa => "ringfence-hsa",
        Backend::Hip => "ringfence-hip",
    };
    let test = &options.test;
    Program::cargo(tree, &format!("test --package {package} --test {test} --"))
        .arguments(["--test-threads=1", &options.filter])
        .env(RUNNER, &runner)
        .env("RINGFENCE_SOFTGPU_VRAM_MIB", VRAM_MIB)
        .env("RINGFENCE_REQUIRE_ROCM", "1")
        .env("RINGFENCE_REQUIRE_HIP", "1")
        .run()
}
