//! The task that a thread runs.

use std::{any::Any, cell::Cell, fmt, marker::PhantomData};

use super::{Task, TaskError, TaskStreams, handle::Held};
use crate::sync::Arc;

/// A task whatever its streams carry: a thread-local cannot have a type of its own for each.
pub(super) type AnyTask = Arc<dyn Any + Send + Sync>;

std::thread_local! {
    static CURRENT: Cell<Option<AnyTask>> = const { Cell::new(None) };
}

/// Makes this the thread's task, and returns the one before. What it replaces is dropped by the caller, with
/// nothing borrowed: that may be the last of a task, whose attachments have destructors of their own. On a
/// thread that is past its thread-locals nothing is entered.
#[inline]
pub(super) fn replace(task: Option<AnyTask>) -> Option<AnyTask> {
    CURRENT.try_with(|current| current.replace(task)).ok().flatten()
}
#[inline]
pub(super) fn erased<A: Send + 'static>(task: &Task<A>) -> AnyTask {
    task.held().clone()
}

/// A task is the thread's current one, until this is dropped; then the one before is again.
///
/// Guards of one thread are dropped in the reverse order, as scopes do. One that is forgotten leaves its task
/// current until a guard from before it is dropped: code that asks [`current`] meanwhile gets the
/// wrong task's streams, and nothing worse (T11).
///
/// ```
/// use ringfence::{id::*, task::{Task, current, enter}};
/// let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// let (outer, inner): (Task, Task) = (Task::new(key), Task::new(key));
/// let _outer = enter(&outer);
/// let inside = enter(&inner); // a job that this thread runs while it waits
/// assert_eq!(current::<()>(), Some(inner.clone()));
/// drop(inside);
/// assert_eq!(current::<()>(), Some(outer.clone()));
/// ```
#[must_use = "dropped at once, it leaves the task at once"]
pub struct Entered {
    before: Option<AnyTask>,
    /// It speaks of its thread.
    _not_send: PhantomData<*const ()>,
}
impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        drop(replace(self.before.take()));
    }
}
impl fmt::Debug for Entered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Entered")
    }
}

/// Makes `task` the calling thread's current one, until the guard is dropped.
///
/// ```
/// use ringfence::{id::*, task::{Task, current, enter}};
/// let task: Task = Task::new(StreamKey::new(DeviceContext::primary(DeviceId::new(0))));
/// {
///     let _inside = enter(&task);
///     assert_eq!(current::<()>(), Some(task.clone()));
/// }
/// assert_eq!(current::<()>(), None);
/// ```
///
/// The guard is of its thread: it cannot be held across an await of a future that may move. A future has
/// [`attach`](super::attach()).
///
/// ```compile_fail,E0277
/// use ringfence::{id::*, task::{Task, enter}};
/// fn is_send<T: Send>(_: T) {}
/// let task: Task = Task::new(StreamKey::new(DeviceContext::primary(DeviceId::new(0))));
/// is_send(enter(&task));
/// ```
#[inline]
pub fn enter<A: Send + 'static>(task: &Task<A>) -> Entered {
    Entered { before: replace(Some(erased(task))), _not_send: PhantomData }
}
/// The calling thread's current task. `None`: it runs none, or one whose streams carry another attachment.
///
/// ```
/// use ringfence::{id::*, task::{Task, current, enter}};
/// let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// let task: Task<Vec<u8>> = Task::new(key); // its streams carry an arena each
/// let _inside = enter(&task);
/// assert_eq!(current::<Vec<u8>>(), Some(task.clone()));
/// assert_eq!(current::<()>(), None); // not a task of such streams
/// ```
pub fn current<A: Send + 'static>() -> Option<Task<A>> {
    let task = CURRENT
        .try_with(|current| {
            let task = current.take();
            let copy = task.clone();
            current.set(task);
            copy
        })
        .ok()??;
    Some(Task::of(task.downcast::<Held<A>>().ok()?))
}
/// Calls `body` with the streams of the current task, and answers with what it returned.
///
/// # Errors
/// [`TaskError::NoTask`]; as [`Task::with`].
///
/// ```
/// use ringfence::{backend::streams::*, drive::StreamPool, stream::Touch, task::{TaskError, with_current}};
///
/// /// A library's own call: it takes no stream, and uses its caller's.
/// fn axpy<B>(pool: &StreamPool<B>) -> Result<Touch, TaskError>
/// where
///     B: StreamBackend + StreamWork<Work = &'static str>,
/// {
///     Ok(with_current(|streams| streams.submit(pool, "axpy"))??)
/// }
/// assert_eq!(with_current::<(), _>(|streams| streams.count()), Err(TaskError::NoTask));
/// ```
pub fn with_current<A: Send + 'static, R>(
    body: impl FnOnce(&mut TaskStreams<A>) -> R,
) -> Result<R, TaskError> {
    current().ok_or(TaskError::NoTask)?.with(body)
}
