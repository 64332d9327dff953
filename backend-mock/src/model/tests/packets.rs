use super::*;

#[test]
fn kernels_without_the_barrier_bit_complete_in_any_order() {
    let mut bench = Bench::new();
    let (a, b) = (bench.cell(), bench.cell());
    let first = bench.publish(bench.q0, kernel(Barrier::Clear, a));
    let second = bench.publish(bench.q0, kernel(Barrier::Clear, b));
    assert_eq!(bench.start(second), Err(Blocked::EarlierNotStarted));
    bench.start(first).unwrap();
    bench.run(second);
    assert_eq!((bench.value(a), bench.value(b)), (1, 0));
    bench.finish(first).unwrap();
    assert_eq!(bench.value(a), 0);
}

#[test]
fn the_barrier_bit_waits_for_every_earlier_packet() {
    let mut bench = Bench::new();
    let (a, b) = (bench.cell(), bench.cell());
    let first = bench.publish(bench.q0, kernel(Barrier::Clear, a));
    let second = bench.publish(bench.q0, kernel(Barrier::Clear, SignalHandle::NULL));
    let fence = bench.publish(bench.q0, kernel(Barrier::Set, b));
    bench.start(first).unwrap();
    bench.run(second);
    assert_eq!(bench.start(fence), Err(Blocked::EarlierIncomplete { oldest: first.packet() }));
    bench.finish(first).unwrap();
    bench.run(fence);
    assert!(bench.is_complete(fence));
}

#[test]
fn the_barrier_bit_says_nothing_of_other_queues() {
    let mut bench = Bench::new();
    let busy = bench.publish(bench.q0, kernel(Barrier::Clear, SignalHandle::NULL));
    let fence = bench.publish(bench.q1, kernel(Barrier::Set, SignalHandle::NULL));
    bench.run(fence);
    assert!(!bench.is_complete(busy));
}

#[test]
fn nothing_starts_behind_a_barrier_packet_though_neither_has_the_barrier_bit() {
    for barrier in [and, or] {
        let mut bench = Bench::new();
        let (dep, done, late) = (bench.cell(), bench.cell(), bench.cell());
        let earlier = bench.publish(bench.q0, kernel(Barrier::Clear, SignalHandle::NULL));
        let holds = bench.publish(bench.q0, barrier(&[dep], done));
        let later = bench.publish(bench.q0, kernel(Barrier::Clear, late));
        bench.start(earlier).unwrap();
        // Without the barrier bit it does not wait for what is before it.
        bench.start(holds).unwrap();
        assert_eq!(bench.start(later), Err(Blocked::HeldBack { by: holds.packet() }));
        assert_eq!(
            bench.finish(holds),
            Err(Blocked::WaitsFor { signal: dep, value: SignalValue::ARMED })
        );
        bench.model.store(dep, SignalValue::DONE);
        bench.finish(holds).unwrap();
        bench.run(later);
        assert!(!bench.is_complete(earlier));
    }
}

#[test]
fn an_and_needs_every_dependency_at_exactly_0() {
    let mut bench = Bench::new();
    let (a, b) = (bench.cell(), bench.cell());
    let of = bench.publish(bench.q0, and(&[a, b], SignalHandle::NULL));
    bench.start(of).unwrap();
    bench.model.store(a, SignalValue::DONE);
    assert!(bench.finish(of).is_err());
    bench.model.store(b, SignalValue::new(-1));
    assert_eq!(bench.finish(of), Err(Blocked::WaitsFor { signal: b, value: SignalValue::new(-1) }));
    bench.model.store(b, SignalValue::DONE);
    bench.finish(of).unwrap();
}

#[test]
fn a_dependency_armed_again_too_early_holds_an_and_for_ever() {
    let mut bench = Bench::new();
    let dep = bench.cell();
    let producer = bench.publish(bench.q1, kernel(Barrier::Clear, dep));
    let consumer = bench.publish(bench.q0, and(&[dep], SignalHandle::NULL));
    bench.run(producer);
    bench.start(consumer).unwrap();
    bench.model.store(dep, SignalValue::ARMED);
    assert!(bench.finish(consumer).is_err());
    assert_eq!(bench.model.complete(consumer, &mut |_| 0), Completion::Impossible);
}

#[test]
fn an_or_needs_one_dependency_at_0() {
    let mut bench = Bench::new();
    let (a, b) = (bench.cell(), bench.cell());
    let of = bench.publish(bench.q0, or(&[a, b], SignalHandle::NULL));
    bench.start(of).unwrap();
    assert!(bench.finish(of).is_err());
    bench.model.store(b, SignalValue::DONE);
    bench.finish(of).unwrap();
}

#[test]
fn an_or_without_dependencies_waits_for_nothing() {
    let mut bench = Bench::new();
    let of = bench.publish(bench.q0, or(&[], SignalHandle::NULL));
    bench.run(of);
}

