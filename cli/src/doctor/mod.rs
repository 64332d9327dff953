//! `ringfence doctor`: what this machine has for AMD's and NVIDIA's GPUs, what would be chosen, and what is missing.

mod advice;
mod cuda;
mod diagnosis;
mod hip;
mod surroundings;
mod text;

#[cfg(test)]
mod tests;

use std::process::ExitCode;

use ringfence_hsa::{Findings, Usable};

use self::{diagnosis::Diagnosis, surroundings::Surroundings};
use crate::output::Output;

/// What to print.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Looks, and prints. The exit code is 0 if a GPU can be used through HSA, whether or not HIP is there (HIP is a layer on it), or
/// through CUDA.
pub(crate) fn doctor(options: &Options, out: &mut Output) -> ExitCode {
    let findings = Findings::collect();
    let hip = ringfence_hip::Findings::collect();
    let cuda = ringfence_cuda::Findings::collect();
    let diagnosis = Diagnosis::new(&findings, &hip, &cuda, &Surroundings::look());
    if options.json {
        let json = serde_json::to_string_pretty(&diagnosis).expect("text, numbers and lists");
        out.print(json + "\n");
    } else {
        out.print(text::of(&diagnosis));
    }
    match (findings.usable(), cuda.usable()) {
        (Usable::No, ringfence_cuda::Usable::No) => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}
