//! Memory given up by its owner, until it is freed: exactly once (T7).

use std::collections::HashMap;

use super::{
    pool::Resets,
    stamp::{Access, Stamp, Touch},
};
use crate::id::{Bytes, DeviceContext, PoolId, RawMemory};

/// Memory with one owner. It is given up with [`StreamPool::retire`](crate::drive::StreamPool::retire), or in a destructor with
/// [`retire_later`](crate::drive::StreamPool::retire_later); a value that is dropped or forgotten leaks its memory, and never
/// frees it too early. It stays counted as [`live`](MemoryCounts::live).
///
/// An allocation is work of its stream. A driver may give bytes that earlier work of that stream still uses, or let the stream
/// wait for another one's ([CUDA's memory pools](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY__POOLS.html)
/// do both). So what uses the memory first begins with [`stamp`](Self::stamp), and follows that.
///
/// ```
/// use ringfence::{backend::streams::*, drive::*, error::StreamError, id::Bytes, stream::*};
///
/// fn scratch<B>(pool: &StreamPool<B>, lease: &mut Lease) -> Result<Freed, StreamError>
/// where
///     B: StreamBackend + StreamWork<Work = u64>,
/// {
///     let memory: Allocation = pool.allocate(lease, Bytes::new(4096))?;
///     let mut uses = memory.stamp(); // whoever uses it first follows its allocation
///     let kernel = memory.raw().as_u64(); // its argument
///     let (_touch, _how) = pool.submit_after(lease, &mut [ArrayUse::write(&mut uses)], kernel)?;
///     Ok(pool.retire(memory, uses)) // freed once, after that kernel; nothing waits here
/// }
/// ```
#[derive(Debug, PartialEq, Eq)]
#[must_use = "an allocation that is dropped leaks its memory: retire it"]
pub struct Allocation {
    raw: RawMemory,
    bytes: Bytes,
    place: DeviceContext,
    pool: PoolId,
    born: Resets,
    /// Where its allocation is in a stream's order. `None`: it was there already.
    allocated: Option<Touch>,
}
impl Allocation {
    /// Memory that is there already.
    pub(crate) fn new(
        raw: RawMemory,
        bytes: Bytes,
        place: DeviceContext,
        pool: PoolId,
        born: Resets,
    ) -> Self {
        Self { raw, bytes, place, pool, born, allocated: None }
    }
    /// The same memory, allocated in a stream's order.
    pub(crate) fn allocated_at(self, touch: Touch) -> Self {
        Self { allocated: Some(touch), ..self }
    }
    /// Where its allocation is in a stream's order.
    pub(crate) fn allocated(&self) -> Option<Touch> {
        self.allocated.filter(|_| !planted!(ForgetAllocation))
    }
    /// What is to be remembered of it before its first use, which follows its allocation: on another stream, that is a wait on the
    /// device. Empty for memory that was [adopted](crate::drive::StreamPool::adopt).
    ///
    /// ```
    /// # use ringfence::{backend::streams::*, drive::*, error::StreamError, id::Bytes, stream::*};
    /// # fn elsewhere<B>(pool: &StreamPool<B>, one: &mut Lease, other: &mut Lease) -> Result<(), StreamError>
    /// # where
    /// #     B: StreamBackend + StreamWork<Work = &'static str>,
    /// # {
    /// let memory = pool.allocate(one, Bytes::new(4096))?;
    /// let mut uses = memory.stamp();
    /// let (_filled, _how) = pool.submit_after(other, &mut [ArrayUse::write(&mut uses)], "fill")?;
    /// # let _freed = pool.retire(memory, uses);
    /// # Ok(())
    /// # }
    /// ```
    pub fn stamp(&self) -> Stamp {
        let mut stamp = Stamp::default();
        if let Some(allocated) = self.allocated() {
            stamp.add(allocated, Access::Write);
        }
        stamp
    }
    /// How often its device had been reset when it was made.
    pub(crate) fn born(&self) -> Resets {
        self.born
    }
    /// What the driver calls it.
    pub fn raw(&self) -> RawMemory {
        self.raw
    }
    /// Its size.
    pub fn bytes(&self) -> Bytes {
        self.bytes
    }
    /// Where it lives.
    pub fn place(&self) -> DeviceContext {
        self.place
    }
    pub(crate) fn pool(&self) -> PoolId {
        self.pool
    }
    pub(crate) fn name(&self) -> MemoryName {
        MemoryName { raw: self.raw, born: self.born }
    }
}
/// Which memory: an address may come again after its device was reset.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct MemoryName {
    raw: RawMemory,
    born: Resets,
}

