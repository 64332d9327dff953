//! `StreamCapture`: beginning and ending.

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus, StreamCapture},
    id::RawStream,
};
use ringfence_mock::streams::profile::StrayEnd;

use super::{
    super::{
        super::{
            Checked,
            check::{check, same},
        },
        StreamSubject,
        stage::Stage,
    },
    StreamCase, case,
    modes::MODES,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("capture_1_records_and_does_not_run", records),
        case("capture_1_behind_pending_work", behind_pending_work),
        case("capture_1_leaves_other_streams_alone", leaves_others_alone),
        case("capture_1_refused_twice", refused_twice),
        case("capture_1_two_at_once", two_at_once),
        case("capture_1_on_several_threads", on_several_threads),
        case("capture_2_of_nothing_is_empty", of_nothing),
        case("capture_2_without_a_beginning_fails", without_beginning),
        case("capture_2_on_another_thread_is_refused", on_another_thread),
        case("capture_2_relaxed_ends_anywhere", relaxed_ends_anywhere),
        case("capture_2_one_after_another", one_after_another),
        case("capture_2_joined_streams_make_one_graph", joined),
        case("capture_2_unjoined_stream_makes_none", unjoined),
    ]
}

fn records<S: StreamSubject>(on: &S) -> Checked {
    for mode in MODES {
        let stage = Stage::new(on);
        let (stream, [first, last]) = (stage.stream()?, stage.cells());
        stage.begin(stream, mode)?;
        stage.set(stream, first, 5)?;
        stage.copy(stream, first, last)?;
        stage.stays("recorded work", first, 0)?;
        let graph = stage.end(stream)?;
        stage.finishes(stream)?;
        stage.stays("recorded work after the end", first, 0)?;
        stage.launch_graph(graph, stream)?;
        stage.brings("the second of two nodes", stream, last, 5)?;
        stage.holds("the first of two nodes", first, 5)?;
    }
    Ok(())
}
/// What was submitted before runs, what is submitted meanwhile does not, and what comes after does.
fn behind_pending_work<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, [before, within, after]) = (stage.stream()?, stage.cells());
    let gate = stage.hold(stream)?;
    stage.set(stream, before, 1)?;
    stage.begin(stream, CaptureMode::ThreadLocal)?;
    stage.set(stream, within, 2)?;
    let graph = stage.end(stream)?;
    stage.set(stream, after, 3)?;
    stage.stays("what is held", before, 0)?;
    stage.open(gate);
    stage.brings("what came after the capture", stream, after, 3)?;
    stage.holds("what came before it", before, 1)?;
    stage.holds("what was recorded", within, 0)?;
    stage.launch_graph(graph, stream)?;
    stage.brings("what was recorded, once launched", stream, within, 2)
}
fn leaves_others_alone<S: StreamSubject>(on: &S) -> Checked {
    for mode in MODES {
        let stage = Stage::new(on);
        let [stream, other] = stage.streams()?;
        let [recorded, eager] = stage.cells();
        stage.begin(stream, mode)?;
        stage.set(stream, recorded, 1)?;
        stage.set(other, eager, 2)?;
        stage.until("work of another stream", || on.read(eager) == 2)?;
        stage.set(stream, eager, 3)?;
        let graph = stage.end(stream)?;
        stage.finishes(other)?;
        stage.holds("the other stream's word", eager, 2)?;
        stage.launch_graph(graph, stream)?;
        stage.brings("the graph's last node", stream, eager, 3)?;
        stage.holds("the graph's first node", recorded, 1)?;
    }
    Ok(())
}
/// A refused beginning changes nothing.
fn refused_twice<S: StreamSubject>(on: &S) -> Checked {
    for mode in MODES {
        let stage = Stage::new(on);
        let (stream, [first, last]) = (stage.stream()?, stage.cells());
        let null = on.backend().begin_capture(RawStream::new(0), mode);
        check!(null.is_err(), "the default stream begins to capture");
        stage.begin(stream, mode)?;
        stage.set(stream, first, 7)?;
        let again = on.backend().begin_capture(stream, mode);
        check!(again.is_err(), "a capture began in a capture");
        stage.has_status("after a refusal", stream, CaptureStatus::Active)?;
        stage.copy(stream, first, last)?;
        let graph = stage.end(stream)?;
        stage.has_status("after the end", stream, CaptureStatus::None)?;
        stage.launch_graph(graph, stream)?;
        stage.brings("both nodes", stream, last, 7)?;
    }
    Ok(())
}
fn two_at_once<S: StreamSubject>(on: &S) -> Checked {
    for mode in MODES {
        let stage = Stage::new(on);
        let [one, two] = stage.streams()?;
        let [first, second] = stage.cells();
        stage.begin(one, mode)?;
        stage.begin(two, mode)?;
        stage.set(one, first, 1)?;
        stage.set(two, second, 2)?;
        let graph_of_one = stage.end(one)?;
        stage.has_status("the other capture", two, CaptureStatus::Active)?;
        stage.set(two, first, 3)?;
        let graph_of_two = stage.end(two)?;
        stage.launch_graph(graph_of_one, one)?;
        stage.brings("the first graph", one, first, 1)?;
        stage.holds("the second graph before its launch", second, 0)?;
        stage.launch_graph(graph_of_two, two)?;
        stage.brings("the second graph", two, first, 3)?;
        stage.holds("its first node", second, 2)?;
    }
    Ok(())
}
fn on_several_threads<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let answers = on.together(4, |number| -> Checked<_> {
        let value = u32::try_from(number).expect("4 threads") + 1;
        let (stream, [first, last]) = (stage.stream()?, stage.cells());
        for _ in 0..10 {
            stage.begin(stream, CaptureMode::ThreadLocal)?;
            stage.set(stream, first, value)?;
            stage.copy(stream, first, last)?;
            let graph = stage.end(stream)?;
            stage.launch_graph(graph, stream)?;
        }
        Ok((stream, last, value))
    });
    for answer in answers {
        let (stream, cell, value) = answer?;
        stage.brings("a graph of one of four threads", stream, cell, value)?;
    }
    Ok(())
}
fn of_nothing<S: StreamSubject>(on: &S) -> Checked {
    for mode in MODES {
        let stage = Stage::new(on);
        let (stream, cell) = (stage.stream()?, on.cell());
        stage.begin(stream, mode)?;
        let graph = stage.end(stream)?;
        stage.set(stream, cell, 1)?;
        stage.launch_graph(graph, stream)?;
        stage.set(stream, cell, 2)?;
        stage.brings("work around an empty graph", stream, cell, 2)?;
    }
    Ok(())
}
fn without_beginning<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, cell) = (stage.stream()?, on.cell());
    let ended = on.backend().end_capture(stream);
    check!(ended.is_err(), "the end of no capture brought {ended:?}");
    stage.has_status("after that", stream, CaptureStatus::None)?;
    stage.set(stream, cell, 4)?;
    stage.brings("work after that", stream, cell, 4)
}
/// The capture goes on, and ends where it began.
fn on_another_thread<S: StreamSubject>(on: &S) -> Checked {
    for mode in [CaptureMode::Global, CaptureMode::ThreadLocal] {
        let stage = Stage::new(on);
        let (stream, [first, last]) = (stage.stream()?, stage.cells());
        stage.begin(stream, mode)?;
        stage.set(stream, first, 2)?;
        let ended = on.elsewhere(|| on.backend().end_capture(stream));
        check!(ended.is_err(), "another thread ended a capture: {ended:?}");
        if on.facts().rules.stray_end == StrayEnd::Ends {
            stage.has_status("after another thread's end", stream, CaptureStatus::None)?;
            stage.stays("what was recorded", first, 0)?;
            // It was the end: the thread may ask, and the stream works.
            stage.copy(stream, first, last)?;
            stage.set(stream, last, 3)?;
            stage.brings("later work", stream, last, 3)?;
            continue;
        }
        stage.has_status("after another thread's end", stream, CaptureStatus::Active)?;
        stage.copy(stream, first, last)?;
        let graph = stage.end(stream)?;
        stage.launch_graph(graph, stream)?;
        stage.brings("both nodes", stream, last, 2)?;
    }
    Ok(())
}
fn relaxed_ends_anywhere<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, cell) = (stage.stream()?, on.cell());
    stage.begin(stream, CaptureMode::Relaxed)?;
    stage.set(stream, cell, 2)?;
    let graph = on.elsewhere(|| stage.end(stream))?;
    stage.has_status("after the end", stream, CaptureStatus::None)?;
    stage.launch_graph(graph, stream)?;
    stage.brings("what was recorded", stream, cell, 2)
}
fn one_after_another<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, cell) = (stage.stream()?, on.cell());
    for (value, mode) in (1..=30).zip(MODES.into_iter().cycle()) {
        stage.begin(stream, mode)?;
        stage.set(stream, cell, value)?;
        let graph = stage.end(stream)?;
        stage.stays("recorded work", cell, value - 1)?;
        stage.launch_graph(graph, stream)?;
        stage.brings("this capture's graph", stream, cell, value)?;
        stage.destroy_graph(graph)?;
    }
    Ok(())
}
/// Work of a stream that joined, in the order that the events give.
fn joined<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let [origin, fork] = stage.streams()?;
    let (out, back) = (stage.event()?, stage.event()?);
    let [source, one, two, three] = stage.cells();
    stage.begin(origin, CaptureMode::ThreadLocal)?;
    stage.copy(origin, source, one)?;
    stage.record(out, origin)?;
    stage.wait(fork, out)?;
    stage.copy(fork, one, two)?;
    stage.record(back, fork)?;
    stage.wait(origin, back)?;
    stage.copy(origin, two, three)?;
    stage.stays("recorded work", one, 0)?;
    let graph = stage.end(origin)?;
    for value in [21, 22] {
        on.store(source, value);
        stage.launch_graph(graph, origin)?;
        stage.brings("the last of three nodes", origin, three, value)?;
    }
    Ok(())
}
fn unjoined<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let [origin, fork, after] = stage.streams()?;
    let event = stage.event()?;
    let [one, two, three] = stage.cells();
    stage.begin(origin, CaptureMode::ThreadLocal)?;
    stage.set(origin, one, 1)?;
    stage.record(event, origin)?;
    stage.wait(fork, event)?;
    stage.set(fork, two, 2)?;
    stage.set(origin, three, 3)?;
    let ended = on.backend().end_capture(origin);
    check!(ended.is_err(), "a capture with an unjoined stream ended: {ended:?}");
    stage.stays("what was recorded", one, 0)?;
    stage.holds("what the unjoined stream recorded", two, 0)?;
    // Whatever the two are in now: they can be destroyed, and nobody else is concerned.
    stage.destroy(fork)?;
    stage.destroy(origin)?;
    stage.set(after, three, 4)?;
    stage.brings("work of another stream", after, three, 4)?;
    same("what was never launched", (on.read(one), on.read(two)), (0, 0))
}
