//! Keeps the threads that look at watched signals away from them while a GPU is reset.
//!
//! A reset takes the memory of signals along. The user's own threads are the user's to keep away; these are this crate's, and who
//! resets can neither see nor stop them.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, ThreadId},
};

use crate::error::HipError;

/// Of all devices of a driver: a listener of one may be told of, and look at, signals of another.
#[derive(Debug, Default)]
pub(crate) struct Listeners {
    state: Mutex<State>,
    left: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// How many are under way.
    resets: usize,
    /// Threads that look at signals, or tell of them.
    looking: Vec<ThreadId>,
}

/// Signals of the driver are there as long as this exists.
#[derive(Debug)]
pub(super) struct Look<'a>(&'a Listeners);

impl Listeners {
    /// For a look and what is told of it. `None` while a GPU is reset. Who has a look takes no other one.
    pub(super) fn look(&self) -> Option<Look<'_>> {
        let mut state = self.lock();
        if state.resets > 0 {
            return None;
        }
        state.looking.push(thread::current().id());
        Some(Look(self))
    }

    /// Nobody looks from here on, until [`go_on`](Self::go_on) was called as often: waits for those who do.
    ///
    /// # Errors
    /// [`HipError::InListener`]: it would wait for itself.
    pub(crate) fn stop(&self) -> Result<(), HipError> {
        let mut state = self.lock();
        if state.looking.contains(&thread::current().id()) {
            return Err(HipError::InListener);
        }
        state.resets += 1;
        while !state.looking.is_empty() {
            state = self.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }

    /// A reset is over, and what went with it is known.
    pub(crate) fn go_on(&self) {
        self.lock().resets -= 1;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Look<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        let own = thread::current().id();
        state.looking.retain(|one| *one != own);
        self.0.left.notify_all();
    }
}

#[cfg(test)]
mod tests;
