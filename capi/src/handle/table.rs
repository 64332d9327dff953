//! All objects of one kind.

use std::sync::{
    OnceLock,
    atomic::{AtomicU32, AtomicU64, Ordering},
};

use super::{
    Kind, Refused,
    free::Free,
    slot::{Exclusive, Reuse, Shared, Slot},
};
use crate::status::{Failure, ringfence_status_t as Status};

/// Places of the first chunk; each further one has twice as many as the one before.
const FIRST: u32 = 64;
/// 64 * (2^18 - 1) places: what 24 bits can name.
const CHUNKS: usize = 18;

/// Objects by handle. Static: handles outlive everything.
pub(crate) struct Table<T: 'static> {
    kind: Kind,
    chunks: [OnceLock<Box<[Slot<T>]>>; CHUNKS],
    /// Places that were ever used.
    used: AtomicU32,
    free: Free,
}
impl<T: Send + 'static> Table<T> {
    pub(crate) const fn new(kind: Kind) -> Self {
        Self {
            kind,
            chunks: [const { OnceLock::new() }; CHUNKS],
            used: AtomicU32::new(0),
            free: Free::new(AtomicU64::new(Free::NOTHING)),
        }
    }
    /// Takes an object in. May allocate, and may wait for another thread that does.
    pub(crate) fn insert(&'static self, value: T) -> Result<u64, Failure> {
        self.insert_with(|_| value)
    }
    /// The same for an object whose end calls somebody, or that knows its handle: it is made once nothing can be refused any more.
    pub(crate) fn insert_with(&'static self, make: impl FnOnce(u64) -> T) -> Result<u64, Failure> {
        let index = self.free.pop(|index| Some(self.slot(index)?.below()));
        let index = index.or_else(|| self.extend()).ok_or_else(|| {
            Failure::new(
                Status::RINGFENCE_OTHER,
                format_args!(
                    "too many objects of one kind are alive; close those that are not needed"
                ),
            )
        })?;
        let slot = self.slot(index).expect("a place that was just taken");
        let handle =
            (self.kind as u64) << 56 | u64::from(index) << 32 | u64::from(slot.generation());
        slot.fill(make(handle));
        Ok(handle)
    }
    /// The object, beside other calls that read it.
    pub(crate) fn shared(&'static self, handle: u64) -> Result<Shared<T>, Failure>
    where
        T: Sync,
    {
        self.try_shared(handle).map_err(|why| why.failure(handle, self.kind))
    }
    /// The same for a call that a finalizer may make.
    pub(crate) fn shared_quietly(&'static self, handle: u64) -> Result<Shared<T>, Status>
    where
        T: Sync,
    {
        self.try_shared(handle).map_err(Refused::status)
    }
    pub(crate) fn try_shared(&'static self, handle: u64) -> Result<Shared<T>, Refused>
    where
        T: Sync,
    {
        let (slot, _, generation) = self.look_up(handle)?;
        slot.share(generation)
    }
    /// The object, for this call alone.
    pub(crate) fn alone(&'static self, handle: u64) -> Result<Exclusive<T>, Failure> {
        self.try_alone(handle).map_err(|why| why.failure(handle, self.kind))
    }
    pub(crate) fn try_alone(&'static self, handle: u64) -> Result<Exclusive<T>, Refused> {
        let (slot, index, generation) = self.look_up(handle)?;
        slot.alone(generation, index)
    }
    /// The object, to close it: also one that a panic met.
    pub(crate) fn last(&'static self, handle: u64) -> Result<Exclusive<T>, Failure> {
        self.try_last(handle).map_err(|why| why.failure(handle, self.kind))
    }
    /// The same for a call that a finalizer may make.
    pub(crate) fn last_quietly(&'static self, handle: u64) -> Result<Exclusive<T>, Status> {
        self.try_last(handle).map_err(Refused::status)
    }
    pub(crate) fn try_last(&'static self, handle: u64) -> Result<Exclusive<T>, Refused> {
        let (slot, index, generation) = self.look_up(handle)?;
        slot.last(generation, index)
    }
    /// Takes the object out of the table. No lock, no allocation.
    pub(crate) fn remove(&'static self, object: Exclusive<T>) -> T {
        let (value, index, reuse) = object.empty();
        if let (Reuse::Yes, Some(slot)) = (reuse, self.slot(index)) {
            self.free.push(index, slot);
        }
        value
    }
    /// Looks the object up to close it, and takes it out.
    pub(crate) fn take(&'static self, handle: u64) -> Result<T, Failure> {
        Ok(self.remove(self.last(handle)?))
    }

    fn look_up(&'static self, handle: u64) -> Result<(&'static Slot<T>, u32, u32), Refused> {
        if handle == 0 {
            return Err(Refused::Null);
        }
        if Kind::of(handle) != Some(self.kind) {
            return Err(Refused::Foreign);
        }
        let index = (handle >> 32) as u32 & 0xFF_FFFF;
        let (generation, first) = (handle as u32, first_generation());
        let slot = self.slot(index).filter(|_| generation >= first).ok_or(Refused::Foreign)?;
        Ok((slot, index, generation))
    }
    /// A place, if its chunk is there.
    fn slot(&self, index: u32) -> Option<&Slot<T>> {
        let (chunk, offset) = place(index)?;
        self.chunks[chunk].get()?.get(offset)
    }
    /// A place that was never used.
    fn extend(&self) -> Option<u32> {
        let index = self.used.fetch_add(1, Ordering::Relaxed);
        let Some((chunk, _)) = place(index) else {
            self.used.fetch_sub(1, Ordering::Relaxed);
            return None;
        };
        let places = FIRST << chunk;
        self.chunks[chunk]
            .get_or_init(|| (0..places).map(|_| Slot::new(first_generation())).collect());
        Some(index)
    }
}
#[cfg(test)]
impl<T: Send + 'static> Table<T> {
    /// One whose places are all used.
    pub(super) const fn full(kind: Kind) -> Self {
        let mut table = Self::new(kind);
        table.used = AtomicU32::new(FIRST * ((1 << CHUNKS) - 1));
        table
    }
}
/// The first generation of every place: by where this copy of the library lies, so that it refuses the handles of another one in the
/// same process. They may be taken for those of objects that are gone, or that have still to come, and hardly ever for any that is there.
fn first_generation() -> u32 {
    static HERE: u8 = 0;
    let spread = (&raw const HERE).addr().wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as usize);
    // 30 of the upper bits, but not 0: three quarters of all generations are left.
    ((spread >> (usize::BITS - 30)) as u32).max(1)
}
/// The chunk and the offset in it.
fn place(index: u32) -> Option<(usize, usize)> {
    let chunk = (u64::from(index) / u64::from(FIRST) + 1).ilog2() as usize;
    let before = u64::from(FIRST) * ((1 << chunk) - 1);
    (chunk < CHUNKS).then(|| (chunk, (u64::from(index) - before) as usize))
}
