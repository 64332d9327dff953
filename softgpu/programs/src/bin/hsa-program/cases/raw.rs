//! Signals that the runtime did not make, in the GPU's own memory.

use std::{
    thread,
    time::{Duration, Instant},
};

use ringfence_softgpu_programs::hsa::{
    Order, Packet, Queue, RawSignals, Runtime, Signal, Visibility, World,
};

use super::{packets::WHILE, signals::until};

const SIGNALS: usize = 64;
const PACKETS: usize = 1_000;

/// 1,000 packets on two queues, each behind the one before it on the other queue, over 64 signals: each value, each time, in order.
pub(crate) fn signals() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let gpu = world.gpu();
    let raw = RawSignals::new(&gpu.vram, &gpu.agent, SIGNALS, &[world.cpu]);
    let queues: Vec<Queue> = (0..2).map(|_| Queue::new(&gpu.agent, 256)).collect();
    queues.iter().for_each(Queue::profile);
    let (mut last, begun) = (0, Instant::now());
    let mut left = PACKETS;
    while left > 0 {
        let batch = left.min(SIGNALS);
        left -= batch;
        for index in 0..batch {
            raw.store(index, 1);
            raw.clear_times(index);
        }
        raw.publish(Visibility::Flushed);
        for index in 0..batch {
            let previous = index.checked_sub(1).map(|previous| raw.handle(previous));
            let packet = Packet::and(previous.as_slice()).completes(raw.handle(index));
            queues[index % 2].submit(&packet.order(Order::AfterAll));
        }
        until("the last signal of a batch", || raw.value(batch - 1) == 0);
        for index in 0..batch {
            assert_eq!(raw.value(index), 0, "signal {index} before the last");
            let (start, end) = raw.times(index);
            assert!(start > 0 && start <= end, "times of {index}: {start}, {end}");
            assert!(end >= last, "signal {index} ended at {end}, the one before at {last}");
            last = end;
        }
    }
    println!("{:.2} us a packet", begun.elapsed().as_secs_f64() * 1e6 / PACKETS as f64);
}

/// A dependency that was armed and flushed holds its packet.
pub(crate) fn held() {
    let early = passed_early(Visibility::Flushed);
    assert_eq!(early, 0, "packets passed a dependency that was armed and flushed");
}

/// With the flush left out packets pass a dependency that the host armed again: the GPU sees what it left there.
pub(crate) fn unflushed() {
    let early = passed_early(Visibility::Unflushed);
    println!("{early} of {ROUNDS} packets passed a dependency that was armed and not flushed");
    assert!(early > 0, "no packet passed early: host stores are seen at once here");
}

const ROUNDS: usize = 10;

fn passed_early(visibility: Visibility) -> usize {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let gpu = world.gpu();
    let raw = RawSignals::new(&gpu.vram, &gpu.agent, 1, &[world.cpu]);
    let queue = Queue::new(&gpu.agent, 64);
    held_by(&runtime, &raw, &queue, visibility)
}

/// How many of [`ROUNDS`] packets on `queue` passed while the signal they wait for, in `raw`, was armed.
pub(crate) fn held_by(
    runtime: &Runtime,
    raw: &RawSignals<'_>,
    queue: &Queue<'_>,
    visibility: Visibility,
) -> usize {
    let mut early = 0;
    for _ in 0..ROUNDS {
        let done = Signal::new(runtime, 1);
        // The GPU has just brought it to 0, and so knows it as 0.
        raw.store(0, 1);
        raw.publish(Visibility::Flushed);
        queue.submit(&Packet::and(&[]).completes(raw.handle(0)));
        until("a raw signal's completion", || raw.value(0) == 0);
        raw.store(0, 1);
        raw.publish(visibility);
        queue.submit(&Packet::and(&[raw.handle(0)]).completes(done.handle()));
        let begun = Instant::now();
        while begun.elapsed() < WHILE / 4 && done.value() == 1 {
            thread::sleep(Duration::from_micros(100));
        }
        early += usize::from(done.value() != 1);
        raw.store(0, 0);
        raw.publish(Visibility::Flushed);
        done.finished();
    }
    early
}
