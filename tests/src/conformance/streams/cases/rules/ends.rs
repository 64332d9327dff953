//! `unjoined`, `second_end`, `broken_end`, `joined_fork`, `end_of_nothing`: how captures end.

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus, StreamCapture, StreamDriver},
    error::DriverError,
    id::{RawGraph, RawStream},
};
use ringfence_mock::streams::profile::{
    BrokenEnd, CapturingQuery, EndOfNothing, JoinedFork, SecondEnd, UnjoinedRule,
};

use super::{
    super::{
        super::{
            super::{
                Checked,
                check::{check, has, same},
            },
            StreamSubject,
            stage::Stage,
        },
        StreamCase, case, last_case,
        modes::MODES,
    },
    number,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("rules_end_of_nothing", end_of_nothing),
        case("rules_end_with_loose_ends", loose_ends),
        case("rules_end_without_the_only_work", without_the_only_work),
        last_case("rules_second_end_of_an_unjoined_capture", second_end),
        case("rules_stream_that_joined_a_capture", joined_fork),
        case("rules_invalidated_capture", invalidated),
    ]
}

fn end_of_nothing<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let stream = stage.stream()?;
    let expected = match on.facts().rules.end_of_nothing {
        EndOfNothing::IllegalState => 401,
        EndOfNothing::Unmatched => 903,
    };
    let ended = on.backend().end_capture(stream);
    same("the end of no capture", ended.map_err(number), Err(Some(expected)))?;
    stage.has_status("after it", stream, CaptureStatus::None)
}

