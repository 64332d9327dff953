//! Raw handles from elsewhere.

use super::{StreamPool, refused};
use crate::{
    backend::streams::StreamBackend,
    error::{Closed, StreamError},
    id::{RawStream, StreamKey, StreamRef},
    stream::{Handle, Kind, Lease, Made, Slot},
    sync::Arc,
};

/// What a raw handle is.
#[derive(Debug)]
#[must_use]
pub enum Wrapped<A = ()> {
    /// A stream of the pool: this tenancy of it. Its owner has the lease.
    Pooled(StreamRef),
    /// Somebody else's stream. The pool never hands it on and never destroys it.
    External(Lease<A>),
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Makes a stream out of a raw handle. The handle of a pooled stream gives the pooled stream, whatever
    /// object it came from (T12). `key` says where an external stream lives.
    ///
    /// # Errors
    /// [`StreamError::NotOneStream`] for the default streams (0, 1 and 2 of HIP and CUDA).
    pub fn wrap_external(&self, raw: RawStream, key: StreamKey) -> Result<Wrapped<A>, StreamError> {
        self.usable()?;
        if raw.as_u64() <= 2 {
            return Err(StreamError::NotOneStream { raw });
        }
        if !planted!(WrapMakesAnother) {
            let known = self.shared.pool.lock().by_raw(raw).cloned();
            if let Some(slot) = known {
                return Ok(self.wrapped(&slot));
            }
        }
        let attachment = (self.attach)(raw);
        let made = Made { key, raw, word: None, kind: Kind::External, attachment };
        let slot = self.shared.pool.lock().adopt(made);
        slot.lock().handle = Handle::Exposed;
        Ok(Wrapped::External(Slot::lease(&slot)))
    }
    fn wrapped(&self, slot: &Arc<Slot<A>>) -> Wrapped<A> {
        match slot.kind() {
            Kind::External => Wrapped::External(Slot::lease(slot)),
            _ => {
                let mut tenancy = slot.lock();
                // Whoever has the raw handle may submit by it.
                tenancy.handle = Handle::Exposed;
                Wrapped::Pooled(slot.reference(tenancy.generation))
            }
        }
    }
    /// Ends the pool's interest in an external stream, before its owner destroys it: an event is left that
    /// covers its work, for whoever still remembers it.
    ///
    /// A wrapping that is dropped without this leaves its work unknowable: memory that it used is leaked.
    ///
    /// # Errors
    /// [`StreamError::Capturing`]; what the driver says.
    pub fn unwrap_external(&self, lease: Lease<A>) -> Result<(), StreamError> {
        self.usable()?;
        let stream = lease.stream();
        self.ours(stream)?;
        let slot = lease.slot();
        if slot.kind() != Kind::External {
            return Err(StreamError::Stale { stream });
        }
        {
            let mut tenancy = slot.lock();
            if self.captures_now(slot, &tenancy) {
                return Err(StreamError::Capturing { stream });
            }
            let place = slot.key().place;
            let event = self.event(place).map_err(|cause| refused(stream, cause))?;
            let recorded = self.driver.record_event(event, slot.raw());
            recorded.map_err(|cause| refused(stream, cause))?;
            tenancy.final_event = Some(event);
            tenancy.close(Closed::Trimmed);
        }
        self.shared.pool.lock().release_external(stream);
        Ok(())
    }
}
