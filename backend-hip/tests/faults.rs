//! The faults that pools of streams had in the field, on HIP itself: first that HIP does what makes them possible, then that a pool is
//! not caught by it (<https://github.com/JuliaGPU/AMDGPU.jl>).

mod support;

use std::{
    sync::{
        Barrier,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use ringfence::{
    backend::streams::*,
    drive::{Captured, Freed, StreamPool, Wrapped},
    error::DriverError,
    id::*,
    stream::*,
};
use ringfence_hip::{Hip, HipStreams, HipVersion, HipWork, HostBuffer, StreamOptions};
use support::{gpu, iota, kernels, key, pool, words};

const LIMIT: Duration = Duration::from_secs(10);
const COUNT: u32 = 64;

fn finish(pool: &StreamPool<HipStreams>, touch: Touch) {
    let mut stamp = Stamp::default();
    stamp.add(touch, Access::Write);
    pool.synchronize(&stamp, Access::Write, LIMIT).expect("it finishes");
}

/// A piece of pool memory that some task used and is done with.
fn used(pool: &StreamPool<HipStreams>, hip: Hip) -> (Allocation, Stamp, StreamRef) {
    let mut task = pool.acquire(key()).expect("a stream");
    let memory = pool.allocate(&mut task, words(COUNT)).expect("memory");
    let mut stamp = memory.stamp();
    let touch = pool.submit(&mut task, iota(kernels(hip), memory.raw(), 1, COUNT).into());
    let touch = touch.expect("a kernel");
    stamp.add(touch, Access::Write);
    finish(pool, touch);
    (memory, stamp, task.stream())
}

/// Work that every version records: a copy of this byte. HIP 6.4.3 forgets a fill of pinned memory that it recorded.
fn set(buffer: &HostBuffer, byte: u8) -> HipWork {
    let pattern = HostBuffer::new(support::hip("set").expect("HIP"), 64).expect("memory");
    for word in pattern.halves() {
        word.store(u32::from_ne_bytes([byte; 4]), Ordering::Release);
    }
    // Until the process ends: a graph may be launched at any time.
    let pattern: &'static HostBuffer = Box::leak(Box::new(pattern));
    let (to, from) = (buffer.address().as_u64(), pattern.address().as_u64());
    // SAFETY: each test keeps the buffer until the last launch is finished.
    unsafe { HipWork::copy(to, from, words(COUNT)) }
}

/// HIP from 5.7 on records the free of any memory on a stream that captures, and 5.2 carries it out at once: either way it is not
/// what the one who frees wanted.
#[test]
fn hip_takes_a_foreign_free_into_a_capture() {
    let Some(hip) = support::hip("hip_takes_a_foreign_free_into_a_capture") else { return };
    let driver = HipStreams::new(hip, StreamOptions::default());
    let [stream, other] = [(); 2].map(|()| driver.create(key()).expect("a stream"));
    let (allocate, free) = (hip.functions().hipMallocAsync, hip.functions().hipFreeAsync);
    let (allocate, free) = (allocate.expect("since 5.2"), free.expect("since 5.2"));
    let mut memory = std::ptr::null_mut();
    // SAFETY: the stream is there, and `memory` is writable.
    let allocated = unsafe { allocate(&raw mut memory, 256, handle(other)) };
    assert_eq!(allocated, 0);
    driver.synchronize(other).expect("idle");
    driver.begin_capture(stream, CaptureMode::ThreadLocal).expect("a capture");
    // SAFETY: the stream is there, and nobody else frees the memory; the graph is never launched.
    let freed = unsafe { free(memory, handle(stream)) };
    assert_eq!(freed, 0, "HIP does not refuse it");
    let graph = driver.end_capture(stream).expect("a graph");
    let nodes = driver.graph_nodes(graph).expect("a number");
    let recorded = hip.version() >= HipVersion::new(5, 7, 0);
    assert_eq!(nodes, usize::from(recorded), "HIP {}", hip.version());
    driver.destroy_graph(graph).expect("never launched");
}

fn handle(stream: RawStream) -> *mut std::ffi::c_void {
    std::ptr::with_exposed_provenance_mut(stream.as_u64() as usize)
}

/// The new owner of a stream captures while the old one's memory is freed: the graph has the owner's work alone.
#[test]
fn a_free_from_another_task_stays_out_of_the_new_owners_capture() {
    let test = "a_free_from_another_task_stays_out_of_the_new_owners_capture";
    let Some(hip) = support::hip(test) else { return };
    let pool = pool(hip, StreamOptions::default());
    let (memory, stamp, old) = used(&pool, hip);
    let out = HostBuffer::new(hip, 64).expect("memory");
    let mut owner = pool.acquire(key()).expect("a stream");
    assert_eq!(owner.stream().id(), old.id(), "the same stream was handed on");
    assert_ne!(owner.stream().generation(), old.generation());
    let (mut memory, mut work) = (Some((memory, stamp)), Some(set(&out, 7)));
    let captured = pool.capture(&mut owner, CaptureMode::ThreadLocal, |scope| {
        scope.submit(work.take().expect("once"))?;
        let (memory, stamp) = memory.take().expect("once");
        let freed = std::thread::scope(|tasks| {
            tasks.spawn(|| pool.retire(memory, stamp)).join().expect("it does not panic")
        });
        assert!(!matches!(freed, Freed::OnStream | Freed::Leaked), "{freed:?}");
        Ok(())
    });
    let mut graph = captured.expect("a graph").graph;
    for start in 1..=3 {
        out.halves()[0].store(0, Ordering::Release);
        let launched = pool.launch(&mut owner, &mut graph).expect("a launch");
        finish(&pool, launched);
        assert_eq!(out.halves()[0].load(Ordering::Acquire), 0x0707_0707, "launch {start}");
    }
    drop((graph, owner));
    let _pumped = pool.pump();
    let counts = pool.memory_counts();
    let freed = counts.freed_on_stream + counts.freed_on_disposal + counts.freed_at_once;
    assert_eq!((freed, counts.leaked), (1, 0), "{counts:?}");
}

/// The owner of memory frees it while it captures on the very stream that used it last.
#[test]
fn a_free_of_memory_of_a_stream_that_captures_is_put_off() {
    let test = "a_free_of_memory_of_a_stream_that_captures_is_put_off";
    let Some(hip) = support::hip(test) else { return };
    let pool = pool(hip, StreamOptions::default());
    let out = HostBuffer::new(hip, 64).expect("memory");
    let mut owner = pool.acquire(key()).expect("a stream");
    let memory = pool.allocate(&mut owner, words(COUNT)).expect("memory");
    let mut stamp = memory.stamp();
    let work = iota(kernels(hip), memory.raw(), 1, COUNT);
    stamp.add(pool.submit(&mut owner, work.into()).expect("a kernel"), Access::Write);
    let (mut memory, mut work) = (Some((memory, stamp)), Some(set(&out, 9)));
    let captured = pool.capture(&mut owner, CaptureMode::Relaxed, |scope| {
        scope.submit(work.take().expect("once"))?;
        let (memory, stamp) = memory.take().expect("once");
        let freed = pool.retire(memory, stamp);
        assert!(!matches!(freed, Freed::OnStream | Freed::Leaked), "{freed:?}");
        Ok(())
    });
    let mut graph = captured.expect("a graph").graph;
    let launched = pool.launch(&mut owner, &mut graph).expect("a launch");
    finish(&pool, launched);
    assert_eq!(out.halves()[0].load(Ordering::Acquire), 0x0909_0909);
    drop((graph, owner));
    let _pumped = pool.pump();
    let counts = pool.memory_counts();
    let freed = counts.freed_on_stream + counts.freed_on_disposal + counts.freed_at_once;
    assert_eq!((freed, counts.leaked), (1, 0), "{counts:?}");
}

/// The raw handle of a pooled stream is that stream, whoever wraps it: what is remembered of it ends with its tenancy.
#[test]
fn an_equal_handle_wrapped_is_the_pooled_stream() {
    let Some(hip) = support::hip("an_equal_handle_wrapped_is_the_pooled_stream") else { return };
    let pool = pool(hip, StreamOptions::default());
    let mut task = pool.acquire(key()).expect("a stream");
    let raw = pool.expose(&mut task);
    let Wrapped::Pooled(wrapped) = pool.wrap_external(raw, key()).expect("known") else {
        panic!("it is pooled");
    };
    assert_eq!(wrapped, task.stream());
    let gate = HostBuffer::new(hip, 1).expect("memory");
    hold(&pool, &mut task, &gate);
    let touch = pool.touch(wrapped).expect("it goes on");
    drop(task);
    let mut next = pool.acquire(key()).expect("a stream");
    assert_ne!(next.stream().id(), wrapped.id(), "its work is not finished");
    assert!(!pool.is_finished(touch));
    let mut stamp = Stamp::default();
    stamp.add(touch, Access::Write);
    gate.words()[0].store(1, Ordering::Release);
    let _ordered = pool.order_after(&mut next, &stamp, Access::Read).expect("an order");
    pool.synchronize(&stamp, Access::Write, LIMIT).expect("it finishes");
}

/// What HIP says of a lease's stream; the lease is over then.
fn status(pool: &StreamPool<HipStreams>, mut lease: Lease) -> CaptureStatus {
    let raw = pool.expose(&mut lease);
    pool.driver().capture_status(raw)
}

/// Keeps a stream busy until the host stores 1.
fn hold(pool: &StreamPool<HipStreams>, task: &mut Lease, gate: &HostBuffer) {
    // SAFETY: the test keeps the word until the work is finished.
    let work = unsafe { HipWork::wait_value(gate.address().as_u64(), 1) };
    let _touch = pool.submit(task, work).expect("a wait");
}

/// A stream whose capture broke, or was left open, is never handed out again.
#[test]
fn a_stream_in_error_is_retired() {
    let Some(hip) = support::hip("a_stream_in_error_is_retired") else { return };
    let pool = pool(hip, StreamOptions::default());
    let mut task = pool.acquire(key()).expect("a stream");
    let bad = task.stream();
    let raw = pool.expose(&mut task);
    pool.driver().begin_capture(raw, CaptureMode::Relaxed).expect("a capture");
    drop(task); // a task that forgot its capture
    for _ in 0..10 {
        let task = pool.acquire(key()).expect("a stream");
        assert_ne!(task.stream().id(), bad.id());
        assert_eq!(status(&pool, task), CaptureStatus::None);
        let _pumped = pool.pump();
    }
    let counts = pool.counts();
    assert_eq!(counts.condemned_captures, 1, "{counts:?}");
    assert!(counts.created <= 3, "{counts:?}");
}

/// Work before a fork that never comes back breaks the capture; HIP 5 then leaves the stream capturing for ever.
#[test]
fn a_capture_that_a_fork_never_rejoins_condemns_its_streams() {
    let test = "a_capture_that_a_fork_never_rejoins_condemns_its_streams";
    let Some(hip) = support::hip(test) else { return };
    let pool = pool(hip, StreamOptions::default());
    let [out, other] = [(); 2].map(|()| HostBuffer::new(hip, 64).expect("memory"));
    let (mut task, mut fork) =
        (pool.acquire(key()).expect("one"), pool.acquire(key()).expect("two"));
    let bad = task.stream().id();
    let mut work = [set(&out, 1), set(&out, 2), set(&other, 3)].into_iter();
    let mut next = || work.next().expect("three");
    let captured = pool.capture(&mut task, CaptureMode::ThreadLocal, |scope| {
        scope.submit(next())?;
        scope.fork(&mut fork)?;
        scope.submit(next())?;
        scope.submit_on(&mut fork, next()) // two loose ends, which HIP 5.2 counts
    });
    assert!(captured.is_err(), "it is unjoined");
    drop((task, fork));
    let again: Vec<_> = (0..4).map(|_| pool.acquire(key()).expect("a stream")).collect();
    for lease in again {
        assert_ne!(lease.stream().id(), bad);
        assert_eq!(status(&pool, lease), CaptureStatus::None);
    }
}

/// A kernel in a capture is recorded, or refused: HIP 5.2 would run it at once.
#[test]
fn kernels_are_recorded_or_refused() {
    let Some(hip) = support::hip("kernels_are_recorded_or_refused") else { return };
    let pool = pool(hip, StreamOptions::default());
    let out = HostBuffer::new(hip, 64).expect("memory");
    let mut task = pool.acquire(key()).expect("a stream");
    let captured = pool.capture(&mut task, CaptureMode::ThreadLocal, |scope| {
        Ok(scope.submit(iota(kernels(hip), out.address(), 5, COUNT).into()))
    });
    let Captured { mut graph, value: recorded } = captured.expect("a graph");
    assert_eq!(recorded.is_ok(), hip.version() >= HipVersion::new(5, 7, 0), "{recorded:?}");
    let touch = pool.so_far(&task);
    finish(&pool, touch);
    assert_eq!(out.halves()[0].load(Ordering::Acquire), 0, "it ran before its launch");
    for _ in 0..3 {
        out.halves()[0].store(0, Ordering::Release);
        let launched = pool.launch(&mut task, &mut graph).expect("a launch");
        finish(&pool, launched);
        let expected = if recorded.is_ok() { 5 } else { 0 };
        assert_eq!(out.halves()[0].load(Ordering::Acquire), expected);
    }
}

/// A handle that is gone, or was never there, is an error and no crash, and memory is freed once.
#[test]
fn what_is_gone_is_answered_as_unknown() {
    let Some(hip) = support::hip("what_is_gone_is_answered_as_unknown") else { return };
    let driver = HipStreams::new(hip, StreamOptions::default());
    let bad = |error: DriverError| matches!(error, DriverError::Bad(_));
    let stream = driver.create(key()).expect("a stream");
    let event = driver.create_event(gpu()).expect("an event");
    let memory = driver.allocate(words(COUNT), stream).expect("memory");
    driver.free(memory, stream).expect("freed");
    assert!(driver.free(memory, stream).is_err_and(bad), "freed twice");
    driver.record_event(event, stream).expect("recorded");
    driver.synchronize(stream).expect("idle");
    driver.destroy(stream).expect("destroyed");
    assert!(driver.destroy(stream).is_err_and(bad));
    for gone in [stream, RawStream::new(0), RawStream::new(1), RawStream::new(0xdead_0000)] {
        assert!(matches!(driver.query(gone), StreamState::Failed(DriverError::Bad(_))));
        assert!(matches!(driver.capture_status(gone), CaptureStatus::Unknown(_)));
        assert!(driver.record_event(event, gone).is_err_and(bad));
        assert!(driver.allocate(words(1), gone).is_err_and(bad));
        assert!(driver.launch(gone, HipWork::host(|| ())).is_err_and(bad));
    }
    assert_eq!(driver.query_event(event), StreamState::Idle, "an event outlives its stream");
    driver.destroy_event(event);
    driver.destroy_event(event);
    assert!(matches!(driver.query_event(event), StreamState::Failed(DriverError::Bad(_))));
}

/// HIP 5.2 never returns from the destruction of a stream while its device's pool keeps a freed block.
#[test]
fn streams_are_destroyed_while_others_free() {
    let Some(hip) = support::hip("streams_are_destroyed_while_others_free") else { return };
    let driver = HipStreams::new(hip, StreamOptions::default());
    let (start, destroyed) = (Barrier::new(2), AtomicU32::new(0));
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let stream = driver.create(key()).expect("a stream");
            start.wait();
            while destroyed.load(Ordering::Acquire) < 20 {
                let memory = driver.allocate(words(COUNT), stream).expect("memory");
                driver.free(memory, stream).expect("freed");
            }
        });
        start.wait();
        for _ in 0..20 {
            let stream = driver.create(key()).expect("a stream");
            driver.destroy(stream).expect("destroyed");
            destroyed.fetch_add(1, Ordering::Release);
        }
    });
}

/// Functions of the host run in the stream's order, on HIP's thread, also where `hipLaunchHostFunc` is missing; one that panics harms
/// nobody.
#[test]
fn host_functions_run_in_order() {
    static SEEN: AtomicU32 = AtomicU32::new(0);
    let Some(hip) = support::hip("host_functions_run_in_order") else { return };
    let pool = pool(hip, StreamOptions::default());
    let mut task = pool.acquire(key()).expect("a stream");
    for i in 0..100 {
        let order = move || {
            let _before = SEEN.compare_exchange(i, i + 1, Ordering::AcqRel, Ordering::Acquire);
        };
        let _touch = pool.submit(&mut task, HipWork::host(order)).expect("taken");
    }
    let last = pool.submit(&mut task, HipWork::host(|| panic!("on purpose"))).expect("taken");
    finish(&pool, last);
    assert_eq!(SEEN.load(Ordering::Acquire), 100);
    let refused =
        pool.capture(&mut task, CaptureMode::Relaxed, |scope| scope.submit(HipWork::host(|| ())));
    assert!(refused.is_err(), "a graph may be launched often");
}
