//! The order in which packets of one queue complete, and what the read index says of it.

use std::{
    thread,
    time::{Duration, Instant},
};

use ringfence_softgpu_programs::{
    case::setting,
    hsa::{Order, Packet, Queue, Runtime, Signal, World},
};

use super::signals::until;

const KERNELS: usize = 200;

/// Behind a kernel of 50 ms (`KERNEL_NS`) a packet without the barrier bit is quick, and one with it waits.
pub(crate) fn barrier_bit() {
    let nanoseconds =
        setting("KERNEL_NS").expect("KERNEL_NS is set: the kernel is to be a long one");
    let long = Duration::from_nanos(nanoseconds.parse().expect("one number"));
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 64);
    let done = Signal::armed(&runtime, 3);
    let begun = Instant::now();
    queue.submit_all(&[
        world.gpu().kernel().completes(done[0].handle()).order(Order::Free),
        Packet::and(&[]).completes(done[1].handle()).order(Order::Free),
        Packet::and(&[]).completes(done[2].handle()).order(Order::AfterAll),
    ]);
    done[1].finished();
    let quick = begun.elapsed();
    let kernel = done[0].value();
    done[2].finished();
    let waited = begun.elapsed();
    println!("without the barrier bit {quick:?}, with it {waited:?}");
    assert_eq!(kernel, 1, "the kernel was over when the packet behind it completed");
    assert!(quick < long / 2, "without the barrier bit: {quick:?}");
    assert!(waited >= long - long / 20, "with the barrier bit: {waited:?}");
    assert_eq!(done[0].value(), 0, "the kernel is not over, though a barrier behind it is");
}

/// The read index never leaves its bounds and never falls; where the policy tells, it moves as the policy says.
pub(crate) fn read_index() {
    let policy = setting("READ_INDEX").unwrap_or_else(|| "early".to_owned());
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 64);
    let (gate, done) = (Signal::new(&runtime, 1), Signal::armed(&runtime, 8));
    queue.submit(&Packet::and(&[gate.handle()]));
    for signal in &done {
        queue.submit(&Packet::and(&[]).completes(signal.handle()).order(Order::AfterAll));
    }
    thread::sleep(Duration::from_millis(10));
    let held = queue.read_index();
    println!("{policy}: {held} of {} while the first is held", queue.write_index());
    match policy.as_str() {
        // Nothing is complete.
        "late" | "still" => assert_eq!(held, 0),
        // The first was read, and the second, which waits, may have been.
        "early" => assert!((1..=2).contains(&held), "{held}"),
        "eights" => assert!(held == 0 || held == 8, "{held}"),
        _ => assert!(held <= 9, "{held}"),
    }
    gate.store(0);
    done.iter().for_each(Signal::finished);
    match policy.as_str() {
        "late" | "early" => until("the read index", || queue.read_index() == 9),
        "eights" => until("the read index", || queue.read_index() == 8),
        "still" => assert_eq!(queue.read_index(), 0),
        _ => (),
    }
    let mut last = 0;
    for _ in 0..1_000 {
        let signal = Signal::new(&runtime, 1);
        queue.submit(&Packet::and(&[]).completes(signal.handle()));
        let (read, write) = (queue.read_index(), queue.write_index());
        assert!((last..=write).contains(&read), "{last}, then {read} of {write}");
        assert!(write - read <= queue.size(), "{write} - {read}");
        last = read;
        signal.finished();
    }
}

/// Of kernels without the barrier bit some finish before an earlier one.
pub(crate) fn out_of_order() {
    let inversions = inversions(Order::Free);
    println!("{inversions} of {KERNELS} finished before the one before them");
    assert!(inversions > 0, "kernels finished in order, all {KERNELS}");
}

/// Of kernels with the barrier bit none does.
pub(crate) fn in_order() {
    assert_eq!(inversions(Order::AfterAll), 0, "kernels behind a barrier bit overtook");
}

fn inversions(order: Order) -> usize {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let gpu = world.gpu();
    let queue = Queue::new(&gpu.agent, 256);
    queue.profile();
    let signals = Signal::armed(&runtime, KERNELS);
    let packets: Vec<Packet> =
        signals.iter().map(|signal| gpu.kernel().completes(signal.handle()).order(order)).collect();
    queue.submit_all(&packets);
    // The newest complete one that is seen means that all before it are, where the order is kept.
    while signals[KERNELS - 1].value() != 0 {
        let newest = signals.iter().rposition(|signal| signal.value() == 0);
        if order == Order::AfterAll {
            for (index, signal) in signals.iter().enumerate().take(newest.unwrap_or(0)) {
                assert_eq!(signal.value(), 0, "{newest:?} is complete, and {index} is not");
            }
        }
        thread::yield_now();
    }
    signals.iter().for_each(Signal::finished);
    let ends: Vec<u64> =
        signals.iter().map(|signal| signal.dispatch_time(&gpu.agent).end).collect();
    ends.windows(2).filter(|pair| pair[1] < pair[0]).count()
}
