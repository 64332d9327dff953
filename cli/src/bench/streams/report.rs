//! The figures as tables, one for each experiment, in the form of the field's own.

use std::{fmt::Write, time::Duration};

use ringfence::id::Bytes;

use super::{
    Figures, Options, Outcome, Part, Policy,
    aims::{self, Aim},
    pipelines, touches,
};
use crate::bench::{
    gpu::About,
    memory::mib,
    setting::Setting,
    table::{grouped, header, row, table},
};

/// All of it.
pub(super) fn text(setting: &Setting, about: &About, options: &Options, all: &[Figures]) -> String {
    let mut text = header(setting, std::slice::from_ref(about));
    for policy in Policy::ALL {
        if let Some(value) = clap::ValueEnum::to_possible_value(&policy)
            && let Some(help) = value.get_help()
        {
            let _infallible = writeln!(text, "{policy:<14} {help}");
        }
    }
    text += &pipelines_table(all);
    text += &sequential_table(all);
    text += &stencil_table(options, all);
    text += &touches_table(all);
    text += &counts_table(all);
    text += &aims_table(all);
    text += "Every result was compared with the CPU's, and was equal to the last bit.\n";
    text
}

fn pipelines_table(all: &[Figures]) -> String {
    let runs: Vec<(Policy, &Vec<_>)> = all
        .iter()
        .filter_map(|figures| match &figures.outcome {
            Outcome::Pipelines(looks) => Some((figures.policy, looks)),
            _ => None,
        })
        .collect();
    if runs.is_empty() {
        return String::new();
    }
    let title = |(policy, _): &(Policy, _)| [format!("{policy}\ns"), "RSS\nMiB".to_owned()];
    let titles = runs.iter().flat_map(title);
    let mut table = table(std::iter::once("iterations".to_owned()).chain(titles));
    let rows = runs.iter().map(|(_, looks)| looks.len()).max().unwrap_or_default();
    for at in 0..rows {
        let iterations = runs.iter().find_map(|(_, looks)| Some(looks.get(at)?.iterations));
        let cells = runs.iter().flat_map(|(_, looks)| match looks.get(at) {
            Some(look) => [seconds(look.time), whole_mib(look.resident)],
            None => ["-".to_owned(), "-".to_owned()],
        });
        let first = grouped(iterations.unwrap_or_default().into());
        table.add_row(row(std::iter::once(first).chain(cells)));
    }
    format!(
        "\n(a) {} loops side by side: a task fills an array of {} KiB, another reduces and frees it. Time since the row above, \
         resident memory.\n{table}\n",
        pipelines::LOOPS,
        pipelines::WORDS / 256,
    )
}

fn sequential_table(all: &[Figures]) -> String {
    let mut table = table(["policy", "tasks", "of", "s", "µs a task", "RSS before, MiB", "after"]);
    for figures in all.iter().filter(|figures| figures.part == Part::Sequential) {
        let [tasks, asked] = figures.tasks;
        table.add_row(row([
            figures.policy.to_string(),
            grouped(tasks),
            grouped(asked),
            seconds(figures.time),
            format!("{:.1}", figures.micros_per_task()),
            whole_mib(figures.resident[0]),
            whole_mib(figures.resident[1]),
        ]));
    }
    titled("(b) Tasks one after another: a stream, a kernel, the end.", &table)
}

fn stencil_table(options: &Options, all: &[Figures]) -> String {
    let mut table = table(["chunks", "policy", "steps", "ms a step", "RSS after, MiB"]);
    for part in [Part::Stencil(1), Part::Stencil(2), Part::Stencil(4)] {
        for figures in all.iter().filter(|figures| figures.part == part) {
            let Outcome::Stencil(steps) = figures.outcome else { continue };
            let Part::Stencil(side) = part else { continue };
            table.add_row(row([
                format!("{side}x{side}"),
                figures.policy.to_string(),
                grouped(steps.done.into()),
                format!("{:.3}", per(steps.time, steps.done.into()).as_secs_f64() * 1e3),
                whole_mib(figures.resident[1]),
            ]));
        }
    }
    let side = options.side;
    titled(
        &format!("(c) A stencil over {side}x{side} cells; each update of a chunk is a task."),
        &table,
    )
}

fn touches_table(all: &[Figures]) -> String {
    let mut table =
        table(["policy", "first: median, ms", "longest", "again: median, ms", "longest"]);
    for figures in all {
        let Outcome::Touches([first, again]) = figures.outcome else { continue };
        let ms = |time: Duration| format!("{:.3}", time.as_secs_f64() * 1e3);
        table.add_row(row([
            figures.policy.to_string(),
            ms(first.median),
            ms(first.longest),
            ms(again.median),
            ms(again.longest),
        ]));
    }
    let title = format!(
        "(d) {} threads want a stream at the same moment; when all are done, once more. How long each waited.",
        touches::THREADS
    );
    titled(&title, &table)
}

fn counts_table(all: &[Figures]) -> String {
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
    for figures in all {
        let counts = figures.counted.pool;
        table.add_row(row([
            figures.part.to_string(),
            figures.policy.to_string(),
            grouped(figures.tasks[0]),
            grouped(counts.created),
            grouped(counts.peak_live.into()),
            grouped(counts.peak_leased_and_draining.into()),
            grouped(counts.shared),
            grouped(counts.destroyed),
            grouped(counts.leaked + u64::from(figures.counted.left.streams_leaked)),
        ]));
    }
    titled("What the pool counted.", &table)
}

fn aims_table(all: &[Figures]) -> String {
    let mut table = table(["aim", "found", "held"]);
    for Aim { claim, found, held } in aims::all(all) {
        table.add_row(row([claim, found, held.name().to_owned()]));
    }
    titled("What it is held against.", &table)
}

/// Nothing, if there is no row.
fn titled(title: &str, table: &comfy_table::Table) -> String {
    if table.is_empty() { String::new() } else { format!("\n{title}\n{table}\n") }
}
fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}
fn whole_mib(bytes: Bytes) -> String {
    grouped(mib(bytes).round() as u64)
}
/// Of one of so many.
fn per(time: Duration, count: u64) -> Duration {
    time.div_f64(count.max(1) as f64)
}

impl Figures {
    /// Microseconds of a task, with all that the run did.
    pub(super) fn micros_per_task(&self) -> f64 {
        per(self.time, self.tasks[0]).as_secs_f64() * 1e6
    }
}
