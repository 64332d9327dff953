//! `StreamPlatform`: whether the driver may be called, and what is true of it.

use ringfence::backend::streams::{
    CaptureMode, Destruction, DriverState, StreamDriver, StreamPlatform,
};

use super::{
    super::{
        super::{
            Checked,
            check::{check, has, same},
        },
        Brought, StreamSubject,
        stage::Stage,
    },
    StreamCase, case, last_case,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("platform_1_ready_whatever_happens", ready),
        case("platform_1_answers_at_once", at_once),
        last_case("platform_1_lost_for_ever", lost_for_ever),
        case("platform_2_features_never_change", features_stay),
        case("platform_2_destruction_is_as_said", destruction),
    ]
}

fn ready<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let is_ready =
        |when: &str| same(&format!("the state {when}"), on.backend().state(), DriverState::Ready);
    is_ready("at first")?;
    let [one, two] = stage.streams()?;
    let gate = stage.hold(one)?;
    is_ready("beside pending work")?;
    stage.begin(two, CaptureMode::Global)?;
    is_ready("beside a capture")?;
    same("the state on another thread", on.elsewhere(|| on.backend().state()), DriverState::Ready)?;
    let _graph = stage.end(two)?;
    stage.open(gate);
    stage.finishes(one)?;
    is_ready("in the end")
}
fn at_once<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let stream = stage.stream()?;
    let gate = stage.hold(stream)?;
    let all = stage.at_once("10,000 looks at the state beside pending work", || {
        (0..10_000).all(|_| on.backend().state() == DriverState::Ready)
    })?;
    check!(all, "the driver is not ready");
    stage.open(gate);
    stage.finishes(stream)
}
fn lost_for_ever<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let stream = stage.stream()?;
    has(on.lose() == Brought::About, "a device that can be lost")?;
    for _ in 0..3 {
        same("the state", on.backend().state(), DriverState::Lost)?;
        check!(on.backend().create(on.key()).is_err(), "a lost device makes streams");
        let _status = on.backend().capture_status(stream);
    }
    same("the state on another thread", on.elsewhere(|| on.backend().state()), DriverState::Lost)
}
fn features_stay<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let first = on.backend().features();
    let [one, two] = stage.streams()?;
    let gate = stage.hold(one)?;
    stage.begin(two, CaptureMode::ThreadLocal)?;
    same("the features beside a capture", on.backend().features(), first)?;
    let _graph = stage.end(two)?;
    stage.open(gate);
    stage.finishes(one)?;
    stage.destroy(one)?;
    same("the features in the end", on.backend().features(), first)?;
    same("the features on another thread", on.elsewhere(|| on.backend().features()), first)
}
/// Who says that a destroy waits is taken at his word, and so is who says that it does not.
fn destruction<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let [stream, other] = stage.streams()?;
    let [cell, slow] = stage.cells();
    match on.backend().features().destruction {
        Destruction::Waits => {
            for value in 1..=64 {
                stage.set(stream, cell, value)?;
            }
            stage.destroy(stream)?;
            stage.holds("what the work wrote, once destroy returned", cell, 64)
        }
        Destruction::Detaches => {
            let gate = stage.hold(stream)?;
            stage.set(stream, slow, 7)?;
            stage.at_once("destroy", || stage.destroy(stream))??;
            stage.stays("what the held work writes", slow, 0)?;
            stage.open(gate);
            stage.until("the work of a destroyed stream", || on.read(slow) == 7)?;
            stage.finishes(other)
        }
    }
}
