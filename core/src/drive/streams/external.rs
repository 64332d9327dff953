//! Raw handles from elsewhere.

use super::StreamPool;
use crate::{
    backend::streams::StreamBackend,
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

/// Whether the pool has a stream with a raw handle.
enum Known<A> {
    /// It has none.
    Not,
    /// One that exists.
    Ours(Arc<Slot<A>>),
    /// One that exists no more, or is its owner's alone: its handle is somebody else's by now, or nobody's.
    Dead(Arc<Slot<A>>),
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
        self.collect_externals();
        let dead = match self.known(raw) {
            Known::Ours(slot) => return Ok(self.wrapped(&slot)),
            Known::Dead(slot) => Some(slot),
            Known::Not => None,
        };
        let _made = self.make_disposal(key.place); // for the memory that it will use
        let attachment = (self.attach)(raw);
        let made = Made { key, raw, word: None, kind: Kind::External, attachment };
        let slot = {
            let mut pool = self.shared.pool();
            // Somebody may have wrapped it in between. What is dead stays so, and its handle has another owner.
            let is_dead =
                |slot: &&Arc<Slot<A>>| dead.as_ref().is_some_and(|d| Arc::ptr_eq(d, slot));
            let known = pool.by_raw(raw).filter(|slot| !is_dead(slot));
            match known.filter(|_| !planted!(WrapMakesAnother)).cloned() {
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
    fn known(&self, raw: RawStream) -> Known<A> {
        let Some(slot) = self.shared.pool().by_raw(raw).cloned() else { return Known::Not };
        match slot.closed() {
            _ if planted!(WrapMakesAnother) => Known::Not,
            // It exists until its work is proven finished.
            None | Some(Closed::Capture | Closed::Trimmed | Closed::Reserved) => Known::Ours(slot),
            Some(Closed::Bad | Closed::Lost | Closed::Disowned | Closed::Reset) => {
                Known::Dead(slot)
            }
        }
    }
    pub(super) fn collect_externals(&self) {
        let gone = self.shared.pool().collect_externals();
        drop(gone); // what the user attached goes with it: no lock is held
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
    /// asked about from then on, but another thread may be in the middle of a call about it; after this function none is, but for one
    /// that submits by another lease of the stream: that gets [`StreamError::Stale`], and whether its work ran is known to nobody.
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
}
