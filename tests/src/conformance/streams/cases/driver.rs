//! `StreamDriver`: creating, destroying, asking.

use std::collections::HashSet;

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus, StreamDriver, StreamState, StreamWork},
    error::DriverError,
    id::{Priority, RawStream, StreamFlags},
};

use super::{
    super::{
        super::{
            Checked,
            check::{check, has, same},
        },
        Spot, StreamSubject,
        stage::{Stage, in_mode, ok},
    },
    StreamCase, case,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("driver_1_created_idle_and_not_capturing", created_idle),
        case("driver_1_handles_differ", handles_differ),
        case("driver_1_created_by_several_threads", by_several_threads),
        case("driver_1_many_at_once", many_at_once),
        case("driver_1_of_every_priority", of_every_priority),
        case("driver_1_blocking_and_not", blocking_and_not),
        case("driver_1_created_while_others_capture", while_others_capture),
        case("driver_2_destroyed_and_created_again", destroyed_and_created),
        case("driver_2_destroyed_on_another_thread", destroyed_elsewhere),
        case("driver_2_leaves_the_others_alone", leaves_the_others_alone),
        case("driver_4_idle_pending_and_idle_again", idle_pending_idle),
        case("driver_4_never_blocks", never_blocks),
        case("driver_4_idle_means_all_of_it", idle_means_all),
        case("driver_4_of_one_stream_alone", of_one_stream),
        case("driver_4_asked_by_several_threads", asked_by_several),
    ]
}

