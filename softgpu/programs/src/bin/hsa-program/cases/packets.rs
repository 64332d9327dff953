//! What each barrier packet waits for.

use std::{thread, time::Duration};

use ringfence_softgpu_programs::hsa::{
    Order, Packet, Queue, Runtime, Signal, World, sys::hsa_signal_condition_t as condition,
};

/// Long enough for a GPU to do what it must not.
pub(crate) const WHILE: Duration = Duration::from_millis(20);

/// An AND waits for all of its dependencies, and what has the barrier bit behind it waits too.
pub(crate) fn and() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 64);
    let (dependencies, done) = (Signal::armed(&runtime, 5), Signal::armed(&runtime, 3));
    let handles: Vec<_> = dependencies.iter().map(Signal::handle).collect();
    queue.submit(&Packet::and(&handles).completes(done[0].handle()).order(Order::AfterAll));
    queue.submit(&Packet::and(&[]).completes(done[1].handle()).order(Order::AfterAll));
    queue.submit(&world.gpu().kernel().completes(done[2].handle()).order(Order::AfterAll));
    for dependency in &dependencies {
        thread::sleep(WHILE / 4);
        let values: Vec<i64> = done.iter().map(Signal::value).collect();
        assert_eq!(values, [1, 1, 1], "a dependency is still armed");
        dependency.store(0);
    }
    for signal in &done {
        signal.finished();
    }

    let none = Signal::new(&runtime, 1);
    queue.submit(&Packet::and(&[]).completes(none.handle()));
    none.finished();
}

/// An OR waits for any of its dependencies; without one it waits for nothing.
pub(crate) fn or() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 64);
    for which in 0..5 {
        let (dependencies, done) = (Signal::armed(&runtime, 5), Signal::new(&runtime, 1));
        let handles: Vec<_> = dependencies.iter().map(Signal::handle).collect();
        queue.submit(&Packet::or(&handles).completes(done.handle()));
        thread::sleep(WHILE / 4);
        assert_eq!(done.value(), 1, "every dependency is still armed");
        dependencies[which].store(0);
        done.finished();
    }
    let none = Signal::new(&runtime, 1);
    queue.submit(&Packet::or(&[]).completes(none.handle()));
    none.finished();
}

/// A barrier-value packet compares the masked value, signed, by each of the four conditions.
pub(crate) fn value() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 64);
    let cases = [
        (condition::HSA_SIGNAL_CONDITION_GTE, 0xff, 5, 0x304, 0x105),
        (condition::HSA_SIGNAL_CONDITION_EQ, 0xf0, 0x20, 0x25f, 0x12f),
        (condition::HSA_SIGNAL_CONDITION_NE, !0, 9, 9, 8),
        (condition::HSA_SIGNAL_CONDITION_LT, !0, 1, 1, -1),
        (condition::HSA_SIGNAL_CONDITION_GTE, !0, 0, -1, 0),
    ];
    for (compares, mask, value, before, after) in cases {
        let (watched, done) = (Signal::new(&runtime, before), Signal::new(&runtime, 1));
        let packet = Packet::value(watched.handle(), mask, compares, value);
        queue.submit(&packet.completes(done.handle()));
        thread::sleep(WHILE / 4);
        assert_eq!(done.value(), 1, "{compares:?} {value} of {before:#x} & {mask:#x}");
        watched.store(after);
        done.finished();
    }
}

/// A chain over four queues, submitted from its end, 200 times.
pub(crate) fn chain() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queues: Vec<Queue> = (0..4).map(|_| Queue::new(&world.gpu().agent, 64)).collect();
    let signals = Signal::armed(&runtime, 5);
    for round in 0..200 {
        for signal in &signals {
            signal.store(1);
        }
        for (index, queue) in queues.iter().enumerate().rev() {
            let packet = Packet::and(&[signals[index].handle()]);
            queue.submit(&packet.completes(signals[index + 1].handle()));
        }
        if round % 50 == 0 {
            thread::sleep(WHILE / 4);
        }
        for signal in &signals[1..] {
            assert_eq!(signal.value(), 1, "round {round}: the chain has not begun");
        }
        signals[0].store(0);
        signals[4].finished();
        for signal in &signals[1..4] {
            assert_eq!(signal.value(), 0, "round {round}: the chain passed here");
        }
    }
}
