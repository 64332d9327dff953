//! M4, M15: how captures begin and end.

use super::*;

#[test]
fn a_capture_records_and_nothing_runs() {
    for &profile in P::ALL {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        bench.begin(stream, CaptureMode::Global);
        assert_eq!(bench.try_run(stream, 5).map(|done| done.place), Ok(Place::Graph));
        bench.tick(10);
        assert!(bench.model.take_moves().is_empty(), "{profile}");
        let again = bench.model.begin_capture(CAPTURER, stream, CaptureMode::Relaxed);
        assert_eq!(again, Err(code::ILLEGAL_STATE));
        assert_eq!(bench.end(stream), Ok(1));
        assert_eq!(bench.status(stream), CaptureStatus::None);
        assert_eq!(bench.query(stream), StreamState::Idle);
    }
}

#[test]
fn only_its_own_thread_ends_a_capture_that_is_not_relaxed() {
    for &profile in P::ALL {
        for (mode, other) in [
            (CaptureMode::Global, Err(code::WRONG_THREAD)),
            (CaptureMode::ThreadLocal, Err(code::WRONG_THREAD)),
            (CaptureMode::Relaxed, Ok(1)),
        ] {
            let mut bench = Bench::new(profile);
            let stream = bench.stream();
            bench.begin(stream, mode);
            bench.run(stream, 1);
            assert_eq!(bench.end_by(OTHER, stream), other, "{profile} {mode:?}");
            let over = other.is_ok() || profile == P::Cuda;
            let left = if over { CaptureStatus::None } else { CaptureStatus::Active };
            assert_eq!(bench.status(stream), left, "{profile} {mode:?}");
            let malloc = bench.call(|model| model.malloc(CAPTURER, Bytes::new(1), DEVICE));
            assert_eq!(malloc.answer.is_ok(), over, "{profile} {mode:?}: it is off the lists");
        }
    }
}

#[test]
fn m15_the_end_of_nothing() {
    for (profile, error) in [
        (P::Hip52, code::UNMATCHED),
        (P::Hip57, code::ILLEGAL_STATE),
        (P::Clr2024, code::ILLEGAL_STATE),
        (P::ClrNew, code::ILLEGAL_STATE),
        (P::Cuda, code::ILLEGAL_STATE),
    ] {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        assert_eq!(bench.end(stream), Err(error), "{profile}");
        assert_eq!(
            bench.model.begin_capture(CAPTURER, RawStream::new(0), CaptureMode::Global),
            Err(code::UNSUPPORTED)
        );
    }
}

#[test]
fn m15_a_stream_that_only_joined_ends_nothing() {
    for &profile in P::ALL {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        bench.begin(stream, CaptureMode::Global);
        let fork = bench.fork(stream);
        assert_eq!(bench.end(fork), Err(code::UNMATCHED), "{profile}");
        assert_eq!(bench.status(stream), CaptureStatus::Active);
    }
}

#[test]
fn m15_after_an_unjoined_end() {
    for (profile, stays, second) in [
        (P::Hip52, true, [Err(code::WRONG_THREAD), Err(code::UNJOINED)]),
        (P::Hip57, true, [Err(code::WRONG_THREAD), Err(code::UNJOINED)]),
        (P::Clr2024, true, [Err(code::WRONG_THREAD), Err(code::UNJOINED)]),
        (P::ClrNew, true, [Err(code::WRONG_THREAD), Err(code::UNJOINED)]),
        (P::Cuda, false, [Err(code::ILLEGAL_STATE), Err(code::ILLEGAL_STATE)]),
    ] {
        for (mode, second) in [CaptureMode::Global, CaptureMode::Relaxed].into_iter().zip(second) {
            let mut bench = Bench::new(profile);
            let stream = bench.stream();
            bench.begin(stream, mode);
            bench.run(stream, 1);
            let fork = bench.fork(stream);
            bench.run(fork, 1);
            bench.run(stream, 1);
            assert_eq!(bench.end(stream), Err(code::UNJOINED), "{profile}");
            let status = if stays { CaptureStatus::Active } else { CaptureStatus::None };
            assert_eq!([bench.status(stream), bench.status(fork)], [status; 2], "{profile}");
            let malloc = bench.call(|model| model.malloc(CAPTURER, Bytes::new(1), DEVICE));
            assert!(malloc.answer.is_ok(), "{profile}: it is off the lists");
            assert_eq!(bench.end(stream), second, "{profile} {mode:?}");
            let crashes = stays && mode == CaptureMode::Relaxed && profile != P::Hip52;
            assert_eq!(bench.crashed(), crashes, "{profile} {mode:?}");
            if stays {
                let again = bench.model.begin_capture(CAPTURER, stream, mode);
                assert_eq!(again, Err(code::ILLEGAL_STATE));
                let recorded = bench.try_run(stream, 1).map(|done| done.place);
                assert_eq!(recorded, Ok(Place::Graph), "{profile}");
            }
            assert_eq!(bench.call(|model| model.destroy(CAPTURER, stream)), Ok(()));
        }
    }
}

