//! A chosen device: what it answers, and that it does no more than the answer needs.

use std::time::Duration;

use super::*;
use crate::chooser::Course;

/// A model whose device answers so.
fn answering(answers: &[u16]) -> Bench {
    moving(answers, Moving::Lazily)
}
fn moving(answers: &[u16], moving: Moving) -> Bench {
    let mut bench = Bench::new(P::Hip57);
    bench.model.follow(Course::new(answers.to_vec(), 0), moving);
    bench
}
fn finished(bench: &mut Bench) -> Vec<OpId> {
    let moves = bench.model.take_moves();
    let finished = moves.into_iter().filter_map(|one| match one {
        DeviceMove::Finished(op) => Some(op),
        _ => None,
    });
    finished.collect()
}

#[test]
fn nothing_is_finished_before_the_host_looks() {
    let mut bench = answering(&[0, 1]);
    let stream = bench.stream();
    let op = bench.run(stream, 5);
    bench.tick(1_000);
    assert_eq!(finished(&mut bench), []);
    assert_eq!(bench.query(stream), StreamState::Pending);
    assert_eq!(bench.query(stream), StreamState::Idle);
    assert_eq!(finished(&mut bench), [op]);
    assert_eq!(bench.model.device_answers(), [0, 1]);
}

#[test]
fn what_is_seen_is_finished_with_its_causes_and_nothing_else() {
    let mut bench = answering(&[1]);
    bench.model.set_queues(NonZeroU32::new(8).expect("not 0"));
    let [one, two, other] = [(); 3].map(|()| bench.stream());
    let before = bench.run(one, 5);
    let event = bench.call(|model| model.create_event(CAPTURER)).expect("nothing fails it");
    let _ = bench.call(|model| model.record(CAPTURER, event, one)).expect("it records");
    let _ = bench.call(|model| model.stream_wait(CAPTURER, two, event)).expect("it waits");
    let after = bench.run(two, 5);
    let _ = bench.run(one, 5);
    let _ = bench.run(other, 5);
    assert_eq!(bench.query(two), StreamState::Idle);
    assert_eq!(finished(&mut bench), [before, after]);
}

#[test]
fn work_ahead_on_the_same_hardware_queue_is_a_cause() {
    let mut bench = answering(&[1]);
    bench.model.set_queues(NonZeroU32::MIN);
    let [one, two] = [(); 2].map(|()| bench.stream());
    let ops = [bench.run(one, 5), bench.run(two, 5)];
    assert_eq!(bench.query(two), StreamState::Idle);
    assert_eq!(finished(&mut bench), ops);
}

#[test]
fn a_word_says_any_mark_that_is_on_its_way() {
    for (answer, says) in [(0, 0), (1, 1), (2, 2)] {
        let mut bench = answering(&[answer]);
        let stream = bench.stream();
        let word = bench.call(|model| model.open_progress(CAPTURER, stream)).expect("it has one");
        let mut at = Position::START;
        for _ in 0..2 {
            at = at.next();
            let _ = bench.run(stream, 5);
            let marked = bench.call(|model| model.mark(CAPTURER, stream, word, at));
            let _ = marked.expect("it is marked");
        }
        let seen = bench.call(|model| model.observe(CAPTURER, word));
        let wanted = (0..says).fold(Position::START, |at, _| at.next());
        assert_eq!(seen, wanted, "answer {answer}");
    }
}

#[test]
fn a_wait_with_a_limit_ends_in_time_or_not_and_one_without_ends_in_time() {
    for (answer, ends) in [(0, StreamWait::Finished), (1, StreamWait::TimedOut)] {
        let mut bench = answering(&[answer]);
        let stream = bench.stream();
        let _ = bench.run(stream, 5);
        let event = bench.call(|model| model.create_event(CAPTURER)).expect("nothing fails it");
        let _ = bench.call(|model| model.record(CAPTURER, event, stream)).expect("it records");
        let limit = Duration::from_secs(1);
        let waited = bench.call(|model| model.synchronize_event(CAPTURER, event, limit));
        assert_eq!(waited.answer, ends);
        let waited = bench.call(|model| model.synchronize(CAPTURER, stream));
        assert_eq!(waited.answer, StreamWait::Finished);
        assert_eq!(bench.model.device_answers(), [answer], "the second one was no choice");
    }
}

#[test]
fn work_without_an_end_is_no_choice_and_times_out() {
    let mut bench = answering(&[1, 1, 1]);
    let stream = bench.stream();
    bench.endless(stream);
    assert_eq!(bench.query(stream), StreamState::Pending);
    assert_eq!(bench.model.device_answers(), []);
    bench.model.end_endless(stream);
    assert_eq!(bench.query(stream), StreamState::Idle);
    assert_eq!(bench.model.device_answers(), [1]);
}

#[test]
fn an_eager_device_finishes_the_head_of_a_queue_at_any_call() {
    // At the second launch the first piece of work may be finished.
    let mut bench = moving(&[1], Moving::Eagerly);
    let stream = bench.stream();
    let one = bench.run(stream, 5);
    let _ = bench.run(stream, 5);
    assert_eq!(finished(&mut bench), [one]);
}

#[test]
fn once_it_is_let_go_of_all_that_was_put_off_goes_on_by_time() {
    let mut bench = answering(&[0]);
    let stream = bench.stream();
    let op = bench.run(stream, 5);
    assert_eq!(bench.query(stream), StreamState::Pending);
    bench.model.run_by_time();
    bench.tick(5);
    assert_eq!(finished(&mut bench), [op]);
}

#[test]
fn a_lost_device_answers_nothing() {
    let mut bench = answering(&[1]);
    let stream = bench.stream();
    let _ = bench.run(stream, 5);
    bench.model.lose_device();
    assert!(matches!(bench.query(stream), StreamState::Failed(_)));
    assert_eq!((finished(&mut bench), bench.model.device_answers()), (vec![], &[][..]));
}
