//! The facade: the only file that names atomics, locks and `Arc`, so that loom (small models, searched whole)
//! and shuttle (large mixes, at random) can replace them.
//!
//! Two habits keep loom's exhaustive search honest. A value with one writer is a plain field of its
//! owner, who only *publishes* it. A value with several (the watermark) is written by one
//! read-modify-write with no load just before it, since such a load hides other threads' stores from
//! the search.
//!
//! Every ordering that a model must be able to break has a named `Site`.

#![cfg_attr(
    not(ringfence_loom),
    expect(clippy::disallowed_types, reason = "the one place where these types are named")
)]

#[cfg(ringfence_loom)]
pub(crate) use loom::sync::{
    Mutex as RawMutex, MutexGuard as RawGuard,
    atomic::{AtomicU8, AtomicU64, Ordering},
};
#[cfg(ringfence_shuttle)]
pub(crate) use shuttle::sync::{
    Mutex as RawMutex, MutexGuard as RawGuard,
    atomic::{AtomicU8, AtomicU64, Ordering},
};
#[cfg(not(any(ringfence_loom, ringfence_shuttle)))]
pub(crate) use std::sync::{Mutex as RawMutex, MutexGuard as RawGuard, atomic::Ordering};
// Aliases and not imports: clippy's list of disallowed types sees through an import.
#[cfg(not(any(ringfence_loom, ringfence_shuttle)))]
pub(crate) type AtomicU8 = std::sync::atomic::AtomicU8;
#[cfg(not(any(ringfence_loom, ringfence_shuttle)))]
pub(crate) type AtomicU64 = std::sync::atomic::AtomicU64;

/// The shared pointer of the public interface: `std`'s, or loom's under a model.
#[cfg(ringfence_loom)]
pub use loom::sync::Arc;
/// The shared pointer of the public interface: `std`'s, or loom's under a model.
///
/// ```
/// let shared: ringfence::sync::Arc<u8> = std::sync::Arc::new(1); // one type, outside a model
/// # assert_eq!(*shared, 1);
/// ```
#[cfg(not(ringfence_loom))]
pub type Arc<T> = std::sync::Arc<T>;

/// A place where an ordering matters, by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Site {
    /// A prover publishes what it saw.
    WatermarkRaise,
    /// A stream reads what others proved.
    WatermarkObserve,
    /// A record's outcome is published, after its interval.
    RecordPublish,
    /// A waiter reads a record's outcome.
    RecordObserve,
    /// A lease is dropped, after its owner's last act.
    LeaseReturn,
    /// The pool takes in what came back.
    LeaseCollect,
    /// A lease of a shared stream is dropped, after its owner's last act.
    SharerLeave,
    /// The pool sees that nobody shares a stream any more.
    SharersGone,
    /// A thread has pumped.
    TurnEnd,
    /// A thread begins to pump.
    TurnBegin,
}

/// The ordering to use at `site`: always `sound`, unless a model planted a fault there.
#[cfg(not(ringfence_loom))]
#[inline(always)]
pub(crate) const fn order(_site: Site, sound: Ordering) -> Ordering {
    sound
}
/// The ordering to use at `site`: always `sound`, unless a model planted a fault there.
#[cfg(ringfence_loom)]
pub(crate) fn order(site: Site, sound: Ordering) -> Ordering {
    if planted_orderings::PLANTED.get() == Some(site) { Ordering::Relaxed } else { sound }
}
/// Orderings that a model weakens.
#[cfg(ringfence_loom)]
pub(crate) mod planted_orderings {
    std::thread_local! {
        // loom runs all threads of a model on one OS thread, so a std thread-local reaches them all.
        pub(crate) static PLANTED: std::cell::Cell<Option<super::Site>> = const { std::cell::Cell::new(None) };
    }
}
/// What models are written with: threads, and a cell that reports unordered accesses.
#[cfg(all(test, ringfence_loom))]
pub(crate) mod model {
    pub(crate) use loom::{cell::UnsafeCell as Tracked, model::Builder, thread};
    pub(crate) use std::sync::atomic::{AtomicUsize as Counter, Ordering as CounterOrdering};
}

/// A thread, by a name that no other has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ThreadName(std::thread::ThreadId);
impl ThreadName {
    /// The calling thread's. loom and shuttle run all threads of a model on one of the system, which then have one name.
    pub(crate) fn own() -> Self {
        Self(std::thread::current().id())
    }
}

/// Lets other threads go on, while one of them makes what the caller waits for.
pub(crate) fn let_others_go_on() {
    #[cfg(ringfence_loom)]
    loom::thread::yield_now();
    #[cfg(ringfence_shuttle)]
    shuttle::thread::yield_now();
    #[cfg(not(any(ringfence_loom, ringfence_shuttle)))]
    std::thread::yield_now();
}

