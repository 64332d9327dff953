//! The words around the tables of streams.

use std::fmt::Write;

use ringfence_mock::{
    cost::LABEL,
    streams::{oracle::StreamViolation, profile::CREATION_SOURCE},
};

use super::{
    Aborted, Figures, Policy, Size, host::PROFILE, pipelines::SEED, sequential::AtEnd,
    stencil::WINDOW,
};
use crate::demo::table::grouped;

/// Which driver is modelled, and how its rules are known.
pub(crate) fn driver() -> String {
    format!("{PROFILE}: {}", PROFILE.grounds())
}
/// What is about to run.
pub(crate) fn opening(size: Size) -> String {
    let mut text = format!(
        "\nTasks and their streams, on a modelled driver ({driver}),\nin four ways. An oracle \
         checks every call against the rules.\n\n",
        driver = driver(),
    );
    for policy in Policy::ALL {
        let _infallible = writeln!(text, "  {policy:<14}  {}", policy.summary());
    }
    let _infallible = write!(
        text,
        "\n  sequential   {tasks} tasks one after another, 20 µs apart; {done} µs of work each\n  \
           leftover     the same with {queued} µs of work, which is left queued at the task's end\n  \
           pipelines    4 producer/consumer loops, {loops} iterations each, seed {SEED}; 1 of 5 consumers of\n               \
                        3 loops captures a graph while others go on and free; the 4th is slow, and\n               \
                        calls a library by the raw handle\n  \
           stencil_NxN  {stencils} iterations over NxN chunks, {WINDOW} in flight; each update a task that\n               \
                        reads its neighbours\n\n",
        tasks = grouped(size.tasks().into()),
        done = AtEnd::Done.work().count(),
        queued = AtEnd::Queued.work().count(),
        loops = grouped(size.iterations_of_pipelines().into()),
        stencils = grouped(size.iterations_of_stencils().into()),
    );
    text
}
/// What the figures mean.
pub(crate) fn notes() -> String {
    format!(
        "model: {LABEL}. Host time of the driver calls, and the device's own time.\n\
         leased, draining: the most at one time. fresh_drop closes what comes back, so that nothing drains.\n\
         host MiB: pinned by streams and hardware queues, at most; {LABEL}.\n\
         creations: {CREATION_SOURCE}.\n\n"
    )
}
/// A rule was broken.
pub(crate) fn broken(figures: &Figures) -> String {
    let mut text = format!(
        "ringfence: {} with {}: rules were broken {} times; the first is the fault, later ones may follow from it\n",
        figures.workload, figures.policy, figures.violations
    );
    if let Some(first) = &figures.first_violation {
        text += &violation(first);
    }
    text
}
/// A workload ended early.
pub(crate) fn aborted(aborted: &Aborted) -> String {
    let Aborted { policy, workload, error, first_violation } = aborted;
    let mut text = format!("ringfence: {workload} with {policy}: the run ended early: {error}\n");
    if let Some(first) = first_violation {
        text += &violation(first);
    }
    text
}
fn violation(first: &StreamViolation) -> String {
    let mut text = format!("{first}\nthe last calls and device moves:\n");
    for line in &first.trace {
        let _infallible = writeln!(text, "  {line}");
    }
    text
}
