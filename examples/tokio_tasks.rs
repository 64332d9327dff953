//! Async tasks, each with its stream: some make arrays, others sum them up, and then two are cancelled while the GPU still works for them.
//!
//! Run it: `cargo build -p ringfence-examples`, then `target/debug/tokio_tasks` on a GPU, or
//! `cargo xtask softgpu -- target/debug/tokio_tasks` over one in software.
#![forbid(unsafe_code)]

use std::{error::Error, process::ExitCode, sync::Arc, time::Duration};

use ringfence::{error::StreamError, task::TaskError};
use ringfence_examples::{Array, Gpu, Outcome, Slot, Slots, check, sum_of};
use ringfence_hip::HipStreams;
use ringfence_tokio::{Period, Reaper, TaskPool};
use tokio::{
    select,
    sync::{Notify, mpsc},
    task::JoinSet,
    time::{sleep, timeout},
};

/// Tasks that make arrays; as many sum them up.
const MAKERS: u32 = 8;
/// Arrays of each.
const ARRAYS: u32 = 16;
/// Numbers of an array.
const COUNT: u32 = 4096;
const SLOTS: usize = 2 * MAKERS as usize;
const LIMIT: Duration = Duration::from_secs(30);

type Tasks = TaskPool<HipStreams>;

fn main() -> ExitCode {
    ringfence_examples::main(|gpu| {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build()?;
        runtime.block_on(run(gpu))
    })
}

async fn run(gpu: Gpu) -> Outcome {
    let slots = Slots::new(&gpu, SLOTS)?;
    let reaper = Reaper::spawn(&gpu.pool, Period::default());
    let tasks = TaskPool::new(gpu.pool.clone(), gpu.key);
    hand_over(&gpu, &tasks, &slots).await?;
    cancel(&gpu, &tasks, &slots).await?;
    let _reaped = reaper.stop().await;
    gpu.finish()
}

/// Arrays go from task to task, while the GPU is still writing them.
async fn hand_over(gpu: &Gpu, tasks: &Tasks, slots: &Slots) -> Outcome {
    let mut sums = JoinSet::new();
    for maker in 0..MAKERS {
        let (send, mut arrays) = mpsc::unbounded_channel();
        let (own, make) = (gpu.clone(), tasks.clone());
        let makes = async move {
            for number in 0..ARRAYS {
                let start = maker * 1000 + number;
                let array = make.with(|pool, streams| {
                    Array::iota(&own, streams.lease(pool)?, start, COUNT)
                })??;
                let _nobody_wants_it = send.send((start, array));
                tokio::task::yield_now().await; // it may go on on another worker: its stream is the same
            }
            Ok::<_, TaskError>(())
        };
        sums.spawn(tasks.scope(async move { Ok(makes.await.map(|()| 0)?) }));

        let (sum, slots) = (tasks.clone(), slots.clone());
        let sums_up = async move {
            let mut summed = 0;
            while let Some((start, mut array)) = arrays.recv().await {
                let slot = slots.take().ok_or("a slot for each task")?;
                let sum = sum.with(|pool, streams| array.sum(streams.lease(pool)?, slot))??;
                drop(array); // freed behind the sum, by the GPU's order
                let (is, expected) = (sum.await?.read(), sum_of(start, COUNT));
                check(
                    is == expected,
                    format!("the sum from {start} is {is}, expected {expected}"),
                )?;
                summed += 1;
            }
            Ok::<u32, Box<dyn Error + Send + Sync>>(summed)
        };
        sums.spawn(tasks.scope(sums_up));
    }
    let mut summed = 0;
    while let Some(done) = timeout(LIMIT, sums.join_next()).await? {
        summed += done??;
    }
    println!(
        "{MAKERS} tasks made arrays, {MAKERS} others summed up {summed} of them; every sum is the CPU's"
    );
    check(summed == MAKERS * ARRAYS, "not all arrays arrived")
}

/// Work that waits for it goes on when it is dropped: also when this program fails, or it would never end.
struct Gate(Arc<Slot>);

impl Drop for Gate {
    fn drop(&mut self) {
        self.0.store(1);
    }
}

/// Two tasks wait for a sum that the GPU cannot finish yet. One is cancelled by `select!`, the other is aborted: what the GPU still
/// uses (the slot, the array, the stream) stays with the pool, until the GPU is done with it.
async fn cancel(gpu: &Gpu, tasks: &Tasks, slots: &Slots) -> Outcome {
    let gate = Gate(Arc::new(slots.take().ok_or("a free slot")?));
    let stop = Arc::new(Notify::new());
    let (submitted, mut started) = mpsc::unbounded_channel();
    let wait = |by: Arc<Notify>| {
        let (gpu, tasks, slots) = (gpu.clone(), tasks.clone(), slots.clone());
        let (gate, submitted) = (gate.0.clone(), submitted.clone());
        async move {
            let slot = slots.take().ok_or("a free slot")?;
            let sum = tasks.with(|pool, streams| -> Result<_, StreamError> {
                let lease = streams.lease(pool)?;
                let _parked = pool.submit_owning(lease, gate, |gate| gate.wait_for(1))?;
                let mut array = Array::iota(&gpu, lease, 1, COUNT)?;
                let sum = array.sum(lease, slot)?;
                let _nobody_listens = submitted.send(lease.stream().id());
                Ok(sum)
            })??;
            select! {
                sum = sum => Ok::<Option<Slot>, Box<dyn Error + Send + Sync>>(Some(sum?)),
                () = by.notified() => Ok(None), // and the other future is dropped
            }
        }
    };
    let selected = tasks.spawn(wait(stop.clone()));
    let aborted = tasks.spawn(wait(Arc::new(Notify::new())));
    let mut busy = Vec::new();
    for _ in 0..2 {
        busy.push(timeout(LIMIT, started.recv()).await?.ok_or("a task failed")?);
    }
    stop.notify_one();
    check(selected.await??.is_none(), "the sum came before the GPU could have it")?;
    aborted.abort();
    check(aborted.await.is_err_and(|error| error.is_cancelled()), "it was not aborted")?;

    // Both tasks are gone, and the GPU still has their work.
    let taken = SLOTS - slots.free();
    let lent = tasks.scope(async {
        tasks.with(|pool, streams| streams.lease(pool).map(|lease| lease.stream().id()))
    });
    let next = lent.await??;
    let stream = if busy.contains(&next) { "one of their streams" } else { "another stream" };
    println!(
        "2 tasks were cancelled in the middle: the GPU keeps {} slots, and the next task gets {stream}",
        taken - 1
    );
    check(taken == 3 && !busy.contains(&next), "something was taken from the GPU")?;

    drop(gate);
    let all_free = async {
        while slots.free() < SLOTS {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(LIMIT, all_free).await?;
    println!("the GPU finished: their slots are free again, with nobody left who waited for them");
    Ok(())
}
