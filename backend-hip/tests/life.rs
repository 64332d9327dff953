//! A process that forks, and one that exits: HIP is not called after either, and nothing hangs.

mod support;

use std::{
    env,
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt,
    process::{Command, exit},
    sync::{Mutex, OnceLock, PoisonError},
    time::Duration,
};

use ringfence::{
    drive::{Freed, Pumped, StreamPool},
    error::StreamError,
    stream::*,
};
use ringfence_hip::{HipStreams, StreamOptions};
use support::{iota, kernels, key, pool, words};

const COUNT: u32 = 1000;
const LIMIT: Duration = Duration::from_secs(10);

/// A stream with work, and the memory that it fills.
struct Held {
    lease: Lease,
    memory: Allocation,
    uses: Stamp,
}

fn held(pool: &StreamPool<HipStreams>, hip: ringfence_hip::Hip) -> Held {
    let mut lease = pool.acquire(key()).expect("a stream");
    let memory = pool.allocate(&mut lease, words(COUNT)).expect("memory");
    let fill = iota(kernels(hip), memory.raw(), 0, COUNT);
    let mut uses = memory.stamp();
    uses.add(pool.submit(&mut lease, fill.into()).expect("a kernel"), Access::Write);
    Held { lease, memory, uses }
}

/// Everything that would call HIP says what the process is, and calls nothing. The number of the first that does not.
fn refused(
    pool: &StreamPool<HipStreams>,
    held: Held,
    is: fn(&StreamError) -> bool,
) -> Result<(), u8> {
    let Held { mut lease, memory, uses } = held;
    let told = |outcome: Result<(), StreamError>, step| match outcome {
        Err(error) if is(&error) => Ok(()),
        _ => Err(step),
    };
    told(pool.acquire(key()).map(drop), 1)?;
    told(pool.order_after(&mut lease, &uses, Access::Read).map(drop), 2)?;
    told(pool.synchronize(&uses, Access::Write, LIMIT), 3)?;
    told(pool.allocate(&mut lease, words(COUNT)).map(drop), 4)?;
    drop(lease);
    if pool.retire(memory, uses) != Freed::Leaked {
        return Err(5);
    }
    if pool.pump() != Pumped::default() {
        return Err(6);
    }
    if pool.shutdown().streams_leaked == 0 {
        return Err(7);
    }
    Ok(())
}

#[test]
fn a_forked_child_is_refused_and_its_parent_goes_on() {
    let Some(hip) = support::hip("a_forked_child_is_refused_and_its_parent_goes_on") else {
        return;
    };
    let pool = pool(hip, StreamOptions::default());
    let mut parents = held(&pool, hip);
    let childs = held(&pool, hip);
    // SAFETY: the child calls what it tests, prints nothing, and ends without tear-down; it has the calling thread alone, on glibc,
    // whose allocator survives a fork.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "fork: {}", std::io::Error::last_os_error());
    if child == 0 {
        // SAFETY: `alarm` has no precondition. Whoever calls HIP here may hang.
        unsafe { libc::alarm(20) };
        let ended = refused(&pool, childs, |error| matches!(error, StreamError::Forked));
        // SAFETY: `_exit` has no precondition.
        unsafe { libc::_exit(ended.err().unwrap_or(0).into()) };
    }
    let mut status = 0;
    // SAFETY: `status` is writable.
    let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!(waited, child, "waitpid: {}", std::io::Error::last_os_error());
    assert!(libc::WIFEXITED(status), "the child ended with status {status:#x}: 0xe is its alarm");
    assert_eq!(libc::WEXITSTATUS(status), 0, "the step of `refused` that went otherwise");

    // The parent has everything that it had.
    for held in [&mut parents.uses, &mut childs.uses.clone()] {
        pool.synchronize(held, Access::Write, LIMIT).expect("its work finishes");
    }
    let fill = iota(kernels(hip), parents.memory.raw(), 1, COUNT);
    let again = pool.submit(&mut parents.lease, fill.into()).expect("a kernel");
    parents.uses.add(again, Access::Write);
    for Held { lease, memory, uses } in [parents, childs] {
        drop(lease);
        assert_ne!(pool.retire(memory, uses), Freed::Leaked);
    }
    pool.synchronize(&Stamp::default(), Access::Write, LIMIT).expect("nothing to wait for");
    let left = pool.shutdown();
    assert_eq!(left.memory_leaked, 0, "{left:?}");
}

/// Tells a process that it is the one that exits.
const CHILD: &str = "RINGFENCE_HIP_LIFE_CHILD";
/// What it says at the very end.
const REFUSED: &str = "refused at the exit\n";

#[test]
fn an_exiting_process_is_refused() {
    if support::hip("an_exiting_process_is_refused").is_none() {
        return;
    }
    let ended = this_program()
        .args(["--exact", "a_process_exits", "--ignored", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&ended.stdout);
    let told = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(0), "{:?}\n{said}\n{told}", ended.status);
    assert!(said.ends_with(REFUSED), "{said}\n{told}");
}

/// What started this program: itself, or a loader with its options and then the program.
fn this_program() -> Command {
    let line = fs::read("/proc/self/cmdline").expect("/proc is there");
    let words = line.split(|&byte| byte == 0).map(OsStr::from_bytes);
    let program = env::args_os().next().expect("its own name");
    let before: Vec<&OsStr> = words.take_while(|&word| word != program).collect();
    match before.split_first() {
        None => Command::new(program),
        Some((loader, options)) => {
            let mut command = Command::new(loader);
            command.args(options).arg(program);
            command
        }
    }
}

static POOL: OnceLock<StreamPool<HipStreams>> = OnceLock::new();
static HELD: Mutex<Option<Held>> = Mutex::new(None);

/// Runs after HIP's own tear-down: it was asked for before HIP was loaded.
extern "C" fn at_the_end() {
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner).take();
    let ended = POOL.get().zip(held).map_or(Err(8), |(pool, held)| {
        refused(pool, held, |error| matches!(error, StreamError::ShutDown))
    });
    if let Err(step) = ended {
        // SAFETY: `_exit` has no precondition.
        unsafe { libc::_exit(step.into()) };
    }
    // SAFETY: these bytes are there, and the descriptor is anybody's.
    let _told = unsafe { libc::write(1, REFUSED.as_ptr().cast(), REFUSED.len()) };
}

/// What a process of its own runs: nothing, unless it is told to.
#[test]
#[ignore = "started by `an_exiting_process_is_refused`"]
fn a_process_exits() {
    if env::var_os(CHILD).is_none() {
        return;
    }
    // SAFETY: `alarm` has no precondition. Whoever calls HIP at the exit may hang.
    unsafe { libc::alarm(30) };
    // SAFETY: `at_the_end` uses nothing but statics, which live until after it.
    let asked = unsafe { libc::atexit(at_the_end) };
    assert_eq!(asked, 0, "no memory to be told of the exit");
    let hip = support::hip("a_process_exits").expect("it was there for the parent");
    let pool = POOL.get_or_init(|| pool(hip, StreamOptions::default()));
    *HELD.lock().unwrap_or_else(PoisonError::into_inner) = Some(held(pool, hip));
    exit(0);
}
