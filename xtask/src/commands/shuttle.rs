//! Large mixes of threads and tasks, under schedules drawn at random from a fixed seed. They are too large
//! for the exhaustive models of `loom`, and search less deep.

use std::time::Instant;

use clap::Args;

use crate::{
    commands::loom,
    process::Program,
    step::{Failure, Outcome},
    tree::Tree,
};

/// The mixes, by the start of their names.
const MIXES: &str = "shuttle_";

/// Which mixes run.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Only the mixes whose names contain this.
    #[arg(default_value = MIXES)]
    filter: String,
}
impl Default for Options {
    fn default() -> Self {
        Self { filter: MIXES.to_owned() }
    }
}

/// Builds the core with shuttle's types in place of the standard ones, and runs the mixes.
pub(crate) fn run(tree: &Tree, options: &Options) -> Result<Outcome, Failure> {
    // A target directory of its own: the flag would otherwise rebuild everything, twice.
    let test = |more: &[&str]| {
        Program::cargo(
            tree,
            "test --package ringfence --test shuttle --features planted --profile checked --target-dir",
        )
        .arguments([tree.target("shuttle")])
        .arguments([options.filter.as_str()])
        .arguments(more)
        .add_flags("RUSTFLAGS", "--cfg ringfence_shuttle")
    };
    // Without the flag the file is empty, and would pass.
    let mixes = loom::count(&test(&["--", "--list"]).output()?);
    if mixes == 0 {
        return Err(Failure::Found(format!("no mix has `{}` in its name", options.filter)));
    }
    let start = Instant::now();
    let outcome = test(&[]).run()?;
    println!("{mixes} mixes: {:.1} s", start.elapsed().as_secs_f64());
    Ok(outcome)
}
