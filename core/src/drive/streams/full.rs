//! Back-pressure: waiting for a stream at the hard cap.

use std::{
    collections::VecDeque,
    fmt,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use super::{Attempt, StreamPool};
use crate::{backend::streams::StreamBackend, error::StreamError, id::StreamKey, stream::Lease};

/// Tasks that want a stream, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Wanting(VecDeque<Waker>);

/// A future that is a lease once the pool has one. It waits only at the hard cap.
#[must_use = "a future does nothing until it is awaited"]
pub struct Acquire<'a, B, A = ()> {
    pool: &'a StreamPool<B, A>,
    key: StreamKey,
}
impl<B: StreamBackend, A> Future for Acquire<'_, B, A> {
    type Output = Result<Lease<A>, StreamError>;
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let attempt = |again: bool| match self.pool.try_acquire(self.key) {
            Ok(Attempt::Leased(lease)) => Poll::Ready(Ok(lease)),
            Err(error) => Poll::Ready(Err(error)),
            Ok(Attempt::Full(_)) => {
                if again {
                    let mut wanting = self.pool.shared.wanting.lock();
                    if !wanting.0.iter().any(|waker| waker.will_wake(context.waker())) {
                        wanting.0.push_back(context.waker().clone());
                    }
                }
                Poll::Pending
            }
        };
        // Asked once more after being on the list: what came back in between wakes nobody.
        match attempt(true) {
            Poll::Pending => attempt(false),
            ready => ready,
        }
    }
}
impl<B, A> fmt::Debug for Acquire<'_, B, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "acquiring a stream of {}", self.key)
    }
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// As [`acquire`](Self::acquire), but at the hard cap it waits until a stream is idle or destroyed. It
    /// needs somebody who pumps.
    pub fn acquire_async(&self, key: StreamKey) -> Acquire<'_, B, A> {
        Acquire { pool: self, key }
    }
    /// Wakes as many as may get something now; a task that asks in vain waits again.
    pub(super) fn wake_wanting(&self, all: WakeAll) -> u32 {
        let room = match (all, self.options.live_cap) {
            (WakeAll::No, Some(cap)) => {
                let tally = self.tally();
                (tally.idle + cap.get().saturating_sub(tally.live())) as usize
            }
            _ => usize::MAX,
        };
        let woken: Vec<Waker> = {
            let mut wanting = self.shared.wanting.lock();
            let room = room.min(wanting.0.len());
            wanting.0.drain(..room).collect()
        };
        let count = u32::try_from(woken.len()).unwrap_or(u32::MAX);
        for waker in woken {
            waker.wake();
        }
        count
    }
}

/// Whether everybody is woken, because the answer will be an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WakeAll {
    Yes,
    No,
}
