//! A task's streams as a handle.

use std::fmt;

use super::{TaskError, TaskStreams};
use crate::{
    backend::streams::StreamBackend,
    drive::StreamPool,
    id::StreamKey,
    stream::Lease,
    sync::{Arc, Mutex},
};

/// A task's [`TaskStreams`] as a handle: clones are the same task.
///
/// The streams come back when the last clone is dropped, wherever that is; no driver is called (T10).
///
/// One call at a time uses the streams. They are taken out for it, and no lock is held while it runs: a
/// second call meanwhile is answered with [`TaskError::InUse`], and never waits.
///
/// ```
/// use ringfence::{id::*, task::{Task, TaskError}};
/// let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// let task: Task = Task::new(key);
/// let same = task.clone(); // for a table, or another thread
/// assert_eq!(same.with(|streams| streams.key()), Ok(key));
/// let nested = task.with(|_streams| same.with(|streams| streams.count()));
/// assert_eq!(nested, Ok(Err(TaskError::InUse))); // an answer, and no deadlock
/// ```
pub struct Task<A = ()>(Arc<Held<A>>);

/// `None` while a call uses the streams.
pub(super) struct Held<A>(Mutex<Option<Box<TaskStreams<A>>>>);

impl<A> Task<A> {
    /// A task that will use streams of `key`. Creates nothing.
    pub fn new(key: StreamKey) -> Self {
        Self::with_streams(TaskStreams::new(key))
    }
    /// A task with these streams.
    pub fn with_streams(streams: TaskStreams<A>) -> Self {
        Self(Arc::new(Held(Mutex::new(Some(Box::new(streams))))))
    }
    /// Calls `body` with the task's streams, and answers with what it returned: also an error of the caller's own.
    ///
    /// # Errors
    /// [`TaskError::InUse`] when another call has them.
    ///
    /// ```
    /// # use ringfence::{backend::streams::*, drive::StreamPool, error::StreamError, stream::Touch, task::*};
    /// enum Failure {
    ///     Streams(TaskError),
    ///     NoKernel(String),
    /// }
    /// impl From<TaskError> for Failure {
    ///     fn from(error: TaskError) -> Self {
    ///         Self::Streams(error)
    ///     }
    /// }
    /// # fn submit<B>(pool: &StreamPool<B>, task: &Task, find: impl Fn(&str) -> Option<B::Work>) -> Result<Touch, Failure>
    /// # where
    /// #     B: StreamBackend + StreamWork,
    /// # {
    /// task.with(|streams| {
    ///     let kernel = find("axpy").ok_or_else(|| Failure::NoKernel("axpy".into()))?;
    ///     Ok(streams.submit(pool, kernel).map_err(TaskError::from)?)
    /// })? // no streams
    /// # }
    /// ```
    pub fn with<R>(&self, body: impl FnOnce(&mut TaskStreams<A>) -> R) -> Result<R, TaskError> {
        let streams = self.0.0.lock().take().ok_or(TaskError::InUse)?;
        let mut out = Out { of: &self.0, streams: Some(streams) };
        match &mut out.streams {
            Some(streams) => Ok(body(streams)),
            None => Err(TaskError::InUse),
        }
    }
    /// Makes sure that the task has its stream of the current key; at the pool's hard cap it waits for one.
    /// Neither a lock nor the streams are held meanwhile. It needs somebody who pumps.
    ///
    /// # Errors
    /// As [`with`](Self::with) and [`StreamPool::acquire_async`].
    ///
    /// ```
    /// # use ringfence::{backend::streams::*, drive::StreamPool, stream::Touch, task::*};
    /// # async fn first<B>(pool: &StreamPool<B>, task: &Task) -> Result<Touch, TaskError>
    /// # where
    /// #     B: StreamBackend + StreamWork<Work = &'static str>,
    /// # {
    /// task.ready(pool).await?; // where a full pool makes it wait
    /// Ok(task.with(|streams| streams.submit(pool, "axpy"))??) // has its stream
    /// # }
    /// ```
    pub async fn ready<B: StreamBackend>(&self, pool: &StreamPool<B, A>) -> Result<(), TaskError> {
        let wanted = self.with(|streams| {
            let wants = streams.usable_place().is_none();
            wants.then(|| streams.key())
        })?;
        let Some(key) = wanted else { return Ok(()) };
        let lease = pool.acquire_async(key).await?;
        self.keep(lease)
    }
    /// Makes `lease` the task's stream of its key. Where the task got one meanwhile, this one goes back unused.
    pub(super) fn keep(&self, lease: Lease<A>) -> Result<(), TaskError> {
        self.with(|streams| drop(streams.keep(lease)))
    }
    #[cfg(not(ringfence_loom))]
    pub(super) fn held(&self) -> &Arc<Held<A>> {
        &self.0
    }
    #[cfg(not(ringfence_loom))]
    pub(super) fn of(held: Arc<Held<A>>) -> Self {
        Self(held)
    }
}

/// Streams in use: put back when the call is over, also when it unwinds.
struct Out<'a, A> {
    of: &'a Held<A>,
    streams: Option<Box<TaskStreams<A>>>,
}
impl<A> Drop for Out<'_, A> {
    fn drop(&mut self) {
        *self.of.0.lock() = self.streams.take();
    }
}

impl<A> Clone for Task<A> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}
/// The same task, not an equal one.
impl<A> PartialEq for Task<A> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl<A> Eq for Task<A> {}
impl<A> fmt::Debug for Task<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0.0.lock() {
            Some(streams) => f.debug_tuple("Task").field(streams).finish(),
            None => f.write_str("Task, in use"),
        }
    }
}
