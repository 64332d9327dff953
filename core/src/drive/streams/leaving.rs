//! Streams that leave the pool with work pending: an event stays for whoever remembers that work.

use super::{StreamPool, guard::Relaxed, refused};
use crate::{
    backend::streams::{StreamBackend, StreamState},
    error::{Closed, StreamError},
    stream::{Last, Lease, Reach, Slot},
    sync::Arc,
};

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Closes a stream whose work may be unfinished, with an event to wait for in its place.
    pub(super) fn leave(&self, lease: &Lease<A>, cause: Closed) -> Result<(), StreamError> {
        let (slot, stream) = (lease.slot(), lease.stream());
        let place = slot.key().place;
        let disposal = self.await_disposal(place).ok(); // without one, a pump makes it
        {
            let mut tenancy = self.open(lease)?;
            let event = self.event(place).map_err(|cause| refused(stream, cause))?;
            if let Err(cause) = self.driver.record_event(event, slot.raw()) {
                self.event_back(place, event);
                return Err(refused(stream, cause));
            }
            tenancy.final_event = Some(Last { event, reach: Reach::Stream });
            tenancy.close(cause);
        }
        if let Some(disposal) = disposal {
            self.follow_left(slot, &disposal);
        }
        self.shared.pool().remember_left(slot.clone());
        Ok(())
    }
    /// Lets the disposal stream follow what a closed stream left, and puts an event of the disposal stream in
    /// place of its own. What the driver refuses of this is tried again by a later pump; until then nobody takes it
    /// for done.
    fn follow_left(&self, slot: &Slot<A>, disposal: &Slot<A>) {
        let place = slot.key().place;
        let own = {
            let mut tenancy = slot.lock();
            let Some(last) = &mut tenancy.final_event else { return };
            match last.reach {
                Reach::Disposal => return,
                Reach::Followed => {}
                Reach::Stream => {
                    if self.driver.stream_wait(disposal.raw(), last.event).is_err() {
                        return;
                    }
                    last.reach = Reach::Followed;
                }
            }
            last.event
        };
        // Not the same event: what it says after a recording that was refused, nobody knows.
        let recorded = {
            let mut hold = disposal.lock();
            let recorded = self.event(place).ok().and_then(|event| {
                let recorded = self.driver.record_event(event, disposal.raw());
                match recorded {
                    Ok(()) => Some(event),
                    Err(_) => {
                        self.event_back(place, event);
                        None
                    }
                }
            });
            let _position = self.count(disposal, &mut hold); // the wait is work of its own
            recorded
        };
        let Some(event) = recorded else { return };
        let mut tenancy = slot.lock();
        // Otherwise its device was reset meanwhile, and both events went with it.
        if let Some(last) = &mut tenancy.final_event
            && last.event == own
        {
            *last = Last::on_disposal(event);
            drop(tenancy);
            self.event_back(place, own);
        }
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
        let reach = |slot: &Slot<A>| slot.lock().final_event.map(|last| last.reach);
        if matches!(reach(slot), Some(Reach::Stream | Reach::Followed)) {
            let place = slot.key().place;
            let _made = self.make_disposal(place);
            if let Some(disposal) = self.disposal(place) {
                self.follow_left(slot, &disposal);
            }
        }
        // With the lock: whoever destroys the stream takes the event with it.
        let mut tenancy = slot.lock();
        let event = match tenancy.final_event {
            None => return Left::Nothing,
            Some(Last { event, reach: Reach::Disposal }) => event,
            Some(_) => return Left::Pending,
        };
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
