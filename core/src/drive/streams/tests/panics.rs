//! A panic of the user's code, or of a driver, loses nothing that the pool had in hand.

use super::*;
use crate::{
    stream::LeasePolicy,
    sync::{AtomicU64, Ordering},
};

type Attached = StreamPool<TestDriver, Fragile>;
/// What a user keeps with each stream: made, or dropped, with a panic when that was asked for.
struct Fragile(Arc<AtomicU64>);
const MAKE: u64 = 1;
const DROP: u64 = 2;
fn explode(fuse: &AtomicU64, at: u64) {
    if fuse.load(Ordering::Relaxed) == at {
        fuse.store(0, Ordering::Relaxed);
        panic!("the user's code");
    }
}
impl Drop for Fragile {
    fn drop(&mut self) {
        explode(&self.0, DROP);
    }
}
fn fragile() -> (TestDriver, Attached, Arc<AtomicU64>) {
    let (driver, fuse) = (TestDriver::new(TestWords::On), Arc::new(AtomicU64::new(0)));
    let of_attach = fuse.clone();
    let attach = move |_: RawStream| {
        explode(&of_attach, MAKE);
        Fragile(of_attach.clone())
    };
    let (options, policy) = (PoolOptions::default(), Box::new(LeasePolicy));
    (driver.clone(), StreamPool::with_attachments(driver, options, policy, attach), fuse)
}
/// Memory of a place where nobody has a stream: its free has to wait for one.
fn deferred(pool: &Attached, raw: u64) {
    let place = StreamKey::new(DeviceContext::primary(DeviceId::new(1)));
    let memory = pool.adopt(RawMemory::new(raw), Bytes::new(64), place);
    let freed = pool.retire(memory, Stamp::default());
    assert_eq!(freed, Freed::Deferred(Deferral::NoDisposal));
}
fn freed(driver: &TestDriver) -> Vec<RawMemory> {
    let calls = driver.take_calls().into_iter();
    let freed = calls.filter_map(|call| match call {
        DriverCall::Free(memory, _) => Some(memory),
        _ => None,
    });
    let mut freed: Vec<_> = freed.collect();
    freed.sort_by_key(|memory| memory.as_u64());
    freed
}

