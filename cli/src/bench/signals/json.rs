//! The figures as one JSON object.

use std::time::Duration;

use serde::Serialize;

use super::{Figure, Measured, Options, Who, report};
use crate::bench::{gpu::About, setting::Setting};

#[derive(Serialize)]
struct Object<'a> {
    setting: &'a Setting,
    about: &'a [About],
    repeats: u32,
    warm_up: u32,
    /// A look at the clock, which is in each time.
    clock_us: f64,
    columns: Vec<Column>,
}

#[derive(Serialize)]
struct Column {
    name: String,
    stack: &'static str,
    profiling: &'static str,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    row: &'static str,
    times: Option<Times>,
    per_repeat: Option<Counts>,
}

/// In microseconds.
#[derive(Serialize)]
struct Times {
    samples: usize,
    p50: f64,
    p99: f64,
    max: f64,
}

#[derive(Serialize)]
struct Counts {
    signals_created: f64,
    host_loads: f64,
    device_reads: f64,
    waits: f64,
    arms: f64,
    packets: f64,
}

/// One line with one object.
pub(super) fn object(
    setting: &Setting,
    about: &[About],
    options: &Options,
    all: &[Measured],
) -> String {
    let Options { repeats, warm_up, .. } = *options;
    let columns = all.iter().map(column).collect();
    let clock_us = micros(report::clock());
    let object = Object { setting, about, repeats, warm_up, clock_us, columns };
    serde_json::to_string(&object).expect("numbers, strings and lists are JSON") + "\n"
}

fn column(measured: &Measured) -> Column {
    Column {
        name: measured.column.to_string(),
        stack: match measured.column.who {
            Who::Hip => "hip",
            Who::Cuda => "cuda",
            Who::OverCuda => "ringfence_over_cuda",
            Who::OverHip(_) => "ringfence_over_hip",
            Who::OverHsa(_) => "ringfence_over_hsa",
        },
        profiling: measured.column.profiling.name(),
        rows: measured.figures.iter().map(row).collect(),
    }
}
fn row(figure: &Figure) -> Row {
    let times = figure.samples.as_ref().map(|samples| Times {
        samples: samples.count(),
        p50: samples.median_us(figure.row),
        p99: samples.p99_us(figure.row),
        max: samples.longest_us(figure.row),
    });
    let per_repeat = figure.per_repeat.map(|per| Counts {
        signals_created: per.created,
        host_loads: per.host_loads,
        device_reads: per.device_loads,
        waits: per.waits,
        arms: per.arms,
        packets: per.packets,
    });
    Row { row: figure.row.name(), times, per_repeat }
}
fn micros(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e9).round() / 1e3
}
