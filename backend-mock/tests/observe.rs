//! What trackers and pools tell whoever watches, on the model: as often as it happened, and with no lock held.
#![forbid(unsafe_code)]

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};

use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use ringfence::{
    backend::streams::CaptureMode,
    drive::{HardwareQueue, Policy, StreamPool, Submission, Tracker},
    event::{Event, EventOptions},
    id::{Barrier, Bytes, DeviceContext, DeviceId, StreamKey},
    metrics::{SignalMetrics, StreamMetrics},
    stream::{Access, PoolOptions, Stamp},
    sync::audit,
    wait::WaitPolicy,
};
use ringfence_mock::{
    chooser::{Profile, Seeded},
    clock::Ticks,
    streams::{
        op::StreamOp,
        profile::DriverProfile,
        system::{MockStreams, StreamSettings},
    },
    system::{DeviceSettings, MockDevice, MockQueue, MockSystem, Settings},
    work::Kernel,
};
use tracing::{
    Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

const SEED: u64 = 17;
const USES: u64 = 400;

/// What was told: how often each event, and the numbers of some.
#[derive(Clone, Debug, Default)]
struct Told {
    events: BTreeMap<(&'static str, &'static str), u64>,
    /// Packets by ring, as `submitted` says.
    rings: BTreeMap<u64, u64>,
    spans: BTreeMap<&'static str, u64>,
}
impl Told {
    fn signals(&self, event: &'static str) -> u64 {
        self.events.get(&("ringfence::signals", event)).copied().unwrap_or_default()
    }
    fn streams(&self, event: &'static str) -> u64 {
        self.events.get(&("ringfence::streams", event)).copied().unwrap_or_default()
    }
}
#[derive(Clone, Debug, Default)]
struct Watcher(Arc<Mutex<Told>>);
impl Watcher {
    fn told(&self) -> Told {
        self.0.lock().expect("no test panicked in it").clone()
    }
}
impl Subscriber for Watcher {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("ringfence::")
    }
    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        assert_eq!(audit::locks_held(), 0, "{} begins under a lock", attributes.metadata().name());
        *self
            .0
            .lock()
            .expect("it does not panic")
            .spans
            .entry(attributes.metadata().name())
            .or_default() += 1;
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        struct Ring(Option<u64>);
        impl Visit for Ring {
            fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
            fn record_u64(&mut self, field: &Field, value: u64) {
                if field.name() == "ring" {
                    self.0 = Some(value);
                }
            }
        }
        let about = event.metadata();
        // A subscriber is its owner's code: it may call the library again (S13, T5).
        assert_eq!(audit::locks_held(), 0, "{} is told under a lock", about.name());
        let mut ring = Ring(None);
        event.record(&mut ring);
        let mut told = self.0.lock().expect("it does not panic");
        *told.events.entry((about.target(), about.name())).or_default() += 1;
        if let (Some(ring), "submitted") = (ring.0, about.name()) {
            *told.rings.entry(ring).or_default() += 1;
        }
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

type Mocked = Tracker<MockDevice, MockQueue>;

/// Two trackers, each on a queue of its own: kernels, every eighth a fence, and an event now and then that the other waits for.
fn play_signals() -> (Mocked, Mocked) {
    println!("seed {SEED}");
    let system = MockSystem::new(Seeded::new(SEED, Profile::Hostile.odds()), Settings::default());
    let device = system.add_device(DeviceSettings::default());
    let open = || {
        let queue = HardwareQueue::new(device.add_queue());
        Tracker::open(device.clone(), queue, Policy::default())
    };
    let (mut one, mut two) = (open().expect("signals"), open().expect("signals"));
    let mut event = Event::new(EventOptions::default());
    for number in 0..USES {
        let work = Submission::kernel(Kernel::new(1, Ticks::new(5)));
        let barrier = if number % 8 == 7 { Barrier::Set } else { Barrier::Clear };
        let _of = one.submit(work.barrier(barrier)).expect("a signal is ready");
        if number % 50 == 49 {
            event.record(&mut one).expect("a signal is ready");
            event.wait_on(&mut two).expect("it waits");
            event.synchronize(&device, &WaitPolicy::default()).expect("it ends");
            let _reclaimed = one.reclaim().expect("a healthy device");
        }
    }
    for tracker in [&mut one, &mut two] {
        let _synced = tracker.synchronize().expect("it ends");
    }
    assert_eq!(system.violation_count(), 0, "{:?}", system.first_violation());
    (one, two)
}

#[test]
fn a_tracker_tells_what_it_counts() {
    let watcher = Watcher::default();
    let (one, two) = tracing::subscriber::with_default(watcher.clone(), play_signals);
    let (told, counts) = (watcher.told(), one.counts().plus(&two.counts()));
    println!("{told:?}\n{counts:?}");
    assert_eq!(told.signals("submitted"), counts.packets);
    assert_eq!(told.rings.len(), 2, "each ring by its own name");
    assert_eq!(told.rings.values().sum::<u64>(), counts.packets);
    assert_eq!(told.signals("armed"), counts.arms);
    assert!(told.signals("proven") > 0 && told.signals("probed") > 0);
    assert_eq!(told.signals("looked"), USES / 50);
    assert!(told.spans["host wait"] > 0, "a synchronize that had to wait");
    assert_eq!(told.signals("quarantined") + told.signals("lost"), 0);
    assert!(counts.grows == 0 || told.signals("grown") > 2);
}

#[test]
fn a_ledger_is_published_as_it_is() {
    let recorder = DebuggingRecorder::new();
    let snapshots = recorder.snapshotter();
    let (one, _two) = metrics::with_local_recorder(&recorder, play_signals);
    let counts = one.counts();
    metrics::with_local_recorder(&recorder, || {
        let published = SignalMetrics::new(&[("ring", "one".to_owned())]);
        published.publish(&one);
        published.publish(&one); // the same again: nothing is added
    });
    let all: BTreeMap<String, DebugValue> = snapshots
        .snapshot()
        .into_vec()
        .into_iter()
        .map(|(key, _, _, value)| (key.key().name().to_owned(), value))
        .collect();
    for (name, counted) in [
        ("ringfence_uses_total", counts.uses),
        ("ringfence_packets_total", counts.packets),
        ("ringfence_arms_total", counts.arms),
        ("ringfence_signals_created_total", counts.created),
        ("ringfence_host_loads_total", counts.loads.all_host()),
    ] {
        assert_eq!(all[name], DebugValue::Counter(counted), "{name}");
        assert!(counted > 0, "{name} counts something here");
    }
    assert_eq!(all["ringfence_uses_in_flight"], DebugValue::Gauge(0.0.into()));
    let DebugValue::Histogram(looks) = &all["ringfence_uses_per_look"] else {
        panic!("a histogram: {:?}", all["ringfence_uses_per_look"]);
    };
    assert_eq!(looks.len() as u64, USES / 50);
}

/// Three tasks one after the other, one of which captures; memory that is given up while it is used.
fn play_streams() -> StreamPool<MockStreams> {
    let driver = MockStreams::with(StreamSettings::new(DriverProfile::Hip64));
    let pool = StreamPool::new(driver.clone(), PoolOptions::default());
    let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
    let mut array = Stamp::default();
    for number in 0..3 {
        let mut lease = pool.acquire(key).expect("a stream");
        let _ordered = pool.order_after(&mut lease, &array, Access::Write).expect("it follows");
        let buffer = pool.allocate(&mut lease, Bytes::new(4096)).expect("memory");
        let op = || StreamOp::new("fill", Ticks::new(3));
        array.add(pool.submit(&mut lease, op()).expect("work"), Access::Write);
        if number == 1 {
            let captured =
                pool.capture(&mut lease, CaptureMode::Relaxed, |scope| scope.submit(op()));
            let mut graph = captured.expect("a graph").graph;
            let _touch = pool.launch(&mut lease, &mut graph).expect("it runs");
        }
        drop(lease);
        let _freed = pool.retire(buffer, array.clone());
        let limit = Duration::from_secs(1);
        pool.synchronize(&array, Access::Read, limit).expect("it ends");
        driver.run_until_idle();
        let _pumped = pool.pump();
    }
    pool
}

#[test]
fn a_pool_tells_what_it_counts() {
    let watcher = Watcher::default();
    let pool = tracing::subscriber::with_default(watcher.clone(), play_streams);
    let (told, counts) = (watcher.told(), pool.counts());
    println!("{told:?}\n{counts:?}");
    assert_eq!((told.streams("leased"), counts.leases), (3, 3));
    assert_eq!(told.streams("returned"), 3);
    assert_eq!(told.streams("drained"), 3);
    assert_eq!(told.streams("created"), counts.created);
    assert_eq!(told.streams("submitted"), 3, "work of a capture is none yet");
    assert_eq!((told.streams("captured"), told.streams("launched")), (1, 1));
    assert_eq!(told.streams("followed"), 2);
    let memory = pool.memory_counts();
    let frees = memory.freed_on_stream + memory.freed_on_disposal + memory.freed_at_once;
    assert_eq!(told.streams("retired"), frees + memory.deferred + memory.gone + memory.leaked);
    assert_eq!(told.spans["pump"], 3);
    assert_eq!(told.streams("leaked") + told.streams("lost") + told.streams("crowded"), 0);
}

#[test]
fn a_pool_is_published_as_it_is() {
    let recorder = DebuggingRecorder::new();
    let snapshots = recorder.snapshotter();
    let pool = metrics::with_local_recorder(&recorder, || {
        let pool = play_streams();
        StreamMetrics::new(&[]).publish(&pool);
        pool
    });
    let (counts, memory, tally) = (pool.counts(), pool.memory_counts(), pool.tally());
    let mut found = 0;
    for (key, _, _, value) in snapshots.snapshot().into_vec() {
        let expected = match key.key().name() {
            "ringfence_leases_total" => DebugValue::Counter(counts.leases),
            "ringfence_leases_reused_total" => DebugValue::Counter(counts.reused),
            "ringfence_frees_on_stream_total" => DebugValue::Counter(memory.freed_on_stream),
            "ringfence_streams_idle" => DebugValue::Gauge(f64::from(tally.idle).into()),
            _ => continue,
        };
        found += 1;
        assert_eq!(value, expected, "{}", key.key().name());
    }
    assert_eq!(found, 4);
}
