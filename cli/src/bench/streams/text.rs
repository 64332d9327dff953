//! The figures as tables, one for each experiment, in the form of the field's own.

use std::fmt::Write;

use super::{Aim, Policy, Results, Run, pipelines, touches};
use crate::bench::{
    setting::Setting,
    table::{grouped, header, row, table},
};

/// All of it.
pub(in crate::bench) fn text(setting: &Setting, results: &Results) -> String {
    let mut text = header(setting, std::slice::from_ref(&results.about));
    for (policy, help) in policies() {
        let _infallible = writeln!(text, "{policy:<14} {help}");
    }
    text += &pipelines_table(&results.runs);
    text += &sequential_table(&results.runs);
    text += &stencil_table(results.side, &results.runs);
    text += &touches_table(&results.runs);
    text += &counts_table(&results.runs);
    text += &aims_table(&results.aims);
    text + EQUAL + "\n"
}

fn pipelines_table(all: &[Run]) -> String {
    let runs: Vec<_> =
        all.iter().filter_map(|run| Some((run.policy, run.looks.as_ref()?))).collect();
    if runs.is_empty() {
        return String::new();
    }
    let title = |(policy, _): &(&str, _)| [format!("{policy}\ns"), "RSS\nMiB".to_owned()];
    let titles = runs.iter().flat_map(title);
    let mut table = table(std::iter::once("iterations".to_owned()).chain(titles));
    let rows = runs.iter().map(|(_, looks)| looks.len()).max().unwrap_or_default();
    for at in 0..rows {
        let iterations = runs.iter().find_map(|(_, looks)| Some(looks.get(at)?.iterations));
        let cells = runs.iter().flat_map(|(_, looks)| match looks.get(at) {
            Some(look) => [format!("{:.3}", look.seconds), whole(look.rss_mib)],
            None => ["-".to_owned(), "-".to_owned()],
        });
        let first = grouped(iterations.unwrap_or_default().into());
        table.add_row(row(std::iter::once(first).chain(cells)));
    }
    format!("\n{}\n{table}\n", pipelines_title())
}

fn sequential_table(all: &[Run]) -> String {
    let mut table = table(["policy", "tasks", "of", "s", "µs a task", "RSS before, MiB", "after"]);
    for run in all.iter().filter(|run| run.experiment == "sequential") {
        table.add_row(row([
            run.policy.to_owned(),
            grouped(run.tasks),
            grouped(run.tasks_asked),
            format!("{:.3}", run.seconds),
            format!("{:.1}", run.us_per_task),
            whole(run.rss_before_mib),
            whole(run.rss_after_mib),
        ]));
    }
    titled(SEQUENTIAL, &table)
}

fn stencil_table(side: u32, all: &[Run]) -> String {
    let mut table = table(["chunks", "policy", "steps", "ms a step", "RSS after, MiB"]);
    let mut runs: Vec<_> = all.iter().filter_map(|run| Some((run, run.chunks()?))).collect();
    runs.sort_by_key(|(_, chunks)| *chunks);
    for (run, chunks) in runs {
        let (Some(steps), Some(ms)) = (run.steps_done, run.ms_per_step) else { continue };
        table.add_row(row([
            chunks.to_owned(),
            run.policy.to_owned(),
            grouped(steps.into()),
            format!("{ms:.3}"),
            whole(run.rss_after_mib),
        ]));
    }
    titled(&stencil_title(side), &table)
}

fn touches_table(all: &[Run]) -> String {
    let mut table =
        table(["policy", "first: median, ms", "longest", "again: median, ms", "longest"]);
    for run in all {
        let (Some(first), Some(again)) = (&run.first_touch_ms, &run.next_touch_ms) else {
            continue;
        };
        let waits = [first.median, first.longest, again.median, again.longest];
        let cells = waits.map(|ms| format!("{ms:.3}"));
        table.add_row(row(std::iter::once(run.policy.to_owned()).chain(cells)));
    }
    titled(&touches_title(), &table)
}

fn counts_table(all: &[Run]) -> String {
    let mut table = table([
        "experiment",
        "policy",
        "tasks",
        "streams\ncreated",
        "peak\nlive",
        "peak leased,\ndraining",
        "leases that\nshared",
        "destroyed",
        "leaked",
    ]);
    for run in all {
        table.add_row(row([
            run.experiment.to_owned(),
            run.policy.to_owned(),
            grouped(run.tasks),
            grouped(run.streams_created),
            grouped(run.peak_live.into()),
            grouped(run.peak_leased_and_draining.into()),
            grouped(run.leases_shared),
            grouped(run.streams_destroyed),
            grouped(run.streams_leaked),
        ]));
    }
    titled(COUNTS, &table)
}

fn aims_table(aims: &[Aim]) -> String {
    let mut table = table(["aim", "found", "held"]);
    for Aim { claim, found, held } in aims {
        let held = if *held { "yes" } else { "NO" };
        table.add_row(row([claim.as_str(), found.as_str(), held]));
    }
    titled(AIMS, &table)
}

/// What each policy does, in the words of the command line.
pub(in crate::bench) fn policies() -> impl Iterator<Item = (Policy, String)> {
    let help = |policy: Policy| {
        let value = clap::ValueEnum::to_possible_value(&policy)?;
        Some((policy, value.get_help()?.to_string()))
    };
    Policy::ALL.into_iter().filter_map(help)
}

/// What stands above the tables, here and on the page.
pub(in crate::bench) const SEQUENTIAL: &str =
    "(b) Tasks one after another: a stream, a kernel, the end.";
pub(in crate::bench) const COUNTS: &str = "What the pool counted.";
pub(in crate::bench) const AIMS: &str = "What it is held against.";
pub(in crate::bench) const EQUAL: &str =
    "Every result was compared with the CPU's, and was equal to the last bit.";
pub(in crate::bench) fn pipelines_title() -> String {
    format!(
        "(a) {} loops side by side: a task fills an array of {} KiB, another reduces and frees it. Time since the row above, \
         resident memory.",
        pipelines::LOOPS,
        pipelines::WORDS / 256,
    )
}
pub(in crate::bench) fn stencil_title(side: u32) -> String {
    format!("(c) A stencil over {side}x{side} cells; each update of a chunk is a task.")
}
pub(in crate::bench) fn touches_title() -> String {
    format!(
        "(d) {} threads want a stream at the same moment; when all are done, once more. How long each waited.",
        touches::THREADS
    )
}

/// Nothing, if there is no row.
fn titled(title: &str, table: &comfy_table::Table) -> String {
    if table.is_empty() { String::new() } else { format!("\n{title}\n{table}\n") }
}
fn whole(number: f64) -> String {
    grouped(number.round() as u64)
}
