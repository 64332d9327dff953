//! Waiting for a stream at the hard cap.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

use ringfence::{
    backend::streams::StreamBackend,
    drive::{Attempt, StreamPool},
    error::StreamError,
    id::StreamKey,
    stream::{Lease, Shortage},
};

/// How long a wait sleeps at most before it looks by itself: a lease that is dropped wakes nobody, and there may
/// be no reaper to see it.
pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A stream of `key`; at the pool's hard cap the calling thread waits for one, up to `limit`.
///
/// It sleeps meanwhile, holds nothing, and is woken by whoever pumps. Without a [`Reaper`](crate::Reaper) it
/// looks again by itself every 5 ms.
///
/// # Errors
/// [`StreamError::Full`] when the limit passed; otherwise as [`StreamPool::acquire`].
///
/// ```
/// use std::{num::NonZeroU32, time::Duration};
/// use ringfence::{drive::StreamPool, error::StreamError, id::*, stream::PoolOptions};
/// use ringfence_mock::streams::{profile::DriverProfile, system::MockStreams};
/// use ringfence_threads::acquire_within;
///
/// let options = PoolOptions { live_cap: NonZeroU32::new(1), ..PoolOptions::default() };
/// let pool = StreamPool::new(MockStreams::new(DriverProfile::Hip57), options);
/// let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// let only = acquire_within(&pool, key, Duration::ZERO).expect("the first one");
/// let full = acquire_within(&pool, key, Duration::from_millis(1)).map(drop);
/// assert_eq!(full, Err(StreamError::Full { live: 1, cap: 1 }));
/// drop(only);
/// acquire_within(&pool, key, Duration::ZERO).expect("it is idle");
/// ```
pub fn acquire_within<B: StreamBackend, A>(
    pool: &StreamPool<B, A>,
    key: StreamKey,
    limit: Duration,
) -> Result<Lease<A>, StreamError> {
    // Whoever need not wait pays for no waker.
    let shortage = match pool.try_acquire(key)? {
        Attempt::Leased(lease) => return Ok(lease),
        Attempt::Full(shortage) => shortage,
    };
    block_on(pool.acquire_async(key), limit, LOOK_AGAIN).unwrap_or_else(|| {
        let Shortage::Full { live, cap } = shortage;
        Err(StreamError::Full { live, cap })
    })
}

/// Wakes a thread that waits.
struct Unpark(Thread);
impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Polls `future` on this thread until it is ready: when it is woken, and `every` so often besides. `None`: the
/// limit passed.
pub(super) fn block_on<F: Future>(
    future: F,
    limit: Duration,
    every: Duration,
) -> Option<F::Output> {
    let start = Instant::now();
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        let left = limit.checked_sub(start.elapsed()).filter(|left| !left.is_zero())?;
        // Woken for nothing, also by the user's own `unpark`: it only polls once more.
        thread::park_timeout(left.min(every));
    }
}

#[cfg(test)]
mod tests;
