//! The figures as one JSON object.

use serde::Serialize;

use ringfence::{backend::SignalMemory, ledger::LoadCause};
use ringfence_mock::cost::LABEL;

use super::{
    Half, Options,
    checks::{Check, Held, ratio},
    report::BOOKKEEPING,
    run::Figures,
    streams,
};

#[derive(Serialize)]
struct Object<'a> {
    signals: Vec<Row<'a>>,
    streams: Vec<StreamRow<'a>>,
    stream_memory: Vec<MemoryRow<'a>>,
    checks: Vec<Checked<'a>>,
    uses_asked: u32,
    tasks_asked: u32,
    seed: u64,
    profile: &'a str,
    notes: Notes<'a>,
}

/// What the figures mean, by the start of their names.
#[derive(Serialize)]
struct Notes<'a> {
    modelled: &'a str,
    ns_per_use: &'a str,
    stream_driver: String,
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
struct StreamRow<'a> {
    policy: &'a str,
    workload: &'a str,
    tasks: u64,
    peak_tasks: u32,
    peak_leased_and_draining: u32,
    created: u64,
    modelled_ms: f64,
    host_mib: f64,
    shared: u64,
    foreign_nodes: u64,
    violations: u64,
}

/// Modelled host memory of a stencil as it goes on.
#[derive(Serialize)]
struct MemoryRow<'a> {
    policy: &'a str,
    workload: &'a str,
    iterations: [u32; 2],
    host_mib: [f64; 2],
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
fn stream_row(figures: &streams::Figures) -> StreamRow<'_> {
    StreamRow {
        policy: figures.policy.name(),
        workload: figures.workload.name(),
        tasks: figures.tally.tasks,
        peak_tasks: figures.tally.peak,
        peak_leased_and_draining: figures.pool.peak_leased_and_draining,
        created: figures.pool.created,
        modelled_ms: rounded(figures.modelled().as_secs_f64() * 1_000.0),
        host_mib: rounded(figures.host_mib()),
        shared: figures.shared,
        foreign_nodes: figures.foreign_nodes,
        violations: figures.violations,
    }
}
fn memory_row(figures: &streams::Figures, size: streams::Size) -> Option<MemoryRow<'_>> {
    Some(MemoryRow {
        policy: figures.policy.name(),
        workload: figures.workload.name(),
        iterations: [size.first_look(), size.iterations_of_stencils()],
        host_mib: figures.memory?.map(|bytes| rounded(streams::mib(bytes))),
    })
}
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// One line with one object.
pub(super) fn object(
    options: &Options,
    signals: &Half<Figures>,
    streams: &Half<streams::Figures>,
) -> String {
    let size = streams::Size::new(options.tasks);
    let checks = signals.checks.iter().chain(&streams.checks).map(checked);
    let object = Object {
        signals: signals.figures.iter().map(row).collect(),
        streams: streams.figures.iter().map(stream_row).collect(),
        stream_memory: streams.figures.iter().filter_map(|f| memory_row(f, size)).collect(),
        checks: checks.collect(),
        uses_asked: options.uses,
        tasks_asked: options.tasks,
        seed: options.seed,
        profile: options.profile.name(),
        notes: Notes { modelled: LABEL, ns_per_use: BOOKKEEPING, stream_driver: streams::driver() },
    };
    let text = serde_json::to_string(&object).expect("numbers, strings and lists are JSON");
    text + "\n"
}
fn checked(check: &Check) -> Checked<'_> {
    let Check { claim, found, result } = check;
    Checked { claim, found, holds: *result == Held::Yes }
}
