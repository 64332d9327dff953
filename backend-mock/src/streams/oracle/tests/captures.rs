//! T9 and T13 around captures.

use super::*;

fn captured_record(bench: &mut Bench, stream: RawStream) {
    bench.held(Call::Record { event: EVENT, stream, captured: true, outcome: Ok(()) });
}

#[test]
fn a_stream_whose_capture_ended_is_handed_on() {
    let mut bench = Bench::leased();
    bench.begin_capture(RAW);
    let node = bench.node(RAW);
    bench.end_capture(RAW, &[node]);
    bench.release(1);
    bench.query(RAW, StreamState::Idle);
    bench.lease(2, RAW, stamp(0, 1));
    bench.ends_well();
}
#[test]
fn t9_a_failed_capture_leaves_its_stream_in_doubt() {
    for (error, looked, legal) in
        [(bad(), false, false), (bad(), true, true), (refused(), false, false)]
    {
        let mut bench = Bench::leased();
        bench.begin_capture(RAW);
        bench.held(Call::EndCapture { stream: RAW, outcome: Err(error), ops: vec![] });
        bench.release(1);
        if looked {
            bench.status(RAW, CaptureStatus::None);
        }
        bench.lease(2, RAW, stamp(0, 1));
        if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T9) }
    }
}
#[test]
fn t9_a_stream_that_joined_a_capture() {
    for (ended, legal) in [(false, false), (true, true)] {
        let mut bench = Bench::two();
        bench.begin_capture(RAW);
        captured_record(&mut bench, RAW);
        bench.wait(OTHER, EVENT, &[]);
        if ended {
            bench.end_capture(RAW, &[]);
        }
        bench.release(2);
        bench.lease(3, OTHER, stamp(1, 1));
        if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T9) }
    }
}
#[test]
fn t9_an_invalidated_capture_needs_an_end() {
    let mut bench = Bench::leased();
    bench.begin_capture(RAW);
    let invalidated = vec![RAW];
    bench.user(Call::Query { stream: OTHER, outcome: StreamState::Unknown, invalidated });
    bench.release(1);
    bench.lease(2, RAW, stamp(0, 1));
    bench.broke(StreamRule::T9);
}
#[test]
fn t9_comes_before_the_work_of_the_last_owner() {
    let mut bench = Bench::leased();
    bench.work(RAW);
    bench.begin_capture(RAW);
    bench.release(1);
    bench.lease(2, RAW, stamp(0, 1));
    bench.broke(StreamRule::T9);
}
#[test]
fn t13_a_position_is_marked_in_a_capture() {
    for (captured, legal) in [(false, true), (true, false)] {
        let mut bench = Bench::leased();
        let (stream, word, position) = (RAW, WORD, Position::new(1));
        let (op, outcome) = (Some(OpId::new(1)), Ok(()));
        let locks = if captured { 2 } else { 1 };
        bench.with_locks(locks, 1, Call::Mark { stream, word, position, op, captured, outcome });
        if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T13) }
    }
}
#[test]
fn t13_progress_falls() {
    let mut bench = Bench::new();
    bench.create_with_word(RAW, WORD);
    for position in [0, 3, 3] {
        bench.bare(Call::Observe { word: WORD, outcome: Position::new(position) });
    }
    bench.broke_nothing();
    bench.bare(Call::Observe { word: WORD, outcome: Position::new(2) });
    bench.broke(StreamRule::T13);
}
