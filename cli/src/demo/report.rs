//! The words around the table.

use std::fmt::Write;

use ringfence_mock::{cost::LABEL, oracle::Violation};

use super::{
    Options,
    checks::{Check, Held},
    run::{Aborted, Figures},
    workload::{EVENTS_EACH, Mix, QUEUES, STREAMS},
};
use crate::output::Colours;

/// How the real nanoseconds are measured.
pub(crate) const BOOKKEEPING: &str = "real time of this machine for the whole mix, queries and waits included, on a \
     device whose calls do nothing and whose work is always done, divided by uses; median of 5 runs";

/// What is about to run.
pub(crate) fn opening(options: &Options, mix: &Mix) -> String {
    format!(
        "The same mix five times, on a modelled device ({profile}, seed {seed}): {QUEUES} hardware queues shared by \
         {STREAMS} streams,\n{EVENTS_EACH} events a stream, {uses} uses and more. An oracle checks every call against \
         the rules.\n\n{mix}\n",
        profile = options.profile.name(),
        seed = options.seed,
        uses = options.uses,
    )
}
/// What the figures mean.
pub(crate) fn notes() -> String {
    format!(
        "model: {LABEL}. What the calls and waits would cost a host with an MI300X, by public figures.\n\
         bookkeeping: {BOOKKEEPING}.\n\n"
    )
}
/// The derived checks, one a line.
pub(crate) fn checks(checks: &[Check], colours: Colours) -> String {
    let mut text = String::new();
    for Check { claim, found, result } in checks {
        let mark = match (result, colours) {
            (Held::Yes, Colours::On) => "\u{1b}[32m✓\u{1b}[0m",
            (Held::Yes, Colours::Off) => "✓",
            (Held::No, Colours::On) => "\u{1b}[31m✗\u{1b}[0m",
            (Held::No, Colours::Off) => "✗",
        };
        let _infallible = writeln!(text, "{mark} {claim} ({found})");
    }
    text
}
/// A rule was broken.
pub(crate) fn broken(figures: &Figures) -> String {
    let mut text = format!(
        "ringfence: {}: rules were broken {} times; the first is the fault, later ones may follow from it\n",
        figures.configuration, figures.violations
    );
    if let Some(first) = &figures.first_violation {
        text += &violation(first);
    }
    text
}
/// A run ended early.
pub(crate) fn aborted(aborted: &Aborted) -> String {
    let Aborted { configuration, error, first_violation, trace } = aborted;
    let mut text = format!("ringfence: {configuration}: the run ended early: {error}\n");
    match first_violation {
        Some(first) => text += &violation(first),
        None => text += &lines(trace),
    }
    text
}
fn violation(first: &Violation) -> String {
    format!("{first}\n{}", lines(&first.trace))
}
fn lines(trace: &[String]) -> String {
    let mut text = String::from("the last calls and device moves:\n");
    for line in trace {
        let _infallible = writeln!(text, "  {line}");
    }
    text
}
