//! What the operating system says of this process, and how a process ends or splits.

use std::time::Duration;

/// Ends the process without any tear-down.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: `_exit` has no precondition.
    unsafe { libc::_exit(code) }
}

/// The processor time that all threads of the process used so far.
#[must_use]
pub fn cpu_time() -> Duration {
    clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// The processor time that the calling thread used so far.
#[must_use]
pub fn thread_time() -> Duration {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn clock(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable.
    let failed = unsafe { libc::clock_gettime(clock, &raw mut time) };
    assert_eq!(failed, 0, "clock_gettime({clock})");
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}

/// Bytes of the process that are in memory.
#[must_use]
pub fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("/proc is there");
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.expect("the second field is a number of pages") * 4096
}

/// How a child ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// By itself, with this code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
}

/// A process that [`fork`] made.
#[derive(Debug)]
#[must_use = "a child that nobody waits for stays as a zombie"]
pub struct Child(libc::pid_t);

/// Forks. `child` runs in the new process, which then exits with what it returned, through all tear-down (`exit`); after 20 s it is
/// killed by SIGALRM, for the watchdog did not come along.
pub fn fork(child: impl FnOnce() -> i32) -> Child {
    // SAFETY: the child runs `child` and exits: it is a test of what the runtime makes of a fork in a process with threads, on
    // glibc, whose allocator survives one.
    let id = unsafe { libc::fork() };
    assert!(id >= 0, "fork: {}", std::io::Error::last_os_error());
    if id == 0 {
        // SAFETY: `alarm` has no precondition.
        unsafe { libc::alarm(20) };
        let code = child();
        std::process::exit(code);
    }
    Child(id)
}

impl Child {
    /// Waits for its end.
    #[must_use]
    pub fn wait(self) -> End {
        let mut status = 0;
        // SAFETY: `status` is writable.
        let waited = unsafe { libc::waitpid(self.0, &raw mut status, 0) };
        assert_eq!(waited, self.0, "waitpid: {}", std::io::Error::last_os_error());
        if libc::WIFSIGNALED(status) {
            End::Signal(libc::WTERMSIG(status))
        } else {
            End::Exit(libc::WEXITSTATUS(status))
        }
    }
}
