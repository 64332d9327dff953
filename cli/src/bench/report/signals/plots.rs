//! What is drawn of events and waits.

use maud::Markup;

use super::{PERCENTILES, columns, four};
use crate::bench::{
    report::{
        figure::{Figure, figure, tenth},
        page::flat,
        plot::{Bars, Lines, Point, Scale, Series, Words},
    },
    signals::{OnQueues, Results, text::micros},
};

/// What is drawn of the distribution of times: the loop of every runtime, and the calls around it.
pub(super) const DISTRIBUTIONS: [(&str, &str); 3] = [
    ("signals-latency-loop", "record_kernel_record_synchronize"),
    ("signals-latency-wait", "cross_stream_wait"),
    ("signals-latency-query", "event_query_first_finished"),
];
/// Loads a use, by tracker, on one queue.
pub(super) fn loads(base: &str, results: &Results) -> Option<Markup> {
    let one_queue: Vec<_> =
        results.queues.iter().enumerate().filter(|(_, one)| one.queues == 1).collect();
    let series = |number, label: &str, figure: fn(String, &OnQueues) -> Figure| Series {
        label: label.to_owned(),
        number,
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
    let host =
        series(0, "loads of host memory", |at, one| figure!(at, one.host_loads_per_use, four));
    let device =
        series(1, "reads of device memory", |at, one| figure!(at, one.device_reads_per_use, four));
    Bars { words, series: vec![host, device] }.draw()
}

/// A plot against the number of queues.
pub(super) struct Against {
    id: &'static str,
    title: &'static str,
    description: &'static str,
    up: &'static str,
    scale: Scale,
    figure: fn(String, &OnQueues) -> Option<Figure>,
}
pub(super) const COST: Against = Against {
    id: "signals-queues",
    title: "Cost of a use against the number of queues",
    description: "Host time of a use, its submission and its share of the wait together, as hardware queues are added, each with a \
                  stream of its own. Lower is better.",
    up: "µs a use",
    scale: Scale::Decades,
    figure: |at, one| Some(figure!(at, one.us_per_use, micros)),
};
pub(super) const BOOKKEEPING: Against = Against {
    id: "signals-bookkeeping",
    title: "Bookkeeping against the number of queues",
    description: "Real time of this machine for the same uses on a device whose calls do nothing and whose work is always done: the \
                  library alone. What else runs on the machine shows here. Lower is better.",
    up: "ns a use",
    scale: Scale::Linear,
    figure: |at, one| {
        let ns = one.bookkeeping_ns_per_use?;
        Some(Figure::new(at + "/bookkeeping_ns_per_use", ns, tenth))
    },
};

pub(super) fn against_queues(base: &str, results: &Results, of: &Against) -> Option<Markup> {
    let mut series: Vec<Series> = Vec::new();
    let mut places: Vec<u32> = results.queues.iter().map(|one| one.queues).collect();
    places.sort_unstable();
    places.dedup();
    for (number, one) in results.queues.iter().enumerate() {
        let label = flat(&one.title);
        let Some(y) = (of.figure)(format!("{base}/queues/{number}"), one) else { continue };
        let x = places.iter().position(|place| *place == one.queues).unwrap_or_default() as f64;
        let point = Point { x, named: one.queues.to_string(), y };
        match series.iter_mut().find(|one| one.label == label) {
            Some(of) => of.points.push(point),
            None => {
                let number = number_of(results, &label);
                series.push(Series { label, number, points: vec![point] });
            }
        }
    }
    let words = Words {
        id: of.id,
        title: of.title.to_owned(),
        description: of.description.to_owned(),
        across: "hardware queues",
        up: of.up,
    };
    let places = places.iter().map(ToString::to_string).collect();
    Lines { words, scale: of.scale, places, series }.draw()
}

/// Which colour a column has.
fn number_of(results: &Results, label: &str) -> usize {
    let mut titles = results.with_profiling("off").map(|column| flat(&column.title));
    titles.position(|title| title == label).unwrap_or_default()
}

/// From the median to the longest.
pub(super) fn distribution(
    base: &str,
    results: &Results,
    id: &'static str,
    row: &str,
) -> Option<Markup> {
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
        let label = flat(&column.title);
        let number = number_of(results, &label);
        series.push(Series { label, number, points: points.collect() });
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
