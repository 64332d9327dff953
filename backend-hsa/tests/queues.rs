//! Queues on a real runtime: order, back-pressure, several producers.

mod support;

use std::{
    num::NonZeroU32,
    sync::Barrier as Meeting,
    thread,
    time::{Duration, Instant},
};

use ringfence::{backend::*, drive::*, id::*, ring::RingLimits, timing::Interval};
use ringfence_hsa::{HsaQueue, QueueOptions, RingSize, Stamping};
use support::{Gpu, barrier, done, kernel, setting, signal};

fn small(packets: u32) -> QueueOptions {
    QueueOptions { packets: RingSize::at_least(packets), ..QueueOptions::default() }
}

fn publish(queue: &HsaQueue, packet: &Packet<ringfence_hsa::Dispatch>) -> PacketId {
    let at = queue.reserve(PacketCount::ONE);
    queue.commit(at, packet);
    queue.ring_doorbell(at);
    at
}

#[test]
fn a_full_ring_holds_its_producer_back_and_nothing_is_lost() {
    let Some(gpu) = Gpu::open("a_full_ring_holds_its_producer_back") else { return };
    let queue = gpu.device.create_queue(small(64)).expect("a small queue");
    let size = u64::from(queue.ring_size().packets());
    let gate = gpu.signal(SignalMemory::Host);
    let end = gpu.signal(SignalMemory::Host);
    let (held, _) = Deps::take(&[gate]);
    publish(&queue, &barrier(held, SignalHandle::NULL));
    let total = 4 * size;
    thread::scope(|scope| {
        let producer = scope.spawn(|| {
            for _ in 1..total - 1 {
                publish(&queue, &barrier(Deps::NONE, SignalHandle::NULL));
            }
            publish(&queue, &barrier(Deps::NONE, end))
        });
        // The producer gets as far as the ring goes, and stays there.
        let until = Instant::now() + Duration::from_millis(100);
        while Instant::now() < until {
            assert!(queue.read_index().as_u64() <= 2 * size, "the gate holds all behind it");
            thread::yield_now();
        }
        assert!(!producer.is_finished(), "{total} packets went into a ring of {size}");
        gpu.device.force(gate);
        assert_eq!(producer.join().expect("no panic"), PacketId::new(total - 1));
    });
    assert_eq!(done(&gpu.device, end), SignalValue::DONE);
    assert_eq!(queue.settled(), Settled::Below(PacketId::new(total)));
    gpu.device.destroy(gate);
    gpu.device.destroy(end);
}

/// A batch that is larger than the ring, with one doorbell at its end, would wait for itself.
#[test]
fn a_batch_larger_than_the_ring_makes_its_own_room() {
    let Some(gpu) = Gpu::open("a_batch_larger_than_the_ring_makes_its_own_room") else { return };
    let queue = gpu.device.create_queue(small(64)).expect("a small queue");
    let end = gpu.signal(SignalMemory::Host);
    let mut last = PacketId::FIRST;
    for _ in 0..300 {
        last = queue.reserve(PacketCount::ONE);
        queue.commit(last, &barrier(Deps::NONE, SignalHandle::NULL));
    }
    queue.ring_doorbell(last);
    publish(&queue, &barrier(Deps::NONE, end));
    assert_eq!(done(&gpu.device, end), SignalValue::DONE);
    gpu.device.destroy(end);
}

/// Contract 3: what is committed early is not seen before what lies below it.
/// A ring in host memory is known as one, so that no packet pays for a fence; one in device memory, which ROCr 6.4 makes when
/// `HSA_ALLOCATE_QUEUE_DEV_MEM=1` asks for it, never is.
#[test]
fn where_a_ring_is_is_known() {
    let Some(gpu) = Gpu::open("where_a_ring_is_is_known") else { return };
    let asked = std::env::var_os("HSA_ALLOCATE_QUEUE_DEV_MEM").is_some_and(|one| one == "1");
    let place = if asked { "place: Device" } else { "place: Host" };
    let queue = format!("{:?}", gpu.queue);
    assert!(queue.contains(place), "{queue}");
}

