//! Memory, given up by its owner: at once, or by a finalizer.

use ringfence::{
    drive::Freed,
    id::{Bytes, RawMemory},
    stream::{Allocation, Stamp},
};

use super::{
    ended::{Ended, Unfit},
    object::{HandIn, Home, MEMORY, MemoryObject, STAMPS, give_stamp, lease_of, pool_of},
    types::{
        freed, ringfence_freed_t, ringfence_lease_t, ringfence_memory_t, ringfence_pool_t,
        ringfence_stamp_t, ringfence_stream_key_t,
    },
};
use crate::{
    border::{border, quiet_border},
    handle::Exclusive,
    place::{In, Out},
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

pub(crate) fn give_memory(memory: Allocation, home: Home) -> Result<ringfence_memory_t, Failure> {
    Ok(ringfence_memory_t { handle: MEMORY.insert(MemoryObject { memory, home, stamp: 0 })? })
}

/// Memory for work that is submitted to the lease's stream from here on. An allocation is work of that stream: work of other
/// streams follows it, by the stamp that `ringfence_memory_stamp` gives.
///
/// Gives: `*memory`, which is given up by `ringfence_pool_retire` or `ringfence_pool_retire_later`.
/// Errors: `RINGFENCE_DRIVER`, `RINGFENCE_STALE_STREAM`, `RINGFENCE_CAPTURING`. Threads: the lease's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_pool_allocate(
    pool: ringfence_pool_t,
    lease: ringfence_lease_t,
    bytes: u64,
    memory: Out<ringfence_memory_t>,
) -> ringfence_status_t {
    border(|| {
        let (object, mut lease) = (pool_of(pool)?, lease_of(lease)?);
        let memory = memory.there("memory")?;
        let allocation = object.pool.allocate(&mut lease.lease, Bytes::new(bytes))?;
        memory.write(give_memory(allocation, object.home())?);
        Ok(())
    })
}
/// Takes memory of the caller's own making under the pool's care. `address` is the driver's; `key` says where it lives.
///
/// Gives: `*memory`. Errors: `RINGFENCE_INVALID_ARGUMENT`. Threads: any, at once. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_pool_adopt(
    pool: ringfence_pool_t,
    address: u64,
    bytes: u64,
    key: In<ringfence_stream_key_t>,
    memory: Out<ringfence_memory_t>,
) -> ringfence_status_t {
    border(|| {
        let (object, memory) = (pool_of(pool)?, memory.there("memory")?);
        let key = key.there("key")?.read()?;
        let adopted = object.pool.adopt(RawMemory::new(address), Bytes::new(bytes), key);
        memory.write(give_memory(adopted, object.home())?);
        Ok(())
    })
}
/// Where the memory is, and how large: the driver's address. `bytes` may be NULL.
///
/// Errors: of handles. Threads: any; one call at a time. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_memory_address(
    memory: ringfence_memory_t,
    address: Out<u64>,
    bytes: Out<u64>,
) -> ringfence_status_t {
    border(|| {
        let bytes = bytes.if_any("bytes")?;
        let object = MEMORY.alone(memory.handle)?;
        address.there("address")?.write(object.memory.raw().as_u64());
        bytes.write(object.memory.bytes().as_u64());
        Ok(())
    })
}
/// The stamp that the memory begins with. Whoever uses the memory first follows its allocation by it, which is work of the
/// stream that it was allocated on; for memory that was adopted it is empty. One stamp belongs to one memory, which is given up with
/// that one alone.
///
/// Gives: `*stamp`, as `ringfence_stamp_create`. Errors: `RINGFENCE_OUT_OF_ORDER` when the memory gave it already. Threads: any; one
/// call at a time. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_memory_stamp(
    memory: ringfence_memory_t,
    stamp: Out<ringfence_stamp_t>,
) -> ringfence_status_t {
    border(|| {
        let stamp = stamp.there("stamp")?;
        let mut object = MEMORY.alone(memory.handle)?;
        if object.stamp != 0 {
            return Err(Failure::new(
                Status::RINGFENCE_OUT_OF_ORDER,
                format_args!(
                    "the memory gave its stamp, {:#x}, already: a second one would not know what used it by the first",
                    object.stamp
                ),
            ));
        }
        let given = give_stamp(object.memory.stamp())?;
        object.stamp = given.handle;
        stamp.write(given);
        Ok(())
    })
}
/// Gives memory up: it is freed exactly once, after its allocation and all that the stamp remembers, never as part of somebody's
/// graph, and not while a graph uses it. It does not wait for the work. `stamp` is the one that `ringfence_memory_stamp` gave. Where
/// that was never called it is any other one, or 0: the memory was never used; its allocation is followed all the same. `done` may
/// be NULL: what became of it. "Later" is no failure: the pool sees to it. When the pool is gone, or this is a forked child, the
/// memory is leaked.
///
/// Takes: `memory` and `stamp`, unless it fails. Errors: of handles; `RINGFENCE_OTHER_POOL` for memory of another pool, or a stamp that
/// work of another pool is in; `RINGFENCE_OTHER_STAMP` for another stamp than the one that the memory gave, or 0.
/// Threads: any, at once. Finalizers: no: use `ringfence_pool_retire_later`.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_pool_retire(
    pool: ringfence_pool_t,
    memory: ringfence_memory_t,
    stamp: ringfence_stamp_t,
    done: Out<ringfence_freed_t>,
) -> ringfence_status_t {
    border(|| {
        let done = done.if_any("done")?;
        let ended = Ended::of(pool, memory, stamp).map_err(Unfit::failure)?;
        let became = match ended {
            Ended { memory, stamp, pool: Some(pool) } => {
                let stamp = stamp.map_or_else(Stamp::default, |stamp| STAMPS.remove(stamp));
                let MemoryObject { memory, .. } = MEMORY.remove(memory);
                pool.pool.retire(memory, stamp)
            }
            gone => {
                gone.leak();
                Freed::Leaked
            }
        };
        done.write(freed(became));
        Ok(())
    })
}
/// The same for a finalizer: the memory and its stamp are handed in, and the next `ringfence_pool_pump` gives them up. It
/// takes no lock, allocates nothing and calls nobody; both handles are stale from here on. When the pool is gone the memory is leaked
/// at once.
///
/// Takes: `memory` and `stamp`, unless it fails. Errors: `RINGFENCE_FULL`: nothing was taken, both handles are good; pump,
/// and call again (a finalizer of Julia registers itself anew); `RINGFENCE_IN_USE`: again, call once more later. Otherwise as
/// `ringfence_pool_retire`. No message is left. Threads: any, at once. Finalizers: yes.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_pool_retire_later(
    pool: ringfence_pool_t,
    memory: ringfence_memory_t,
    stamp: ringfence_stamp_t,
) -> ringfence_status_t {
    quiet_border(|| {
        let ended = Ended::of(pool, memory, stamp).map_err(Unfit::status)?;
        let Ended { memory, stamp, pool: Some(pool) } = ended else {
            ended.leak();
            return Ok(());
        };
        memory.hide();
        let stamp = stamp.inspect(Exclusive::hide);
        pool.hand_in.push(HandIn::Memory { memory, stamp }).map_err(|thing| {
            thing.returned();
            Status::RINGFENCE_FULL
        })
    })
}
/// Lets go of memory that is not to be freed, or cannot be: its stamp was destroyed, or its pool is not known any more. It is leaked;
/// a stamp of it is ended by `ringfence_stamp_destroy`.
///
/// Takes: `memory`. Errors: of handles; no message is left. Threads: any, when no other one is in a call on the memory.
/// Finalizers: yes.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_memory_forget(memory: ringfence_memory_t) -> ringfence_status_t {
    quiet_border(|| {
        let object = MEMORY.last_quietly(memory.handle)?;
        let MemoryObject { memory: _leaked, .. } = MEMORY.remove(object);
        Ok(())
    })
}
