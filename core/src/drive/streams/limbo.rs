//! What unfinished work still uses: kept until the work is proven finished, whatever becomes of the task (T11).

use std::{
    any::Any,
    fmt,
    mem::ManuallyDrop,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use super::{Life, Shared, StreamPool, submit::so_far};
use crate::{
    backend::streams::{StreamBackend, StreamWork},
    error::{Closed, StreamError},
    stream::{Access, Handle, Lease, Stamp, Standing, Touch},
    sync::Arc,
};

/// What nobody waits for any more, and who still waits.
#[derive(Default)]
pub(super) struct Limbo {
    parked: Vec<Parked>,
    waiting: Vec<(Touch, Waker)>,
}
/// Something that unfinished work may still use: dropped only when the work is known to be finished. With the
/// pool, or by a panic on the way, it is leaked.
struct Parked {
    touch: Touch,
    what: ManuallyDrop<Box<dyn Any + Send>>,
}

/// Something that the device reads or writes: a host buffer of an asynchronous copy. The pool's work owns it
/// until it is finished.
///
/// A future: it brings the value back when a [`pump`](StreamPool::pump) has seen the work finished, which a
/// driver without progress words tells only once the whole stream is idle. Dropped
/// before, also by a cancelled task or a panic, the value stays with the pool until then; forgotten, it is
/// leaked. Neither gives the device a buffer that somebody else has (T11). The value stays where the work was
/// told that it is: it does not move before it comes back.
///
/// ```
/// use ringfence::{backend::streams::*, drive::*, error::StreamError, stream::Lease};
///
/// /// Reads back: the device writes into a buffer of the host.
/// async fn read_back<B>(pool: &StreamPool<B>, lease: &mut Lease) -> Result<Vec<f32>, StreamError>
/// where
///     B: StreamBackend + StreamWork<Work = (*mut f32, usize)>,
/// {
///     let host = vec![0.0; 1024];
///     let copied = pool.submit_owning(lease, host, |host| (host.as_mut_ptr(), host.len()))?;
///     copied.await // cancelled here, the buffer stays with the pool until the copy is over
/// }
/// ```
#[must_use = "dropped, it parks its value until the work is finished; await it or call `wait`"]
pub struct InFlight<T: Send + 'static, A = ()> {
    what: Option<Box<T>>,
    touch: Touch,
    shared: Arc<Shared<A>>,
}
impl<T: Send + 'static, A> InFlight<T, A> {
    /// The work that uses the value.
    pub fn touch(&self) -> Touch {
        self.touch
    }
    /// Waits on the host, and brings the value back. After an error the value is still in flight.
    ///
    /// # Errors
    /// The value itself, with what stopped the wait.
    ///
    /// ```
    /// # use ringfence::{backend::streams::StreamBackend, drive::*, error::StreamError};
    /// # use std::time::Duration;
    /// # fn waited<B: StreamBackend>(pool: &StreamPool<B>, mut copied: InFlight<Vec<u8>>) -> Result<Vec<u8>, StreamError> {
    /// loop {
    ///     copied = match copied.wait(pool, Duration::from_secs(1)) {
    ///         Ok(buffer) => return Ok(buffer),
    ///         Err((still, StreamError::TimedOut { .. })) => still, // nothing is lost by that
    ///         Err((_, error)) => return Err(error), // dropped: the buffer stays with the pool
    ///     }
    /// }
    /// # }
    /// ```
    pub fn wait<B: StreamBackend>(
        mut self,
        pool: &StreamPool<B, A>,
        limit: Duration,
    ) -> Result<T, (Self, StreamError)> {
        let mut stamp = Stamp::default();
        stamp.add(self.touch, Access::Read);
        match (pool.synchronize(&stamp, Access::Write, limit), self.what.take()) {
            (Ok(()), Some(what)) => Ok(*what),
            (Err(error), what) => {
                self.what = what;
                Err((self, error))
            }
            (Ok(()), None) => unreachable!("only this call takes the value"),
        }
    }
}
impl<T: Send + 'static, A> Future for InFlight<T, A> {
    type Output = Result<T, StreamError>;
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        match this.shared.poll_finished(this.touch, context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) => {
                let what = this.what.take().expect("a future that is polled after it was ready");
                Poll::Ready(Ok(*what))
            }
        }
    }
}
impl<T: Send + 'static, A> Drop for InFlight<T, A> {
    fn drop(&mut self) {
        let Some(what) = self.what.take() else { return };
        if planted!(ReleaseOnCancel) {
            drop(what);
            return;
        }
        let parked = Parked { touch: self.touch, what: ManuallyDrop::new(what) };
        self.shared.limbo.lock().parked.push(parked);
    }
}
impl<T: Send + 'static, A> fmt::Debug for InFlight<T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in flight until {}", self.touch)
    }
}

