//! `query`, `query_consequence`, `capturing_query`: what a question about a stream does to captures.

use ringfence::backend::streams::{CaptureMode, CaptureStatus, StreamDriver, StreamState};
use ringfence_mock::streams::profile::CapturingQuery;

use super::{
    super::{
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
    },
    By, Recording, expected, forbids,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("rules_query_of_another_stream", of_another_stream),
        case("rules_query_of_a_stream_that_captured_before", of_a_primed_stream),
        case("rules_query_of_the_capturing_stream", of_the_capturing_stream),
        case("rules_relaxed_query_breaks_no_capture", relaxed_breaks_nothing),
        case("rules_relaxed_query_of_pending_work", relaxed_of_pending_work),
    ]
}

fn of_another_stream<S: StreamSubject>(on: &S) -> Checked {
    about(on, None)
}
/// HIP 5.7 judges by the mode that the asked stream last captured in.
fn of_a_primed_stream<S: StreamSubject>(on: &S) -> Checked {
    MODES.into_iter().try_for_each(|primed| about(on, Some(primed)))
}
fn about<S: StreamSubject>(on: &S, primed: Option<CaptureMode>) -> Checked {
    let rules = on.facts().rules;
    let last = primed.unwrap_or(CaptureMode::Global);
    for captured in MODES {
        for mode in MODES {
            for by in By::ALL {
                let what = format!(
                    "a query by the {by:?} thread in {mode:?} mode, beside a {captured:?} capture, of a stream primed {primed:?}"
                );
                let stage = Stage::new(on);
                let asked = stage.stream()?;
                if let Some(primed) = primed {
                    stage.begin(asked, primed)?;
                    let _graph = stage.end(asked)?;
                }
                let recording = Recording::begin(&stage, captured)?;
                let forbidden = forbids(rules.query, captured, (by, mode), last);
                let (answer, then) = expected(&rules, forbidden);
                let got = by.act(&stage, mode, || on.backend().query(asked));
                same(&what, got, answer)?;
                recording.comes_out(&what, then)?;
            }
        }
    }
    Ok(())
}
fn of_the_capturing_stream<S: StreamSubject>(on: &S) -> Checked {
    let (answer, then) = match on.facts().rules.capturing_query {
        CapturingQuery::Answered => (StreamState::Idle, CaptureStatus::Active),
        CapturingQuery::Refused => (StreamState::Unknown, CaptureStatus::Active),
        CapturingQuery::Invalidates => (StreamState::Unknown, CaptureStatus::Invalidated),
    };
    for captured in MODES {
        for mode in MODES {
            for by in By::ALL {
                let what = format!("a query of a {captured:?} capture by {by:?} in {mode:?} mode");
                let stage = Stage::new(on);
                let recording = Recording::begin(&stage, captured)?;
                let stream = recording.stream;
                let got = by.act(&stage, mode, || on.backend().query(stream));
                same(&what, got, answer)?;
                recording.comes_out(&what, then)?;
            }
        }
    }
    Ok(())
}
/// What a pool does: status first, then a query in relaxed mode. It is answered or refused, and nobody's
/// capture suffers.
fn relaxed_breaks_nothing<S: StreamSubject>(on: &S) -> Checked {
    for captured in MODES {
        for by in By::ALL {
            let what = format!("looks by the {by:?} thread beside a {captured:?} capture");
            let stage = Stage::new(on);
            let asked = stage.stream()?;
            let recording = Recording::begin(&stage, captured)?;
            for _ in 0..20 {
                let status =
                    by.act(&stage, CaptureMode::Global, || on.backend().capture_status(asked));
                same(&what, status, CaptureStatus::None)?;
                let state = by.act(&stage, CaptureMode::Relaxed, || on.backend().query(asked));
                let harmless = matches!(state, StreamState::Idle | StreamState::Unknown);
                check!(harmless, "{what}: {state:?}");
            }
            recording.ends_well(&what)?;
        }
    }
    Ok(())
}
/// "Unknown" beside a capture is no "idle": held work is never taken for finished.
fn relaxed_of_pending_work<S: StreamSubject>(on: &S) -> Checked {
    for captured in MODES {
        let stage = Stage::new(on);
        let asked = stage.stream()?;
        let gate = stage.hold(asked)?;
        let recording = Recording::begin(&stage, captured)?;
        for by in By::ALL {
            let state = by.act(&stage, CaptureMode::Relaxed, || on.backend().query(asked));
            let honest = matches!(state, StreamState::Pending | StreamState::Unknown);
            check!(honest, "held work beside a {captured:?} capture is {state:?}");
        }
        stage.open(gate);
        recording.ends_well("a capture beside held work")?;
        stage.finishes(asked)?;
    }
    Ok(())
}
