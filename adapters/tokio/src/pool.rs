//! A pool of streams whose users are tokio tasks.

use std::{fmt, sync::Arc};

use ringfence::{
    backend::streams::{StreamBackend, StreamWork},
    drive::{InFlight, StreamPool},
    id::StreamKey,
    stream::{Access, Touch},
    task::{Task, TaskError, TaskStreams, attach, current, with_current},
};
use tokio::task::JoinHandle;

/// A pool of streams whose users are tokio tasks: each future that it [spawns](Self::spawn) or
/// [scopes](Self::scope) has streams of its own. Clones are the same pool.
///
/// Calls from inside such a future find its streams wherever they are made, on any worker. What a future
/// starts with `tokio::spawn` is another task, and needs a [`spawn`](Self::spawn) of its own; futures that
/// are polled within it (`join!`, `select!`) are parts of the same task, and share its stream.
///
/// ```
/// # use std::sync::Arc;
/// # use ringfence::{drive::StreamPool, id::*, stream::{Access, PoolOptions, Stamp}, task::TaskError};
/// # use ringfence_mock::{clock::Ticks, streams::{op::StreamOp, profile::DriverProfile, system::MockStreams}};
/// # use ringfence_tokio::{Period, Reaper, TaskPool};
/// # #[tokio::main]
/// # async fn main() -> Result<(), TaskError> {
/// # let driver = MockStreams::new(DriverProfile::Hip57);
/// # let pool = Arc::new(StreamPool::new(driver.clone(), PoolOptions::default()));
/// # let reaper = Reaper::spawn(&pool, Period::default());
/// # let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// # let op = |name| StreamOp::new(name, Ticks::new(20));
/// let tasks = TaskPool::new(pool, key);
/// let high = tasks.with_key(key.with_priority(Priority::High));
/// let touch = high.scope(async { high.submit(op("urgent")) }).await?; // a task of its own, not spawned
/// let mut after = Stamp::default();
/// after.add(touch, Access::Write);
/// let parts = tasks.scope(async {
///     let _how = tasks.with(|pool, streams| streams.order_after(pool, &after, Access::Read))??;
///     tasks.submit(op("left"))?;
///     tasks.submit(op("right"))?;
/// #   driver.run_until_idle();
///     tasks.finished().await // both; the worker does other things meanwhile
/// });
/// parts.await?;
/// # reaper.stop().await;
/// # Ok(())
/// # }
/// ```
pub struct TaskPool<B, A = ()> {
    pool: Arc<StreamPool<B, A>>,
    key: StreamKey,
}

impl<B: StreamBackend, A: Send + 'static> TaskPool<B, A> {
    /// Tasks that use streams of `key` of this pool, unless they switch. Creates nothing.
    pub fn new(pool: Arc<StreamPool<B, A>>, key: StreamKey) -> Self {
        Self { pool, key }
    }
    /// The same pool, for tasks that begin with another key.
    #[must_use]
    pub fn with_key(&self, key: StreamKey) -> Self {
        Self { pool: self.pool.clone(), key }
    }
    /// The pool of streams itself.
    pub fn pool(&self) -> &Arc<StreamPool<B, A>> {
        &self.pool
    }

    /// A future that runs as a task with streams of its own. They come back when it is done or dropped.
    pub fn scope<F: Future>(&self, future: F) -> impl Future<Output = F::Output> + use<F, B, A> {
        attach::<F, A>(Task::new(self.key), future)
    }
    /// Spawns a tokio task with streams of its own.
    ///
    /// # Panics
    /// Outside a runtime, as [`tokio::spawn`] does.
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        tokio::spawn(attach::<F, A>(Task::new(self.key), future))
    }

    /// Waits until the calling task has its stream: at once, except at the pool's hard cap. Without this the
    /// first use of a stream fails there, with [`StreamError::Full`](ringfence::error::StreamError::Full). It needs a [`Reaper`](crate::Reaper).
    ///
    /// It may be cancelled at any time.
    ///
    /// # Errors
    /// [`TaskError::NoTask`] outside [`scope`](Self::scope); as [`StreamPool::acquire_async`].
    pub async fn acquire(&self) -> Result<(), TaskError> {
        current::<A>().ok_or(TaskError::NoTask)?.ready(&self.pool).await
    }
    /// Calls `body` with the pool and the calling task's streams: to switch keys, to order after a stamp, to
    /// capture. Answers with what it returned. It is not async, so that no stream is in use across an await.
    ///
    /// # Errors
    /// [`TaskError::NoTask`] outside [`scope`](Self::scope); [`TaskError::InUse`] inside another such call
    /// of the same task.
    pub fn with<R>(
        &self,
        body: impl FnOnce(&StreamPool<B, A>, &mut TaskStreams<A>) -> R,
    ) -> Result<R, TaskError> {
        with_current(|streams| body(&self.pool, streams))
    }
    /// Submits work to the calling task's stream ([`StreamPool::submit`]).
    ///
    /// # Errors
    /// As [`with`](Self::with), and [`TaskStreams::submit`].
    pub fn submit(&self, work: B::Work) -> Result<Touch, TaskError>
    where
        B: StreamWork,
    {
        Ok(self.with(|pool, streams| streams.submit(pool, work))??)
    }
    /// Submits work that uses `what` until it is finished ([`StreamPool::submit_owning`]); the future brings it
    /// back. It needs a [`Reaper`](crate::Reaper). Dropped before, it leaves the value with the pool until the
    /// device is done with it.
    ///
    /// # Errors
    /// As [`with`](Self::with), and [`TaskStreams::submit_owning`].
    pub fn submit_owning<T>(
        &self,
        what: T,
        work: impl FnOnce(&mut T) -> B::Work,
    ) -> Result<InFlight<T, A>, TaskError>
    where
        B: StreamWork,
        T: Send + 'static,
    {
        Ok(self.with(|pool, streams| streams.submit_owning(pool, what, work))??)
    }
    /// Waits until all work that the calling task submitted so far is finished. It needs a
    /// [`Reaper`](crate::Reaper), and may be cancelled at any time.
    ///
    /// # Errors
    /// As [`with`](Self::with); [`StreamError::DeviceLost`](ringfence::error::StreamError::DeviceLost).
    pub async fn finished(&self) -> Result<(), TaskError> {
        let stamp = self.with(|_, streams| streams.so_far())?;
        for touch in stamp.touches(Access::Write) {
            self.pool.when_finished(touch).await?;
        }
        Ok(())
    }
}

impl<B, A> Clone for TaskPool<B, A> {
    fn clone(&self) -> Self {
        Self { pool: self.pool.clone(), key: self.key }
    }
}
impl<B: fmt::Debug, A> fmt::Debug for TaskPool<B, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskPool").field("pool", &self.pool).field("key", &self.key).finish()
    }
}
