//! Stamps: what arrays remember.

use std::time::Duration;

use ringfence::{
    drive::Ordered,
    stream::{Stamp, Touch},
};

use super::{
    array::stamp_of,
    object::{HandIn, POOLS, Raw, STAMPS, give_stamp, lease_of, pool_of},
    types::{
        access, ordered, ringfence_access_t, ringfence_lease_t, ringfence_ordered_t,
        ringfence_pool_t, ringfence_stamp_t,
    },
};
use crate::{
    border::{border, quiet_border},
    place::Out,
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

/// Makes an empty stamp: of memory that was ready before it came here, such as what `ringfence_pool_adopt` took. For memory of
/// `ringfence_pool_allocate` or `ringfence_owners_allocate` call `ringfence_memory_stamp`: its first use follows the allocation.
///
/// Gives: `*stamp`, which goes with the array's memory in `ringfence_pool_retire` or `ringfence_pool_retire_later`, or is
/// ended by `ringfence_stamp_destroy`. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_stamp_create(stamp: Out<ringfence_stamp_t>) -> ringfence_status_t {
    border(|| {
        stamp.there("stamp")?.write(give_stamp(Stamp::default())?);
        Ok(())
    })
}
/// Ends a stamp whose memory is somebody else's. Not one that `ringfence_memory_stamp` gave, unless the memory is to be forgotten:
/// without it the memory is never freed.
///
/// Takes: `stamp`. Errors: of handles. Threads: any, when no other one is in a call on the stamp. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_stamp_destroy(stamp: ringfence_stamp_t) -> ringfence_status_t {
    border(|| STAMPS.take(stamp.handle).map(drop))
}
/// The same for a finalizer: the stamp is handed in to a pool, whichever, and its next `ringfence_pool_pump` ends it.
///
/// Takes: `stamp`, unless it fails. Errors: `RINGFENCE_FULL`: nothing was taken; otherwise of handles. No message is left. Threads:
/// any, at once. Finalizers: yes.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_stamp_destroy_later(
    pool: ringfence_pool_t,
    stamp: ringfence_stamp_t,
) -> ringfence_status_t {
    quiet_border(|| {
        let object = POOLS.shared_quietly(pool.handle)?;
        let stamp = STAMPS.last_quietly(stamp.handle)?;
        stamp.hide();
        object.hand_in.push(HandIn::Stamp(stamp)).map_err(|thing| {
            thing.returned();
            Status::RINGFENCE_FULL
        })
    })
}
/// The array remembers everything that was submitted to the lease's stream up to now: by `ringfence_pool_submit`, and by
/// the raw handle where `ringfence_pool_expose` gave it out. What other streams did with the array stays remembered, also where a
/// writer was made to follow it: `ringfence_stamp_replace` is for those.
///
/// Errors: of handles; `RINGFENCE_STALE_STREAM`, `RINGFENCE_CAPTURING`, `RINGFENCE_OTHER_POOL` where the handle was
/// given out. Threads: the lease's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_stamp_note(
    stamp: ringfence_stamp_t,
    pool: ringfence_pool_t,
    lease: ringfence_lease_t,
    how: ringfence_access_t,
) -> ringfence_status_t {
    border(|| {
        let how = access(how)?;
        let touch = latest(pool, lease)?;
        STAMPS.alone(stamp.handle)?.add(touch, how);
        Ok(())
    })
}
/// The array remembers everything that was submitted to the lease's stream up to now, as the work of a writer, and forgets the
/// rest. Only after `ringfence_pool_order_after` of this stamp with `RINGFENCE_ACCESS_WRITE` on this lease, before that work: what did
/// not follow the others loses them, and memory is freed under their work. When in doubt, `ringfence_stamp_note`.
///
/// Errors: as `ringfence_stamp_note`. Threads: the lease's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_stamp_replace(
    stamp: ringfence_stamp_t,
    pool: ringfence_pool_t,
    lease: ringfence_lease_t,
) -> ringfence_status_t {
    border(|| {
        let touch = latest(pool, lease)?;
        STAMPS.alone(stamp.handle)?.replace(touch);
        Ok(())
    })
}
/// Everything that was submitted to the lease's stream up to now.
fn latest(pool: ringfence_pool_t, lease: ringfence_lease_t) -> Result<Touch, Failure> {
    let (object, lease) = (pool_of(pool)?, lease_of(lease)?);
    object.own(lease.lease.stream().pool(), "lease")?;
    match lease.handle {
        Raw::Kept => Ok(object.pool.so_far(&lease.lease)),
        Raw::Exposed => Ok(object.pool.touch(lease.lease.stream())?),
    }
}
/// Whether everything that work of this kind would have to follow is known to be finished: by what was seen, or by loads
/// of progress words. It asks no driver, so that "no" may be wrong, and "yes" never is. `*finished` is 1 or 0.
///
/// Errors: of handles. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_stamp_is_finished(
    stamp: ringfence_stamp_t,
    pool: ringfence_pool_t,
    how: ringfence_access_t,
    finished: Out<u32>,
) -> ringfence_status_t {
    border(|| {
        let how = access(how)?;
        let (object, stamp) = (pool_of(pool)?, stamp_of(stamp.handle)?);
        let over = stamp
            .is_none_or(|stamp| stamp.touches(how).all(|touch| object.pool.is_finished(touch)));
        finished.there("finished")?.write(over.into());
        Ok(())
    })
}
/// What the stamp remembers now: a call that may wait does not keep others from the stamp. `None`: it is 0.
fn snapshot(stamp: ringfence_stamp_t) -> Result<Option<Stamp>, Failure> {
    Ok(stamp_of(stamp.handle)?.map(|stamp| stamp.clone()))
}
/// Makes later work of the lease's stream follow what the stamp remembers at the time of the call: for work that is submitted by the
/// raw handle. `done` may be NULL: how it follows.
///
/// Errors: `RINGFENCE_CAPTURING` when a stream captures past the pool, `RINGFENCE_UNKNOWABLE`, `RINGFENCE_DEVICE_LOST`,
/// `RINGFENCE_DRIVER`. Threads: the lease's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_pool_order_after(
    pool: ringfence_pool_t,
    lease: ringfence_lease_t,
    stamp: ringfence_stamp_t,
    how: ringfence_access_t,
    done: Out<ringfence_ordered_t>,
) -> ringfence_status_t {
    border(|| {
        let done = done.if_any("done")?;
        let how = access(how)?;
        let (object, mut lease) = (pool_of(pool)?, lease_of(lease)?);
        let follows = match snapshot(stamp)? {
            Some(stamp) => object.pool.order_after(&mut lease.lease, &stamp, how)?,
            None => Ordered::Already,
        };
        done.write(ordered(follows));
        Ok(())
    })
}
/// Waits on the host for what the stamp remembers at the time of the call, `limit` nanoseconds at most for each piece of work. No lock
/// is held meanwhile, and the stamp is free: others may use the array, and give it up.
///
/// Errors: `RINGFENCE_TIMED_OUT`; otherwise as `ringfence_pool_order_after`. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_pool_synchronize(
    pool: ringfence_pool_t,
    stamp: ringfence_stamp_t,
    how: ringfence_access_t,
    limit: u64,
) -> ringfence_status_t {
    border(|| {
        let how = access(how)?;
        let (object, stamp) = (pool_of(pool)?, snapshot(stamp)?);
        if let Some(stamp) = stamp {
            object.pool.synchronize(&stamp, how, Duration::from_nanos(limit))?;
        }
        Ok(())
    })
}
