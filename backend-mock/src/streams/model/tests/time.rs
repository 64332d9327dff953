//! M1: hardware queues, order and time.

use super::*;

#[test]
fn a_stream_runs_its_work_in_order() {
    let mut bench = Bench::new(P::Hip57);
    let stream = bench.stream();
    let (one, two) = (bench.run(stream, 5), bench.run(stream, 5));
    let mark = |op| [DeviceMove::Started(op), DeviceMove::Finished(op)];
    bench.tick(5);
    let first = bench.model.take_moves();
    assert_eq!(first, [mark(one).as_slice(), &[DeviceMove::Started(two)]].concat());
    bench.tick(4);
    assert_eq!(bench.query(stream), StreamState::Pending);
    bench.tick(1);
    assert_eq!(bench.query(stream), StreamState::Idle);
}

/// Tried: five kernels of 20 ms on five streams take 40 ms, sixteen take 80.
#[test]
fn m1_streams_of_one_class_share_its_hardware_queues() {
    for (streams, ticks) in [(1, 20), (4, 20), (5, 40), (8, 40), (16, 80)] {
        for profile in [P::Hip52, P::Hip57, P::Clr2024, P::ClrNew] {
            let mut bench = Bench::new(profile);
            for _ in 0..streams {
                let stream = bench.stream();
                bench.run(stream, 20);
            }
            bench.model.run_until_idle();
            assert_eq!(bench.model.now().count(), ticks, "{profile}, {streams} streams");
        }
    }
}

#[test]
fn m1_each_priority_class_has_its_own_queues_and_numbers_are_clamped() {
    let level = |level| key().with_priority(Priority::Level(level));
    for (profile, same, apart) in [
        (P::Hip57, [(-100, -1), (1, 100)], [(0, -1), (0, 1)]),
        (P::Cuda, [(0, 1), (-5, -9)], [(0, -1), (-1, -2)]),
    ] {
        let one_queue = |pair: (i32, i32)| {
            let mut bench = Bench::new(profile);
            bench.model.set_queues(NonZeroU32::MIN);
            for number in [pair.0, pair.1] {
                let stream = bench.create(level(number));
                bench.run(stream, 10);
            }
            bench.model.run_until_idle();
            bench.model.now().count() == 20
        };
        assert!(same.into_iter().all(one_queue), "{profile}");
        assert!(!apart.into_iter().any(one_queue), "{profile}");
    }
}

#[test]
fn work_waits_for_other_streams_and_an_endless_piece_holds_its_queue() {
    let mut bench = Bench::new(P::Hip57);
    let (spinning, waiting) = (bench.stream(), bench.stream());
    bench.endless(spinning);
    let event = bench.recorded(spinning);
    bench.wait(waiting, event).expect("nothing refuses it");
    bench.run(waiting, 5);
    bench.tick(1_000);
    assert_eq!(bench.query(waiting), StreamState::Pending);
    bench.model.end_endless(spinning);
    bench.tick(5);
    assert_eq!(bench.query(waiting), StreamState::Idle);
    assert_eq!(bench.model.now().count(), 1_005);
}

#[test]
fn the_same_calls_bring_the_same_moves() {
    let run = || {
        let mut bench = Bench::new(P::ClrNew);
        let streams: Vec<_> = (0..6).map(|_| bench.stream()).collect();
        for (index, &stream) in streams.iter().enumerate() {
            bench.run(stream, 7 * index as u64 % 5);
            let event = bench.recorded(stream);
            bench.wait(streams[(index * 5 + 1) % 6], event).expect("nothing refuses it");
        }
        bench.model.run_until_idle();
        (bench.model.take_moves(), bench.model.now())
    };
    assert_eq!(run(), run());
}
