//! Whether a runtime may be called: not in a forked child, not while the process exits, not after a GPU was lost.

use std::sync::{
    Once,
    atomic::{AtomicBool, Ordering},
};

use ringfence::backend::streams::DriverState;

/// Set in a child of the process that loaded a runtime: its threads and kernel memory are the parent's
/// (<https://github.com/ROCm/rocm-systems/issues/8119>).
static FORKED: AtomicBool = AtomicBool::new(false);
/// Set once the process runs its exit handlers: the runtime's own destructors are among them
/// (<https://github.com/pytorch/pytorch/issues/15692>).
static EXITING: AtomicBool = AtomicBool::new(false);

extern "C" fn in_child() {
    FORKED.store(true, Ordering::Release);
}

extern "C" fn at_exit() {
    EXITING.store(true, Ordering::Release);
}

/// Of one runtime.
///
/// ```
/// use ringfence::backend::streams::DriverState;
/// use ringfence_backend_shared::life::Life;
/// static LIFE: Life = Life::new();
/// LIFE.watch(); // once the runtime is loaded
/// assert_eq!(LIFE.state(), DriverState::Ready);
/// LIFE.lose(); // a call said that a GPU does not work any more
/// assert_eq!(LIFE.state(), DriverState::Lost); // for good
/// ```
#[derive(Debug)]
pub struct Life {
    watched: Once,
    /// Set once the runtime said that a GPU does not work any more. It then refuses every call of the process.
    lost: AtomicBool,
}

impl Life {
    /// Of a runtime that is not loaded yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { watched: Once::new(), lost: AtomicBool::new(false) }
    }

    /// Begins to watch. Called after the runtime was loaded: exit handlers run in reverse order, so that this one runs before the
    /// runtime's.
    ///
    /// # Panics
    /// If there is no memory to be told of forks and of the exit.
    pub fn watch(&self) {
        self.watched.call_once(|| {
            // SAFETY: the handler does nothing but store into a static, which a child of a process with threads may do.
            let forks = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
            // SAFETY: the handler does nothing but store into a static.
            let exits = unsafe { libc::atexit(at_exit) };
            // Both fail for want of memory alone.
            assert_eq!((forks, exits), (0, 0), "no memory to be told of forks and of the exit");
        });
    }

    /// A GPU was lost.
    pub fn lose(&self) {
        self.lost.store(true, Ordering::Release);
    }

    /// Whether the runtime may be called.
    #[inline]
    pub fn state(&self) -> DriverState {
        if FORKED.load(Ordering::Acquire) {
            DriverState::Forked
        } else if EXITING.load(Ordering::Acquire) {
            DriverState::ShuttingDown
        } else if self.lost.load(Ordering::Acquire) {
            DriverState::Lost
        } else {
            DriverState::Ready
        }
    }
}

impl Default for Life {
    fn default() -> Self {
        Self::new()
    }
}