/// HIP 5.2 counts loose ends of the graph: wrong in both directions.
#[test]
fn m15_what_counts_as_unjoined() {
    let shapes: [(&str, [bool; 2]); 4] = [
        ("fork works, origin does not: not joined", [false, true]),
        ("fork is empty: not joined", [false, false]),
        ("both work, joined, nothing after", [true, false]),
        ("both work, joined, work after", [false, false]),
    ];
    for (shape, unjoined) in shapes {
        for (profile, unjoined) in [P::Hip52, P::Hip57].into_iter().zip(unjoined) {
            let mut bench = Bench::new(profile);
            let stream = bench.stream();
            bench.begin(stream, CaptureMode::Global);
            bench.run(stream, 1);
            let fork = bench.fork(stream);
            if !shape.contains("empty") {
                bench.run(fork, 1);
            }
            if shape.contains("both") {
                bench.run(stream, 1);
                bench.join(stream, fork);
            }
            if shape.contains("after") && !shape.contains("nothing") {
                bench.run(stream, 1);
            }
            let end = bench.end(stream);
            assert_eq!(end == Err(code::UNJOINED), unjoined, "{profile}, {shape}: {end:?}");
        }
    }
}

#[test]
fn m15_a_joined_stream_after_a_good_end() {
    for &profile in P::ALL {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        bench.begin(stream, CaptureMode::Relaxed);
        bench.run(stream, 1);
        let fork = bench.fork(stream);
        bench.run(fork, 1);
        bench.join(stream, fork);
        bench.run(stream, 1);
        let (graph, nodes) =
            bench.call(|model| model.end_capture(CAPTURER, stream)).expect("joined");
        assert_eq!((nodes.len(), bench.status(stream)), (3, CaptureStatus::None));
        if profile != P::Hip52 {
            assert_eq!(bench.status(fork), CaptureStatus::None, "{profile}");
            assert_eq!(bench.try_run(fork, 1).map(|done| done.place), Ok(Place::Device));
            continue;
        }
        assert_eq!(bench.status(fork), CaptureStatus::Active);
        assert_eq!(bench.query(fork), StreamState::Idle, "it lies");
        assert_eq!(bench.try_run(fork, 1).map(|done| done.place), Ok(Place::Graph));
        assert_eq!(bench.model.nodes(graph).len(), 4, "the finished graph swallows it");
        assert_eq!(bench.end(fork), Err(code::UNMATCHED));
        let begin = bench.model.begin_capture(CAPTURER, fork, CaptureMode::Relaxed);
        assert_eq!(begin, Err(code::ILLEGAL_STATE));
        bench.call(|model| model.destroy_graph(CAPTURER, graph)).expect("it exists");
        assert!(bench.try_run(fork, 1).is_err() && bench.crashed());
        assert_eq!(bench.call(|model| model.destroy(CAPTURER, fork)), Ok(()));
    }
}

#[test]
fn m15_after_the_end_of_an_invalidated_capture() {
    for (profile, sticks) in [(P::Clr2024, true), (P::ClrNew, false), (P::Cuda, false)] {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        bench.begin(stream, CaptureMode::Global);
        assert_eq!(bench.query(stream), StreamState::Unknown);
        assert_eq!(bench.try_run(stream, 1), Err(code::INVALIDATED));
        assert_eq!(bench.end(stream), Err(code::INVALIDATED));
        let (status, state) = match sticks {
            true => (CaptureStatus::Invalidated, StreamState::Unknown),
            false => (CaptureStatus::None, StreamState::Idle),
        };
        assert_eq!((bench.status(stream), bench.query(stream)), (status, state), "{profile}");
        let destroyed = bench.call(|model| model.destroy(CAPTURER, stream));
        assert_eq!(destroyed, Ok(()));
    }
}

#[test]
fn m9_destroying_a_capturing_stream_ends_its_capture() {
    for (profile, by, poisoned) in [
        (P::Hip52, CAPTURER, false),
        (P::Hip52, OTHER, true),
        (P::Hip57, OTHER, true),
        (P::Cuda, OTHER, false),
    ] {
        let mut bench = Bench::new(profile);
        let (stream, other) = (bench.stream(), bench.stream());
        bench.begin(stream, CaptureMode::Global);
        assert_eq!(bench.call(|model| model.destroy(by, stream)), Ok(()));
        let malloc = |bench: &mut Bench, by| {
            bench.call(|model| model.malloc(by, Bytes::new(1), DEVICE)).answer.is_err()
        };
        assert_eq!(malloc(&mut bench, CAPTURER), poisoned, "{profile}");
        assert!(!malloc(&mut bench, OTHER), "{profile}");
        let asked = bench.call(|model| model.query(CAPTURER, other)).answer;
        assert_eq!(asked == StreamState::Unknown, poisoned && profile == P::Hip57, "{profile}");
        bench.model.exchange_mode(CAPTURER, CaptureMode::Relaxed);
        assert!(!malloc(&mut bench, CAPTURER), "relaxed mode escapes");
    }
}

#[test]
fn m9_a_capture_goes_on_without_a_stream_that_joined() {
    for &profile in P::ALL {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        bench.begin(stream, CaptureMode::Global);
        bench.run(stream, 1);
        let fork = bench.fork(stream);
        bench.call(|model| model.destroy(CAPTURER, fork)).expect("it exists");
        bench.run(stream, 1);
        assert_eq!((bench.status(stream), bench.end(stream)), (CaptureStatus::Active, Ok(2)));
    }
}
