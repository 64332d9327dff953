//! Large mixes under shuttle's random schedules: 16 tasks, a device, a reaper; cancelled, panicking and
//! forgotten futures, captures, a lost device. Run with `cargo xtask shuttle`.
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
    drive::{ShutDown, StreamPool},
    error::StreamError,
    id::{Bytes, DeviceContext, DeviceId, RawStream, StreamKey},
    stream::{Access, Lease, LeasePolicy, PoolOptions, Stamp},
};
use shuttle::{
    future,
    rand::{Rng, thread_rng},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

const TASKS: Task = 16;
const ROUNDS: u32 = 2;

type Pool = StreamPool<Gpu, RawStream>;

/// A host buffer: the device may not use it when it is dropped.
#[derive(Debug)]
struct Buffer {
    gpu: Gpu,
    number: u32,
}
impl Drop for Buffer {
    fn drop(&mut self) {
        if !self.gpu.is_lost() {
            self.gpu.drop_buffer(self.number);
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
    let mut stamp = Stamp::default();
    stamp.add(pool.submit(lease, None)?, Access::Write);
    let copy = pool.submit_owning(lease, buffer, Some(number))?;
    match thread_rng().gen_range(0..6) {
        0 => drop(copy.await?),
        1 => drop(copy), // cancelled
        2 => std::mem::forget(copy),
        3 => resume_unwind(Box::new(task)),
        4 => {
            let captured =
                pool.capture(lease, CaptureMode::ThreadLocal, |scope| scope.submit(None))?;
            let mut graph = captured.graph;
            stamp.add(pool.launch(lease, &mut graph)?, Access::Read);
            drop(copy);
        }
        _ => pool.when_finished(copy.touch()).await?,
    }
    let _freed = pool.retire(memory, stamp);
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
        assert!(done.is_ok() || gpu.is_lost(), "{done:?}");
    }
}

/// Whether the device is lost on the way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Device {
    Lives,
    IsLost,
}

fn mix(device: Device) {
    let gpu = Gpu::default();
    let options =
        PoolOptions { live_cap: NonZeroU32::new(6), idle_cap: 2, ..PoolOptions::default() };
    let pool: Arc<Pool> = Arc::new(StreamPool::with_attachments(
        gpu.clone(),
        options,
        Box::new(LeasePolicy),
        |raw| raw,
    ));
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
        let lost_after = thread_rng().gen_range(0..200);
        let mut moved = 0;
        while alive.load(Ordering::SeqCst) > 0 {
            moves.advance();
            moved += 1;
            if device == Device::IsLost && moved == lost_after {
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
        assert_eq!(left, ShutDown::default(), "nothing is leaked");
        while gpu.advance() {}
        // A panicking task drops its memory without giving it up, which leaks it.
        let (allocated, freed) = gpu.memory();
        let counts = pool.memory_counts();
        assert_eq!(freed, counts.freed_on_stream + counts.freed_on_disposal + counts.freed_at_once);
        assert!(freed <= allocated);
        assert!(gpu.live() <= 1, "{} streams are left", gpu.live()); // the disposal stream, at most
    }
}

#[test]
fn shuttle_tasks_cancel_panic_and_forget() {
    shuttle::check_random(|| mix(Device::Lives), 300);
    shuttle::check_pct(|| mix(Device::Lives), 150, 3);
}

#[test]
fn shuttle_the_device_is_lost() {
    shuttle::check_random(|| mix(Device::IsLost), 300);
}

/// With a rule's line switched off the mix has to fail.
#[cfg(feature = "planted")]
mod planted {
    use ringfence::plant::{self, Fault};

    use super::*;

    fn is_noticed(fault: Fault) {
        let caught = catch_unwind(|| {
            plant::with(fault, || shuttle::check_random(|| mix(Device::Lives), 300));
        });
        assert!(caught.is_err(), "{} passes unnoticed", fault.name());
    }
    #[test]
    fn shuttle_notices_a_lease_before_the_work_is_done() {
        is_noticed(Fault::LeaseBeforeDone);
    }
    #[test]
    fn shuttle_notices_a_buffer_released_on_cancel() {
        is_noticed(Fault::ReleaseOnCancel);
    }
    #[test]
    fn shuttle_notices_a_busy_stream_destroyed() {
        is_noticed(Fault::DestroyBusy);
    }
}
