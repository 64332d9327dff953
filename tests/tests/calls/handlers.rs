//! Handlers whose token comes, never comes, comes too late, or is refused (S13, S18).

use std::sync::Arc;

use ringfence::{
    backend::{Features, HandlerToken},
    drive::{ForcedUse, HandlerTable, Policy, Watched},
    error::{Error, HandlerRefused},
    event::{Event, EventKind, EventOptions},
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
    let late = table.handle(&&gpu, HandlerToken::new(2));
    assert!(late.is_none(), "its token came after all, and is nobody's: {late:?}");
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
