//! A copy's signal in device memory is flushed when its use begins, whatever the batch (S10).

use mockall::Sequence;
use ringfence::{
    backend::{Capabilities, CopyRefused, Features, RingMemory, WaitOutcome},
    drive::{Awaited, CopySubmission, Policy, Submission, TrackerKind},
    error::{Error, Failure},
    id::{PacketId, SignalValue, UseId},
    ring::Outcome,
};

use crate::mocks::*;

fn engine(parts: usize, steps: &mut Sequence) -> MockSdma {
    let mut engine = MockSdma::new();
    engine.expect_lane().return_const(lane(9));
    engine.expect_reserve().times(1).return_const(PacketId::FIRST);
    engine.expect_submit().times(parts).in_sequence(steps).returning(|_, _, _, _, _| Ok(()));
    engine
}
const COPIES_TO_DEVICE_CELLS: Capabilities =
    DISCRETE.with_features(DISCRETE.features.union(Features::DEVICE_SIGNALS_ON_COPIES));

#[test]
fn a_device_signal_of_a_copy_is_flushed_before_the_copy_is_issued() {
    for rings in [RingMemory::System, RingMemory::Device] {
        let mut gpu = gpu(COPIES_TO_DEVICE_CELLS.with_rings(rings));
        creates(&mut gpu);
        let mut steps = Sequence::new();
        gpu.expect_flush().times(1).in_sequence(&mut steps).return_const(());
        let engine = engine(1, &mut steps);
        let queue = queue(0, 0);
        let mut stream = open(&gpu, &queue, on_device_signals());
        stream.copy(&engine, CopySubmission::new(&[7]), None).unwrap();
    }
}

#[test]
fn parts_are_armed_then_flushed_then_issued() {
    let mut gpu = gpu(COPIES_TO_DEVICE_CELLS);
    creates(&mut gpu);
    let mut steps = Sequence::new();
    gpu.expect_arm()
        .withf(|_, value| *value == SignalValue::new(3))
        .times(1)
        .in_sequence(&mut steps)
        .return_const(());
    gpu.expect_flush().times(1).in_sequence(&mut steps).return_const(());
    let engine = engine(3, &mut steps);
    let queue = queue(0, 0);
    let mut stream = open(&gpu, &queue, on_device_signals());
    stream.copy(&engine, CopySubmission::new(&[7, 8, 9]), None).unwrap();
}

#[test]
fn a_copy_that_cannot_wait_in_device_memory_waits_for_a_marker_in_host_memory() {
    for (capabilities, markers) in [
        (DISCRETE, 2),
        (DISCRETE.with_features(DISCRETE.features.union(Features::DEVICE_WAITS_ON_COPIES)), 0),
    ] {
        let mut gpu = gpu(capabilities);
        creates(&mut gpu);
        gpu.expect_flush().return_const(());
        gpu.expect_publish_stores().return_const(());
        let mut sdma = MockSdma::new();
        sdma.expect_lane().return_const(lane(9));
        sdma.expect_reserve().times(1).return_const(PacketId::FIRST);
        let waited = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let seen = waited.clone();
        sdma.expect_submit().times(1).returning(move |_, _, _, _, waits| {
            seen.lock().unwrap().extend_from_slice(waits);
            Ok(())
        });
        let queue = queue(0, 0);
        let mut stream = open(&gpu, &queue, on_device_signals());
        let kernel = stream.submit_recorded(Submission::kernel(()), None).unwrap();
        assert!(kernel.about().memory.is_device());
        let awaited = Awaited::of(&kernel).unwrap().expect("it is in flight");
        let direct = awaited.signal();
        stream.copy(&sdma, CopySubmission::new(&[7]).after(awaited), None).unwrap();
        let waited = waited.lock().unwrap();
        assert_eq!(waited.len(), 1);
        assert_eq!(waited[0] == direct, markers == 0, "{markers} markers");
    }
}

#[test]
fn a_host_signal_of_a_copy_is_not_flushed() {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    gpu.expect_flush().never();
    let mut steps = Sequence::new();
    let engine = engine(1, &mut steps);
    let queue = queue(0, 0);
    let mut stream = open(&gpu, &queue, on_device_signals());
    stream.copy(&engine, CopySubmission::new(&[7]), None).unwrap();
}

#[test]
fn a_copy_says_why_it_was_refused_and_what_helps() {
    let said = |cause, what: &str| {
        let mut gpu = gpu(DISCRETE);
        creates(&mut gpu);
        gpu.expect_arm().return_const(());
        gpu.expect_wait()
            .returning(|_, below, _, _| WaitOutcome::Reached(SignalValue::new(below.as_i64() - 1)));
        let mut sdma = MockSdma::new();
        sdma.expect_lane().return_const(lane(9));
        sdma.expect_reserve().return_const(PacketId::FIRST);
        sdma.expect_submit().returning(
            move |_, part, _, _, _| {
                if part.as_u32() == 1 { Err(cause) } else { Ok(()) }
            },
        );
        let queue = queue(0, 0);
        let mut stream = open(&gpu, &queue, Policy::default());
        let copied = stream.copy(&sdma, CopySubmission::new(&[7, 8, 9]), None);
        let error = copied.expect_err("the second part was refused");
        let of = UseId::new(lane(9), PacketId::FIRST);
        assert_eq!(error, Error::PartFailed { of, issued: 1, parts: 3, cause });
        assert!(error.to_string().contains(what), "{error}");
    };
    said(CopyRefused::Failed, "submit the copy again");
    said(CopyRefused::SignalMemory, "`DeviceSignals::Off`");
}

#[test]
fn a_copy_that_a_lost_device_refuses_is_the_loss_of_the_device() {
    for tracker in [TrackerKind::Retiring, TrackerKind::Polling] {
        let mut gpu = gpu(DISCRETE);
        creates(&mut gpu);
        let mut sdma = MockSdma::new();
        sdma.expect_lane().return_const(lane(9));
        sdma.expect_reserve().return_const(PacketId::FIRST);
        sdma.expect_submit().times(1).return_const(Err(CopyRefused::DeviceLost));
        let queue = queue(0, 0);
        let mut stream = open(&gpu, &queue, Policy { tracker, ..Policy::default() });
        let kernel = stream.submit_recorded(Submission::kernel(()), None).expect("it has signals");
        let copied = stream.copy(&sdma, CopySubmission::new(&[7]), None);
        assert!(matches!(copied, Err(Error::DeviceLost { leaked: 2 })), "{copied:?}");
        assert_eq!(kernel.outcome(), Outcome::Failed(Failure::DeviceLost));
    }
}
