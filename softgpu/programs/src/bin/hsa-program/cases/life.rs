//! Processes that split, and runtimes that start again.

use ringfence_softgpu_programs::{
    hsa::{Packet, Queue, Runtime, Signal, World},
    process::{self, End},
};

/// A child that exits at once, through all tear-down, ends well, and its parent goes on.
pub(crate) fn fork() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 64);
    for round in 0..5 {
        round_trip(&runtime, &queue);
        let end = process::fork(|| 7).wait();
        assert_eq!(end, End::Exit(7), "round {round}: the child");
    }
    round_trip(&runtime, &queue);
}

/// 100 times from `hsa_init` to `hsa_shut_down`.
pub(crate) fn cycles() {
    run(100);
}

/// 1,000 times.
pub(crate) fn cycles_long() {
    run(1_000);
}

fn run(count: usize) {
    // What is allocated once, and pools that grow, are not a leak.
    let settled = count / 4;
    let (mut start, begun) = (0, std::time::Instant::now());
    for cycle in 0..count {
        if cycle == settled {
            start = process::resident();
        }
        let runtime = Runtime::start();
        let world = World::new(&runtime);
        let queue = Queue::new(&world.gpu().agent, 64);
        round_trip(&runtime, &queue);
    }
    let grown = process::resident().saturating_sub(start);
    let each = grown / (count - settled) as u64;
    println!("{:?} a cycle, {each} bytes more in memory each", begun.elapsed() / count as u32);
    assert!(each < 16 << 10, "each cycle leaves {each} bytes");
}

fn round_trip(runtime: &Runtime, queue: &Queue<'_>) {
    let done = Signal::new(runtime, 1);
    queue.submit(&Packet::and(&[]).completes(done.handle()));
    done.finished();
}
