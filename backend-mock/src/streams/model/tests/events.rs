//! M11, M12: events and device-side waits around captures.

use std::time::Duration;

use super::*;

const LIMIT: Duration = Duration::from_micros(100);

fn sync(bench: &mut Bench, event: RawEvent) -> StreamWait {
    bench.call(|model| model.synchronize_event(OTHER, event, LIMIT)).answer
}
fn ask(bench: &mut Bench, event: RawEvent) -> StreamState {
    bench.call(|model| model.query_event(OTHER, event)).answer
}

#[test]
fn m11_an_event_of_a_stream_that_captures_now() {
    for (profile, query, wait, broken) in [
        (P::Hip52, StreamState::Idle, StreamWait::Finished, false),
        (P::Hip57, StreamState::Idle, StreamWait::Unknown, false),
        (P::Clr2024, StreamState::Unknown, StreamWait::Unknown, true),
        (P::ClrNew, StreamState::Unknown, StreamWait::Unknown, true),
        (P::Cuda, StreamState::Idle, StreamWait::Finished, false),
    ] {
        let captures = || {
            let mut bench = Bench::new(profile);
            let stream = bench.stream();
            let old = bench.recorded(stream);
            bench.begin(stream, CaptureMode::Relaxed);
            bench.model.exchange_mode(OTHER, CaptureMode::Relaxed);
            (bench, stream, old)
        };
        let (mut bench, stream, old) = captures();
        assert_eq!(ask(&mut bench, old), query, "{profile}");
        assert_eq!(bench.status(stream) == CaptureStatus::Invalidated, broken, "{profile}");
        let (mut bench, stream, old) = captures();
        assert_eq!(sync(&mut bench, old), wait, "{profile}");
        assert_eq!(bench.status(stream) == CaptureStatus::Invalidated, broken, "{profile}");
    }
}

/// The handle went to another stream, whose capture an event of the old one breaks.
#[test]
fn m11_an_old_event_breaks_the_new_owner_of_the_handle() {
    for (profile, broken) in [(P::Hip57, false), (P::Clr2024, true)] {
        let mut bench = Bench::new(profile);
        let first = bench.stream();
        let old = bench.recorded(first);
        bench.call(|model| model.destroy(CAPTURER, first)).expect("it exists");
        let second = bench.stream();
        assert_eq!(first, second, "the handle comes back");
        bench.begin(second, CaptureMode::ThreadLocal);
        assert_eq!(sync(&mut bench, old), StreamWait::Unknown, "{profile}");
        let other = bench.stream();
        let wait = bench.wait(other, old);
        assert_eq!(wait == Err(code::ISOLATION), !broken, "{profile}");
        assert_eq!(bench.status(second) == CaptureStatus::Invalidated, broken, "{profile}");
    }
}

#[test]
fn m11_an_event_that_was_recorded_into_a_capture() {
    for (profile, query, broken) in [
        (P::Hip52, StreamState::Idle, false),
        (P::Hip57, StreamState::Idle, false),
        (P::Clr2024, StreamState::Unknown, true),
        (P::ClrNew, StreamState::Unknown, true),
        (P::Cuda, StreamState::Unknown, true),
    ] {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        bench.begin(stream, CaptureMode::Relaxed);
        let event = bench.recorded(stream);
        bench.model.exchange_mode(OTHER, CaptureMode::Relaxed);
        assert_eq!(ask(&mut bench, event), query, "{profile}");
        assert_eq!(bench.status(stream) == CaptureStatus::Invalidated, broken, "{profile}");
    }
}

#[test]
fn m11_an_event_of_another_stream_is_asked_as_its_stream() {
    for (profile, query, wait) in [
        (P::Hip52, NONE, NONE),
        (P::Hip57, NONE, "GsG GsT GsR GoG GoT GoR TsG TsT TsR"),
        (P::Clr2024, "GsG GsT GoG GoT TsG TsT", "GsG GsT GoG GoT TsG TsT"),
        (P::Cuda, "GsG GsT GoG TsG TsT", "GsG GsT GoG TsG TsT"),
    ] {
        let (refused, _) = refusals(profile, |bench, _, other, by| {
            let event = bench.recorded(other);
            bench.call(|model| model.query_event(by, event)).answer == StreamState::Unknown
        });
        assert_eq!(refused, query, "{profile}");
        let (refused, _) = refusals(profile, |bench, _, other, by| {
            let event = bench.recorded(other);
            let asked = bench.call(|model| model.synchronize_event(by, event, LIMIT));
            asked.answer == StreamWait::Unknown
        });
        assert_eq!(refused, wait, "{profile}");
    }
}

