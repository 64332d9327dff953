//! The kernel's events, which wake who waits: lost, or used up.

use std::{
    thread,
    time::{Duration, Instant},
};

use ringfence_softgpu_programs::hsa::{Condition, Packet, Patience, Queue, Runtime, Signal, World};

/// `LOSE_INTERRUPT`: a wait whose event never comes ends at its time-out, and has seen the value then.
pub(crate) fn lost_interrupt() {
    const LIMIT: Duration = Duration::from_millis(150);
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 64);
    let mut late = 0;
    for round in 0..12 {
        let (gate, done) = (Signal::new(&runtime, 1), Signal::new(&runtime, 1));
        queue.submit(&Packet::and(&[gate.handle()]).completes(done.handle()));
        let begun = Instant::now();
        let seen = thread::scope(|scope| {
            scope.spawn(|| {
                // Past the spin with which a blocked wait begins.
                thread::sleep(Duration::from_millis(5));
                gate.store(0);
            });
            done.wait(Condition::Below(1), LIMIT, Patience::Blocked)
        });
        assert_eq!(seen, 0, "round {round}: the value after the time-out");
        late += usize::from(begun.elapsed() >= LIMIT - LIMIT / 10);
    }
    println!("{late} of 12 waits ended at their time-out");
    assert!((1..12).contains(&late), "{late} waits of 12 were not woken");
}

/// `EVENTS`: signals beyond the events there are work without one.
pub(crate) fn exhausted() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 256);
    let signals = Signal::armed(&runtime, 200);
    for signal in &signals {
        queue.submit(&world.gpu().kernel().completes(signal.handle()));
    }
    signals.iter().for_each(Signal::finished);
    for signal in signals.iter().rev().take(20) {
        signal.store(1);
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(2));
                queue.submit(&Packet::and(&[]).completes(signal.handle()));
            });
            signal.finished();
        });
    }
}
