//! `StreamDriver`: the status of captures, and the mode of a thread.

use ringfence::backend::streams::{CaptureMode, CaptureStatus, StreamDriver};

use super::{
    super::{
        super::{Checked, check::same},
        StreamSubject,
        stage::{Stage, in_mode},
    },
    StreamCase, case,
};

pub(super) const MODES: [CaptureMode; 3] =
    [CaptureMode::Global, CaptureMode::ThreadLocal, CaptureMode::Relaxed];

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("driver_3_follows_a_capture", follows_a_capture),
        case("driver_3_is_the_streams_own", is_the_streams_own),
        case("driver_3_has_no_side_effect", has_no_side_effect),
        case("driver_3_of_a_stream_that_joined", of_a_stream_that_joined),
        case("driver_3_answers_beside_pending_work", beside_pending_work),
        case("driver_5_brings_the_mode_before_it", brings_the_one_before),
        case("driver_5_is_the_threads_own", is_the_threads_own),
        case("driver_5_survives_captures", survives_captures),
    ]
}

fn follows_a_capture<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let stream = stage.stream()?;
    let elsewhere = || on.elsewhere(|| on.backend().capture_status(stream));
    for mode in MODES {
        stage.has_status("before a capture", stream, CaptureStatus::None)?;
        same("before a capture, on another thread", elsewhere(), CaptureStatus::None)?;
        stage.begin(stream, mode)?;
        stage.has_status("in a capture", stream, CaptureStatus::Active)?;
        same("in a capture, on another thread", elsewhere(), CaptureStatus::Active)?;
        let _graph = stage.end(stream)?;
        stage.has_status("after a capture", stream, CaptureStatus::None)?;
        same("after a capture, on another thread", elsewhere(), CaptureStatus::None)?;
    }
    Ok(())
}
fn is_the_streams_own<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let [one, two] = stage.streams()?;
    for mode in MODES {
        stage.begin(one, mode)?;
        stage.has_status("a stream beside the one that captures", two, CaptureStatus::None)?;
        let _graph = stage.end(one)?;
    }
    Ok(())
}
/// Asked by anybody, in any mode, about any stream: the capture has all its nodes in the end.
fn has_no_side_effect<S: StreamSubject>(on: &S) -> Checked {
    for captured in MODES {
        let stage = Stage::new(on);
        let [stream, other] = stage.streams()?;
        let [first, last] = stage.cells();
        stage.begin(stream, captured)?;
        stage.set(stream, first, 5)?;
        for asked in MODES {
            for about in [stream, other] {
                let ask = || in_mode(on.backend(), asked, || on.backend().capture_status(about));
                for _ in 0..20 {
                    let _status = (ask(), on.elsewhere(ask));
                }
            }
        }
        stage.has_status("after many questions", stream, CaptureStatus::Active)?;
        stage.copy(stream, first, last)?;
        let graph = stage.end(stream)?;
        stage.launch_graph(graph, stream)?;
        stage.brings("both nodes", stream, last, 5)?;
    }
    Ok(())
}
fn of_a_stream_that_joined<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let [origin, fork] = stage.streams()?;
    let (event, back) = (stage.event()?, stage.event()?);
    let [one, two, three] = stage.cells();
    stage.begin(origin, CaptureMode::ThreadLocal)?;
    stage.set(origin, one, 1)?;
    stage.record(event, origin)?;
    stage.has_status("a stream before it joins", fork, CaptureStatus::None)?;
    stage.wait(fork, event)?;
    stage.has_status("a stream that joined", fork, CaptureStatus::Active)?;
    stage.copy(fork, one, two)?;
    stage.record(back, fork)?;
    stage.wait(origin, back)?;
    stage.copy(origin, two, three)?;
    let graph = stage.end(origin)?;
    stage.has_status("the origin after the end", origin, CaptureStatus::None)?;
    stage.launch_graph(graph, origin)?;
    stage.brings("what all three nodes did", origin, three, 1)
}
fn beside_pending_work<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let stream = stage.stream()?;
    let gate = stage.hold(stream)?;
    let status =
        stage.at_once("the status of a held stream", || on.backend().capture_status(stream))?;
    same("the status of a held stream", status, CaptureStatus::None)?;
    stage.begin(stream, CaptureMode::ThreadLocal)?;
    stage.has_status("a capture behind held work", stream, CaptureStatus::Active)?;
    let _graph = stage.end(stream)?;
    stage.open(gate);
    stage.finishes(stream)
}

fn brings_the_one_before<S: StreamSubject>(on: &S) -> Checked {
    let driver = on.backend();
    on.elsewhere(|| {
        let mut before = CaptureMode::Global; // of every new thread
        for _ in 0..3 {
            for mode in [CaptureMode::Relaxed, CaptureMode::ThreadLocal, CaptureMode::Global] {
                same("the mode before", driver.exchange_capture_mode(mode), before)?;
                same("the same mode again", driver.exchange_capture_mode(mode), mode)?;
                before = mode;
            }
        }
        Ok(())
    })
}
fn is_the_threads_own<S: StreamSubject>(on: &S) -> Checked {
    let driver = on.backend();
    on.elsewhere(|| {
        driver.exchange_capture_mode(CaptureMode::Relaxed);
        let theirs = on.elsewhere(|| driver.exchange_capture_mode(CaptureMode::ThreadLocal));
        same("the mode of a new thread", theirs, CaptureMode::Global)?;
        let mine = driver.exchange_capture_mode(CaptureMode::Global);
        same("the first thread's mode", mine, CaptureMode::Relaxed)
    })
}
fn survives_captures<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let stream = stage.stream()?;
    for kept in MODES {
        let after = stage.in_mode(kept, || -> Checked<CaptureMode> {
            for mode in MODES {
                stage.begin(stream, mode)?;
                let _graph = stage.end(stream)?;
            }
            let _other = stage.stream()?;
            Ok(on.backend().exchange_capture_mode(kept))
        })?;
        same("the thread's mode after captures", after, kept)?;
    }
    Ok(())
}
