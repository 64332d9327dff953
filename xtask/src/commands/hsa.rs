//! The tests of `ringfence-hsa`, on AMD's runtime over the GPU in software.

use crate::{
    commands::{
        rocm::{self, Fetched, Headers, Release},
        softgpu,
    },
    process::Program,
    step::{Failure, Outcome, Step},
    tree::Tree,
};

/// What cargo starts test programs by; the library is for this target alone.
const RUNNER: &str = "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER";

/// What is run, and with which settings of the GPU.
const RUNS: [(&str, &[(&str, &str)]); 4] = [
    // Not what is in the documentation: rustdoc starts that by itself.
    (" --lib --tests", &[("GPUS", "2")]),
    // A lost GPU stays lost for its process: each in one of its own.
    (" --test loss a_bad_packet_is_a_loss", &[("FAULT_PACKET", "50")]),
    (" --test loss a_memory_fault_is_a_loss", &[("FAULT_VM", "50")]),
    (" --test loss a_gpu_that_hangs_is_a_loss", &[("FAULT_LOST", "50")]),
];

/// One step for each release of the runtime.
pub(crate) fn steps() -> impl Iterator<Item = Step> {
    [Release::V5_2, Release::V6_4].into_iter().map(|release| {
        Step::new(format!("ringfence-hsa on ROCr {}", release.name()), move |tree| {
            run(tree, release)
        })
    })
}

fn run(tree: &Tree, release: Release) -> Result<Outcome, Failure> {
    let runtime = match rocm::fetch(tree, release, Headers::Without)? {
        Fetched::Here(runtime) => runtime,
        Fetched::Unavailable(reason) => return Ok(Outcome::Skipped(reason)),
    };
    let runner = softgpu::runner(&runtime, tree)?;
    for (what, settings) in RUNS {
        let mut program = Program::cargo(tree, &format!("test --package ringfence-hsa{what}"))
            .env(RUNNER, &runner)
            .env("RINGFENCE_REQUIRE_ROCM", "1")
            .env("RINGFENCE_SOFTGPU_PROFILE", "hostile");
        if release == Release::V6_4 {
            program = program.env("RINGFENCE_SOFTGPU_GFX", "gfx942");
        }
        for (name, value) in settings {
            program = program.env(&format!("RINGFENCE_SOFTGPU_{name}"), value);
        }
        let _ = program.run()?;
    }
    Ok(Outcome::Passed)
}
