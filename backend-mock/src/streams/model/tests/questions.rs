//! M3-M7: whose question is refused, and whose capture it breaks.

use super::*;

/// Refused to threads by their mode: what HIP 5.2.3 and 5.7.1 do for `hipMalloc`.
const BY_MODE: &str = "GsG GsT GoG TsG TsT";
const ALL_BUT_RELAXED: &str = "GsG GsT GoG GoT TsG TsT";
/// HIP 5.7.1: by the asked stream's own mode.
const BY_STREAM: &str = "GsG GsT GsR GoG GoT GoR TsG TsT TsR";
const GLOBAL: &str = "GsG GsT GsR GoG GoT GoR";

fn rows(
    rows: [(P, &str, &str); 5],
    call: impl Fn(&mut Bench, RawStream, RawStream, ThreadId) -> bool,
) {
    for (profile, refused, broken) in rows {
        let got = refusals(profile, &call);
        assert_eq!(got, (refused.to_owned(), broken.to_owned()), "{profile}");
    }
}

#[test]
fn m5_query_of_the_capturing_stream() {
    let rule = [
        (P::Hip52, NONE, NONE),
        (P::Hip57, ALL_18, NONE),
        (P::Clr2024, ALL_18, ALL_18),
        (P::ClrNew, ALL_18, ALL_18),
        (P::Cuda, ALL_18, ALL_18),
    ];
    rows(rule, |bench, capturing, _, by| {
        bench.call(|model| model.query(by, capturing)).answer == StreamState::Unknown
    });
    rows(rule, |bench, capturing, _, by| {
        bench.call(|model| model.synchronize(by, capturing)).answer == StreamWait::Unknown
    });
}

#[test]
fn m5_query_of_another_stream() {
    let rule = [
        (P::Hip52, NONE, NONE),
        (P::Hip57, BY_STREAM, NONE),
        (P::Clr2024, ALL_BUT_RELAXED, ALL_BUT_RELAXED),
        (P::ClrNew, BY_MODE, BY_MODE),
        (P::Cuda, BY_MODE, BY_MODE),
    ];
    rows(rule, |bench, capturing, other, by| {
        let asked = bench.call(|model| model.query(by, other));
        assert!(asked.invalidated.iter().all(|&broken| broken == capturing));
        asked.answer == StreamState::Unknown
    });
    rows(rule, |bench, _, other, by| {
        bench.call(|model| model.synchronize(by, other)).answer == StreamWait::Unknown
    });
}

#[test]
fn m5_a_query_invalidates_every_global_capture_of_the_process_and_no_other() {
    let mut bench = Bench::new(P::Clr2024);
    let (one, two, local, asked) = (bench.stream(), bench.stream(), bench.stream(), bench.stream());
    bench.begin(one, CaptureMode::Global);
    bench.begin(two, CaptureMode::Global);
    bench.begin(local, CaptureMode::ThreadLocal);
    let fork = bench.fork(two);
    let got = bench.call(|model| model.query(OTHER, asked));
    assert_eq!(got.answer, StreamState::Unknown);
    assert_eq!(got.invalidated, [one, two, fork]);
    assert_eq!(bench.status(fork), CaptureStatus::Invalidated);
    assert_eq!(bench.status(local), CaptureStatus::Active);
}

#[test]
fn m5_the_null_stream_is_not_protected() {
    for &profile in P::ALL {
        let null = RawStream::new(0);
        let (refused, broken) = refusals(profile, |bench, _, _, by| {
            bench.call(|model| model.query(by, null)).answer != StreamState::Idle
        });
        assert_eq!((refused.as_str(), broken.as_str()), (NONE, NONE), "{profile}");
    }
}

#[test]
fn m5_hip_5_7_asks_the_mode_of_the_streams_own_last_capture() {
    for (primed, refused) in [("G", true), ("T", false), ("R", false)] {
        let mut bench = Bench::new(P::Hip57);
        let (capturing, other) = (bench.stream(), bench.stream());
        bench.begin(other, mode_of(primed.chars().next().expect("one letter")));
        bench.end(other).expect("it is empty");
        bench.begin(capturing, CaptureMode::Global);
        for by in [CAPTURER, OTHER] {
            let answer = bench.call(|model| model.query(by, other)).answer;
            assert_eq!(answer == StreamState::Unknown, refused, "primed with {primed}");
        }
    }
}

#[test]
fn m5_hip_5_7_judges_a_joined_stream_by_its_mode() {
    for (mode, by, refused) in [
        (CaptureMode::Global, CAPTURER, true),
        (CaptureMode::Global, OTHER, true),
        (CaptureMode::Relaxed, CAPTURER, false),
        (CaptureMode::ThreadLocal, OTHER, false),
    ] {
        let mut bench = Bench::new(P::Hip57);
        let capturing = bench.stream();
        bench.begin(capturing, mode);
        let fork = bench.fork(capturing);
        let answer = bench.call(|model| model.query(by, fork)).answer;
        assert_eq!(answer == StreamState::Unknown, refused, "{mode:?}");
        assert_eq!(bench.status(fork), CaptureStatus::Active);
    }
}

