//! The figures as tables: a row for each operation, a column for each way to do it.

use super::{
    Figure, Measured, OnQueues, Results,
    column::Profiling,
    queues::{BATCH, QUEUES},
};
use crate::bench::{
    setting::Setting,
    table::{header, row, table},
};

/// All of it.
pub(in crate::bench) fn text(setting: &Setting, results: &Results) -> String {
    let mut text = header(setting, &results.about);
    text += &format!("repeats  {}\n", repeats(results));
    for profiling in Profiling::ALL {
        let columns: Vec<_> = results.with_profiling(profiling.name()).collect();
        if columns.is_empty() {
            continue;
        }
        text += &format!("\n{}\n{}\n", times_title(profiling.name()), grid(&columns, time));
        let counted: Vec<_> = columns.into_iter().filter(|column| column.counts()).collect();
        if !counted.is_empty() {
            text += &format!("\n{}\n{}\n", counts_title(profiling.name()), grid(&counted, counts));
        }
    }
    text + &queues(results)
}

/// How often, and what is in each time.
pub(in crate::bench) fn repeats(results: &Results) -> String {
    let Results { repeats, warm_up, clock_us, timed_together, .. } = results;
    if results.is_modelled() {
        return format!(
            "{repeats} of each row, after {warm_up} that are not counted; times are modelled; events that are not as the row says are left out"
        );
    }
    let together = match timed_together {
        1 => String::new(),
        calls => format!(
            "; later queries of a finished event or stream, and waits for finished work, are timed {calls} at a time"
        ),
    };
    format!(
        "{repeats} of each row, after {warm_up} that are not counted; a look at the clock takes {:.0} ns, and is in each \
         time{together}; events that are not as the row says are left out",
        clock_us * 1e3
    )
}
pub(in crate::bench) fn times_title(profiling: &str) -> String {
    format!(
        "Host time of a call, µs: median, and below it 99th percentile and longest. Profiling {profiling}."
    )
}
pub(in crate::bench) fn counts_title(profiling: &str) -> String {
    format!(
        "What the library counted for one repeat, with what stands around the timed call: signals created, loads of host \
         memory, reads of device memory, host waits. Profiling {profiling}."
    )
}
/// What was measured against the number of queues.
pub(in crate::bench) fn queues_title() -> String {
    format!(
        "Cost of a use on 1 to {} hardware queues, each with a stream of its own: the streams take turns to submit {BATCH} uses \
         each, the last an event, for which the host then waits. Bookkeeping, where time is modelled: real time of this machine for the same \
         uses on a device that does nothing.",
        QUEUES[QUEUES.len() - 1]
    )
}

fn queues(results: &Results) -> String {
    let mut text = String::new();
    if !results.queues.is_empty() {
        let mut table = table([
            "tracker",
            "queues",
            "uses",
            "µs a use",
            "bookkeeping,\nns a use",
            "host loads\na use",
            "device reads\na use",
            "signals\ncreated",
        ]);
        for one in &results.queues {
            let OnQueues { name, queues, uses, signals_created, .. } = one;
            table.add_row(row([
                name.clone(),
                queues.to_string(),
                uses.to_string(),
                micros(one.us_per_use),
                one.bookkeeping_ns_per_use.map_or("-".to_owned(), |ns| format!("{ns:.1}")),
                format!("{:.4}", one.host_loads_per_use),
                format!("{:.4}", one.device_reads_per_use),
                signals_created.to_string(),
            ]));
        }
        text += &format!("\n{}\n{table}\n", queues_title());
    }
    for left_out in &results.queues_left_out {
        text += &format!("not against queues: {} ({})\n", left_out.name, left_out.why);
    }
    text
}

fn grid(columns: &[&Measured], cell: fn(&Figure) -> String) -> comfy_table::Table {
    let titles = columns.iter().map(|column| column.title.clone());
    let mut table = table(std::iter::once(String::new()).chain(titles));
    let rows = columns.iter().map(|column| column.rows.len()).max().unwrap_or_default();
    for at in 0..rows {
        let cells = columns.iter().map(|column| cell(&column.rows[at]));
        let title = columns[0].rows[at].title.to_owned();
        table.add_row(row(std::iter::once(title).chain(cells)));
    }
    table
}
fn time(figure: &Figure) -> String {
    figure.times.as_ref().map_or_else(
        || "-".to_owned(),
        |times| {
            let [median, p99, longest] = [times.p50, times.p99, times.max].map(micros);
            format!("{median}\n{p99} {longest}")
        },
    )
}
fn counts(figure: &Figure) -> String {
    figure.per_repeat.map_or_else(
        || "-".to_owned(),
        |per| {
            let all = [per.signals_created, per.host_loads, per.device_reads, per.waits].map(short);
            all.join(" ")
        },
    )
}
/// Three digits are more than a repeat gives again.
pub(in crate::bench) fn micros(micros: f64) -> String {
    match micros {
        0.0 => "0".to_owned(),
        _ if micros < 0.1 => format!("{micros:.4}"),
        _ if micros < 10.0 => format!("{micros:.3}"),
        _ if micros < 100.0 => format!("{micros:.1}"),
        _ => format!("{micros:.0}"),
    }
}
pub(in crate::bench) fn short(count: f64) -> String {
    if count == 0.0 { "0".to_owned() } else { format!("{count:.2}") }
}
