//! A ring that is full.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use ringfence_softgpu_programs::hsa::{Order, Packet, Queue, Runtime, Signal, World};

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
        let mut before = usize::MAX;
        while before != submitted.load(Ordering::Acquire) {
            before = submitted.load(Ordering::Acquire);
            thread::sleep(Duration::from_millis(20));
        }
        println!("{before} packets behind a held one, read index {}", queue.read_index());
        assert!(before < 66, "the ring has 64 places");
        assert!(before >= 63, "the ring has 64 places");
        assert!(done.iter().all(|signal| signal.value() == 1), "one passed the held packet");
        gate.store(0);
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