#[test]
fn what_was_put_off_is_freed_in_spite_of_a_panic_and_who_waits_is_woken() {
    let (driver, pool, fuse) = fragile();
    let mut lease = pool.acquire(key()).expect("a stream");
    let touch = pool.submit(&mut lease, "work").expect("work");
    let woken = Arc::new(Woken(AtomicU8::new(0)));
    let mut waits = pool.when_finished(touch);
    let waker = Waker::from(woken.clone());
    assert!(std::pin::Pin::new(&mut waits).poll(&mut Context::from_waker(&waker)).is_pending());
    deferred(&pool, 0x98);
    deferred(&pool, 0x99);
    driver.finish();
    fuse.store(MAKE, Ordering::Relaxed);
    panics(|| pool.pump());
    assert_eq!(woken.0.load(Ordering::Relaxed), 1, "the work is finished");
    assert_eq!(pool.pump().freed, 2);
    assert_eq!(freed(&driver), [0x98, 0x99].map(RawMemory::new));
    assert_eq!(pool.memory_counts().deferred, 2, "each once, however often it is tried");
}
#[test]
fn the_graph_of_a_capture_that_unwinds_after_its_end_is_destroyed_and_pins_nothing() {
    let (driver, pool, fuse) = fragile();
    let mut lease = pool.acquire(key()).expect("a stream");
    let memory = pool.allocate(&mut lease, Bytes::new(64)).expect("memory");
    deferred(&pool, 0x99); // tried again at the end of a capture
    driver.finish(); // nothing has to be covered before it
    fuse.store(MAKE, Ordering::Relaxed);
    panics(|| {
        let pins = |scope: &mut CaptureScope<'_, TestDriver, Fragile>| {
            scope.pin(&memory)?;
            Ok(())
        };
        pool.capture(&mut lease, CaptureMode::Relaxed, pins).map(drop)
    });
    driver.finish();
    assert_eq!(pool.pump().graphs, 1);
    assert!(matches!(pool.retire(memory, Stamp::default()), Freed::OnStream | Freed::AtOnce));
}
#[test]
fn a_stream_whose_look_panicked_is_looked_at_again() {
    let driver = TestDriver::new(TestWords::Off);
    let options =
        PoolOptions { live_cap: Some(1.try_into().expect("not 0")), ..PoolOptions::default() };
    let pool = StreamPool::new(driver.clone(), options);
    for pumped in [false, true] {
        let mut lease = pool.acquire(key()).expect("a stream");
        pool.submit(&mut lease, "work").expect("work");
        drop(lease);
        driver.finish();
        driver.meanwhile(Refusable::Query, || panic!("a driver"));
        panics(|| match pumped {
            true => drop(pool.pump()),
            false => drop(pool.acquire(key())),
        });
    }
    pool.acquire(key()).expect("the same stream");
}
#[test]
fn a_condemned_stream_is_destroyed_or_counted_in_spite_of_a_panic() {
    for at in [Refusable::Query, Refusable::Destroy] {
        let (driver, pool) = pool(TestWords::Off);
        let mut lease = pool.reserve(key()).expect("a stream");
        pool.submit(&mut lease, "work").expect("work");
        drop(lease);
        driver.finish();
        driver.meanwhile(at, || panic!("a driver"));
        panics(|| pool.pump());
        pool.pump();
        let counts = pool.counts();
        let expected = if at == Refusable::Query { (1, 0) } else { (0, 1) };
        assert_eq!((counts.destroyed, counts.leaked), expected, "{at:?}");
        assert_eq!(pool.tally().live(), 0, "{at:?}");
    }
}
#[test]
fn a_host_wait_that_panics_keeps_no_stream() {
    let (driver, pool) = pool(TestWords::On);
    let mut lease = pool.reserve(key()).expect("a stream");
    let mut array = Stamp::default();
    array.add(pool.submit(&mut lease, "work").expect("work"), Access::Write);
    driver.meanwhile(Refusable::WaitProgress, || panic!("a driver"));
    panics(|| pool.synchronize(&array, Access::Write, std::time::Duration::ZERO));
    drop(lease);
    driver.finish();
    pool.pump();
    assert_eq!(pool.tally().live(), 0);
}
#[test]
fn graphs_and_what_they_pin_are_seen_to_in_spite_of_a_panic() {
    let (driver, pool) = pool(TestWords::On);
    let mut lease = pool.acquire(key()).expect("a stream");
    for raw in [0x98, 0x99] {
        let memory = pool.adopt(RawMemory::new(raw), Bytes::new(64), key());
        let pins = |scope: &mut CaptureScope<'_, _, _>| {
            scope.pin(&memory)?;
            Ok(())
        };
        drop(pool.capture(&mut lease, CaptureMode::Relaxed, pins).expect("a graph"));
        assert_eq!(
            pool.retire(memory, Stamp::default()),
            Freed::Deferred(Deferral::Pinned),
            "its graph is not destroyed yet"
        );
    }
    driver.meanwhile(Refusable::DestroyGraph, || panic!("a driver"));
    panics(|| pool.pump());
    pool.pump();
    assert_eq!(freed(&driver), [0x98, 0x99].map(RawMemory::new));
}
/// It may have been freed, and is not freed again.
#[test]
fn a_free_that_panics_is_counted_as_leaked() {
    let (driver, pool) = pool(TestWords::On);
    let lease = pool.acquire(key()).expect("a stream");
    let memory = pool.adopt(RawMemory::new(0x99), Bytes::new(64), key());
    driver.meanwhile(Refusable::Free, || panic!("a driver"));
    panics(|| pool.retire(memory, Stamp::default()));
    pool.pump();
    assert_eq!(pool.memory_counts().leaked, 1);
    assert_eq!(freed(&driver).len(), 1);
    drop(lease);
}
