//! One place of a table: who may touch its object at this moment.

use std::{
    marker::PhantomData,
    ops::{Deref, DerefMut},
};

use super::{
    Refused,
    sync::{AtomicU32, AtomicU64, Cell, Ordering, Site, order},
};

/// An object is there.
const LIVE: u64 = 1 << 31;
/// One call has it to itself.
const ALONE: u64 = 1 << 30;
/// A panic met it.
const POISONED: u64 = 1 << 29;
/// It was given up, and only the one who took it still knows it.
const GONE: u64 = 1 << 28;
/// How many calls share it.
const SHARERS: u64 = GONE - 1;

/// A place, and an object while it is live.
pub(super) struct Slot<T> {
    /// Generation in the upper half; in the lower one the flags above and the number of sharers.
    state: AtomicU64,
    pub(super) next_free: AtomicU32,
    value: Cell<Option<T>>,
}
// SAFETY: the value is reached through guards alone: a shared one, of which there is none beside an exclusive one, needs
// `T: Sync` (`Slot::share`), an exclusive one moves the right to the value to its thread.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T> Slot<T> {
    /// A free one, whose first object is of generation `first`.
    pub(super) fn new(first: u32) -> Self {
        Self {
            state: AtomicU64::new(with(first, 0)),
            next_free: AtomicU32::new(0),
            value: Cell::new(None),
        }
    }
    /// The place below this one on the stack of free ones.
    pub(super) fn below(&self) -> u32 {
        self.next_free.load(Ordering::Relaxed)
    }
    /// The generation of the object that is there, or would be next.
    pub(super) fn generation(&self) -> u32 {
        (self.state.load(Ordering::Relaxed) >> 32) as u32
    }
    /// Puts an object into a place that is the caller's alone. Returns the generation.
    pub(super) fn fill(&self, value: T) -> u32 {
        let state = self.state.load(Ordering::Relaxed);
        debug_assert_eq!(state & LIVE, 0, "a free place");
        // SAFETY: the place is not live, so that no guard is handed out, and the caller alone took it off the free list.
        unsafe { *self.value.write() = Some(value) };
        let generation = (state >> 32) as u32;
        self.state.store(with(generation, LIVE), order(Site::Fill, Ordering::Release));
        generation
    }
    pub(super) fn share(&'static self, generation: u32) -> Result<Shared<T>, Refused>
    where
        T: Sync,
    {
        let free = |state: u64| state & ALONE == 0 && state & SHARERS < SHARERS;
        self.enter(generation, free, |state| state + 1)?;
        Ok(Shared { slot: self, _reads: PhantomData })
    }
    pub(super) fn alone(
        &'static self,
        generation: u32,
        index: u32,
    ) -> Result<Exclusive<T>, Refused> {
        let free = |state: u64| state & (ALONE | SHARERS) == 0;
        self.enter(generation, free, |state| state | ALONE)?;
        Ok(Exclusive::of(self, index))
    }
    /// As [`alone`](Self::alone), also for what a panic met: to close it.
    pub(super) fn last(
        &'static self,
        generation: u32,
        index: u32,
    ) -> Result<Exclusive<T>, Refused> {
        let free = |state: u64| state & (ALONE | SHARERS) == 0;
        match self.enter(generation, free, |state| state | ALONE) {
            Ok(()) => {}
            Err(Refused::Poisoned) => {
                let poisoned = with(generation, LIVE | POISONED);
                let taken = with(generation, LIVE | POISONED | ALONE);
                self.state
                    .compare_exchange(
                        poisoned,
                        taken,
                        order(Site::Enter, Ordering::Acquire),
                        Ordering::Relaxed,
                    )
                    .map_err(|_| Refused::InUse)?;
            }
            Err(why) => return Err(why),
        }
        Ok(Exclusive::of(self, index))
    }
    fn enter(
        &self,
        generation: u32,
        free: impl Fn(u64) -> bool,
        entered: impl Fn(u64) -> u64,
    ) -> Result<(), Refused> {
        let mut state = self.state.load(Ordering::Relaxed);
        loop {
            let now = (state >> 32) as u32;
            if generation == 0 || generation > now {
                return Err(Refused::Foreign);
            }
            if generation < now || state & GONE != 0 {
                return Err(Refused::Stale);
            }
            if state & LIVE == 0 {
                return Err(Refused::Foreign); // this generation has still to come
            }
            if state & POISONED != 0 {
                return Err(Refused::Poisoned);
            }
            if !free(state) {
                return Err(Refused::InUse);
            }
            // Acquire: what the last one who had it did is seen.
            match self.state.compare_exchange_weak(
                state,
                entered(state),
                order(Site::Enter, Ordering::Acquire),
                Ordering::Relaxed,
            ) {
                Ok(_) => return Ok(()),
                Err(other) => state = other,
            }
        }
    }
}
fn with(generation: u32, flags: u64) -> u64 {
    (u64::from(generation) << 32) | flags
}

