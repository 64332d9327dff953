//! Owners that never say that they are done: tasks of a garbage-collected language.

use std::{
    ffi::c_void,
    sync::{Mutex, PoisonError},
};

use crossbeam_queue::ArrayQueue;
use ringfence::{
    id::{Bytes, StreamKey},
    stream::Lease,
    sync::Arc,
    task::{Owner, OwnerProbe, OwnerTable},
};

use super::{
    array::{arrays, submit_of, submit_on},
    backend::ringfence_submit_fn,
    life::{HAND_IN, MOST_HAND_IN},
    memory::give_memory,
    object::{PoolObject, pool_of},
    types::{
        ordered, ringfence_array_use_t, ringfence_memory_t, ringfence_ordered_t, ringfence_pool_t,
        ringfence_stream_key_t, ringfence_stream_ref_t,
    },
};
use crate::{
    border::{border, quiet_border, there},
    handle::{Kind, Shared, Table},
    place::{In, Out},
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

/// A table of owners. Any number of threads may use it at once, each for an owner of its own.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_owners_t {
    /// Kind, place and generation of the object. 0: none.
    pub handle: u64,
}
/// How it stands with an owner: one of `RINGFENCE_OWNER_*`. Any other number counts as running.
pub type ringfence_owner_state_t = u32;
/// It may still submit work.
pub const RINGFENCE_OWNER_RUNNING: u32 = 0;
/// It is over, and will submit nothing more.
pub const RINGFENCE_OWNER_DONE: u32 = 1;
/// Nobody knows it any more: a garbage collector took it.
pub const RINGFENCE_OWNER_GONE: u32 = 2;

/// Says how it stands with `owner`. Called with no lock held, on the thread that wants a stream. A wrong "running" keeps a
/// stream back until somebody asks again; a wrong "done" lets a task lose its stream, and get another one. It may not call
/// a function of this library about the same table, but for those that a finalizer may make, and may not throw.
pub type ringfence_owner_probe_fn = Option<
    unsafe extern "C-unwind" fn(context: *mut c_void, owner: u64) -> ringfence_owner_state_t,
>;

static OWNERS: Table<OwnersObject> = Table::new(Kind::Owners);

pub(super) struct OwnersObject {
    pool: Arc<PoolObject>,
    table: OwnerTable<u64>,
    probe: Probe,
    /// Owners that finalizers say are over.
    ended: ArrayQueue<u64>,
    /// Who takes them over, from the first to the last: finalizers only push, and never wait for it.
    taking: Mutex<()>,
}
struct Probe {
    call: unsafe extern "C-unwind" fn(*mut c_void, u64) -> ringfence_owner_state_t,
    context: *mut c_void,
}
// SAFETY: the header says that the probe is called on whichever thread wants a stream.
unsafe impl Send for Probe {}
// SAFETY: as above, and by several at once.
unsafe impl Sync for Probe {}
impl OwnerProbe<u64> for Probe {
    fn ask(&self, owner: &u64) -> Owner {
        // SAFETY: who made the table said that the probe may be called with this context.
        match unsafe { (self.call)(self.context, *owner) } {
            RINGFENCE_OWNER_DONE => Owner::Done,
            RINGFENCE_OWNER_GONE => Owner::Gone,
            _ => Owner::Running,
        }
    }
}
/// The table, for a call that may take a lock.
pub(super) fn owners_of(owners: ringfence_owners_t) -> Result<Shared<OwnersObject>, Failure> {
    let object = OWNERS.shared(owners.handle)?;
    object.pool.not_forked()?;
    Ok(object)
}
impl OwnersObject {
    /// Drops the leases of owners that finalizers say are over.
    fn take_in(&self) -> usize {
        // Who comes here goes on once every owner is over that was handed in before: one that another thread had taken out, and
        // had not ended yet, might be a new task's number by then.
        let _taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ended = 0;
        for _ in 0..self.ended.capacity() {
            let Some(owner) = self.ended.pop() else { break };
            self.table.done(&owner);
            ended += 1;
        }
        ended
    }
    /// Calls `act` with the owner's stream of `key`.
    pub(super) fn with<T>(
        &self,
        owner: u64,
        key: StreamKey,
        act: impl FnOnce(&mut Lease) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.take_in();
        let task = self.table.acquire_for(&self.pool.pool, owner, key, &self.probe)?;
        task.with(|streams| act(streams.lease(&self.pool.pool)?))?
    }
}

