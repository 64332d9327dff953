//! Raw handles from elsewhere.

use super::{StreamPool, guard::Relaxed, refused};
use crate::{
    backend::streams::{StreamBackend, StreamState},
    error::{Closed, StreamError},
    id::{RawStream, StreamKey, StreamRef},
    stream::{Handle, Kind, Lease, Made, Slot},
    sync::Arc,
};

/// What a raw handle is.
///
/// ```
/// use ringfence::{backend::streams::StreamBackend, drive::*, error::StreamError, id::*, stream::*};
///
/// /// Remembers work that a library has submitted by a handle of its own, of whatever origin.
/// fn note<B: StreamBackend>(
///     pool: &StreamPool<B>, raw: RawStream, key: StreamKey, array: &mut Stamp,
/// ) -> Result<Option<Lease>, StreamError> {
///     let (stream, lease) = match pool.wrap_external(raw, key)? {
///         Wrapped::Pooled(stream) => (stream, None), // its owner has the lease
///         Wrapped::External(lease) => (lease.stream(), Some(lease)),
///     };
///     array.add(pool.touch(stream)?, Access::Write);
///     Ok(lease) // to be kept until `unwrap_external`, before the stream is destroyed
/// }
/// ```
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
        self.shared.pool().collect_externals();
        if let Some(slot) = self.known(raw) {
            return Ok(self.wrapped(&slot));
        }
        let _made = self.make_disposal(key.place); // for the memory that it will use
        let attachment = (self.attach)(raw);
        let made = Made { key, raw, word: None, kind: Kind::External, attachment };
        let slot = {
            let mut pool = self.shared.pool();
            // Somebody may have wrapped it in between.
            match pool.by_raw(raw).filter(|_| !planted!(WrapMakesAnother)).cloned() {
                Some(slot) => {
                    drop(pool); // what was attached in vain is the user's
                    return Ok(self.wrapped(&slot));
                }
                None => pool.adopt(made),
            }
        };
        slot.lock().handle = Handle::Exposed;
        Ok(Wrapped::External(Slot::lease(&slot)))
    }
    fn known(&self, raw: RawStream) -> Option<Arc<Slot<A>>> {
        let known = self.shared.pool().by_raw(raw).cloned()?;
        // A closed stream's handle is somebody else's by now, or nobody's.
        (known.closed().is_none() && !planted!(WrapMakesAnother)).then_some(known)
    }
    pub(super) fn collect_externals(&self) {
        self.shared.pool().collect_externals();
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
    /// A wrapping that is dropped without this leaves its work unknowable: memory that it used is leaked. The stream is not
    /// asked about from then on, but another thread may be in the middle of a call about it; after this function none is.
    ///
    /// # Errors
    /// [`StreamError::Capturing`]; what the driver says. The interest has ended all the same, as if the wrapping had been
    /// dropped.
    pub fn unwrap_external(&self, lease: Lease<A>) -> Result<(), StreamError> {
        let stream = lease.stream();
        if lease.slot().kind() != Kind::External {
            return Err(StreamError::Stale { stream });
        }
        self.ours(stream)?;
        let left = self.leave(&lease, Closed::Disowned);
        if left.is_err() {
            // The handle is its owner's alone from here on, whatever the driver said.
            lease.slot().close(Closed::Disowned);
        }
        self.shared.pool().forget_raw(lease.slot());
        left
    }
    /// Takes a stream out of the pool, for an owner who wants to destroy it, or keep it for ever. The pool never
    /// calls the driver about it again. An event is left that covers its work.
    ///
    /// To destroy a pooled stream without this is noticed where the driver reports a stale handle (HIP before
    /// 7.0), and is a crash where it does not.
    ///
    /// # Errors
    /// [`StreamError::Capturing`]; what the driver says.
    ///
    /// ```
    /// # use ringfence::{backend::streams::*, drive::StreamPool, error::*, id::StreamKey};
    /// # fn own<B: StreamBackend>(pool: &StreamPool<B>, key: StreamKey) -> Result<(), StreamError> {
    /// let lease = pool.acquire(key)?;
    /// let stream = lease.stream();
    /// let raw = pool.disown(lease)?;
    /// assert!(!pool.is_current(stream));
    /// // The caller's from here on, to keep or to destroy:
    /// pool.driver().destroy(raw).map_err(|cause| StreamError::Driver { stream, cause })
    /// # }
    /// ```
    pub fn disown(&self, lease: Lease<A>) -> Result<RawStream, StreamError> {
        self.leave(&lease, Closed::Disowned)?;
        self.shared.pool().forget_raw(lease.slot());
        Ok(lease.slot().raw())
    }
    /// Closes a stream whose work may be unfinished, with an event to wait for in its place.
    fn leave(&self, lease: &Lease<A>, cause: Closed) -> Result<(), StreamError> {
        let (slot, stream) = (lease.slot(), lease.stream());
        let disposal = self.disposal(slot.key().place);
        let mut tenancy = self.open(lease)?;
        let event = self.event(slot.key().place).map_err(|cause| refused(stream, cause))?;
        let recorded = self.driver.record_event(event, slot.raw());
        recorded.map_err(|cause| refused(stream, cause))?;
        tenancy.final_event = Some(event);
        tenancy.close(cause);
        let followed =
            disposal.filter(|disposal| self.driver.stream_wait(disposal.raw(), event).is_ok());
        drop(tenancy);
        if let Some(disposal) = followed {
            let mut hold = disposal.lock();
            // From here on the event is one of a stream that never captures, and may be asked about.
            let recorded = self.driver.record_event(event, disposal.raw()).is_ok();
            let _position = self.count(&disposal, &mut hold);
            drop(hold);
            if recorded {
                self.shared.pool().remember_left(slot.clone());
            }
        }
        Ok(())
    }
    /// Asks about streams that were closed with work pending: once it is finished nobody has to remember them.
    pub(super) fn settle_left(&self) {
        let left = self.shared.pool().take_left();
        for slot in left {
            let Some(event) = slot.lock().final_event else { continue };
            let finished = {
                let _relaxed = Relaxed::enter(&self.driver);
                self.driver.query_event(event) == StreamState::Idle
            };
            if !finished {
                self.shared.pool().remember_left(slot);
                continue;
            }
            let event = {
                let mut tenancy = slot.lock();
                tenancy.saw_idle();
                tenancy.final_event.take()
            };
            if let Some(event) = event {
                self.driver.destroy_event(event);
            }
            // The others are destroyed one day, and forgotten then.
            if slot.closed() == Some(Closed::Disowned) {
                self.shared.pool().forget(&slot);
            }
        }
    }
}
