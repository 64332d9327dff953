//! A fault planted in the reading of a copy engine's ring, so that a fuzz target can be seen to find one. On only inside
//! [`with`], on the calling thread.

use std::cell::Cell;

std::thread_local! {
    static PLANTED: Cell<bool> = const { Cell::new(false) };
}

/// Whether it is planted here and now.
pub(crate) fn is_on() -> bool {
    PLANTED.get()
}
/// Runs `body` with the fault planted on this thread, also when it unwinds.
pub fn with<T>(body: impl FnOnce() -> T) -> T {
    ringfence::plant::while_set(&PLANTED, true, body)
}
