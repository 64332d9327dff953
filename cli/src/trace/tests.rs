use std::collections::HashMap;

use ringfence::{
    drive::{HardwareQueue, Policy, StreamPool, Submission, Tracker},
    id::{Barrier, DeviceContext, DeviceId, StreamKey},
    stream::PoolOptions,
};
use ringfence_mock::{
    chooser::{Profile, Seeded},
    clock::Ticks,
    streams::{
        op::StreamOp,
        profile::DriverProfile,
        system::{MockStreams, StreamSettings},
    },
    system::{DeviceSettings, MockSystem, Settings},
    work::Kernel,
};
use serde_json::Value;

use super::*;

const EVERYTHING: u32 = u32::MAX;

/// Fifty uses of one ring, each fifth a fence; what was recorded of them.
fn fifty_uses(trace: Trace) -> Vec<Value> {
    const SEED: u64 = 3;
    println!("seed {SEED}");
    let system = MockSystem::new(Seeded::new(SEED, Profile::Busy.odds()), Settings::default());
    let device = system.add_device(DeviceSettings::default());
    let queue = HardwareQueue::new(device.add_queue());
    let clock = {
        let system = system.clone();
        move || system.now().since_start()
    };
    trace.run(1, "fifty uses", clock, || {
        let mut tracker = Tracker::open(device, queue, Policy::default()).expect("signals");
        for number in 0..50 {
            let work = Submission::kernel(Kernel::new(1, Ticks::new(5)));
            let barrier = if number % 5 == 4 { Barrier::Set } else { Barrier::Clear };
            tracker.submit(work.barrier(barrier)).expect("a signal is ready");
        }
        let _synced = tracker.synchronize().expect("it ends");
        tracker.close().expect("all work is over");
    });
    events(trace)
}
fn events(trace: Trace) -> Vec<Value> {
    let whole = serde_json::to_value(trace.whole(Times::Modelled)).expect("text and numbers");
    whole["traceEvents"].as_array().expect("events").clone()
}
fn of<'e>(events: &'e [Value], phase: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["ph"] == phase).collect()
}

#[test]
fn every_use_begins_and_ends_on_the_track_of_its_queue() {
    let all = fifty_uses(Trace::first(EVERYTHING));
    let mut begun: HashMap<&str, (&Value, f64)> = HashMap::new();
    for event in of(&all, "b") {
        let id = event["id2"]["local"].as_str().expect("an identity");
        let at = event["ts"].as_f64().expect("a time");
        assert!(begun.insert(id, (&event["name"], at)).is_none(), "{event}");
    }
    assert_eq!(begun.len(), 51, "fifty, and the one that synchronize waits for");
    for event in of(&all, "e") {
        let id = event["id2"]["local"].as_str().expect("an identity");
        let (name, at) = begun.remove(&id).expect("it began");
        assert_eq!(&event["name"], name, "the track that it began on");
        assert!(event["ts"].as_f64() > Some(at), "after it began");
    }
    assert!(begun.is_empty(), "all ended");
    let fences = of(&all, "b").into_iter().filter(|event| event["name"] == "q0.g0 fence use");
    assert_eq!(fences.count(), 11);
}

#[test]
fn a_trace_names_its_run_and_its_tracks() {
    let all = fifty_uses(Trace::first(EVERYTHING));
    let names: Vec<_> =
        of(&all, "M").into_iter().map(|event| event["args"]["name"].as_str()).collect();
    assert_eq!(names[0], Some("fifty uses"));
    assert!(names[1..].iter().flatten().any(|name| name.starts_with("ring r")), "{names:?}");
    assert!(names.contains(&Some("queue q0.g0")), "{names:?}");
    assert!(names.contains(&Some("host")), "the wait of synchronize: {names:?}");
    // Every track that is used is named.
    let tracks = of(&all, "M").len() as u64;
    assert!(all.iter().all(|event| event["tid"].as_u64() < Some(tracks)));
}

#[test]
fn what_is_too_much_is_left_out_and_said() {
    let all = fifty_uses(Trace::first(10));
    assert_eq!(of(&all, "b").len(), of(&all, "e").len(), "what began ends");
    let name = all[0]["args"]["name"].as_str().expect("a name");
    assert!(name.starts_with("fifty uses (the first events; "), "{name}");
    assert!(all.len() < 40, "{}", all.len());
}

#[test]
fn nothing_is_recorded_unless_it_is_asked_for() {
    assert!(fifty_uses(Trace::off()).is_empty());
}

#[test]
fn leases_follow_one_another_on_the_track_of_their_stream() {
    let driver = MockStreams::with(StreamSettings::new(DriverProfile::Hip64));
    let pool = StreamPool::new(driver.clone(), PoolOptions::default());
    let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
    let trace = Trace::first(EVERYTHING);
    let clock = {
        let driver = driver.clone();
        move || Duration::from_micros(driver.now().count())
    };
    trace.run(1, "leases", clock, || {
        for _ in 0..3 {
            let mut lease = pool.acquire(key).expect("a stream");
            pool.submit(&mut lease, StreamOp::new("fill", Ticks::new(3))).expect("work");
            drop(lease);
            driver.run_until_idle();
            pool.pump();
        }
    });
    let all = events(trace);
    let leases: Vec<_> = of(&all, "X")
        .into_iter()
        .filter(|event| event["name"].as_str().is_some_and(|name| name.starts_with("lease")))
        .collect();
    let names: Vec<_> = leases.iter().map(|event| event["name"].as_str()).collect();
    // Stream 0 is the one that frees memory.
    assert_eq!(names, [Some("lease s1#0"), Some("lease s1#1"), Some("lease s1#2")]);
    for pair in leases.windows(2) {
        assert_eq!(pair[0]["tid"], pair[1]["tid"], "one stream");
        assert!(span(pair[0]).1 <= span(pair[1]).0, "no two at once");
    }
    let drained = of(&all, "X").into_iter().filter(|event| event["name"] == "draining");
    assert_eq!(drained.count(), 3);
}

/// Perfetto draws what overlaps on one track, without one lying in the other, wrongly.
#[test]
fn what_lasts_on_a_track_lies_within_or_beside() {
    let driver = MockStreams::with(StreamSettings::new(DriverProfile::Hip64));
    let pool = StreamPool::new(driver.clone(), PoolOptions::default());
    let trace = Trace::first(EVERYTHING);
    // A clock that stands still.
    trace.run(
        1,
        "pumps",
        || Duration::from_micros(7),
        || {
            for _ in 0..3 {
                let _pumped = pool.pump();
            }
        },
    );
    let all = events(trace);
    let spans: Vec<_> = of(&all, "X").into_iter().map(span).collect();
    assert_eq!(spans.len(), 3);
    assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{spans:?}");
}
fn span(event: &Value) -> (f64, f64) {
    let from = event["ts"].as_f64().expect("a time");
    (from, from + event["dur"].as_f64().expect("a length"))
}
