//! Every test of the streams half of the conformance suite can fail: backends with one thing wrong each fail
//! exactly the tests that are named here, and every test is named at least once.
//!
//! Tests that run several threads at once may notice a flaw in one run and not in the next: those that are named
//! do within [`TRIES`] runs, and others of them may.
//!
//! `RINGFENCE_TEETH=print` prints the tables.
#![forbid(unsafe_code)]

mod backend;
mod events;
mod expected;
mod flaw;
mod memory;
#[cfg(feature = "planted")]
mod planted;
mod subject;

use std::collections::BTreeSet;

use expected::{ALL, Expected};
use flaw::Flaw;
use ringfence_tests::conformance::streams::{StreamMock, run, stream_cases};
use subject::Broken;

/// Tests whose threads run at once: what they notice besides depends on their order.
fn is_racy(name: &str) -> bool {
    name.contains("several_threads")
        || name.contains("pool_threads")
        || name.contains("participants")
}

/// How many runs a test whose threads race has to notice a flaw: on a loaded machine its threads run one after
/// the other more often than not.
const TRIES: usize = 50;

/// Whether a test whose threads race notices the flaw in one of [`TRIES`] more runs.
fn is_caught_at_last(flaw: Flaw, name: &str) -> bool {
    (0..TRIES).any(|_| !run(|case| case.name == name, || Broken::start(flaw)).failures().is_empty())
}

/// Each flaw is caught by these tests, and by no others.
fn are_caught(all: &[Expected]) {
    let mut wrong = Vec::new();
    for &(flaw, expected) in all {
        let report = run(|_| true, || Broken::start(flaw));
        let failed = report.failures();
        if std::env::var("RINGFENCE_TEETH").as_deref() == Ok("print") {
            println!("    (Flaw::{flaw:?}, &{failed:?}),");
            continue;
        }
        let steady = |names: &[&str]| -> Vec<String> {
            names.iter().filter(|name| !is_racy(name)).map(ToString::to_string).collect()
        };
        let caught =
            |name: &str| failed.contains(&name) || is_racy(name) && is_caught_at_last(flaw, name);
        let missing = expected.iter().any(|name| !caught(name));
        if missing || steady(&failed) != steady(expected) {
            let lines = report.lines.iter().filter(|line| line.outcome.is_failure());
            let lines: String = lines.map(|line| format!("\n    {line}")).collect();
            wrong.push(format!("{flaw:?} should be caught by {expected:?}, and is by{lines}"));
        }
        println!("{flaw:?}: {} tests", failed.len());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn flaws_of_rules_are_caught() {
    are_caught(expected::RULES);
}
#[test]
fn flaws_of_streams_are_caught() {
    are_caught(expected::STREAMS);
}
#[test]
fn flaws_of_queries_are_caught() {
    are_caught(expected::QUERIES);
}
#[test]
fn flaws_of_events_are_caught() {
    are_caught(expected::EVENTS);
}
#[test]
fn flaws_of_captures_are_caught() {
    are_caught(expected::CAPTURES);
}
#[test]
fn flaws_of_graphs_are_caught() {
    are_caught(expected::GRAPHS);
}
#[test]
fn flaws_of_memory_are_caught() {
    are_caught(expected::MEMORY);
}
#[test]
fn flaws_of_progress_are_caught() {
    are_caught(expected::PROGRESS);
}

#[test]
fn every_test_catches_something() {
    let named: BTreeSet<_> = ALL
        .iter()
        .flat_map(|table| table.iter())
        .flat_map(|(_, names)| names.iter().copied())
        .collect();
    let never: Vec<_> = stream_cases::<StreamMock>()
        .into_iter()
        .map(|case| case.name)
        .filter(|name| !named.contains(name))
        .collect();
    assert!(never.is_empty(), "no flaw is caught by {never:#?}");
}
