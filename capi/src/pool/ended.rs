//! Memory that its owner gives up, with the stamp that goes with it: nothing is taken before all of it is good.

use ringfence::{stream::Stamp, sync::Arc};

use super::{
    object::{MEMORY, MemoryObject, PoolObject, STAMPS},
    types::{ringfence_memory_t, ringfence_pool_t, ringfence_stamp_t},
};
use crate::{
    handle::{Exclusive, Kind, Refused, Shared},
    status::{Failure, ringfence_status_t as Status},
};

/// What a call that gives memory up named.
pub(super) struct Ended {
    pub(super) memory: Exclusive<MemoryObject>,
    pub(super) stamp: Option<Exclusive<Stamp>>,
    /// `None`: it is gone, and took no driver along that could free anything.
    pub(super) pool: Option<Shared<Arc<PoolObject>>>,
}
impl Ended {
    /// Looks at all of it. Takes no lock, and allocates nothing.
    pub(super) fn of(
        pool: ringfence_pool_t,
        memory: ringfence_memory_t,
        stamp: ringfence_stamp_t,
    ) -> Result<Self, Unfit> {
        let named = |handle, kind| move |why| Unfit::Handle(why, handle, kind);
        // Also what a panic met: what it remembers, nobody changed half.
        let found = MEMORY.try_last(memory.handle);
        let memory = found.map_err(named(memory.handle, Kind::Memory))?;
        let found = memory.home.find(pool);
        let pool = found.map_err(named(pool.handle, Kind::Pool))?;
        if pool.as_ref().is_some_and(|pool| pool.pool.id() != memory.home.pool) {
            return Err(Unfit::OtherPool("memory"));
        }
        if memory.stamp != 0 && memory.stamp != stamp.handle {
            return Err(Unfit::OtherStamp(memory.stamp));
        }
        let stamp = match stamp.handle {
            0 => None,
            handle => Some(STAMPS.try_last(handle).map_err(named(handle, Kind::Stamp))?),
        };
        let foreign =
            |stamp: &Exclusive<Stamp>| pool.as_ref().is_some_and(|pool| !pool.knows(stamp));
        if stamp.as_ref().is_some_and(foreign) {
            return Err(Unfit::OtherPool("stamp"));
        }
        Ok(Self { memory, stamp, pool })
    }
    /// Nobody can free it any more. As a finalizer needs it: what a stamp of many readers has is leaked as well.
    pub(super) fn leak(self) {
        let Self { memory, stamp, .. } = self;
        if let Some(stamp) = stamp {
            std::mem::forget(STAMPS.remove(stamp));
        }
        let MemoryObject { memory: _leaked, .. } = MEMORY.remove(memory);
    }
}

/// Why it cannot be given up so.
pub(super) enum Unfit {
    Handle(Refused, u64, Kind),
    /// The memory, or what the stamp remembers.
    OtherPool(&'static str),
    /// The memory gave this one.
    OtherStamp(u64),
}
impl Unfit {
    pub(super) fn status(self) -> Status {
        match self {
            Self::Handle(why, ..) => why.status(),
            Self::OtherPool(_) => Status::RINGFENCE_OTHER_POOL,
            Self::OtherStamp(_) => Status::RINGFENCE_OTHER_STAMP,
        }
    }
    pub(super) fn failure(self) -> Failure {
        match self {
            Self::Handle(why, handle, kind) => why.failure(handle, kind),
            Self::OtherPool(what) => Failure::new(
                Status::RINGFENCE_OTHER_POOL,
                format_args!(
                    "the {what} came from another pool; give memory up to the pool that it came from, with its own stamp"
                ),
            ),
            Self::OtherStamp(own) => Failure::new(
                Status::RINGFENCE_OTHER_STAMP,
                format_args!(
                    "the memory gave the stamp {own:#x}, which has what used it; give the memory up with that one"
                ),
            ),
        }
    }
}
