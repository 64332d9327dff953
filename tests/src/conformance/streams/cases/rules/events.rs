//! `event`, `old_event_wait`, `outside_wait`, `self_wait`, `merge`: events beside captures and in them.

use ringfence::{
    backend::streams::{
        CaptureMode, CaptureStatus, StreamCapture, StreamEvents, StreamState, StreamWait,
    },
    id::RawEvent,
};
use ringfence_mock::streams::profile::{EventRule, MergeRule, OldEventWait, OutsideWait, SelfWait};

use super::{
    super::{
        super::{
            super::{
                Checked,
                check::{check, has, same},
            },
            StreamSubject,
            stage::{PATIENCE, Stage},
        },
        StreamCase, case,
        modes::MODES,
    },
    By, Recording, forbids, is_conflict,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("rules_event_of_another_stream", of_another_stream),
        case("rules_event_of_a_capturing_stream", of_a_capturing_stream),
        case("rules_event_of_a_capture", of_a_capture),
        case("rules_event_of_a_handle_used_again", of_a_handle_used_again),
        case("rules_wait_for_an_old_event", wait_for_an_old_event),
        case("rules_wait_for_an_outside_event", wait_for_an_outside_event),
        case("rules_wait_for_itself", wait_for_itself),
        case("rules_wait_between_two_captures", wait_between_two),
    ]
}

/// How an event is asked: without waiting, or with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    Query,
    Synchronize,
}
impl How {
    const ALL: [Self; 2] = [Self::Query, Self::Synchronize];
    /// Whether the driver answered that it is finished; `None`: it refused.
    fn ask<S: StreamSubject>(self, on: &S, event: RawEvent) -> Result<Option<()>, String> {
        match self {
            Self::Query => match on.backend().query_event(event) {
                StreamState::Idle => Ok(Some(())),
                StreamState::Unknown => Ok(None),
                other => Err(format!("{other:?}")),
            },
            Self::Synchronize => match on.backend().synchronize_event(event, PATIENCE) {
                StreamWait::Finished => Ok(Some(())),
                StreamWait::Unknown => Ok(None),
                other => Err(format!("{other:?}")),
            },
        }
    }
}
/// A finished recording.
fn finished<S: StreamSubject>(
    stage: &Stage<'_, S>,
    stream: ringfence::id::RawStream,
) -> Checked<RawEvent> {
    let (event, cell) = (stage.event()?, stage.on.cell());
    stage.set(stream, cell, 1)?;
    stage.record(event, stream)?;
    stage.brings("work before a capture", stream, cell, 1)?;
    Ok(event)
}

