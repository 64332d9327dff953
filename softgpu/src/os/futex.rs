//! Sleeping on a word. The library's threads are its host's, whose thread-local storage may be gone
//! when they call: nothing of the standard library that needs it is used to sleep.

use std::{ptr, sync::atomic::AtomicU32, time::Duration};

/// Sleeps while `word` is `expected`, for at most `limit`; may wake for nothing.
pub(super) fn wait(word: &AtomicU32, expected: u32, limit: Option<Duration>) {
    let limit = limit.map(|limit| libc::timespec {
        tv_sec: limit.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_nsec: limit.subsec_nanos().into(),
    });
    let limit = limit.as_ref().map_or(ptr::null(), ptr::from_ref);
    let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word and the limit outlive the call, which only reads them.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, expected, limit) };
}
/// Wakes all that sleep on `word`.
pub(super) fn wake(word: &AtomicU32) {
    let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word's address is a key; the call does not follow it.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, i32::MAX) };
}
