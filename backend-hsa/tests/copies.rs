//! Copies on a real runtime.

mod support;

use std::time::Duration;

use ringfence::{backend::*, drive::*, id::*, timing::Interval};
use ringfence_hsa::{
    Buffer, CopyWork, MemoryPlace, Place,
    sys::{Library, hsa_status_t},
};
use support::{Gpu, barrier, done};

const BYTES: usize = 1 << 16;

fn filled(gpu: &Gpu, place: MemoryPlace, byte: u8) -> Buffer {
    let mut buffer = gpu.device.allocate(place, BYTES).expect("memory");
    let large_bar = gpu.device.capabilities().features.contains(Features::LARGE_BAR);
    if place != MemoryPlace::Device || large_bar {
        buffer.write(0, &[byte; BYTES]);
        gpu.device.flush();
    }
    buffer
}

fn work(to: Place, from: Place, bytes: usize) -> CopyWork {
    // SAFETY: the buffers of these tests live until the copies are seen to be complete, and nobody uses them meanwhile.
    unsafe { CopyWork::new(to, from, bytes) }
}

#[test]
fn a_copy_waits_moves_completes_and_says_when() {
    let Some(gpu) = Gpu::open("a_copy_waits_moves_completes_and_says_when") else { return };
    let engine = gpu.device.copy_engine().expect("a copy engine");
    assert_ne!(engine.lane().queue(), gpu.queue.lane().queue());
    let host = filled(&gpu, MemoryPlace::Host, 7);
    let device = filled(&gpu, MemoryPlace::Device, 0);
    let back = filled(&gpu, MemoryPlace::Host, 0);
    let (gate, there, end) = (
        gpu.signal(SignalMemory::Host),
        gpu.signal(SignalMemory::Host),
        gpu.signal(SignalMemory::Interrupt),
    );
    let part = PartIndex::new(0);
    let (first, second) = (engine.reserve(), engine.reserve());
    assert!(first < second);
    let to_device = work(device.place(0), host.place(0), BYTES);
    engine.submit(first, part, to_device, there, &[gate]).expect("taken");
    let to_host = work(back.place(0), device.place(0), BYTES);
    engine.submit(second, part, to_host, end, &[there]).expect("taken");
    let limit = Duration::from_millis(10);
    let early = gpu.device.wait(end, SignalValue::ARMED, WaitHint::Blocked, limit);
    assert_eq!(early, WaitOutcome::TimedOut);
    gpu.device.force(gate);
    assert_eq!(done(&gpu.device, end), SignalValue::DONE);
    let mut seen = vec![0; BYTES];
    back.read(0, &mut seen);
    assert!(seen.iter().all(|byte| *byte == 7));
    let raw = gpu.device.timestamps(end, Engine::Copy);
    assert!(Interval::new(raw, gpu.device.tick_rate()).is_some(), "{raw:?}");
    for signal in [gate, there, end] {
        gpu.device.destroy(signal);
    }
}

/// Another part of the process may turn the times of copies off, which the runtime has for all of it: then a copy would show those of
/// the copy that its signal completed before.
#[test]
fn a_copy_never_says_when_the_one_before_it_ran() {
    let Some(gpu) = Gpu::open("a_copy_never_says_when_the_one_before_it_ran") else { return };
    let engine = gpu.device.copy_engine().expect("a copy engine");
    let (to, from) = (filled(&gpu, MemoryPlace::Device, 0), filled(&gpu, MemoryPlace::Host, 1));
    let copy = work(to.place(0), from.place(0), BYTES);
    let end = gpu.signal(SignalMemory::Host);
    let mut ended = 0;
    for _ in 0..4 {
        engine.submit(engine.reserve(), PartIndex::new(0), copy, end, &[]).expect("taken");
        assert_eq!(done(&gpu.device, end), SignalValue::DONE);
        let raw = gpu.device.timestamps(end, Engine::Copy);
        let ran = Interval::new(raw, gpu.device.tick_rate()).expect("it has times");
        // By 100 ns at least: a pair of ticks that is seen twice differs by a few, since the runtime converts it anew.
        let apart = gpu.device.tick_rate().hertz() / 10_000_000;
        assert!(ran.start() > ended + apart, "{raw:?}, and the one before ended at {ended}");
        ended = ran.end();
        gpu.device.arm(end, SignalValue::ARMED);
        let functions = Library::load().expect("it is loaded").functions();
        // SAFETY: no precondition.
        let status = unsafe { functions.hsa_amd_profiling_async_copy_enable(false) };
        assert_eq!(status, hsa_status_t::HSA_STATUS_SUCCESS);
    }
    gpu.device.destroy(end);
}

#[test]
fn signals_in_device_memory_are_refused() {
    let Some(gpu) = Gpu::open("signals_in_device_memory_are_refused") else { return };
    if !gpu.device.capabilities().can_hold_device_signals() {
        return support::skipped(gpu.device.facts().device_memory());
    }
    let engine = gpu.device.copy_engine().expect("a copy engine");
    let (to, from) = (filled(&gpu, MemoryPlace::Host, 0), filled(&gpu, MemoryPlace::Host, 1));
    let (cell, host) = (gpu.signal(SignalMemory::Device), gpu.signal(SignalMemory::Host));
    let copy = work(to.place(0), from.place(0), BYTES);
    let part = PartIndex::new(0);
    let refused = Err(CopyRefused::SignalMemory);
    assert_eq!(engine.submit(engine.reserve(), part, copy, cell, &[]), refused);
    assert_eq!(engine.submit(engine.reserve(), part, copy, host, &[cell]), refused);
    assert_eq!(
        engine.submit(engine.reserve(), part, copy, SignalHandle::NULL, &[]),
        Err(CopyRefused::Failed)
    );
    gpu.device.destroy(cell);
    gpu.device.destroy(host);
}

/// A copy of several parts behind work of a queue, and work behind the copy.
#[test]
fn a_tracker_orders_copies_and_packets() {
    let Some(gpu) = Gpu::open("a_tracker_orders_copies_and_packets") else { return };
    let engine = gpu.device.copy_engine().expect("a copy engine");
    let queue = HardwareQueue::new(gpu.queue.clone());
    let mut stream =
        Tracker::open(gpu.device.clone(), queue, Policy::default()).expect("a tracker");
    let (to, from) = (filled(&gpu, MemoryPlace::Host, 0), filled(&gpu, MemoryPlace::Host, 9));
    for _ in 0..20 {
        let parts: Vec<_> = (0..4)
            .map(|part| part * BYTES / 4)
            .map(|at| work(to.place(at), from.place(at), BYTES / 4))
            .collect();
        let copy = CopySubmission::new(&parts);
        let record = stream.copy(&engine, copy, None).expect("taken");
        let _synced = stream.synchronize().expect("it finishes");
        assert_eq!(record.outcome(), ringfence::ring::Outcome::Finished);
    }
    let mut seen = vec![0; BYTES];
    to.read(0, &mut seen);
    assert!(seen.iter().all(|byte| *byte == 9));
    stream.close().expect("closed");
    // A packet behind a copy.
    let (copied, end) = (gpu.signal(SignalMemory::Host), gpu.signal(SignalMemory::Host));
    let copy = work(to.place(0), from.place(0), BYTES);
    engine.submit(engine.reserve(), PartIndex::new(0), copy, copied, &[]).expect("taken");
    gpu.submit(&barrier(Deps::take(&[copied]).0, end));
    assert_eq!(done(&gpu.device, end), SignalValue::DONE);
    gpu.device.destroy(copied);
    gpu.device.destroy(end);
}
