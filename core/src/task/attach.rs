//! A future that runs as a task.

use std::{future::poll_fn, pin::pin};

use super::{
    Task,
    current::{AnyTask, erased, replace},
};
use crate::sync::{Arc, Mutex};

/// A future that runs as `task`: the task is the thread's current one during each poll, and while the future is
/// dropped, and the one before is again at each suspension. Dropped before its first poll it never was a part of the task, and what it
/// has captured is dropped outside of it.
///
/// It allocates nothing. Dropped, cancelled by a panic, or forgotten, it leaves the task as a call does that
/// returns: streams come back with the last handle of the task, and buffers of unfinished work stay with
/// the pool (T11).
///
/// ```
/// use ringfence::{id::*, task::{Task, attach, current}};
/// use std::{pin::pin, task::{Context, Waker}};
///
/// let task: Task = Task::new(StreamKey::new(DeviceContext::primary(DeviceId::new(0))));
/// let mut future = pin!(attach(task.clone(), async { current::<()>() }));
/// let ready = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
/// assert_eq!(ready, std::task::Poll::Ready(Some(task)));
/// assert_eq!(current::<()>(), None);
/// ```
pub async fn attach<F: Future, A: Send + 'static>(task: Task<A>, future: F) -> F::Output {
    // Locals are dropped last first: the task is entered, the future dropped inside it, the task left.
    let leaves = Leaves::default();
    let mut future = pin!(future);
    let _enters = Enters { task: &task, leaves: &leaves };
    let mut handle = Some(erased(&task));
    poll_fn(|context| {
        let _inside = Polled::enter(&task, &mut handle);
        future.as_mut().poll(context)
    })
    .await
}

/// Inside the task for one poll. The same handle goes in and comes out each time: counting it anew would be
/// most of what a poll costs.
struct Polled<'a, A: Send + 'static> {
    task: &'a Task<A>,
    handle: &'a mut Option<AnyTask>,
    before: Option<AnyTask>,
}
impl<'a, A: Send + 'static> Polled<'a, A> {
    #[inline]
    fn enter(task: &'a Task<A>, handle: &'a mut Option<AnyTask>) -> Self {
        let mine = handle.take().unwrap_or_else(|| erased(task));
        Self { task, handle, before: replace(Some(mine)) }
    }
}
impl<A: Send + 'static> Drop for Polled<'_, A> {
    #[inline]
    fn drop(&mut self) {
        let left = replace(self.before.take());
        // A guard that was forgotten inside left its own task behind; ours is lost with the guard then.
        let ours = Arc::as_ptr(self.task.held());
        *self.handle = left.filter(|left| std::ptr::addr_eq(Arc::as_ptr(left), ours));
    }
}

/// Dropped before the future: enters the task.
struct Enters<'a, A: Send + 'static> {
    task: &'a Task<A>,
    leaves: &'a Leaves,
}
impl<A: Send + 'static> Drop for Enters<'_, A> {
    fn drop(&mut self) {
        let before = replace(Some(erased(self.task)));
        *self.leaves.0.lock() = Some(before);
    }
}
/// Dropped after the future: leaves the task again. Behind a lock only because the future may be `Send`.
#[derive(Default)]
struct Leaves(Mutex<Option<Option<AnyTask>>>);
impl Drop for Leaves {
    fn drop(&mut self) {
        if let Some(before) = self.0.get_mut().take() {
            drop(replace(before));
        }
    }
}
