//! `captured_mark`, `captured_launch`: what is not for a capture, and gets to a capturing stream.

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus, StreamCapture, StreamProgress},
    id::Position,
};
use ringfence_mock::streams::profile::{CapturedLaunch, CapturedMark};

use super::{
    super::{
        super::{
            super::{
                Checked,
                check::{check, has, same},
            },
            StreamSubject,
            stage::{GRACE, Stage},
        },
        StreamCase, case,
        progress::{at, mark},
    },
    Recording,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("rules_mark_in_a_capture", mark_in_a_capture),
        case("rules_launch_in_a_capture", launch_in_a_capture),
    ]
}

fn mark_in_a_capture<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let stream = stage.stream()?;
    let Some(word) = stage.word(stream)? else { return has(false, "a progress word") };
    let cell = on.cell();
    stage.begin(stream, CaptureMode::ThreadLocal)?;
    mark(&stage, (stream, word), 1)?;
    stage.set(stream, cell, 3)?;
    let is_there = || on.backend().observe(word) == at(1);
    let at_once = match on.facts().rules.captured_mark {
        CapturedMark::AtOnce => {
            stage.until("a mark in a capture", is_there)?;
            true
        }
        CapturedMark::Node => {
            let early = on.settle(GRACE, || on.backend().observe(word) != Position::START);
            check!(!early, "a mark in a capture was written at once");
            false
        }
    };
    let graph = stage.end(stream)?;
    stage.finishes(stream)?;
    same("the mark before a launch", is_there(), at_once)?;
    // A later mark tells whether a launch writes the word again.
    mark(&stage, (stream, word), 2)?;
    stage.until("a later mark", || on.backend().observe(word) == at(2))?;
    stage.launch_graph(graph, stream)?;
    stage.brings("the graph's work", stream, cell, 3)?;
    let last = if at_once { at(2) } else { at(1) };
    same("the word after a launch", on.backend().observe(word), last)
}
fn launch_in_a_capture<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (maker, [from, to]) = (stage.stream()?, stage.cells());
    stage.begin(maker, CaptureMode::ThreadLocal)?;
    stage.copy(maker, from, to)?;
    let inner = stage.end(maker)?;
    on.store(from, 6);
    let recording = Recording::begin(&stage, CaptureMode::ThreadLocal)?;
    let launched = on.backend().launch_graph(inner, recording.stream);
    match on.facts().rules.captured_launch {
        CapturedLaunch::Runs => {
            same("a launch in a capture", launched, Ok(()))?;
            stage.until("the launched graph", || on.read(to) == 6)?;
        }
        CapturedLaunch::Refused => {
            check!(launched.is_err(), "a launch in a capture was taken");
            stage.stays("the refused graph", to, 0)?;
        }
        CapturedLaunch::Invalidates => {
            check!(launched.is_err(), "a launch in a capture was taken");
            stage.stays("the refused graph", to, 0)?;
            return recording.ends_broken("a capture with a launch in it");
        }
    }
    stage.has_status("after it", recording.stream, CaptureStatus::Active)?;
    let before = on.read(to);
    on.store(from, 7);
    recording.ends_well("a capture with a launch in it")?;
    // It was not recorded: the outer graph's launch does not run it again.
    stage.stays("the inner graph's word", to, before)
}
