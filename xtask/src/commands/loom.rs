//! The exhaustive models of what threads share: every interleaving up to a bound of preemptions.

use std::time::Instant;

use clap::Args;

use crate::{
    process::Program,
    step::{Failure, Outcome},
    tree::Tree,
};

/// The models, by the start of their names.
const MODELS: &str = "loom_";

/// The variable that loom reads its bound from.
const BOUND: &str = "LOOM_MAX_PREEMPTIONS";

/// How far the search goes.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Preemptions a path may have. Without it, LOOM_MAX_PREEMPTIONS says, and without that, 3: each
    /// more multiplies the time, and faults that need 4 are rare.
    #[arg(long)]
    preemptions: Option<u32>,
    /// Only the models whose names contain this.
    #[arg(default_value = MODELS)]
    filter: String,
}
impl Default for Options {
    fn default() -> Self {
        Self { preemptions: None, filter: MODELS.to_owned() }
    }
}

/// Builds the core with loom's types in place of the standard ones, and runs the models.
pub(crate) fn run(tree: &Tree, options: &Options) -> Result<Outcome, Failure> {
    let preemptions = match options.preemptions {
        Some(bound) => bound.to_string(),
        None => std::env::var(BOUND).unwrap_or_else(|_| "3".to_owned()),
    };
    // A target directory of its own: the flag would otherwise rebuild everything, twice.
    let test = |more: &[&str]| {
        Program::cargo(
            tree,
            "test --package ringfence --lib --features planted --profile checked --target-dir",
        )
        .arguments([tree.target("loom")])
        .arguments([options.filter.as_str()])
        .arguments(more)
        .add_flags("RUSTFLAGS", "--cfg ringfence_loom")
        .env(BOUND, &preemptions)
    };
    let models = count(&test(&["--", "--list"]).output()?);
    if models == 0 {
        return Err(Failure::Found(format!("no model has `{}` in its name", options.filter)));
    }
    let start = Instant::now();
    let outcome = test(&[]).run()?;
    let took = start.elapsed().as_secs_f64();
    println!("{models} models, at most {preemptions} preemptions a path: {took:.1} s");
    Ok(outcome)
}

/// How many tests a list of the test harness names.
pub(super) fn count(list: &str) -> usize {
    list.lines().filter(|line| line.ends_with(": test")).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_has_no_models() {
        assert_eq!(count("\n0 tests, 0 benchmarks\n"), 0);
        assert_eq!(count("a::loom_raise: test\nb::loom_park: test\n\n2 tests, 0 benchmarks\n"), 2);
    }
}
