//! What is let go of, and what becomes of it.

use std::{
    mem,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::api::{Api, HsaSignal, RawQueue};

/// What was let go of.
#[derive(Debug)]
pub(crate) enum Garbage {
    Queue {
        raw: RawQueue,
        /// The number of its GPU.
        gpu: usize,
    },
    Signal(HsaSignal),
}

/// Queues that the runtime failed to destroy, and those of a GPU with a [memory fault](crate::Loss::MemoryFault), which it is not
/// asked to destroy: ROCr up to 2024-10 at least never comes back from that. Each keeps its memory, and what is to be told of its
/// failure, since the runtime may still call that: leaks on purpose, until the process ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StuckQueues(u64);

impl StuckQueues {
    /// None, as it should be.
    pub const NONE: Self = Self(0);

    /// How many.
    #[must_use]
    pub const fn count(self) -> u64 {
        self.0
    }
}

/// What was let go of on a thread of the runtime, and what could not be destroyed at all.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    later: Mutex<Vec<Garbage>>,
    stuck: AtomicU64,
}

impl Heap {
    /// To be destroyed later.
    pub(crate) fn push(&self, garbage: Garbage) {
        self.later.lock().unwrap_or_else(PoisonError::into_inner).push(garbage);
    }

    /// All that was pushed.
    pub(crate) fn take(&self) -> Vec<Garbage> {
        mem::take(&mut *self.later.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Destroys it, on a thread that is none of the runtime's.
    pub(crate) fn destroy(&self, api: Api, garbage: Garbage) {
        if garbage.destroy(api) == Destroyed::No {
            self.stuck.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A queue that is left as it is: a leak on purpose.
    pub(crate) fn leave(&self, garbage: Garbage) {
        // What it has is not its own to free: nothing of it has a destructor.
        let _left = garbage;
        self.stuck.fetch_add(1, Ordering::Relaxed);
    }

    /// What is stuck.
    pub(crate) fn stuck(&self) -> StuckQueues {
        StuckQueues(self.stuck.load(Ordering::Relaxed))
    }
}

/// What became of garbage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Destroyed {
    Yes,
    /// It is left as it is.
    No,
}

impl Garbage {
    /// The number of the GPU whose queue it is.
    pub(crate) fn queue_of(&self) -> Option<usize> {
        match self {
            Self::Queue { gpu, .. } => Some(*gpu),
            Self::Signal(_) => None,
        }
    }

    /// Destroys it, on a thread that is none of the runtime's.
    pub(crate) fn destroy(self, api: Api) -> Destroyed {
        match self {
            // SAFETY: this is no thread of the runtime.
            Self::Queue { raw, .. } => match unsafe { api.destroy_queue(raw) } {
                Ok(()) => Destroyed::Yes,
                Err(_) => Destroyed::No,
            },
            Self::Signal(signal) => {
                // SAFETY: no thread is at it (`Removed`), and no packet uses it any more (contract 2 of `Signals`).
                unsafe { api.destroy_signal(signal) };
                Destroyed::Yes
            }
        }
    }
}
