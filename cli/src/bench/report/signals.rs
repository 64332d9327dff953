//! The half of the page about events and waits.

use maud::{Markup, html};

use super::{
    figure::{Figure, figure},
    page::{flat, scrolled},
    plot::{Bars, Lines, Point, Scale, Series, Words},
};
use crate::bench::{
    signals::{
        Measured, OnQueues, Results,
        text::{self, micros, short},
    },
    table::grouped,
};

/// What is drawn of the distribution of times: the loop of every runtime, and the calls around it.
const DISTRIBUTIONS: [(&str, &str); 3] = [
    ("signals-latency-loop", "record_kernel_record_synchronize"),
    ("signals-latency-wait", "cross_stream_wait"),
    ("signals-latency-query", "event_query_first_finished"),
];
const PERCENTILES: [&str; 5] = ["p50", "p90", "p99", "p99.9", "max"];

/// `base` is where the results stand in the JSON.
pub(super) fn section(base: &str, results: &Results) -> Markup {
    html! {
        section id="signals" {
            h2 { "Signals: events and waits" }
            p { "Repeats: " (text::repeats(results)) "." }
            div.plots {
                @if let Some(plot) = loads(base, results) { (plot) }
                @if let Some(plot) = against_queues(base, results) { (plot) }
                @for (id, row) in DISTRIBUTIONS {
                    @if let Some(plot) = distribution(base, results, id, row) { (plot) }
                }
            }
            @for left_out in &results.queues_left_out {
                p.missing { "Not measured against queues: " (left_out.name) ", since " (left_out.why) "." }
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

fn times(base: &str, results: &Results, profiling: &str) -> Markup {
    let columns = columns(base, results, profiling);
    let cell = |at: &str, row: usize, column: &Measured| {
        let row_at = format!("{at}/rows/{row}");
        let row = &column.rows[row];
        html! { @if let Some(times) = &row.times {
            @let at = format!("{row_at}/times");
            b { (figure!(at, times.p50, micros)) }
            small { (figure!(at, times.p99, micros)) " " (figure!(at, times.max, micros)) }
        } @else { "-" } }
    };
    grid(&text::times_title(profiling), &columns, cell)
}
fn counts(base: &str, results: &Results, profiling: &str) -> Markup {
    let mut columns = columns(base, results, profiling);
    columns.retain(|(_, column)| column.counts());
    let cell = |at: &str, row: usize, column: &Measured| {
        let row_at = format!("{at}/rows/{row}");
        let row = &column.rows[row];
        html! { @if let Some(per) = &row.per_repeat {
            @let at = format!("{row_at}/per_repeat");
            span.four {
                (figure!(at, per.signals_created, short)) " " (figure!(at, per.host_loads, short)) " "
                (figure!(at, per.device_reads, short)) " " (figure!(at, per.waits, short))
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

fn queues(base: &str, results: &Results) -> Markup {
    if results.queues.is_empty() {
        return html! {};
    }
    scrolled(
        &text::queues_title(),
        html! {
            thead { tr {
                @for title in
                    ["tracker", "queues", "uses", "µs a use", "host loads a use", "device reads a use", "packets a use", "signals created"]
                { th scope="col" { (title) } }
            } }
            tbody { @for (number, one) in results.queues.iter().enumerate() {
                @let at = format!("{base}/queues/{number}");
                tr {
                    th scope="row" { (flat(&one.title)) }
                    td { (figure!(at, one.queues, count)) }
                    td { (figure!(at, one.uses, count)) }
                    td { (figure!(at, one.us_per_use, micros)) }
                    td { (figure!(at, one.host_loads_per_use, four)) }
                    td { (figure!(at, one.device_reads_per_use, four)) }
                    td { (figure!(at, one.packets_per_use, four)) }
                    td { (figure!(at, one.signals_created, count)) }
                }
            } }
        },
    )
}

fn percentiles(base: &str, results: &Results) -> Markup {
    html! { details {
        summary { "Every percentile and every count" }
        (scrolled("Host time of a call, µs, and what the library counted for one repeat", html! {
            thead { tr {
                @for title in ["operation", "measured", "profiling", "samples"] { th scope="col" { (title) } }
                @for title in PERCENTILES { th scope="col" { (title) } }
                @for title in ["uses", "created", "host loads", "device reads", "waits", "arms", "packets"] {
                    th scope="col" { (title) }
                }
            } }
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

/// Loads a use, by tracker, on one queue.
fn loads(base: &str, results: &Results) -> Option<Markup> {
    let one_queue: Vec<_> =
        results.queues.iter().enumerate().filter(|(_, one)| one.queues == 1).collect();
    let series = |label: &str, figure: fn(String, &OnQueues) -> Figure| Series {
        label: label.to_owned(),
        points: one_queue
            .iter()
            .enumerate()
            .map(|(place, (number, one))| Point {
                x: place as f64,
                named: flat(&one.title),
                y: figure(format!("{base}/queues/{number}"), one),
            })
            .collect(),
    };
    let words = Words {
        id: "signals-loads",
        title: "Loads a use, by tracker".to_owned(),
        description: "How often the host loads a signal for each use, on one queue, in batches of 64 uses. A read of device memory \
                      crosses PCIe; a load of host memory does not. Shorter is better."
            .to_owned(),
        across: "tracker",
        up: "loads a use",
    };
    let host = series("loads of host memory", |at, one| figure!(at, one.host_loads_per_use, four));
    let device =
        series("reads of device memory", |at, one| figure!(at, one.device_reads_per_use, four));
    Bars { words, series: vec![host, device] }.draw()
}

fn against_queues(base: &str, results: &Results) -> Option<Markup> {
    let mut series: Vec<Series> = Vec::new();
    let mut places: Vec<u32> = results.queues.iter().map(|one| one.queues).collect();
    places.sort_unstable();
    places.dedup();
    for (number, one) in results.queues.iter().enumerate() {
        let label = flat(&one.title);
        let at = format!("{base}/queues/{number}");
        let x = places.iter().position(|place| *place == one.queues).unwrap_or_default() as f64;
        let point =
            Point { x, named: one.queues.to_string(), y: figure!(at, one.us_per_use, micros) };
        match series.iter_mut().find(|one| one.label == label) {
            Some(of) => of.points.push(point),
            None => series.push(Series { label, points: vec![point] }),
        }
    }
    let words = Words {
        id: "signals-queues",
        title: "Cost of a use against the number of queues".to_owned(),
        description: "Host time of a use, its submission and its share of the wait together, as hardware queues are added, each with \
                      a stream of its own. Lower is better."
            .to_owned(),
        across: "hardware queues",
        up: "µs a use",
    };
    let places = places.iter().map(ToString::to_string).collect();
    Lines { words, scale: Scale::Decades, places, series }.draw()
}

/// From the median to the longest.
fn distribution(base: &str, results: &Results, id: &'static str, row: &str) -> Option<Markup> {
    let mut title = None;
    let mut series = Vec::new();
    for (at, column) in columns(base, results, "off") {
        let found = column.rows.iter().enumerate().find(|(_, figure)| figure.row == row);
        let Some((number, figure)) = found else { continue };
        let Some(times) = &figure.times else { continue };
        title = Some(flat(figure.title));
        let at = format!("{at}/rows/{number}/times");
        let figures = [
            figure!(at, times.p50, micros),
            figure!(at, times.p90, micros),
            figure!(at, times.p99, micros),
            figure!(at, times.p999, micros),
            figure!(at, times.max, micros),
        ];
        let points = figures.into_iter().zip(PERCENTILES).enumerate();
        let points = points.map(|(place, (y, named))| {
            let named = named.to_owned();
            Point { x: place as f64, named, y }
        });
        series.push(Series { label: flat(&column.title), points: points.collect() });
    }
    let words = Words {
        id,
        title: format!("Latency: {}", title?),
        description: "Host time of a call, from the median to the longest of all repeats, profiling off. Lower is better.".to_owned(),
        across: "so many of the calls take no longer",
        up: "µs",
    };
    let places = PERCENTILES.map(str::to_owned).to_vec();
    Lines { words, scale: Scale::Decades, places, series }.draw()
}

fn count(value: f64) -> String {
    grouped(value as u64)
}
fn four(value: f64) -> String {
    format!("{value:.4}")
}
