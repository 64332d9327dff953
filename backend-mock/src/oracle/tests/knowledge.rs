//! Everything that may legitimately be known: none of these breaks a rule.

use super::*;

#[test]
fn a_handler_that_was_called_saw_the_value() {
    let bench = Bench::new();
    let signal = bench.signal(SignalMemory::Interrupt);
    let of = bench.plain(&bench.q0, signal);
    bench.device.watch(signal, HandlerToken::new(1)).expect("it wakes");
    bench.finish(of);
    assert_eq!(bench.system.deliver(|_| {}), 1);
    bench.arm(signal);
    bench.broke_nothing();
}

#[test]
fn a_later_packet_proves_a_barrier_packet_and_what_it_waited_for() {
    let bench = Bench::new();
    let (copied, held, later) = (bench.host(), bench.host(), bench.host());
    let copy = bench.copy(1, copied, &[]);
    let waits = bench.and(&bench.q0, &[copied], held);
    let plain = bench.plain(&bench.q0, later);
    bench.complete(plain);
    bench.device.load(later);
    assert_eq!(bench.device.load(held), SignalValue::DONE, "{copy} {waits}");
    bench.arm(held);
    bench.arm(copied);
    bench.broke_nothing();
}

#[test]
fn barrier_order_proves_that_barrier_packet_alone() {
    let bench = Bench::new();
    let (before, held, later) = (bench.host(), bench.host(), bench.host());
    let first = bench.plain(&bench.q0, before);
    bench.and(&bench.q0, &[], held);
    let plain = bench.plain(&bench.q0, later);
    bench.complete(plain);
    bench.device.load(later);
    bench.arm(held);
    bench.broke_nothing();
    bench.finish(first);
    bench.arm(before);
    bench.broke(Rule::S2);
}

#[test]
fn an_or_with_one_dependency_proves_it_and_with_two_proves_neither() {
    for others in [0, 1] {
        let bench = Bench::new();
        let (a, b, done) = (bench.host(), bench.host(), bench.host());
        bench.plain(&bench.q1, a);
        bench.plain(&bench.q1, b);
        let waits = [a, b];
        let body = Body::Or(Deps::take(&waits[..=others]).0);
        let or = bench.publish(&bench.q0, Packet { body, completes: done, ..Packet::nothing() });
        bench.complete(or);
        bench.device.load(done);
        bench.arm(a);
        if others == 0 { bench.broke_nothing() } else { bench.broke(Rule::S1) }
    }
}

#[test]
fn a_value_packet_for_below_1_proves_its_use_and_for_below_2_does_not() {
    for below in [1, 2] {
        let bench = Bench::new();
        let (a, done) = (bench.host(), bench.host());
        bench.plain(&bench.q1, a);
        let body = Body::Value(ValueWait { signal: a, below: SignalValue::new(below) });
        let waits = bench.publish(&bench.q0, Packet { body, completes: done, ..Packet::nothing() });
        bench.complete(waits);
        bench.device.load(done);
        bench.arm(a);
        if below == 1 { bench.broke_nothing() } else { bench.broke(Rule::S1) }
    }
}

#[test]
fn a_copy_that_waited_for_a_use_proves_it() {
    let bench = Bench::new();
    let (a, copied) = (bench.host(), bench.host());
    bench.plain(&bench.q0, a);
    let copy = bench.copy(1, copied, &[a]);
    bench.complete(copy);
    bench.device.load(copied);
    bench.arm(a);
    bench.broke_nothing();
}

#[test]
fn a_fence_published_through_one_stream_proves_the_uses_of_another_on_its_queue() {
    let bench = Bench::new();
    let stranger = bench.q0.clone();
    let (a, b) = (bench.host(), bench.host());
    bench.plain(&bench.q0, a);
    stranger.foreign_packet(Barrier::Clear, crate::clock::Ticks::ZERO);
    let fence = bench.fence(&stranger, b);
    bench.complete(fence);
    bench.device.load(b);
    bench.arm(a);
    bench.broke_nothing();
}

#[test]
fn a_known_fence_of_an_old_generation_still_proves_its_own() {
    let bench = Bench::new();
    let (a, b) = (bench.host(), bench.host());
    bench.plain(&bench.q0, a);
    let fence = bench.fence(&bench.q0, b);
    bench.q0.restart();
    bench.complete(fence);
    bench.device.load(b);
    bench.arm(a);
    bench.broke_nothing();
}

#[test]
fn awaited_knowledge_runs_through_several_queues() {
    let bench = Bench::new();
    let (a, b, c) = (bench.host(), bench.host(), bench.host());
    bench.plain(&bench.q0, a);
    bench.fence(&bench.q0, b);
    let waits = bench.and(&bench.q1, &[b], c);
    bench.complete(waits);
    bench.device.load(c);
    bench.arm(a);
    bench.arm(b);
    bench.broke_nothing();
}
