//! A reaper, and what becomes of it.

use std::{
    sync::{Arc, mpsc},
    task::{Context, Wake, Waker},
    thread,
    time::{Duration, Instant},
};

use ringfence::{
    drive::StreamPool,
    id::{DeviceContext, DeviceId, StreamKey},
    stream::PoolOptions,
};
use ringfence_mock::{
    clock::Ticks,
    streams::{op::StreamOp, profile::DriverProfile, system::MockStreams},
};

use super::{Period, Reaped, Reaper};

/// Longer than any test may take.
const LONG: Duration = Duration::from_secs(60);

type Pool = Arc<StreamPool<MockStreams>>;

fn key() -> StreamKey {
    StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
}
fn pool() -> (MockStreams, Pool) {
    let driver = MockStreams::new(DriverProfile::Hip57);
    let pool = Arc::new(StreamPool::new(driver.clone(), PoolOptions::default()));
    (driver, pool)
}
/// Says so when it is dropped.
struct Says(mpsc::Sender<()>);
impl Drop for Says {
    fn drop(&mut self) {
        let _nobody_listens = self.0.send(());
    }
}
/// Finished work whose buffer only a pump lets go of.
fn leave_to_a_pump(driver: &MockStreams, pool: &Pool) -> mpsc::Receiver<()> {
    let (said, hears) = mpsc::channel();
    let mut lease = pool.acquire(key()).expect("a stream");
    let copy = StreamOp::new("copy", Ticks::new(20));
    drop(pool.submit_owning(&mut lease, Says(said), |_| copy).expect("it works"));
    assert!(hears.try_recv().is_err(), "the device still uses it");
    driver.run_until_idle();
    hears
}
/// Waits until nobody but the caller knows the pool: the reaper's thread has ended.
fn thread_ends(pool: &Pool) {
    let start = Instant::now();
    while Arc::weak_count(pool) > 0 {
        assert!(start.elapsed() < LONG, "the thread is still there");
        thread::yield_now();
    }
}

#[test]
fn it_pumps_by_itself() {
    let (driver, pool) = pool();
    let reaper = Reaper::spawn(&pool, Period::default()).expect("a thread");
    leave_to_a_pump(&driver, &pool).recv_timeout(LONG).expect("pumped");
    assert!(reaper.stop().expect("this process").pumps > 0);
    assert_eq!(driver.violations(), []);
}

#[test]
fn it_pumps_when_it_is_asked() {
    let (driver, pool) = pool();
    let period = Period { pump: 10 * LONG, trim: 10 * LONG };
    let reaper = Reaper::spawn(&pool, period).expect("a thread");
    let hears = leave_to_a_pump(&driver, &pool);
    reaper.pump_now();
    hears.recv_timeout(LONG).expect("pumped");
    assert_eq!(reaper.stop().expect("this process").pumps, 1);
}

#[test]
fn it_trims() {
    let (driver, pool) = pool();
    drop(pool.acquire(key()).expect("a stream"));
    let period = Period { trim: Duration::ZERO, ..Period::default() };
    let reaper = Reaper::spawn(&pool, period).expect("a thread");
    let start = Instant::now();
    while pool.tally().live() > 0 {
        assert!(start.elapsed() < LONG, "never trimmed");
        thread::yield_now();
    }
    reaper.stop();
    assert_eq!(driver.violations(), []);
}

#[test]
fn a_drop_ends_the_thread_and_does_not_wait_for_it() {
    let (driver, pool) = pool();
    let period = Period { pump: 10 * LONG, trim: 10 * LONG };
    let reaper = Reaper::spawn(&pool, period).expect("a thread");
    // The pump stands still in the middle, until the drop has returned.
    let (enter, entered) = mpsc::channel();
    let (leave, left) = mpsc::channel::<()>();
    struct Stands(mpsc::Sender<()>, mpsc::Receiver<()>);
    impl Drop for Stands {
        fn drop(&mut self) {
            self.0.send(()).expect("the test waits");
            self.1.recv_timeout(LONG).expect("the drop of the reaper returns");
        }
    }
    let mut lease = pool.acquire(key()).expect("a stream");
    let copy = StreamOp::new("copy", Ticks::new(20));
    drop(pool.submit_owning(&mut lease, Stands(enter, left), |_| copy).expect("it works"));
    driver.run_until_idle();
    reaper.pump_now();
    entered.recv_timeout(LONG).expect("it pumps");
    drop(reaper);
    leave.send(()).expect("the pump stands");
    thread_ends(&pool);
}

