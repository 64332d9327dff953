//! Streams from elsewhere, and streams that leave the pool.

use std::{
    collections::HashMap,
    mem::MaybeUninit,
    sync::{Mutex, MutexGuard, PoisonError},
};

use ringfence::{
    drive::{StreamPool, Wrapped},
    id::{RawStream, StreamId, StreamKey},
    stream::Lease,
};

use super::{
    driver::Driver,
    object::{LEASES, Raw, give_lease, lease_of, pool_of},
    types::{ringfence_lease_t, ringfence_pool_t, ringfence_stream_key_t, ringfence_stream_ref_t},
};
use crate::{
    border::{border, there},
    status::{Failure, ringfence_status_t},
};

/// Streams of somebody else's that the driver was made to know, each with the stream of the pool that it is. One that was wrapped
/// twice is forgotten once: by the second time its handle may be another stream's.
#[derive(Default)]
pub(crate) struct Foreign(Mutex<HashMap<RawStream, StreamId>>);
impl Foreign {
    fn known(&self) -> MutexGuard<'_, HashMap<RawStream, StreamId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn adopt(
        &self,
        pool: &StreamPool<Driver>,
        raw: RawStream,
        key: StreamKey,
        own: &Lease,
    ) -> Result<(), Failure> {
        let mut known = self.known();
        if known.get(&raw) != Some(&own.stream().id()) {
            pool.driver().adopt(raw, key.place)?;
            known.insert(raw, own.stream().id());
        }
        Ok(())
    }
    /// Takes a stream out of the list: who gets its handle lets the driver forget it, which may wait, with no lock held.
    fn take(&self, of: StreamId) -> Option<RawStream> {
        self.known().extract_if(|_, stream| *stream == of).next().map(|(raw, _)| raw)
    }
}

/// Makes a stream out of a raw handle. The handle of a pooled stream gives the pooled stream: `*lease` is 0 then, since its
/// owner has the lease. Somebody else's stream gives a lease; the pool never hands it on and never destroys it. `stream`
/// may be NULL: which tenancy of which stream it is. `key` says where the stream lives.
///
/// Gives: `*lease`: `ringfence_pool_unwrap_external` ends it before the stream's owner destroys the stream.
/// Errors: `RINGFENCE_NOT_ONE_STREAM` for 0, 1 and 2; `RINGFENCE_INVALID_ARGUMENT` for a GPU that HIP does not have.
/// Threads: any, at once. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_pool_wrap_external(
    pool: ringfence_pool_t,
    raw: u64,
    key: Option<&ringfence_stream_key_t>,
    lease: Option<&mut MaybeUninit<ringfence_lease_t>>,
    stream: Option<&mut MaybeUninit<ringfence_stream_ref_t>>,
) -> ringfence_status_t {
    border(|| {
        let (object, lease) = (pool_of(pool)?, there(lease, "lease")?);
        let key = there(key, "key")?.read()?;
        let raw = RawStream::new(raw);
        let (handle, is) = match object.pool.wrap_external(raw, key)? {
            Wrapped::Pooled(stream) => (ringfence_lease_t::default(), stream),
            Wrapped::External(own) => {
                let is = own.stream();
                object.foreign.adopt(&object.pool, raw, key, &own)?;
                let handle = give_lease(own)?;
                LEASES.alone(handle.handle)?.handle = Raw::Exposed;
                (handle, is)
            }
        };
        lease.write(handle);
        if let Some(stream) = stream {
            stream.write(is.into());
        }
        Ok(())
    })
}
/// Ends the pool's interest in an external stream, before its owner destroys it: an event is left that covers its work. It waits
/// for calls of other threads that are in the driver about the stream, and so is not for a callback of work that goes there.
///
/// Takes: `lease`, also when it fails. Errors: `RINGFENCE_CAPTURING`, `RINGFENCE_STALE_STREAM` for a stream of the pool,
/// `RINGFENCE_DRIVER`. Threads: the lease's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_pool_unwrap_external(
    pool: ringfence_pool_t,
    lease: ringfence_lease_t,
) -> ringfence_status_t {
    border(|| {
        let object = pool_of(pool)?;
        object.own(lease_of(lease)?.lease.stream().pool(), "lease")?;
        let own = LEASES.take(lease.handle)?;
        let stream = own.lease.stream().id();
        let unwrapped = object.pool.unwrap_external(own.lease);
        // Whatever the driver said: the pool asks it about this stream no more.
        if let Some(raw) = object.foreign.take(stream) {
            object.pool.driver().forget(raw);
        }
        Ok(unwrapped?)
    })
}
/// Takes a stream out of the pool, for an owner who wants to destroy it, or keep it for ever: `*stream` is the driver's
/// handle. The pool never calls the driver about it again; an event is left that covers its work. It waits as
/// `ringfence_pool_unwrap_external` does.
///
/// Takes: `lease`, also when it fails. Errors: `RINGFENCE_CAPTURING`, `RINGFENCE_DRIVER`. Threads: the lease's owner.
/// Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_pool_disown(
    pool: ringfence_pool_t,
    lease: ringfence_lease_t,
    stream: Option<&mut MaybeUninit<u64>>,
) -> ringfence_status_t {
    border(|| {
        let (object, stream) = (pool_of(pool)?, there(stream, "stream")?);
        object.own(lease_of(lease)?.lease.stream().pool(), "lease")?;
        let own = LEASES.take(lease.handle)?;
        let of = own.lease.stream().id();
        let disowned = object.pool.disown(own.lease);
        // Also one that was not disowned, if it is somebody else's: its lease is gone, and the pool asks about it no more.
        let foreign = object.foreign.take(of);
        if let Some(raw) = disowned.as_ref().ok().copied().or(foreign) {
            object.pool.driver().forget(raw);
        }
        let raw = disowned?;
        stream.write(raw.as_u64());
        Ok(())
    })
}