#[test]
fn m6_synchronous_memory() {
    let rule = [
        (P::Hip52, BY_MODE, NONE),
        (P::Hip57, BY_MODE, NONE),
        (P::Clr2024, ALL_BUT_RELAXED, ALL_BUT_RELAXED),
        (P::ClrNew, BY_MODE, BY_MODE),
        (P::Cuda, BY_MODE, BY_MODE),
    ];
    rows(rule, |bench, _, _, by| {
        bench.call(|model| model.malloc(by, Bytes::new(64), DEVICE)).answer.is_err()
    });
    rows(rule, |bench, _, _, by| {
        let made = bench.model.fresh_memory(Bytes::new(64), DEVICE, parts::Made::Plain);
        bench.call(|model| model.free_now(by, made)).answer.is_err()
    });
}

#[test]
fn m7_device_synchronisation() {
    let rule = [
        (P::Hip52, NONE, NONE),
        (P::Hip57, NONE, NONE),
        (P::Clr2024, ALL_18, ALL_18),
        (P::ClrNew, ALL_18, ALL_18),
        (P::Cuda, ALL_18, ALL_18),
    ];
    rows(rule, |bench, _, _, by| {
        bench.call(|model| model.device_sync(by)).answer == StreamWait::Unknown
    });
}

#[test]
fn m7_synchronous_copies() {
    let rule = [
        (P::Hip52, GLOBAL, NONE),
        (P::Hip57, GLOBAL, NONE),
        (P::Clr2024, ALL_18, ALL_18),
        (P::ClrNew, ALL_18, ALL_18),
        (P::Cuda, NONE, NONE),
    ];
    rows(rule, |bench, _, _, by| bench.call(|model| model.copy_now(by)).answer.is_err());
}

/// CUDA: the legacy stream, which a synchronous copy is on, waits for blocking streams alone.
#[test]
fn m7_synchronous_copies_beside_blocking_captures() {
    let mut bench = Bench::new(P::Cuda);
    let (blocking, other) = (bench.create(blocking()), bench.stream());
    bench.begin(blocking, CaptureMode::Relaxed);
    bench.begin(other, CaptureMode::Relaxed);
    let asked = bench.call(|model| model.copy_now(OTHER));
    assert_eq!((asked.answer, asked.invalidated), (Err(code::IMPLICIT), vec![blocking]));
    assert_eq!(bench.end(blocking), Err(code::INVALIDATED));
    assert_eq!(bench.call(|model| model.copy_now(OTHER)).answer, Ok(()));
    assert_eq!(bench.end(other), Ok(0));
}

#[test]
fn m3_each_thread_has_a_mode_of_its_own() {
    let mut bench = Bench::new(P::Hip57);
    assert_eq!(bench.model.exchange_mode(CAPTURER, CaptureMode::Relaxed), CaptureMode::Global);
    assert_eq!(bench.model.exchange_mode(OTHER, CaptureMode::Global), CaptureMode::Global);
    assert_eq!(bench.model.exchange_mode(CAPTURER, CaptureMode::Global), CaptureMode::Relaxed);
}

#[test]
fn a_status_touches_no_capture_and_a_query_under_a_relaxed_guard_neither() {
    for &profile in P::ALL {
        let (refused, broken) = refusals(profile, |bench, capturing, other, by| {
            assert_eq!(bench.status(capturing), CaptureStatus::Active);
            let before = bench.model.exchange_mode(by, CaptureMode::Relaxed);
            let answer = bench.call(|model| model.query(by, other)).answer;
            bench.model.exchange_mode(by, before);
            answer == StreamState::Unknown
        });
        let refusing = if profile == P::Hip57 { BY_STREAM } else { NONE };
        assert_eq!((refused.as_str(), broken.as_str()), (refusing, NONE), "{profile}");
    }
}

#[test]
fn the_null_stream_tells_of_a_blocking_capture() {
    let null = RawStream::new(0);
    for (profile, told) in [(P::Hip52, false), (P::Hip57, true), (P::Clr2024, true)] {
        let mut bench = Bench::new(profile);
        let (silent, loud) = (bench.stream(), bench.create(blocking()));
        bench.begin(silent, CaptureMode::Relaxed);
        assert_eq!(bench.status(null), CaptureStatus::None);
        bench.begin(loud, CaptureMode::Relaxed);
        let unknown = CaptureStatus::Unknown(code::IMPLICIT);
        assert_eq!(bench.status(null) == unknown, told, "{profile}");
    }
}
