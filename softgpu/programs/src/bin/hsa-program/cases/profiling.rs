//! Times of packets and copies.

use std::time::Duration;

use ringfence_softgpu_programs::{
    case::setting,
    hsa::{Block, Order, Place, Queue, Runtime, Signal, Ticks, World},
};

/// Between two clocks that are read one after the other.
const SLACK: Duration = Duration::from_micros(20);

/// Kernels lie in the host's range, one after another, and take as long as set.
pub(crate) fn dispatch() {
    let least = setting("KERNEL_NS").map_or(0, |span| {
        let first = span.split("..").next().unwrap_or_default().parse();
        first.expect("a number, or a range of them")
    });
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let gpu = world.gpu();
    let queue = Queue::new(&gpu.agent, 64);
    queue.profile();
    let mut last = 0;
    for round in 0..50 {
        let done = Signal::new(&runtime, 1);
        let before = runtime.now();
        queue.submit(&gpu.kernel().completes(done.handle()).order(Order::AfterAll));
        done.finished();
        let after = runtime.now();
        let time = done.dispatch_time(&gpu.agent);
        within(&runtime, time, before, after);
        let took = runtime.time(time.end - time.start);
        if round == 0 {
            println!("{took:?} in {:?} of the host's", runtime.time(after - before));
        }
        assert!(took + SLACK >= Duration::from_nanos(least), "a kernel took {took:?}");
        assert!(time.start + runtime.ticks(SLACK) >= last, "it began before the last one ended");
        last = time.end;
    }
}

/// Copies lie in the host's range, and a dependency's wait is not part of them.
pub(crate) fn copy() {
    let runtime = Runtime::start();
    runtime.profile_copies();
    let world = World::new(&runtime);
    let gpu = world.gpu();
    let host = Block::new(&world.fine, 1 << 20, &[gpu.agent]);
    let device = Block::new(&gpu.vram, 1 << 20, &[world.cpu]);
    for _ in 0..20 {
        let done = Signal::new(&runtime, 1);
        let before = runtime.now();
        let (to, from) = (Place::new(&device, 0, gpu.agent), Place::new(&host, 0, world.cpu));
        runtime.begin_copy(to, from, 1 << 20, &[], &done);
        done.finished();
        within(&runtime, done.copy_time(), before, runtime.now());
    }
}

fn within(runtime: &Runtime, time: Ticks, before: u64, after: u64) {
    let slack = runtime.ticks(SLACK);
    assert!(time.start > 0 && time.start <= time.end, "{time:?}");
    assert!(time.start + slack >= before, "{time:?} began before {before}");
    assert!(time.end <= after + slack, "{time:?} ended after {after}");
}
