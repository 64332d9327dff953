//! `ringfence bench`: both halves in one run, for one page.

use clap::{Args, ValueEnum};

use super::{
    problem::Problem,
    report::{Forms, Measured},
    signals, streams,
};

/// What both halves are measured on, and how long.
#[derive(Args, Clone, Debug)]
#[group(id = "both")]
pub(super) struct Options {
    /// Whose events, waits and streams
    #[arg(long, value_enum, default_value_t = Backend::Hip)]
    backend: Backend,
    /// How much of it
    #[arg(long, value_enum, default_value_t = Size::Full)]
    size: Size,
    #[command(flatten)]
    pub(super) forms: Forms,
}

/// A runtime with both halves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Backend {
    /// AMD's HIP, and Ringfence on its streams and on the queues of HSA
    Hip,
    /// NVIDIA's CUDA
    Cuda,
    /// The modelled device and the modelled driver of `ringfence demo`: it says nothing of a GPU
    Mock,
}

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Size {
    /// As much as `bench signals` and `bench streams` by themselves
    Full,
    /// Enough to see how the page looks
    Small,
}

/// Measures both.
pub(super) fn measure(options: &Options) -> Result<Measured, Problem> {
    let Options { backend, size, forms } = options;
    let (of_signals, of_streams) = match backend {
        Backend::Hip => (vec![signals::Backend::Hip, signals::Backend::Hsa], streams::Backend::Hip),
        Backend::Cuda => (vec![signals::Backend::Cuda], streams::Backend::Cuda),
        Backend::Mock => (vec![signals::Backend::Mock], streams::Backend::Mock),
    };
    let signals = signals::measure_all(&signals::Options::sized(*size, of_signals, forms.clone()))?;
    let streams = streams::measure_all(&streams::Options::sized(*size, of_streams, forms.clone()))?;
    Ok(Measured::Both { signals, streams })
}
