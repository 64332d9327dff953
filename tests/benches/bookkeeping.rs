//! What tracking costs in time, beside a yardstick measured in the same process.
//!
//! Each case runs nine times, in turn with the yardstick (case, yardstick, case, ...), so that what
//! else the machine does falls on both; medians are shown.
//!
//! `cargo bench -p ringfence-tests --bench bookkeeping -- [--json] [CASE ...]`

use std::{hint::black_box, time::Instant};

use crossbeam_queue::ArrayQueue;
use ringfence_tests::cases::{self, Case};
use serde_json::json;

/// Runs of a case and of the yardstick.
const RUNS: usize = 9;
/// Units of one run.
const UNITS: u64 = 1_000_000;
/// Units before the first run: the ring has grown, and records are there to be used again.
const WARM_UP: u64 = 50_000;

/// What was measured of one case.
struct Measured {
    case: Case,
    /// Nanoseconds a unit: the median.
    nanos: f64,
    /// The median of the yardstick's runs in between.
    yardstick: f64,
    /// Loads of signals, and loads for retirement, a unit.
    loads: f64,
    flushes_per_arm: f64,
}
impl Measured {
    fn ratio(&self) -> f64 {
        self.nanos / self.yardstick
    }
}

/// Push and pop of a bounded lock-free queue: about the least that handing something over can cost.
struct Yardstick(ArrayQueue<u64>);
impl Yardstick {
    fn new() -> Self {
        Self(ArrayQueue::new(64))
    }
    fn run(&self, units: u64) {
        for unit in 0..units {
            let _ = self.0.push(black_box(unit));
            black_box(self.0.pop());
        }
    }
}

fn nanos_a_unit(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_nanos() as f64 / UNITS as f64
}
fn median(mut runs: [f64; RUNS]) -> f64 {
    runs.sort_by(f64::total_cmp);
    runs[RUNS / 2]
}
fn ratio(of: u64, to: u64) -> f64 {
    if to == 0 { 0.0 } else { of as f64 / to as f64 }
}

fn measure(case: &Case, yardstick: &Yardstick) -> Measured {
    let mut work = (case.open)();
    work.run(WARM_UP);
    yardstick.run(WARM_UP);
    let before = work.counts();
    let (mut runs, mut yards) = ([0.0; RUNS], [0.0; RUNS]);
    for (run, yard) in runs.iter_mut().zip(&mut yards) {
        *run = nanos_a_unit(|| work.run(UNITS));
        *yard = nanos_a_unit(|| yardstick.run(UNITS));
    }
    let after = work.counts();
    let loads = after.loads.all_host() + after.loads.all_device()
        - before.loads.all_host()
        - before.loads.all_device();
    Measured {
        case: *case,
        nanos: median(runs),
        yardstick: median(yards),
        loads: loads as f64 / (RUNS as u64 * UNITS) as f64,
        flushes_per_arm: ratio(after.flushes - before.flushes, after.arms - before.arms),
    }
}

fn print_table(measured: &[Measured]) {
    println!(
        "{:<18} {:>9} {:>7} {:>9} {:>6} {:>9} {:>11}  what",
        "case", "ns/unit", "unit", "yardstick", "ratio", "loads", "flush/arm"
    );
    for of in measured {
        println!(
            "{:<18} {:>9.2} {:>7} {:>9.2} {:>6.2} {:>9.5} {:>11.4}  {}",
            of.case.name,
            of.nanos,
            of.case.unit.name(),
            of.yardstick,
            of.ratio(),
            of.loads,
            of.flushes_per_arm,
            of.case.what
        );
    }
}
fn print_json(measured: &[Measured]) {
    let cases: Vec<_> = measured
        .iter()
        .map(|of| {
            json!({
                "case": of.case.name,
                "unit": of.case.unit.name(),
                "ns_per_unit": of.nanos,
                "yardstick_ns": of.yardstick,
                "ratio": of.ratio(),
                "loads_per_unit": of.loads,
                "flushes_per_arm": of.flushes_per_arm,
            })
        })
        .collect();
    println!("{}", json!({ "runs": RUNS, "units": UNITS, "cases": cases }));
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let as_json = arguments.iter().any(|argument| argument == "--json");
    let names: Vec<&String> = arguments
        .iter()
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    let wanted = |case: &&Case| names.is_empty() || names.iter().any(|name| *name == case.name);
    let yardstick = Yardstick::new();
    let measured: Vec<Measured> = cases::ALL
        .iter()
        .filter(wanted)
        .map(|case| measure(case, &yardstick))
        .collect();
    if as_json {
        print_json(&measured);
    } else {
        print_table(&measured);
    }
}
