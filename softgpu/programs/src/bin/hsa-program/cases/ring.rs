//! A ring that is full.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use ringfence_softgpu_programs::hsa::{Order, Packet, Queue, Runtime, Signal, World};

use super::signals::until;

const PACKETS: usize = 1_000;

/// While the first packet is held a producer fills the ring and stops; when it is let go all complete.
pub(crate) fn full() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 64);
    let (gate, done) = (Signal::new(&runtime, 1), Signal::armed(&runtime, PACKETS));
    let submitted = AtomicUsize::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            queue.submit(&Packet::and(&[gate.handle()]));
            for signal in &done {
                queue.submit(&Packet::and(&[]).completes(signal.handle()).order(Order::AfterAll));
                submitted.fetch_add(1, Ordering::AcqRel);
            }
        });
        until("a full ring", || submitted.load(Ordering::Acquire) >= 63);
        thread::sleep(Duration::from_millis(20));
        let behind = submitted.load(Ordering::Acquire);
        let passed = done.iter().filter(|signal| signal.value() != 1).count();
        println!("{behind} packets behind a held one, read index {}", queue.read_index());
        // Before anything can fail: the producer is waited for.
        gate.store(0);
        assert!(behind <= 65, "the ring has 64 places, and took {behind}");
        assert_eq!(passed, 0, "packets that passed the held one");
    });
    for signal in &done {
        signal.finished();
    }
}

/// Four producers on one ring of 64: each packet completes once.
pub(crate) fn producers() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 64);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let done = Signal::armed(&runtime, PACKETS);
                for signal in &done {
                    queue.submit(&Packet::and(&[]).completes(signal.handle()));
                }
                done.iter().for_each(Signal::finished);
            });
        }
    });
    let write = queue.write_index();
    assert_eq!(write, 4 * PACKETS as u64);
    assert!(queue.read_index() <= write);
}
