//! Streams that leave the pool with work pending: an event stays for whoever remembers that work.

use super::{StreamPool, guard::Relaxed, refused};
use crate::{
    backend::streams::{StreamBackend, StreamState},
    error::{Closed, StreamError},
    stream::{Lease, Slot, Standing},
    sync::Arc,
};

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Closes a stream whose work may be unfinished, with an event to wait for in its place: one of the disposal stream,
    /// which follows that work. An event of the stream itself is of no use once its owner has destroyed it.
    ///
    /// # Errors
    /// Where no such event could be had; the stream is as it was.
    pub(super) fn leave(&self, lease: &Lease<A>, cause: Closed) -> Result<(), StreamError> {
        let (slot, stream) = (lease.slot(), lease.stream());
        let place = slot.key().place;
        drop(self.open(lease)?); // before any other call of the driver
        let disposal = self.await_disposal(place)?;
        let own = self.event(place).map_err(|cause| refused(stream, cause))?;
        let followed = self.open(lease).and_then(|_open| {
            let recorded = self.driver.record_event(own, slot.raw());
            let followed = recorded.and_then(|()| self.driver.stream_wait(disposal.raw(), own));
            followed.map_err(|cause| refused(stream, cause))
        });
        self.event_back(place, own);
        followed?;
        // Another event: what one says after a recording that was refused, nobody knows.
        let last = self.event(place);
        let recorded = {
            let mut hold = disposal.lock();
            let recorded = last.and_then(|last| self.driver.record_event(last, disposal.raw()));
            let _position = self.count(&disposal, &mut hold); // the wait is work of its own
            recorded
        };
        match (last, recorded) {
            (Ok(last), Ok(())) => {
                let mut tenancy = slot.lock();
                if tenancy.standing != Standing::Open {
                    return Err(StreamError::Stale { stream }); // its device was reset: the event went with it
                }
                tenancy.final_event = Some(last);
                tenancy.close(cause);
            }
            (last, recorded) => {
                if let Ok(last) = last {
                    self.event_back(place, last);
                }
                return recorded.map_err(|cause| refused(stream, cause));
            }
        }
        self.shared.pool().remember_left(slot.clone());
        Ok(())
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
        let Some(event) = tenancy.final_event else { return Left::Nothing };
        let state = {
            let _relaxed = Relaxed::enter(&self.driver);
            self.driver.query_event(event)
        };
        if state != StreamState::Idle {
            return Left::Pending;
        }
        tenancy.saw_idle();
        tenancy.final_event = None;
        drop(tenancy);
        self.driver.destroy_event(event);
        Left::Finished
    }
    fn forget_left(&self, slot: &Arc<Slot<A>>) {
        // The others are destroyed one day, and forgotten then.
        if slot.closed() == Some(Closed::Disowned) {
            let known = self.shared.pool().forget(slot);
            drop(known); // what the user attached may go with it: no lock is held
        }
    }
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
