//! Memory: allocated in a stream's order, and freed where that harms nobody (T7).

use super::{Ordered, StreamPool, guard::Relaxed, kept::Kept};
use crate::{
    backend::streams::StreamBackend,
    error::{DriverError, StreamError},
    id::{Bytes, DeviceContext, RawMemory, StreamKey},
    observe,
    stream::{
        Access, Allocation, Deferral, DeferredFree, Lease, Resets, Slot, Stamp, Standing, Tenancy,
        Touch, Waits,
    },
    sync::{Arc, Ordering},
};

/// What became of memory that its owner gave up.
///
/// ```
/// use ringfence::{backend::streams::StreamBackend, drive::*, stream::*};
///
/// fn finalize<B: StreamBackend>(pool: &StreamPool<B>, memory: Allocation, uses: Stamp) {
///     let bytes = memory.bytes();
///     match pool.retire(memory, uses) {
///         Freed::OnStream | Freed::OnDisposal | Freed::AtOnce => {} // in the order of a stream
///         Freed::Deferred(why) => eprintln!("{bytes} later: {why:?}"), // nothing is left to do
///         Freed::Gone | Freed::Leaked => eprintln!("{bytes} lost"),
///         Freed::OtherPool => eprintln!("{bytes} of another pool: this is a bug"),
///     }
/// }
/// ```
// Exhaustive, as `Deferral` is: a binding to another language names each, and should notice a new one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Freed {
    /// Freed on the stream that used it, in its order.
    OnStream,
    /// Freed on the disposal stream, after every stream that used it.
    OnDisposal,
    /// Freed on the disposal stream; nothing had to be waited for.
    AtOnce,
    /// Not yet: the pool frees it later, by [`pump`](StreamPool::pump) or at the end of a capture.
    Deferred(Deferral),
    /// Its device was reset meanwhile, and the memory is gone with that.
    Gone,
    /// Never: the device is gone, or whether its work is over cannot be known. Counted.
    Leaked,
    /// Never: it is another pool's, and its streams are not known here. That pool goes on counting it as
    /// [`live`](crate::stream::MemoryCounts::live).
    OtherPool,
}
impl Freed {
    pub(super) fn has_happened(self) -> bool {
        matches!(self, Self::OnStream | Self::OnDisposal | Self::AtOnce)
    }
}

