//! `StreamEvents`: creating, recording, asking, waiting on the host.

use std::{collections::HashSet, time::Duration};

use ringfence::backend::streams::{StreamEvents, StreamState, StreamWait};

use super::{
    super::{
        super::{
            Checked,
            check::{check, has, same},
        },
        StreamSubject,
        stage::{GRACE, PATIENCE, Stage},
    },
    StreamCase, case,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("events_1_never_recorded_is_finished", never_recorded),
        case("events_1_differ", differ),
        case("events_1_created_by_several_threads", by_several_threads),
        case("events_2_destroyed_while_pending", destroyed_while_pending),
        case("events_2_created_again_is_new", created_again),
        case("events_3_records_all_work_so_far", records_all_so_far),
        case("events_3_knows_no_later_work", knows_no_later_work),
        case("events_3_recorded_again_is_pending", recorded_again_pending),
        case("events_3_recorded_again_forgets", recorded_again_forgets),
        case("events_3_of_an_idle_stream", of_an_idle_stream),
        case("events_5_never_blocks", never_blocks),
        case("events_5_finished_means_all_of_it", finished_means_all),
        case("events_6_waits_for_the_recorded_work", waits_for_it),
        case("events_6_stops_at_its_limit", stops_at_its_limit),
        case("events_6_of_what_is_finished", of_what_is_finished),
    ]
}

