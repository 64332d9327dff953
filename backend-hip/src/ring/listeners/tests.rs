use std::{
    sync::mpsc,
    time::{Duration, Instant},
};

use super::*;

#[test]
fn nobody_looks_while_a_gpu_is_reset() {
    let listeners = Listeners::default();
    drop(listeners.look().expect("no reset"));
    for _ in 0..2 {
        listeners.stop().expect("nobody looks");
    }
    assert!(listeners.look().is_none());
    listeners.go_on();
    assert!(listeners.look().is_none(), "another GPU is reset");
    listeners.go_on();
    assert!(listeners.look().is_some());
}

/// The look ends only once the reset was seen to wait for it: the other thread is refused a look from then on.
#[test]
fn a_reset_waits_for_who_looks() {
    let listeners = Listeners::default();
    let (over, looks) = mpsc::channel();
    thread::scope(|scope| {
        let look = listeners.look().expect("no reset");
        let (listeners, told) = (&listeners, over.clone());
        scope.spawn(move || {
            listeners.stop().expect("another thread looks");
            told.send("stopped").expect("the test waits");
        });
        // Who has a look takes no other one: another thread tries.
        let refused = scope.spawn(|| {
            let begun = Instant::now();
            while listeners.look().is_some() {
                assert!(begun.elapsed() < Duration::from_secs(10), "nothing was stopped");
                thread::yield_now();
            }
        });
        refused.join().expect("no panic");
        over.send("looked").expect("the test waits");
        drop(look);
    });
    assert_eq!(looks.try_iter().collect::<Vec<_>>(), ["looked", "stopped"]);
    listeners.go_on();
    assert!(listeners.look().is_some());
}

#[test]
fn a_listener_that_would_wait_for_itself_is_refused() {
    let listeners = Listeners::default();
    let look = listeners.look().expect("no reset");
    assert!(matches!(listeners.stop(), Err(HipError::InListener)));
    drop(look);
    assert!(listeners.look().is_some(), "the refusal stopped nothing");
    listeners.stop().expect("it has left");
}
