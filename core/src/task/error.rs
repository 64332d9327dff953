//! What can go wrong between a task and its streams.

use crate::error::StreamError;

/// What went wrong between a task and its streams.
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
