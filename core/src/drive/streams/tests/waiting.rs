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
#[test]
fn what_was_not_forked_here_is_not_joined() {
    let (driver, pool) = pool(TestWords::On);
    let elsewhere = StreamPool::new(driver.clone(), PoolOptions::default());
    let [mut lease, mut own] = [0, 1].map(|_| pool.acquire(key()).expect("a stream"));
    let mut other = elsewhere.acquire(key()).expect("a stream");
    driver.take_calls();
    let captured = pool.capture(&mut lease, CaptureMode::Relaxed, |scope| {
        assert!(matches!(scope.join(&mut own), Err(StreamError::Stale { .. })));
        assert!(matches!(scope.join(&mut other), Err(StreamError::OtherPool { .. })));
        assert!(matches!(scope.submit_on(&mut other, "work"), Err(StreamError::OtherPool { .. })));
        Ok(())
    });
    captured.expect("a graph");
    let records = |call: &DriverCall| matches!(call, DriverCall::Record(_) | DriverCall::Wait(_));
    assert!(!driver.take_calls().iter().any(records), "nothing was asked of the driver");
}
#[test]
fn an_allocation_is_followed_by_its_first_use_elsewhere_and_by_its_free() {
    let (driver, pool) = pool(TestWords::On);
    let [mut one, mut other] = [0, 1].map(|_| pool.acquire(key()).expect("a stream"));
    pool.submit(&mut one, "earlier").expect("work");
    let [memory, unused] = [0, 1].map(|_| pool.allocate(&mut one, Bytes::new(64)).expect("memory"));
    let mut uses = memory.stamp();
    let how = pool.order_after(&mut other, &uses, Access::Read).expect("an order");
    assert_eq!(how, Ordered::OnDevice);
    uses.add(pool.submit(&mut other, "use").expect("work"), Access::Write);
    driver.take_calls();
    // Its only user follows the allocation, but that is the user's word: the disposal stream follows both.
    assert_eq!(pool.retire(memory, uses), Freed::OnDisposal);
    assert_eq!(pool.retire(unused, Stamp::default()), Freed::OnStream, "behind its allocation");

    let finished = pool.allocate(&mut one, Bytes::new(64)).expect("memory");
    pool.submit(&mut one, "later").expect("work");
    driver.finish();
    assert_eq!(pool.retire(finished, Stamp::default()), Freed::AtOnce, "it was reached");
    let adopted = pool.adopt(RawMemory::new(0x99), Bytes::new(64), key());
    assert!(adopted.stamp().is_empty());
    assert_eq!(pool.retire(adopted, Stamp::default()), Freed::AtOnce);
}
/// The first stream that is made of a place is the disposal stream.
#[test]
fn a_disposal_stream_that_went_with_a_reset_while_it_was_made_is_never_called() {
    let driver = TestDriver::new(TestWords::Off);
    let own: Arc<Mutex<Option<Arc<StreamPool<TestDriver>>>>> = Arc::default();
    let of_attach = own.clone();
    let attach = move |_: RawStream| {
        let pool = of_attach.lock().take(); // once
        if let Some(pool) = pool {
            pool.device_reset(DeviceId::new(0));
        }
    };
    let options = PoolOptions::default();
    let pool = StreamPool::with_attachments(driver.clone(), options, Box::new(LeasePolicy), attach);
    let pool = Arc::new(pool);
    *own.lock() = Some(pool.clone());
    drop(pool.acquire(key()).expect("a stream")); // reserved before the reset: it counts as gone with it
    let first = driver.take_calls().into_iter().find_map(|call| match call {
        DriverCall::Create(_, raw) => Some(raw),
        _ => None,
    });
    let first = first.expect("a stream was made");
    let [mut lease, mut other] = [0, 1].map(|_| pool.acquire(key()).expect("a stream"));
    // A free behind two streams is the disposal stream's.
    let memory = pool.adopt(RawMemory::new(0x99), Bytes::new(64), key());
    let mut uses = Stamp::default();
    for lease in [&mut lease, &mut other] {
        uses.add(pool.submit(lease, "read").expect("work"), Access::Read);
    }
    assert!(matches!(pool.retire(memory, uses), Freed::OnDisposal | Freed::Deferred(_)));
    pool.pump();
    drop((lease, other));
    driver.finish();
    pool.pump();
    let _down = pool.shutdown();
    let calls = driver.take_calls();
    let of_the_first = |call: &DriverCall| match *call {
        DriverCall::Create(..) => false,
        DriverCall::Destroy(raw)
        | DriverCall::Launch(raw, _)
        | DriverCall::Record(raw)
        | DriverCall::Wait(raw)
        | DriverCall::Mark(raw)
        | DriverCall::Free(_, raw) => raw == first,
    };
    assert!(!calls.iter().any(of_the_first), "{first:?}: {calls:?}");
    assert!(calls.iter().any(|call| matches!(call, DriverCall::Free(..))), "{calls:?}");
}
