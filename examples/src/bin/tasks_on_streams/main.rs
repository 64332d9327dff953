//! A small runtime whose tasks lease streams: four threads run two thousand tasks, each on a stream of its
//! own, over a "GPU" that is a thread of this program.
//!
//! `gpu.rs` is what a driver gives you, `backend.rs` shows it to Ringfence through its traits, and
//! `runtime.rs` is the runtime: tasks, arrays that are ordered by their stamps, a graph, memory that is given
//! up while the GPU still uses it.
//!
//! Run it: `cargo run --release -p ringfence-examples --bin tasks_on_streams`
#![forbid(unsafe_code)]

mod backend;
mod gpu;
mod runtime;

use std::{
    error::Error,
    num::NonZeroU32,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use gpu::Gpu;
use ringfence::{
    drive::{Freed, Ordered},
    error::StreamError,
    stream::{Deferral, PoolOptions},
};
use runtime::{Array, LIMIT, Runtime};

const THREADS: usize = 4;
const TASKS: u64 = 500;
const LAUNCHES: u64 = 3;
const STREAMS: NonZeroU32 = NonZeroU32::new(8).expect("not 0");

fn main() -> Result<(), Box<dyn Error>> {
    /// The device ends with the program's work, also when that panics.
    struct Closing<'g>(&'g Gpu);
    impl Drop for Closing<'_> {
        fn drop(&mut self) {
            self.0.close();
        }
    }
    let gpu = Gpu::new();
    thread::scope(|scope| {
        scope.spawn(|| gpu.process());
        let _closing = Closing(&gpu);
        run(&gpu)
    })
}

fn run(gpu: &Gpu) -> Result<(), Box<dyn Error>> {
    let options = PoolOptions { live_cap: Some(STREAMS), ..PoolOptions::default() };
    let runtime = &Runtime::new(gpu, options);
    let (stop, stopped) = mpsc::channel::<()>();
    thread::scope(|scope| {
        // Looks at what drains, frees what was put off, and wakes who waits for a stream.
        scope.spawn(move || {
            let period = Duration::from_micros(100);
            while stopped.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
                let _pumped = runtime.pool.pump();
            }
        });
        let tasks = run_tasks(runtime);
        drop(stop);
        tasks
    })?;

    // Nobody pumps any more, and all work is over: everything can be destroyed.
    let finished = gpu.finish(LIMIT);
    let left = runtime.pool.shutdown();
    let freed = runtime.pool.memory_counts();
    println!("memory given up, and freed after the work that used it:");
    println!("  {} times on the one stream that had used it", freed.freed_on_stream);
    println!("  {} times on a stream for that, after several others", freed.freed_on_disposal);
    println!("  {} times there with nothing to wait for", freed.freed_at_once);
    let finished = finished && gpu.finish(LIMIT);
    println!(
        "left over: {} streams, {} allocations; kernels that touched freed memory: {}",
        left.streams_leaked,
        gpu.allocations(),
        gpu.faults()
    );
    let sound = gpu.faults() == 0 && gpu.allocations() == 0 && left.streams_leaked == 0;
    if finished && sound { Ok(()) } else { Err("something was left over".into()) }
}

fn run_tasks(runtime: &Runtime<'_>) -> Result<(), Box<dyn Error>> {
    let worked: Vec<_> = thread::scope(|scope| {
        let workers = [(); THREADS].map(|()| scope.spawn(move || work(runtime)));
        workers.map(|worker| worker.join().expect("a worker")).into_iter().collect::<Result<_, _>>()
    })?;
    let (mut totals, followed): (Vec<Array>, Vec<Followed>) = worked.into_iter().unzip();
    let sum = |of: fn(&Followed) -> u64| followed.iter().map(of).sum::<u64>();
    let counts = runtime.pool.counts();
    println!(
        "{} tasks of {THREADS} threads: {} streams created, handed on {} times",
        counts.leases, counts.created, counts.reused
    );
    println!("a task's work follows the work of the one before it:");
    println!("  {} times it did already: finished, or on the same stream", sum(|one| one.already));
    println!("  {} times its stream waited on the device", sum(|one| one.on_device));
    println!("  {} times the host waited", sum(|one| one.on_host));

    let (result, pinned) = add_up(runtime, &mut totals)?;
    let expected = THREADS as u64 * TASKS * LAUNCHES;
    println!("a graph added {THREADS} totals, {LAUNCHES} times: {result}, expected {expected}");
    println!("  it kept {pinned} arrays that their owners had given up meanwhile");
    if result == expected { Ok(()) } else { Err("work was lost".into()) }
}

/// How often a task's work followed the work before it, and how.
#[derive(Default)]
struct Followed {
    already: u64,
    on_device: u64,
    on_host: u64,
}

/// One thread's tasks. Each adds 1 to what the task before it left, most often on another stream, into an
/// array of its own, and gives the old one up while the GPU still uses it.
fn work(runtime: &Runtime<'_>) -> Result<(Array, Followed), StreamError> {
    let mut followed = Followed::default();
    let mut total = {
        let mut first = runtime.task()?;
        let mut total = first.allocate()?;
        let _nothing_before = first.set(&mut total, 0)?;
        total
    };
    for _ in 0..TASKS {
        let mut task = runtime.task()?;
        let mut next = task.allocate()?;
        let _nothing_before = task.set(&mut next, 1)?;
        match task.add(&mut total, &mut next)? {
            Ordered::Already => followed.already += 1,
            Ordered::OnDevice => followed.on_device += 1,
            Ordered::OnHost => followed.on_host += 1,
        }
        let _freed = runtime.free(std::mem::replace(&mut total, next));
    } // the task ends: no driver call, and its stream works on
    Ok((total, followed))
}

/// Adds the totals up with a graph, launched by one task after another, and gives everything up before it is
/// finished. Answers with the sum, and with how many arrays the graph kept.
fn add_up(runtime: &Runtime<'_>, totals: &mut Vec<Array>) -> Result<(u64, usize), Box<dyn Error>> {
    let mut task = runtime.task()?;
    let mut sum = task.allocate()?;
    let _nothing_before = task.set(&mut sum, 0)?;
    let mut graph = task.capture(totals, &sum)?;
    drop(task);
    for _ in 0..LAUNCHES {
        runtime.task()?.launch(&mut graph, totals, &mut sum)?;
    }
    let kept = Freed::Deferred(Deferral::Pinned);
    let pinned = totals.drain(..).map(|total| runtime.free(total));
    let pinned = pinned.filter(|freed| *freed == kept).count();
    let result = runtime.read(&sum)?.ok_or("the sum is gone")?;
    drop(graph); // and with the next pump what it kept
    let _freed = runtime.free(sum);
    Ok((result, pinned))
}
