//! The figures as tables: a row for each operation, a column for each way to do it.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use super::{Figure, Measured, Options, Profiling, Row, row::TOGETHER};
use crate::bench::{
    gpu::About,
    setting::Setting,
    table::{header, row, table},
};

/// Looks at the clock of which the median is taken.
const LOOKS: usize = 1_001;

/// All of it.
pub(super) fn text(
    setting: &Setting,
    abouts: &[About],
    options: &Options,
    all: &[Measured],
) -> String {
    let mut text = header(setting, abouts);
    text += &format!(
        "repeats  {} of each row, after {} that are not counted; a look at the clock takes {} ns, and is in each time;\n         \
         later queries of a finished event, and waits for finished work, are timed {TOGETHER} at a time; events that are not as the row says are left out\n",
        options.repeats,
        options.warm_up,
        clock().as_nanos()
    );
    for profiling in Profiling::ALL {
        let columns: Vec<_> =
            all.iter().filter(|measured| measured.column.profiling == profiling).collect();
        if columns.is_empty() {
            continue;
        }
        let name = profiling.name();
        text += &format!(
            "\nHost time of a call, µs: median, and below it 99th percentile and longest. Profiling {name}.\n{}\n",
            grid(&columns, time)
        );
        let counted: Vec<_> = columns
            .into_iter()
            .filter(|measured| measured.figures.iter().any(|figure| figure.per_repeat.is_some()))
            .collect();
        if !counted.is_empty() {
            text += &format!(
                "\nWhat the library counted for one repeat, with what stands around the timed call: signals created, loads of host \
                 memory, reads of device memory, host waits. Profiling {name}.\n{}\n",
                grid(&counted, counts)
            );
        }
    }
    text
}

fn grid(columns: &[&Measured], cell: fn(&Figure) -> String) -> comfy_table::Table {
    let titles = columns.iter().map(|measured| measured.column.title());
    let mut table = table(std::iter::once(String::new()).chain(titles));
    for (at, one) in Row::ALL.into_iter().enumerate() {
        let cells = columns.iter().map(|measured| cell(&measured.figures[at]));
        table.add_row(row(std::iter::once(one.title().to_owned()).chain(cells)));
    }
    table
}
fn time(figure: &Figure) -> String {
    figure.samples.as_ref().map_or_else(
        || "-".to_owned(),
        |samples| {
            let all = [
                samples.median_us(figure.row),
                samples.p99_us(figure.row),
                samples.longest_us(figure.row),
            ];
            let [median, p99, longest] = all.map(micros);
            format!("{median}\n{p99} {longest}")
        },
    )
}
fn counts(figure: &Figure) -> String {
    figure.per_repeat.map_or_else(
        || "-".to_owned(),
        |per| {
            let all = [per.created, per.host_loads, per.device_loads, per.waits].map(short);
            all.join(" ")
        },
    )
}
/// Three digits are more than a repeat gives again.
fn micros(micros: f64) -> String {
    match micros {
        _ if micros < 0.1 => format!("{micros:.4}"),
        _ if micros < 10.0 => format!("{micros:.3}"),
        _ if micros < 100.0 => format!("{micros:.1}"),
        _ => format!("{micros:.0}"),
    }
}
fn short(count: f64) -> String {
    if count == 0.0 { "0".to_owned() } else { format!("{count:.2}") }
}

/// What a look at the clock takes.
pub(super) fn clock() -> Duration {
    let mut all: Vec<_> = (0..LOOKS)
        .map(|_| {
            let begun = Instant::now();
            black_box(begun.elapsed())
        })
        .collect();
    all.sort_unstable();
    all[LOOKS / 2]
}
