//! `StreamProgress`: words in host memory that say how far a stream is.

use std::time::Duration;

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus, StreamProgress, StreamWait},
    id::{Position, RawProgress, RawStream},
};
use ringfence_mock::streams::system::Words;

use super::{
    super::{
        super::{
            Checked,
            check::{check, has, same},
        },
        StreamSubject,
        stage::{GRACE, PATIENCE, Stage, ok},
    },
    StreamCase, case,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("progress_1_begins_at_the_start", begins_at_the_start),
        case("progress_1_says_that_there_is_none", says_that_there_is_none),
        case("progress_1_words_differ", words_differ),
        case("progress_2_reached_behind_the_work", behind_the_work),
        case("progress_2_positions_rise", positions_rise),
        case("progress_2_marks_of_an_idle_stream", of_an_idle_stream),
        case("progress_2_positions_may_be_left_out", left_out),
        case("progress_2_covers_waits", covers_waits),
        case("progress_2_covers_graphs", covers_graphs),
        case("progress_2_on_several_threads", on_several_threads),
        case("progress_3_what_was_written_is_visible", is_visible),
        case("progress_3_never_blocks", never_blocks),
        case("progress_3_disturbs_no_capture", disturbs_no_capture),
        case("progress_4_waits_until_it_is_reached", waits),
        case("progress_4_stops_at_its_limit", stops),
        case("progress_4_of_what_is_reached", of_what_is_reached),
        case("progress_5_closed_and_opened_again", closed_and_opened),
    ]
}

pub(super) const fn at(number: u64) -> Position {
    Position::new(number)
}
/// A stream with its word.
fn marked<S: StreamSubject>(stage: &Stage<'_, S>) -> Checked<(RawStream, RawProgress)> {
    let stream = stage.stream()?;
    match stage.word(stream)? {
        Some(word) => Ok((stream, word)),
        None => has(false, "a progress word").map(|()| unreachable!("it has none")),
    }
}
pub(super) fn mark<S: StreamSubject>(
    stage: &Stage<'_, S>,
    (stream, word): (RawStream, RawProgress),
    position: u64,
) -> Checked {
    ok("mark", stage.driver().mark(stream, word, at(position)))
}
fn reaches<S: StreamSubject>(stage: &Stage<'_, S>, word: RawProgress, position: u64) -> Checked {
    stage
        .until(&format!("position {position}"), || stage.driver().observe(word) >= at(position))?;
    same("the word", stage.driver().observe(word), at(position))
}

