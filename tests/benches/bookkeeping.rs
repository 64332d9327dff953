//! What tracking costs in time, beside a yardstick measured in the same process.
//!
//! Each case runs nine times, in turn with the yardstick (case, yardstick, case, ...), so that what
//! else the machine does falls on both; medians are shown. Where the kernel tells (Linux), time is that
//! of the thread on its processor, so that being preempted does not count.
//!
//! `cargo bench -p ringfence-tests --bench bookkeeping -- [--json] [CASE ...]`

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use crossbeam_queue::ArrayQueue;
use ringfence::ledger::{Counts, LoadCause};
use ringfence_tests::cases::{self, Case};
use serde_json::json;

/// Runs of a case and of the yardstick.
const RUNS: usize = 9;
/// How long one run takes, about.
const RUN: Duration = Duration::from_millis(100);
/// Units before anything is timed: the ring has grown, and records are there to be used again.
const WARM_UP: u64 = 100_000;

/// What was measured of one case.
struct Measured {
    case: Case,
    /// Nanoseconds a unit: the median.
    nanos: f64,
    /// The median of the yardstick's runs in between.
    yardstick: f64,
    /// Loads of signals for retirement, a unit.
    retire_loads: f64,
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

/// Time of this thread on its processor, or of the clock on the wall where the kernel does not tell.
fn now(start: Instant) -> Duration {
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat");
    let on_processor = schedstat
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse().ok())
        .filter(|&nanos| nanos > 0);
    on_processor.map_or_else(|| start.elapsed(), Duration::from_nanos)
}
/// Nanoseconds that one of `units` took.
fn nanos_a_unit(units: u64, run: impl FnOnce(u64)) -> f64 {
    let start = Instant::now();
    let before = now(start);
    run(units);
    (now(start) - before).as_nanos() as f64 / units as f64
}
/// So many units fill one run.
fn fitting(mut run: impl FnMut(u64)) -> u64 {
    let nanos = nanos_a_unit(WARM_UP, &mut run).max(0.1);
    // Once more: caches and branch predictors are warm now, and the clock is coarse.
    let units = (RUN.as_nanos() as f64 / nanos / 4.0) as u64 + 1;
    let nanos = nanos_a_unit(units, run).max(0.1);
    (RUN.as_nanos() as f64 / nanos) as u64 + 1
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
    let units = fitting(|units| work.run(units));
    let yards = fitting(|units| yardstick.run(units));
    let before = work.counts();
    let (mut of_case, mut of_yardstick) = ([0.0; RUNS], [0.0; RUNS]);
    for (of_case, of_yardstick) in of_case.iter_mut().zip(&mut of_yardstick) {
        *of_case = nanos_a_unit(units, |units| work.run(units));
        *of_yardstick = nanos_a_unit(yards, |units| yardstick.run(units));
    }
    let after = work.counts();
    let retire_loads = |counts: &Counts| counts.loads.of(LoadCause::Retire);
    Measured {
        case: *case,
        nanos: median(of_case),
        yardstick: median(of_yardstick),
        retire_loads: ratio(retire_loads(&after) - retire_loads(&before), RUNS as u64 * units),
        flushes_per_arm: ratio(after.flushes - before.flushes, after.arms - before.arms),
    }
}

fn print_table(measured: &[Measured]) {
    println!(
        "{:<18} {:>9} {:>7} {:>9} {:>6} {:>9} {:>11}  what",
        "case", "ns/unit", "unit", "yardstick", "ratio", "retire-ld", "flush/arm"
    );
    for of in measured {
        println!(
            "{:<18} {:>9.2} {:>7} {:>9.2} {:>6.2} {:>9.5} {:>11.4}  {}",
            of.case.name,
            of.nanos,
            of.case.unit.name(),
            of.yardstick,
            of.ratio(),
            of.retire_loads,
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
                "retire_loads_per_unit": of.retire_loads,
                "flushes_per_arm": of.flushes_per_arm,
            })
        })
        .collect();
    println!("{}", json!({ "runs": RUNS, "cases": cases }));
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let as_json = arguments.iter().any(|argument| argument == "--json");
    let names: Vec<&String> =
        arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let wanted = |case: &&Case| names.is_empty() || names.iter().any(|name| *name == case.name);
    let yardstick = Yardstick::new();
    let measured: Vec<Measured> =
        cases::ALL.iter().filter(wanted).map(|case| measure(case, &yardstick)).collect();
    if as_json {
        print_json(&measured);
    } else {
        print_table(&measured);
    }
}
