//! Futures: polled by hand, dropped at any time, forgotten.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use ringfence::error::StreamError;

use super::{
    Hand, StreamFailure,
    failure::Stop,
    things::{Awaited, HostBuffer, Polled, Spawned, Woken, find},
};
use crate::{
    clock::Ticks,
    scenario::Name,
    streams::{
        op::StreamOp,
        scenario::{Manner, Spawn},
        seen::BufferId,
    },
};

impl Hand {
    /// Work that owns its host buffer until it is finished.
    pub(super) fn copy(&self, future: &Name, on: &Name, ticks: Ticks) -> Result<(), Stop> {
        let id = {
            let mut state = self.state();
            state.buffers += 1;
            BufferId::new(state.buffers)
        };
        let buffer = HostBuffer { id, driver: self.driver().downgrade() };
        let work = StreamOp::new(future.as_str().to_owned(), ticks).uses(id);
        let submitted =
            self.with_lease(on, |lease| self.pool().submit_owning(lease, buffer, |_| work))?;
        self.spawned(future, Awaited::Buffer(submitted?));
        Ok(())
    }
    pub(super) fn spawn(&self, future: &Name, what: &Spawn) -> Result<(), Stop> {
        let what = match what {
            Spawn::Finished { work } => {
                let worked = *find(&mut self.state().work, "piece of work", work)?;
                let Some(touch) = worked.touch else {
                    let what = format!("`{work}` went past the pool: nothing remembers it");
                    return Err(StreamFailure::misuse(what).into());
                };
                Awaited::Work(self.pool().when_finished(touch))
            }
            Spawn::Acquire { lease, task, place } => {
                self.is_free(lease)?;
                let (hand, key) = (self.clone(), self.0.setup.key(*place));
                let coming = Box::pin(async move { hand.pool().acquire_async(key).await });
                let task = task.clone().unwrap_or_else(|| lease.clone());
                Awaited::Lease { lease: lease.clone(), task, key, coming }
            }
        };
        self.spawned(future, what);
        Ok(())
    }
    fn spawned(&self, future: &Name, what: Awaited) {
        let spawned = Spawned { what: Some(what), woken: Arc::default(), polled: None };
        self.state().futures.insert(future.clone(), spawned);
    }
    /// One poll.
    pub(super) fn poll(&self, name: &Name) -> Result<(), Stop> {
        let (taken, woken) = {
            let mut state = self.state();
            let spawned = find(&mut state.futures, "future", name)?;
            (spawned.what.take(), spawned.woken.clone())
        };
        let Some(what) = taken else {
            let what = format!("`{name}` was ready, dropped or forgotten");
            return Err(StreamFailure::misuse(what).into());
        };
        let (answer, rest) = self.poll_it(what, &woken);
        let polled = if rest.is_some() { Polled::Pending } else { Polled::Ready };
        {
            let mut state = self.state();
            let spawned = find(&mut state.futures, "future", name)?;
            (spawned.what, spawned.polled) = (rest, Some(polled));
        }
        Ok(answer?)
    }
    /// What a poll says, and the future while it is not ready.
    fn poll_it(
        &self,
        what: Awaited,
        woken: &Arc<Woken>,
    ) -> (Result<(), StreamError>, Option<Awaited>) {
        let waker = Waker::from(woken.clone());
        let mut context = Context::from_waker(&waker);
        match what {
            Awaited::Buffer(mut future) => match Pin::new(&mut future).poll(&mut context) {
                Poll::Pending => (Ok(()), Some(Awaited::Buffer(future))),
                Poll::Ready(Ok(buffer)) => {
                    drop(buffer); // its owner has it back
                    (Ok(()), None)
                }
                Poll::Ready(Err(error)) => {
                    self.let_go(future);
                    (Err(error), None)
                }
            },
            Awaited::Work(mut future) => match Pin::new(&mut future).poll(&mut context) {
                Poll::Pending => (Ok(()), Some(Awaited::Work(future))),
                Poll::Ready(answer) => (answer, None),
            },
            Awaited::Lease { lease, task, key, mut coming } => {
                let number = self.state().task(&task);
                let answer = self.asking(number, key, Manner::Any, || {
                    match coming.as_mut().poll(&mut context) {
                        Poll::Pending => None,
                        Poll::Ready(Ok(got)) => {
                            self.enter(&lease, number, key, got);
                            Some(Ok(()))
                        }
                        Poll::Ready(Err(error)) => Some(Err(error)),
                    }
                });
                match answer {
                    None => (Ok(()), Some(Awaited::Lease { lease, task, key, coming })),
                    Some(answer) => (answer, None),
                }
            }
        }
    }
    /// A future, or a part in a capture, is dropped.
    pub(super) fn drop_it(&self, name: &Name) -> Result<(), Stop> {
        let participant = self.state().participants.remove(name);
        if let Some(participant) = participant {
            self.let_go(participant);
            return Ok(());
        }
        let what = find(&mut self.state().futures, "future", name)?.what.take();
        match what {
            Some(what) => {
                self.let_go(what);
                Ok(())
            }
            None => {
                let what = format!("`{name}` was ready, dropped or forgotten");
                Err(StreamFailure::misuse(what).into())
            }
        }
    }
}
