//! Which logical thread calls.

use std::{
    cell::Cell,
    sync::atomic::{AtomicU64, Ordering},
};

use super::super::seen::ThreadId;

std::thread_local! {
    static CALLING: Cell<Option<ThreadId>> = const { Cell::new(None) };
    /// The driver that this OS thread called last, and its number there: saves a look-up at each call.
    static LAST: Cell<Option<(u64, ThreadId)>> = const { Cell::new(None) };
}
static DRIVERS: AtomicU64 = AtomicU64::new(0);

/// Runs `body` as this logical thread: for the driver, a thread of its own with a capture mode and a last
/// error of its own. An OS thread that never says so is a logical thread too, with a number from 1,000 up.
///
/// ```
/// use ringfence::backend::streams::*;
/// use ringfence_mock::streams::{profile::DriverProfile, seen::ThreadId, system::{MockStreams, as_thread}};
/// let driver = MockStreams::new(DriverProfile::Hip57);
/// let [one, other] = [1, 2].map(ThreadId::new);
/// let exchange = |mode| driver.exchange_capture_mode(mode);
/// let before = as_thread(one, || exchange(CaptureMode::Relaxed));
/// assert_eq!(as_thread(one, || exchange(before)), CaptureMode::Relaxed);
/// assert_eq!(as_thread(other, || exchange(before)), before); // it has a mode of its own
/// ```
pub fn as_thread<T>(thread: ThreadId, body: impl FnOnce() -> T) -> T {
    struct Restore(Option<ThreadId>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CALLING.set(self.0);
        }
    }
    let _restore = Restore(CALLING.replace(Some(thread)));
    body()
}

/// What `as_thread` says of the calling OS thread.
pub(super) fn calling() -> Option<ThreadId> {
    CALLING.get()
}
/// The calling OS thread's number in a driver, if that was the last one it called.
pub(super) fn known(driver: u64) -> Option<ThreadId> {
    LAST.get().filter(|(last, _)| *last == driver).map(|(_, thread)| thread)
}
/// Keeps it.
pub(super) fn remember(driver: u64, thread: ThreadId) {
    LAST.set(Some((driver, thread)));
}
/// A number for a new driver.
pub(super) fn number() -> u64 {
    DRIVERS.fetch_add(1, Ordering::Relaxed)
}
