//! Captures, and the streams that join them.

use super::*;

/// What a loop of forks in one capture does: each lease is dropped before the capture ends.
#[test]
fn a_fork_whose_lease_is_dropped_inside_the_capture_is_handed_on_after_it() {
    let (driver, pool) = pool(TestWords::On);
    let [mut lease, mut fork] = [0, 1].map(|_| pool.acquire(key()).expect("a stream"));
    let (forked, mut array) = (fork.id(), Stamp::default());
    array.add(pool.submit(&mut fork, "before").expect("work"), Access::Write);
    let captured = pool.capture(&mut lease, CaptureMode::Relaxed, |scope| {
        scope.fork(&mut fork)?;
        scope.submit_on(&mut fork, "recorded")?;
        scope.join(&mut fork)?;
        drop(fork);
        pool.pump(); // a reaper does, on its own thread
        let other = pool.acquire(key())?;
        assert_ne!(other.id(), forked, "it records");
        Ok(other)
    });
    let mut other = captured.expect("a graph").value;
    let how = pool.order_after(&mut other, &array, Access::Write);
    assert_eq!(how, Ok(Ordered::OnDevice), "its earlier work is known");
    driver.finish();
    pool.pump();
    assert_eq!(pool.counts().condemned_captures, 0);
    assert_eq!(pool.acquire(key()).expect("a stream").id(), forked);
}