/// A pool's own events: on streams that never capture, asked in relaxed mode.
fn of_another_stream<S: StreamSubject>(on: &S) -> Checked {
    let rules = on.facts().rules;
    for captured in MODES {
        for by in By::ALL {
            for how in How::ALL {
                let what = format!("{how:?} of an event by {by:?} beside a {captured:?} capture");
                let stage = Stage::new(on);
                let stream = stage.stream()?;
                let event = finished(&stage, stream)?;
                let recording = Recording::begin(&stage, captured)?;
                let asker = (by, CaptureMode::Relaxed);
                let as_stream = forbids(rules.query, captured, asker, CaptureMode::Global);
                let refused = match (rules.event, how) {
                    (EventRule::Nothing, _) | (EventRule::SyncAsStream, How::Query) => false,
                    _ => as_stream,
                };
                let got = by.act(&stage, CaptureMode::Relaxed, || how.ask(on, event));
                same(&what, got, Ok((!refused).then_some(())))?;
                recording.ends_well(&what)?;
            }
        }
    }
    Ok(())
}
fn of_a_capturing_stream<S: StreamSubject>(on: &S) -> Checked {
    for how in How::ALL {
        let stage = Stage::new(on);
        let stream = stage.stream()?;
        let event = finished(&stage, stream)?;
        let recording = Recording::begin_on(&stage, stream, CaptureMode::ThreadLocal)?;
        comes_out(on, "an old event of a capturing stream", (how, event), recording)?;
    }
    Ok(())
}
/// An event keeps its stream's handle, whoever has that by now.
fn of_a_handle_used_again<S: StreamSubject>(on: &S) -> Checked {
    for how in How::ALL {
        let stage = Stage::new(on);
        let old = stage.stream()?;
        let event = finished(&stage, old)?;
        stage.destroy(old)?;
        for _ in 0..8 {
            let new = stage.stream()?;
            if new == old {
                let recording = Recording::begin_on(&stage, new, CaptureMode::ThreadLocal)?;
                comes_out(on, "an event of a handle used again", (how, event), recording)?;
                break;
            }
        }
    }
    Ok(())
}
/// What a question about an event does that was recorded by a stream of this name before its capture.
fn comes_out<S: StreamSubject>(
    on: &S,
    what: &str,
    (how, event): (How, RawEvent),
    recording: Recording<'_, S>,
) -> Checked {
    let (answer, then) = match (on.facts().rules.event, how) {
        (EventRule::Nothing | EventRule::OwnCapture, _) | (EventRule::SyncAsStream, How::Query) => {
            (Some(()), CaptureStatus::Active)
        }
        (EventRule::SyncAsStream, How::Synchronize) => (None, CaptureStatus::Active),
        (EventRule::Invalidates, _) => (None, CaptureStatus::Invalidated),
    };
    let what = format!("{how:?} of {what}");
    let got = recording.stage.in_mode(CaptureMode::Relaxed, || how.ask(on, event));
    same(&what, got, Ok(answer))?;
    recording.comes_out(&what, then)
}
fn of_a_capture<S: StreamSubject>(on: &S) -> Checked {
    for how in How::ALL {
        let (answer, then) = match (on.facts().rules.event, how) {
            (EventRule::Nothing, _) | (EventRule::SyncAsStream, How::Query) => {
                (Some(()), CaptureStatus::Active)
            }
            (EventRule::SyncAsStream, How::Synchronize) => (None, CaptureStatus::Active),
            (EventRule::Invalidates | EventRule::OwnCapture, _) => {
                (None, CaptureStatus::Invalidated)
            }
        };
        let what = format!("{how:?} of an event of a capture");
        let stage = Stage::new(on);
        let (recording, event) =
            (Recording::begin(&stage, CaptureMode::ThreadLocal)?, stage.event()?);
        stage.record(event, recording.stream)?;
        let got = stage.in_mode(CaptureMode::Relaxed, || how.ask(on, event));
        same(&what, got, Ok(answer))?;
        recording.comes_out(&what, then)?;
    }
    Ok(())
}
fn wait_for_an_old_event<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let [stream, waiter] = stage.streams()?;
    let (event, cell) = (finished(&stage, stream)?, on.cell());
    let recording = Recording::begin_on(&stage, stream, CaptureMode::ThreadLocal)?;
    let waited = on.backend().stream_wait(waiter, event);
    match on.facts().rules.old_event_wait {
        OldEventWait::Waits => same("a wait for an old event", waited, Ok(()))?,
        OldEventWait::Refused => is_conflict("a wait for an old event", &waited)?,
    }
    stage.has_status("the waiter", waiter, CaptureStatus::None)?;
    recording.ends_well("a capture whose stream was waited for")?;
    stage.set(waiter, cell, 2)?;
    stage.brings("the waiter's later work", waiter, cell, 2)
}
fn wait_for_an_outside_event<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let outside = stage.stream()?;
    let event = finished(&stage, outside)?;
    let recording = Recording::begin(&stage, CaptureMode::ThreadLocal)?;
    let waited = on.backend().stream_wait(recording.stream, event);
    match on.facts().rules.outside_wait {
        OutsideWait::AtOnce => {
            same("a wait for an outside event", waited, Ok(()))?;
            recording.ends_well("a capture that waited for an outside event")?;
        }
        OutsideWait::Refused => {
            is_conflict("a wait for an outside event", &waited)?;
            recording.ends_well("a capture that was refused a wait")?;
        }
        OutsideWait::Invalidates => {
            is_conflict("a wait for an outside event", &waited)?;
            recording.ends_broken("a capture that was refused a wait")?;
        }
    }
    stage.has_status("the outside stream", outside, CaptureStatus::None)
}
fn wait_for_itself<S: StreamSubject>(on: &S) -> Checked {
    let rule = on.facts().rules.self_wait;
    has(rule != SelfWait::Crashes, "a wait for itself that returns")?;
    let stage = Stage::new(on);
    let (recording, event) = (Recording::begin(&stage, CaptureMode::ThreadLocal)?, stage.event()?);
    stage.record(event, recording.stream)?;
    stage.wait(recording.stream, event)?;
    if rule == SelfWait::Harmless {
        return recording.ends_well("a capture that waited for itself");
    }
    let next = stage.set(recording.stream, recording.cells[1], 1);
    check!(next.is_err(), "work was taken after a wait for itself");
    let ended = on.backend().end_capture(recording.stream);
    check!(ended.is_err(), "a capture that waited for itself ended in {ended:?}");
    Ok(())
}
fn wait_between_two<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let one = Recording::begin(&stage, CaptureMode::ThreadLocal)?;
    let two = Recording::begin(&stage, CaptureMode::ThreadLocal)?;
    let event = stage.event()?;
    stage.record(event, one.stream)?;
    let waited = on.backend().stream_wait(two.stream, event);
    match on.facts().rules.merge {
        MergeRule::Unnoticed => {
            same("a wait for another capture", waited, Ok(()))?;
            let graph_of_one = one.ends("the capture that was waited for")?;
            let graph_of_two = two.ends("the capture that waited")?;
            one.has_both("the capture that was waited for", graph_of_one)?;
            two.has_both("the capture that waited", graph_of_two)
        }
        MergeRule::Spoils => {
            same("a wait for another capture", waited, Ok(()))?;
            let graphs = [stage.end(one.stream)?, stage.end(two.stream)?];
            graphs.into_iter().try_for_each(|graph| stage.destroy_graph(graph))
        }
        MergeRule::Invalidates => {
            check!(waited.is_err(), "a wait for another capture was taken");
            one.ends_broken("the capture that was waited for")?;
            two.ends_broken("the capture that waited")
        }
    }
}
