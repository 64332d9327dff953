//! Handlers whose token comes, never comes, comes too late, or is refused (S13, S18).

use std::sync::{Arc, Mutex};

use ringfence::{
    backend::{Features, HandlerToken},
    drive::{ForcedUse, HandlerTable, Policy, Watched},
    error::{Error, HandlerRefused},
    event::{Event, EventKind, EventOptions},
    id::{SignalHandle, SignalValue},
    ring::Record,
};

use crate::mocks::*;

fn wakes() -> MockGpu {
    let mut gpu = gpu(DISCRETE.with_features(DISCRETE.features.union(Features::INTERRUPTS)));
    creates(&mut gpu);
    gpu
}
/// An event that the host will be called back for.
fn recorded(stream: &mut Stream<'_>) -> Arc<Record> {
    let mut event =
        Event::new(EventOptions { kind: EventKind::Blocking, ..EventOptions::default() });
    event.record(stream).expect("the mock refuses nothing");
    event.snapshot().expect("it is recorded").record().clone()
}

#[test]
fn handlers_of_failed_uses_are_given_back_and_the_others_stay() {
    let mut gpu = wakes();
    gpu.expect_load().return_const(PENDING);
    gpu.expect_watch().times(3).return_const(Ok(()));
    gpu.expect_force().times(1).return_const(());
    let queue = queue(0, 0);
    let mut stream = open(&gpu, &queue, Policy::default());
    let table = HandlerTable::new();
    let uses: Vec<_> = (0..3).map(|_| recorded(&mut stream)).collect();
    for (name, of) in ["runs", "given up", "runs too"].into_iter().zip(&uses) {
        assert_eq!(table.watch(&&gpu, of, name), Ok(Watched::Later));
    }
    assert_eq!(table.take_failed(), [""; 0], "all of them run");
    assert_eq!(stream.force(uses[1].about().of), Ok(ForcedUse::GivenUp));
    assert_eq!(table.take_failed(), ["given up"]);
    assert_eq!(table.take_failed(), [""; 0], "it is given back once");
    assert_eq!(table.waiting(), 2);
    drop(stream);
    assert_eq!(table.take_failed(), ["runs", "runs too"], "their stream was dropped");
}

#[test]
fn a_refused_handler_waits_for_nothing_and_holds_nothing() {
    let mut gpu = wakes();
    let refused = HandlerRefused::NoInterrupt;
    gpu.expect_watch().times(1).return_const(Err(refused));
    let queue = queue(0, 0);
    let mut stream = open(&gpu, &queue, Policy::default());
    let (table, of) = (HandlerTable::new(), recorded(&mut stream));
    let attached = Arc::new(());
    let signal = match table.watch(&&gpu, &of, attached.clone()) {
        Err(Error::Handler { signal, cause }) if cause == refused => signal,
        other => panic!("{other:?}"),
    };
    assert!(!signal.is_null(), "the error names the signal");
    assert_eq!((table.waiting(), Arc::strong_count(&attached)), (0, 1));
}

/// Which signals were armed for another use.
type Armed = Arc<Mutex<Vec<SignalHandle>>>;
/// A device that wakes and lets a signal be given up, and what its signals are at.
fn watched_device() -> (MockGpu, Arc<Mutex<SignalValue>>, Armed) {
    let mut gpu = wakes();
    let (value, armed) = (Arc::new(Mutex::new(PENDING)), Armed::default());
    let (now, seen) = (value.clone(), armed.clone());
    gpu.expect_watch().times(1).return_const(Ok(()));
    gpu.expect_force().return_const(());
    gpu.expect_load().returning(move |_| *now.lock().expect("one thread"));
    gpu.expect_arm().returning(move |signal, to| {
        if to == SignalValue::ARMED {
            seen.lock().expect("one thread").push(signal);
        }
    });
    gpu.expect_flush().return_const(());
    gpu.expect_publish_stores().return_const(());
    (gpu, value, armed)
}
fn reclaims(stream: &mut Stream<'_>) {
    for _ in 0..20 {
        let _found = stream.reclaim().expect("nothing is below 0 that was not given up");
    }
}

/// What a backend watches it may look at: until it says that it has, the signal serves no other use (S1).
#[test]
fn a_signal_that_is_watched_is_armed_for_nobody_before_its_token_comes() {
    let (gpu, value, armed) = watched_device();
    let queue = queue(0, 0);
    let mut stream = open(&gpu, &queue, Policy::default());
    let (table, of) = (HandlerTable::new(), recorded(&mut stream));
    let watched = of.hold().expect("it runs").signal();
    assert_eq!(table.watch(&&gpu, &of, "late"), Ok(Watched::Later));
    assert_eq!(stream.force(of.about().of), Ok(ForcedUse::GivenUp));
    assert_eq!(table.take_failed(), ["late"]);
    assert_eq!((table.take_failed(), table.waiting()), (vec![], 0), "it is given back once");
    drop(of);
    *value.lock().expect("one thread") = SignalValue::new(-1); // the device's own decrement
    reclaims(&mut stream);
    let is_armed = || armed.lock().expect("one thread").contains(&watched);
    assert!(!is_armed(), "the backend has not looked yet");
    *value.lock().expect("one thread") = DONE; // it was restored
    assert!(table.handle(&&gpu, HandlerToken::new(1)).is_none(), "it was given back");
    reclaims(&mut stream);
    assert!(is_armed(), "and then it is used again");
}

/// Nobody will ever know when the backend has looked.
#[test]
fn a_table_that_is_dropped_leaks_what_is_watched() {
    let (gpu, value, armed) = watched_device();
    let queue = queue(0, 8);
    let mut stream = open(&gpu, &queue, Policy::default());
    let (table, of) = (HandlerTable::new(), recorded(&mut stream));
    let watched = of.hold().expect("it runs").signal();
    assert_eq!(table.watch(&&gpu, &of, ()), Ok(Watched::Later));
    drop((table, of));
    *value.lock().expect("one thread") = DONE;
    reclaims(&mut stream);
    assert_eq!(stream.in_flight(), 0, "it is proven");
    assert!(!armed.lock().expect("one thread").contains(&watched));
}
