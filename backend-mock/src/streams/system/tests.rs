//! The shell: what the oracle sees, who calls, hooks, faults, and the same calls from many threads.

mod whole;

use std::{
    num::NonZeroU32,
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use ringfence::{
    backend::streams::*,
    error::{DriverCode, DriverError},
    id::*,
};

use super::*;
use crate::{
    clock::Ticks,
    streams::{counts::CallKind, op::StreamOp, profile::DriverProfile as P},
};

fn key() -> StreamKey {
    StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
}
fn work(ticks: u64) -> StreamOp {
    StreamOp::new("axpy", Ticks::new(ticks))
}
/// A driver whose calls are written down.
fn listening(profile: P) -> (MockStreams, Arc<Mutex<Vec<Call>>>) {
    let driver = MockStreams::new(profile);
    let calls = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&calls);
    let hook = move |call: &Call| log.lock().expect("no test panics with it").push(call.clone());
    driver.on_call(Some(Box::new(hook)));
    (driver, calls)
}

#[test]
fn every_profile_is_a_backend() {
    fn backend<B: StreamBackend + StreamWork<Work = StreamOp> + Send + Sync + Clone + 'static>(
        driver: &B,
    ) {
        let stream = driver.create(key()).expect("nothing fails it");
        let word = driver.open_progress(stream).expect("it has words").expect("they are on");
        driver.launch(stream, work(10)).expect("it exists");
        driver.mark(stream, word, Position::new(1)).expect("it exists");
        assert_eq!(driver.observe(word), Position::START);
        let limit = Duration::from_micros(10);
        assert_eq!(driver.wait_progress(word, Position::new(1), limit), StreamWait::Finished);
        assert_eq!(driver.query(stream), StreamState::Idle);
        driver.destroy(stream).expect("it exists");
        driver.close_progress(word);
        assert_eq!(driver.state(), DriverState::Ready);
    }
    for &profile in P::ALL {
        let driver = MockStreams::new(profile);
        backend(&driver);
        assert!(driver.crashes().is_empty(), "{profile}");
        let detaches = driver.features().destruction == Destruction::Detaches;
        assert_eq!(detaches, profile == P::Cuda);
        assert_eq!(driver.features().host_bytes, profile.host_bytes());
        assert_eq!(profile.to_string().parse(), Ok(profile));
    }
    let unknown = "hip-4".parse::<P>().expect_err("no such profile").to_string();
    assert!(unknown.contains("`hip-4`") && unknown.contains("hip-5.2"), "{unknown}");
}

#[test]
fn words_can_be_off() {
    let driver = MockStreams::with(StreamSettings::new(P::Hip57).with_words(Words::Off));
    let stream = driver.create(key()).expect("nothing fails it");
    assert_eq!(driver.open_progress(stream), Ok(None));
    assert_eq!(driver.counts().of(CallKind::OpenProgress), 0);
}

#[test]
fn the_oracle_sees_moves_and_calls_in_the_order_in_which_they_happened() {
    let driver = MockStreams::new(P::Hip57);
    let stream = driver.create(key()).expect("nothing fails it");
    driver.launch(stream, work(5)).expect("it exists");
    driver.destroy(stream).expect("it waits");
    let trace = driver.trace(5);
    let words = ["Create", "Launch", "Started(op0)", "Finished(op0)", "Destroy"];
    assert_eq!(trace.len(), words.len());
    for (line, word) in trace.iter().zip(words) {
        assert!(line.contains(word), "{word} in {trace:#?}");
    }
    assert_eq!(driver.now(), Ticks::new(5));
}

