//! A stream that goes on with another hardware queue.

use super::{
    queue::HardwareQueue,
    submission::Submission,
    tracker::{Tail, Tracker},
};
use crate::{
    backend::{Device, PacketQueue},
    error::Error,
    id::{CacheScope, LaneId},
    placement::Role,
    ring::{IsFence, Probe},
    sync::Arc,
};

impl<D: Device, Q: PacketQueue> Tracker<D, Q> {
    /// The stream goes on with another hardware queue. What it left on the old one is followed there:
    /// proven by its own values and by fences of that queue, also those of other streams (S4).
    ///
    /// It does not order the new queue's work after the old one's: record an event before, and wait for
    /// it after, as far as that is wanted. A marker is left behind where nothing else would prove all of
    /// the stream's work there, and its data, to a later [`synchronize`](Self::synchronize).
    ///
    /// After a restart of the index space nothing can be left behind: what the old one holds has to be provable before
    /// (contract 1 of [`PacketQueue`]). Otherwise every later [`synchronize`](Self::synchronize) says that it may still run.
    ///
    /// # Errors
    /// What [`submit`](Self::submit) says of that marker; [`Error::SameQueueId`] for another queue of the same number.
    /// The stream is still on the old queue then.
    ///
    /// ```
    /// use ringfence::{backend::*, drive::*, error::Error, event::*};
    /// /// Goes on with another queue, in order.
    /// fn move_to<D: Device, Q: PacketQueue>(
    ///     tracker: &mut Tracker<D, Q>,
    ///     queue: HardwareQueue<Q>,
    /// ) -> Result<(), Error> {
    ///     let mut left = Event::new(EventOptions::default());
    ///     left.record(tracker)?;
    ///     let _old = tracker.switch_queue(queue)?;
    ///     left.wait_on(tracker) // without it, the new queue's work may come first
    /// }
    /// ```
    pub fn switch_queue(&mut self, queue: HardwareQueue<Q>) -> Result<HardwareQueue<Q>, Error> {
        let (old, new) = (self.queue.mark(), queue.mark());
        if new.lane() == old.lane() && !Arc::ptr_eq(new, old) {
            return Err(Error::SameQueueId { queue: new.lane().queue() });
        }
        // Not on a queue that restarted: its packets are of another generation by now.
        let same_generation = self.queue.lane() == self.lane();
        if let Some(tail) = self.tail.filter(|tail| !self.is_conclusive(tail)) {
            if same_generation {
                self.submit_own(Submission::marker(Role::HostQuery))?;
            } else if tail.release != CacheScope::System
                || !self.ring.mark().observe().covers(tail.of)
            {
                // Nobody else's fence proves it, with its data, either.
                self.unprovable = Some(tail.of);
            }
        }
        if queue.mark().lane() != self.lane() {
            self.ring.switch(queue.mark().clone());
            self.tail = self.left_behind(queue.mark().lane());
        }
        self.forget_batch_fence();
        Ok(std::mem::replace(&mut self.queue, queue))
    }
    /// The newest packet that the stream has on a queue that it comes back to, as far as it matters: the fence
    /// that it left behind there, or what was given up after it, which proves nothing (S21).
    fn left_behind(&self, lane: LaneId) -> Option<Tail> {
        let (left, given_up) = match &self.polling {
            Some(polling) => (polling.newest_on(lane), polling.given_up_on(lane)),
            None => {
                let fence = self.ring.newest_fence();
                (fence.as_ref().map(Probe::of), self.ring.given_up_on(lane))
            }
        };
        let of = left.into_iter().chain(given_up).max_by_key(|of| of.packet())?;
        let fence = if given_up == Some(of) { IsFence::No } else { IsFence::Yes };
        Some(Tail { of, fence, release: CacheScope::System })
    }
}