/// A future that is ready when a [`pump`](StreamPool::pump) has seen the work finished.
///
/// ```
/// use ringfence::{backend::streams::*, drive::StreamPool, error::StreamError, stream::Lease};
///
/// async fn two_steps<B>(pool: &StreamPool<B>, lease: &mut Lease) -> Result<(), StreamError>
/// where
///     B: StreamBackend + StreamWork<Work = &'static str>,
/// {
///     let residual = pool.submit(lease, "residual")?;
///     pool.when_finished(residual).await?; // the thread does other things meanwhile
///     assert!(pool.is_finished(residual));
///     pool.submit(lease, "next step").map(drop)
/// }
/// ```
#[must_use = "a future does nothing until it is awaited"]
pub struct Finished<A = ()> {
    touch: Touch,
    shared: Arc<Shared<A>>,
}
impl<A> Future for Finished<A> {
    type Output = Result<(), StreamError>;
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.shared.poll_finished(self.touch, context)
    }
}
impl<A> fmt::Debug for Finished<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "until {} is finished", self.touch)
    }
}

impl<A> Shared<A> {
    /// By what a pump saw. Whoever is on the list is looked at by every later pump, so that no wake is lost.
    fn poll_finished(&self, touch: Touch, context: &Context<'_>) -> Poll<Result<(), StreamError>> {
        if let Some(answer) = self.answer(touch) {
            return Poll::Ready(answer);
        }
        let waker = context.waker().clone(); // the user's code: no lock is held
        {
            let mut limbo = self.limbo.lock();
            let mine = |held: &(Touch, Waker)| held.0 == touch && held.1.will_wake(&waker);
            if !limbo.waiting.iter().any(mine) {
                limbo.waiting.push((touch, waker));
            }
        }
        self.answer(touch).map_or(Poll::Pending, Poll::Ready)
    }
    /// What a waiter is told, as far as it is known. `None`: the work may still finish.
    fn answer(&self, touch: Touch) -> Option<Result<(), StreamError>> {
        let stream = touch.stream();
        if stream.pool() != self.id {
            return Some(Err(StreamError::OtherPool { stream }));
        }
        let Some(slot) = self.pool().by_id(stream.id()).cloned() else { return Some(Ok(())) };
        let (finished, standing, covered) = {
            let tenancy = slot.lock();
            let over = tenancy.generation != stream.generation();
            let finished = over || tenancy.covers(touch.position());
            (finished, tenancy.standing, tenancy.final_event.is_some())
        };
        match (standing, self.life()) {
            _ if finished => Some(Ok(())),
            (_, Life::Lost) | (Standing::Closed(Closed::Lost), Life::Open | Life::Closing) => {
                Some(Err(StreamError::DeviceLost))
            }
            (_, Life::Shut) => Some(Err(StreamError::ShutDown)),
            // Nobody will ever see these finish, unless an event was left that covers them.
            (Standing::Closed(Closed::Bad | Closed::Capture | Closed::Disowned), _) if !covered => {
                Some(Err(StreamError::Unknowable { stream }))
            }
            _ => None,
        }
    }
}

