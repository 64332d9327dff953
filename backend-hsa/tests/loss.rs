//! A GPU that is lost: every wait ends, with the reason. Each case asks for its own fault of the GPU in software
//! (`RINGFENCE_SOFTGPU_FAULT_…`), and is left out, visibly, where that is not set.

mod support;

use std::{
    thread,
    time::{Duration, Instant},
};

use ringfence::{backend::*, drive::*, error::Error, id::*};
use ringfence_hsa::{Findings, HsaError, Loss, Missing, QueueOptions};
use support::{Gpu, barrier, kernel, setting};

/// How long a wait may go on after the report (S17), and the clock of a loaded machine.
const BOUND: Duration = Duration::from_millis(100);
const SLACK: Duration = Duration::from_millis(400);

#[test]
fn a_loss_that_the_program_reports_ends_every_wait_and_watch() {
    let Some(gpu) = Gpu::open("a_loss_that_the_program_reports_ends_every_wait_and_watch") else {
        return;
    };
    let (sender, receiver) = std::sync::mpsc::channel();
    gpu.device
        .on_completion(move |_, token| sender.send(token).expect("the test waits"))
        .expect("nobody else is told");
    let signals: Vec<_> = [SignalMemory::Host, SignalMemory::Interrupt, SignalMemory::Shared]
        .into_iter()
        .map(|memory| gpu.signal(memory))
        .collect();
    let token = HandlerToken::new(7);
    gpu.device.watch(signals[1], token).expect("an interrupt");
    let limit = Duration::from_secs(30);
    thread::scope(|scope| {
        let waits: Vec<_> = signals
            .iter()
            .map(|signal| {
                let device = gpu.device.clone();
                scope.spawn(move || {
                    let outcome =
                        device.wait(*signal, SignalValue::ARMED, WaitHint::Blocked, limit);
                    (outcome, Instant::now())
                })
            })
            .collect();
        thread::yield_now();
        let reported = Instant::now();
        gpu.device.report_lost();
        for wait in waits {
            let (outcome, ended) = wait.join().expect("no panic");
            assert_eq!(outcome, WaitOutcome::Lost);
            let late = ended.saturating_duration_since(reported);
            assert!(late < BOUND + SLACK, "{late:?}");
        }
    });
    assert_eq!(receiver.try_recv(), Ok(token));
    assert_eq!(
        gpu.device.watch(signals[1], token),
        Err(ringfence::error::HandlerRefused::DeviceLost)
    );
    assert_eq!(
        (gpu.device.status(), gpu.device.loss()),
        (DeviceStatus::Lost, Some(Loss::Reported))
    );
    let refused = gpu.device.create_queue(QueueOptions::default());
    assert!(matches!(refused, Err(HsaError::DeviceLost { cause: Loss::Reported, .. })));
    let mut batch = [SignalHandle::NULL];
    let none = gpu.device.create(SignalMemory::Host, &mut batch);
    assert_eq!(none, Err(ringfence::error::CreateError::DeviceLost));
    // The work that was submitted before still finishes here, and what finished is no loss.
    gpu.device.force(signals[0]);
    let outcome = gpu.device.wait(signals[0], SignalValue::ARMED, WaitHint::Active, limit);
    assert_eq!(outcome, WaitOutcome::Reached(SignalValue::DONE));
    signals.iter().for_each(|signal| gpu.device.destroy(*signal));
}

#[test]
fn a_ring_of_a_lost_device_is_never_waited_for() {
    let Some(gpu) = Gpu::open("a_ring_of_a_lost_device_is_never_waited_for") else { return };
    let gate = gpu.signal(SignalMemory::Host);
    let (held, _) = Deps::take(&[gate]);
    gpu.submit(&barrier(held, SignalHandle::NULL));
    gpu.device.report_lost();
    for _ in 0..2 * gpu.queue.ring_size().packets() {
        gpu.submit(&barrier(Deps::NONE, SignalHandle::NULL));
    }
    gpu.device.force(gate);
    gpu.device.destroy(gate);
}

/// With `FAULT_PACKET=k`: the queue's callback.
#[test]
fn a_bad_packet_is_a_loss_with_the_runtimes_number() {
    fault("FAULT_PACKET", |loss| {
        let Loss::Queue(status) = loss else { panic!("{loss:?}") };
        assert_eq!(status.code(), 0x1009, "{status}");
        assert!(!status.text().is_empty());
    });
}

/// With `FAULT_VM=k`: the runtime's system event, or the queue's callback, whichever comes first.
#[test]
fn a_memory_fault_is_a_loss() {
    fault("FAULT_VM", |loss| {
        assert!(matches!(loss, Loss::MemoryFault { .. } | Loss::Queue(_)), "{loss:?}");
    });
}

/// With `FAULT_LOST=k`: the runtime's system event, which ROCr has since 6.
#[test]
fn a_gpu_that_hangs_is_a_loss() {
    if Findings::collect().missing().contains(&Missing::HardwareEvents) {
        return support::skipped(Missing::HardwareEvents);
    }
    fault("FAULT_LOST", |loss| {
        assert!(matches!(loss, Loss::Hardware { .. } | Loss::Queue(_)), "{loss:?}");
    });
}

/// Submits kernels until the fault that `setting` names comes, and sees every wait end.
fn fault(name: &str, check: impl FnOnce(Loss)) {
    if setting(name).is_none_or(|value| value == "off") {
        return support::skipped(format_args!("RINGFENCE_SOFTGPU_{name} is not set"));
    }
    let Some(gpu) = Gpu::open(name) else { return };
    let queue = HardwareQueue::new(gpu.queue.clone());
    let mut stream =
        Tracker::open(gpu.device.clone(), queue, Policy::default()).expect("a tracker");
    let dispatch = gpu.device.empty_kernel().expect("a kernel");
    let asleep = gpu.signal(SignalMemory::Interrupt);
    let other = gpu.device.clone();
    let waits = thread::spawn(move || {
        let limit = Duration::from_secs(30);
        other.wait(asleep, SignalValue::ARMED, WaitHint::Blocked, limit)
    });
    let begun = Instant::now();
    let error = loop {
        assert!(begun.elapsed() < Duration::from_secs(20), "no fault came");
        if let Err(error) = stream.submit(Submission::kernel(dispatch)) {
            break error;
        }
        if let Err(error) = stream.synchronize() {
            break error;
        }
    };
    assert!(matches!(error, Error::DeviceLost { .. }), "{error}");
    assert_eq!(waits.join().expect("no panic"), WaitOutcome::Lost);
    let loss = gpu.device.loss().expect("a reason");
    println!("{loss}");
    check(loss);
    if let Loss::Queue(status) = loss {
        assert_eq!(gpu.queue.error(), Some(status));
    }
    // Nothing waits for a lost device.
    gpu.submit(&kernel(dispatch, Barrier::Set, SignalHandle::NULL));
    assert!(stream.close().is_err());
    gpu.device.destroy(asleep);
}
