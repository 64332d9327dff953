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
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            PLANTED.set(self.0);
        }
    }
    let _restore = Restore(PLANTED.replace(true));
    body()
}
