//! The half of the page about events and waits.

mod plots;
mod tables;

use maud::{Markup, html};

use crate::bench::{
    signals::{Measured, Results, text},
    table::grouped,
};
use plots::{BOOKKEEPING, COST, DISTRIBUTIONS, against_queues, distribution, loads};
use tables::{counts, percentiles, queues, times};

const PERCENTILES: [&str; 5] = ["p50", "p90", "p99", "p99.9", "max"];

/// `base` is where the results stand in the JSON.
pub(super) fn section(base: &str, results: &Results) -> Markup {
    html! {
        section id="signals" {
            h2 { "Signals: events and waits" }
            p { "Repeats: " (text::repeats(results)) "." }
            @if results.is_modelled() {
                p { "A use, a load and a packet are real; every time in µs is that of the modelled host, by public figures of an MI300X." }
            }
            div.plots {
                @if let Some(plot) = loads(base, results) { (plot) }
                @if let Some(plot) = against_queues(base, results, &COST) { (plot) }
                @if let Some(plot) = against_queues(base, results, &BOOKKEEPING) { (plot) }
                @for (id, row) in DISTRIBUTIONS {
                    @if let Some(plot) = distribution(base, results, id, row) { (plot) }
                }
            }
            @for left_out in &results.queues_left_out {
                p.missing { "Not measured against queues: " (left_out.name) ", since " (left_out.why) "." }
            }
            @if !results.is_modelled() {
                p.missing { "Not measured here: the library's bookkeeping alone against queues, which " code { "--backend mock" } " measures." }
            }
            @if results.queues.is_empty() {
                p.missing { "Neither loads a use nor the cost against queues is drawn: no tracker of the library was measured." }
            }
            @for profiling in ["off", "on"] {
                (times(base, results, profiling))
                (counts(base, results, profiling))
            }
            (queues(base, results))
            (percentiles(base, results))
        }
    }
}

/// The columns with this profiling, with their places in the JSON.
fn columns<'a>(base: &str, results: &'a Results, profiling: &str) -> Vec<(String, &'a Measured)> {
    let all = results.columns.iter().enumerate();
    let these = all.filter(|(_, column)| column.profiling == profiling);
    these.map(|(at, column)| (format!("{base}/columns/{at}"), column)).collect()
}

fn count(value: f64) -> String {
    grouped(value as u64)
}
fn four(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.4}") }
}
