//! The loop on Ringfence.

use ringfence::{
    drive::{HardwareQueue, Policy, Submission, Tracker, TrackerKind},
    event::{Event, EventOptions},
    ledger::{Counts, LoadCause},
    placement::DeviceSignals,
    ring::Timing,
};
use ringfence_hsa::{HsaDevice, HsaQueue, QueueOptions, Runtime};
use ringfence_softgpu_programs::count::Calls;

use crate::{
    WARM_UP,
    arguments::{Arguments, Events, Finding, Signals},
    measure,
    report::Report,
};

pub(crate) fn run(arguments: &Arguments) {
    let runtime = Runtime::start().unwrap_or_else(|error| panic!("{error}"));
    let gpu = runtime.devices().remove(0);
    let queue = gpu.create_queue(QueueOptions::default()).expect("a queue");
    let policy = policy(arguments);
    let mut stream =
        Tracker::open(gpu.clone(), HardwareQueue::new(queue), policy).expect("signals");
    let kernel = gpu.empty_kernel().expect("a page for a kernel");
    let timing = match arguments.events {
        Events::Plain => Timing::Unwanted,
        Events::Timed => Timing::Wanted,
    };
    // Like HIP's events unless `hipEventBlockingSync` asks for more: a wait for them spins.
    let options = EventOptions { timing, ..EventOptions::default() };
    let (mut before, mut after) = (Event::new(options), Event::new(options));
    let mut once = |stream: &mut Stream| {
        before.record(stream).expect("a record");
        stream.submit(Submission::kernel(kernel)).expect("a kernel");
        after.record(stream).expect("a record");
        let _synced = after.synchronize(&gpu, &policy.wait).expect("the end");
    };
    (0..WARM_UP).for_each(|_| once(&mut stream));
    let (ledger_before, calls_before) = (stream.counts(), Calls::so_far());
    let blocks = measure(arguments.iterations, || once(&mut stream));
    let (calls_after, ledger_after) = (Calls::so_far(), stream.counts());
    let mut report = Report::new("ringfence", arguments.iterations, blocks);
    report.calls(calls_before, calls_after);
    for (name, count) in LEDGER {
        report.count("ledger", name, count(&ledger_after) - count(&ledger_before));
    }
    report.print();
    let _reaper = stream.close().expect("closed");
}

type Stream = Tracker<HsaDevice, HsaQueue>;

fn policy(arguments: &Arguments) -> Policy {
    let device_signals = match arguments.signals {
        Signals::Host => DeviceSignals::Off,
        Signals::Device => DeviceSignals::On,
    };
    let tracker = match arguments.finding {
        Finding::Retiring => TrackerKind::Retiring,
        Finding::Polling => TrackerKind::Polling,
    };
    Policy { device_signals, tracker, ..Policy::default() }
}

/// A number of the tracker's own ledger.
type Entry = (&'static str, fn(&Counts) -> u64);

/// What the tracker does to signals without a call of the runtime, and what it says of the rest.
const LEDGER: [Entry; 9] = [
    ("created", |counts| counts.created),
    ("loads_host", |counts| values(counts.loads.all_host(), counts.loads.host(LoadCause::Timing))),
    ("loads_device", |counts| {
        values(counts.loads.all_device(), counts.loads.device(LoadCause::Timing))
    }),
    ("times", |counts| counts.loads.of(LoadCause::Timing)),
    ("read_index", |counts| counts.read_index_loads),
    ("spun_waits", |counts| counts.waits_that_spun),
    ("arms", |counts| counts.arms),
    ("packets", |counts| counts.packets),
    ("flushes", |counts| counts.flushes),
];

/// Loads of values: all but those of times.
fn values(all: u64, times: u64) -> u64 {
    all - times
}
