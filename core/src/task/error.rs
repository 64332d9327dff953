//! What can go wrong between a task and its streams.

use crate::error::StreamError;

/// What went wrong between a task and its streams.
///
/// ```
/// use ringfence::{backend::streams::*, drive::StreamPool, error::StreamError, id::StreamKey, stream::Touch, task::*};
///
/// /// Work of the task that this thread runs. Code that no task runs gets a stream for this one call.
/// fn submit<B>(pool: &StreamPool<B>, key: StreamKey, work: &'static str) -> Result<Touch, TaskError>
/// where
///     B: StreamBackend + StreamWork<Work = &'static str>,
/// {
///     match with_current(|streams| streams.submit(pool, work)) {
///         Err(TaskError::NoTask) => Ok(pool.submit(&mut pool.acquire(key)?, work)?),
///         submitted => Ok(submitted??), // `InUse`: a call further up has the streams, and has to return first
///     }
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// The pool, or the driver, refused.
    #[error(transparent)]
    Stream(#[from] StreamError),
    /// Two calls want the same task's streams at once.
    #[error(
        "the task's streams are in use, by a call further up this one or by another thread; let that call return first, or give the other work a task of its own"
    )]
    InUse,
    /// No task was entered on this thread, or one whose streams carry another attachment.
    #[error(
        "this thread runs no task with streams of this type; enter one with `enter`, or attach the future with `attach`"
    )]
    NoTask,
}
