//! A thread's own streams.

use std::{
    any::Any,
    cell::RefCell,
    sync::{Arc, Weak},
    time::Duration,
};

use ringfence::{
    backend::streams::{DriverState, StreamBackend},
    drive::StreamPool,
    error::StreamError,
    id::StreamKey,
    stream::Lease,
    task::{Task, TaskError},
};

use super::waiting::{self, LOOK_AGAIN};

std::thread_local! {
    static MINE: RefCell<Mine> = const { RefCell::new(Mine(Vec::new())) };
}

/// The calling thread's streams, over all pools that it used: few.
struct Mine(Vec<Box<dyn OfPool>>);

/// The calling thread's streams of one pool.
struct Streams<B, A> {
    /// Also keeps the pool's address from being another pool's.
    pool: Weak<StreamPool<B, A>>,
    /// One a key.
    tasks: Vec<(StreamKey, Task<A>)>,
}
/// What may be asked of them whatever the pool's types are.
trait OfPool: Any {
    fn is_over(&self) -> bool;
    fn as_any(&mut self) -> &mut dyn Any;
}
impl<B: 'static, A: Send + 'static> OfPool for Streams<B, A> {
    fn is_over(&self) -> bool {
        self.pool.strong_count() == 0
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

impl Mine {
    fn of<B: 'static, A: Send + 'static>(
        &mut self,
        pool: &Arc<StreamPool<B, A>>,
    ) -> Option<&mut Streams<B, A>> {
        let address = Arc::as_ptr(pool);
        let mut streams = self.0.iter_mut().filter_map(|one| one.as_any().downcast_mut());
        streams.find(|one: &&mut Streams<B, A>| one.pool.as_ptr() == address)
    }
    /// Takes out what belongs to pools that are gone.
    fn take_over(&mut self) -> Vec<Box<dyn OfPool>> {
        self.0.extract_if(.., |one| one.is_over()).collect()
    }
}

/// The calling thread as a task of this pool and key. On a thread that is past its thread-locals it is a task for
/// this call alone.
pub(super) fn task_of<B: 'static, A: Send + 'static>(
    pool: &Arc<StreamPool<B, A>>,
    key: StreamKey,
) -> Task<A> {
    let found = MINE.try_with(|mine| {
        let mut mine = mine.borrow_mut();
        if let Some(streams) = mine.of(pool) {
            if let Some((_, task)) = streams.tasks.iter().find(|(one, _)| *one == key) {
                return (task.clone(), Vec::new());
            }
            let task = Task::new(key);
            streams.tasks.push((key, task.clone()));
            return (task, Vec::new());
        }
        let over = mine.take_over();
        let task = Task::new(key);
        let tasks = vec![(key, task.clone())];
        mine.0.push(Box::new(Streams { pool: Arc::downgrade(pool), tasks }));
        (task, over)
    });
    match found {
        Ok((task, over)) => {
            drop(over); // with nothing borrowed: attachments may have destructors of their own
            task
        }
        Err(_) => Task::new(key),
    }
}

/// Whether the driver may be called: a thread that has a stream already would not ask the pool.
pub(super) fn usable<B: StreamBackend, A>(pool: &StreamPool<B, A>) -> Result<(), StreamError> {
    match pool.driver().state() {
        DriverState::Ready => Ok(()),
        DriverState::Lost => Err(StreamError::DeviceLost),
        DriverState::Forked => Err(StreamError::Forked),
        DriverState::ShuttingDown => Err(StreamError::ShutDown),
    }
}

/// Calls `body` with the calling thread's own stream of this pool and key. It is acquired at the first call and
/// stays the thread's until the thread exits, or [gives it back](give_back); then it drains, and is
/// handed on once its work is finished. No driver is called for that. After a `join` of the thread it has come
/// back; the end of a [`std::thread::scope`] alone does not wait for it.
///
/// Streams of several keys are not ordered with each other: order them with stamps, or switch keys of one
/// [`TaskStreams`](ringfence::task::TaskStreams).
///
/// Answers with what `body` returned.
///
/// # Errors
/// [`TaskError::InUse`] inside another such call for the same pool and key; as [`StreamPool::acquire`].
///
/// ```
/// # use std::sync::Arc;
/// # use ringfence::{drive::StreamPool, id::*, stream::PoolOptions, task::TaskError};
/// # use ringfence_mock::{clock::Ticks, streams::{op::StreamOp, profile::DriverProfile, system::MockStreams}};
/// use ringfence_threads::with_stream;
/// # let pool = Arc::new(StreamPool::new(MockStreams::new(DriverProfile::Hip57), PoolOptions::default()));
/// # let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// let kernel = StreamOp::new("axpy", Ticks::new(20));
/// let first = with_stream(&pool, key, |lease| pool.submit(lease, kernel.clone()))??;
/// let second = with_stream(&pool, key, |lease| pool.submit(lease, kernel))??;
/// assert_eq!(first.stream(), second.stream()); // this thread's own, from wherever it asks
/// # Ok::<(), TaskError>(())
/// ```
pub fn with_stream<B, A, R>(
    pool: &Arc<StreamPool<B, A>>,
    key: StreamKey,
    body: impl FnOnce(&mut Lease<A>) -> R,
) -> Result<R, TaskError>
where
    B: StreamBackend + 'static,
    A: Send + 'static,
{
    usable(pool)?;
    lent(&task_of(pool, key), pool, body)
}
/// The same, but at the pool's hard cap the first call waits for a stream, as [`acquire_within`] does.
///
/// [`acquire_within`]: super::acquire_within
///
/// # Errors
/// As [`with_stream`]; [`StreamError::Full`] when the limit passed.
///
/// ```
/// # use std::{num::NonZeroU32, sync::Arc, time::Duration};
/// # use ringfence::{drive::StreamPool, error::StreamError, id::*, stream::PoolOptions, task::TaskError};
/// # use ringfence_mock::streams::{profile::DriverProfile, system::MockStreams};
/// use ringfence_threads::with_stream_within;
/// # let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// let options = PoolOptions { live_cap: NonZeroU32::new(1), ..PoolOptions::default() };
/// let pool = Arc::new(StreamPool::new(MockStreams::new(DriverProfile::Hip57), options));
/// let all_there_is = pool.acquire(key)?;
/// let stream = || with_stream_within(&pool, key, Duration::from_millis(2), |lease| lease.stream());
/// assert_eq!(stream(), Err(TaskError::Stream(StreamError::Full { live: 1, cap: 1 })));
/// drop(all_there_is);
/// assert!(stream().is_ok());
/// # Ok::<(), TaskError>(())
/// ```
pub fn with_stream_within<B, A, R>(
    pool: &Arc<StreamPool<B, A>>,
    key: StreamKey,
    limit: Duration,
    body: impl FnOnce(&mut Lease<A>) -> R,
) -> Result<R, TaskError>
where
    B: StreamBackend + 'static,
    A: Send + 'static,
{
    usable(pool)?;
    let task = task_of(pool, key);
    if let Some(ready) = waiting::block_on(task.ready(pool), limit, LOOK_AGAIN) {
        ready?;
    }
    lent(&task, pool, body) // a full pool says so here
}
/// Calls `body` with the task's stream.
pub(super) fn lent<B: StreamBackend, A, R>(
    task: &Task<A>,
    pool: &StreamPool<B, A>,
    body: impl FnOnce(&mut Lease<A>) -> R,
) -> Result<R, TaskError> {
    let done = task.with(|streams| -> Result<R, StreamError> { Ok(body(streams.lease(pool)?)) });
    Ok(done??)
}
/// Gives back all streams that the calling thread has of this pool, before it exits. Calls no driver. One that
/// is in use, by a call further up, comes back when that call returns.
///
/// ```
/// # use std::sync::Arc;
/// # use ringfence::{drive::StreamPool, id::*, stream::PoolOptions, task::TaskError};
/// # use ringfence_mock::streams::{profile::DriverProfile, system::MockStreams};
/// use ringfence_threads::{give_back, with_stream};
/// # let pool = Arc::new(StreamPool::new(MockStreams::new(DriverProfile::Hip57), PoolOptions::default()));
/// # let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// with_stream(&pool, key, |_lease| ())?;
/// assert_eq!(pool.tally().leased, 1); // this thread's, whether it is used or not
/// give_back(&pool); // before the thread does something else for long
/// assert_eq!(pool.tally().leased, 0);
/// # Ok::<(), TaskError>(())
/// ```
pub fn give_back<B: 'static, A: Send + 'static>(pool: &Arc<StreamPool<B, A>>) {
    let taken = MINE.try_with(|mine| {
        let mut mine = mine.borrow_mut();
        mine.of(pool).map(|streams| std::mem::take(&mut streams.tasks))
    });
    drop(taken);
}

#[cfg(test)]
mod tests;
