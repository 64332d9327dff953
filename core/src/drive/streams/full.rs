//! Back-pressure: waiting for a stream at the hard cap.

use std::{
    collections::VecDeque,
    fmt,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use super::{Attempt, StreamPool, limbo::for_each_in_spite_of_panics};
use crate::{backend::streams::StreamBackend, error::StreamError, id::StreamKey, stream::Lease};

/// Tasks that want a stream, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Wanting {
    queue: VecDeque<(Ticket, Waker)>,
    next: Ticket,
}
/// A place in the queue: wakers alone cannot be told apart.
type Ticket = u64;

/// A future that is a lease once the pool has one. It waits only at the hard cap.
///
/// ```
/// use ringfence::{backend::streams::*, drive::StreamPool, error::StreamError, id::StreamKey, stream::Touch};
///
/// async fn task<B>(pool: &StreamPool<B>, key: StreamKey) -> Result<Touch, StreamError>
/// where
///     B: StreamBackend + StreamWork<Work = &'static str>,
/// {
///     let mut lease = pool.acquire_async(key).await?; // dropped before: it gives its turn to the next
///     pool.submit(&mut lease, "axpy")
/// }
/// ```
#[must_use = "a future does nothing until it is awaited"]
pub struct Acquire<'a, B, A = ()> {
    pool: &'a StreamPool<B, A>,
    key: StreamKey,
    ticket: Option<Ticket>,
}
impl<B: StreamBackend, A> Future for Acquire<'_, B, A> {
    type Output = Result<Lease<A>, StreamError>;
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        // Asked once more after being on the list: what came back in between wakes nobody.
        for _ in 0..2 {
            match this.pool.try_acquire(this.key) {
                Ok(Attempt::Full(_)) => this.queue(context),
                Ok(Attempt::Leased(lease)) => {
                    this.leave();
                    return Poll::Ready(Ok(lease));
                }
                Err(error) => {
                    this.give_up();
                    return Poll::Ready(Err(error));
                }
            }
        }
        Poll::Pending
    }
}
impl<B, A> Acquire<'_, B, A> {
    fn queue(&mut self, context: &Context<'_>) {
        let waker = context.waker().clone(); // the user's code: no lock is held
        let mut wanting = self.pool.shared.wanting.lock();
        let ticket = *self.ticket.get_or_insert_with(|| {
            wanting.next += 1;
            wanting.next
        });
        let replaced = match wanting.queue.iter_mut().find(|waiting| waiting.0 == ticket) {
            Some(waiting) => Some(std::mem::replace(&mut waiting.1, waker)),
            None => {
                // One that was woken in vain does not lose its turn.
                let at = wanting.queue.partition_point(|waiting| waiting.0 < ticket);
                wanting.queue.insert(at, (ticket, waker));
                None
            }
        };
        drop(wanting);
        drop(replaced); // a waker's destructor is the user's code
    }
    /// Takes its place off the list. Answers whether it was there: if not, it was woken.
    fn leave(&mut self) -> Left {
        let Some(ticket) = self.ticket.take() else { return Left::NeverWaited };
        let mut wanting = self.pool.shared.wanting.lock();
        match wanting.queue.iter().position(|waiting| waiting.0 == ticket) {
            Some(at) => {
                let mine = wanting.queue.remove(at);
                drop(wanting);
                drop(mine); // a waker's destructor is the user's code
                Left::Waiting
            }
            None => Left::Woken,
        }
    }
}
impl<B, A> Acquire<'_, B, A> {
    /// Woken, and given up before it had a stream: the next one gets the wake.
    fn give_up(&mut self) {
        if self.leave() == Left::Woken {
            let next = self.pool.shared.wanting.lock().queue.pop_front();
            if let Some((_, waker)) = next {
                waker.wake();
            }
        }
    }
}
impl<B, A> Drop for Acquire<'_, B, A> {
    fn drop(&mut self) {
        self.give_up();
    }
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Left {
    NeverWaited,
    Waiting,
    Woken,
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
        Acquire { pool: self, key, ticket: None }
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
            let room = room.min(wanting.queue.len());
            wanting.queue.drain(..room).map(|waiting| waiting.1).collect()
        };
        let count = u32::try_from(woken.len()).unwrap_or(u32::MAX);
        for_each_in_spite_of_panics(woken, Waker::wake);
        count
    }
}

/// Whether everybody is woken, because the answer will be an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WakeAll {
    Yes,
    No,
}