/// A stream does what it is told.
fn works<S: StreamSubject>(stage: &Stage<'_, S>, stream: RawStream, value: u32) -> Checked {
    let cell = stage.on.cell();
    stage.set(stream, cell, value)?;
    stage.brings("what a stream wrote", stream, cell, value)
}
fn created_idle<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    for value in 0..32 {
        let stream = stage.stream()?;
        check!(stream.as_u64() > 2, "a new stream with the handle of a default stream");
        stage.has_status("the status of a new stream", stream, CaptureStatus::None)?;
        same("the state of a new stream", stage.asks(stream), StreamState::Idle)?;
        works(&stage, stream, value)?;
    }
    Ok(())
}
fn handles_differ<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let mut known = HashSet::new();
    for _ in 0..64 {
        let stream = stage.stream()?;
        check!(known.insert(stream), "{stream} stands for two streams");
    }
    Ok(())
}
fn by_several_threads<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let made =
        on.together(4, |_| -> Checked<Vec<RawStream>> { (0..8).map(|_| stage.stream()).collect() });
    let mut known = HashSet::new();
    for streams in made {
        for stream in streams? {
            check!(known.insert(stream), "{stream} was given to two threads");
            works(&stage, stream, 5)?;
        }
    }
    same("streams", known.len(), 32)
}
fn many_at_once<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let count = on.facts().scale.streams;
    let mut all = Vec::new();
    for value in 0..count {
        let (stream, cell) = (stage.stream()?, on.cell());
        let value = u32::try_from(value).expect("few streams") + 1;
        stage.set(stream, cell, value)?;
        all.push((stream, cell, value));
    }
    let differ: HashSet<_> = all.iter().map(|(stream, ..)| *stream).collect();
    same("streams that differ", differ.len(), count)?;
    for &(stream, cell, value) in &all {
        stage.brings("what one of many streams wrote", stream, cell, value)?;
    }
    for (stream, ..) in all {
        stage.destroy(stream)?;
    }
    works(&stage, stage.stream()?, 9)
}
fn of_every_priority<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let levels = [Priority::Level(-7), Priority::Level(-1), Priority::Level(0), Priority::Level(7)];
    for priority in [Priority::Low, Priority::Normal, Priority::High].into_iter().chain(levels) {
        let stream = stage.stream_of(on.key().with_priority(priority))?;
        works(&stage, stream, 3)?;
    }
    Ok(())
}
fn blocking_and_not<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    for flags in [StreamFlags::empty(), StreamFlags::NON_BLOCKING] {
        let (one, two) = {
            let key = on.key().with_flags(flags);
            (stage.stream_of(key)?, stage.stream_of(key)?)
        };
        let [first, second] = stage.cells();
        let event = stage.event()?;
        stage.set(one, first, 4)?;
        stage.record(event, one)?;
        stage.wait(two, event)?;
        stage.copy(two, first, second)?;
        stage.brings("what one stream of this kind read from another", two, second, 4)?;
    }
    Ok(())
}
fn while_others_capture<S: StreamSubject>(on: &S) -> Checked {
    for mode in [CaptureMode::Global, CaptureMode::ThreadLocal, CaptureMode::Relaxed] {
        let stage = Stage::new(on);
        let (stream, [cell, other]) = (stage.stream()?, stage.cells());
        stage.begin(stream, mode)?;
        stage.set(stream, cell, 8)?;
        let here = stage.stream()?;
        let there = on.elsewhere(|| stage.stream())?;
        stage.has_status(
            "a stream that was created beside a capture",
            here,
            CaptureStatus::None,
        )?;
        stage.set(there, other, 2)?;
        stage.set(stream, other, 6)?;
        let graph = stage.end(stream)?;
        stage.brings("work beside the capture", there, other, 2)?;
        stage.launch_graph(graph, here)?;
        stage.brings("the first node", here, cell, 8)?;
        stage.holds("the second node", other, 6)?;
    }
    Ok(())
}
fn destroyed_and_created<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let kept = stage.stream()?;
    for value in 1..=100 {
        let stream = stage.stream()?;
        check!(stream != kept, "{kept} was given out again, and exists");
        works(&stage, stream, value)?;
        stage.destroy(stream)?;
    }
    works(&stage, kept, 1)
}
fn destroyed_elsewhere<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let [one, two] = stage.streams()?;
    works(&stage, one, 1)?;
    on.elsewhere(|| stage.destroy(one))?;
    works(&stage, two, 2)
}
fn leaves_the_others_alone<S: StreamSubject>(on: &S) -> Checked {
    has(on.facts().independent >= 2, "two streams beside each other")?;
    let stage = Stage::new(on);
    let [held, idle] = stage.streams()?;
    let cell = on.cell();
    let gate = stage.hold(held)?;
    stage.set(held, cell, 3)?;
    same("the idle stream", stage.asks(idle), StreamState::Idle)?;
    stage.destroy(idle)?;
    stage.pends("a stream after the end of another", || stage.asks(held))?;
    stage.holds("what is held", cell, 0)?;
    stage.open(gate);
    stage.brings("what was held", held, cell, 3)
}
fn idle_pending_idle<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let stream = stage.stream()?;
    for _ in 0..5 {
        same("before", stage.asks(stream), StreamState::Idle)?;
        let gate = stage.hold(stream)?;
        stage.pends("a stream with held work", || stage.asks(stream))?;
        stage.open(gate);
        stage.finishes(stream)?;
    }
    Ok(())
}
fn never_blocks<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let stream = stage.stream()?;
    let gate = stage.hold(stream)?;
    let cell = on.cell();
    stage.set(stream, cell, 1)?;
    let pending = stage.at_once("100 queries of a held stream", || {
        (0..100).all(|_| stage.asks(stream) == StreamState::Pending)
    })?;
    check!(pending, "a held stream is not pending");
    stage.open(gate);
    stage.brings("what was held", stream, cell, 1)?;
    // Unheld work runs in its own time: a query does not wait for it.
    for value in 2..=200 {
        stage.set(stream, cell, value)?;
    }
    let _any = stage.at_once("a query of a busy stream", || stage.asks(stream))?;
    stage.brings("all of it", stream, cell, 200)
}
/// Each time that a query says so, everything is there.
fn idle_means_all<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, [first, last]) = (stage.stream()?, stage.cells());
    for value in 1..=100 {
        stage.set(stream, first, value)?;
        stage.copy(stream, first, last)?;
        // Most of these are asked in the middle of it.
        if stage.asks(stream) == StreamState::Idle {
            stage.holds("at once", last, value)?;
        }
        stage.brings("the last of two", stream, last, value)?;
    }
    Ok(())
}
fn of_one_stream<S: StreamSubject>(on: &S) -> Checked {
    has(on.facts().independent >= 2, "two streams beside each other")?;
    let stage = Stage::new(on);
    let [held, free] = stage.streams()?;
    let (gate, cell) = (stage.hold(held)?, on.cell());
    stage.set(free, cell, 2)?;
    stage.brings("what the other stream wrote", free, cell, 2)?;
    same("the held one", stage.asks(held), StreamState::Pending)?;
    stage.open(gate);
    stage.finishes(held)
}
fn asked_by_several<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, cell) = (stage.stream()?, on.cell());
    let gate = stage.hold(stream)?;
    let driver = on.backend();
    let launched: Result<(), DriverError> = driver.launch(stream, on.set(Spot::Cell(cell), 6));
    ok("launch", launched)?;
    let ask = || in_mode(driver, CaptureMode::Relaxed, || driver.query(stream));
    let held = on.together(4, |_| (0..50).all(|_| ask() == StreamState::Pending));
    same("four threads that ask about a held stream", held, vec![true; 4])?;
    stage.open(gate);
    stage.finishes(stream)?;
    let after = on.together(4, |_| (ask(), on.read(cell)));
    same("four threads that ask afterwards", after, vec![(StreamState::Idle, 6); 4])
}
