use std::sync::mpsc;

use tokio::runtime::{Builder, Runtime};

use super::*;

/// With one thread for blocking calls.
fn runtime(is_paused: bool) -> Runtime {
    let mut runtime = Builder::new_current_thread();
    runtime.enable_time().start_paused(is_paused).max_blocking_threads(1);
    runtime.build().expect("a runtime")
}

#[test]
fn calls_are_made_on_the_runtimes_threads_where_it_has_some() {
    // No patience ends while such a thread is busy, however slow the machine.
    runtime(true).block_on(async {
        let mut turns = Turns::default();
        for number in 0..100 {
            let made =
                turns.take(move || (number, thread::current().name().map(ToOwned::to_owned)));
            let (said, thread) = made.await.expect("the runtime goes on");
            assert_eq!(said, number);
            assert_ne!(thread.as_deref(), Some("ringfence-pump"));
        }
    });
}

/// All of the runtime's threads wait for what only such a call brings.
#[test]
fn calls_are_made_while_none_of_the_runtimes_threads_is_free() {
    runtime(false).block_on(async {
        let (tell, told) = mpsc::channel();
        let waits = spawn_blocking(move || (0..3).map(|_| told.recv().expect("a call")).sum());
        let mut turns = Turns::default();
        for number in 1..=3 {
            let tell = tell.clone();
            let made = turns.take(move || {
                tell.send(number).expect("it waits");
                drop(tokio::spawn(async {})); // as a destructor may
                thread::current().name().map(ToOwned::to_owned)
            });
            let thread = made.await.expect("it is made");
            if number < 3 {
                assert_eq!(thread.as_deref(), Some("ringfence-pump"));
            }
        }
        let all: i32 = waits.await.expect("it ends");
        assert_eq!(all, 6);
    });
}
