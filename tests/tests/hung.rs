//! A kernel that hangs: who waits for its stream is told of it, gives it up, and gets an end (S18).
#![forbid(unsafe_code)]

use std::time::Duration;

use ringfence::{
    backend::PacketQueue,
    drive::{CopySubmission, ForcedUse, HardwareQueue, Policy, Submission, Tracker, TrackerKind},
    error::{Error, Failure, WaitedFor},
    event::{Event, EventOptions, EventStatus},
    id::{Barrier, UseId},
    placement::Role,
    wait::WaitPolicy,
};
use ringfence_mock::{
    chooser::Scripted,
    clock::Ticks,
    system::{DeviceSettings, MockDevice, MockQueue, MockSystem, Pace, Settings},
    work::{CopyWork, Kernel},
};

const PATIENCE: WaitPolicy =
    WaitPolicy { active_window: Duration::ZERO, limit: Duration::from_millis(5) };
const KINDS: [TrackerKind; 2] = [TrackerKind::Retiring, TrackerKind::Polling];

type Stream = Tracker<MockDevice, MockQueue>;
fn start(tracker: TrackerKind) -> (MockSystem, Stream) {
    let settings = Settings { pace: Pace::Held, ..Settings::default() };
    let system = MockSystem::new(Scripted::tame(), settings);
    let gpu = system.add_device(DeviceSettings::default());
    let queue = HardwareQueue::new(gpu.add_queue());
    let policy = Policy { tracker, ..Policy::default() };
    let stream = Tracker::open(gpu, queue, policy).expect("the mock creates signals");
    (system, stream)
}
fn kernel() -> Submission<Kernel> {
    Submission::kernel(Kernel::new(0, Ticks::new(5)))
}
/// A kernel that hangs, behind one that does not.
fn hang(system: &MockSystem, stream: &mut Stream, what: Submission<Kernel>) -> UseId {
    stream.submit(kernel()).expect("the mock refuses nothing");
    let of = stream.submit(what).expect("the mock refuses nothing");
    system.stall(of);
    of
}
fn late(of: UseId) -> Error {
    Error::TimedOut { of, waited_for: WaitedFor::Stream }
}
fn given_up(of: UseId) -> Error {
    Error::Failed { of, cause: Failure::Forced }
}

#[test]
fn a_hung_stream_names_the_kernel_and_ends_once_that_is_given_up() {
    for kind in KINDS {
        let (system, mut stream) = start(kind);
        let hung = hang(&system, &mut stream, kernel());
        let mut behind = Event::new(EventOptions::default());
        behind.record(&mut stream).expect("the mock refuses nothing");
        assert_eq!(stream.synchronize_within(&PATIENCE), Err(late(hung)), "{kind:?}");
        assert_eq!(stream.synchronize_within(&PATIENCE), Err(late(hung)), "{kind:?}: still");
        assert_eq!(stream.drain_within(&PATIENCE), Err(late(hung)), "{kind:?}: still");
        assert_eq!(stream.force(hung), Ok(ForcedUse::GivenUp));
        let (began, packets) = (system.now(), stream.counts().packets);
        for _ in 0..3 {
            assert_eq!(stream.synchronize(), Err(given_up(hung)), "{kind:?}");
            assert_eq!(stream.drain(), Err(given_up(hung)), "{kind:?}");
        }
        assert!(system.now().since(began) < PATIENCE.limit, "{kind:?}: nobody waited");
        assert!(stream.counts().packets <= packets + 1, "{kind:?}: one more marker at most");
        assert_eq!(behind.query(stream.device()), EventStatus::Pending, "{kind:?}");
        // It was slow, and not hung: everything is as before.
        system.resume(hung);
        assert!(behind.synchronize(stream.device(), &PATIENCE).is_ok(), "{kind:?}");
        assert!(stream.synchronize().is_ok(), "{kind:?}");
        assert!(stream.close().is_ok(), "{kind:?}");
        assert_eq!(system.violations(), []);
    }
}

#[test]
fn the_closing_of_a_hung_stream_ends() {
    for kind in KINDS {
        let (system, mut stream) = start(kind);
        let hung = hang(&system, &mut stream, kernel());
        let record = stream.submit_recorded(kernel(), None).expect("the mock refuses nothing");
        assert_eq!(stream.force(hung), Ok(ForcedUse::GivenUp));
        let (gpu, reaper) = (stream.device().clone(), stream.reaper().clone());
        let began = system.now();
        assert_eq!(stream.close().map(drop), Err(given_up(hung)), "{kind:?}");
        assert!(system.now().since(began) < PATIENCE.limit, "{kind:?}: nobody waited");
        let abandoned = ringfence::ring::Outcome::Failed(Failure::Abandoned);
        assert_eq!(record.outcome(), abandoned, "{kind:?}: what was behind it");
        drop(record);
        reaper.reap(|signal| ringfence::backend::Signals::destroy(&gpu, signal));
        assert_eq!(system.violations(), []);
        let (system, mut stream) = start(kind);
        let hung = hang(&system, &mut stream, kernel());
        assert_eq!(stream.close_within(&PATIENCE).map(drop), Err(late(hung)), "{kind:?}");
        assert_eq!(system.violations(), []);
    }
}

