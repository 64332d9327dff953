//! Queues: many of them, priorities, masks.

use std::time::{Duration, Instant};

use ringfence_softgpu_programs::hsa::{
    Gpu, Order, Packet, Queue, Runtime, Signal, World,
    sys::{hsa_amd_queue_priority_s as priority, hsa_status_t},
};

/// Priorities, masks of compute units, the longest ring, and an inactive queue.
pub(crate) fn options() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let gpu = world.gpu();
    let queue = Queue::new(&gpu.agent, 256);
    let run = |queue: &Queue<'_>| {
        let done = Signal::new(&runtime, 1);
        queue.submit(&gpu.kernel().completes(done.handle()).order(Order::AfterAll));
        done.finished();
    };
    for level in [
        priority::HSA_AMD_QUEUE_PRIORITY_LOW,
        priority::HSA_AMD_QUEUE_PRIORITY_NORMAL,
        Runtime::HIGH,
    ] {
        runtime.ok("hsa_amd_queue_set_priority", queue.set_priority(level));
        run(&queue);
    }
    let narrowed = queue.set_compute_units(&[0xff, 0, 0, 0]);
    println!("mask of 8 compute units: {}", runtime.describe(narrowed));
    assert!(
        narrowed == hsa_status_t::HSA_STATUS_SUCCESS || narrowed == hsa_status_t(41),
        "{narrowed:?}"
    );
    run(&queue);
    drop(queue);

    let long = Queue::new(&gpu.agent, 16_384);
    assert_eq!(long.size(), 16_384);
    run(&long);
    runtime.ok("hsa_queue_inactivate", long.inactivate());
}

/// 130 queues, each of which works, and how long the runtime takes for one. A busy machine gets three tries at that.
pub(crate) fn many() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let medians: Vec<Duration> = (0..3).map(|_| median_of_many(&runtime, world.gpu())).collect();
    let best = medians.iter().min().expect("three tries");
    assert!(*best < Duration::from_millis(1), "the median queue took {medians:?}");
}

fn median_of_many<'r>(runtime: &'r Runtime, gpu: &Gpu<'r>) -> Duration {
    const COUNT: usize = 130;
    let mut times = Vec::new();
    let queues: Vec<Queue<'_>> = (0..COUNT)
        .map(|_| {
            let begun = Instant::now();
            let queue = Queue::new(&gpu.agent, 64);
            times.push(begun.elapsed());
            queue
        })
        .collect();
    let done = Signal::armed(runtime, COUNT);
    for (queue, signal) in queues.iter().zip(&done) {
        queue.submit(&Packet::and(&[]).completes(signal.handle()));
    }
    done.iter().for_each(Signal::finished);
    let begun = Instant::now();
    drop(queues);
    let destroyed = begun.elapsed() / COUNT as u32;
    times.sort_unstable();
    let (median, longest) = (times[COUNT / 2], times[COUNT - 1]);
    println!("creating: median {median:?}, longest {longest:?}; destroying: {destroyed:?} each");
    median
}
