//! Whether HIP may be called: not in a forked child, not while the process exits, not after a GPU was lost.

use std::sync::{
    Once,
    atomic::{AtomicBool, Ordering},
};

use ringfence::backend::streams::DriverState;

/// Set in a child of the process that loaded HIP: threads and kernel memory of HIP are the parent's
/// (<https://github.com/ROCm/rocm-systems/issues/8119>).
static FORKED: AtomicBool = AtomicBool::new(false);
/// Set once the process runs its exit handlers: HIP's own destructors are among them
/// (<https://github.com/pytorch/pytorch/issues/15692>).
static EXITING: AtomicBool = AtomicBool::new(false);
/// Set once HIP said that a GPU does not work any more. HIP then refuses every call of the process.
static LOST: AtomicBool = AtomicBool::new(false);

extern "C" fn in_child() {
    FORKED.store(true, Ordering::Release);
}

extern "C" fn at_exit() {
    EXITING.store(true, Ordering::Release);
}

/// Begins to watch. Called after HIP was loaded: exit handlers run in reverse order, so that ours runs before HIP's.
pub(crate) fn watch() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the handler does nothing but store into a static, which a child of a process with threads may do.
        let forks = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        // SAFETY: the handler does nothing but store into a static.
        let exits = unsafe { libc::atexit(at_exit) };
        // Both fail for want of memory alone.
        assert_eq!((forks, exits), (0, 0), "no memory to be told of forks and of the exit");
    });
}

/// A GPU was lost.
pub(crate) fn lose() {
    LOST.store(true, Ordering::Release);
}

/// Whether HIP may be called.
#[inline]
pub(crate) fn state() -> DriverState {
    if FORKED.load(Ordering::Acquire) {
        DriverState::Forked
    } else if EXITING.load(Ordering::Acquire) {
        DriverState::ShuttingDown
    } else if LOST.load(Ordering::Acquire) {
        DriverState::Lost
    } else {
        DriverState::Ready
    }
}