#[test]
fn a_value_packet_needs_less_than_its_bound_and_a_negative_value_is_large() {
    let mut bench = Bench::new();
    let signal = bench.cell();
    let of = bench.publish(bench.q0, value_wait(signal, 2, SignalHandle::NULL));
    bench.start(of).unwrap();
    bench.model.store(signal, SignalValue::new(2));
    assert!(bench.finish(of).is_err());
    bench.model.store(signal, SignalValue::new(-1));
    assert!(bench.finish(of).is_err());
    bench.model.store(signal, SignalValue::new(1));
    bench.finish(of).unwrap();
}

#[test]
fn a_value_packet_holds_nothing_back() {
    let mut bench = Bench::new();
    let signal = bench.cell();
    let waits = bench.publish(bench.q0, value_wait(signal, 1, SignalHandle::NULL));
    let later = bench.publish(bench.q0, kernel(Barrier::Clear, SignalHandle::NULL));
    let fence = bench.publish(bench.q0, kernel(Barrier::Set, SignalHandle::NULL));
    bench.start(waits).unwrap();
    bench.run(later);
    assert_eq!(bench.start(fence), Err(Blocked::EarlierIncomplete { oldest: waits.packet() }));
}

#[test]
fn a_completion_decrements_once() {
    let mut bench = Bench::new();
    let signal = bench.cell();
    let of = bench.publish(bench.q0, kernel(Barrier::Clear, signal));
    assert_eq!(bench.model.outstanding(of), 1);
    bench.start(of).unwrap();
    assert_eq!(bench.value(signal), 1);
    let effect = bench.model.apply(Move::Finish(of));
    assert_eq!(effect, Effect::Completed { signal, value: SignalValue::DONE });
    assert_eq!(
        bench.finish(of),
        Err(Blocked::Not { needed: PacketState::Active, state: PacketState::Complete })
    );
    assert_eq!((bench.value(signal), bench.model.outstanding(of)), (0, 0));
}

#[test]
fn packets_become_visible_in_index_order_whatever_the_order_of_writing() {
    let mut bench = Bench::new();
    let first = bench.model.reserve(bench.q0, 2);
    let packet = kernel(Barrier::Clear, SignalHandle::NULL);
    assert_eq!(bench.model.commit(bench.q0, first.next(), &packet), Commit::Written);
    bench.model.ring_doorbell(bench.q0, first.next());
    let second = UseId::new(bench.q0, first.next());
    assert_eq!(bench.model.state(second), PacketState::Committed);
    assert_eq!(bench.model.queue(bench.q0).unwrap().settled(), Settled::Reserving);
    assert_eq!(bench.model.commit(bench.q0, first, &packet), Commit::Written);
    assert_eq!(bench.model.state(second), PacketState::Published);
    let settled = bench.model.queue(bench.q0).unwrap().settled();
    assert_eq!(settled, Settled::Below(PacketId::new(2)));
}

#[test]
fn an_index_is_written_once() {
    let mut bench = Bench::new();
    let packet = kernel(Barrier::Clear, SignalHandle::NULL);
    assert_eq!(bench.model.commit(bench.q0, PacketId::FIRST, &packet), Commit::NotReserved);
    let of = bench.publish(bench.q0, packet);
    assert_eq!(bench.model.commit(bench.q0, of.packet(), &packet), Commit::NotReserved);
    bench.run(of);
    assert_eq!(bench.model.commit(bench.q0, of.packet(), &packet), Commit::NotReserved);
}

#[test]
fn a_packet_is_not_seen_before_its_doorbell() {
    let mut bench = Bench::new();
    let at = bench.model.reserve(bench.q0, 1);
    let written = bench.model.commit(bench.q0, at, &kernel(Barrier::Clear, SignalHandle::NULL));
    assert_eq!(written, Commit::Written);
    let of = UseId::new(bench.q0, at);
    assert_eq!(
        bench.start(of),
        Err(Blocked::Not { needed: PacketState::Published, state: PacketState::Committed })
    );
}

#[test]
fn a_restarted_queue_counts_from_0_and_its_old_packets_go_on() {
    let mut bench = Bench::new();
    let (a, b) = (bench.cell(), bench.cell());
    let old = bench.publish(bench.q0, kernel(Barrier::Clear, a));
    let lane = bench.model.restart(bench.q0);
    assert_eq!(lane, bench.q0.restarted());
    assert_eq!(bench.model.queue(bench.q0).unwrap().life(), QueueLife::Closed);
    let new = bench.publish(lane, kernel(Barrier::Set, b));
    assert_eq!(new.packet(), PacketId::FIRST);
    // The fence of the new generation does not wait for the old one.
    bench.run(new);
    assert_eq!((bench.value(a), bench.value(b)), (1, 0));
    bench.run(old);
    assert_eq!(bench.value(a), 0);
}
