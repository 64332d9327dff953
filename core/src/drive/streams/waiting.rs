//! Waiting on the host, and in the place of streams that cannot be waited for: by a word, or by a stream of ours that never captures (T5).

use std::time::Duration;

use super::{Ordered, StreamPool, guard::Relaxed, kept::Kept, refused};
use crate::{
    backend::streams::{StreamBackend, StreamWait},
    error::{DriverCode, DriverError, StreamError},
    id::{DeviceContext, StreamKey},
    stream::{Kind, Made, Slot, Tenancy, Touch, Why},
    sync::{Arc, StreamGuard},
};

/// Somebody waits by a stream's word, which is not closed meanwhile; also when the wait panics.
struct Waiter<'s, A>(&'s Slot<A>);
impl<'s, A> Waiter<'s, A> {
    fn of(slot: &'s Slot<A>, mut tenancy: StreamGuard<'_, Tenancy>) -> Self {
        tenancy.waiters += 1;
        Self(slot)
    }
}
impl<A> Drop for Waiter<'_, A> {
    fn drop(&mut self) {
        self.0.lock().waiters -= 1;
    }
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// A host wait holds no lock, and uses a progress word, or an event of a stream of ours that never
    /// captures (T5).
    pub(super) fn wait_on_host(
        &self,
        slot: &Arc<Slot<A>>,
        touch: Touch,
        limit: Duration,
    ) -> Result<(), StreamError> {
        let stream = touch.stream();
        let mut tenancy = slot.lock();
        if self.finished(slot, &mut tenancy, touch) {
            return Ok(());
        }
        let waited = match slot.word().filter(|_| touch.position() <= tenancy.marked) {
            Some(word) => {
                let _waiter = Waiter::of(slot, tenancy);
                self.driver.wait_progress(word, touch.position(), limit)
            }
            None => {
                drop(tenancy);
                self.wait_by_event(slot, touch, limit)?
            }
        };
        // The stream itself is asked, in spite of its word and of what else the event stands behind: of one in error no word comes.
        let waited = match waited {
            StreamWait::TimedOut => self.asked(slot, touch)?.unwrap_or(waited),
            waited => waited,
        };
        match waited {
            StreamWait::Finished => Ok(()),
            StreamWait::TimedOut => {
                Err(StreamError::TimedOut { stream, position: touch.position() })
            }
            // Somebody captures, not necessarily this stream.
            StreamWait::Unknown => {
                let code = DriverCode::new(900);
                Err(StreamError::Driver { stream, cause: DriverError::CaptureConflict(code) })
            }
            StreamWait::Failed(cause) => Err(refused(stream, cause)),
        }
    }
    /// What the driver says of the stream itself. `None`: nothing new.
    fn asked(&self, slot: &Slot<A>, touch: Touch) -> Result<Option<StreamWait>, StreamError> {
        match self.ask_in_spite_of_the_word(slot) {
            Err(Why::Bad(cause)) => Err(refused(touch.stream(), cause)),
            _ => {
                let finished = self.finished(slot, &mut slot.lock(), touch);
                Ok(finished.then_some(StreamWait::Finished))
            }
        }
    }
    fn wait_by_event(
        &self,
        slot: &Arc<Slot<A>>,
        touch: Touch,
        limit: Duration,
    ) -> Result<StreamWait, StreamError> {
        // It may be finished without anybody having looked.
        if let Some(finished) = self.asked(slot, touch)? {
            return Ok(finished);
        }
        let stream = touch.stream();
        let place = slot.key().place;
        let ours = self.waiting_stream(place)?;
        if self.wait_on_device(slot, touch, &ours)? == Ordered::Already {
            return Ok(StreamWait::Finished);
        }
        let event = self.event(place).map_err(|cause| refused(stream, cause))?;
        let recorded = {
            let _hold = ours.lock();
            self.driver.record_event(event.raw, ours.raw())
        };
        let waited = recorded.map(|()| {
            let _relaxed = Relaxed::enter(&self.driver);
            self.driver.synchronize_event(event.raw, limit)
        });
        self.event_back(event);
        waited.map_err(|cause| refused(stream, cause))
    }
    /// A stream of ours to wait for one piece of work: an idle one where there is any, since an event of it stands behind all that
    /// it waits for. Frees are on another.
    pub(super) fn waiting_stream(&self, place: DeviceContext) -> Result<Arc<Slot<A>>, StreamError> {
        let ready = self.shared.pool().waiting(place).to_vec();
        let idle = ready.iter().find(|slot| {
            slot.try_lock().is_some_and(|mut tenancy| self.prove_idle(slot, &mut tenancy).0.is_ok())
        });
        if let Some(idle) = idle {
            return Ok(idle.clone());
        }
        if let Some(new) = self.make_waiting(place) {
            return Ok(new);
        }
        // None is to be had: behind others' work, the one that was made first.
        match ready.into_iter().find(|slot| slot.closed().is_none()) {
            Some(slot) => Ok(slot),
            None => self.await_disposal(place),
        }
    }
    fn make_waiting(&self, place: DeviceContext) -> Option<Arc<Slot<A>>> {
        self.usable().ok()?; // after the pool's end none is made (T10)
        let claimed = self.shared.pool().claim_waiting(place)?;
        let claim = Kept::of(&self.shared, (place, claimed), |shared, (place, claimed)| {
            shared.pool().abandon_waiting(place, claimed);
        });
        let key = StreamKey::new(place);
        let (raw, word) = self.new_stream(key).ok()?;
        let attachment = self.attachment(raw, word);
        let made = Made { key, raw, word, kind: Kind::Waiting, attachment };
        let mut pool = self.shared.pool();
        // Its handle may have gone with the device while it was made.
        let current = pool.resets(place.device) == claimed;
        let slot = current.then(|| pool.adopt(made));
        drop(pool);
        claim.take();
        slot
    }
}
