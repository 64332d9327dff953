//! What the GPU costs that is not there. Figures are printed; what is asserted is far from them, so that a busy machine passes.

use std::{
    thread,
    time::{Duration, Instant},
};

use ringfence_softgpu_programs::{
    hsa::{Packet, Queue, Runtime, Signal, World},
    process,
};

/// Nothing to do: under 5 % of a core.
pub(crate) fn idle() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 64);
    let done = Signal::new(&runtime, 1);
    queue.submit(&Packet::and(&[]).completes(done.handle()));
    done.finished();
    thread::sleep(Duration::from_millis(200));
    // What disturbs a measurement only adds to it: the least of three is the nearest.
    let shares: Vec<f64> = (0..3).map(|_| share_of_a_second()).collect();
    let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
    println!("{:.2} % of a core, of {shares:.4?}", 100.0 * least);
    assert!(least < 0.05, "{:.1} % of a core while idle", 100.0 * least);
}

/// How much of a core this process uses while it sleeps for a second.
fn share_of_a_second() -> f64 {
    let (cpu, begun) = (process::cpu_time(), Instant::now());
    thread::sleep(Duration::from_secs(1));
    (process::cpu_time() - cpu).as_secs_f64() / begun.elapsed().as_secs_f64()
}

/// From idle to a completed packet, seen by a blocked wait; and what a long blocked wait costs its thread.
pub(crate) fn wake() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 64);
    let done = Signal::new(&runtime, 1);
    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            thread::sleep(Duration::from_millis(5));
            done.store(1);
            let begun = Instant::now();
            queue.submit(&Packet::and(&[]).completes(done.handle()));
            done.finished();
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    let [least, half, most, longest] = [0, 100, 180, 199].map(|index| times[index]);
    println!("least {least:?}, median {half:?}, 90 % under {most:?}, longest {longest:?}");
    assert!(half < Duration::from_millis(5), "the median packet took {half:?}");

    let (gate, done) = (Signal::new(&runtime, 1), Signal::new(&runtime, 1));
    queue.submit(&Packet::and(&[gate.handle()]).completes(done.handle()));
    let cpu = process::thread_time();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            gate.store(0);
        });
        done.finished();
    });
    let used = process::thread_time() - cpu;
    println!("a blocked wait of 200 ms used {used:?} of its thread");
    assert!(used < Duration::from_millis(5), "a blocked wait used {used:?}");
}

/// Barrier packets in batches, on one queue and on four: time a packet, each with a signal of its own.
pub(crate) fn batch() {
    const COUNT: usize = 1_000;
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    for queues in [1, 4] {
        let queues: Vec<Queue> =
            (0..queues).map(|_| Queue::new(&world.gpu().agent, 1_024)).collect();
        let signals = Signal::armed(&runtime, COUNT * queues.len());
        let mut best = Duration::MAX;
        for _ in 0..5 {
            signals.iter().for_each(|signal| signal.store(1));
            let begun = Instant::now();
            for (index, signal) in signals.iter().enumerate() {
                let packet = Packet::and(&[]).completes(signal.handle());
                queues[index % queues.len()].submit(&packet);
            }
            signals.iter().for_each(Signal::finished);
            best = best.min(begun.elapsed());
        }
        let each = best.as_secs_f64() * 1e6 / signals.len() as f64;
        println!("{} queues: {each:.2} us a packet", queues.len());
        assert!(each < 200.0, "{each:.1} us a packet");
    }
}
