//! `ringfence bench`: the experiments and the tables of the field's own measurements, on real runtimes.

mod gpu;
mod memory;
mod problem;
mod report;
mod setting;
mod signals;
mod streams;
mod table;
mod whole;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::output::Output;
use report::{Measured, publish};
use setting::Setting;

/// What to measure.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: Option<What>,
    /// Those of both halves together, which is what is measured without a name.
    #[command(flatten)]
    whole: whole::Options,
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
        Some(What::Streams(options)) => publish(&options.forms, &setting, out, || {
            Ok(Measured::Streams(streams::measure_all(options)?))
        }),
        Some(What::Signals(options)) => publish(&options.forms, &setting, out, || {
            Ok(Measured::Signals(signals::measure_all(options)?))
        }),
        None => publish(&options.whole.forms, &setting, out, || whole::measure(&options.whole)),
    }
}
