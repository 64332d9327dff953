//! A graph that one task captured, launched 100 times by other tasks, while threads beside them make and free arrays: none of
//! that gets into the graph, and nothing that the graph uses is freed.
//!
//! Run it: `cargo build -p ringfence-examples`, then `target/debug/capture` on a GPU, or
//! `cargo xtask softgpu -- target/debug/capture` over one in software.
#![forbid(unsafe_code)]

use std::{
    process::ExitCode,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use ringfence_examples::{Array, Body, Gpu, Outcome, Recorded, Slots, check, sum_of};
use ringfence_threads::{Period, Reaper};

const LAUNCHES: u64 = 100;
/// Threads that make and free arrays.
const OTHERS: usize = 3;
/// Numbers of an array.
const COUNT: u32 = 1024;
const LIMIT: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    ringfence_examples::main(run)
}

fn run(gpu: Gpu) -> Outcome {
    let slots = Slots::new(&gpu, 1)?;
    let reaper = Reaper::spawn(&gpu.pool, Period::default())?;
    let others = &Others::default();
    thread::scope(|scope| {
        let threads = [(); OTHERS].map(|()| scope.spawn(|| others.work(&gpu)));
        let launched = others.until_freed(1).and_then(|()| launch(&gpu, &slots, others));
        others.stop.store(true, Ordering::Release);
        threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))?;
        launched
    })?;
    let _reaped = reaper.stop();
    gpu.finish()
}

fn launch(gpu: &Gpu, slots: &Slots, others: &Others) -> Outcome {
    // The task that captures.
    let mut task = gpu.pool.acquire(gpu.key)?;
    let mut meanwhile = Ok(0);
    let mut recorded = Recorded::capture(gpu, &mut task, COUNT, || {
        let before = others.freed();
        meanwhile = others.until_freed(before + 10).map(|()| others.freed() - before);
    })?;
    drop(task);
    println!("captured while other tasks gave up {} arrays", meanwhile?);
    match recorded.body() {
        Body::Kernels => println!("the graph is two kernels"),
        Body::Copy => println!(
            "this HIP records no kernels: the graph is a copy, with kernels around each launch"
        ),
    }

    // The tasks that launch it, each on a stream of its own.
    let before = others.freed();
    for _ in 0..LAUNCHES {
        let mut task = gpu.pool.acquire(gpu.key)?;
        let _behind_the_one_before = recorded.launch(&mut task)?;
    }
    others.until_freed(before + 1)?;

    let mut task = gpu.pool.acquire(gpu.key)?;
    let total = recorded.total(&mut task, slots.take().ok_or("there is one slot")?)?;
    drop((task, recorded)); // the graph goes, and then its arrays, once the last launch and the copy are finished
    let total = total.wait(&gpu.pool, LIMIT).map_err(|(_, error)| error)?.read();
    println!(
        "launched {LAUNCHES} times, while other tasks gave up {} arrays",
        others.freed() - before
    );
    let expected = LAUNCHES * sum_of(1, COUNT);
    println!("the total is {total}, expected {expected}");
    check(total == expected, "something got into the graph, or out of it")
}

/// What the other threads do.
#[derive(Default)]
struct Others {
    freed: AtomicU64,
    stop: AtomicBool,
}

impl Others {
    /// One short task after another: an array is made, written to again on another stream, and given up.
    fn work(&self, gpu: &Gpu) -> Outcome {
        while !self.stop.load(Ordering::Acquire) {
            let mut array = {
                let mut task = gpu.pool.acquire(gpu.key)?;
                Array::iota(gpu, &mut task, 0, COUNT)?
            };
            let mut task = gpu.pool.acquire(gpu.key)?;
            let _behind_the_first = array.fill(&mut task, 7)?;
            drop((task, array));
            self.freed.fetch_add(1, Ordering::AcqRel);
        }
        Ok(())
    }

    fn freed(&self) -> u64 {
        self.freed.load(Ordering::Acquire)
    }

    /// Waits until so many arrays were given up in all.
    fn until_freed(&self, count: u64) -> Outcome {
        let begun = Instant::now();
        while self.freed() < count {
            check(begun.elapsed() < LIMIT, "the other tasks do not get on")?;
            thread::yield_now();
        }
        Ok(())
    }
}
