//! What places and the stack of free ones are made of. `capi/tests/handles_loom` has the same on loom's types, and searches every
//! interleaving of `slot.rs` and `free.rs`.

use std::cell::UnsafeCell;

pub(super) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Where an ordering matters, by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Site {
    /// A call gets an object, after all that others did to it.
    Enter,
    /// A call lets go of an object.
    Leave,
    /// An object is there for others.
    Fill,
    /// A place is nobody's from here on.
    Push,
    /// A place is taken, after all that was done to it.
    Pop,
}
/// The ordering to use at a site: always the sound one, unless a model planted a fault there.
#[inline(always)]
pub(super) const fn order(_: Site, sound: Ordering) -> Ordering {
    sound
}

/// A value whose users keep out of each other's way by themselves.
pub(super) struct Cell<T>(UnsafeCell<T>);
impl<T> Cell<T> {
    pub(super) const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }
    /// To read it, beside others who do.
    #[inline(always)]
    pub(super) const fn read(&self) -> *const T {
        self.0.get()
    }
    /// To change it, alone.
    #[inline(always)]
    pub(super) const fn write(&self) -> *mut T {
        self.0.get()
    }
}
