//! A use as a future: it is polled twice, once before it is over and once after.

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::{Arc, Mutex},
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

use ringfence::{
    drive::{HandlerTable, Watched},
    error::Error,
    event::{EventStatus, Snapshot},
};

use crate::gpu::Gpu;

/// Who is to be woken: every poll may bring another one.
#[derive(Clone)]
pub(crate) struct Sleeper(Arc<Mutex<Waker>>);
impl Sleeper {
    fn new(waker: &Waker) -> Self {
        Self(Arc::new(Mutex::new(waker.clone())))
    }
    fn is_now(&self, waker: &Waker) {
        self.0.lock().expect("nobody panics with it").clone_from(waker);
    }
    pub(crate) fn wake(self) {
        self.0.lock().expect("nobody panics with it").wake_by_ref();
    }
}

/// Ends when the use does, on whichever thread it is polled. Dropped before, it gives nothing up: the handler is called, and wakes
/// nobody who cares.
#[must_use]
pub(crate) struct Finished {
    of: Snapshot,
    gpu: Arc<Gpu>,
    sleepers: Arc<HandlerTable<Sleeper>>,
    /// Since the first poll.
    watched: Option<Sleeper>,
}
impl Finished {
    pub(crate) fn new(of: Snapshot, gpu: Arc<Gpu>, sleepers: Arc<HandlerTable<Sleeper>>) -> Self {
        Self { of, gpu, sleepers, watched: None }
    }
    /// One load, unless it is known. A lost device and a use that was given up are answers, too.
    fn look(&self) -> Poll<Result<(), Error>> {
        match self.of.query(&self.gpu) {
            EventStatus::Pending => Poll::Pending,
            EventStatus::Finished | EventStatus::NotRecorded => Poll::Ready(Ok(())),
            EventStatus::Failed(cause) => {
                Poll::Ready(Err(Error::Failed { of: self.of.use_id(), cause }))
            }
        }
    }
}
impl Future for Finished {
    type Output = Result<(), Error>;
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // The waker first, then the look: a handler that is called between them wakes the new one.
        if let Some(sleeper) = &self.watched {
            sleeper.is_now(context.waker());
            return self.look();
        }
        if let Poll::Ready(ended) = self.look() {
            return Poll::Ready(ended); // no handler is needed
        }
        let sleeper = Sleeper::new(context.waker());
        match self.sleepers.watch(&self.gpu, self.of.record(), sleeper.clone()) {
            Ok(Watched::Later) => {
                self.watched = Some(sleeper);
                Poll::Pending
            }
            Ok(Watched::Already(_)) => self.look(), // since the look above
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

/// An executor for one future: its thread sleeps until it is woken.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}
