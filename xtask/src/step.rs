//! Named, timed steps, run one after the other until one fails.

use std::{
    io,
    path::PathBuf,
    process::{ExitCode, ExitStatus},
    time::Instant,
};

use crate::tree::Tree;

/// How a step ended that did not fail.
#[derive(PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Outcome {
    /// It ran, and found nothing wrong.
    Passed,
    /// It could not run here, with the reason. Counted, never silent.
    Skipped(String),
}

/// Why a step failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A program could not be started.
    #[error("`{command}` could not be started: {source}")]
    Start {
        /// What was typed.
        command: String,
        /// Why not.
        source: io::Error,
    },
    /// A program ran and failed; what it printed stands above.
    #[error("`{command}` failed with {status}; its messages stand above")]
    Command {
        /// What was typed.
        command: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A check found something; the findings stand above, one a line.
    #[error("{0}")]
    Found(String),
}

/// What a step does.
type Run = dyn FnOnce(&Tree) -> Result<Outcome, Failure>;

/// One thing to check.
pub(crate) struct Step {
    name: String,
    run: Box<Run>,
}
impl Step {
    /// A step that calls `run`.
    pub(crate) fn new(
        name: impl Into<String>,
        run: impl FnOnce(&Tree) -> Result<Outcome, Failure> + 'static,
    ) -> Self {
        Self { name: name.into(), run: Box::new(run) }
    }
}

/// `steps` from the one called `first` on; all of them when none is named.
pub(crate) fn from(mut steps: Vec<Step>, first: Option<&str>) -> Result<Vec<Step>, Failure> {
    let Some(first) = first else { return Ok(steps) };
    match steps.iter().position(|step| step.name == first) {
        Some(at) => Ok(steps.split_off(at)),
        None => {
            let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
            let names = names.join(", ");
            Err(Failure::Found(format!("no step is called `{first}`; there are: {names}")))
        }
    }
}

/// Runs `steps` in order and stops at the first that fails. The last line printed is
/// `N passed, M failed, K skipped`.
pub(crate) fn run_all(tree: &Tree, steps: Vec<Step>) -> ExitCode {
    let total = steps.len();
    let mut passed = 0;
    let mut failed = 0;
    let mut skipped = Vec::new();
    let mut steps = steps.into_iter().enumerate();
    for (index, Step { name, run }) in steps.by_ref() {
        let place = format!("[{:>2}/{total}] {name}", index + 1);
        println!("\n{place}");
        let start = Instant::now();
        let outcome = run(tree);
        let took = start.elapsed().as_secs_f64();
        match outcome {
            Ok(Outcome::Passed) => {
                passed += 1;
                println!("{place}: passed in {took:.1} s");
            }
            Ok(Outcome::Skipped(reason)) => {
                println!("{place}: skipped, {reason}");
                skipped.push((name, reason));
            }
            Err(failure) => {
                failed += 1;
                println!("{place}: FAILED after {took:.1} s\nerror: {failure}");
                break;
            }
        }
    }
    println!();
    for (name, reason) in &skipped {
        println!("skipped {name}: {reason}");
    }
    let unreached: Vec<String> = steps.map(|(_, step)| step.name).collect();
    if !unreached.is_empty() {
        println!("not reached: {}", unreached.join(", "));
    }
    println!("{passed} passed, {failed} failed, {} skipped", skipped.len());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints `findings`, one a line; fails with `summary` if there is one.
pub(crate) fn report<T: std::fmt::Display>(
    findings: &[T],
    summary: &str,
) -> Result<Outcome, Failure> {
    for finding in findings {
        println!("  {finding}");
    }
    match findings.len() {
        0 => Ok(Outcome::Passed),
        count => Err(Failure::Found(format!("{summary} ({count} in all, listed above)"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps() -> Vec<Step> {
        ["fmt", "loc", "tests"].map(|name| Step::new(name, |_| Ok(Outcome::Passed))).into()
    }
    fn names(first: Option<&str>) -> Result<Vec<String>, Failure> {
        from(steps(), first).map(|steps| steps.into_iter().map(|step| step.name).collect())
    }

    #[test]
    fn steps_begin_where_they_are_told_to() {
        assert_eq!(names(None).expect("all"), ["fmt", "loc", "tests"]);
        assert_eq!(names(Some("loc")).expect("two"), ["loc", "tests"]);
        assert_eq!(names(Some("tests")).expect("the last one"), ["tests"]);
    }

    #[test]
    fn a_step_that_there_is_not_is_an_error_that_names_those_that_there_are() {
        let error = names(Some("lock")).expect_err("no such step").to_string();
        assert_eq!(error, "no step is called `lock`; there are: fmt, loc, tests");
    }
}
