//! M8: memory in a stream's order, in and around captures.

use super::*;

#[test]
fn a_free_takes_its_turn() {
    for &profile in P::ALL {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        let memory = bench.memory(stream);
        bench.run(stream, 10);
        let done = bench.free(memory, stream).expect("nothing refuses it");
        assert!(done.op.is_some() && done.place == Place::Device);
        bench.tick(9);
        assert!(bench.exists(memory));
        bench.tick(1);
        assert!(!bench.exists(memory) && !bench.crashed());
        assert!(bench.free(memory, stream).is_err() && bench.crashed(), "{profile}: freed twice");
        let unknown = bench.free(RawMemory::new(1), stream);
        assert_eq!((unknown, bench.model.crashes().len()), (Err(code::INVALID_VALUE), 1));
    }
}

#[test]
fn a_second_free_while_the_first_is_on_its_way_is_a_crash() {
    let mut bench = Bench::new(P::Hip57);
    let stream = bench.stream();
    let memory = bench.memory(stream);
    bench.run(stream, 10);
    let _ = bench.free(memory, stream).expect("nothing refuses it");
    assert_eq!(bench.model.memory_state(memory), MemoryState::Freeing);
    assert_eq!(bench.free(memory, stream), Err(code::INVALID_VALUE));
    assert!(bench.crashed());
}

#[test]
fn m8_a_free_on_a_capturing_stream() {
    for (profile, nodes, exists, crashes) in [
        (P::Hip52, 0, false, false),
        (P::Hip57, 1, false, false),
        (P::Clr2024, 1, true, true),
        (P::ClrNew, 1, true, true),
        (P::Cuda, 0, true, false),
    ] {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        let memory = bench.memory(stream);
        bench.begin(stream, CaptureMode::Relaxed);
        let freed = bench.free(memory, stream);
        assert_eq!(freed == Err(code::INVALID_VALUE), profile == P::Cuda, "{profile}");
        let (graph, ops) = bench.call(|model| model.end_capture(CAPTURER, stream)).expect("intact");
        assert_eq!((ops.len(), bench.exists(memory)), (nodes, exists), "{profile}");
        let launched = bench.call(|model| model.launch_graph(CAPTURER, graph, stream));
        assert_eq!((launched.is_err(), bench.crashed()), (crashes, crashes), "{profile}");
    }
}

/// The owner's own free after the node's is the second one.
#[test]
fn m8_hip_5_7_frees_twice() {
    let mut bench = Bench::new(P::Hip57);
    let (stream, other) = (bench.stream(), bench.stream());
    let memory = bench.memory(other);
    bench.begin(stream, CaptureMode::Relaxed);
    assert_eq!(bench.free(memory, stream).map(|done| done.place), Ok(Place::Graph));
    assert!(bench.free(memory, other).is_err() && bench.crashed());
}

#[test]
fn m8_memory_of_a_graph_lives_in_it() {
    for (profile, nodes) in
        [(P::Hip52, 1), (P::Hip57, 3), (P::Clr2024, 3), (P::ClrNew, 3), (P::Cuda, 3)]
    {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        bench.begin(stream, CaptureMode::Relaxed);
        let memory = bench.memory(stream);
        bench.run(stream, 1);
        let _ = bench.free(memory, stream).expect("it is the capture's own");
        let (graph, ops) = bench.call(|model| model.end_capture(CAPTURER, stream)).expect("intact");
        assert_eq!(ops.len(), nodes, "{profile}");
        for _ in 0..2 {
            let launched = bench.call(|model| model.launch_graph(CAPTURER, graph, stream));
            assert!(launched.is_ok(), "{profile}: {launched:?}");
            bench.tick(1);
        }
        assert!(!bench.crashed() && !bench.exists(memory), "{profile}");
    }
}

#[test]
fn m8_a_graph_whose_memory_is_gone() {
    for &profile in P::ALL {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        let memory = bench.memory(stream);
        bench.begin(stream, CaptureMode::Relaxed);
        let work = StreamOp::new("axpy", Ticks::new(1)).writes(memory);
        let _ = bench.call(|model| model.launch(CAPTURER, stream, &work)).expect("it is recorded");
        let (graph, _) = bench.call(|model| model.end_capture(CAPTURER, stream)).expect("intact");
        let launched = bench.call(|model| model.launch_graph(CAPTURER, graph, stream));
        let (_, touches) = launched.expect("the memory is there");
        assert_eq!(touches.writes, [memory]);
        let _ = bench.free(memory, stream).expect("nothing refuses it");
        bench.tick(1);
        let launched = bench.call(|model| model.launch_graph(CAPTURER, graph, stream));
        assert!(launched.is_err() && bench.crashed(), "{profile}");
    }
}

#[test]
fn m8b_while_a_blocking_stream_captures() {
    for &profile in P::ALL {
        for (capturing, refuses) in
            [(blocking(), matches!(profile, P::Hip64 | P::ClrNew)), (key(), false)]
        {
            let mut bench = Bench::new(profile);
            let (capturer, other) = (bench.create(capturing), bench.stream());
            let memory = bench.memory(other);
            bench.begin(capturer, CaptureMode::Relaxed);
            let freed = bench.free(memory, other);
            assert_eq!(freed == Err(code::UNSUPPORTED), refuses, "{profile} {capturing}");
            let bytes = Bytes::new(1);
            let allocated = bench.call(|model| model.allocate(CAPTURER, bytes, other));
            assert_eq!(allocated == Err(code::UNSUPPORTED), refuses, "{profile} {capturing}");
            assert_eq!(bench.end(capturer), Ok(0));
            assert_eq!(bench.free(memory, other).is_ok(), refuses, "{profile}: now it works, once");
        }
    }
}

#[test]
fn m8_a_free_of_plain_memory_waits_for_the_device_on_hip() {
    for &profile in P::ALL {
        let mut bench = Bench::new(profile);
        let (busy, other) = (bench.stream(), bench.stream());
        let made = bench.call(|model| model.malloc(CAPTURER, Bytes::new(1), DEVICE)).answer;
        bench.run(busy, 50);
        let freed = bench.free(made.expect("nobody captures"), other).expect("nothing refuses it");
        let waits = profile != P::Cuda;
        assert_eq!(freed.op.is_none(), waits, "{profile}");
        assert_eq!(bench.model.now().count(), if waits { 50 } else { 0 }, "{profile}");
    }
}