/// Makes a table of owners on a pool. `probe` is called with `context`, which is the caller's. `hand_in` is how many owners
/// finalizers can report between two calls of `ringfence_owners_submit`, `_allocate`, `_stream` or `_sweep`; 0 stands for 4096; 1048576 at most.
///
/// Gives: `*owners`, which `ringfence_owners_destroy` ends, before the pool. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_owners_create(
    pool: ringfence_pool_t,
    probe: ringfence_owner_probe_fn,
    context: *mut c_void,
    hand_in: u32,
    owners: Out<ringfence_owners_t>,
) -> ringfence_status_t {
    border(|| {
        let (object, owners) = (pool_of(pool)?, owners.there("owners")?);
        let probe = Probe { call: there(probe, "probe")?, context };
        let wanted = if hand_in == 0 { HAND_IN } else { hand_in };
        let places = Failure::at_most("hand_in", wanted, MOST_HAND_IN)?;
        let made = OwnersObject {
            pool: (*object).clone(),
            table: OwnerTable::new(),
            probe,
            ended: ArrayQueue::new(places as usize),
            taking: Mutex::new(()),
        };
        owners.write(ringfence_owners_t { handle: OWNERS.insert(made)? });
        Ok(())
    })
}
/// Ends the table: every owner's streams drain.
///
/// Takes: `owners`. Errors: `RINGFENCE_IN_USE`. Threads: any, when no other one is in a call on the table. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_owners_destroy(owners: ringfence_owners_t) -> ringfence_status_t {
    border(|| OWNERS.take(owners.handle).map(drop))
}
/// Submits work of `owner`, as `ringfence_pool_submit` does, to its stream of `key`: the one that it has already; else an
/// idle one; else one whose owner turns out to be over; else a new one. Work of one owner keeps its order across its keys.
///
/// Errors: `RINGFENCE_OWNER_IN_USE` when another call has this owner's streams; as `ringfence_pool_acquire` and
/// `ringfence_pool_submit`. Threads: any, one at a time for each owner. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_owners_submit(
    owners: ringfence_owners_t,
    owner: u64,
    key: In<ringfence_stream_key_t>,
    uses: *const ringfence_array_use_t,
    count: usize,
    submit: ringfence_submit_fn,
    argument: *mut c_void,
    how: Out<ringfence_ordered_t>,
) -> ringfence_status_t {
    border(|| {
        let how = how.if_any("how")?;
        let object = owners_of(owners)?;
        let (key, work) = (key.there("key")?.read()?, submit_of(submit, argument)?);
        // SAFETY: the caller's array, by the rules at the top of the header.
        let arrays = unsafe { arrays(uses, count) }?;
        let done =
            object.with(owner, key, |lease| submit_on(&object.pool.pool, lease, arrays, work))?;
        how.write(ordered(done));
        Ok(())
    })
}
/// Memory for work of `owner` on its stream of `key`, from here on. An allocation is work of that stream: whoever uses the memory
/// first, this owner or another, begins with the stamp that `ringfence_memory_stamp` gives.
///
/// Gives: `*memory`. Errors: as `ringfence_owners_submit` and `ringfence_pool_allocate`. Threads: any, one at a time for
/// each owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_owners_allocate(
    owners: ringfence_owners_t,
    owner: u64,
    key: In<ringfence_stream_key_t>,
    bytes: u64,
    memory: Out<ringfence_memory_t>,
) -> ringfence_status_t {
    border(|| {
        let object = owners_of(owners)?;
        let (key, memory) = (key.there("key")?.read()?, memory.there("memory")?);
        let pool = &object.pool.pool;
        let allocation =
            object.with(owner, key, |lease| Ok(pool.allocate(lease, Bytes::new(bytes))?))?;
        memory.write(give_memory(allocation, object.pool.home())?);
        Ok(())
    })
}
/// The owner's stream of `key`, which it gets now if it has none: to compare and to print.
///
/// Errors: as `ringfence_owners_submit`. Threads: any, one at a time for each owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_owners_stream(
    owners: ringfence_owners_t,
    owner: u64,
    key: In<ringfence_stream_key_t>,
    stream: Out<ringfence_stream_ref_t>,
) -> ringfence_status_t {
    border(|| {
        let object = owners_of(owners)?;
        let (key, stream) = (key.there("key")?.read()?, stream.there("stream")?);
        stream.write(object.with(owner, key, |lease| Ok(lease.stream().into()))?);
        Ok(())
    })
}
/// The owner is over: its streams drain. Calls no driver.
///
/// Errors: of handles. Threads: any, at once. Finalizers: no: use `ringfence_owners_done_later`.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_owners_done(
    owners: ringfence_owners_t,
    owner: u64,
) -> ringfence_status_t {
    border(|| {
        owners_of(owners)?.table.done(&owner);
        Ok(())
    })
}
/// The same for a finalizer: the owner is handed in, and the next `ringfence_owners_submit`, `_allocate`, `_stream` or `_sweep` on the
/// table, of whichever owner, takes it over. The number may be a new task's from here on.
///
/// Errors: `RINGFENCE_FULL`: nothing was taken, and the probe will say the same later; otherwise of handles. No message is
/// left. Threads: any, at once. Finalizers: yes.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_owners_done_later(
    owners: ringfence_owners_t,
    owner: u64,
) -> ringfence_status_t {
    quiet_border(|| {
        let object = OWNERS.shared_quietly(owners.handle)?;
        object.ended.push(owner).map_err(|_| Status::RINGFENCE_FULL)
    })
}
/// Asks the probe about every owner, and lets the streams of those that are over drain. `over` may be NULL: how many were,
/// those included that finalizers handed in.
///
/// Errors: of handles. Threads: any, at once. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_owners_sweep(
    owners: ringfence_owners_t,
    over: Out<u64>,
) -> ringfence_status_t {
    border(|| {
        let over = over.if_any("over")?;
        let object = owners_of(owners)?;
        let count = object.take_in() + object.table.sweep(&object.probe);
        over.write(count as u64);
        Ok(())
    })
}
/// How many owners have streams.
///
/// Errors: of handles. Threads: any, at once. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_owners_count(
    owners: ringfence_owners_t,
    count: Out<u64>,
) -> ringfence_status_t {
    border(|| {
        let object = owners_of(owners)?;
        count.there("count")?.write(object.table.count() as u64);
        Ok(())
    })
}
