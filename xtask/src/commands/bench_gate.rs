//! Instructions a use, counted by callgrind. Unlike times they repeat, on any machine.
//!
//! Each case runs twice, with few and with many iterations; the difference is what the iterations
//! cost, without start-up and set-up.

mod table;

use clap::Args;

use self::table::{Row, Verdict};
use crate::{
    process::{Presence, Program},
    step::{Failure, Outcome, report},
    tree::Tree,
};

/// The committed table.
const TABLE: &str = "tests/benches/instructions.toml";
/// The program that runs one case: `instructions CASE ITERATIONS`, and `instructions --list`. The profile `bench` builds it where `release` does.
const PROGRAM: &str = "release/instructions";
/// Iterations of the two runs. The first is long enough for the ring to have grown and settled.
const ITERATIONS: [u64; 2] = [4_000, 12_000];

/// What to do with what was counted.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Options {
    /// Write what was counted to the table instead of comparing. Commit it with a reason.
    #[arg(long)]
    bless: bool,
}

/// Counts every case and compares.
pub(crate) fn run(tree: &Tree, options: &Options) -> Result<Outcome, Failure> {
    if Program::new(tree, "valgrind").arguments(["--version"]).presence() == Presence::Missing {
        return Ok(Outcome::Skipped("valgrind is not installed".to_owned()));
    }
    let build = "build --profile bench --package ringfence-tests --bin instructions";
    let _ = Program::cargo(tree, build).run()?;
    let list = Program::new(tree, tree.target(PROGRAM)).arguments(["--list"]).output()?;
    let mut counted = Vec::new();
    for case in list.split_whitespace() {
        counted.push(Row { case: case.to_owned(), instructions: count(tree, case)? });
    }
    if counted.is_empty() {
        return Err(Failure::Found(format!("`{PROGRAM} --list` names no case")));
    }
    if options.bless {
        let path = tree.path(TABLE);
        return match std::fs::write(&path, table::written(&counted)) {
            Ok(()) => Ok(Outcome::Passed),
            Err(source) => Err(Failure::File { path, source }),
        };
    }
    // Without a table every case is one too many, and the message says how to write it.
    let text = if tree.path(TABLE).exists() { tree.read(TABLE)? } else { String::new() };
    let committed = table::read(&text).map_err(Failure::Found)?;
    let verdicts = table::compare(&committed, &counted);
    let (broken, fine): (Vec<_>, Vec<_>) = verdicts.into_iter().partition(Verdict::is_broken);
    for verdict in fine {
        println!("  {verdict}");
    }
    report(
        &broken,
        "cases differ from the table; if that is wanted, `cargo xtask bench-gate --bless`",
    )
}

/// Instructions that one iteration of `case` costs.
fn count(tree: &Tree, case: &str) -> Result<f64, Failure> {
    let [few, many] = ITERATIONS;
    let [less, more] = [total(tree, case, few)?, total(tree, case, many)?];
    Ok(more.saturating_sub(less) as f64 / (many - few) as f64)
}

/// Instructions of one whole run.
fn total(tree: &Tree, case: &str, iterations: u64) -> Result<u64, Failure> {
    let profile = tree.target(format!("callgrind.{case}.{iterations}"));
    let out = format!("--callgrind-out-file={}", profile.display());
    Program::new(tree, "valgrind")
        .arguments(["--quiet", "--tool=callgrind", &out])
        .arguments([tree.target(PROGRAM)])
        .arguments([case, &iterations.to_string()])
        .output()?;
    table::summary(&tree.read(&profile)?)
        .ok_or_else(|| Failure::Found(format!("{}: no line `summary:`", profile.display())))
}