/// A capture that another stream has joined, before and after which the origin has work.
struct Forked {
    origin: RawStream,
    fork: RawStream,
}
fn forked<S: StreamSubject>(stage: &Stage<'_, S>, mode: CaptureMode) -> Checked<Forked> {
    let [origin, fork] = stage.streams()?;
    let event = stage.event()?;
    stage.begin(origin, mode)?;
    stage.record(event, origin)?;
    stage.wait(fork, event)?;
    stage.has_status("a stream that joined", fork, CaptureStatus::Active)?;
    Ok(Forked { origin, fork })
}
fn is_unjoined(what: &str, ended: Result<RawGraph, DriverError>) -> Checked {
    let unjoined = matches!(ended, Err(DriverError::CaptureFailed(_)));
    check!(unjoined, "{what}: {ended:?}");
    Ok(())
}
/// Both with work, joined, and nothing after the join: HIP 5.2 calls that unjoined.
fn loose_ends<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let ([one, two], back) = (stage.cells(), stage.event()?);
    let Forked { origin, fork } = forked(&stage, CaptureMode::ThreadLocal)?;
    stage.set(origin, one, 1)?;
    stage.set(fork, two, 2)?;
    stage.record(back, fork)?;
    stage.wait(origin, back)?;
    match on.facts().rules.unjoined {
        UnjoinedRule::LooseEnds => {
            is_unjoined("the end with loose ends", on.backend().end_capture(origin))
        }
        UnjoinedRule::Forks => {
            let graph = stage.end(origin)?;
            let runs = stage.stream()?;
            stage.launch_graph(graph, runs)?;
            stage.brings("the origin's node", runs, one, 1)?;
            stage.holds("the joined stream's node", two, 2)
        }
    }
}
/// Work on the stream that joined alone, and no join: HIP 5.2 does not mind.
fn without_the_only_work<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let cell = on.cell();
    let Forked { origin, fork } = forked(&stage, CaptureMode::ThreadLocal)?;
    stage.set(fork, cell, 5)?;
    match on.facts().rules.unjoined {
        UnjoinedRule::Forks => {
            is_unjoined("the end without the only work", on.backend().end_capture(origin))?;
            stage.stays("what the unjoined stream recorded", cell, 0)
        }
        UnjoinedRule::LooseEnds => {
            let graph = stage.end(origin)?;
            let runs = stage.stream()?;
            stage.launch_graph(graph, runs)?;
            stage.brings("the only node", runs, cell, 5)
        }
    }
}
fn second_end<S: StreamSubject>(on: &S) -> Checked {
    let rule = on.facts().rules.second_end;
    for mode in MODES {
        let stage = Stage::new(on);
        let [one, two] = stage.cells();
        let Forked { origin, fork } = forked(&stage, mode)?;
        stage.set(origin, one, 1)?;
        stage.set(fork, two, 2)?;
        is_unjoined("the first end", on.backend().end_capture(origin))?;
        let left = match rule {
            SecondEnd::Over => CaptureStatus::None,
            SecondEnd::Unjoined | SecondEnd::RelaxedCrashes => CaptureStatus::Active,
        };
        let what = format!("the status after the first end of a {mode:?} capture");
        stage.has_status(&what, origin, left)?;
        stage.has_status(&what, fork, left)?;
        if mode != CaptureMode::Relaxed || rule != SecondEnd::RelaxedCrashes {
            let again = on.backend().end_capture(origin);
            check!(again.is_err(), "a second end of a {mode:?} capture brought {again:?}");
        }
        // Only the end of the stream gets rid of it.
        stage.destroy(fork)?;
        stage.destroy(origin)?;
        let (new, cell) = (stage.stream()?, on.cell());
        stage.has_status("a new stream", new, CaptureStatus::None)?;
        stage.set(new, cell, 3)?;
        stage.brings("its work", new, cell, 3)?;
        stage.holds("what the unjoined stream recorded", two, 0)?;
    }
    Ok(())
}
fn joined_fork<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let ([one, two, three], back, after) = (stage.cells(), stage.event()?, on.cell());
    let Forked { origin, fork } = forked(&stage, CaptureMode::ThreadLocal)?;
    stage.set(origin, one, 1)?;
    stage.set(fork, two, 2)?;
    stage.record(back, fork)?;
    stage.wait(origin, back)?;
    stage.set(origin, three, 3)?;
    let graph = stage.end(origin)?;
    stage.has_status("the origin after a good end", origin, CaptureStatus::None)?;
    match on.facts().rules.joined_fork {
        JoinedFork::Clears => {
            stage.has_status("a stream that joined, after", fork, CaptureStatus::None)?;
            stage.set(fork, after, 4)?;
            stage.brings("its later work", fork, after, 4)?;
        }
        // It says that it still captures, and its work never runs.
        JoinedFork::StaysActive => {
            stage.has_status("a stream that joined, after", fork, CaptureStatus::Active)?;
            stage.set(fork, after, 4)?;
            stage.stays("its later work", after, 0)?;
            check!(on.backend().begin_capture(fork, CaptureMode::Relaxed).is_err(), "it captures");
            return stage.destroy(fork);
        }
    }
    stage.launch_graph(graph, origin)?;
    stage.brings("the graph", origin, three, 3)?;
    same("its other nodes", (on.read(one), on.read(two)), (1, 2))
}
fn invalidated<S: StreamSubject>(on: &S) -> Checked {
    let rules = on.facts().rules;
    has(rules.capturing_query == CapturingQuery::Invalidates, "a call that invalidates a capture")?;
    for mode in MODES {
        let stage = Stage::new(on);
        let (stream, [before, after]) = (stage.stream()?, stage.cells());
        stage.begin(stream, mode)?;
        stage.set(stream, before, 1)?;
        let _unknown = on.backend().query(stream);
        stage.has_status("after the fatal query", stream, CaptureStatus::Invalidated)?;
        let there = on.elsewhere(|| on.backend().capture_status(stream));
        same("on another thread", there, CaptureStatus::Invalidated)?;
        check!(stage.set(stream, after, 2).is_err(), "work was taken by a broken capture");
        let ended = on.backend().end_capture(stream);
        check!(matches!(ended, Err(DriverError::CaptureFailed(_))), "it ended in {ended:?}");
        match rules.broken_end {
            BrokenEnd::Sticks => {
                stage.has_status("after its end", stream, CaptureStatus::Invalidated)?;
                check!(stage.set(stream, after, 2).is_err(), "work was taken after a broken end");
            }
            BrokenEnd::Clears => {
                stage.has_status("after its end", stream, CaptureStatus::None)?;
                stage.set(stream, after, 2)?;
                stage.brings("work after its end", stream, after, 2)?;
            }
        }
        stage.holds("what was recorded", before, 0)?;
        stage.destroy(stream)?;
    }
    Ok(())
}
