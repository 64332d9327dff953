//! Work on arrays: who remembers it, whatever becomes of the submission.

use super::*;
use crate::{backend::streams::StreamWork, stream::Touch};

/// Two arrays that were used on a stream of their own each.
struct Bench {
    driver: TestDriver,
    pool: StreamPool<TestDriver>,
    lease: Lease,
    before: [Touch; 2],
    stamps: [Stamp; 2],
    _others: [Lease; 2],
}
impl Bench {
    fn new() -> Self {
        let (driver, pool) = pool(TestWords::On);
        let mut others = [0, 1].map(|_| pool.acquire(key()).expect("a stream"));
        let before = others.each_mut().map(|other| pool.submit(other, "before").expect("work"));
        let stamps = before.map(|touch| {
            let mut stamp = Stamp::default();
            stamp.add(touch, Access::Write);
            stamp
        });
        let lease = pool.acquire(key()).expect("a stream");
        driver.take_calls();
        Self { driver, pool, lease, before, stamps, _others: others }
    }
    /// Reads the first array and writes the second.
    fn runs<R>(
        &mut self,
        submit: impl FnOnce(&StreamPool<TestDriver>, &mut Lease) -> Result<R, StreamError>,
    ) -> Result<(R, Ordered), StreamError> {
        let Self { pool, lease, stamps: [read, written], .. } = self;
        let mut arrays = [ArrayUse::read(read), ArrayUse::write(written)];
        pool.run_after(lease, &mut arrays, |lease| submit(pool, lease))
    }
    /// The first remembers its writer and the new reader, the second the new writer alone.
    fn both_remember(&self) -> Touch {
        let [read, written] = self.stamps.each_ref().map(touches);
        let &[now] = &*written else { panic!("of {written:?}, more than the last writer") };
        assert_eq!(now.stream(), self.lease.stream());
        assert_eq!(read, [self.before[0], now]);
        now
    }
    fn waits(&self) -> usize {
        let is_wait = |call: &DriverCall| matches!(call, DriverCall::Wait(_));
        self.driver.take_calls().into_iter().filter(is_wait).count()
    }
}
fn touches(stamp: &Stamp) -> Vec<Touch> {
    stamp.touches(Access::Write).collect()
}

#[test]
fn work_follows_all_of_its_arrays_and_all_of_them_remember_it() {
    let mut bench = Bench::new();
    let Bench { pool, lease, stamps: [read, written], .. } = &mut bench;
    let mut arrays = [ArrayUse::read(read), ArrayUse::write(written)];
    let (touch, how) = pool.submit_after(lease, &mut arrays, "add").expect("work");
    assert_eq!(how, Ordered::OnDevice);
    assert_eq!(bench.waits(), 2);
    assert_eq!(bench.both_remember(), touch);
    let (last, how) = bench
        .runs(|pool, lease| {
            pool.submit(lease, "one")?;
            pool.submit(lease, "two")
        })
        .expect("work");
    assert_eq!((bench.both_remember(), how), (last, Ordered::OnDevice)); // the reader's writer runs on
}

#[test]
fn a_refused_submission_is_remembered_in_every_array() {
    let mut bench = Bench::new();
    let refused = bench.runs(|pool, lease| {
        pool.submit(lease, "half")?;
        Err::<(), _>(StreamError::Stale { stream: lease.stream() })
    });
    refused.expect_err("it says so");
    let half = bench.both_remember();
    assert!(!bench.pool.is_finished(half), "the half may run");
    bench.driver.finish();
    assert!(bench.pool.is_finished(half));
    bench.driver.refuse_next(Refusable::RestOfLaunch, DriverError::OutOfMemory(DriverCode::new(2)));
    let Bench { pool, lease, stamps: [read, written], .. } = &mut bench;
    let mut arrays = [ArrayUse::read(read), ArrayUse::write(written)];
    pool.submit_after(lease, &mut arrays, "two kernels").expect_err("the driver takes one of them");
    let part = bench.both_remember();
    assert!(part.position() > half.position() && !bench.pool.is_finished(part), "it may run");
}

/// Also what was submitted past the pool, which nobody counted.
#[test]
fn work_past_the_pool_is_remembered_in_every_array() {
    let mut bench = Bench::new();
    let driver = bench.driver.clone();
    let (raw, _how) = bench
        .runs(|pool, lease| {
            let raw = pool.expose(lease);
            driver.launch(raw, "of a library").expect("work");
            Ok(raw)
        })
        .expect("it returns");
    let touch = bench.both_remember();
    assert!(!bench.pool.is_finished(touch), "{raw:?} runs");
}

#[test]
fn a_panic_is_remembered_in_every_array() {
    let mut bench = Bench::new();
    panics(|| {
        bench.runs(|pool, lease| -> Result<(), StreamError> {
            pool.submit(lease, "half")?;
            panic!("half way")
        })
    });
    let half = bench.both_remember();
    assert!(!bench.pool.is_finished(half), "the half may run");
    panics(|| {
        let Bench { pool, lease, stamps: [read, written], .. } = &mut bench;
        let mut arrays = [ArrayUse::read(read), ArrayUse::write(written)];
        pool.submit_after(lease, &mut arrays, PANICS)
    });
    let all = bench.both_remember();
    assert!(all.position() > half.position());
    assert!(!bench.pool.is_finished(all), "what was submitted may run");
}

#[test]
fn an_order_that_is_refused_changes_no_stamp() {
    let mut bench = Bench::new();
    let before = bench.stamps.clone();
    bench.driver.refuse_next(Refusable::Wait, BAD);
    let refused = bench.runs(|_, _| -> Result<(), StreamError> { panic!("it is not called") });
    refused.expect_err("the driver refuses the wait");
    assert_eq!(bench.stamps, before);
    // The first is followed, the second is not.
    let elsewhere = StreamPool::new(bench.driver.clone(), PoolOptions::default());
    let mut other = elsewhere.acquire(key()).expect("a stream");
    let theirs = elsewhere.submit(&mut other, "work").expect("work");
    bench.stamps[1].add(theirs, Access::Read);
    let before = bench.stamps.clone();
    let refused = bench.runs(|_, _| -> Result<(), StreamError> { panic!("it is not called") });
    assert!(matches!(refused, Err(StreamError::OtherPool { .. })), "{refused:?}");
    assert_eq!(bench.stamps, before);
}

/// Two writers that follow nobody, of two halves of an array perhaps.
#[test]
fn memory_is_freed_after_every_writer_that_nobody_followed() {
    let (driver, pool) = pool(TestWords::On);
    let [mut one, mut other] = [0, 1].map(|_| pool.acquire(key()).expect("a stream"));
    let memory = pool.adopt(RawMemory::new(0x1000), Bytes::new(64), key());
    let mut uses = memory.stamp();
    uses.add(pool.submit(&mut one, "left half").expect("work"), Access::Write);
    uses.add(pool.submit(&mut other, "right half").expect("work"), Access::Write);
    driver.take_calls();
    assert_eq!(pool.retire(memory, uses), Freed::OnDisposal);
    let calls = driver.take_calls();
    let waits = calls.iter().filter(|call| matches!(call, DriverCall::Wait(_))).count();
    assert_eq!(waits, 2, "after both: {calls:?}");
}