#[test]
fn m11_an_event_after_its_stream() {
    for (profile, asked, waited) in [
        (P::Hip52, false, false),
        (P::Hip57, false, true),
        (P::Hip64, false, false),
        (P::Clr2024, true, false),
        (P::Cuda, false, false),
    ] {
        let mut bench = Bench::new(profile);
        let (stream, waiter) = (bench.stream(), bench.stream());
        let event = bench.recorded(stream);
        bench.call(|model| model.destroy(CAPTURER, stream)).expect("it exists");
        let state = ask(&mut bench, event);
        assert_eq!((state == StreamState::Idle, bench.crashed()), (!asked, asked), "{profile}");
        if !asked {
            assert_eq!(bench.wait(waiter, event).is_err(), waited, "{profile}");
            assert_eq!(bench.crashed(), waited, "{profile}");
        }
    }
}

#[test]
fn events_cover_what_was_recorded_and_waits_what_was_recorded_by_then() {
    let mut bench = Bench::new(P::Hip57);
    let (producer, waiter) = (bench.stream(), bench.stream());
    let event = bench.event();
    assert_eq!(ask(&mut bench, event), StreamState::Idle, "never recorded");
    bench.run(producer, 10);
    let _ = bench.model.record(CAPTURER, event, producer);
    bench.wait(waiter, event).expect("nothing refuses it");
    assert_eq!(ask(&mut bench, event), StreamState::Pending);
    assert_eq!(bench.query(waiter), StreamState::Pending, "it waits");
    bench.run(producer, 100);
    let _ = bench.model.record(CAPTURER, event, producer);
    bench.run(waiter, 5);
    bench.tick(15);
    assert_eq!(bench.query(waiter), StreamState::Idle, "the second record is not its concern");
    assert_eq!(ask(&mut bench, event), StreamState::Pending);
    assert_eq!(sync(&mut bench, event), StreamWait::Finished, "100 ticks are enough");
    assert_eq!(bench.model.now(), Ticks::new(110));
}

#[test]
fn m12_waits_across_the_border_of_a_capture() {
    let refused = Err(code::ISOLATION);
    for (profile, old, outside) in [
        (P::Hip52, Ok(()), Ok(())),
        (P::Hip57, refused, Ok(())),
        (P::Clr2024, refused, Ok(())),
        (P::Cuda, Ok(()), refused),
    ] {
        let mut bench = Bench::new(profile);
        let (capturing, other) = (bench.stream(), bench.stream());
        let (before, foreign) = (bench.recorded(capturing), bench.recorded(other));
        let never = bench.event();
        bench.begin(capturing, CaptureMode::Relaxed);
        assert_eq!(bench.wait(other, before), old, "{profile}");
        assert_eq!(bench.wait(capturing, never), Ok(()), "{profile}");
        assert_eq!(bench.wait(capturing, before), old.and(outside), "{profile}");
        assert_eq!(bench.wait(capturing, foreign), outside, "{profile}");
        if profile == P::Cuda {
            assert_eq!(bench.status(capturing), CaptureStatus::Invalidated);
            assert_eq!(bench.end(capturing), Err(code::INVALIDATED));
        } else {
            assert_eq!(bench.end(capturing), Ok(0), "{profile}: nothing of it is a node");
        }
    }
}

#[test]
fn m12_a_capturing_stream_that_waits_for_itself() {
    for &profile in P::ALL {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        bench.begin(stream, CaptureMode::Global);
        let event = bench.recorded(stream);
        bench.wait(stream, event).expect("the wait itself succeeds");
        assert_eq!(bench.crashed(), profile == P::Clr2024, "{profile}");
        let wrecked = profile == P::Hip57;
        assert_eq!(bench.try_run(stream, 1) == Err(code::INVALID_VALUE), wrecked, "{profile}");
        assert_eq!(bench.end(stream) == Err(code::UNJOINED), wrecked, "{profile}");
    }
}

#[test]
fn m12_a_wait_between_two_captures() {
    for (profile, merge) in [(P::Hip52, Ok(())), (P::Hip57, Ok(())), (P::Cuda, Err(code::MERGE))] {
        let mut bench = Bench::new(profile);
        let (one, two) = (bench.stream(), bench.stream());
        bench.begin(one, CaptureMode::Relaxed);
        bench.begin(two, CaptureMode::Relaxed);
        let event = bench.recorded(one);
        assert_eq!(bench.wait(two, event), merge, "{profile}");
        let ends = [bench.end(one), bench.end(two)];
        assert_eq!(ends.iter().all(Result::is_ok), merge.is_ok(), "{profile}");
    }
}
