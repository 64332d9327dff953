use super::*;

#[test]
fn completing_a_fence_completes_what_is_before_it_and_nothing_else() {
    let mut bench = Bench::new();
    let plain = kernel(Barrier::Clear, SignalHandle::NULL);
    let before = bench.publish(bench.q0, plain);
    let fence = bench.publish(bench.q0, kernel(Barrier::Set, SignalHandle::NULL));
    let after = bench.publish(bench.q0, plain);
    let other = bench.publish(bench.q1, plain);
    assert_eq!(bench.model.complete(fence, &mut |_| 0), Completion::Done);
    assert!(bench.is_complete(before) && bench.is_complete(fence));
    assert!(!bench.is_complete(after) && !bench.is_complete(other));
}

#[test]
fn completing_a_plain_packet_leaves_earlier_plain_ones_alone() {
    let mut bench = Bench::new();
    let plain = kernel(Barrier::Clear, SignalHandle::NULL);
    let first = bench.publish(bench.q0, plain);
    let second = bench.publish(bench.q0, plain);
    assert_eq!(bench.model.complete(second, &mut |_| 0), Completion::Done);
    assert_eq!(bench.model.state(first), PacketState::Active);
}

#[test]
fn completing_behind_a_barrier_packet_completes_that_and_its_dependencies() {
    let mut bench = Bench::new();
    let (copy, copied) = bench.copy(2, &[]);
    let waits = bench.publish(bench.q0, and(&[copied], SignalHandle::NULL));
    let later = bench.publish(bench.q0, kernel(Barrier::Clear, SignalHandle::NULL));
    assert_eq!(bench.model.complete(later, &mut |_| 0), Completion::Done);
    assert!(bench.is_complete(copy) && bench.is_complete(waits));
}

#[test]
fn an_or_completes_one_dependency_of_choice() {
    for chosen in 0..2 {
        let mut bench = Bench::new();
        let (a, b) = (bench.cell(), bench.cell());
        let uses = [
            bench.publish(bench.q1, kernel(Barrier::Clear, a)),
            bench.publish(bench.q1, kernel(Barrier::Clear, b)),
        ];
        let waits = bench.publish(bench.q0, or(&[a, b], SignalHandle::NULL));
        let mut asked = 0;
        let done = bench.model.complete(waits, &mut |n| {
            asked = n;
            chosen
        });
        assert_eq!((done, asked), (Completion::Done, 2));
        assert_eq!([0, 1].map(|at| bench.is_complete(uses[at])), [chosen == 0, chosen == 1]);
    }
}

#[test]
fn a_deadlock_is_impossible_and_changes_nothing() {
    let mut bench = Bench::new();
    let (a, b) = (bench.cell(), bench.cell());
    let first = bench.publish(bench.q0, and(&[b], a));
    let second = bench.publish(bench.q1, and(&[a], b));
    let before = bench.model.clone();
    for of in [first, second] {
        assert_eq!(bench.model.complete(of, &mut |_| 0), Completion::Impossible);
    }
    assert_eq!(before, bench.model);
}

#[test]
fn a_value_packet_completes_only_as_many_parts_as_it_needs() {
    let mut bench = Bench::new();
    let (copy, copied) = bench.copy(2, &[]);
    let waits = bench.publish(bench.q0, value_wait(copied, 3, SignalHandle::NULL));
    assert_eq!(bench.model.complete(waits, &mut |_| 0), Completion::Done);
    assert_eq!(bench.model.outstanding(copy), 2);
}

/// Every single move that a random walk makes was listed, and everything published completes.
#[test]
fn a_random_walk_completes_all_that_can_be() {
    for seed in 1..=20u64 {
        let mut state = seed;
        let mut draw = move |n: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let mut bench = Bench::new();
        let mut uses: Vec<(UseId, SignalHandle)> = Vec::new();
        for _ in 0..40 {
            let signal = bench.cell();
            let lane = [bench.q0, bench.q1][draw(2)];
            let of = match draw(4) {
                0 if !uses.is_empty() => {
                    bench.publish(lane, and(&[uses[draw(uses.len())].1], signal))
                }
                1 => {
                    uses.push(bench.copy(2, &[]));
                    continue;
                }
                2 => bench.publish(lane, kernel(Barrier::Set, signal)),
                _ => bench.publish(lane, kernel(Barrier::Clear, signal)),
            };
            uses.push((of, signal));
        }
        let mut moves = Vec::new();
        loop {
            moves.clear();
            bench.model.enabled(&mut moves);
            if moves.is_empty() {
                break;
            }
            let _ = bench.model.apply(moves[draw(moves.len())]);
        }
        for (of, signal) in uses {
            assert!(bench.is_complete(of), "seed {seed}: {of}");
            assert_eq!(bench.value(signal), 0, "seed {seed}: {of}");
        }
    }
}
