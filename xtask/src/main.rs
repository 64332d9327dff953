//! The checks of this repository, as a program: `cargo xtask <command>`.
//!
//! A desk and the continuous integration run the same commands. Each is one file of `commands`, and
//! [`commands::test`] runs them all.
#![forbid(unsafe_code)]

mod commands;
mod process;
mod source;
mod step;
mod tree;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::{
    commands::{
        bench_gate, capi, ci, deps, device_bundle, header, loc, loom, memory_model, newcomer,
        package, report, rocm, rules, shuttle, soak, softgpu, test, valgrind,
    },
    step::Step,
    tree::Tree,
};

/// The checks of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Everything that a machine with Rust and nothing else can run.
    Test(test::Options),
    /// `test`, and what needs the tools of the continuous integration.
    Ci,
    /// The length of source files: over 400 lines fails, over 300 warns.
    Loc,
    /// Who may import whom, and who may name what.
    Deps,
    /// Lays libringfence and ringfence.h out in target/capi; builds the programs in C and C++ on them, and runs them.
    Capi(capi::Options),
    /// Whether capi/include/ringfence.h is what the code of the C interface says.
    Header(header::Options),
    /// The exhaustive models of what threads share.
    Loom(loom::Options),
    /// Large mixes of threads and tasks, under schedules at random.
    Shuttle(shuttle::Options),
    /// Instructions a use, counted by callgrind, against the committed table.
    BenchGate(bench_gate::Options),
    /// Whether docs/rules.md names every rule, every planted fault, files that exist, and what catches what.
    Rules(rules::Options),
    /// Whether docs/memory-model.md names every shared location of the core, and a model fails without each ordering.
    MemoryModel,
    /// The commands of the README and the examples of the guide, as written, with an empty home and target folder.
    Newcomer(newcomer::Options),
    /// Each crate that is to be published, packed and built from its package; and with the oldest dependencies that it says it takes.
    Package,
    /// The page of `ringfence bench --report` in a headless Chromium, with pictures in target/report; nothing is installed.
    Report(report::Options),
    /// AMD's user-mode runtime into target/rocm, from Debian's packages; nothing is installed.
    Rocm(rocm::Options),
    /// What travels to a machine with an NVIDIA GPU, into target/device-bundle: conformance, the experiments, and run.sh.
    DeviceBundle,
    /// Long runs with random faults on the mock; each ends with every resource accounted for.
    Soak(soak::Options),
    /// The tests of a backend under valgrind, over the GPU in software.
    Valgrind(valgrind::Options),
    /// Runs a program over the GPU in software and AMD's runtime.
    Softgpu(softgpu::Options),
}

fn main() -> ExitCode {
    let command = Arguments::parse().command;
    let tree = match Tree::of_this_package() {
        Ok(tree) => tree,
        Err(failure) => {
            eprintln!("error: {failure}");
            return ExitCode::FAILURE;
        }
    };
    let steps = match command {
        Command::Test(options) => match step::from(test::steps(), options.from.as_deref()) {
            Ok(steps) => steps,
            Err(failure) => {
                eprintln!("error: {failure}");
                return ExitCode::FAILURE;
            }
        },
        Command::Ci => ci::steps(),
        Command::Loc => vec![Step::new("loc", loc::run)],
        Command::Capi(options) => {
            vec![Step::new("programs in C and C++", move |tree| capi::run(tree, &options))]
        }
        Command::Header(options) => {
            vec![Step::new("header", move |tree| header::run(tree, options))]
        }
        Command::Deps => vec![Step::new("deps", deps::run)],
        Command::Loom(options) => vec![Step::new("loom", move |tree| loom::run(tree, &options))],
        Command::Shuttle(options) => {
            vec![Step::new("shuttle", move |tree| shuttle::run(tree, &options))]
        }
        Command::BenchGate(options) => {
            vec![Step::new("bench-gate", move |tree| bench_gate::run(tree, &options))]
        }
        Command::Rules(options) => {
            vec![Step::new("rules", move |tree| rules::run(tree, options))]
        }
        Command::MemoryModel => vec![Step::new("memory model", memory_model::run)],
        Command::Newcomer(options) => {
            vec![Step::new("newcomer", move |tree| newcomer::run(tree, options))]
        }
        Command::Package => package::steps(),
        Command::Report(options) => {
            vec![Step::new("report", move |tree| report::run(tree, &options))]
        }
        Command::DeviceBundle => vec![Step::new("device-bundle", device_bundle::run)],
        Command::Rocm(options) => rocm::steps(&options),
        Command::Soak(options) => vec![Step::new("soak", move |tree| soak::run(tree, &options))],
        Command::Valgrind(options) => {
            vec![Step::new("valgrind", move |tree| valgrind::run(tree, &options))]
        }
        Command::Softgpu(options) => return softgpu::run(&tree, &options),
    };
    step::run_all(&tree, steps)
}
