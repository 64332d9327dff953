//! Leases, and work on them.

use std::ffi::c_void;

use super::{
    array::{arrays, submit_of, submit_on},
    backend::ringfence_submit_fn,
    object::{LEASES, Raw, give_lease, lease_of, pool_of},
    types::{
        ordered, ringfence_array_use_t, ringfence_lease_t, ringfence_ordered_t, ringfence_pool_t,
        ringfence_stream_key_t, ringfence_stream_ref_t,
    },
};
use crate::{
    border::{border, quiet_border},
    place::{In, Out},
    status::{ringfence_status_t, ringfence_status_t as Status},
};

/// A stream of `key` for the caller alone: one whose work is finished if there is one, else a new one. It never waits for
/// work, nor for a creation in progress.
///
/// Gives: `*lease`, which `ringfence_lease_release` ends.
/// Errors: `RINGFENCE_NO_STREAM`, `RINGFENCE_POOL_FULL`, `RINGFENCE_DEVICE_LOST`, `RINGFENCE_FORKED`,
/// `RINGFENCE_SHUT_DOWN`. Threads: any, at once. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_pool_acquire(
    pool: ringfence_pool_t,
    key: In<ringfence_stream_key_t>,
    lease: Out<ringfence_lease_t>,
) -> ringfence_status_t {
    border(|| {
        let (object, lease) = (pool_of(pool)?, lease.there("lease")?);
        let key = key.there("key")?.read()?;
        lease.write(give_lease(object.pool.acquire(key)?)?);
        Ok(())
    })
}
/// A stream of `key` that nobody gets after this owner: what a library keeps for itself. It is destroyed when its lease is
/// released and its work is finished.
///
/// Gives and errors: as `ringfence_pool_acquire`. Threads: any, at once. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_pool_reserve(
    pool: ringfence_pool_t,
    key: In<ringfence_stream_key_t>,
    lease: Out<ringfence_lease_t>,
) -> ringfence_status_t {
    border(|| {
        let (object, lease) = (pool_of(pool)?, lease.there("lease")?);
        let key = key.there("key")?.read()?;
        lease.write(give_lease(object.pool.reserve(key)?)?);
        Ok(())
    })
}
/// The owner is done with its stream: the stream drains, and is handed on when its work is finished. It sets one bit,
/// calls no driver and waits for nothing. Good for a lease of any pool, also after the pool's end; only then may it give
/// memory back to the process's allocator.
///
/// Takes: `lease`. Errors: of handles; no message is left. Threads: any, when no other one is in a call on the lease.
/// Finalizers: yes.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_lease_release(lease: ringfence_lease_t) -> ringfence_status_t {
    quiet_border(|| {
        let object = LEASES.last_quietly(lease.handle)?;
        if object.lease.is_lent() {
            return Err(Status::RINGFENCE_IN_USE); // it ends with its owner
        }
        drop(LEASES.remove(object));
        Ok(())
    })
}
/// Which tenancy of which stream the lease is: to compare and to print.
///
/// Errors: of handles. Threads: the lease's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_lease_stream(
    lease: ringfence_lease_t,
    stream: Out<ringfence_stream_ref_t>,
) -> ringfence_status_t {
    border(|| {
        let object = lease_of(lease)?;
        stream.there("stream")?.write(object.lease.stream().into());
        Ok(())
    })
}
/// Submits work that uses arrays. First the stream is made to follow what used them before, on the device where that is
/// possible; then `submit` is called with `argument` and the driver's own handle of the stream; then the arrays' stamps
/// remember the work, also when `submit` failed, since a part of it may run.
///
/// `uses` has `count` arrays, and may be NULL when that is 0. `how` may be NULL: the strongest order that was needed.
/// Where the stream has a progress word, a mark follows the work, so that its end is seen without asking the driver.
///
/// Errors: what `submit` said, as `RINGFENCE_DRIVER`; `RINGFENCE_STALE_STREAM`, `RINGFENCE_CAPTURING`,
/// `RINGFENCE_UNKNOWABLE`, `RINGFENCE_DEVICE_LOST`, `RINGFENCE_FORKED`, `RINGFENCE_SHUT_DOWN`, `RINGFENCE_OTHER_POOL`;
/// `RINGFENCE_IN_USE` when another call has the lease or a stamp. Threads: the lease's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_pool_submit(
    pool: ringfence_pool_t,
    lease: ringfence_lease_t,
    uses: *const ringfence_array_use_t,
    count: usize,
    submit: ringfence_submit_fn,
    argument: *mut c_void,
    how: Out<ringfence_ordered_t>,
) -> ringfence_status_t {
    border(|| {
        let how = how.if_any("how")?;
        let (object, mut lease) = (pool_of(pool)?, lease_of(lease)?);
        let work = submit_of(submit, argument)?;
        // SAFETY: the caller's array, by the rules at the top of the header.
        let arrays = unsafe { arrays(uses, count) }?;
        let done = submit_on(&object.pool, &mut lease.lease, arrays, work)?;
        how.write(ordered(done));
        Ok(())
    })
}
/// Gives the driver's own handle of the stream out. What is submitted past the pool is counted by nobody: say so with
/// `ringfence_stamp_note` after each submission, and the driver is asked before the stream is handed on. The handle is the
/// owner's until the lease is released, and nobody's after.
///
/// Errors: of handles. Threads: the lease's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_pool_expose(
    pool: ringfence_pool_t,
    lease: ringfence_lease_t,
    stream: Out<u64>,
) -> ringfence_status_t {
    border(|| {
        let (object, mut lease) = (pool_of(pool)?, lease_of(lease)?);
        object.own(lease.lease.stream().pool(), "lease")?;
        let stream = stream.there("stream")?;
        lease.handle = Raw::Exposed;
        stream.write(object.pool.expose(&mut lease.lease).as_u64());
        Ok(())
    })
}
