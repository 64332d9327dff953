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
