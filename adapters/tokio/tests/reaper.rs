//! The reaper, on a clock that a test moves.

use std::{
    sync::Arc,
    task::{Context, Wake, Waker},
    time::Duration,
};

use ringfence::{
    backend::streams::StreamBackend,
    drive::StreamPool,
    id::{DeviceContext, DeviceId, StreamKey},
    stream::PoolOptions,
};
use ringfence_mock::{
    clock::Ticks,
    streams::{op::StreamOp, profile::DriverProfile, system::MockStreams},
};
use ringfence_tokio::{Period, Reaper};
use tokio::{
    runtime::Handle,
    task::yield_now,
    time::{sleep, timeout},
};

fn key() -> StreamKey {
    StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
}
fn pool() -> (MockStreams, Arc<StreamPool<MockStreams>>) {
    let driver = MockStreams::new(DriverProfile::Hip57);
    let pool = Arc::new(StreamPool::new(driver.clone(), PoolOptions::default()));
    (driver, pool)
}
/// Virtual time of the runtime passes until nothing else runs on it, or the limit is reached.
async fn all_tasks_end() {
    for _ in 0..1_000 {
        if Handle::current().metrics().num_alive_tasks() == 0 {
            return;
        }
        sleep(Duration::from_millis(1)).await;
    }
    panic!("a task is still there");
}
fn is_sendable<B: StreamBackend + Send + Sync>(_: &StreamPool<B>) {}

#[tokio::test(start_paused = true)]
async fn it_wakes_who_waits_for_the_device() {
    let (driver, pool) = pool();
    is_sendable(&pool);
    let reaper = Reaper::spawn(&pool, Period::default());
    let mut lease = pool.acquire(key()).expect("a stream");
    let copy = StreamOp::new("copy", Ticks::new(20));
    let copy = pool.submit_owning(&mut lease, vec![1_u8; 4], |_| copy).expect("it works");
    driver.run_until_idle();
    assert_eq!(copy.await.expect("the device is there"), [1; 4]);
    let reaped = reaper.stop().await.expect("the runtime is there");
    assert!(reaped.pumps >= 1);
    assert_eq!(driver.violations(), []);
}

#[tokio::test(start_paused = true)]
async fn it_trims_what_nobody_wants() {
    let (driver, pool) = pool();
    let period = Period { pump: Duration::from_millis(100), ..Period::default() };
    let reaper = Reaper::spawn(&pool, period);
    let leases: Vec<_> = (0..4).map(|_| pool.acquire(key()).expect("a stream")).collect();
    drop(leases);
    assert_eq!(pool.tally().live(), 4);
    sleep(period.trim / 2).await;
    assert_eq!(pool.tally().live(), 4, "not yet");
    sleep(4 * period.trim).await;
    assert_eq!(pool.tally().live(), 0);
    let reaped = reaper.stop().await.expect("the runtime is there");
    assert_eq!(reaped.trimmed + reaped.destroyed, 4, "{reaped:?}");
    assert_eq!(driver.violations(), []);
}

#[tokio::test(start_paused = true)]
async fn it_ends_when_it_is_dropped() {
    let (_driver, pool) = pool();
    let reaper = Reaper::spawn(&pool, Period::default());
    yield_now().await;
    assert_eq!(Handle::current().metrics().num_alive_tasks(), 1);
    drop(reaper);
    all_tasks_end().await;
    assert_eq!(Arc::strong_count(&pool), 1);
}

#[tokio::test(start_paused = true)]
async fn it_ends_with_its_pool() {
    let (_driver, pool) = pool();
    let reaper = Reaper::spawn(&pool, Period::default());
    sleep(Duration::from_millis(10)).await;
    drop(pool);
    all_tasks_end().await;
    let reaped = reaper.stop().await.expect("the runtime is there");
    assert!(reaped.pumps > 0, "{reaped:?}");
}

/// A buffer whose destructor panics, and says this.
struct Bomb(&'static str);
impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("{}", self.0);
    }
}
/// A waiter that panics when it is woken.
struct Grumbles;
impl Wake for Grumbles {
    fn wake(self: Arc<Self>) {
        panic!("not now");
    }
}
/// A task that waits for the device gets its buffer back: somebody pumps.
async fn it_pumps(driver: &MockStreams, pool: &Arc<StreamPool<MockStreams>>) {
    let mut lease = pool.acquire(key()).expect("a stream");
    let copy = StreamOp::new("copy", Ticks::new(20));
    let copy = pool.submit_owning(&mut lease, vec![1_u8; 4], |_| copy).expect("it works");
    driver.run_until_idle();
    let back = timeout(Duration::from_secs(60), copy).await.expect("a pump wakes it");
    assert_eq!(back.expect("the device is there"), [1; 4]);
}

#[tokio::test(start_paused = true)]
async fn a_pump_that_panics_does_not_end_it() {
    let (driver, pool) = pool();
    let reaper = Reaper::spawn(&pool, Period::default());
    for says in ["the first", "the second"] {
        let mut lease = pool.acquire(key()).expect("a stream");
        let copy = StreamOp::new("copy", Ticks::new(20));
        drop(pool.submit_owning(&mut lease, Bomb(says), |_| copy).expect("it works"));
        drop(lease);
        driver.run_until_idle();
        sleep(Duration::from_millis(10)).await;
        it_pumps(&driver, &pool).await;
    }
    let reaped = reaper.stop().await.expect("the runtime is there");
    assert_eq!((reaped.panics, reaped.first_panic.as_deref()), (2, Some("the first")));
    assert_eq!(driver.violations(), []);
}

#[tokio::test(start_paused = true)]
async fn a_waker_that_panics_does_not_end_it() {
    let (driver, pool) = pool();
    let reaper = Reaper::spawn(&pool, Period::default());
    let mut lease = pool.acquire(key()).expect("a stream");
    let touch = pool.submit(&mut lease, StreamOp::new("axpy", Ticks::new(20))).expect("it works");
    let mut finished = Box::pin(pool.when_finished(touch));
    let waker = Waker::from(Arc::new(Grumbles));
    assert!(finished.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    driver.run_until_idle();
    sleep(Duration::from_millis(10)).await;
    it_pumps(&driver, &pool).await;
    let reaped = reaper.stop().await.expect("the runtime is there");
    assert_eq!((reaped.panics, reaped.first_panic.as_deref()), (1, Some("not now")));
}
