//! The tests of the backends for AMD's runtimes, and the examples on HIP, on those runtimes over the GPU in software.

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

/// Ends a test program that stands still, with exit code 124.
const LIMIT: &str = "timeout --kill-after=10 600";

/// Tests that need a GPU.
struct Backend {
    package: &'static str,
    releases: &'static [Release],
    /// What is run, and with which settings of the GPU. Not what is in the documentation: rustdoc starts that by itself.
    runs: &'static [(&'static str, &'static [(&'static str, &'static str)])],
}

const BACKENDS: [Backend; 3] = [
    Backend {
        package: "ringfence-hsa",
        releases: &[Release::V5_2, Release::V6_4],
        runs: &[
            (" --lib --tests", &[("GPUS", "2")]),
            // A lost GPU stays lost for its process: each in one of its own.
            (" --test loss a_bad_packet_is_a_loss", &[("FAULT_PACKET", "50")]),
            (" --test loss a_memory_fault_is_a_loss", &[("FAULT_VM", "50")]),
            (" --test loss a_gpu_that_hangs_is_a_loss", &[("FAULT_LOST", "50")]),
            // Peers see the host's stores 20 ms late: once its rule is planted away, a wait for a device cell passes early.
            (
                " --features planted --test peers",
                &[("GPUS", "2"), ("PEER_STORES", "flushed:20000000"), ("DEPENDENCIES", "polled")],
            ),
        ],
    },
    Backend {
        package: "ringfence-hip",
        releases: &[Release::V5_2, Release::V6_1, Release::V6_4],
        runs: &[(" --features hip-sys --lib --tests", &[("GPUS", "2")])],
    },
    // What measures them.
    Backend {
        package: "ringfence-cli",
        releases: &[Release::V5_2],
        runs: &[(" --test bench", &[])],
    },
];

/// The examples that need HIP.
const EXAMPLES: [&str; 3] = ["tokio_tasks", "threads", "capture"];
/// The release that they are run on.
const EXAMPLES_ON: Release = Release::V5_2;

/// One step for each backend and release of the runtime.
pub(crate) fn steps() -> impl Iterator<Item = Step> {
    BACKENDS.iter().flat_map(|backend| {
        backend.releases.iter().map(move |&release| {
            let name = format!("{} on ROCm {}", backend.package, release.name());
            Step::new(name, move |tree| run(tree, backend, release))
        })
    })
}

/// The examples on HIP: a machine without a GPU runs what a machine with one does.
pub(crate) fn examples() -> Step {
    let name = format!("examples on ROCm {}", EXAMPLES_ON.name());
    Step::new(name, |tree| {
        let runtime = match rocm::fetch(tree, EXAMPLES_ON, Headers::Without)? {
            Fetched::Here(runtime) => runtime,
            Fetched::Unavailable(reason) => return Ok(Outcome::Skipped(reason)),
        };
        let runner = softgpu::runner(&runtime, tree)?;
        for name in EXAMPLES {
            let line = format!("run --package ringfence-examples --bin {name}");
            // One that finds no HIP ends with 3, and so fails here.
            let _ = Program::cargo(tree, &line).env(RUNNER, &runner).run()?;
        }
        Ok(Outcome::Passed)
    })
}

fn run(tree: &Tree, backend: &Backend, release: Release) -> Result<Outcome, Failure> {
    let runtime = match rocm::fetch(tree, release, Headers::Without)? {
        Fetched::Here(runtime) => runtime,
        Fetched::Unavailable(reason) => return Ok(Outcome::Skipped(reason)),
    };
    // A runtime that waits for itself would otherwise keep the run for ever: a test program takes a minute at most.
    let runner = format!("{LIMIT} {}", softgpu::runner(&runtime, tree)?);
    for (what, settings) in backend.runs {
        let mut program =
            Program::cargo(tree, &format!("test --package {}{what}", backend.package))
                .env(RUNNER, &runner)
                .env("RINGFENCE_REQUIRE_ROCM", "1")
                .env("RINGFENCE_REQUIRE_HIP", "1")
                .env("RINGFENCE_SOFTGPU_PROFILE", "hostile");
        if release != Release::V5_2 {
            program = program.env("RINGFENCE_SOFTGPU_GFX", "gfx942");
        }
        for (name, value) in *settings {
            program = program.env(&format!("RINGFENCE_SOFTGPU_{name}"), value);
        }
        let _ = program.run()?;
    }
    Ok(Outcome::Passed)
}