#[test]
fn the_user_is_told_from_the_library_and_threads_from_each_other() {
    let driver = MockStreams::new(P::Clr2024);
    let stream = driver.create(key()).expect("nothing fails it");
    let (one, two) = (ThreadId::new(1), ThreadId::new(2));
    driver.as_thread(one, || {
        driver.user().begin_capture(stream, CaptureMode::Global).expect("it is free");
        assert_eq!(driver.exchange_capture_mode(CaptureMode::Relaxed), CaptureMode::Global);
        as_thread(two, || assert_eq!(driver.this_thread(), two));
        assert_eq!(driver.this_thread(), one, "it nests");
    });
    driver.as_thread(two, || {
        assert_eq!(driver.exchange_capture_mode(CaptureMode::Global), CaptureMode::Global);
        assert_eq!(
            driver.user().end_capture(stream),
            Err(crate::streams::model::code::WRONG_THREAD)
        );
    });
    let trace = driver.trace(99).join("\n");
    assert!(trace.contains("thread 1 (User, Global): BeginCapture"), "{trace}");
    assert!(trace.contains("thread 1 (Library, Global): ExchangeMode"), "{trace}");
    assert!(trace.contains("thread 2 (User, Global): EndCapture"), "{trace}");
    let here = driver.this_thread();
    let there = std::thread::scope(|scope| scope.spawn(|| driver.this_thread()).join());
    assert_ne!(here, there.expect("it does not panic"), "OS threads differ");
    assert!(here.as_u32() >= 1_000);
}

#[test]
fn the_calls_tell_what_became_nodes_and_what_runs() {
    let (driver, calls) = listening(P::Hip52);
    let stream = driver.create(key()).expect("nothing fails it");
    let (fork, event) = (driver.create(key()), driver.create_event(key().place));
    let (fork, event) = (fork.expect("nothing fails it"), event.expect("nothing fails it"));
    driver.begin_capture(stream, CaptureMode::Relaxed).expect("it is free");
    driver.launch(stream, work(5)).expect("it is recorded");
    driver.record_event(event, stream).expect("it is recorded");
    driver.stream_wait(fork, event).expect("it joins");
    let graph = driver.end_capture(stream).expect("it is whole");
    driver.launch_graph(graph, stream).expect("it exists");
    let calls = calls.lock().expect("no test panics with it");
    let recorded = calls.iter().find_map(|call| match call {
        Call::Launch { op: Some(op), recorded: true, .. } => Some(*op),
        _ => None,
    });
    let ended = calls.iter().find_map(|call| match call {
        Call::EndCapture { ops, .. } => Some(ops.clone()),
        _ => None,
    });
    assert_eq!(ended, recorded.map(|op| vec![op]));
    let ran = calls.iter().any(|call| matches!(call, Call::LaunchGraph { op: Some(_), .. }));
    let captured = calls.iter().any(|call| matches!(call, Call::Record { captured: true, .. }));
    assert!(ran && captured);
    let left = driver.trace(99).join("\n");
    let swallows = format!("CaptureLeft {{ raw: {fork:?}, status: Active }}");
    assert!(left.contains(&swallows), "{swallows}: {left}");
}

#[test]
fn the_state_is_told_without_a_call_and_for_ever() {
    let (driver, calls) = listening(P::Hip57);
    assert_eq!(driver.state(), DriverState::Ready);
    assert!(calls.lock().expect("no test panics with it").is_empty());
    driver.fork();
    driver.lose_device();
    assert_eq!(driver.state(), DriverState::Forked);
    let told = calls.lock().expect("no test panics with it").clone();
    assert_eq!(told, [Call::State(DriverState::Forked)]);
    assert!(driver.crashes().is_empty(), "to ask is allowed");
    assert!(driver.create(key()).is_err());
    assert_eq!(driver.crashes().len(), 1);
}

#[test]
fn a_hook_at_creations_holds_no_lock_and_creations_overlap() {
    const THREADS: u32 = 4;
    let driver = MockStreams::new(P::Clr2024);
    let idle = driver.create(key()).expect("nothing fails it");
    let meeting = Arc::new(Barrier::new(THREADS as usize));
    let (inside, seen) = (Arc::clone(&meeting), Arc::new(AtomicU32::new(0)));
    let (looks, handle) = (Arc::clone(&seen), driver.clone());
    driver.on_create(Some(Box::new(move |_| {
        // Everybody is inside at once, and the driver answers meanwhile.
        inside.wait();
        assert_eq!(handle.query(idle), StreamState::Idle);
        looks.fetch_add(1, Ordering::Relaxed);
    })));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| driver.create(key()).expect("nothing fails it"));
        }
    });
    driver.on_create(None);
    let counts = driver.counts();
    assert_eq!((seen.load(Ordering::Relaxed), counts.peak_creating), (THREADS, THREADS));
    assert_eq!((counts.creating, counts.live, counts.created), (0, 5, 5));
    assert_eq!(driver.now(), Ticks::ZERO, "nobody else pays for a creation");
}