fn never_recorded<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (event, stream, cell) = (stage.event()?, stage.stream()?, on.cell());
    same("an event that was never recorded", stage.asks_event(event), StreamState::Idle)?;
    let waited =
        stage.at_once("a wait for it", || on.backend().synchronize_event(event, PATIENCE))?;
    same("a wait for it", waited, StreamWait::Finished)?;
    stage.wait(stream, event)?;
    stage.set(stream, cell, 1)?;
    stage.brings("work behind it", stream, cell, 1)
}
fn differ<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let mut known = HashSet::new();
    for _ in 0..64 {
        let event = stage.event()?;
        check!(known.insert(event), "{event} stands for two events");
    }
    Ok(())
}
fn by_several_threads<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let made = on.together(4, |_| (0..16).map(|_| stage.event()).collect::<Checked<Vec<_>>>());
    let mut known = HashSet::new();
    for events in made {
        for event in events? {
            check!(known.insert(event), "{event} was given to two threads");
        }
    }
    same("events", known.len(), 64)
}
/// The recording goes on without it: who waits for it still does.
fn destroyed_while_pending<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let [one, two] = stage.streams()?;
    let [from, to] = stage.cells();
    let event = stage.event()?;
    let gate = stage.hold(one)?;
    stage.set(one, from, 8)?;
    stage.record(event, one)?;
    stage.wait(two, event)?;
    stage.at_once("the end of a pending event", || stage.destroy_event(event))?;
    stage.copy(two, from, to)?;
    stage.set(two, from, 9)?;
    stage.stays("work behind a destroyed event", from, 0)?;
    stage.open(gate);
    stage.brings("what it read", two, to, 8)?;
    stage.finishes(one)
}
fn created_again<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let stream = stage.stream()?;
    let gate = stage.hold(stream)?;
    for _ in 0..20 {
        let event = stage.event()?;
        same("a new event", stage.asks_event(event), StreamState::Idle)?;
        stage.record(event, stream)?;
        same("once recorded", stage.asks_event(event), StreamState::Pending)?;
        stage.destroy_event(event);
    }
    stage.open(gate);
    stage.finishes(stream)
}
fn records_all_so_far<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, event, cell) = (stage.stream()?, stage.event()?, on.cell());
    let gate = stage.hold(stream)?;
    stage.set(stream, cell, 1)?;
    stage.set(stream, cell, 2)?;
    stage.record(event, stream)?;
    stage.pends("an event behind held work", || stage.asks_event(event))?;
    stage.open(gate);
    stage.until("the event", || stage.asks_event(event) == StreamState::Idle)?;
    stage.holds("the work before it", cell, 2)
}
fn knows_no_later_work<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, event, cell) = (stage.stream()?, stage.event()?, on.cell());
    stage.set(stream, cell, 1)?;
    stage.record(event, stream)?;
    let gate = stage.hold(stream)?;
    stage.until("an event before held work", || stage.asks_event(event) == StreamState::Idle)?;
    stage.holds("the work before it", cell, 1)?;
    same("the stream", stage.asks(stream), StreamState::Pending)?;
    stage.open(gate);
    stage.finishes(stream)
}
fn recorded_again_pending<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, event) = (stage.stream()?, stage.event()?);
    for _ in 0..5 {
        stage.record(event, stream)?;
        stage.until("the recording", || stage.asks_event(event) == StreamState::Idle)?;
        let gate = stage.hold(stream)?;
        stage.record(event, stream)?;
        stage.pends("the same event behind held work", || stage.asks_event(event))?;
        stage.open(gate);
        stage.until("it", || stage.asks_event(event) == StreamState::Idle)?;
    }
    Ok(())
}
fn recorded_again_forgets<S: StreamSubject>(on: &S) -> Checked {
    has(on.facts().independent >= 2, "two streams beside each other")?;
    let stage = Stage::new(on);
    let [held, free] = stage.streams()?;
    let (event, cell) = (stage.event()?, on.cell());
    let gate = stage.hold(held)?;
    stage.record(event, held)?;
    same("behind held work", stage.asks_event(event), StreamState::Pending)?;
    stage.set(free, cell, 3)?;
    stage.record(event, free)?;
    stage.until("the recording on another stream", || {
        stage.asks_event(event) == StreamState::Idle
    })?;
    stage.holds("the work before it", cell, 3)?;
    same("the held stream", stage.asks(held), StreamState::Pending)?;
    stage.open(gate);
    stage.finishes(held)
}
fn of_an_idle_stream<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, event) = (stage.stream()?, stage.event()?);
    for _ in 0..20 {
        stage.record(event, stream)?;
        stage
            .until("an event of an idle stream", || stage.asks_event(event) == StreamState::Idle)?;
    }
    Ok(())
}
fn never_blocks<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, event) = (stage.stream()?, stage.event()?);
    let gate = stage.hold(stream)?;
    stage.record(event, stream)?;
    let pending = stage.at_once("100 queries of a held event", || {
        (0..100).all(|_| stage.asks_event(event) == StreamState::Pending)
    })?;
    check!(pending, "a held event is not pending");
    stage.open(gate);
    stage.finishes(stream)?;
    let cell = on.cell();
    for value in 1..=200 {
        stage.set(stream, cell, value)?;
    }
    stage.record(event, stream)?;
    let _any = stage.at_once("a query of an event behind much work", || stage.asks_event(event))?;
    stage.brings("all of it", stream, cell, 200)
}
fn finished_means_all<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, event, [first, last]) = (stage.stream()?, stage.event()?, stage.cells());
    for value in 1..=100 {
        stage.set(stream, first, value)?;
        stage.copy(stream, first, last)?;
        stage.record(event, stream)?;
        if stage.asks_event(event) == StreamState::Idle {
            stage.holds("at once", last, value)?;
        }
        stage.until("the event", || stage.asks_event(event) == StreamState::Idle)?;
        stage.holds("the work before it", last, value)?;
    }
    Ok(())
}
fn waits_for_it<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, event, cell) = (stage.stream()?, stage.event()?, on.cell());
    for value in 1..=50 {
        stage.set(stream, cell, value)?;
        stage.record(event, stream)?;
        let waited = on.backend().synchronize_event(event, PATIENCE);
        same("a wait for an event", waited, StreamWait::Finished)?;
        stage.holds("the work before it", cell, value)?;
    }
    Ok(())
}
fn stops_at_its_limit<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, event, cell) = (stage.stream()?, stage.event()?, on.cell());
    let gate = stage.hold(stream)?;
    stage.set(stream, cell, 4)?;
    stage.record(event, stream)?;
    for limit in [Duration::ZERO, GRACE] {
        let begin = on.now();
        let waited = on.backend().synchronize_event(event, limit);
        same("a wait for a held event", waited, StreamWait::TimedOut)?;
        let took = on.now().saturating_sub(begin);
        check!(took >= limit, "a wait of {limit:?} ended after {took:?}");
        check!(took < limit + PATIENCE / 10, "a wait of {limit:?} took {took:?}");
    }
    stage.holds("what is held", cell, 0)?;
    stage.open(gate);
    let waited = on.backend().synchronize_event(event, PATIENCE);
    same("the same wait, once the gate is open", waited, StreamWait::Finished)?;
    stage.holds("what was held", cell, 4)
}
fn of_what_is_finished<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, event) = (stage.stream()?, stage.event()?);
    stage.record(event, stream)?;
    stage.finishes(stream)?;
    let gate = stage.hold(stream)?;
    for limit in [Duration::ZERO, PATIENCE] {
        let waited = stage.at_once("a wait", || on.backend().synchronize_event(event, limit))?;
        same("a wait for what is finished", waited, StreamWait::Finished)?;
    }
    stage.open(gate);
    stage.finishes(stream)
}
