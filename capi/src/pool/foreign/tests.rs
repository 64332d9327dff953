use std::{
    convert::Infallible,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc::channel,
    },
    thread,
};

use super::*;

const RAW: RawStream = RawStream::new(0x7f00);

fn stream(number: u32) -> StreamId {
    StreamId::new(number)
}
/// Whether the driver was asked to know it.
fn adopts(foreign: &Foreign, is: StreamId) -> bool {
    let mut asked = false;
    let Ok(()) = foreign.adopt(RAW, is, || {
        asked = true;
        Ok::<_, Infallible>(())
    });
    asked
}
/// What the driver was asked to forget.
fn leaves(foreign: &Foreign, was: StreamId, handle: Option<RawStream>) -> Option<RawStream> {
    let mut forgotten = None;
    foreign.leave(was, handle, |raw| forgotten = Some(raw));
    forgotten
}

#[test]
fn a_stream_that_was_wrapped_twice_is_known_and_forgotten_once() {
    let foreign = Foreign::default();
    assert!(adopts(&foreign, stream(1)) && !adopts(&foreign, stream(1)));
    assert_eq!(leaves(&foreign, stream(1), None), Some(RAW));
    assert_eq!(leaves(&foreign, stream(1), None), None, "its handle may be another's by now");
}

#[test]
fn a_newer_stream_with_the_handle_is_not_forgotten() {
    let foreign = Foreign::default();
    assert!(adopts(&foreign, stream(1)) && adopts(&foreign, stream(2)));
    assert_eq!(leaves(&foreign, stream(1), None), None);
    assert_eq!(
        leaves(&foreign, stream(9), Some(RAW)),
        None,
        "the pool made it, and it was disowned"
    );
    assert_eq!(leaves(&foreign, stream(2), None), Some(RAW));
    assert_eq!(leaves(&foreign, stream(9), Some(RAW)), Some(RAW));
}

#[test]
fn a_driver_that_refuses_a_stream_is_asked_again() {
    let foreign = Foreign::default();
    assert_eq!(foreign.adopt(RAW, stream(1), || Err("no such GPU")), Err("no such GPU"));
    assert_eq!(leaves(&foreign, stream(1), None), None);
    assert!(adopts(&foreign, stream(1)));
}

/// Who wraps a handle that another thread unwraps gets it behind that.
#[test]
fn a_handle_is_not_made_known_while_the_driver_forgets_it() {
    let (foreign, done) = (Foreign::default(), Mutex::new(Vec::new()));
    let (adopting, begins) = (AtomicBool::new(false), channel());
    assert!(adopts(&foreign, stream(1)));
    thread::scope(|scope| {
        scope.spawn(|| {
            foreign.leave(stream(1), None, |_| {
                begins.0.send(()).expect("the test waits");
                // Long enough for a thread that does not wait; for how long one that does is not known.
                while !adopting.load(Ordering::Acquire) {
                    thread::yield_now();
                }
                for _ in 0..10_000 {
                    thread::yield_now();
                }
                done.lock().expect("nobody panics").push("forgotten");
            });
        });
        begins.1.recv().expect("it leaves");
        adopting.store(true, Ordering::Release);
        let Ok(()) = foreign.adopt(RAW, stream(2), || {
            done.lock().expect("nobody panics").push("known");
            Ok::<_, Infallible>(())
        });
    });
    assert_eq!(*done.lock().expect("nobody panics"), ["forgotten", "known"]);
    assert_eq!(leaves(&foreign, stream(2), None), Some(RAW), "and it stays known");
}

#[test]
fn a_panic_while_a_handle_is_forgotten_leaves_nobody_waiting() {
    let foreign = Foreign::default();
    assert!(adopts(&foreign, stream(1)));
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        foreign.leave(stream(1), None, |_| panic!("on purpose"));
    }));
    assert!(panicked.is_err() && adopts(&foreign, stream(2)));
}
