//! Which threads are the runtime's: what is destroyed on one would wait for itself.

use std::cell::Cell;

thread_local! {
    static CALLED_BACK: Cell<bool> = const { Cell::new(false) };
}

/// Whose a thread is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Thread {
    /// The program's.
    Own,
    /// The runtime's, in a callback.
    Runtime,
}

/// Whose this thread is.
pub(crate) fn thread() -> Thread {
    // A thread whose locals are gone is about to end, which the runtime's do in `hsa_shut_down` alone.
    let called_back = CALLED_BACK.try_with(Cell::get).unwrap_or(false);
    if called_back { Thread::Runtime } else { Thread::Own }
}

/// Runs `body`, which the runtime called. A panic ends at the C function that called this: it aborts the process.
pub(crate) fn on_runtime_thread<T>(body: impl FnOnce() -> T) -> T {
    let before = CALLED_BACK.replace(true);
    let result = body();
    CALLED_BACK.set(before);
    result
}