/// Why memory is not freed yet.
///
/// ```
/// use ringfence::{drive::Freed, stream::Deferral};
/// /// What has to happen before the memory is free. The pool sees to it in every case.
/// fn needs(freed: Freed) -> Option<&'static str> {
///     let Freed::Deferred(why) = freed else { return None };
///     Some(match why {
///         Deferral::Capturing => "the capture ends",
///         Deferral::Pinned => "the graph is dropped, and its last launch is finished",
///         Deferral::Refused | Deferral::NoDisposal => "another pump",
///         Deferral::HandedIn => "the next pump",
///     })
/// }
/// assert_eq!(needs(Freed::Deferred(Deferral::Refused)), Some("another pump"));
/// assert_eq!(needs(Freed::OnStream), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Deferral {
    /// Its stream captures.
    Capturing,
    /// The driver refused the free.
    Refused,
    /// A graph uses it.
    Pinned,
    /// The disposal stream is still being created.
    NoDisposal,
    /// It was handed in ([`retire_later`](crate::drive::StreamPool::retire_later)), and nobody has pumped since.
    HandedIn,
}

/// What was freed, and how.
///
/// ```
/// use ringfence::{backend::streams::StreamBackend, drive::StreamPool};
/// /// How many allocations were freed by now, on whatever stream.
/// fn freed<B: StreamBackend>(pool: &StreamPool<B>) -> u64 {
///     let counts = pool.memory_counts();
///     assert_eq!(counts.leaked, 0, "the device is gone, or a stream was closed with work pending");
///     counts.freed_on_stream + counts.freed_on_disposal + counts.freed_at_once
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct MemoryCounts {
    /// On the stream that used it.
    pub freed_on_stream: u64,
    /// On the disposal stream, after the streams that used it.
    pub freed_on_disposal: u64,
    /// On the disposal stream, with nothing to wait for.
    pub freed_at_once: u64,
    /// Put off at least once.
    pub deferred: u64,
    /// Refused by the driver, and tried again.
    pub refused: u64,
    /// Gone with a reset of their device.
    pub gone: u64,
    /// Never to be freed: whether its work is over cannot be known, or the device is gone.
    pub leaked: u64,
    /// Allocated or adopted, and not given up: what owners have at this moment, and what was dropped, which leaks it. Where it only
    /// rises, somebody drops [`Allocation`]s.
    pub live: u64,
}

/// A free that is to be tried again.
#[derive(Debug)]
pub(crate) struct DeferredFree {
    pub(crate) memory: Allocation,
    /// What has to be finished first, and is not followed yet.
    pub(crate) stamp: Stamp,
    pub(crate) waits: Waits,
}
/// Whether the disposal stream waits for something before it frees the memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Waits {
    None,
    Some,
}

/// Memory that waits: for a capture to end, for a graph to go.
#[derive(Debug, Default)]
pub(crate) struct MemoryBook {
    deferred: Vec<DeferredFree>,
    pins: HashMap<MemoryName, Pinned>,
    counts: MemoryCounts,
}
#[derive(Debug, Default)]
struct Pinned {
    graphs: u32,
    /// What launches of graphs that are gone by now did with it.
    launches: Stamp,
    /// Its owner gave it up meanwhile.
    given_up: Option<DeferredFree>,
}

impl MemoryBook {
    pub(crate) fn counts(&self) -> MemoryCounts {
        self.counts
    }
    pub(crate) fn counts_mut(&mut self) -> &mut MemoryCounts {
        &mut self.counts
    }
    /// A graph uses the memory from now on.
    pub(crate) fn pin(&mut self, memory: MemoryName) {
        self.pins.entry(memory).or_default().graphs += 1;
    }
    /// A graph that used it is gone; `launches` is what it did. Answers with what may be freed now.
    pub(crate) fn unpin(&mut self, memory: MemoryName, launches: &Stamp) -> Option<DeferredFree> {
        let pinned = self.pins.get_mut(&memory)?;
        pinned.graphs -= 1;
        pinned.launches.merge(launches);
        if pinned.graphs > 0 {
            return None;
        }
        let pinned = self.pins.remove(&memory)?;
        let mut free = pinned.given_up?;
        free.stamp.merge(&pinned.launches);
        Some(free)
    }
    /// Takes memory that its owner gave up; keeps it while a graph uses it.
    pub(crate) fn give_up(&mut self, free: DeferredFree) -> Option<DeferredFree> {
        match self.pins.get_mut(&free.memory.name()) {
            Some(pinned) => {
                pinned.given_up = Some(free);
                self.counts.deferred += 1;
                None
            }
            None => Some(free),
        }
    }
    pub(crate) fn defer(&mut self, free: DeferredFree) {
        self.deferred.push(free);
    }
    /// Everything that is to be tried again.
    pub(crate) fn take_deferred(&mut self) -> Vec<DeferredFree> {
        std::mem::take(&mut self.deferred)
    }
    /// Nothing is freed any more. Answers with how much that leaks.
    pub(crate) fn leak_all(&mut self) -> u32 {
        let kept = self.pins.values_mut().filter_map(|pinned| pinned.given_up.take()).count();
        let leaked = self.deferred.len() + kept;
        self.deferred.clear();
        self.counts.leaked += leaked as u64;
        u32::try_from(leaked).unwrap_or(u32::MAX)
    }
}
