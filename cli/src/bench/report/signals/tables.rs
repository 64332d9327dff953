//! The tables of events and waits.

use maud::{Markup, html};

use super::{columns, count, four};
use crate::bench::{
    report::{
        figure::{figure, maybe, tenth},
        page::{flat, scrolled, titles},
    },
    signals::{
        Measured, Results,
        text::{self, micros, short},
    },
};

pub(super) fn times(base: &str, results: &Results, profiling: &str) -> Markup {
    let columns = columns(base, results, profiling);
    let cell = |at: &str, row: usize, column: &Measured| {
        let row_at = format!("{at}/rows/{row}");
        let row = &column.rows[row];
        html! { @if let Some(times) = &row.times {
            @let at = format!("{row_at}/times");
            b { (figure!(at, times.p50, micros)) }
            small { (figure!(at, times.p99, micros)) " · " (figure!(at, times.max, micros)) }
        } @else { "-" } }
    };
    grid(&text::times_title(profiling), &columns, cell)
}
pub(super) fn counts(base: &str, results: &Results, profiling: &str) -> Markup {
    let mut columns = columns(base, results, profiling);
    columns.retain(|(_, column)| column.counts());
    let cell = |at: &str, row: usize, column: &Measured| {
        let row_at = format!("{at}/rows/{row}");
        let row = &column.rows[row];
        html! { @if let Some(per) = &row.per_repeat {
            @let at = format!("{row_at}/per_repeat");
            span.four {
                (figure!(at, per.signals_created, short)) " · " (figure!(at, per.host_loads, short)) " · "
                (figure!(at, per.device_reads, short)) " · " (figure!(at, per.waits, short))
            }
        } @else { "-" } }
    };
    grid(&text::counts_title(profiling), &columns, cell)
}
fn grid(
    caption: &str,
    columns: &[(String, &Measured)],
    cell: impl Fn(&str, usize, &Measured) -> Markup,
) -> Markup {
    let Some((_, first)) = columns.first() else { return html! {} };
    scrolled(
        caption,
        html! {
            thead { tr {
                th scope="col" { "operation" }
                @for (_, column) in columns { th scope="col" { (flat(&column.title)) } }
            } }
            tbody { @for (number, row) in first.rows.iter().enumerate() { tr {
                th scope="row" { (flat(row.title)) }
                @for (at, column) in columns { td { (cell(at, number, column)) } }
            } } }
        },
    )
}

pub(super) fn queues(base: &str, results: &Results) -> Markup {
    if results.queues.is_empty() {
        return html! {};
    }
    scrolled(
        &text::queues_title(),
        html! {
            (titles(&["tracker", "queues", "uses", "µs a use", "bookkeeping, ns a use", "host loads a use", "device reads a use", "packets a use", "signals created"]))
            tbody { @for (number, one) in results.queues.iter().enumerate() {
                @let at = format!("{base}/queues/{number}");
                tr {
                    th scope="row" { (flat(&one.title)) }
                    td { (figure!(at, one.queues, count)) }
                    td { (figure!(at, one.uses, count)) }
                    td { (figure!(at, one.us_per_use, micros)) }
                    td { (maybe(&at, "bookkeeping_ns_per_use", one.bookkeeping_ns_per_use, tenth)) }
                    td { (figure!(at, one.host_loads_per_use, four)) }
                    td { (figure!(at, one.device_reads_per_use, four)) }
                    td { (figure!(at, one.packets_per_use, four)) }
                    td { (figure!(at, one.signals_created, count)) }
                }
            } }
        },
    )
}

pub(super) fn percentiles(base: &str, results: &Results) -> Markup {
    html! { details {
        summary { "Every percentile and every count" }
        (scrolled("Host time of a call, µs, and what the library counted for one repeat", html! {
            (titles(&[
                "operation", "measured", "profiling", "samples", "p50", "p90", "p99", "p99.9", "max", "uses", "created", "host loads",
                "device reads", "waits", "arms", "packets",
            ]))
            tbody { @for (c, column) in results.columns.iter().enumerate() {
                @for (r, row) in column.rows.iter().enumerate() { tr {
                    th scope="row" { (flat(row.title)) }
                    td.words { (flat(&column.title)) }
                    td.words { (column.profiling) }
                    @if let Some(times) = &row.times {
                        @let at = format!("{base}/columns/{c}/rows/{r}/times");
                        td { (figure!(at, times.samples, count)) }
                        td { (figure!(at, times.p50, micros)) }
                        td { (figure!(at, times.p90, micros)) }
                        td { (figure!(at, times.p99, micros)) }
                        td { (figure!(at, times.p999, micros)) }
                        td { (figure!(at, times.max, micros)) }
                    } @else { @for _ in 0..6 { td { "-" } } }
                    @if let Some(per) = &row.per_repeat {
                        @let at = format!("{base}/columns/{c}/rows/{r}/per_repeat");
                        td { (figure!(at, per.uses, short)) }
                        td { (figure!(at, per.signals_created, short)) }
                        td { (figure!(at, per.host_loads, short)) }
                        td { (figure!(at, per.device_reads, short)) }
                        td { (figure!(at, per.waits, short)) }
                        td { (figure!(at, per.arms, short)) }
                        td { (figure!(at, per.packets, short)) }
                    } @else { @for _ in 0..7 { td { "-" } } }
                } }
            } }
        }))
    } }
}
