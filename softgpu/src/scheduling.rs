//! How the engine thread is scheduled.

use std::mem::MaybeUninit;

use crate::settings::Priority;

/// Asks for what `wanted` says, as far as this process may have it; answers with what it has. The
/// runtime above spins for a while in every wait, on as many threads as wait: an engine of normal
/// priority starves on a machine with few processors.
pub(crate) fn hurry(wanted: Priority) -> Priority {
    // SAFETY: the call has numbers alone for arguments.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1000 as libc::c_ulong) };
    if wanted == Priority::Normal {
        return Priority::Normal;
    }
    let parameters = libc::sched_param { sched_priority: 1 };
    // SAFETY: the parameters outlive the call; 0 is the calling thread.
    if unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) } == 0 {
        return Priority::RealTime;
    }
    // SAFETY: the call has numbers alone for arguments; 0 is the calling thread. Where it is not
    // allowed either, the thread stays as it is.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, -15) };
    Priority::Normal
}

/// Runs `act` with all signals blocked: a thread that it starts never runs its host's handlers.
pub(crate) fn without_signals<R>(act: impl FnOnce() -> R) -> R {
    let mut all = MaybeUninit::<libc::sigset_t>::uninit();
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: fills the set.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    // SAFETY: `all` is filled; `before` is filled by the call, which cannot fail with these arguments.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr()) };
    let result = act();
    // SAFETY: `before` was filled above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    result
}
