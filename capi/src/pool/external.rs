//! Streams from elsewhere, and streams that leave the pool.

use ringfence::{drive::Wrapped, id::RawStream};

use super::{
    object::{LEASES, Raw, give_lease, lease_of, pool_of},
    types::{ringfence_lease_t, ringfence_pool_t, ringfence_stream_key_t, ringfence_stream_ref_t},
};
use crate::{
    border::border,
    place::{In, Out},
    status::ringfence_status_t,
};

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
    key: In<ringfence_stream_key_t>,
    lease: Out<ringfence_lease_t>,
    stream: Out<ringfence_stream_ref_t>,
) -> ringfence_status_t {
    border(|| {
        let stream = stream.if_any("stream")?;
        let (object, lease) = (pool_of(pool)?, lease.there("lease")?);
        let key = key.there("key")?.read()?;
        let raw = RawStream::new(raw);
        let (handle, is) = match object.pool.wrap_external(raw, key)? {
            Wrapped::Pooled(stream) => (ringfence_lease_t::default(), stream),
            Wrapped::External(own) => {
                let is = own.stream();
                let driver = object.pool.driver();
                object.foreign.adopt(raw, is.id(), || driver.adopt(raw, key.place))?;
                let handle = give_lease(own)?;
                LEASES.alone(handle.handle)?.handle = Raw::Exposed;
                (handle, is)
            }
        };
        lease.write(handle);
        stream.write(is.into());
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
        let own = lease_of(lease)?;
        object.own(own.lease.stream().pool(), "lease")?;
        own.lease.may_end()?;
        let lease = LEASES.remove(own).lease.into_own().expect("one that may end is no lent one");
        let stream = lease.stream().id();
        let unwrapped = object.pool.unwrap_external(lease);
        // Whatever the driver said: the pool asks it about this stream no more.
        object.foreign.leave(stream, None, |raw| object.pool.driver().forget(raw));
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
    stream: Out<u64>,
) -> ringfence_status_t {
    border(|| {
        let (object, stream) = (pool_of(pool)?, stream.there("stream")?);
        let own = lease_of(lease)?;
        object.own(own.lease.stream().pool(), "lease")?;
        own.lease.may_end()?;
        let lease = LEASES.remove(own).lease.into_own().expect("one that may end is no lent one");
        let of = lease.stream().id();
        let disowned = object.pool.disown(lease);
        // Also one that was not disowned, if it is somebody else's: its lease is gone, and the pool asks about it no more.
        let made = disowned.as_ref().ok().copied();
        object.foreign.leave(of, made, |raw| object.pool.driver().forget(raw));
        let raw = disowned?;
        stream.write(raw.as_u64());
        Ok(())
    })
}
