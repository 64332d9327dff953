use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    task::{Context, Poll, Wake, Waker},
};

use super::*;
use crate::{
    backend::streams::CaptureMode,
    error::DriverCode,
    id::{Bytes, DeviceId, RawMemory},
    stream::{
        Access, Deferral, Stamp,
        test_driver::{DriverCall, PANICS, Refusable, TestDriver, TestWords},
    },
};

mod arrays;
mod capture_ends;
mod captures;
mod closing;
mod forks;
mod memory;
mod panics;
mod shared;
mod waiting;

const BAD: DriverError = DriverError::Bad(DriverCode::new(400));

fn key() -> StreamKey {
    StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
}
fn pool(words: TestWords) -> (TestDriver, StreamPool<TestDriver>) {
    let driver = TestDriver::new(words);
    (driver.clone(), StreamPool::new(driver, PoolOptions::default()))
}
fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    std::pin::Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}
/// Runs what panics.
fn panics<T>(body: impl FnOnce() -> T) {
    assert!(catch_unwind(AssertUnwindSafe(body)).is_err(), "it panics");
}

/// The word speaks of counted work alone, and says that all of it is finished.
#[test]
fn a_stream_whose_launch_panicked_is_asked_about_before_it_is_handed_on() {
    let driver = TestDriver::new(TestWords::On);
    let pool = StreamPool::new(driver.clone(), PoolOptions::default());
    let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
    let mut lease = pool.acquire(key).expect("a stream");
    let stream = lease.id();
    pool.submit(&mut lease, "fill").expect("work");
    driver.finish();
    let panicked = catch_unwind(AssertUnwindSafe(|| pool.submit(&mut lease, PANICS)));
    panicked.expect_err("it does");
    drop(lease);
    pool.pump();
    let other = pool.acquire(key).expect("a stream");
    assert_ne!(other.id(), stream, "its work may run: nobody else gets it");
    driver.finish();
    pool.pump();
    assert_eq!(pool.acquire(key).expect("a stream").id(), stream, "it is finished");
}

#[test]
fn a_graph_whose_launch_panicked_is_destroyed_after_what_may_run_of_it() {
    let driver = TestDriver::new(TestWords::On);
    let pool = StreamPool::new(driver.clone(), PoolOptions::default());
    let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
    let mut lease = pool.acquire(key).expect("a stream");
    let record = |scope: &mut CaptureScope<'_, _, _>| scope.submit("fill");
    let mut graph = pool.capture(&mut lease, CaptureMode::Relaxed, record).expect("a graph").graph;
    driver.finish();
    driver.panic_at_graphs();
    let panicked = catch_unwind(AssertUnwindSafe(|| pool.launch(&mut lease, &mut graph)));
    panicked.expect_err("it does");
    drop(graph);
    assert_eq!(pool.pump().graphs, 0, "it may run");
    driver.finish();
    assert_eq!(pool.pump().graphs, 1);
}

#[test]
fn a_free_that_a_graph_put_off_is_counted_when_it_happens() {
    let driver = TestDriver::new(TestWords::On);
    let pool = StreamPool::new(driver.clone(), PoolOptions::default());
    let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
    let mut lease = pool.acquire(key).expect("a stream");
    let weights = pool.allocate(&mut lease, Bytes::new(64)).expect("memory");
    let record = |scope: &mut CaptureScope<'_, _, _>| {
        scope.pin(&weights)?;
        scope.submit("fill")
    };
    let graph = pool.capture(&mut lease, CaptureMode::Relaxed, record).expect("a graph").graph;
    let freed = pool.retire(weights, Stamp::default());
    assert_eq!(freed, Freed::Deferred(Deferral::Pinned), "the graph uses it");
    driver.finish();
    assert_eq!(pool.pump().freed, 0);
    drop(graph);
    let pumped = pool.pump();
    assert_eq!((pumped.graphs, pumped.freed), (1, 1));
}

