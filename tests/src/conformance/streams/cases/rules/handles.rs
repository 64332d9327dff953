//! `destroy`, `orphaned_capture`, `stale`, `event_after_stream`: the end of a stream, and its handle after it.

use ringfence::{
    backend::streams::{
        CaptureMode, CaptureStatus, Destruction, StreamDriver, StreamEvents, StreamPlatform,
        StreamState, StreamWait, StreamWork,
    },
    error::DriverError,
};
use ringfence_mock::streams::profile::{
    DestroyRule, EventAfterStream, OrphanedCapture, StaleRule, ThreadGuard,
};

use super::{
    super::{
        super::{
            super::{
                Checked,
                check::{check, has, same},
            },
            Spot, StreamSubject,
            stage::{PATIENCE, Stage},
        },
        StreamCase, case, last_case,
        modes::MODES,
    },
    Recording, expected,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("rules_destroy_with_work_pending", with_work_pending),
        case("rules_destroy_of_a_capturing_stream", of_a_capturing_stream),
        last_case("rules_destroy_by_another_thread_than_captures", by_another_thread),
        case("rules_handle_used_again_is_a_new_stream", used_again),
        last_case("rules_stale_handle_is_reported", stale),
        case("rules_event_after_its_stream", event_after_stream),
    ]
}

/// What the row says of a destroy is what the backend tells a pool, and every piece of work still runs.
fn with_work_pending<S: StreamSubject>(on: &S) -> Checked {
    let said = match on.facts().rules.destroy {
        DestroyRule::LocksOut | DestroyRule::Waits => Destruction::Waits,
        DestroyRule::Detaches => Destruction::Detaches,
    };
    same("what destroy does, as the backend says", on.backend().features().destruction, said)?;
    for value in 1..=10 {
        let stage = Stage::new(on);
        let (stream, [first, last]) = (stage.stream()?, stage.cells());
        for _ in 0..20 {
            stage.set(stream, first, value)?;
            stage.copy(stream, first, last)?;
        }
        stage.destroy(stream)?;
        if said == Destruction::Waits {
            stage.holds("the work of a stream, once destroy returned", last, value)?;
        }
        stage.until("the work of a destroyed stream", || on.read(last) == value)?;
    }
    Ok(())
}
/// Its capture ends with it, and nothing of that is left on the thread.
fn of_a_capturing_stream<S: StreamSubject>(on: &S) -> Checked {
    for mode in MODES {
        let stage = Stage::new(on);
        let (other, cell) = (stage.stream()?, on.cell());
        let recording = Recording::begin(&stage, mode)?;
        stage.destroy(recording.stream)?;
        stage.has_status("another stream", other, CaptureStatus::None)?;
        same("its state", on.backend().query(other), StreamState::Idle)?;
        let there = on.elsewhere(|| on.backend().query(other));
        same("its state on another thread", there, StreamState::Idle)?;
        stage.set(other, cell, 2)?;
        stage.brings("its work", other, cell, 2)?;
        stage.holds("what was recorded", recording.cells[0], 0)?;
    }
    Ok(())
}
/// The capturing thread may keep a dead entry: what that forbids is forbidden to it for ever.
fn by_another_thread<S: StreamSubject>(on: &S) -> Checked {
    let rules = on.facts().rules;
    let dead = rules.orphaned_capture == OrphanedCapture::Poisons;
    let (answer, _) = expected(&rules, dead && rules.query != ThreadGuard::Nothing);
    for mode in [CaptureMode::Global, CaptureMode::ThreadLocal] {
        let stage = Stage::new(on);
        let asked = stage.stream()?;
        let got = on.elsewhere(|| -> Checked<StreamState> {
            let recording = Recording::begin(&stage, mode)?;
            let stream = recording.stream;
            on.elsewhere(|| stage.destroy(stream))?;
            Ok(on.backend().query(asked))
        })?;
        same(&format!("a query by the thread of an orphaned {mode:?} capture"), got, answer)?;
        let third = on.elsewhere(|| on.backend().query(asked));
        same("a query by a third thread", third, StreamState::Idle)?;
    }
    Ok(())
}
/// Whatever the one before it was in.
fn used_again<S: StreamSubject>(on: &S) -> Checked {
    for mode in MODES {
        let stage = Stage::new(on);
        for value in 1..=20 {
            let (old, event, cell) = (stage.stream()?, stage.event()?, on.cell());
            stage.set(old, cell, value)?;
            stage.record(event, old)?;
            stage.finishes(old)?;
            let recording = Recording::begin_on(&stage, old, mode)?;
            stage.destroy(recording.stream)?;
            let new = stage.stream()?;
            stage.has_status("a new stream", new, CaptureStatus::None)?;
            same("its state", stage.asks(new), StreamState::Idle)?;
            stage.wait(new, event)?;
            stage.set(new, cell, value + 100)?;
            stage.brings("its work", new, cell, value + 100)?;
            stage.record(event, new)?;
            stage.until("its event", || stage.asks_event(event) == StreamState::Idle)?;
            stage.destroy(new)?;
        }
    }
    Ok(())
}
fn stale<S: StreamSubject>(on: &S) -> Checked {
    let rule = on.facts().rules.stale;
    has(rule != StaleRule::Crashes, "a stale handle that is reported")?;
    let stage = Stage::new(on);
    let (kept, stream, cell) = (stage.stream()?, stage.stream()?, on.cell());
    let driver = on.backend();
    stage.destroy(stream)?;
    let state = driver.query(stream);
    check!(matches!(state, StreamState::Failed(DriverError::Bad(_))), "a stale query: {state:?}");
    let status = driver.capture_status(stream);
    check!(matches!(status, CaptureStatus::Unknown(_)), "a stale status: {status:?}");
    check!(driver.destroy(stream).is_err(), "a stale stream was destroyed");
    if rule == StaleRule::Refused {
        let launched = driver.launch(stream, on.set(Spot::Cell(cell), 1));
        check!(launched.is_err(), "a stale stream took work");
    }
    stage.set(kept, cell, 2)?;
    stage.brings("another stream's work", kept, cell, 2)
}
fn event_after_stream<S: StreamSubject>(on: &S) -> Checked {
    let rule = on.facts().rules.event_after_stream;
    let stage = Stage::new(on);
    let [stream, waiter] = stage.streams()?;
    let ([from, to], event) = (stage.cells(), stage.event()?);
    stage.set(stream, from, 7)?;
    stage.record(event, stream)?;
    stage.finishes(stream)?;
    stage.destroy(stream)?;
    if rule != EventAfterStream::Dangles {
        same("the event of a destroyed stream", stage.asks_event(event), StreamState::Idle)?;
        let waited = on.backend().synchronize_event(event, PATIENCE);
        same("a wait for it", waited, StreamWait::Finished)?;
    }
    if rule == EventAfterStream::Works {
        stage.wait(waiter, event)?;
        stage.copy(waiter, from, to)?;
        stage.brings("what a waiter read", waiter, to, 7)?;
    }
    // Recorded again, it has nothing of that stream any more.
    stage.set(waiter, from, 8)?;
    stage.record(event, waiter)?;
    stage.until("the new recording", || stage.asks_event(event) == StreamState::Idle)?;
    stage.holds("the work before it", from, 8)
}
