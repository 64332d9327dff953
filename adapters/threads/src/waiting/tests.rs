//! A thread that waits for a future.

use std::{
    future::{pending, poll_fn, ready},
    sync::mpsc,
    task::Poll,
    thread,
    time::Duration,
};

use super::block_on;

/// Longer than any test may take: only a wake ends such a sleep.
const LONG: Duration = Duration::from_secs(600);

#[test]
fn a_ready_future_needs_no_time() {
    assert_eq!(block_on(ready(7), Duration::ZERO, LONG), Some(7));
}

#[test]
fn the_limit_ends_the_wait() {
    assert_eq!(block_on(pending::<()>(), Duration::from_millis(2), LONG), None);
}

#[test]
fn a_wake_ends_the_sleep() {
    let (send, wakers) = mpsc::channel::<std::task::Waker>();
    let wakes = thread::spawn(move || wakers.recv().expect("a waker comes").wake());
    let mut polls = 0;
    let future = poll_fn(|context| {
        polls += 1;
        if polls == 1 {
            send.send(context.waker().clone()).expect("the other thread waits");
            return Poll::Pending;
        }
        // Woken for nothing is allowed; waited for in any case.
        if wakes.is_finished() { Poll::Ready(()) } else { wake_again(context) }
    });
    assert_eq!(block_on(future, LONG, LONG), Some(()));
    assert!(polls >= 2);
}
fn wake_again(context: &std::task::Context<'_>) -> Poll<()> {
    context.waker().wake_by_ref();
    Poll::Pending
}

#[test]
fn it_looks_by_itself_where_nobody_wakes() {
    let mut polls = 0;
    let future = poll_fn(|_| {
        polls += 1;
        if polls < 3 { Poll::Pending } else { Poll::Ready(()) }
    });
    assert_eq!(block_on(future, LONG, Duration::from_millis(1)), Some(()));
}
