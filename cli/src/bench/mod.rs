//! `ringfence bench`: the experiments and the tables of the field's own measurements, on real runtimes.

mod gpu;
mod memory;
mod problem;
mod progress;
mod setting;
mod signals;
mod streams;
mod table;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::output::Output;
use setting::Setting;

/// What to measure.
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Tasks and their streams: leases, and three ways without; every result is compared with the CPU's
    Streams(streams::Options),
    /// Events and waits: HIP's or CUDA's own, and Ringfence's above HIP, HSA and CUDA
    Signals(signals::Options),
}

/// Measures, and prints. The exit code is 1 if a result is wrong or something failed, 3 if there is nothing to measure on.
pub(crate) fn bench(options: &Options, out: &mut Output) -> ExitCode {
    let setting = Setting::look();
    match &options.what {
        What::Streams(options) => streams::bench(options, &setting, out),
        What::Signals(options) => signals::bench(options, &setting, out),
    }
}
