//! Streams that leave the pool with work pending: an event stays for whoever remembers that work.

use super::{StreamPool, guard::Relaxed, kept::Kept, refused};
use crate::{
    backend::streams::{StreamBackend, StreamState},
    error::{Closed, StreamError},
    id::Position,
    stream::{Captures, Cover, Kind, Lease, Slot, Standing},
    sync::Arc,
};

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Closes a stream whose work may be unfinished, with an event to wait for in its place: one of a stream of ours,
    /// which follows that work. An event of the stream itself is of no use once its owner has destroyed it.
    ///
    /// # Errors
    /// Where no such event could be had; the stream is as it was.
    pub(super) fn leave(&self, lease: &Lease<A>, cause: Closed) -> Result<(), StreamError> {
        drop(self.open(lease)?); // before any other call of the driver
        let ours = self.waiting_stream(lease.slot().key().place)?;
        loop {
            let counted = self.follow_by(&ours, lease)?;
            if self.close_behind(&ours, lease, counted, cause)? == Covered::Yes {
                self.shared.pool().remember_left(lease.slot().clone());
                return Ok(());
            }
        }
    }
    /// Lets a stream of ours follow the work of a stream. Answers with how far that goes.
    fn follow_by(&self, ours: &Slot<A>, lease: &Lease<A>) -> Result<Position, StreamError> {
        let (slot, stream) = (lease.slot(), lease.stream());
        let mut held = Some(self.open(lease)?);
        let followed = self.record_and_wait(slot, &mut held, ours);
        let position = held.as_mut().map(|tenancy| tenancy.so_far()).unwrap_or_default();
        drop(held);
        followed.map_err(|refusal| self.not_followed(stream, ours, refusal))?;
        Ok(position)
    }
    /// Closes the stream with an event of that stream, unless more was submitted since that followed it.
    fn close_behind(
        &self,
        ours: &Slot<A>,
        lease: &Lease<A>,
        counted: Position,
        cause: Closed,
    ) -> Result<Covered, StreamError> {
        let (slot, stream) = (lease.slot(), lease.stream());
        let place = slot.key().place;
        // Another event: what one says after a recording that was refused, nobody knows.
        let last = self.event(place);
        let recorded = {
            let mut hold = ours.lock();
            let recorded = last.and_then(|last| self.driver.record_event(last.raw, ours.raw()));
            let _position = self.count(ours, &mut hold); // the wait is work of its own
            recorded
        };
        let ended = recorded.map_err(|cause| refused(stream, cause)).and_then(|()| {
            let mut tenancy = slot.lock();
            if tenancy.standing != Standing::Open {
                return Err(StreamError::Stale { stream }); // by somebody else who shares it, or a reset
            }
            if tenancy.counted != counted || tenancy.captures == Captures::Open {
                return Ok(Covered::No);
            }
            tenancy.final_event =
                last.ok().map(|event| Cover { event, on: ours.id(), position: counted });
            tenancy.close(cause);
            Ok(Covered::Yes)
        });
        if let (Ok(last), false) = (last, matches!(ended, Ok(Covered::Yes))) {
            self.event_back(last);
        }
        ended
    }
    /// Asks about streams that were closed with work pending: once it is finished nobody has to remember them.
    pub(super) fn settle_left(&self) {
        let left = self.shared.pool().take_left();
        let mut left = Kept::of(&self.shared, left, |shared, left| {
            let mut pool = shared.pool();
            left.into_iter().for_each(|slot| pool.remember_left(slot));
        });
        let mut at = 0;
        while let Some(slot) = left.get().get(at) {
            let state = self.look_at_left(slot);
            if state == Left::Pending {
                at += 1; // goes back
                continue;
            }
            let slot = left.get_mut().swap_remove(at);
            if state == Left::Finished {
                self.forget_left(&slot);
            }
        }
    }
    fn look_at_left(&self, slot: &Arc<Slot<A>>) -> Left {
        // With the lock: whoever destroys the stream takes the event with it.
        let mut tenancy = slot.lock();
        if let Some(last) = tenancy.final_event {
            let state = {
                let _relaxed = Relaxed::enter(&self.driver);
                self.driver.query_event(last.event.raw)
            };
            if state != StreamState::Idle {
                return Left::Pending;
            }
            tenancy.saw(last.position);
            tenancy.final_event = None;
            drop(tenancy);
            self.event_gone(last.event);
            tenancy = slot.lock();
        }
        match tenancy.covers(tenancy.counted) {
            false => Left::Nothing, // of what another thread submitted meanwhile nobody ever knows
            true if tenancy.waiters > 0 => Left::Pending, // they look at its word
            true => Left::Finished,
        }
    }
    /// Its work is finished. A stream that is somebody else's is known no more; the others are destroyed one day, and forgotten then.
    fn forget_left(&self, slot: &Arc<Slot<A>>) {
        if slot.closed() != Some(Closed::Disowned) && slot.kind() != Kind::External {
            return;
        }
        let known = self.shared.pool().forget(slot);
        drop(known); // what the user attached may go with it: no lock is held
        if let Some(word) = slot.word() {
            let _relaxed = Relaxed::enter(&self.driver); // a word may be pinned memory
            self.driver.close_progress(word); // every mark was before the event that is over
        }
    }
}

/// Whether an event covers all work of the stream that it is to stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Covered {
    Yes,
    /// More was submitted meanwhile.
    No,
}

/// What became of work that a stream left behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Left {
    /// It is not known to be finished.
    Pending,
    /// It is.
    Finished,
    /// There is none, or somebody else saw to it.
    Nothing,
}