/// Where the memory's work is.
enum Users<A> {
    /// All of it is finished, and no live tenancy used it.
    None,
    /// One live tenancy used it.
    One(Arc<Slot<A>>, Touch),
    /// Several, or one that is over without being known to be finished.
    Several,
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Memory for work that is submitted to the lease's stream from here on; work of other streams follows its
    /// [`stamp`](Allocation::stamp).
    ///
    /// # Errors
    /// What the driver says.
    pub fn allocate(&self, lease: &mut Lease<A>, bytes: Bytes) -> Result<Allocation, StreamError> {
        drop(self.open(lease)?); // an allocation may take long, and the stream is its caller's alone
        let born = self.resets(lease.key().place); // a reset meanwhile takes it along
        let allocated = {
            let _relaxed = Relaxed::enter(&self.driver);
            self.driver.allocate(bytes, lease.slot().raw())
        };
        let raw = allocated.map_err(|cause| self.launch_refused(lease, cause))?;
        // Marked with what follows it, or by the look that finds it unmarked.
        let touch = Touch::new(lease.stream(), lease.slot().lock().count());
        Ok(self.owned(raw, bytes, lease.key().place, born).allocated_at(touch))
    }
    /// Memory that has an owner from here on.
    fn owned(
        &self,
        raw: RawMemory,
        bytes: Bytes,
        place: DeviceContext,
        born: Resets,
    ) -> Allocation {
        self.shared.memory_live.fetch_add(1, Ordering::Relaxed); // counted, and nothing else
        Allocation::new(raw, bytes, place, self.shared.id, born)
    }
    pub(super) fn resets(&self, place: DeviceContext) -> Resets {
        self.shared.pool().resets(place.device)
    }
    /// Takes memory of the user's own making under the pool's care. Whatever has to be over before it is used is the user's to know.
    ///
    /// ```
    /// # use ringfence::{backend::streams::StreamBackend, drive::*, id::*, stream::Stamp};
    /// # fn adopted<B: StreamBackend>(pool: &StreamPool<B>, raw: RawMemory, key: StreamKey) -> Freed {
    /// // An address that `hipMallocAsync` brought, past the pool. Freed by the pool alone from here on.
    /// let memory = pool.adopt(raw, Bytes::new(4096), key);
    /// pool.retire(memory, Stamp::default()) // an empty stamp: no work of any stream uses it
    /// # }
    /// ```
    pub fn adopt(&self, raw: RawMemory, bytes: Bytes, key: StreamKey) -> Allocation {
        self.owned(raw, bytes, key.place, self.resets(key.place))
    }
    /// Frees memory that nobody owns, or defers it.
    pub(super) fn dispose(&self, free: DeferredFree) -> Freed {
        let freed = self.dispose_again(free);
        let deferred = u64::from(matches!(freed, Freed::Deferred(_)));
        self.shared.memory.lock().counts_mut().deferred += deferred;
        freed
    }
    /// The same of memory that was put off, and is counted as such.
    pub(super) fn dispose_again(&self, free: DeferredFree) -> Freed {
        // Whether a driver that panics has freed it, nobody knows.
        let mut free = Kept::of(&self.shared, free, |shared, _free| {
            shared.memory.lock().counts_mut().leaked += 1;
        });
        let freed = self.try_dispose(free.get_mut());
        let free = free.take();
        observe::memory_retired(self.shared.id, free.memory.bytes(), freed);
        if matches!(freed, Freed::OnStream | Freed::OnDisposal | Freed::AtOnce) {
            observe::memory_freed(free.memory.bytes());
        }
        let mut book = self.shared.memory.lock();
        let counts = book.counts_mut();
        match freed {
            Freed::OnStream => counts.freed_on_stream += 1,
            Freed::OnDisposal => counts.freed_on_disposal += 1,
            Freed::AtOnce => counts.freed_at_once += 1,
            Freed::Gone => counts.gone += 1,
            Freed::Leaked => counts.leaked += 1,
            Freed::OtherPool => {} // not given up here
            Freed::Deferred(why) => {
                counts.refused += u64::from(why == Deferral::Refused);
                if !(why == Deferral::Refused && planted!(DropRefusedFree)) {
                    book.defer(free);
                }
            }
        }
        freed
    }
    fn try_dispose(&self, free: &mut DeferredFree) -> Freed {
        if self.drivable().is_err() {
            return Freed::Leaked;
        }
        let place = free.memory.place();
        if self.resets(place) != free.memory.born() {
            return Freed::Gone;
        }
        // What the disposal stream follows already, no other stream does.
        if free.waits == Waits::None
            && let Users::One(slot, touch) = self.users(&mut free.stamp)
            && slot.key().place == place
            && let Some(freed) = self.free_on_stream(&slot, touch, free.memory.raw())
        {
            return freed;
        }
        let Some(disposal) = self.disposal(place) else {
            return Freed::Deferred(Deferral::NoDisposal);
        };
        // One lock at a time: each wait is an act on one stream, the free one on the disposal stream. Which touches
        // were followed is remembered, so that another try does not wait for them again.
        while let Some(touch) = free.stamp.first() {
            match self.follow_on_device(&disposal, touch) {
                Ok(Ordered::Already) => {}
                Ok(_) => free.waits = Waits::Some,
                Err(StreamError::Capturing { .. }) => return Freed::Deferred(Deferral::Capturing),
                Err(StreamError::Driver { .. }) => return Freed::Deferred(Deferral::Refused),
                Err(_) => return Freed::Leaked,
            }
            free.stamp.forget(touch);
        }
        let mut tenancy = disposal.lock();
        match self.free_here(&disposal, &mut tenancy, free.memory.raw()) {
            Ok(()) if free.waits == Waits::Some => Freed::OnDisposal,
            Ok(()) => Freed::AtOnce,
            Err(DriverError::DeviceLost(_)) => Freed::Leaked,
            Err(_) => Freed::Deferred(Deferral::Refused),
        }
    }
    /// Forgets finished tenancies, and says who is left.
    fn users(&self, stamp: &mut Stamp) -> Users<A> {
        let mut users = Users::None;
        for touch in stamp.touches(Access::Write) {
            let slot = match self.find(touch.stream()) {
                Ok(Some(slot)) => slot,
                Ok(None) => continue,
                Err(_) => return Users::Several, // of another pool: nothing can be known
            };
            let over = slot.lock().generation != touch.stream().generation();
            if over && !planted!(FreeOnRecycled) {
                continue;
            }
            users = match users {
                Users::None => Users::One(slot, touch),
                Users::One(one, at) if Arc::ptr_eq(&one, &slot) => {
                    Users::One(one, at.later_of(touch))
                }
                _ => return Users::Several,
            };
        }
        users
    }
    /// "Is this tenancy current, does it capture? then free": one hold of the stream's lock (T5). `None`:
    /// the disposal stream has to.
    fn free_on_stream(
        &self,
        slot: &Arc<Slot<A>>,
        touch: Touch,
        memory: RawMemory,
    ) -> Option<Freed> {
        let mut tenancy = slot.lock();
        let over = tenancy.generation != touch.stream().generation();
        if (over && !planted!(FreeOnRecycled)) || tenancy.standing != Standing::Open {
            return None;
        }
        if !over && self.captures_now(slot, &tenancy) {
            return None;
        }
        match self.free_here(slot, &mut tenancy, memory) {
            Ok(()) => Some(Freed::OnStream),
            Err(DriverError::DeviceLost(_)) => Some(Freed::Leaked),
            Err(_) => None,
        }
    }
    fn free_here(
        &self,
        slot: &Slot<A>,
        tenancy: &mut Tenancy,
        memory: RawMemory,
    ) -> Result<(), DriverError> {
        {
            let _relaxed = Relaxed::enter(&self.driver);
            let freed = self.driver.free(memory, slot.raw());
            tenancy.note_refusal(freed);
            freed?;
        }
        let _position = self.count(slot, tenancy);
        Ok(())
    }
}