#[test]
fn a_later_packet_waits_for_the_earlier_one_to_be_committed() {
    let Some(gpu) = Gpu::open("a_later_packet_waits_for_the_earlier_one") else { return };
    let (first, second) = (gpu.signal(SignalMemory::Host), gpu.signal(SignalMemory::Host));
    let at = gpu.queue.reserve(PacketCount::new(NonZeroU32::new(2).expect("not 0")));
    let free = Packet { barrier: Barrier::Clear, ..barrier(Deps::NONE, second) };
    gpu.queue.commit(at.next(), &free);
    gpu.queue.ring_doorbell(at.next());
    assert_eq!(gpu.queue.settled(), Settled::Reserving);
    let limit = Duration::from_millis(20);
    let early = gpu.device.wait(second, SignalValue::ARMED, WaitHint::Active, limit);
    assert_eq!(early, WaitOutcome::TimedOut);
    gpu.queue.commit(at, &barrier(Deps::NONE, first));
    // The doorbell that was asked for is rung by whoever closes the gap.
    assert_eq!(done(&gpu.device, second), SignalValue::DONE);
    assert_eq!(done(&gpu.device, first), SignalValue::DONE);
    assert_eq!(gpu.queue.settled(), Settled::Below(at.plus(2)));
    gpu.device.destroy(first);
    gpu.device.destroy(second);
}

#[test]
fn several_threads_share_one_queue() {
    let Some(gpu) = Gpu::open("several_threads_share_one_queue") else { return };
    let queue = gpu.device.create_queue(small(64)).expect("a small queue");
    let dispatch = gpu.device.empty_kernel().expect("a kernel");
    const THREADS: usize = 4;
    const PACKETS: usize = 2_000;
    let meeting = Meeting::new(THREADS);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mine = signal(&gpu.device, SignalMemory::Host);
                meeting.wait();
                for index in 0..PACKETS {
                    if index % 16 == 15 {
                        publish(&queue, &kernel(dispatch, Barrier::Clear, mine));
                        assert_eq!(done(&gpu.device, mine), SignalValue::DONE);
                        gpu.device.arm(mine, SignalValue::ARMED);
                    } else {
                        publish(&queue, &kernel(dispatch, Barrier::Set, SignalHandle::NULL));
                    }
                }
                gpu.device.destroy(mine);
            });
        }
    });
    let total = (THREADS * PACKETS) as u64;
    assert_eq!(queue.settled(), Settled::Below(PacketId::new(total)));
}

/// 4 producers on 4 queues, each with its own tracker; `RINGFENCE_STRESS_SECONDS` says for how long.
#[test]
fn four_producers_on_four_queues() {
    let Some(gpu) = Gpu::open("four_producers_on_four_queues") else { return };
    let seconds = std::env::var("RINGFENCE_STRESS_SECONDS").ok().and_then(|text| text.parse().ok());
    let time = Duration::from_secs(seconds.unwrap_or(2));
    let dispatch = gpu.device.empty_kernel().expect("a kernel");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let queue = gpu.device.create_queue(small(256)).expect("a queue");
                let policy =
                    Policy { audit: Audit::On, ring: RingLimits::default(), ..Policy::default() };
                let queue = HardwareQueue::new(queue);
                let mut stream =
                    Tracker::open(gpu.device.clone(), queue, policy).expect("a tracker");
                let (begun, mut rounds) = (Instant::now(), 0_u64);
                while begun.elapsed() < time {
                    for index in 0..200 {
                        let mut work = Submission::kernel(dispatch);
                        if index % 3 == 0 {
                            work = work.barrier(Barrier::Clear);
                        }
                        stream.submit(work).expect("room");
                    }
                    let _synced = stream.synchronize().expect("it finishes");
                    rounds += 1;
                }
                let counts = stream.counts();
                assert_eq!(counts.packets, counts.uses);
                println!("{rounds} rounds, {} uses, {} created", counts.uses, counts.created);
                stream.close().expect("closed");
            });
        }
    });
}

