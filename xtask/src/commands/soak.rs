//! Long runs with random faults on the mock, each of which ends with every resource accounted for.

use clap::Args;

use crate::{
    process::Program,
    step::{Failure, Outcome},
    tree::Tree,
};

/// How long, and from which seed.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// For so long; ten minutes by hand.
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// The same seed gives the same runs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}
impl Options {
    /// What the continuous integration runs.
    pub(crate) fn short() -> Self {
        Self { seconds: 20, seed: 1 }
    }
}

/// Builds the soak and runs it.
pub(crate) fn run(tree: &Tree, options: &Options) -> Result<Outcome, Failure> {
    Program::cargo(
        tree,
        // Profile and feature are those of the fuzz targets: one build serves both.
        "run --quiet --manifest-path fuzz/Cargo.toml --profile replay --features planted --example soak --target-dir",
    )
    .arguments([tree.target("fuzz")])
    .arguments(["--".to_owned(), options.seconds.to_string(), options.seed.to_string()])
    .run()
}