#[test]
fn faults_hit_the_planned_call() {
    let driver = MockStreams::new(P::Hip57);
    let error = DriverError::OutOfMemory(DriverCode::new(2));
    driver.fail_next_create(error);
    assert_eq!(driver.create(key()), Err(error));
    let stream = driver.create(key()).expect("once is enough");
    driver.fail_at_live(NonZeroU32::MIN);
    assert_eq!(driver.create(key()), Err(error));
    let conflict = DriverError::CaptureConflict(DriverCode::new(900));
    driver.fail(CallKind::Query, 1, conflict);
    assert_eq!(driver.query(stream), StreamState::Idle);
    assert_eq!(driver.query(stream), StreamState::Unknown);
    assert_eq!(driver.query(stream), StreamState::Idle);
    let bad = DriverError::Bad(DriverCode::new(719));
    driver.poison(stream, bad);
    assert_eq!(driver.query(stream), StreamState::Failed(bad));
    assert_eq!(driver.launch(stream, work(1)), Err(bad));
    assert_eq!(driver.destroy(stream), Ok(()), "it can still be destroyed");
}

#[test]
fn calls_are_counted_and_cost_modelled_time() {
    let driver = MockStreams::with(StreamSettings::new(P::Hip52).with_watch(Watch::Off));
    let stream = driver.create(key()).expect("nothing fails it");
    driver.launch(stream, work(50)).expect("it exists");
    let before = driver.counts().call_time;
    assert_eq!(driver.query(stream), StreamState::Pending);
    let pending = driver.counts().call_time - before;
    assert_eq!(pending, Duration::from_micros(10), "HIP 5.2 waits actively in a query");
    assert_eq!(driver.user().synchronize(stream), StreamWait::Finished);
    let counts = driver.counts();
    assert_eq!(counts.wait_time, Duration::from_micros(50));
    assert_eq!(counts.host_time(), counts.call_time + counts.wait_time);
    assert_eq!(counts.driver_calls(), 4);
    assert_eq!(driver.account(driver.this_thread()), counts.call_time);
    let bytes = P::Hip52.host_bytes().as_u64() + P::Hip52.queue_bytes().as_u64();
    assert_eq!(counts.host_bytes.as_u64(), bytes);
    assert!(driver.with_oracle(|_| ()).is_none() && driver.violations().is_empty());
}

#[test]
fn the_users_other_calls() {
    let driver = MockStreams::new(P::Hip57);
    let user = driver.user();
    let stream = user.create(key()).expect("nothing fails it");
    let memory = user.malloc(Bytes::new(64), DeviceId::new(0)).expect("nobody captures");
    user.launch(stream, work(7).writes(memory)).expect("it exists");
    user.host_function(stream).expect("it exists");
    assert_eq!(user.device_sync(), StreamWait::Finished);
    assert_eq!(driver.with_model(|model| model.host_functions().len()), 1);
    user.copy_now().expect("nobody captures");
    user.free_now(memory).expect("it exists");
    assert_eq!(
        user.query(RawStream::new(1)),
        StreamState::Failed(crate::streams::model::code::DESTROYED)
    );
    assert!(user.take_last_error().is_some() && user.take_last_error().is_none());
    user.device_reset(DeviceId::new(0)).expect("it may be called");
    assert_eq!(driver.counts().live, 0);
    assert!(driver.trace(1)[0].contains("Reset"), "the oracle is told");
    assert!(driver.crashes().is_empty());
}
