use super::*;

#[test]
fn each_part_decrements_once_and_in_any_order() {
    let mut bench = Bench::new();
    let (of, signal) = bench.copy(3, &[]);
    assert_eq!(bench.model.outstanding(of), 3);
    for (part, left) in [(2, 2), (0, 1), (1, 0)] {
        let part = PartIndex::new(part);
        let _ = bench.model.apply(Move::StartPart(of, part));
        let _ = bench.model.apply(Move::FinishPart(of, part));
        assert_eq!(bench.value(signal), left);
        assert_eq!(bench.is_complete(of), left == 0);
    }
    assert_eq!(bench.model.outstanding(of), 0);
}

#[test]
fn tickets_complete_in_no_order() {
    let mut bench = Bench::new();
    let (first, a) = bench.copy(1, &[]);
    let (second, b) = bench.copy(1, &[]);
    let part = PartIndex::new(0);
    let _ = bench.model.apply(Move::StartPart(second, part));
    let _ = bench.model.apply(Move::FinishPart(second, part));
    assert_eq!((bench.value(a), bench.value(b)), (1, 0));
    assert!(!bench.is_complete(first) && bench.is_complete(second));
}

#[test]
fn a_part_starts_when_what_it_waits_for_is_0_and_then_no_longer_looks() {
    let mut bench = Bench::new();
    let dep = bench.cell();
    let (of, signal) = bench.copy(1, &[dep]);
    let (start, finish) =
        (Move::StartPart(of, PartIndex::new(0)), Move::FinishPart(of, PartIndex::new(0)));
    assert_eq!(
        bench.model.check(start),
        Err(Blocked::WaitsFor { signal: dep, value: SignalValue::ARMED })
    );
    bench.model.store(dep, SignalValue::DONE);
    let _ = bench.model.apply(start);
    bench.model.store(dep, SignalValue::ARMED);
    let _ = bench.model.apply(finish);
    assert_eq!(bench.value(signal), 0);
}

#[test]
fn no_fence_of_a_compute_queue_waits_for_a_copy() {
    let mut bench = Bench::new();
    let (copy, signal) = bench.copy(1, &[]);
    let fence = bench.publish(bench.q0, kernel(Barrier::Set, SignalHandle::NULL));
    bench.run(fence);
    assert!(!bench.is_complete(copy));
    assert_eq!(bench.value(signal), 1);
}

#[test]
fn a_ticket_given_up_is_complete_with_nothing_outstanding() {
    let mut bench = Bench::new();
    let of = UseId::new(bench.copies, bench.model.reserve(bench.copies, 1));
    assert_eq!(bench.model.state(of), PacketState::Reserved);
    bench.model.refuse(of);
    assert_eq!((bench.model.state(of), bench.model.outstanding(of)), (PacketState::Complete, 0));
}

#[test]
fn a_decrement_too_many_is_seen_by_the_next_use() {
    let mut bench = Bench::new();
    let (of, signal) = bench.copy(2, &[]);
    bench.model.force(signal);
    assert_eq!(bench.value(signal), 0);
    assert_eq!(bench.model.complete(of, &mut |_| 0), Completion::Done);
    assert_eq!(bench.value(signal), -2);
}
