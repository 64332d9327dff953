//! Creations in progress hold nobody up (T4, T5): a task that can reuse a stream never waits for a driver
//! that is busy creating others.

use std::{
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use ringfence::{
    drive::StreamPool,
    id::{DeviceContext, DeviceId, Priority, StreamKey},
    stream::PoolOptions,
};
use ringfence_mock::streams::{profile::DriverProfile, system::MockStreams};

/// Tasks that touch the device for the first time, all at once.
const FIRST_TOUCHES: u32 = 64;
/// Leases of the stream that is there.
const LEASES: usize = 1_000;

/// Holds every creation up until it is opened.
#[derive(Default)]
struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
    waiting: AtomicU32,
}
impl Gate {
    fn pass(&self) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let open = self.open.lock().expect("nobody panics");
        drop(self.opened.wait_while(open, |open| !*open).expect("nobody panics"));
    }
    fn open(&self) {
        *self.open.lock().expect("nobody panics") = true;
        self.opened.notify_all();
    }
}

fn key() -> StreamKey {
    StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
}
/// How long each of the leases took while all creations stood still, in order; `None`: not one came back
/// within `patience`.
fn leases_during_creations(patience: Duration) -> Option<Vec<Duration>> {
    let driver = MockStreams::new(DriverProfile::Hip57);
    let pool = Arc::new(StreamPool::new(driver.clone(), PoolOptions::default()));
    drop(pool.acquire(key()).expect("the stream that is there"));
    let gate = Arc::new(Gate::default());
    let held_up = gate.clone();
    driver.on_create(Some(Box::new(move |_| held_up.pass())));
    let high = key().with_priority(Priority::High);
    let creators: Vec<_> = (0..FIRST_TOUCHES)
        .map(|_| {
            let pool = pool.clone();
            // A planted fault is on for one thread: these get the one of the test.
            let planted = planted::now();
            thread::spawn(move || planted::with(planted, || pool.acquire(high).map(drop)))
        })
        .collect();
    while gate.waiting.load(Ordering::SeqCst) < planted::expected_in_creation(FIRST_TOUCHES) {
        thread::yield_now();
    }
    let before = driver.now();
    let (done, finished) = mpsc::channel();
    let leasing = pool.clone();
    let tenant = thread::spawn(move || {
        let times = (0..LEASES).map(|_| {
            let start = Instant::now();
            drop(leasing.acquire(key()).expect("it is idle"));
            start.elapsed()
        });
        // Nobody listens any more when patience ran out.
        let _sent = done.send(times.collect::<Vec<_>>());
    });
    let times = finished.recv_timeout(patience).ok();
    let ticks = driver.now();
    gate.open();
    tenant.join().expect("the tenant");
    for creator in creators {
        creator.join().expect("a creator").expect("a stream was created");
    }
    let created = pool.counts().created;
    assert!(created <= u64::from(FIRST_TOUCHES) + 1, "{created} streams");
    if times.is_some() {
        assert_eq!(before, ticks, "virtual time passed for somebody who had nothing to wait for");
    }
    times
}

#[test]
fn who_can_reuse_never_waits_for_a_creation() {
    let mut times =
        leases_during_creations(Duration::from_secs(60)).expect("nothing holds them up");
    times.sort();
    let p99 = times[LEASES * 99 / 100];
    println!("{LEASES} leases with {FIRST_TOUCHES} creations pending: p99 {p99:?}");
    assert!(p99 < Duration::from_millis(10), "p99 is {p99:?}");
}

/// The same with every creation under the pool's lock: it is noticed.
#[cfg(feature = "planted")]
#[test]
fn a_creation_under_the_lock_is_noticed() {
    let fault = ringfence::plant::Fault::CreateUnderLock;
    let times = ringfence::plant::with(fault, || leases_during_creations(Duration::from_secs(2)));
    assert!(times.is_none(), "a task waited for nothing although the pool was locked");
}

#[cfg(feature = "planted")]
mod planted {
    use ringfence::plant::{self, Fault};

    /// Of the faults that matter here, the one that is planted on this thread.
    pub(crate) fn now() -> Option<Fault> {
        plant::is(Fault::CreateUnderLock).then_some(Fault::CreateUnderLock)
    }
    pub(crate) fn with<T>(fault: Option<Fault>, body: impl FnOnce() -> T) -> T {
        match fault {
            Some(fault) => plant::with(fault, body),
            None => body(),
        }
    }
    /// Under a lock they create one after another.
    pub(crate) fn expected_in_creation(all: u32) -> u32 {
        if now().is_some() { 1 } else { all }
    }
}
#[cfg(not(feature = "planted"))]
mod planted {
    /// Nothing is planted in this build.
    #[derive(Clone, Copy)]
    pub(crate) struct Nothing;

    pub(crate) fn now() -> Nothing {
        Nothing
    }
    pub(crate) fn with<T>(_: Nothing, body: impl FnOnce() -> T) -> T {
        body()
    }
    pub(crate) fn expected_in_creation(all: u32) -> u32 {
        all
    }
}
