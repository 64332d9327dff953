//! Streams that leave the pool with work pending: an event stays for whoever remembers that work.

use super::{StreamPool, guard::Relaxed, refused};
use crate::{
    backend::streams::{StreamBackend, StreamState},
    error::{Closed, StreamError},
    id::Position,
    stream::{Captures, Cover, Lease, Slot, Standing},
    sync::Arc,
};

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Closes a stream whose work may be unfinished, with an event to wait for in its place: one of the disposal stream,
    /// which follows that work. An event of the stream itself is of no use once its owner has destroyed it.
    ///
    /// # Errors
    /// Where no such event could be had; the stream is as it was.
    pub(super) fn leave(&self, lease: &Lease<A>, cause: Closed) -> Result<(), StreamError> {
        drop(self.open(lease)?); // before any other call of the driver
        let disposal = self.await_disposal(lease.slot().key().place)?;
        loop {
            let counted = self.follow_by(&disposal, lease)?;
            if self.close_behind(&disposal, lease, counted, cause)? == Covered::Yes {
                self.shared.pool().remember_left(lease.slot().clone());
                return Ok(());
            }
        }
    }
    /// Lets the disposal stream follow the work of a stream. Answers with how far that goes.
    fn follow_by(&self, disposal: &Slot<A>, lease: &Lease<A>) -> Result<Position, StreamError> {
        let (slot, stream) = (lease.slot(), lease.stream());
        let place = slot.key().place;
        let own = self.event(place).map_err(|cause| refused(stream, cause))?;
        let followed = self.open(lease).and_then(|mut tenancy| {
            let recorded = self.driver.record_event(own.raw, slot.raw());
            tenancy.note_refusal(recorded);
            let followed = recorded.and_then(|()| self.driver.stream_wait(disposal.raw(), own.raw));
            let position = tenancy.so_far();
            followed.map(|()| position).map_err(|cause| refused(stream, cause))
        });
        self.event_back(own);
        followed
    }
    /// Closes the stream with an event of the disposal stream, unless more was submitted since that followed it.
    fn close_behind(
        &self,
        disposal: &Slot<A>,
        lease: &Lease<A>,
        counted: Position,
        cause: Closed,
    ) -> Result<Covered, StreamError> {
        let (slot, stream) = (lease.slot(), lease.stream());
        let place = slot.key().place;
        // Another event: what one says after a recording that was refused, nobody knows.
        let last = self.event(place);
        let recorded = {
            let mut hold = disposal.lock();
            let recorded = last.and_then(|last| self.driver.record_event(last.raw, disposal.raw()));
            let _position = self.count(disposal, &mut hold); // the wait is work of its own
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
            tenancy.final_event = last.ok().map(|event| Cover { event, position: counted });
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
        for slot in left {
            match self.look_at_left(&slot) {
                Left::Pending => self.shared.pool().remember_left(slot),
                Left::Finished => self.forget_left(&slot),
                Left::Nothing => {}
            }
        }
    }
    fn look_at_left(&self, slot: &Arc<Slot<A>>) -> Left {
        // With the lock: whoever destroys the stream takes the event with it.
        let mut tenancy = slot.lock();
        let Some(last) = tenancy.final_event else { return Left::Nothing };
        let state = {
            let _relaxed = Relaxed::enter(&self.driver);
            self.driver.query_event(last.event.raw)
        };
        if state != StreamState::Idle {
            return Left::Pending;
        }
        tenancy.saw(last.position);
        tenancy.final_event = None;
        let all = tenancy.covers(tenancy.counted);
        drop(tenancy);
        self.event_gone(last.event);
        match all {
            true => Left::Finished,
            false => Left::Nothing, // of what another thread submitted meanwhile nobody ever knows
        }
    }
    fn forget_left(&self, slot: &Arc<Slot<A>>) {
        // The others are destroyed one day, and forgotten then.
        if slot.closed() == Some(Closed::Disowned) {
            let known = self.shared.pool().forget(slot);
            drop(known); // what the user attached may go with it: no lock is held
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
enum Left {
    /// It is not known to be finished.
    Pending,
    /// It is.
    Finished,
    /// There is none, or somebody else saw to it.
    Nothing,
}
