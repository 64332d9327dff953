//! `StreamEvents`: streams that wait for each other on the device.

use ringfence::{
    backend::streams::{StreamEvents, StreamState},
    id::RawStream,
};

use super::{
    super::{
        super::{
            Checked,
            check::{has, same},
        },
        StreamSubject,
        stage::{Stage, ok},
    },
    StreamCase, case,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("events_4_orders_two_streams", orders_two),
        case("events_4_holds_back_later_work_alone", holds_back_later_work),
        case("events_4_is_a_snapshot", is_a_snapshot),
        case("events_4_is_not_loosened_by_a_later_record", is_not_loosened),
        case("events_4_waits_add_up", waits_add_up),
        case("events_4_of_its_own_stream_passes", of_its_own_stream),
        case("events_4_chains_over_many_streams", chains),
        case("events_4_of_many_waiters", many_waiters),
        case("events_4_on_several_threads", on_several_threads),
    ]
}

fn orders_two<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let [one, two] = stage.streams()?;
    let ([from, to], event) = (stage.cells(), stage.event()?);
    for value in 1..=20 {
        let gate = stage.hold(one)?;
        stage.set(one, from, value)?;
        stage.record(event, one)?;
        stage.wait(two, event)?;
        stage.copy(two, from, to)?;
        stage.stays("what waits for held work", to, value - 1)?;
        same("the waiter", stage.asks(two), StreamState::Pending)?;
        stage.open(gate);
        stage.brings("what it read", two, to, value)?;
    }
    Ok(())
}
fn holds_back_later_work<S: StreamSubject>(on: &S) -> Checked {
    has(on.facts().independent >= 2, "two streams beside each other")?;
    let stage = Stage::new(on);
    let [held, waiter] = stage.streams()?;
    let ([before, after], event) = (stage.cells(), stage.event()?);
    let gate = stage.hold(held)?;
    stage.record(event, held)?;
    stage.set(waiter, before, 1)?;
    stage.wait(waiter, event)?;
    stage.set(waiter, after, 1)?;
    stage.until("what was there before the wait", || on.read(before) == 1)?;
    stage.stays("what came after it", after, 0)?;
    stage.open(gate);
    stage.brings("what came after it", waiter, after, 1)
}
/// What is recorded after the wait does not concern the waiter.
fn is_a_snapshot<S: StreamSubject>(on: &S) -> Checked {
    has(on.facts().independent >= 2, "two streams beside each other")?;
    let stage = Stage::new(on);
    let [source, waiter] = stage.streams()?;
    let ([from, to], event) = (stage.cells(), stage.event()?);
    stage.set(source, from, 6)?;
    stage.record(event, source)?;
    stage.wait(waiter, event)?;
    let gate = stage.hold(source)?;
    stage.record(event, source)?;
    stage.copy(waiter, from, to)?;
    stage.brings("what the waiter read", waiter, to, 6)?;
    same("the event", stage.asks_event(event), StreamState::Pending)?;
    stage.open(gate);
    stage.finishes(source)
}
fn is_not_loosened<S: StreamSubject>(on: &S) -> Checked {
    has(on.facts().independent >= 3, "three streams beside each other")?;
    let stage = Stage::new(on);
    let [held, free, waiter] = stage.streams()?;
    let ([from, to], event) = (stage.cells(), stage.event()?);
    let gate = stage.hold(held)?;
    stage.set(held, from, 4)?;
    stage.record(event, held)?;
    stage.wait(waiter, event)?;
    stage.record(event, free)?;
    stage.until("the new recording", || stage.asks_event(event) == StreamState::Idle)?;
    stage.copy(waiter, from, to)?;
    stage.set(waiter, from, 5)?;
    stage.stays("what waits for the old recording", from, 0)?;
    stage.open(gate);
    stage.brings("what it read", waiter, to, 4)
}
fn waits_add_up<S: StreamSubject>(on: &S) -> Checked {
    has(on.facts().independent >= 3, "three streams beside each other")?;
    for first in [0, 1] {
        let stage = Stage::new(on);
        let [one, two, waiter] = stage.streams()?;
        let held = [one, two];
        let gates = [stage.hold(one)?, stage.hold(two)?];
        let (sources, sums) = (stage.cells::<2>(), stage.cells::<2>());
        for ((stream, source), value) in held.into_iter().zip(sources).zip(1..) {
            let event = stage.event()?;
            stage.set(stream, source, value)?;
            stage.record(event, stream)?;
            stage.wait(waiter, event)?;
        }
        for (source, sum) in sources.into_iter().zip(sums) {
            stage.copy(waiter, source, sum)?;
        }
        stage.open(gates[first]);
        stage.finishes(held[first])?;
        stage.pends("a waiter with one of two gates open", || stage.asks(waiter))?;
        stage.open(gates[1 - first]);
        stage.brings("what it read of the first", waiter, sums[0], 1)?;
        stage.holds("what it read of the second", sums[1], 2)?;
    }
    Ok(())
}
fn of_its_own_stream<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, event, cell) = (stage.stream()?, stage.event()?, on.cell());
    for value in 1..=20 {
        stage.set(stream, cell, value)?;
        stage.record(event, stream)?;
        stage.wait(stream, event)?;
        stage.set(stream, cell, value + 1)?;
        stage.brings("work behind a stream's own event", stream, cell, value + 1)?;
    }
    Ok(())
}
/// A value goes round over streams that all work at once.
fn chains<S: StreamSubject>(on: &S) -> Checked {
    const STREAMS: usize = 8;
    const HOPS: usize = 64;
    let stage = Stage::new(on);
    let streams: [RawStream; STREAMS] = stage.streams()?;
    let cells: Vec<_> = (0..=HOPS).map(|_| on.cell()).collect();
    let mut event = stage.event()?;
    stage.set(streams[0], cells[0], 77)?;
    stage.record(event, streams[0])?;
    for hop in 0..HOPS {
        let stream = streams[(hop + 1) % STREAMS];
        stage.wait(stream, event)?;
        stage.copy(stream, cells[hop], cells[hop + 1])?;
        event = stage.event()?;
        stage.record(event, stream)?;
    }
    stage.brings("the end of the chain", streams[HOPS % STREAMS], cells[HOPS], 77)
}
fn many_waiters<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (source, from, event) = (stage.stream()?, on.cell(), stage.event()?);
    let gate = stage.hold(source)?;
    stage.set(source, from, 12)?;
    stage.record(event, source)?;
    let mut waiters = Vec::new();
    for _ in 0..12 {
        let (stream, to) = (stage.stream()?, on.cell());
        stage.wait(stream, event)?;
        stage.copy(stream, from, to)?;
        waiters.push((stream, to));
    }
    stage.open(gate);
    for (stream, to) in waiters {
        stage.brings("what one of many waiters read", stream, to, 12)?;
    }
    Ok(())
}
/// Each thread hands a value from stream to stream, beside the others.
fn on_several_threads<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let answers = on.together(4, |number| -> Checked<_> {
        let [one, two] = stage.streams()?;
        let [from, to] = stage.cells();
        let number = u32::try_from(number).expect("4 threads");
        for round in 0..25 {
            let event = stage.event()?;
            stage.set(one, from, number * 100 + round)?;
            ok("record", on.backend().record_event(event, one))?;
            stage.wait(two, event)?;
            stage.copy(two, from, to)?;
            let back = stage.event()?;
            stage.record(back, two)?;
            stage.wait(one, back)?;
        }
        Ok((two, to, number * 100 + 24))
    });
    for answer in answers {
        let (stream, cell, value) = answer?;
        stage.brings("the last value of a thread", stream, cell, value)?;
    }
    Ok(())
}
