//! The command line of Ringfence.
// Where a runtime's own calls are made beside the library's, and there alone, it is allowed again.
#![deny(unsafe_code)]

mod bench;
mod demo;
mod doctor;
mod explore;
mod files;
mod output;
mod progress;
mod replay;
mod shown;
mod trace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use output::{Output, complain};

/// Proves from host state that GPU work is finished, and shows it on a modelled device.
#[derive(Parser, Debug)]
#[command(name = "ringfence", version, args_conflicts_with_subcommands = true)]
struct Line {
    #[command(subcommand)]
    command: Option<Command>,
    /// Those of `demo`, which is what runs without a command.
    #[command(flatten)]
    demo: demo::Options,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Track the same work in five ways, give streams to tasks in four, and print what each costs (the
    /// default)
    Demo(demo::Options),
    /// Play scenario files, and check every step against the rules
    Replay(replay::Options),
    /// Try every timing of the device, and every order of tasks, of scenario files of signals and of
    /// streams, up to a bound
    Explore(explore::Options),
    /// Measure both halves on HIP, CUDA, HSA or the model: events and waits, and tasks with streams, with
    /// leases and without
    Bench(bench::Options),
    /// Say what this machine has for AMD and NVIDIA GPUs, what would be chosen, and what is missing
    Doctor(doctor::Options),
}

fn main() -> ExitCode {
    let line = Line::parse();
    let mut out = Output::standard();
    let code = match line.command.unwrap_or(Command::Demo(line.demo)) {
        Command::Demo(options) => demo::demo(&options, &mut out),
        Command::Replay(options) => replay::replay(&options, &mut out),
        Command::Explore(options) => explore::run(&options, &mut out),
        Command::Bench(options) => bench::bench(&options, &mut out),
        Command::Doctor(options) => doctor::doctor(&options, &mut out),
    };
    match out.into_failure() {
        Some(error) => {
            complain(format!("ringfence: cannot write to standard output: {error}\n"));
            ExitCode::FAILURE
        }
        None => code,
    }
}