fn begins_at_the_start<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    for _ in 0..8 {
        let (_, word) = marked(&stage)?;
        same("a new word", on.backend().observe(word), Position::START)?;
    }
    Ok(())
}
fn says_that_there_is_none<S: StreamSubject>(on: &S) -> Checked {
    has(on.facts().words == Words::Off, "a driver without words")?;
    let stage = Stage::new(on);
    let stream = stage.stream()?;
    for _ in 0..3 {
        same("the word of a driver without words", stage.word(stream)?, None)?;
    }
    Ok(())
}
fn words_differ<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (one, two) = (marked(&stage)?, marked(&stage)?);
    check!(one.1 != two.1, "two streams have one word");
    mark(&stage, one, 5)?;
    reaches(&stage, one.1, 5)?;
    same("the other word", on.backend().observe(two.1), Position::START)?;
    mark(&stage, two, 9)?;
    reaches(&stage, two.1, 9)?;
    same("the first word", on.backend().observe(one.1), at(5))
}
fn behind_the_work<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, word) = marked(&stage)?;
    for position in 1..=5 {
        let gate = stage.hold(stream)?;
        mark(&stage, (stream, word), position)?;
        let early = on.settle(GRACE, || on.backend().observe(word) >= at(position));
        check!(!early, "position {position} is reached before the work");
        stage.open(gate);
        reaches(&stage, word, position)?;
    }
    Ok(())
}
/// Many marks under way at once: the word never goes back, and never runs ahead of the work.
fn positions_rise<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, word) = marked(&stage)?;
    let cell = on.cell();
    let gate = stage.hold(stream)?;
    for value in 1..=200 {
        stage.set(stream, cell, value)?;
        mark(&stage, (stream, word), u64::from(value))?;
    }
    stage.open(gate);
    let (mut last, mut wrong) = (0, None);
    stage.until("position 200", || {
        let now = on.backend().observe(word).as_u64();
        let written = u64::from(on.read(cell));
        if now < last {
            wrong = wrong.take().or(Some(format!("{now} after {last}")));
        }
        if written < now {
            wrong = wrong.take().or(Some(format!("{now}, and the work is at {written}")));
        }
        last = now;
        now >= 200
    })?;
    check!(wrong.is_none(), "the word says {}", wrong.unwrap_or_default());
    stage.brings("the last of 200", stream, cell, 200)
}
fn of_an_idle_stream<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, word) = marked(&stage)?;
    for position in 1..=50 {
        mark(&stage, (stream, word), position)?;
        reaches(&stage, word, position)?;
    }
    Ok(())
}
fn left_out<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, word) = marked(&stage)?;
    for position in [3, 4, 1_000, 70_000, (1 << 32) - 1, 1 << 32, (1 << 32) + 5, 1 << 40] {
        mark(&stage, (stream, word), position)?;
        reaches(&stage, word, position)?;
    }
    Ok(())
}
/// A mark is behind what its stream waits for, also where the stream has no work of its own.
fn covers_waits<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (held, event, cell) = (stage.stream()?, stage.event()?, on.cell());
    let (stream, word) = marked(&stage)?;
    let gate = stage.hold(held)?;
    stage.set(held, cell, 3)?;
    stage.record(event, held)?;
    stage.wait(stream, event)?;
    mark(&stage, (stream, word), 1)?;
    let early = on.settle(GRACE, || on.backend().observe(word) != Position::START);
    check!(!early, "a mark is reached before what its stream waits for");
    stage.open(gate);
    reaches(&stage, word, 1)?;
    stage.holds("what the stream waited for", cell, 3)
}
fn covers_graphs<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, word) = marked(&stage)?;
    let [from, to] = stage.cells();
    stage.begin(stream, CaptureMode::ThreadLocal)?;
    stage.copy(stream, from, to)?;
    let graph = stage.end(stream)?;
    for position in 1..=20 {
        let value = u32::try_from(position).expect("few");
        stage.set(stream, from, value)?;
        stage.launch_graph(graph, stream)?;
        mark(&stage, (stream, word), position)?;
        reaches(&stage, word, position)?;
        stage.holds("what the graph before the mark wrote", to, value)?;
    }
    Ok(())
}
fn on_several_threads<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let answers = on.together(4, |_| -> Checked<_> {
        let ((stream, word), cell) = (marked(&stage)?, on.cell());
        for value in 1..=50 {
            stage.set(stream, cell, value)?;
            mark(&stage, (stream, word), u64::from(value))?;
        }
        Ok((word, cell))
    });
    for answer in answers {
        let (word, cell) = answer?;
        reaches(&stage, word, 50)?;
        stage.holds("a thread's last work", cell, 50)?;
    }
    Ok(())
}
/// The load that brings a position brings what was written before it, at that moment.
fn is_visible<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, word) = marked(&stage)?;
    let [first, last] = stage.cells();
    for value in 1..=100 {
        stage.set(stream, first, value)?;
        stage.copy(stream, first, last)?;
        mark(&stage, (stream, word), u64::from(value))?;
        stage.until("the position", || on.backend().observe(word) >= at(u64::from(value)))?;
        stage.holds("what was written before it", last, value)?;
    }
    Ok(())
}
fn never_blocks<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, word) = marked(&stage)?;
    let gate = stage.hold(stream)?;
    let cell = on.cell();
    stage.set(stream, cell, 1)?;
    mark(&stage, (stream, word), 1)?;
    let all = stage.at_once("10,000 looks at a word behind held work", || {
        (0..10_000).all(|_| on.backend().observe(word) == Position::START)
    })?;
    check!(all, "a word behind held work moved");
    stage.open(gate);
    reaches(&stage, word, 1)?;
    for value in 2..=200 {
        stage.set(stream, cell, value)?;
    }
    mark(&stage, (stream, word), 2)?;
    let _any = stage.at_once("a look behind much work", || on.backend().observe(word))?;
    reaches(&stage, word, 2)
}
fn disturbs_no_capture<S: StreamSubject>(on: &S) -> Checked {
    for mode in super::modes::MODES {
        let stage = Stage::new(on);
        let (stream, word) = marked(&stage)?;
        let (other, cell) = (stage.stream()?, on.cell());
        stage.set(stream, cell, 1)?;
        mark(&stage, (stream, word), 1)?;
        stage.begin(other, mode)?;
        stage.set(other, cell, 2)?;
        reaches(&stage, word, 1)?;
        let there = on.elsewhere(|| on.backend().observe(word));
        same("the word on another thread", there, at(1))?;
        let waited = on.backend().wait_progress(word, at(1), PATIENCE);
        same("a wait beside a capture", waited, StreamWait::Finished)?;
        stage.has_status("after many looks", other, CaptureStatus::Active)?;
        let graph = stage.end(other)?;
        stage.holds("before the launch", cell, 1)?;
        stage.launch_graph(graph, other)?;
        stage.brings("the graph", other, cell, 2)?;
    }
    Ok(())
}
fn waits<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, word) = marked(&stage)?;
    let cell = on.cell();
    for value in 1..=50 {
        stage.set(stream, cell, value)?;
        mark(&stage, (stream, word), u64::from(value))?;
        let waited = on.backend().wait_progress(word, at(u64::from(value)), PATIENCE);
        same("a wait for a position", waited, StreamWait::Finished)?;
        stage.holds("what was written before it", cell, value)?;
    }
    Ok(())
}
fn stops<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, word) = marked(&stage)?;
    let gate = stage.hold(stream)?;
    mark(&stage, (stream, word), 1)?;
    for limit in [Duration::ZERO, GRACE] {
        let begin = on.now();
        let waited = on.backend().wait_progress(word, at(1), limit);
        same("a wait behind held work", waited, StreamWait::TimedOut)?;
        let took = on.now().saturating_sub(begin);
        check!(took >= limit, "a wait of {limit:?} ended after {took:?}");
        check!(took < limit + PATIENCE / 10, "a wait of {limit:?} took {took:?}");
    }
    stage.open(gate);
    let waited = on.backend().wait_progress(word, at(1), PATIENCE);
    same("the same wait, once the gate is open", waited, StreamWait::Finished)
}
fn of_what_is_reached<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, word) = marked(&stage)?;
    mark(&stage, (stream, word), 9)?;
    reaches(&stage, word, 9)?;
    let gate = stage.hold(stream)?;
    for position in [0, 1, 8, 9] {
        let wait = || on.backend().wait_progress(word, at(position), PATIENCE);
        let waited = stage.at_once("a wait for what is reached", wait)?;
        same("a wait for what is reached", waited, StreamWait::Finished)?;
    }
    stage.open(gate);
    stage.finishes(stream)
}
/// A new stream's word has nothing of the one before it.
fn closed_and_opened<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let kept = marked(&stage)?;
    mark(&stage, kept, 3)?;
    reaches(&stage, kept.1, 3)?;
    for position in 10..=40 {
        let (stream, word) = marked(&stage)?;
        same("a new word", on.backend().observe(word), Position::START)?;
        mark(&stage, (stream, word), position)?;
        reaches(&stage, word, position)?;
        stage.finishes(stream)?;
        stage.destroy(stream)?;
        stage.close_word(word);
        same("the word that is kept", on.backend().observe(kept.1), at(3))?;
    }
    Ok(())
}