/// An object that several calls may read at once.
pub(crate) struct Shared<T: 'static> {
    slot: &'static Slot<T>,
    /// It may go where a reference may.
    _reads: PhantomData<&'static T>,
}
impl<T> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: this guard is counted among the sharers, so that nobody has the value to itself, and it is `Sync`.
        let value = unsafe { &*self.slot.value.read() };
        value.as_ref().expect("a live place has an object")
    }
}
impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        self.slot.state.fetch_sub(1, order(Site::Leave, Ordering::Release));
    }
}

/// An object that this call has to itself.
pub(crate) struct Exclusive<T: 'static> {
    slot: &'static Slot<T>,
    index: u32,
    /// Whether the thread unwound already when the guard was made.
    panicking: bool,
    /// It may go, and be shared, where the object may.
    _has: PhantomData<T>,
}
impl<T> Exclusive<T> {
    fn of(slot: &'static Slot<T>, index: u32) -> Self {
        Self { slot, index, panicking: std::thread::panicking(), _has: PhantomData }
    }
    /// Whether a panic met the object: it is being closed.
    pub(crate) fn is_poisoned(&self) -> bool {
        self.slot.state.load(Ordering::Relaxed) & POISONED != 0
    }
    /// The handle answers as if the object were gone from here on, for as long as the guard lives.
    pub(crate) fn hide(&self) {
        self.slot.state.fetch_or(GONE, Ordering::Relaxed);
    }
    /// The handle answers again once the guard is dropped.
    pub(crate) fn show(&self) {
        self.slot.state.fetch_and(!GONE, Ordering::Relaxed);
    }
    /// Takes the object out; its handle is stale from here on. Returns the place as well, and whether it may be used
    /// again.
    pub(super) fn empty(self) -> (T, u32, Reuse) {
        // SAFETY: this guard has the value to itself.
        let value = unsafe { (*self.slot.value.write()).take() };
        let generation = (self.slot.state.load(Ordering::Relaxed) >> 32) as u32;
        let reuse = match generation.checked_add(1) {
            Some(next) => {
                // Relaxed: whoever gets the place takes it from the stack of free ones, after it was put there.
                self.slot.state.store(with(next, 0), Ordering::Relaxed);
                Reuse::Yes
            }
            // The last generation: stale for ever.
            None => {
                self.slot.state.store(with(generation, GONE), Ordering::Relaxed);
                Reuse::Never
            }
        };
        let index = self.index;
        std::mem::forget(self);
        (value.expect("a live place has an object"), index, reuse)
    }
}
/// Whether a place is used again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reuse {
    Yes,
    Never,
}
impl<T> Deref for Exclusive<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: this guard has the value to itself.
        let value = unsafe { &*self.slot.value.read() };
        value.as_ref().expect("a live place has an object")
    }
}
impl<T> DerefMut for Exclusive<T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this guard has the value to itself, and is itself borrowed alone.
        let value = unsafe { &mut *self.slot.value.write() };
        value.as_mut().expect("a live place has an object")
    }
}
impl<T> Drop for Exclusive<T> {
    fn drop(&mut self) {
        if std::thread::panicking() && !self.panicking {
            self.slot.state.fetch_or(POISONED, Ordering::Relaxed);
        }
        self.slot.state.fetch_and(!ALONE, order(Site::Leave, Ordering::Release));
    }
}
