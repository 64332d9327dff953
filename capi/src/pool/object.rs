//! What the handles of the streams half stand for.

use crossbeam_queue::ArrayQueue;
use ringfence::{
    backend::streams::{DriverState, StreamPlatform},
    drive::{Graph, StreamPool},
    error::StreamError,
    id::PoolId,
    stream::{Access, Allocation, Lease, Stamp},
    sync::Arc,
};

use super::{
    driver::Driver,
    foreign::Foreign,
    lent::Held,
    types::{ringfence_lease_t, ringfence_pool_t, ringfence_stamp_t},
};
use crate::{
    handle::{Exclusive, Kind, Refused, Shared, Table},
    status::{Failure, ringfence_status_t as Status},
};

pub(crate) static POOLS: Table<Arc<PoolObject>> = Table::new(Kind::Pool);
pub(crate) static LEASES: Table<LeaseObject> = Table::new(Kind::Lease);
pub(crate) static STAMPS: Table<Stamp> = Table::new(Kind::Stamp);
pub(crate) static MEMORY: Table<MemoryObject> = Table::new(Kind::Memory);
pub(crate) static GRAPHS: Table<GraphObject> = Table::new(Kind::Graph);

/// A pool, and what finalizers left for it.
pub(crate) struct PoolObject {
    pub(crate) pool: StreamPool<Driver>,
    /// Its own handle.
    pub(crate) handle: u64,
    pub(crate) hand_in: ArrayQueue<HandIn>,
    pub(crate) foreign: Foreign,
}
/// Something that a finalizer gave up. Its handles answer as if the objects were gone.
pub(crate) enum HandIn {
    Memory { memory: Exclusive<MemoryObject>, stamp: Option<Exclusive<Stamp>> },
    Graph(Exclusive<GraphObject>),
    Stamp(Exclusive<Stamp>),
}
impl HandIn {
    /// The place was refused: the handles answer again.
    pub(crate) fn returned(self) {
        match self {
            Self::Memory { memory, stamp } => {
                memory.show();
                stamp.inspect(Exclusive::show);
            }
            Self::Graph(graph) => graph.show(),
            Self::Stamp(stamp) => stamp.show(),
        }
    }
}
pub(crate) struct LeaseObject {
    pub(crate) lease: Held,
    pub(crate) handle: Raw,
}
/// Whether the owner was given the raw handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Raw {
    Kept,
    Exposed,
}
pub(crate) struct MemoryObject {
    pub(crate) memory: Allocation,
    pub(crate) home: Home,
    /// The handle of the stamp that it gave, which goes with it. 0: none yet.
    pub(crate) stamp: u64,
}
pub(crate) struct GraphObject {
    pub(crate) graph: Graph,
    pub(crate) home: Home,
}
/// The pool that something came from: its number, which tells whether the pool is another one, and its handle, which tells that it is
/// gone.
#[derive(Clone, Copy)]
pub(crate) struct Home {
    pub(crate) pool: PoolId,
    handle: u64,
}
impl Home {
    /// The pool of this handle, to give up there what came from it. `None`: it was that pool, and is gone.
    pub(crate) fn find(
        self,
        handle: ringfence_pool_t,
    ) -> Result<Option<Shared<Arc<PoolObject>>>, Refused> {
        match POOLS.try_shared(handle.handle) {
            Ok(object) => Ok(Some(object)),
            Err(Refused::Stale) if handle.handle == self.handle => Ok(None),
            Err(why) => Err(why),
        }
    }
}

/// The pool, for a call that may take a lock.
pub(crate) fn pool_of(handle: ringfence_pool_t) -> Result<Shared<Arc<PoolObject>>, Failure> {
    let object = POOLS.shared(handle.handle)?;
    object.not_forked()?;
    Ok(object)
}
pub(crate) fn lease_of(handle: ringfence_lease_t) -> Result<Exclusive<LeaseObject>, Failure> {
    LEASES.alone(handle.handle)
}
pub(crate) fn give_lease(lease: Lease) -> Result<ringfence_lease_t, Failure> {
    let handle = LEASES.insert(LeaseObject { lease: Held::Own(lease), handle: Raw::Kept })?;
    Ok(ringfence_lease_t { handle })
}
pub(crate) fn give_stamp(stamp: Stamp) -> Result<ringfence_stamp_t, Failure> {
    Ok(ringfence_stamp_t { handle: STAMPS.insert(stamp)? })
}

impl PoolObject {
    /// Before any lock: in a forked child one may be held for ever, by a thread that is not there.
    pub(crate) fn not_forked(&self) -> Result<(), Failure> {
        if self.is_forked() { Err(StreamError::Forked.into()) } else { Ok(()) }
    }
    pub(crate) fn is_forked(&self) -> bool {
        self.pool.driver().state() == DriverState::Forked
    }
    /// What is remembered of it by what comes from it.
    pub(crate) fn home(&self) -> Home {
        Home { pool: self.pool.id(), handle: self.handle }
    }
    /// Whether all work that the stamp remembers is this pool's.
    pub(crate) fn knows(&self, stamp: &Stamp) -> bool {
        stamp.touches(Access::Write).all(|touch| touch.stream().pool() == self.pool.id())
    }
    /// Whether an object of pool `other` may be given to this one.
    pub(crate) fn own(&self, other: PoolId, what: &str) -> Result<(), Failure> {
        if other == self.pool.id() {
            return Ok(());
        }
        Err(Failure::new(
            Status::RINGFENCE_OTHER_POOL,
            format_args!("the {what} came from another pool; use the pool that it came from"),
        ))
    }
    /// The pool goes: what finalizers left is leaked with the rest, and its handles go.
    pub(crate) fn forget_handed_in(&self) {
        while let Some(thing) = self.hand_in.pop() {
            match thing {
                HandIn::Memory { memory, stamp } => {
                    stamp.map(|stamp| STAMPS.remove(stamp));
                    let MemoryObject { memory: _leaked, .. } = MEMORY.remove(memory);
                }
                HandIn::Graph(graph) => drop(GRAPHS.remove(graph)),
                HandIn::Stamp(stamp) => drop(STAMPS.remove(stamp)),
            }
        }
    }
    /// Takes over what finalizers left. Returns how many things that were.
    pub(crate) fn take_in(&self) -> u32 {
        let mut taken = 0;
        // No more than there are places, so that finalizers that go on do not hold a pump up.
        for _ in 0..self.hand_in.capacity() {
            let Some(thing) = self.hand_in.pop() else { break };
            taken += 1;
            match thing {
                HandIn::Memory { memory, stamp } => {
                    let stamp = stamp.map_or_else(Stamp::default, |stamp| STAMPS.remove(stamp));
                    let MemoryObject { memory, .. } = MEMORY.remove(memory);
                    let _counted = self.pool.retire(memory, stamp);
                }
                HandIn::Graph(graph) => drop(GRAPHS.remove(graph)),
                HandIn::Stamp(stamp) => drop(STAMPS.remove(stamp)),
            }
        }
        taken
    }
}
