//! Four producers, four queues, random packets with dependencies on earlier ones.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use ringfence_softgpu_programs::{
    case::setting,
    hsa::{Condition, Order, Packet, Patience, Queue, Runtime, Signal, World},
    random::Random,
};

/// Signals that each producer has in flight.
const BATCH: usize = 64;

/// For 3 s.
pub(crate) fn short() {
    run(Duration::from_secs(3));
}

/// For 60 s.
pub(crate) fn long() {
    run(Duration::from_secs(60));
}

fn run(time: Duration) {
    let seed = setting("SEED").map_or(1, |seed| seed.parse().expect("a number"));
    println!("seed {seed}");
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queues: Vec<Queue> =
        (0..4).map(|index| Queue::new(&world.gpus[index % world.gpus.len()].agent, 256)).collect();
    let (packets, begun) = (AtomicU64::new(0), Instant::now());
    thread::scope(|scope| {
        for producer in 0..4 {
            let (world, queues, packets, runtime) = (&world, &queues, &packets, &runtime);
            scope.spawn(move || {
                let mut random = Random::new(seed * 4 + producer);
                let signals = Signal::armed(runtime, BATCH);
                while begun.elapsed() < time {
                    round(world, queues, &signals, &mut random);
                    packets.fetch_add(BATCH as u64, Ordering::Relaxed);
                }
            });
        }
    });
    let (packets, time) = (packets.into_inner(), begun.elapsed());
    println!("{packets} packets, {:.2} us each", time.as_secs_f64() * 1e6 / packets as f64);
    assert!(packets > 1_000, "hardly anything was submitted");
}

/// Submits one packet for each signal and waits for all.
fn round(world: &World<'_>, queues: &[Queue<'_>], signals: &[Signal<'_>], random: &mut Random) {
    for signal in signals {
        signal.store(1);
    }
    for (index, signal) in signals.iter().enumerate() {
        let earlier = |random: &mut Random| {
            let count = if index == 0 { 0 } else { random.below(4) };
            (0..count).map(|_| signals[random.below(index)].handle()).collect::<Vec<_>>()
        };
        let which = random.below(queues.len());
        let packet = match random.below(3) {
            0 => Packet::and(&earlier(random)),
            1 => Packet::or(&earlier(random)),
            _ => world.gpus[which % world.gpus.len()].kernel(),
        };
        let order = if random.below(2) == 0 { Order::Free } else { Order::AfterAll };
        queues[which].submit(&packet.completes(signal.handle()).order(order));
    }
    for (index, signal) in signals.iter().enumerate().rev() {
        let limit = Duration::from_secs(10);
        let seen = signal.wait(Condition::Below(1), limit, Patience::Blocked);
        let indices = || {
            let both = |queue: &Queue<'_>| (queue.read_index(), queue.write_index());
            queues.iter().map(both).collect::<Vec<_>>()
        };
        assert_eq!(seen, 0, "packet {index} after {limit:?}; (read, write): {:?}", indices());
    }
}