/// Only a fence would prove it, and that is what the error names.
#[test]
fn a_hung_kernel_without_a_signal_can_be_given_up_by_what_is_behind_it() {
    for kind in KINDS {
        let (system, mut stream) = start(kind);
        let hung = hang(&system, &mut stream, kernel().unsignaled());
        let Err(Error::TimedOut { of, .. }) = stream.synchronize_within(&PATIENCE) else {
            panic!("{hung} never ends")
        };
        assert!(of.packet() > hung.packet(), "the fence behind it");
        assert_eq!(stream.force(of), Ok(ForcedUse::GivenUp));
        assert_eq!(stream.synchronize(), Err(given_up(of)));
        assert_eq!(stream.synchronize(), Err(given_up(of)));
        assert_eq!(system.violations(), []);
    }
}

/// Kernels may run beside each other: what is finished is not named, whatever is older.
#[test]
fn what_is_finished_is_not_named() {
    for kind in KINDS {
        let (system, mut stream) = start(kind);
        let beside = kernel().barrier(Barrier::Clear);
        let uses: Vec<_> =
            (0..6).map(|_| stream.submit(beside).expect("the mock refuses nothing")).collect();
        system.stall(uses[3]);
        system.stall(uses[4]);
        assert_eq!(stream.synchronize_within(&PATIENCE), Err(late(uses[3])), "{kind:?}");
        assert_eq!(stream.force(uses[3]), Ok(ForcedUse::GivenUp));
        assert_eq!(stream.synchronize(), Err(given_up(uses[3])), "{kind:?}");
        system.resume(uses[3]);
        system.run_until_idle();
        assert_eq!(stream.synchronize_within(&PATIENCE), Err(late(uses[4])), "{kind:?}");
        assert_eq!(system.violations(), []);
    }
}

#[test]
fn copies_are_waited_for_beside_a_kernel_that_was_given_up() {
    for kind in KINDS {
        let (system, mut stream) = start(kind);
        let engine = stream.device().add_copy_engine();
        let hung = hang(&system, &mut stream, kernel());
        let part = CopyWork::new(Ticks::new(7));
        let copy = stream.copy(&engine, CopySubmission::new(&[part]), None);
        let copy = copy.expect("the mock refuses nothing");
        assert_eq!(stream.force(hung), Ok(ForcedUse::GivenUp));
        assert_eq!(stream.synchronize(), Err(given_up(hung)), "{kind:?}");
        assert_eq!(copy.outcome(), ringfence::ring::Outcome::Finished, "{kind:?}");
        assert_eq!(system.violations(), []);
    }
}

/// The queue that was left is no longer the stream's own, and what was given up there holds nobody up.
#[test]
fn a_kernel_that_was_given_up_on_a_queue_that_was_left_holds_nobody_up() {
    let (system, mut stream) = start(TrackerKind::Retiring);
    let hung = hang(&system, &mut stream, kernel());
    let other = HardwareQueue::new(stream.device().add_queue());
    let first = stream.switch_queue(other).expect("a marker is left behind");
    assert_eq!(first.lane(), hung.lane());
    stream.submit(kernel()).expect("the mock refuses nothing");
    let Err(Error::TimedOut { of, waited_for: WaitedFor::Stream }) =
        stream.synchronize_within(&PATIENCE)
    else {
        panic!("{hung} never ends")
    };
    assert_eq!(of.lane(), hung.lane());
    assert_eq!(stream.force(hung), Ok(ForcedUse::GivenUp));
    let began = system.now();
    assert_eq!(stream.synchronize(), Err(given_up(hung)));
    assert!(system.now().since(began) < PATIENCE.limit, "nobody waited");
    let of = stream.submit(Submission::marker(Role::HostQuery)).expect("the mock refuses nothing");
    assert_ne!(of.lane(), hung.lane());
    system.resume(hung);
    system.run_until_idle();
    assert!(stream.synchronize().is_ok());
    assert_eq!(system.violations(), []);
}

#[test]
fn the_errors_say_what_to_do() {
    let (system, mut stream) = start(TrackerKind::Retiring);
    let hung = hang(&system, &mut stream, kernel());
    let mut event = Event::new(EventOptions::default());
    let of = event.record(&mut stream).expect("the mock refuses nothing");
    let alone = event.synchronize(stream.device(), &PATIENCE).expect_err("it hangs");
    assert_eq!(alone, Error::TimedOut { of, waited_for: WaitedFor::Use });
    assert!(alone.to_string().contains("raise the limit"), "{alone}");
    let whole = stream.synchronize_within(&PATIENCE).expect_err("it hangs");
    assert!(whole.to_string().contains(&format!("use {hung} is the oldest")), "{whole}");
    assert!(whole.to_string().contains("dropped waits for nothing"), "{whole}");
}
