//! A value that unfinished work uses, and that comes back when it is finished (T11).

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use super::{Shared, StreamPool, submit::so_far};
use crate::{
    backend::streams::{StreamBackend, StreamWork},
    error::StreamError,
    stream::{Access, Handle, Lease, Stamp, Touch},
    sync::Arc,
};

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
        self.shared.park(self.touch, what);
    }
}
impl<T: Send + 'static, A> fmt::Debug for InFlight<T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in flight until {}", self.touch)
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
        let mut what = Box::new(what);
        let work = work(&mut what); // the caller's code: what it does to the stream is seen below
        drop(self.open(lease)?);
        let mut launching = LaunchingWith { lease, shared: &self.shared, what: Some(what) };
        let launched = self.driver.launch(lease.slot().raw(), work);
        let (touch, current) = self.count_launch(lease);
        let what = launching.what.take(); // nothing panicked
        let in_flight = InFlight { what, touch, shared: self.shared.clone() };
        launched.map_err(|cause| self.launch_refused(lease, cause))?;
        current?;
        Ok(in_flight)
    }
}
