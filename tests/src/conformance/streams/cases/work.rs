//! `StreamWork`: what a runtime submits.

use ringfence::{
    backend::streams::{CaptureMode, StreamProgress, StreamWork},
    id::Position,
};

use super::{
    super::{
        super::{
            Checked,
            check::{check, has, same},
        },
        Spot, StreamSubject,
        stage::Stage,
    },
    StreamCase, case,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("work_1_runs_in_the_streams_order", in_order),
        case("work_1_is_not_waited_for", not_waited_for),
        case("work_1_runs_by_itself", runs_by_itself),
        case("work_1_recorded_where_it_is_submitted", recorded_where_submitted),
        case("work_1_from_several_threads", from_several_threads),
        case("work_2_failed_work_is_before_the_next_mark", failed_before_the_mark),
        case("work_2_failed_work_is_before_the_next_event", failed_before_the_event),
    ]
}

/// Each word is read before it is written again.
fn in_order<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, source) = (stage.stream()?, on.cell());
    let cells: Vec<_> = (1..=100).map(|value| (on.cell(), value)).collect();
    for &(cell, value) in &cells {
        stage.set(stream, source, value)?;
        stage.copy(stream, source, cell)?;
    }
    stage.finishes(stream)?;
    for (cell, value) in cells {
        stage.holds("what was read in order", cell, value)?;
    }
    Ok(())
}
fn not_waited_for<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, cell) = (stage.stream()?, on.cell());
    let gate = stage.hold(stream)?;
    stage.at_once("64 launches behind held work", || -> Checked {
        (1..=64).try_for_each(|value| stage.set(stream, cell, value))
    })??;
    stage.stays("what is held", cell, 0)?;
    stage.open(gate);
    stage.brings("what was held", stream, cell, 64)
}
/// Nobody has to ask for it.
fn runs_by_itself<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, cell) = (stage.stream()?, on.cell());
    for value in 1..=20 {
        stage.set(stream, cell, value)?;
        stage.until("work that nobody asks about", || on.read(cell) == value)?;
    }
    Ok(())
}
fn recorded_where_submitted<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let [captured, eager] = stage.streams()?;
    let [one, two, three] = stage.cells();
    stage.set(captured, one, 1)?;
    stage.begin(captured, CaptureMode::Relaxed)?;
    for round in 0..10 {
        stage.set(captured, two, 20 + round)?;
        stage.set(eager, three, 30 + round)?;
    }
    // From another thread as well: it is the stream that captures.
    on.elsewhere(|| stage.copy(captured, two, one))?;
    stage.until("the eager work", || on.read(three) == 39)?;
    stage.holds("what was recorded", two, 0)?;
    let graph = stage.end(captured)?;
    stage.brings("what came before the capture", captured, one, 1)?;
    stage.finishes(eager)?;
    stage.launch_graph(graph, captured)?;
    stage.brings("what was recorded on another thread", captured, one, 29)
}
/// Many threads on streams of their own.
fn from_several_threads<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let answers = on.together(4, |number| -> Checked<_> {
        let (stream, [from, to]) = (stage.stream()?, stage.cells());
        let number = u32::try_from(number).expect("4 threads");
        for round in 0..100 {
            stage.set(stream, from, number * 1_000 + round)?;
            stage.copy(stream, from, to)?;
        }
        Ok((stream, to, number * 1_000 + 99))
    });
    for answer in answers {
        let (stream, cell, value) = answer?;
        stage.brings("a thread's last work", stream, cell, value)?;
    }
    Ok(())
}
/// What a failed call submitted is over when the next mark is reached, and never moves again.
fn failed_before_the_mark<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, [failed, good]) = (stage.stream()?, stage.cells());
    let Some(word) = stage.word(stream)? else { return has(false, "a progress word") };
    for (position, value) in (1..=20).zip(1..) {
        let launched = on.backend().launch(stream, on.failing_set(Spot::Cell(failed), value));
        check!(launched.is_err(), "work that fails was taken");
        super::progress::mark(&stage, (stream, word), position)?;
        stage.until("the mark behind it", || {
            on.backend().observe(word) >= Position::new(position)
        })?;
        let then = on.read(failed);
        same("what failed work wrote by then", then, value)?;
        stage.stays("what failed work wrote, later", failed, then)?;
        stage.set(stream, good, value)?;
        stage.brings("work after it", stream, good, value)?;
    }
    Ok(())
}
fn failed_before_the_event<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let [stream, waiter] = stage.streams()?;
    let ([failed, seen], event) = (stage.cells(), stage.event()?);
    let gate = stage.hold(stream)?;
    let launched = on.backend().launch(stream, on.failing_set(Spot::Cell(failed), 5));
    check!(launched.is_err(), "work that fails was taken");
    stage.record(event, stream)?;
    stage.wait(waiter, event)?;
    stage.copy(waiter, failed, seen)?;
    stage.stays("what is held", failed, 0)?;
    stage.open(gate);
    stage.brings("what the waiter saw of it", waiter, seen, 5)
}