#[test]
fn every_kind_of_packet_completes() {
    let Some(gpu) = Gpu::open("every_kind_of_packet_completes") else { return };
    let (dependency, other) = (gpu.signal(SignalMemory::Host), gpu.signal(SignalMemory::Host));
    let end = gpu.signal(SignalMemory::Host);
    let (both, _) = Deps::take(&[dependency, other]);
    let mut bodies = vec![Body::Or(both)];
    if gpu.device.capabilities().features.contains(Features::BARRIER_VALUE) {
        bodies.push(Body::Value(ValueWait { signal: dependency, below: SignalValue::new(3) }));
    } else {
        support::skipped(format_args!("for barrier-value: not on {}", gpu.device.facts().name()));
    }
    for body in bodies {
        gpu.device.arm(dependency, SignalValue::new(3));
        gpu.device.arm(end, SignalValue::ARMED);
        gpu.submit(&Packet { body, ..barrier(Deps::NONE, end) });
        let limit = Duration::from_millis(5);
        let early = gpu.device.wait(end, SignalValue::ARMED, WaitHint::Active, limit);
        assert_eq!(early, WaitOutcome::TimedOut, "{body:?}");
        gpu.device.force(dependency);
        assert_eq!(done(&gpu.device, end), SignalValue::DONE, "{body:?}");
    }
    for signal in [dependency, other, end] {
        gpu.device.destroy(signal);
    }
}

/// Ticks of the system's clock that two conversions of one tick may differ by.
const FIT: u64 = 1_000;

#[test]
fn the_barrier_bit_orders_and_its_absence_does_not_hang() {
    let Some(gpu) = Gpu::open("the_barrier_bit_orders") else { return };
    let dispatch = gpu.device.empty_kernel().expect("a kernel");
    let signals: Vec<_> = (0..32).map(|_| gpu.signal(SignalMemory::Host)).collect();
    for signal in &signals {
        gpu.submit(&kernel(dispatch, Barrier::Set, *signal));
    }
    let mut last = 0;
    for signal in signals {
        assert_eq!(done(&gpu.device, signal), SignalValue::DONE);
        let raw = gpu.device.timestamps(signal, Engine::Compute);
        let interval = Interval::new(raw, gpu.device.tick_rate()).expect("a time");
        // The runtime fits the agents' clocks to the system's again and again: stamps of two fits differ by a little.
        assert!(interval.start() + FIT >= last, "began at {} before {last}", interval.start());
        last = interval.end();
        gpu.device.destroy(signal);
    }
}

#[test]
fn priorities_and_queues_without_times() {
    let Some(gpu) = Gpu::open("priorities_and_queues_without_times") else { return };
    for priority in [Priority::Low, Priority::High, Priority::Level(-1)] {
        let options = QueueOptions { priority, stamping: Stamping::Off, ..small(64) };
        let queue = gpu.device.create_queue(options).expect("a queue");
        let end = gpu.signal(SignalMemory::Host);
        publish(&queue, &barrier(Deps::NONE, end));
        assert_eq!(done(&gpu.device, end), SignalValue::DONE, "{priority:?}");
        gpu.device.destroy(end);
    }
    assert_eq!(RingSize::at_least(65).packets(), 128);
    println!("lag {:?}", setting("COMPLETION_LAG_NS"));
}

#[test]
fn the_read_index_never_goes_back() {
    let Some(gpu) = Gpu::open("the_read_index_never_goes_back") else { return };
    let end = gpu.signal(SignalMemory::Host);
    let mut last = gpu.queue.read_index();
    for _ in 0..500 {
        gpu.device.arm(end, SignalValue::ARMED);
        gpu.submit(&barrier(Deps::NONE, end));
        let now = gpu.queue.read_index();
        assert!(now >= last);
        last = now;
        assert_eq!(done(&gpu.device, end), SignalValue::DONE);
    }
    gpu.device.destroy(end);
}
