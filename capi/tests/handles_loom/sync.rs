//! The types of `capi/src/handle/sync.rs`, as loom has them.

use loom::cell::UnsafeCell;

pub(super) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Where an ordering matters, by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Site {
    Enter,
    Leave,
    Fill,
    Push,
    Pop,
}

std::thread_local! {
    // loom runs all threads of a model on one of the system.
    pub(super) static PLANTED: std::cell::Cell<Option<Site>> = const { std::cell::Cell::new(None) };
}
/// The ordering to use at a site: the sound one, unless a model planted a fault there.
pub(super) fn order(site: Site, sound: Ordering) -> Ordering {
    if PLANTED.get() == Some(site) { Ordering::Relaxed } else { sound }
}

/// Reports whoever reads or changes it without an order.
pub(super) struct Cell<T>(UnsafeCell<T>);
impl<T> Cell<T> {
    pub(super) fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }
    pub(super) fn read(&self) -> *const T {
        self.0.with(|value| value)
    }
    pub(super) fn write(&self) -> *mut T {
        self.0.with_mut(|value| value)
    }
}
