//! The figures as one JSON object.

use serde::Serialize;

use ringfence::{backend::SignalMemory, ledger::LoadCause};
use ringfence_mock::cost::LABEL;

use super::{
    Options,
    checks::{Check, Held, ratio},
    report::BOOKKEEPING,
    run::Figures,
};

#[derive(Serialize)]
struct Object<'a> {
    signals: Vec<Row<'a>>,
    streams: [(); 0],
    checks: Vec<Checked<'a>>,
    uses_asked: u32,
    seed: u64,
    profile: &'a str,
    notes: Notes<'a>,
}

/// What the figures mean, by the start of their names.
#[derive(Serialize)]
struct Notes<'a> {
    modelled: &'a str,
    ns_per_use: &'a str,
}

#[derive(Serialize)]
struct Row<'a> {
    tracker: &'a str,
    placement: String,
    uses: u64,
    fence_uses: u64,
    packets: u64,
    host_loads: u64,
    device_reads: u64,
    device_reads_by_cause: ByCause,
    retire_reads: u64,
    read_index_loads: u64,
    arms: u64,
    device_arms: u64,
    flushes: u64,
    created: u64,
    parked_peak: u64,
    modelled_us_per_use: f64,
    modelled_wait_us_per_use: f64,
    ns_per_use: f64,
    proven_queries: u64,
    proven_query_loads: u64,
    violations: u64,
}

#[derive(Serialize)]
struct ByCause {
    retire: u64,
    query: u64,
    wait: u64,
    timing: u64,
    flush: u64,
}

#[derive(Serialize)]
struct Checked<'a> {
    claim: &'a str,
    found: &'a str,
    holds: bool,
}

fn row(figures: &Figures) -> Row<'_> {
    let (counts, device) = (&figures.counts, &figures.device);
    let reads = |cause| counts.loads.device(cause);
    let micros = |nanos: u128| rounded(ratio(nanos as u64, counts.uses) / 1_000.0);
    Row {
        tracker: figures.configuration.tracker_name(),
        placement: figures.configuration.place.to_string(),
        uses: counts.uses,
        fence_uses: counts.fence_uses,
        packets: counts.packets,
        host_loads: counts.loads.all_host(),
        device_reads: counts.loads.all_device(),
        device_reads_by_cause: ByCause {
            retire: reads(LoadCause::Retire),
            query: reads(LoadCause::Query),
            wait: reads(LoadCause::Wait),
            timing: reads(LoadCause::Timing),
            flush: reads(LoadCause::Flush),
        },
        retire_reads: counts.loads.of(LoadCause::Retire),
        read_index_loads: counts.read_index_loads,
        arms: counts.arms,
        device_arms: device.arms.of(SignalMemory::Device),
        flushes: counts.flushes,
        created: counts.created,
        parked_peak: counts.parked_peak,
        modelled_us_per_use: micros(figures.modelled.calls.as_nanos()),
        modelled_wait_us_per_use: micros(figures.modelled.waits.as_nanos()),
        ns_per_use: rounded(figures.bookkeeping),
        proven_queries: figures.tally.proven_queries,
        proven_query_loads: figures.tally.proven_loads,
        violations: figures.violations,
    }
}
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// One line with one object.
pub(crate) fn object(options: &Options, all: &[Figures], checks: &[Check]) -> String {
    let checks = checks.iter().map(|check| Checked {
        claim: &check.claim,
        found: &check.found,
        holds: check.result == Held::Yes,
    });
    let object = Object {
        signals: all.iter().map(row).collect(),
        streams: [],
        checks: checks.collect(),
        uses_asked: options.uses,
        seed: options.seed,
        profile: options.profile.name(),
        notes: Notes { modelled: LABEL, ns_per_use: BOOKKEEPING },
    };
    let text = serde_json::to_string(&object).expect("numbers, strings and lists are JSON");
    text + "\n"
}
