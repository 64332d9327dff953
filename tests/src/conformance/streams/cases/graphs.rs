//! `StreamCapture`: launching graphs, and giving them back.

use ringfence::{
    backend::streams::CaptureMode,
    id::{RawGraph, RawStream},
};

use super::{
    super::{
        super::{Checked, check::has},
        StreamSubject,
        stage::Stage,
    },
    StreamCase, case,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("capture_3_launches_in_order", in_order),
        case("capture_3_launches_behind_pending_work", behind_pending_work),
        case("capture_3_launched_again_and_again", again_and_again),
        case("capture_3_launched_on_other_streams", on_other_streams),
        case("capture_3_events_cover_a_launch", events_cover_a_launch),
        case("capture_3_waits_hold_a_launch_up", waits_hold_it_up),
        case("capture_3_launched_by_several_threads", by_several_threads),
        case("capture_4_destroyed_when_finished", destroyed_when_finished),
        case("capture_4_destroyed_without_a_launch", destroyed_unlaunched),
        case("capture_4_leaves_other_graphs_alone", leaves_others_alone),
    ]
}

/// A graph that copies one word to another when it is launched.
fn copying<S: StreamSubject>(
    stage: &Stage<'_, S>,
    stream: RawStream,
    from: S::Cell,
    to: S::Cell,
) -> Checked<RawGraph> {
    stage.begin(stream, CaptureMode::ThreadLocal)?;
    stage.copy(stream, from, to)?;
    stage.end(stream)
}
fn in_order<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, [from, to]) = (stage.stream()?, stage.cells());
    let graph = copying(&stage, stream, from, to)?;
    for value in [10, 20, 30] {
        stage.set(stream, from, value)?;
        stage.launch_graph(graph, stream)?;
        stage.set(stream, from, value + 1)?;
        stage.brings("what the graph read", stream, to, value)?;
        stage.holds("what came after it", from, value + 1)?;
    }
    Ok(())
}
fn behind_pending_work<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, [from, to]) = (stage.stream()?, stage.cells());
    let graph = copying(&stage, stream, from, to)?;
    let gate = stage.hold(stream)?;
    stage.set(stream, from, 3)?;
    stage.at_once("a launch behind held work", || stage.launch_graph(graph, stream))??;
    stage.set(stream, from, 4)?;
    stage.stays("what comes after the held graph", from, 0)?;
    stage.pends("a stream with a held graph", || stage.asks(stream))?;
    stage.open(gate);
    stage.brings("what the graph read", stream, to, 3)
}
fn again_and_again<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, [from, to]) = (stage.stream()?, stage.cells());
    let graph = copying(&stage, stream, from, to)?;
    for value in 1..=50 {
        on.store(from, value);
        stage.launch_graph(graph, stream)?;
        stage.brings("what this launch read", stream, to, value)?;
    }
    Ok(())
}
fn on_other_streams<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let [origin, one, two] = stage.streams()?;
    let [from, to] = stage.cells();
    let graph = copying(&stage, origin, from, to)?;
    stage.destroy(origin)?;
    for (value, stream) in [(1, one), (2, two), (3, one)] {
        stage.set(stream, from, value)?;
        stage.launch_graph(graph, stream)?;
        stage.brings("what this launch read", stream, to, value)?;
    }
    Ok(())
}
fn events_cover_a_launch<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let [one, two] = stage.streams()?;
    let ([from, to, end], event) = (stage.cells(), stage.event()?);
    let graph = copying(&stage, one, from, to)?;
    let gate = stage.hold(one)?;
    stage.set(one, from, 9)?;
    stage.launch_graph(graph, one)?;
    stage.record(event, one)?;
    stage.wait(two, event)?;
    stage.copy(two, to, end)?;
    stage.pends("an event behind a held graph", || stage.asks_event(event))?;
    stage.open(gate);
    stage.brings("what was read of the graph's word", two, end, 9)
}
fn waits_hold_it_up<S: StreamSubject>(on: &S) -> Checked {
    has(on.facts().independent >= 2, "two streams beside each other")?;
    let stage = Stage::new(on);
    let [held, stream] = stage.streams()?;
    let ([from, to], event) = (stage.cells(), stage.event()?);
    let graph = copying(&stage, stream, from, to)?;
    let gate = stage.hold(held)?;
    stage.set(held, from, 6)?;
    stage.record(event, held)?;
    stage.wait(stream, event)?;
    stage.launch_graph(graph, stream)?;
    stage.pends("a graph that waits for held work", || stage.asks(stream))?;
    stage.open(gate);
    stage.brings("what the graph read", stream, to, 6)
}
fn by_several_threads<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let answers = on.together(4, |number| -> Checked<_> {
        let value = u32::try_from(number).expect("4 threads") + 1;
        let (stream, [from, to]) = (stage.stream()?, stage.cells());
        let graph = copying(&stage, stream, from, to)?;
        for round in 1..=20 {
            stage.set(stream, from, value * 100 + round)?;
            stage.launch_graph(graph, stream)?;
        }
        Ok((stream, to, value * 100 + 20))
    });
    for answer in answers {
        let (stream, cell, value) = answer?;
        stage.brings("the last launch of a thread", stream, cell, value)?;
    }
    Ok(())
}
fn destroyed_when_finished<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, [from, to]) = (stage.stream()?, stage.cells());
    for value in 1..=20 {
        let graph = copying(&stage, stream, from, to)?;
        stage.set(stream, from, value)?;
        stage.launch_graph(graph, stream)?;
        stage.finishes(stream)?;
        stage.destroy_graph(graph)?;
        stage.holds("what the graph wrote", to, value)?;
    }
    Ok(())
}
fn destroyed_unlaunched<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, [from, to]) = (stage.stream()?, stage.cells());
    on.store(from, 5);
    for _ in 0..10 {
        let graph = copying(&stage, stream, from, to)?;
        stage.destroy_graph(graph)?;
    }
    stage.finishes(stream)?;
    stage.stays("what nobody launched", to, 0)
}
fn leaves_others_alone<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let [one, two] = stage.streams()?;
    let [from, to, other] = stage.cells();
    let kept = copying(&stage, one, from, to)?;
    let gone = copying(&stage, two, from, other)?;
    let gate = stage.hold(one)?;
    stage.launch_graph(kept, one)?;
    on.store(from, 8);
    stage.destroy_graph(gone)?;
    stage.open(gate);
    stage.brings("the graph that is left", one, to, 8)?;
    stage.holds("the graph that is gone", other, 0)?;
    on.store(from, 9);
    stage.launch_graph(kept, two)?;
    stage.brings("the graph that is left, again", two, to, 9)
}
