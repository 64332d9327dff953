//! One stream follows another on the device: an event of the one, and a wait of the other.

use super::{StreamPool, refused};
use crate::{
    backend::streams::StreamBackend,
    error::{DriverError, StreamError},
    id::StreamRef,
    stream::{Slot, Tenancy},
    sync::StreamGuard,
};

/// Why a stream does not follow another.
pub(super) enum Refusal {
    /// The other one captures: an event of it is its capture's, and who waits for that joins it.
    Capturing,
    /// The driver refused to record on it.
    Recording(DriverError),
    /// The driver refused the wait: an error of the one that was to follow.
    Waiting(DriverError),
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Records what is on a stream and lets `waiter` wait for that, in one hold of the stream's lock (T5).
    pub(super) fn record_and_wait(
        &self,
        slot: &Slot<A>,
        held: &mut Option<StreamGuard<'_, Tenancy>>,
        waiter: &Slot<A>,
    ) -> Result<(), Refusal> {
        let event = self.event(slot.key().place).map_err(Refusal::Recording)?;
        let recorded = self.driver.record_event(event.raw, slot.raw());
        if let Some(tenancy) = held {
            tenancy.note_refusal(recorded);
            // Whoever has the handle may have begun a capture since this thread looked.
            if recorded.is_ok() && self.captures_now(slot, tenancy) {
                self.event_gone(event); // it may be the capture's
                return Err(Refusal::Capturing);
            }
        }
        let waited = recorded.map_err(Refusal::Recording).and_then(|()| {
            self.driver.stream_wait(waiter.raw(), event.raw).map_err(Refusal::Waiting)
        });
        self.event_back(event);
        waited
    }
    /// What the caller is told, with no stream's lock held. A waiter that refuses for an error of its own is asked about before it is
    /// handed on (T9).
    pub(super) fn not_followed(
        &self,
        of: StreamRef,
        waiter: &Slot<A>,
        refusal: Refusal,
    ) -> StreamError {
        match refusal {
            Refusal::Capturing => StreamError::Capturing { stream: of },
            Refusal::Recording(cause) => refused(of, cause),
            Refusal::Waiting(cause) => {
                let mut tenancy = waiter.lock();
                tenancy.note_refusal::<()>(Err(cause));
                refused(waiter.reference(tenancy.generation), cause)
            }
        }
    }
}
