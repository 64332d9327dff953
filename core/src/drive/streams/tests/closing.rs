//! The end of a pool, in spite of what the user's code does meanwhile.

use super::*;

/// Pumps when it is woken: somebody's executor does.
struct Pumps(Arc<StreamPool<TestDriver>>);
impl Wake for Pumps {
    fn wake(self: Arc<Self>) {
        let _pumped = self.0.pump();
    }
}
/// Gives memory up when it is dropped: an array in a buffer of work.
struct Retires(Arc<StreamPool<TestDriver>>, Option<crate::stream::Allocation>);
impl Drop for Retires {
    fn drop(&mut self) {
        let memory = self.1.take().expect("once");
        let _freed = self.0.retire(memory, Stamp::default());
    }
}
struct Bomb;
impl Wake for Bomb {
    fn wake(self: Arc<Self>) {
        panic!("a waker");
    }
}

#[test]
fn a_pump_while_the_pool_is_shut_down_ends_nothing() {
    let (driver, pool) = pool(TestWords::On);
    let pool = Arc::new(pool);
    let mut lease = pool.acquire(key()).expect("a stream");
    let memory = pool.allocate(&mut lease, Bytes::new(64)).expect("memory");
    let buffer = Retires(pool.clone(), Some(memory));
    drop(pool.submit_owning(&mut lease, buffer, |_| "copy").expect("work"));
    let mut future = pool.when_finished(pool.so_far(&lease));
    let waker = Waker::from(Arc::new(Pumps(pool.clone())));
    assert!(std::pin::Pin::new(&mut future).poll(&mut Context::from_waker(&waker)).is_pending());
    drop(lease);
    driver.finish();
    let left = pool.shutdown();
    assert_eq!((left.memory_leaked, left.buffers_leaked), (0, 0));
    assert_eq!(pool.memory_counts().leaked, 0, "given up while the driver may be called");
}
#[test]
fn a_waker_that_panics_keeps_nobody_waiting_for_a_stream() {
    let options =
        PoolOptions { live_cap: Some(1.try_into().expect("not 0")), ..PoolOptions::default() };
    let pool = StreamPool::new(TestDriver::new(TestWords::On), options);
    let mut lease = pool.acquire(key()).expect("a stream");
    pool.submit(&mut lease, "work").expect("work");
    let mut future = pool.when_finished(pool.so_far(&lease));
    let bomb = Waker::from(Arc::new(Bomb));
    assert!(std::pin::Pin::new(&mut future).poll(&mut Context::from_waker(&bomb)).is_pending());
    let woken = Arc::new(Woken(AtomicU8::new(0)));
    let mut wants = pool.acquire_async(key());
    let waker = Waker::from(woken.clone());
    assert!(std::pin::Pin::new(&mut wants).poll(&mut Context::from_waker(&waker)).is_pending());
    panics(|| pool.shutdown());
    assert_eq!(woken.0.load(Ordering::Relaxed), 1);
    assert!(matches!(poll(&mut wants), Poll::Ready(Err(StreamError::ShutDown))));
}
/// What a pump of an exiting process leaked is told by the shutdown.
#[test]
fn what_was_left_to_the_device_is_counted_once() {
    let (driver, pool) = pool(TestWords::On);
    let mut lease = pool.acquire(key()).expect("a stream");
    drop(pool.submit_owning(&mut lease, vec![1], |_| "copy").expect("work"));
    driver.becomes(DriverState::ShuttingDown);
    pool.pump();
    pool.pump();
    assert_eq!(pool.shutdown().buffers_leaked, 1);
}