#[test]
fn it_ends_with_its_pool() {
    let (driver, pool) = pool();
    let reaper = Reaper::spawn(&pool, Period::default()).expect("a thread");
    drop(pool);
    let ended = reaper.stop();
    assert!(ended.is_some());
    assert_eq!(driver.violations(), []);
}

#[test]
fn a_forked_child_leaves_the_thread_alone() {
    // The same process calls itself a child: what it forgets goes on.
    let (driver, pool) = pool();
    let child = || {
        let mut reaper = Reaper::spawn(&pool, Period::default()).expect("a thread");
        reaper.process = reaper.process.wrapping_add(1);
        reaper
    };
    let reaper = child();
    reaper.pump_now();
    assert_eq!(reaper.stop(), None);
    drop(child());
    leave_to_a_pump(&driver, &pool).recv_timeout(LONG).expect("a thread still pumps");
    assert_eq!(Arc::weak_count(&pool), 2, "both threads are there");
}

/// A buffer whose destructor panics with these words, after it told the test.
struct Bomb(&'static str, mpsc::Sender<()>);
impl Drop for Bomb {
    fn drop(&mut self) {
        let _nobody_listens = self.1.send(());
        panic!("{}", self.0);
    }
}
/// A waiter that panics when it is woken, after it told the test.
struct Grumbles(mpsc::Sender<()>);
impl Wake for Grumbles {
    fn wake(self: Arc<Self>) {
        let _nobody_listens = self.0.send(());
        panic!("not now");
    }
}

#[test]
fn a_pump_that_panics_does_not_end_it() {
    let (driver, pool) = pool();
    let reaper = Reaper::spawn(&pool, Period { trim: 10 * LONG, ..Period::default() });
    let reaper = reaper.expect("a thread");
    for says in ["the first", "the second"] {
        let mut lease = pool.acquire(key()).expect("a stream");
        let copy = StreamOp::new("copy", Ticks::new(20));
        let (said, hears) = mpsc::channel();
        drop(pool.submit_owning(&mut lease, Bomb(says, said), |_| copy).expect("it works"));
        drop(lease);
        driver.run_until_idle();
        hears.recv_timeout(LONG).expect("pumped");
        // A later pump does its work.
        leave_to_a_pump(&driver, &pool).recv_timeout(LONG).expect("pumped");
    }
    let reaped = reaper.stop().expect("this process");
    assert_eq!((reaped.panics, reaped.first_panic.as_deref()), (2, Some("the first")));
    assert!(reaped.pumps >= 4, "{reaped:?}");
    assert_eq!(driver.violations(), []);
}

#[test]
fn a_waker_that_panics_does_not_end_it() {
    let (driver, pool) = pool();
    let reaper = Reaper::spawn(&pool, Period::default()).expect("a thread");
    let mut lease = pool.acquire(key()).expect("a stream");
    let touch = pool.submit(&mut lease, StreamOp::new("axpy", Ticks::new(20))).expect("it works");
    let mut finished = Box::pin(pool.when_finished(touch));
    let (said, hears) = mpsc::channel();
    let waker = Waker::from(Arc::new(Grumbles(said)));
    assert!(finished.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    driver.run_until_idle();
    hears.recv_timeout(LONG).expect("woken");
    leave_to_a_pump(&driver, &pool).recv_timeout(LONG).expect("pumped");
    let reaped = reaper.stop().expect("this process");
    assert_eq!((reaped.panics, reaped.first_panic.as_deref()), (1, Some("not now")));
}

#[test]
fn a_panic_without_a_text_is_counted() {
    let mut reaped = Reaped::default();
    reaped.note(Box::new(7_u32));
    reaped.note(Box::new(Bomb("in the payload", mpsc::channel().0)));
    reaped.note(Box::new("late".to_owned()));
    assert_eq!((reaped.panics, reaped.first_panic.as_deref()), (3, Some("")));
}
