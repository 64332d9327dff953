//! (a) Four loops side by side: one task fills an array, another reduces and frees it.

use std::{
    panic::resume_unwind,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use ringfence::{id::Bytes, stream::Access};

use super::{
    experiment::Frees,
    host::{Array, Host, check},
};
use crate::bench::{
    gpu::{Gpu, Kernel},
    memory::resident,
    problem::Problem,
};

/// Loops, each on a thread of its own.
pub(super) const LOOPS: u32 = 4;
/// Iterations of each loop between two looks, at most.
const LOOK_EVERY: u32 = 250;
/// Looks of a run, at least, where it has as many iterations.
const LOOKS: u32 = 8;
/// Words of an array: 64 KiB.
pub(super) const WORDS: u32 = 16_384;

/// A look at the process after so many iterations of each loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) iterations: u32,
    /// Since the look before.
    pub(super) time: Duration,
    /// The same by the model, on a model.
    pub(super) modelled: Option<Duration>,
    pub(super) resident: Bytes,
}

/// All so far, when the last one was, and how many iterations are over.
struct Looks {
    done: u64,
    last: Instant,
    last_modelled: Option<Duration>,
    all: Vec<Look>,
}

/// What all loops share.
struct Shared {
    looks: Mutex<Looks>,
    /// One of them failed.
    over: AtomicBool,
}

pub(super) fn play<G: Gpu>(
    host: &Host<'_, G>,
    iterations: u32,
    frees: Frees,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(u64, Vec<Look>), Problem> {
    let shared = Shared {
        looks: Mutex::new(Looks {
            done: 0,
            last: Instant::now(),
            last_modelled: host.modelled(),
            all: Vec::new(),
        }),
        over: AtomicBool::new(false),
    };
    let one = |number| {
        let played = run_loop(host, number, iterations, frees, &shared, progress);
        shared.over.fetch_or(played.is_err(), Ordering::AcqRel);
        played
    };
    let played: Vec<_> = thread::scope(|scope| {
        let one = &one;
        let loops: Vec<_> = (0..LOOPS).map(|number| scope.spawn(move || one(number))).collect();
        let joined = loops.into_iter().map(|one| one.join());
        joined.map(|one| one.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    let mut tasks = 0;
    for one in played {
        tasks += one?;
    }
    Ok((tasks, shared.looks.into_inner().unwrap_or_else(PoisonError::into_inner).all))
}

/// Answers with how many tasks there were.
fn run_loop<G: Gpu>(
    host: &Host<'_, G>,
    number: u32,
    iterations: u32,
    frees: Frees,
    shared: &Shared,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<u64, Problem> {
    let mut task = host.begin()?;
    let mut sums = host.array(&mut task, iterations * 2)?;
    let fill = Kernel::Fill { out: sums.start(), value: 0, count: iterations * 2 };
    sums.stamp.add(host.kernel(&mut task, fill)?, Access::Write);
    drop(task);
    let start = |iteration: u32| number * 1_000_000 + iteration * 3;
    let mut done = 0;
    while done < iterations && !host.is_late() && !shared.over.load(Ordering::Acquire) {
        iterate(host, start(done), done, frees, &mut sums)?;
        done += 1;
        shared.look(host, iterations)?;
        progress(2);
    }
    let mut task = host.begin()?;
    let found = host.read_sums(&mut task, &sums, done)?;
    host.retire(sums);
    for (iteration, found) in (0..).zip(found) {
        let what = || format!("the sum of iteration {iteration} of loop {number}");
        check(what, &found, &sum_from(start(iteration)))?;
    }
    Ok(u64::from(done) * 2)
}

/// The sum of `WORDS` numbers from `start` on.
fn sum_from(start: u32) -> u64 {
    let count = u64::from(WORDS);
    count * u64::from(start) + count * (count - 1) / 2
}

fn iterate<G: Gpu>(
    host: &Host<'_, G>,
    start: u32,
    iteration: u32,
    frees: Frees,
    sums: &mut Array,
) -> Result<(), Problem> {
    let mut producer = host.begin()?;
    let mut array = host.array(&mut producer, WORDS)?;
    let fill = Kernel::Iota { out: array.start(), start, count: WORDS };
    array.stamp.add(host.kernel(&mut producer, fill)?, Access::Write);
    drop(producer);
    host.pass_time();

    let mut consumer = host.begin()?;
    host.after(&mut consumer, &array, Access::Read)?;
    host.after(&mut consumer, sums, Access::Write)?;
    let out = sums.at(u64::from(iteration) * 2);
    let reduce = Kernel::ReduceSum { input: array.start(), out, count: WORDS };
    let reduced = host.kernel(&mut consumer, reduce)?;
    array.stamp.add(reduced, Access::Read);
    sums.stamp.replace(reduced);
    match frees {
        Frees::Finished => {
            host.wait(reduced)?; // who reduces wants the sum
            host.retire(array);
        }
        Frees::Queued => {
            host.retire(array);
            host.wait(reduced)?;
        }
    }
    drop(consumer);
    host.pass_time();
    Ok(())
}

impl Shared {
    /// An iteration is over: whoever ends the last of a span looks.
    fn look<G: Gpu>(&self, host: &Host<'_, G>, iterations: u32) -> Result<(), Problem> {
        // Counted and looked at in one hold: two that end a span each cannot change places.
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        looks.done += 1;
        let done = looks.done;
        let every = LOOK_EVERY.min(iterations / LOOKS).max(1);
        let span = u64::from(LOOPS) * u64::from(every);
        if !done.is_multiple_of(span) {
            return Ok(());
        }
        let resident = resident()?;
        let (now, modelled_now) = (Instant::now(), host.modelled());
        let time = now - looks.last;
        let modelled = modelled_now.zip(looks.last_modelled).map(|(now, last)| now - last);
        (looks.last, looks.last_modelled) = (now, modelled_now);
        let iterations = u32::try_from(done / u64::from(LOOPS)).expect("as many as were asked for");
        looks.all.push(Look { iterations, time, modelled, resident });
        Ok(())
    }
}
