//! Rayon's workers and their streams.

use std::{fmt, sync::Arc};

use rayon::ThreadPool;
use ringfence::{
    backend::streams::StreamBackend, drive::StreamPool, id::StreamKey, stream::Lease,
    task::TaskError,
};

use super::per_thread::{give_back, lent, task_of, usable};

/// A rayon pool whose workers have streams of their own: one for each worker and key, acquired at its first use.
///
/// # When the streams come back
/// - [`finish`](Self::finish), or [`give_back`](Self::give_back) between two phases of work: before the call
///   returns.
/// - A drop: soon after. Rayon's drop only tells its workers to end, and each gives its streams back when its
///   thread exits. Nothing in the drop waits.
/// - The workers of rayon's global pool never end. Jobs there use [`with_stream`](crate::with_stream), and
///   `rayon::broadcast(|_| give_back(&pool))` returns their streams.
///
/// # Stolen jobs
/// A worker that waits inside a job (in `rayon::join`, a scope, a nested iterator) runs other jobs meanwhile. When
/// one of those wants a stream while the job below it is inside [`with_stream`](Self::with_stream), it is
/// another task, and gets another stream for that call (T1).
///
/// ```
/// use std::sync::Arc;
/// use rayon::prelude::*;
/// use ringfence::{drive::StreamPool, id::*, stream::PoolOptions};
/// use ringfence_mock::{clock::Ticks, streams::{op::StreamOp, profile::DriverProfile, system::MockStreams}};
/// use ringfence_threads::Workers;
///
/// let driver = MockStreams::new(DriverProfile::Hip57);
/// let pool = Arc::new(StreamPool::new(driver.clone(), PoolOptions::default()));
/// let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
/// let workers = Workers::new(pool.clone(), threads);
/// let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
///
/// workers.install(|| {
///     (0..100).into_par_iter().for_each(|_| {
///         let kernel = StreamOp::new("axpy", Ticks::new(20));
///         let submitted = workers.with_stream(key, |lease| pool.submit(lease, kernel));
///         submitted.expect("a stream").expect("work");
///     });
/// });
/// assert!(pool.counts().created <= 2);
/// workers.finish();
/// assert_eq!(pool.tally().leased, 0);
/// ```
pub struct Workers<B, A = ()> {
    pool: Arc<StreamPool<B, A>>,
    threads: ThreadPool,
}
impl<B, A> Workers<B, A>
where
    B: StreamBackend + Send + Sync + 'static,
    A: Send + 'static,
{
    /// Workers of `threads` that use streams of `pool`. Creates nothing.
    pub fn new(pool: Arc<StreamPool<B, A>>, threads: ThreadPool) -> Self {
        Self { pool, threads }
    }
    /// The pool of streams.
    pub fn pool(&self) -> &Arc<StreamPool<B, A>> {
        &self.pool
    }
    /// The pool of threads.
    pub fn threads(&self) -> &ThreadPool {
        &self.threads
    }
    /// Runs `job` on a worker ([`ThreadPool::install`]).
    pub fn install<T: Send>(&self, job: impl FnOnce() -> T + Send) -> T {
        self.threads.install(job)
    }
    /// Calls `body` with the calling worker's own stream of `key`, and answers with what it returned. Called on another
    /// thread, it uses that thread's stream, as [`with_stream`](crate::with_stream) does.
    ///
    /// # Errors
    /// As [`StreamPool::acquire`].
    pub fn with_stream<R>(
        &self,
        key: StreamKey,
        body: impl FnOnce(&mut Lease<A>) -> R,
    ) -> Result<R, TaskError> {
        usable(&self.pool)?;
        let mut waits = Some(body);
        let outcome = lent(&task_of(&self.pool, key), &self.pool, |lease| {
            waits.take().map(|body| body(lease))
        });
        match (outcome, waits) {
            (Err(TaskError::InUse), Some(body)) => Ok(body(&mut self.pool.acquire(key)?)),
            (Ok(Some(value)), _) => Ok(value),
            (Ok(None), _) => Err(TaskError::InUse),
            (Err(error), _) => Err(error),
        }
    }
    /// Gives back the streams of all workers. Waits until each worker has time for it: until what it does at
    /// the moment is done, or waits for other jobs.
    ///
    /// # Panics
    /// Never by itself; rayon aborts where a worker's panic handler panics.
    pub fn give_back(&self) {
        self.threads.broadcast(|_| give_back(&self.pool));
    }
    /// Gives back the streams of all workers, then ends the workers.
    pub fn finish(self) {
        self.give_back();
    }
}
impl<B: fmt::Debug, A> fmt::Debug for Workers<B, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").field("pool", &self.pool).field("threads", &self.threads).finish()
    }
}
