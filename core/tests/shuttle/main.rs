//! Large mixes under shuttle's random schedules: 16 tasks, a device, a reaper; cancelled, panicking and
//! forgotten futures, captures, a lost device; with leases, and with a fresh stream for each task. Run with
//! `cargo xtask shuttle`.
#![cfg(ringfence_shuttle)]

mod gpu;

use std::{
    num::NonZeroU32,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
};

use gpu::{Gpu, Task};
use ringfence::{
    backend::streams::CaptureMode,
    drive::{ArrayUse, Ordered, ShutDown, StreamPool},
    error::StreamError,
    id::{Bytes, DeviceContext, DeviceId, RawStream, StreamKey},
    stream::{Allocation, FreshDrop, Lease, LeasePolicy, PoolOptions, Stamp, StreamPolicy},
};
use shuttle::{
    Config, Runner, future,
    rand::{Rng, thread_rng},
    scheduler::{PctScheduler, RandomScheduler},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

const TASKS: Task = 16;
const ROUNDS: u32 = 2;
const SEED: u64 = 0x51_17_7e_03;

type Pool = StreamPool<Gpu, RawStream>;

/// A host buffer: the device may not use it when it is dropped.
#[derive(Debug)]
struct Buffer {
    gpu: Gpu,
    number: u32,
}
impl Drop for Buffer {
    fn drop(&mut self) {
        self.gpu.drop_buffer(self.number);
    }
}

/// Memory that its owner gives up, or else its destructor: of a task that panics or fails.
struct Array<'p> {
    pool: &'p Pool,
    memory: Option<Allocation>,
    stamp: Stamp,
}
impl Drop for Array<'_> {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            let _later = self.pool.retire_later(memory, std::mem::take(&mut self.stamp));
        }
    }
}

fn key() -> StreamKey {
    StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
}
/// One task's work on one stream: whatever becomes of it, nothing is used too early.
async fn tenancy(
    pool: &Pool,
    gpu: &Gpu,
    task: Task,
    lease: &mut Lease<RawStream>,
    number: u32,
) -> Result<(), StreamError> {
    let buffer = Buffer { gpu: gpu.clone(), number };
    let memory = pool.allocate(lease, Bytes::new(64))?;
    let mut array = Array { pool, stamp: memory.stamp(), memory: Some(memory) };
    let filled = pool.submit_after(lease, &mut [ArrayUse::write(&mut array.stamp)], None)?;
    gpu.expect(filled.1 == Ordered::Already, || format!("{filled:?}: it is the same stream"));
    let copy = pool.submit_owning(lease, buffer, |_| Some(number))?;
    match thread_rng().gen_range(0..6) {
        0 => drop(copy.await?),
        1 => drop(copy), // cancelled
        2 => std::mem::forget(copy),
        3 => resume_unwind(Box::new(task)),
        4 => {
            let captured =
                pool.capture(lease, CaptureMode::ThreadLocal, |scope| scope.submit(None))?;
            let mut graph = captured.graph;
            let mut uses = [ArrayUse::read(&mut array.stamp)];
            let (_launch, _how) =
                pool.run_after(lease, &mut uses, |lease| pool.launch(lease, &mut graph))?;
            drop(copy);
        }
        _ => pool.when_finished(copy.touch()).await?,
    }
    if let Some(memory) = array.memory.take() {
        let _freed = pool.retire(memory, std::mem::take(&mut array.stamp));
    }
    Ok(())
}
async fn task(pool: Arc<Pool>, gpu: Gpu, task: Task) {
    for round in 0..ROUNDS {
        let Ok(mut lease) = pool.acquire_async(key()).await else { return };
        let raw = *lease.attachment();
        gpu.enter(raw, task);
        let mut work = Box::pin(tenancy(&pool, &gpu, task, &mut lease, task * ROUNDS + round));
        // A task that panics drops what it had, as any executor does.
        let done = std::future::poll_fn(|context| {
            let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)));
            match polled {
                Ok(std::task::Poll::Pending) => std::task::Poll::Pending,
                Ok(std::task::Poll::Ready(done)) => std::task::Poll::Ready(done),
                Err(_panic) => std::task::Poll::Ready(Ok(())),
            }
        })
        .await;
        drop(work);
        gpu.leave(raw);
        drop(lease);
        gpu.expect(done.is_ok() || gpu.is_lost(), || format!("{done:?}"));
    }
}

/// Whether the device is lost on the way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Device {
    Lives,
    IsLost,
}

/// What becomes of a stream that comes back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Streams {
    AreHandedOn,
    AreDestroyed,
}

