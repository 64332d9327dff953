//! Who waits is told, whatever becomes of the device, the driver, the pool, or somebody else's code.

use super::*;

const LOST: DriverError = DriverError::DeviceLost(DriverCode::new(700));

/// A future of a pool, and how often it was woken.
struct Waiting {
    future: Finished,
    woken: Arc<Woken>,
}
impl Waiting {
    fn new(future: Finished) -> Self {
        let mut waiting = Self { future, woken: Arc::new(Woken(AtomicU8::new(0))) };
        assert!(waiting.poll().is_pending());
        waiting
    }
    fn poll(&mut self) -> Poll<Result<(), StreamError>> {
        let waker = Waker::from(self.woken.clone());
        std::pin::Pin::new(&mut self.future).poll(&mut Context::from_waker(&waker))
    }
    fn wakes(&self) -> u8 {
        self.woken.0.load(Ordering::Relaxed)
    }
}
/// Work that is waited for, on a stream whose lease is held.
fn working(pool: &StreamPool<TestDriver>) -> (Lease, Waiting) {
    let mut lease = pool.acquire(key()).expect("a stream");
    let touch = pool.submit(&mut lease, "work").expect("work");
    (lease, Waiting::new(pool.when_finished(touch)))
}

#[test]
fn a_pool_that_is_dropped_leaves_nobody_waiting() {
    let (_driver, pool) = pool(TestWords::On);
    let (mut lease, mut waiting) = working(&pool);
    let mut copy = pool.submit_owning(&mut lease, vec![1], |_| "copy").expect("work");
    drop(pool);
    assert_eq!(waiting.wakes(), 1);
    assert!(matches!(waiting.poll(), Poll::Ready(Err(StreamError::ShutDown))));
    assert!(matches!(poll(&mut copy), Poll::Ready(Err(StreamError::ShutDown))));
}
#[test]
fn a_driver_that_may_be_called_no_more_leaves_nobody_waiting() {
    for (state, says) in [
        (DriverState::ShuttingDown, StreamError::ShutDown),
        (DriverState::Forked, StreamError::Forked),
        (DriverState::Lost, StreamError::DeviceLost),
    ] {
        let (driver, pool) = pool(TestWords::On);
        let (_lease, mut waiting) = working(&pool);
        driver.take_calls();
        driver.becomes(state);
        pool.pump();
        assert_eq!(waiting.wakes(), 1, "{state:?}");
        assert!(matches!(waiting.poll(), Poll::Ready(Err(_))), "{state:?}");
        assert_eq!(pool.acquire(key()).expect_err("never again"), says);
        assert_eq!(driver.take_calls(), [], "{state:?}: no call");
    }
}
#[test]
fn who_waits_is_still_on_the_list_after_a_look_that_panicked() {
    let (driver, pool) = pool(TestWords::On);
    let (mut lease, waiting) = working(&pool);
    drop(pool.submit_owning(&mut lease, vec![1], |_| "copy").expect("work"));
    driver.panic_at_next_look();
    panics(|| pool.pump());
    driver.finish();
    let pumped = pool.pump();
    assert_eq!((pumped.released, waiting.wakes()), (1, 1));
}
/// A waker of the user's that panics keeps neither the others from their wake nor a buffer from its owner.
#[test]
fn a_waker_that_panics_keeps_no_buffer() {
    struct Bomb;
    impl Wake for Bomb {
        fn wake(self: Arc<Self>) {
            panic!("a waker");
        }
    }
    struct Buffer(Arc<Woken>);
    impl Drop for Buffer {
        fn drop(&mut self) {
            self.0.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let (driver, pool) = pool(TestWords::On);
    let mut lease = pool.acquire(key()).expect("a stream");
    let dropped = Arc::new(Woken(AtomicU8::new(0)));
    drop(pool.submit_owning(&mut lease, Buffer(dropped.clone()), |_| "copy").expect("work"));
    let mut future = pool.when_finished(pool.so_far(&lease));
    let bomb = Waker::from(Arc::new(Bomb));
    assert!(std::pin::Pin::new(&mut future).poll(&mut Context::from_waker(&bomb)).is_pending());
    driver.finish();
    panics(|| pool.pump());
    assert_eq!(dropped.0.load(Ordering::Relaxed), 1);
}
/// The word is never written, and no other call is made that could tell.
#[test]
fn a_fault_that_nobody_reports_is_asked_about() {
    let (driver, pool) = pool(TestWords::On);
    let (lease, mut waiting) = working(&pool);
    let stream = lease.stream();
    driver.faults(LOST);
    let before = driver.looks();
    for _ in 0..64 {
        pool.pump();
    }
    assert!(driver.looks() - before < 64 * 2, "the word is believed but for now and then");
    assert_eq!(pool.pump().woken, 1);
    assert!(matches!(waiting.poll(), Poll::Ready(Err(StreamError::DeviceLost))));
    drop(lease);
    drop(pool);

    // A stream in error, of a driver that goes on.
    let (driver, pool) = self::pool(TestWords::Off);
    let (lease, mut waiting) = working(&pool);
    assert_eq!(lease.stream().id(), stream.id());
    driver.faults(BAD);
    assert_eq!(pool.pump().woken, 1);
    let told = waiting.poll();
    assert!(matches!(told, Poll::Ready(Err(StreamError::Driver { cause: BAD, .. }))), "{told:?}");
}
/// What the driver said of a stream in between is not forgotten when the word comes after all.
#[test]
fn a_stream_that_was_in_error_when_it_was_asked_about_is_not_handed_on_by_its_word() {
    let (driver, pool) = pool(TestWords::On);
    let (lease, _waiting) = working(&pool);
    let stream = lease.id();
    driver.faults(BAD);
    for _ in 0..64 {
        pool.pump();
    }
    driver.finish();
    drop(lease);
    pool.pump();
    assert_ne!(pool.acquire(key()).expect("a stream").id(), stream);
}
/// A stream that never comes back to the shelf, with its lease dropped.
#[test]
fn a_fault_is_noticed_of_a_reserved_stream_as_well() {
    let (driver, pool) = pool(TestWords::On);
    let mut lease = pool.reserve(key()).expect("a stream");
    let touch = pool.submit(&mut lease, "work").expect("work");
    let mut waiting = Waiting::new(pool.when_finished(touch));
    drop(lease);
    driver.faults(LOST);
    for _ in 0..65 {
        pool.pump();
    }
    assert!(matches!(waiting.poll(), Poll::Ready(Err(StreamError::DeviceLost))));
}
/// A query in the middle of a fork breaks the capture (T8).
#[test]
fn a_stream_that_is_forked_into_a_capture_is_not_asked_about() {
    let (driver, pool) = pool(TestWords::On);
    let mut lease = pool.acquire(key()).expect("a stream");
    let (mut fork, mut waiting) = working(&pool);
    let captured = pool.capture(&mut lease, CaptureMode::Relaxed, |scope| {
        scope.fork(&mut fork)?;
        driver.faults(BAD);
        for _ in 0..130 {
            pool.pump();
        }
        driver.works_again();
        scope.join(&mut fork)
    });
    captured.expect("a graph");
    assert_eq!(waiting.wakes(), 0);
    assert!(waiting.poll().is_pending());
}
#[test]
fn a_stream_that_works_after_all_is_waited_for() {
    for words in [TestWords::On, TestWords::Off] {
        let (driver, pool) = pool(words);
        let (mut lease, _told) = working(&pool);
        driver.faults(BAD);
        for _ in 0..64 {
            pool.pump();
        }
        driver.works_again();
        pool.pump();
        let later = pool.submit(&mut lease, "more work").expect("work");
        let mut waiting = Waiting::new(pool.when_finished(later));
        driver.finish();
        pool.pump();
        assert!(matches!(waiting.poll(), Poll::Ready(Ok(()))), "{words:?}");
    }
}
/// Its word is never written; others go on, and something comes of every pump.
#[test]
fn a_stream_in_error_is_noticed_while_others_work() {
    let (driver, pool) = pool(TestWords::On);
    let (_lease, mut waiting) = working(&pool);
    driver.refuse_next(Refusable::Query, BAD);
    for _ in 0..65 {
        drop(pool.acquire(key()).expect("another stream"));
        assert_eq!(pool.pump().idle, 1);
    }
    let told = waiting.poll();
    assert!(matches!(told, Poll::Ready(Err(StreamError::Driver { cause: BAD, .. }))), "{told:?}");
}
#[test]
fn a_host_wait_for_a_stream_in_error_says_so() {
    for words in [TestWords::On, TestWords::Off] {
        let (driver, pool) = pool(words);
        let mut lease = pool.acquire(key()).expect("a stream");
        let mut copy = pool.submit_owning(&mut lease, 7, |_| "copy").expect("work");
        driver.faults(BAD);
        let waited = copy.wait(&pool, std::time::Duration::ZERO);
        let Err((still, error)) = waited else { panic!("{words:?}: it is not finished") };
        copy = still;
        let says = StreamError::Driver { stream: lease.stream(), cause: BAD };
        assert_eq!(error, says, "{words:?}");
        drop(copy);
    }
}
#[test]
fn a_host_wait_for_finished_work_stands_behind_nobody() {
    let (driver, pool) = pool(TestWords::Off);
    let mut lease = pool.acquire(key()).expect("a stream");
    let mut array = Stamp::default();
    array.add(pool.submit(&mut lease, "work").expect("work"), Access::Write);
    driver.finish();
    driver.take_calls();
    let waited = pool.synchronize(&array, Access::Write, std::time::Duration::ZERO);
    assert_eq!((waited, driver.take_calls()), (Ok(()), Vec::new()));
}
#[test]
fn a_host_wait_is_not_on_the_stream_that_frees() {
    let (driver, pool) = pool(TestWords::Off);
    let mut lease = pool.acquire(key()).expect("a stream");
    let first = driver.take_calls().into_iter().find_map(|call| match call {
        DriverCall::Create(_, raw) => Some(raw),
        _ => None,
    });
    let disposal = first.expect("it is made first");
    let mut array = Stamp::default();
    array.add(pool.submit(&mut lease, "work").expect("work"), Access::Write);
    pool.synchronize(&array, Access::Write, std::time::Duration::ZERO).expect("no fault");
    let calls = driver.take_calls();
    assert!(calls.iter().any(|call| matches!(call, DriverCall::Wait(_))), "{calls:?}");
    assert!(!calls.contains(&DriverCall::Wait(disposal)), "{calls:?}");
}