/// A launch in progress that uses a value. Where it panics, the value stays with the pool: a part of the work may have been
/// submitted that nobody counted.
struct LaunchingWith<'l, T: Send + 'static, A> {
    lease: &'l Lease<A>,
    shared: &'l Arc<Shared<A>>,
    what: Option<Box<T>>,
}
impl<T: Send + 'static, A> Drop for LaunchingWith<'_, T, A> {
    fn drop(&mut self) {
        if let Some(what) = self.what.take() {
            self.lease.slot().lock().handle = Handle::Exposed;
            let touch = so_far(self.lease.slot(), self.lease.stream());
            drop(InFlight { what: Some(what), touch, shared: self.shared.clone() }); // parked
        }
    }
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Submits work that uses `what` until it is finished. `work` is told where the value is: it does not move
    /// while the work is in flight.
    ///
    /// # Errors
    /// As [`submit`](Self::submit). What was submitted of the work may still use the value: the pool keeps it.
    pub fn submit_owning<T: Send + 'static>(
        &self,
        lease: &mut Lease<A>,
        what: T,
        work: impl FnOnce(&mut T) -> B::Work,
    ) -> Result<InFlight<T, A>, StreamError>
    where
        B: StreamWork,
    {
        drop(self.open(lease)?);
        let mut what = Box::new(what);
        let work = work(&mut what);
        let mut launching = LaunchingWith { lease, shared: &self.shared, what: Some(what) };
        let launched = self.driver.launch(lease.slot().raw(), work);
        let position = self.count(lease.slot(), &mut lease.slot().lock());
        let what = launching.what.take(); // nothing panicked
        let touch = Touch::new(lease.stream(), position);
        let in_flight = InFlight { what, touch, shared: self.shared.clone() };
        launched.map_err(|cause| self.launch_refused(lease, cause))?;
        Ok(in_flight)
    }
    /// A future that is ready when the work is finished. It needs somebody who pumps.
    pub fn when_finished(&self, touch: Touch) -> Finished<A> {
        Finished { touch, shared: self.shared.clone() }
    }
    /// Lets go of what finished work used, and wakes who waits for it. Answers with how many of each.
    pub(super) fn settle_limbo(&self) -> (u32, u32) {
        let (parked, waiting) = {
            let mut limbo = self.shared.limbo.lock();
            (std::mem::take(&mut limbo.parked), std::mem::take(&mut limbo.waiting))
        };
        let (done, parked): (Vec<_>, Vec<_>) =
            parked.into_iter().partition(|held| self.is_finished_or_ask(held.touch));
        let (ready, waiting): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|held| self.has_answer(held.0));
        let counts = (count(done.len()), count(ready.len()));
        {
            let mut limbo = self.shared.limbo.lock();
            limbo.parked.extend(parked);
            limbo.waiting.extend(waiting);
        }
        // Wakers and destructors are the user's code: no lock is held, and who waits is woken first.
        for_each_in_spite_of_panics(ready, |(_, waker)| waker.wake());
        for_each_in_spite_of_panics(done, |held| drop(ManuallyDrop::into_inner(held.what)));
        if matches!(self.shared.life(), Life::Shut | Life::Lost) {
            self.leak_limbo(); // the pool ended meanwhile: nobody looks at the list again
        }
        counts
    }
    /// Whether work is finished, by the driver's word where the stream has none of its own. A driver says so
    /// only when the whole stream is idle.
    pub(super) fn is_finished_or_ask(&self, touch: Touch) -> bool {
        if self.is_finished(touch) {
            return true;
        }
        let Ok(Some(slot)) = self.find(touch.stream()) else { return false };
        let Some(mut tenancy) = slot.try_lock() else { return false };
        let by_word = slot.word().is_some() && touch.position() <= tenancy.marked;
        // What is counted was submitted before the count, so that an idle stream has finished it.
        !by_word && self.prove_finished(&slot, &mut tenancy).0.is_ok()
    }
    /// Whether a waiter has an answer: the work is finished, or will never be seen to be.
    fn has_answer(&self, touch: Touch) -> bool {
        self.is_finished_or_ask(touch) || self.shared.answer(touch).is_some()
    }
    /// What the device may still write to is never given back: leaked, and counted (S17, T11).
    pub(super) fn leak_limbo(&self) -> u32 {
        let (parked, waiting) = {
            let mut limbo = self.shared.limbo.lock();
            (std::mem::take(&mut limbo.parked), std::mem::take(&mut limbo.waiting))
        };
        for_each_in_spite_of_panics(waiting, |(_, waker)| waker.wake());
        count(parked.len())
    }
}

/// Runs the user's code for each: one that panics does not keep the others from their turn. The first panic
/// goes on when all had it.
pub(super) fn for_each_in_spite_of_panics<T>(items: Vec<T>, mut act: impl FnMut(T)) {
    let mut first = None;
    for item in items {
        let done = catch_unwind(AssertUnwindSafe(|| act(item)));
        first = first.or(done.err());
    }
    if let Some(panic) = first {
        resume_unwind(panic);
    }
}

fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
