//! The oracle's view of who called, and bookkeeping that does not grow.

use std::ops::Deref;

use super::*;
use crate::streams::oracle::StreamRule;

#[test]
fn the_oracle_blames_the_library_and_never_the_user() {
    let run = |asker: fn(&MockStreams) -> MockStreams| {
        let driver = MockStreams::new(P::Clr2024);
        let user = driver.user();
        let (capturing, other) = (user.create(key()), user.create(key()));
        let (capturing, other) = (capturing.expect("it may"), other.expect("it may"));
        user.begin_capture(capturing, CaptureMode::Global).expect("it is free");
        assert_eq!(asker(&driver).query(other), StreamState::Unknown);
        let broken = driver.with_model(|model| model.status_of(capturing));
        assert_eq!(broken, CaptureStatus::Invalidated);
        driver.violations().into_iter().map(|one| one.rule).collect::<Vec<_>>()
    };
    assert_eq!(run(MockStreams::clone), [StreamRule::T8]);
    assert_eq!(run(|driver| driver.user().deref().clone()), []);
}

#[test]
fn bookkeeping_does_not_grow_with_what_is_over() {
    let settings = StreamSettings::new(P::Hip57).with_watch(Watch::Off).with_trace(0);
    let driver = MockStreams::with(settings);
    let size = |driver: &MockStreams| driver.with_model(|model| model.footprint());
    let round = |driver: &MockStreams| {
        let stream = driver.create(key()).expect("nothing fails it");
        let event = driver.create_event(key().place).expect("nothing fails it");
        let word = driver.open_progress(stream).expect("it has words").expect("they are on");
        let memory = driver.allocate(Bytes::new(64), stream).expect("nothing refuses it");
        driver.begin_capture(stream, CaptureMode::ThreadLocal).expect("it is free");
        driver.launch(stream, work(1)).expect("it is recorded");
        let graph = driver.end_capture(stream).expect("it is whole");
        driver.launch_graph(graph, stream).expect("it exists");
        driver.record_event(event, stream).expect("it exists");
        driver.mark(stream, word, Position::new(1)).expect("it exists");
        driver.free(memory, stream).expect("it exists");
        driver.run_until_idle();
        driver.destroy_graph(graph).expect("it exists");
        driver.destroy_event(event);
        driver.destroy(stream).expect("it exists");
        driver.close_progress(word);
    };
    // By then the class has all its hardware queues.
    for _ in 0..8 {
        round(&driver);
    }
    let first = size(&driver);
    for _ in 0..200 {
        round(&driver);
    }
    assert_eq!(size(&driver), first);
    assert!(driver.crashes().is_empty());
}
