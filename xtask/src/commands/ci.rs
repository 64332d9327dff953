//! What the continuous integration may run beyond `test`: checks that need a tool of their own.

use crate::{
    commands::{report, test},
    process::{Presence, Program},
    step::{Failure, Outcome, Step},
    tree::Tree,
};

/// The versions of the tools, everything of `test`, and the licences of what is built upon.
pub(crate) fn steps() -> Vec<Step> {
    let mut steps = vec![Step::new("versions", versions)];
    steps.extend(test::steps());
    steps.push(Step::new("report", |tree| report::run(tree, &report::Options::default())));
    steps.push(Step::new("deny", deny));
    steps
}

/// A log must say what ran.
fn versions(tree: &Tree) -> Result<Outcome, Failure> {
    let _ = Program::cargo(tree, "--version --verbose").run()?;
    Program::cargo(tree, "clippy --version").run()
}

/// Licences and sources of every dependency, and no banned ones, by `deny.toml`.
fn deny(tree: &Tree) -> Result<Outcome, Failure> {
    match Program::cargo(tree, "deny --version").presence() {
        Presence::Here => Program::cargo(tree, "deny check licenses bans sources").run(),
        Presence::Missing => Ok(Outcome::Skipped("cargo-deny is not installed".to_owned())),
    }
}
