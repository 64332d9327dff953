//! M13, M14, M16: host functions, progress marks, launches on capturing streams, last errors.

use super::*;

#[test]
fn m13_a_host_function_on_a_capturing_stream() {
    for (profile, runs) in
        [(P::Hip52, true), (P::Hip57, false), (P::Clr2024, false), (P::Cuda, false)]
    {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        bench.begin(stream, CaptureMode::Relaxed);
        let _ = bench.call(|model| model.host_function(CAPTURER, stream)).expect("it is accepted");
        let ran = |bench: &Bench| bench.model.host_functions().len();
        assert_eq!(ran(&bench), usize::from(runs), "{profile}");
        let (graph, nodes) =
            bench.call(|model| model.end_capture(CAPTURER, stream)).expect("intact");
        assert_eq!(nodes.len(), usize::from(!runs), "{profile}");
        for launches in 1..=2 {
            let launched = bench.call(|model| model.launch_graph(CAPTURER, graph, stream));
            assert!(launched.is_ok());
            assert_eq!(ran(&bench), if runs { 1 } else { launches }, "{profile}");
        }
    }
}

#[test]
fn m13_later_work_waits_for_a_host_function_and_an_error_drops_it() {
    let mut bench = Bench::new(P::Hip57);
    let stream = bench.stream();
    bench.run(stream, 5);
    let _ = bench.call(|model| model.host_function(CAPTURER, stream)).expect("it is accepted");
    assert!(bench.model.host_functions().is_empty());
    bench.tick(5);
    assert_eq!(bench.model.host_functions().len(), 1);
    bench.model.poison(stream, code::LOST);
    assert!(bench.call(|model| model.host_function(CAPTURER, stream)).is_ok());
    bench.tick(5);
    assert_eq!(bench.model.host_functions().len(), 1, "it never runs");
    assert_eq!(bench.query(stream), StreamState::Failed(code::LOST));
}

#[test]
fn m14_a_mark_on_a_capturing_stream() {
    for (profile, at_once) in [
        (P::Hip52, true),
        (P::Hip57, true),
        (P::Clr2024, true),
        (P::ClrNew, true),
        (P::Cuda, false),
    ] {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        let word = bench.call(|model| model.open_progress(CAPTURER, stream)).expect("it has words");
        let seen = |bench: &mut Bench| bench.call(|model| model.observe(OTHER, word)).as_u64();
        bench.begin(stream, CaptureMode::Relaxed);
        bench.run(stream, 10);
        let position = Position::new(1);
        let marked = bench.call(|model| model.mark(CAPTURER, stream, word, position));
        assert_eq!(marked.map(|done| done.place == Place::Device), Ok(at_once), "{profile}");
        assert_eq!(seen(&mut bench), u64::from(at_once), "{profile}: the work did not even run");
        let (graph, _) = bench.call(|model| model.end_capture(CAPTURER, stream)).expect("intact");
        let later = Position::new(7);
        let _ = bench.call(|model| model.mark(CAPTURER, stream, word, later)).expect("accepted");
        assert_eq!(seen(&mut bench), 7);
        let _ = bench.call(|model| model.launch_graph(CAPTURER, graph, stream)).expect("accepted");
        bench.tick(10);
        assert_eq!(seen(&mut bench), if at_once { 7 } else { 1 }, "{profile}: a replay goes back");
    }
}

#[test]
fn a_mark_comes_after_earlier_work_and_a_wait_for_it_moves_time() {
    let mut bench = Bench::new(P::Hip57);
    let stream = bench.stream();
    let word = bench.call(|model| model.open_progress(CAPTURER, stream)).expect("it has words");
    bench.run(stream, 10);
    let position = Position::new(1);
    let _ = bench.call(|model| model.mark(CAPTURER, stream, word, position)).expect("accepted");
    let wait = |bench: &mut Bench, us| {
        let limit = std::time::Duration::from_micros(us);
        bench.call(|model| model.wait_progress(OTHER, word, position, limit))
    };
    assert_eq!((wait(&mut bench, 4), bench.model.now()), (StreamWait::TimedOut, Ticks::new(4)));
    assert_eq!((wait(&mut bench, 60), bench.model.now()), (StreamWait::Finished, Ticks::new(10)));
    bench.model.close_progress(CAPTURER, word);
    assert!(!bench.crashed());
    let _ = bench.model.observe(OTHER, word);
    assert!(bench.crashed(), "a word that was given back");
}

#[test]
fn a_launch_of_a_graph_on_a_capturing_stream() {
    for (profile, refused) in [(P::Hip52, false), (P::Hip57, false), (P::Cuda, true)] {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        bench.begin(stream, CaptureMode::Relaxed);
        bench.run(stream, 5);
        let (graph, _) = bench.call(|model| model.end_capture(CAPTURER, stream)).expect("intact");
        bench.begin(stream, CaptureMode::Relaxed);
        let launched = bench.call(|model| model.launch_graph(CAPTURER, graph, stream));
        assert_eq!(launched.is_err(), refused, "{profile}");
        // It is no node; CUDA breaks the capture.
        let ended = if refused { Err(code::INVALIDATED) } else { Ok(0) };
        assert_eq!(bench.end(stream), ended, "{profile}");
        let state = if refused { StreamState::Idle } else { StreamState::Pending };
        assert_eq!(bench.query(stream), state, "{profile}");
    }
}

#[test]
fn m16_not_ready_is_a_threads_last_error() {
    for (profile, sticks) in [
        (P::Hip52, false),
        (P::Hip57, false),
        (P::Clr2024, true),
        (P::ClrNew, true),
        (P::Cuda, true),
    ] {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        bench.run(stream, 10);
        assert_eq!(bench.query(stream), StreamState::Pending);
        assert_eq!(bench.model.last_error(OTHER), Some(code::NOT_READY), "{profile}");
        assert_eq!(bench.model.last_error(CAPTURER), None, "{profile}");
        bench.tick(10);
        assert_eq!(bench.query(stream), StreamState::Idle);
        let left = bench.model.take_last_error(OTHER);
        assert_eq!(left, sticks.then_some(code::NOT_READY), "{profile}");
        assert_eq!(bench.model.last_error(OTHER), None, "{profile}");
    }
}
