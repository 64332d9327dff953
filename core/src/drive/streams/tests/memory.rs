//! Memory, captures and resets: who follows what.

use super::*;
use crate::backend::streams::CaptureStatus;

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
/// By the raw handle, on the owner's thread: an event of a capture makes whoever waits for it capture as well.
#[test]
fn the_disposal_stream_joins_no_capture_that_begins_between_the_look_and_the_record() {
    let (driver, pool) = pool(TestWords::On);
    let [mut one, mut other] = [0, 1].map(|_| pool.acquire(key()).expect("a stream"));
    let raw = pool.expose(&mut one);
    let mut uses = Stamp::default();
    for lease in [&mut one, &mut other] {
        uses.add(pool.submit(lease, "read").expect("work"), Access::Read);
    }
    let memory = pool.adopt(RawMemory::new(0x99), Bytes::new(64), key());
    let owner = driver.clone();
    driver.meanwhile(Refusable::Record, move || owner.set_capture(raw, CaptureStatus::Active));
    assert_eq!(pool.retire(memory, uses), Freed::Deferred(Deferral::Capturing));
    let waits = |call: &DriverCall| matches!(call, DriverCall::Wait(_));
    assert!(!driver.take_calls().iter().any(waits));
    driver.set_capture(raw, CaptureStatus::None);
    assert_eq!(pool.pump().freed, 1, "when the capture is over");
}

#[test]
fn memory_that_nobody_gives_up_is_counted() {
    let (driver, pool) = pool(TestWords::On);
    let mut lease = pool.acquire(key()).expect("a stream");
    let live = || pool.memory_counts().live;
    let [retired, later, dropped] =
        [0, 1, 2].map(|_| pool.allocate(&mut lease, Bytes::new(64)).expect("memory"));
    let adopted = pool.adopt(RawMemory::new(0x1000), Bytes::new(64), key());
    driver.refuse_next(Refusable::Allocate, BAD);
    pool.allocate(&mut lease, Bytes::new(64)).expect_err("it is refused");
    assert_eq!(live(), 4);
    assert_eq!(pool.retire(retired, Stamp::default()), Freed::OnStream);
    assert_eq!(live(), 3);
    let _later = pool.retire_later(later, Stamp::default());
    assert_eq!(live(), 2);
    drop(dropped);
    assert_eq!(live(), 2, "it is leaked");
    driver.finish();
    let left = pool.shutdown();
    assert_eq!((left.memory_leaked, left.memory_live), (0, 2), "dropped, and still had: {left:?}");
    assert_eq!(pool.retire(adopted, Stamp::default()), Freed::Leaked, "after the end");
    let counts = pool.memory_counts();
    assert_eq!((counts.live, counts.leaked), (1, 1));
}

/// What a destructor does (T10).
#[test]
fn memory_that_is_handed_in_is_freed_by_the_next_pump_and_no_driver_is_called_before() {
    let (driver, pool) = pool(TestWords::On);
    let [mut one, mut other] = [0, 1].map(|_| pool.acquire(key()).expect("a stream"));
    let [memory, unused] = [0, 1].map(|_| pool.allocate(&mut one, Bytes::new(64)).expect("memory"));
    let mut uses = memory.stamp();
    let used = pool.submit_after(&mut other, &mut [ArrayUse::write(&mut uses)], "use");
    let (_touch, _how) = used.expect("work");
    let (looks, _calls) = (driver.looks(), driver.take_calls());
    for (memory, uses) in [(memory, uses), (unused, Stamp::default())] {
        assert_eq!(pool.retire_later(memory, uses), Freed::Deferred(Deferral::HandedIn));
    }
    assert_eq!((driver.looks(), driver.take_calls()), (looks, Vec::new()), "nobody is asked");
    assert_eq!(pool.memory_counts().deferred, 2);
    assert_eq!(pool.pump().freed, 2);
    let calls = driver.take_calls();
    let [first, second] = [0, 1].map(|at| {
        let mut frees = calls.iter().filter(|call| matches!(call, DriverCall::Free(..)));
        frees.nth(at).copied().expect("a free")
    });
    // The work on the other stream follows the allocation, but that is the user's word: the disposal stream follows both.
    let waits = calls.iter().filter(|call| matches!(call, DriverCall::Wait(_))).count();
    assert_eq!(waits, 2, "{calls:?}");
    assert_ne!(first, second);
    assert_eq!(pool.memory_counts().freed_on_disposal, 1);
    assert_eq!(pool.memory_counts().freed_on_stream, 1, "the other one was used by nobody");
}

#[test]
fn memory_that_is_handed_in_is_kept_by_a_graph_and_leaked_by_the_end() {
    let (driver, pool) = pool(TestWords::On);
    let mut lease = pool.acquire(key()).expect("a stream");
    let [weights, late] =
        [0, 1].map(|_| pool.allocate(&mut lease, Bytes::new(64)).expect("memory"));
    let record = |scope: &mut CaptureScope<'_, _, _>| scope.pin(&weights);
    let graph = pool.capture(&mut lease, CaptureMode::Relaxed, record).expect("a graph").graph;
    let pinned = Freed::Deferred(Deferral::Pinned);
    assert_eq!(pool.retire_later(weights, Stamp::default()), pinned);
    driver.finish();
    assert_eq!(pool.pump().freed, 0, "a graph uses it");
    drop(graph);
    assert_eq!(pool.pump().freed, 1);
    let _down = pool.shutdown();
    assert_eq!(pool.retire_later(late, Stamp::default()), Freed::Leaked);
    assert_eq!(pool.memory_counts().leaked, 1);
}

#[test]
fn memory_of_another_pool_is_neither_freed_nor_pinned() {
    let (driver, pool) = pool(TestWords::On);
    let elsewhere = StreamPool::new(driver.clone(), PoolOptions::default());
    let (mut lease, mut other) =
        (pool.acquire(key()).expect("a stream"), elsewhere.acquire(key()).expect("a stream"));
    let [one, two] =
        [0, 1].map(|_| elsewhere.allocate(&mut other, Bytes::new(64)).expect("memory"));
    let refused = Err(StreamError::MemoryOfOtherPool { memory: one.raw() });
    let captured = pool.capture(&mut lease, CaptureMode::Relaxed, |scope| {
        assert_eq!(scope.pin(&one), refused);
        Ok(())
    });
    let mut graph = captured.expect("a graph").graph;
    assert_eq!(graph.pin(&one), refused);
    driver.take_calls();
    assert_eq!(pool.retire(one, Stamp::default()), Freed::OtherPool);
    assert_eq!(pool.retire_later(two, Stamp::default()), Freed::OtherPool);
    let [_ours, _theirs] = [pool.pump(), elsewhere.pump()];
    let calls = driver.take_calls();
    assert!(!calls.iter().any(|call| matches!(call, DriverCall::Free(..))), "{calls:?}");
    assert_eq!((pool.memory_counts().live, elsewhere.memory_counts().live), (0, 2), "leaked");
}