/// One execution. What went wrong in it, in order.
fn mix(device: Device, streams: Streams) -> Vec<String> {
    let gpu = Gpu::default();
    let options =
        PoolOptions { live_cap: NonZeroU32::new(6), idle_cap: 2, ..PoolOptions::default() };
    let policy: Box<dyn StreamPolicy> = match streams {
        Streams::AreHandedOn => Box::new(LeasePolicy),
        Streams::AreDestroyed => Box::new(FreshDrop),
    };
    let pool: Arc<Pool> =
        Arc::new(StreamPool::with_attachments(gpu.clone(), options, policy, |raw| raw));
    let running = Arc::new(AtomicUsize::new(TASKS as usize));
    let tasks: Vec<_> = (0..TASKS)
        .map(|number| {
            let (pool, gpu, running) = (pool.clone(), gpu.clone(), running.clone());
            future::spawn(async move {
                task(pool, gpu, number).await;
                running.fetch_sub(1, Ordering::SeqCst);
            })
        })
        .collect();
    let (tidied, alive) = (pool.clone(), running.clone());
    let reaper = thread::spawn(move || {
        while alive.load(Ordering::SeqCst) > 0 {
            tidied.pump();
            thread::yield_now();
        }
    });
    let (moves, alive) = (gpu.clone(), running.clone());
    let mover = thread::spawn(move || {
        let lost_after = thread_rng().gen_range(1..60);
        let lost_idle = thread_rng().gen_range(0..4) == 0;
        let mut moved = 0;
        while alive.load(Ordering::SeqCst) > 0 {
            moved += u32::from(moves.advance());
            let loses = device == Device::IsLost && moved >= lost_after;
            if loses && (lost_idle || moves.uses_a_buffer()) {
                moves.lose();
            }
            thread::yield_now();
        }
    });
    for task in tasks {
        future::block_on(task).expect("a task of the test");
    }
    reaper.join().expect("the reaper");
    mover.join().expect("the device");
    while gpu.advance() {}
    for _ in 0..8 {
        pool.pump();
        while gpu.advance() {}
    }
    let left = pool.shutdown();
    if device == Device::Lives {
        gpu.expect(left == ShutDown::default(), || format!("leaked: {left:?}"));
        while gpu.advance() {}
        let (allocated, freed) = gpu.memory();
        let counts = pool.memory_counts();
        let counted = counts.freed_on_stream + counts.freed_on_disposal + counts.freed_at_once;
        gpu.expect(freed == counted && freed == allocated, || {
            format!("{freed} of {allocated} pieces of memory are freed, {counted} are counted")
        });
        // The disposal stream, at most.
        gpu.expect(gpu.live() <= 1, || format!("{} streams are left", gpu.live()));
    }
    let in_use = usize::from(gpu.is_lost() && gpu.uses_a_buffer());
    LOST_IN_USE.fetch_add(in_use, std::sync::atomic::Ordering::Relaxed);
    gpu.faults()
}

/// Executions whose device was lost while it used a buffer: counted outside of shuttle's sight.
static LOST_IN_USE: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

/// What chooses the schedules.
#[derive(Clone, Copy, Debug)]
enum Choice {
    Random,
    /// Priorities with so many changes: <https://www.microsoft.com/en-us/research/publication/a-randomized-scheduler-with-probabilistic-guarantees-of-finding-bugs/>.
    Priorities(usize),
}
/// Runs so many executions, of a fixed seed.
fn explore(
    choice: Choice,
    executions: usize,
    config: Config,
    run: impl Fn() + Send + Sync + 'static,
) {
    println!("{executions} schedules of seed {SEED:#x}, {choice:?}");
    match choice {
        Choice::Random => {
            Runner::new(RandomScheduler::new_from_seed(SEED, executions), config).run(run)
        }
        Choice::Priorities(changes) => {
            Runner::new(PctScheduler::new_from_seed(SEED, changes, executions), config).run(run)
        }
    };
}
/// Nothing goes wrong in any execution; a failure prints the schedule that leads to it.
fn passes(choice: Choice, executions: usize, device: Device, streams: Streams) {
    explore(choice, executions, Config::default(), move || {
        assert_eq!(mix(device, streams), [""; 0]);
    });
}

#[test]
fn shuttle_tasks_cancel_panic_and_forget() {
    passes(Choice::Random, 1000, Device::Lives, Streams::AreHandedOn);
    passes(Choice::Priorities(3), 500, Device::Lives, Streams::AreHandedOn);
}

#[test]
fn shuttle_streams_are_destroyed_after_each_task() {
    passes(Choice::Random, 1000, Device::Lives, Streams::AreDestroyed);
    passes(Choice::Priorities(3), 500, Device::Lives, Streams::AreDestroyed);
}

#[test]
fn shuttle_the_device_is_lost() {
    passes(Choice::Random, 1000, Device::IsLost, Streams::AreHandedOn);
    passes(Choice::Random, 500, Device::IsLost, Streams::AreDestroyed);
    let lost = LOST_IN_USE.load(std::sync::atomic::Ordering::Relaxed);
    assert!(lost > 500, "the device was lost in use in {lost} executions of 1500");
}

/// With a rule's line switched off the mix notices it, and says so in these words.
#[cfg(feature = "planted")]
mod planted {
    use std::sync::{Mutex, PoisonError};

    use ringfence::plant::{self, Fault};
    use shuttle::FailurePersistence;

    use super::*;

    fn is_noticed(fault: Fault, streams: Streams, words: &str) {
        let noticed = Arc::new(Mutex::new(Vec::new()));
        let all = noticed.clone();
        let mut config = Config::default();
        config.failure_persistence = FailurePersistence::None;
        plant::with(fault, || {
            explore(Choice::Random, 300, config, move || {
                // The first schedule that shows it is enough.
                if all.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
                    let faults = mix(Device::Lives, streams);
                    all.lock().unwrap_or_else(PoisonError::into_inner).extend(faults);
                }
            });
        });
        let noticed = noticed.lock().unwrap_or_else(PoisonError::into_inner);
        let named = noticed.iter().any(|what| what.contains(words));
        assert!(named, "{} passes unnoticed: {noticed:?}", fault.name());
    }
    #[test]
    fn shuttle_notices_a_lease_before_the_work_is_done() {
        is_noticed(Fault::LeaseBeforeDone, Streams::AreHandedOn, "work of its last owner");
    }
    #[test]
    fn shuttle_notices_a_creation_under_a_lock() {
        is_noticed(Fault::CreateUnderLock, Streams::AreHandedOn, "a creation under");
    }
    #[test]
    fn shuttle_notices_a_buffer_released_on_cancel() {
        is_noticed(Fault::ReleaseOnCancel, Streams::AreHandedOn, "is dropped in use");
    }
    #[test]
    fn shuttle_notices_a_busy_stream_destroyed() {
        is_noticed(Fault::DestroyBusy, Streams::AreDestroyed, "is destroyed in use");
    }
}