#[test]
fn a_value_that_a_panicking_launch_may_use_stays_with_the_pool() {
    let (driver, pool) = pool(TestWords::On);
    let mut lease = pool.acquire(key()).expect("a stream");
    let (stream, value) = (lease.id(), Arc::new(()));
    panics(|| pool.submit_owning(&mut lease, value.clone(), |_| PANICS));
    assert_eq!(Arc::strong_count(&value), 2, "the device may use it");
    drop(lease);
    pool.pump();
    assert_eq!(Arc::strong_count(&value), 2);
    assert_ne!(pool.acquire(key()).expect("a stream").id(), stream, "its work may run");
    driver.finish();
    pool.pump();
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn nobody_waits_for_a_stream_that_was_leaked() {
    for destroyed in [true, false] {
        let (driver, pool) = pool(TestWords::Off);
        let mut lease = pool.reserve(key()).expect("a stream");
        let raw = pool.expose(&mut lease);
        let mut copied = pool.submit_owning(&mut lease, 7, |_| "copy").expect("work");
        drop(lease);
        match destroyed {
            true => driver.lose_stream(raw),
            false => {
                driver.finish();
                driver.refuse_next(Refusable::Destroy, BAD);
            }
        }
        pool.pump();
        let looks = driver.looks();
        let answer = poll(&mut copied);
        match destroyed {
            true => assert!(matches!(answer, Poll::Ready(Err(StreamError::Unknowable { .. })))),
            false => assert!(matches!(answer, Poll::Ready(Ok(7)))),
        }
        // The handle may be somebody else's by now.
        driver.users_stream(raw);
        pool.pump();
        assert_eq!(driver.looks(), looks, "it is asked about no more");
    }
}

#[test]
fn a_touch_of_another_pool_is_no_finished_work() {
    let driver = TestDriver::new(TestWords::On);
    let pools = [0, 1].map(|_| StreamPool::new(driver.clone(), PoolOptions::default()));
    let mut leases = [0, 1].map(|at: usize| pools[at].acquire(key()).expect("a stream"));
    let [ours, theirs] =
        [0, 1].map(|at| pools[at].submit(&mut leases[at], "work").expect("a stream"));
    let mut waits = pools[0].when_finished(theirs);
    assert!(matches!(poll(&mut waits), Poll::Ready(Err(StreamError::OtherPool { .. }))));
    let memory = pools[0].allocate(&mut leases[0], Bytes::new(64)).expect("memory");
    let mut uses = Stamp::default();
    uses.add(ours, Access::Write);
    uses.add(theirs, Access::Read);
    assert_eq!(pools[0].retire(memory, uses), Freed::Leaked, "whether that is over, nobody knows");
}

#[test]
fn a_panic_of_the_users_code_loses_no_stream() {
    let driver = TestDriver::new(TestWords::On);
    let policy = Box::new(crate::stream::LeasePolicy);
    let attach = |_raw: RawStream| -> u32 { panic!("what the user keeps with a stream") };
    let attached =
        StreamPool::with_attachments(driver.clone(), PoolOptions::default(), policy, attach);
    panics(|| attached.acquire(key()));
    assert_eq!((driver.live(), attached.tally().live()), (0, 0));
    let options = PoolOptions { warn_past: 1, ..PoolOptions::default() };
    let crowded = StreamPool::new(driver.clone(), options).on_crowd(|_| panic!("a warning"));
    let first = crowded.acquire(key()).expect("a stream");
    panics(|| crowded.acquire(key()));
    assert_eq!(crowded.tally().leased, 1, "the second one came back");
    drop(first);
}

#[test]
fn no_driver_is_called_after_the_end_of_the_pool() {
    let (driver, pool) = pool(TestWords::Off);
    let mut busy = pool.reserve(key()).expect("a stream");
    let stream = busy.stream();
    pool.submit(&mut busy, "work").expect("work");
    drop(busy);
    let _left = pool.shutdown();
    let (looks, _calls) = (driver.looks(), driver.take_calls());
    pool.device_reset(DeviceId::new(0));
    assert!(matches!(pool.touch(stream), Err(StreamError::ShutDown)));
    assert_eq!((driver.looks(), driver.take_calls()), (looks, Vec::new()));
}

/// As of a launch: the stream may be in error, and is asked about before anybody else gets it.
#[test]
fn any_refusal_for_an_error_of_the_stream_leaves_a_doubt() {
    use Refusable::{Allocate, BeginCapture, Free, Mark, Wait};
    for call in [BeginCapture, Allocate, Mark, Wait, Free] {
        let (driver, pool) = pool(TestWords::On);
        let [mut lease, mut other] = [0, 1].map(|_| pool.acquire(key()).expect("a stream"));
        let memory = pool.allocate(&mut lease, Bytes::new(64)).expect("memory");
        let mut uses = Stamp::default();
        uses.add(pool.submit(&mut other, "produces").expect("work"), Access::Write);
        driver.refuse_next(call, BAD);
        match call {
            Refusable::Wait => {
                let says = StreamError::Driver { stream: lease.stream(), cause: BAD };
                let refused = pool.order_after(&mut lease, &uses, Access::Write);
                assert_eq!(refused, Err(says), "it is the waiter that refuses");
            }
            Refusable::Free => {
                let freed = pool.retire(memory, Stamp::default());
                assert_ne!(freed, Freed::OnStream, "it is refused");
            }
            Refusable::BeginCapture => {
                let nothing = |_: &mut CaptureScope<'_, _, _>| Ok(());
                let refused = pool.capture(&mut lease, CaptureMode::Relaxed, nothing);
                refused.expect_err("it is refused");
            }
            Refusable::Allocate => {
                pool.allocate(&mut lease, Bytes::new(64)).expect_err("it is refused");
            }
            _ => drop(pool.submit(&mut lease, "work").expect("the work is not refused")),
        }
        driver.finish();
        drop(lease);
        let looks = driver.looks();
        let _next = pool.acquire(key()).expect("a stream");
        assert!(driver.looks() > looks, "{call:?}: it is asked about");
    }
}

#[test]
fn a_dead_streams_handle_is_another_stream() {
    let (driver, pool) = pool(TestWords::Off);
    let mut lease = pool.acquire(key()).expect("a stream");
    let raw = pool.expose(&mut lease);
    pool.submit(&mut lease, "work").expect("work");
    drop(lease);
    driver.lose_stream(raw);
    let _other = pool.acquire(key()).expect("another stream: that one is in error");
    driver.users_stream(raw);
    let wrapped = pool.wrap_external(raw, key()).expect("a stream");
    assert!(matches!(wrapped, Wrapped::External(_)), "{wrapped:?}");
}

#[test]
fn a_fork_that_is_refused_records_nothing() {
    let (driver, pool) = pool(TestWords::On);
    let (mut one, mut other) =
        (pool.acquire(key()).expect("one"), pool.acquire(key()).expect("two"));
    let captured = pool.capture(&mut one, CaptureMode::Relaxed, |scope| {
        driver.refuse_next(Refusable::Wait, BAD);
        scope.fork(&mut other).expect_err("it is refused");
        let stale = scope.submit_on(&mut other, "eager");
        assert!(matches!(stale, Err(StreamError::Stale { .. })), "it would run at once: {stale:?}");
        Ok(())
    });
    captured.expect("a graph");
    assert!(!driver.take_calls().iter().any(|call| matches!(call, DriverCall::Launch(_, "eager"))));
    pool.submit(&mut other, "work").expect("it is a stream like any other");
}

/// Counts its wakes.
struct Woken(AtomicU8);
impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn who_was_woken_in_vain_does_not_lose_its_turn() {
    let options =
        PoolOptions { live_cap: Some(1.try_into().expect("not 0")), ..PoolOptions::default() };
    let pool = StreamPool::new(TestDriver::new(TestWords::On), options);
    let held = pool.acquire(key()).expect("a stream");
    let woken = [0, 1].map(|_| Arc::new(Woken(AtomicU8::new(0))));
    let wakers = woken.each_ref().map(|woken| Waker::from(woken.clone()));
    let mut waiting = [0, 1].map(|_| pool.acquire_async(key()));
    let mut ask = |at: usize| {
        let mut context = Context::from_waker(&wakers[at]);
        std::pin::Pin::new(&mut waiting[at]).poll(&mut context)
    };
    assert!(ask(0).is_pending() && ask(1).is_pending());
    let wakes = || woken.each_ref().map(|woken| woken.0.load(Ordering::Relaxed));
    drop(held);
    pool.pump();
    assert_eq!(wakes(), [1, 0]);
    let thief = pool.acquire(key()).expect("somebody was faster");
    assert!(ask(0).is_pending());
    drop(thief);
    pool.pump();
    assert_eq!(wakes(), [2, 0], "it is the first one's turn again");
    assert!(ask(0).is_ready());
}

/// What a reset took along is over, also for who asks what it had submitted.
#[test]
fn work_that_went_with_a_reset_is_waited_for_by_nobody() {
    let (_driver, pool) = pool(TestWords::On);
    let mut lease = pool.acquire(key()).expect("a stream");
    let _raw = pool.expose(&mut lease);
    pool.submit(&mut lease, "work").expect("work");
    pool.device_reset(DeviceId::new(0));
    let mut over = pool.when_finished(pool.so_far(&lease));
    assert!(matches!(poll(&mut over), Poll::Ready(Ok(()))));
}