/// A number for a new pool, so that a stamp of one is never judged by another. A model has one pool, and its
/// atomics cannot be static.
pub(crate) fn next_pool() -> u32 {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

/// A number for a new ring, so that what is told of one is not taken for another's.
pub(crate) fn next_ring() -> u32 {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

/// How many queues were numbered before this one. It stays at the last number, so that none comes again.
pub(crate) fn next_queue() -> u32 {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    let one_more = |number: u32| number.checked_add(1);
    NEXT.fetch_update(relaxed, relaxed, one_more).unwrap_or(u32::MAX)
}

/// A lock that knows no poison: what it guards is plain data that no panic leaves half changed.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(RawMutex<T>);
impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(RawMutex::new(value))
    }
    pub(crate) fn lock(&self) -> Guard<'_, T> {
        #[cfg(feature = "audit")]
        audit::held(1);
        Guard(self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
    /// Without waiting. `None`: somebody else holds it.
    pub(crate) fn try_lock(&self) -> Option<Guard<'_, T>> {
        let guard = match self.0.try_lock() {
            Ok(guard) => guard,
            Err(std::sync::TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(std::sync::TryLockError::WouldBlock) => return None,
        };
        #[cfg(feature = "audit")]
        audit::held(1);
        Some(Guard(guard))
    }
    /// Without locking: nobody else can hold it.
    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
/// Access to what a [`Mutex`] guards.
#[derive(Debug)]
pub(crate) struct Guard<'a, T>(RawGuard<'a, T>);
impl<T> std::ops::Deref for Guard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}
impl<T> std::ops::DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
#[cfg(feature = "audit")]
impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        audit::held(-1);
    }
}

/// The hand-over lock of one stream (T5): counted apart from the others, since what acts on a stream
/// must hold it, and nothing else.
#[derive(Debug, Default)]
pub(crate) struct StreamLock<T>(Mutex<T>);
impl<T> StreamLock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }
    pub(crate) fn lock(&self) -> StreamGuard<'_, T> {
        StreamGuard::new(self.0.lock())
    }
    /// Without waiting. `None`: somebody else holds it.
    pub(crate) fn try_lock(&self) -> Option<StreamGuard<'_, T>> {
        self.0.try_lock().map(StreamGuard::new)
    }
}
/// Access to what a [`StreamLock`] guards.
#[derive(Debug)]
pub(crate) struct StreamGuard<'a, T>(Guard<'a, T>);
impl<'a, T> StreamGuard<'a, T> {
    fn new(guard: Guard<'a, T>) -> Self {
        #[cfg(feature = "audit")]
        audit::streams_held(1);
        Self(guard)
    }
}
impl<T> std::ops::Deref for StreamGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}
impl<T> std::ops::DerefMut for StreamGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
#[cfg(feature = "audit")]
impl<T> Drop for StreamGuard<'_, T> {
    fn drop(&mut self) {
        audit::streams_held(-1);
    }
}

/// Locks counted, for a backend that checks that none is held while the host waits (S13).
///
/// ```
/// use ringfence::sync::audit::{locks_held, locks_taken};
/// /// At the top of what a backend does to wait on the host.
/// fn before_a_wait() {
///     assert_eq!(locks_held(), 0, "another thread would wait for this one as well");
/// }
/// let before = locks_taken();
/// before_a_wait();
/// assert_eq!(locks_taken(), before);
/// ```
#[cfg(feature = "audit")]
pub mod audit {
    // Shuttle runs its threads on one of the system.
    #[cfg(ringfence_shuttle)]
    use shuttle::thread_local;
    #[cfg(not(ringfence_shuttle))]
    use std::thread_local;
    thread_local! {
        static HELD: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
        static TAKEN: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
        static STREAMS_HELD: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
    }
    pub(super) fn held(more: i32) {
        TAKEN.with(|taken| taken.set(taken.get() + u64::from(more > 0)));
        HELD.with(|held| held.set(held.get().wrapping_add_signed(more)));
    }
    pub(super) fn streams_held(more: i32) {
        STREAMS_HELD.with(|held| held.set(held.get().wrapping_add_signed(more)));
    }
    /// How many hand-over locks of streams this thread holds; they are among [`locks_held`].
    pub fn stream_locks_held() -> u32 {
        STREAMS_HELD.with(std::cell::Cell::get)
    }
    /// How many times this thread has taken one of the library's locks.
    pub fn locks_taken() -> u64 {
        TAKEN.with(std::cell::Cell::get)
    }
    /// How many of the library's locks this thread holds.
    pub fn locks_held() -> u32 {
        HELD.with(std::cell::Cell::get)
    }
}
