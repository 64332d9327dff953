//! Signals in every memory, on a real runtime.

mod support;

use std::time::{Duration, Instant};

use ringfence::{
    backend::*,
    error::{CreateError, HandlerRefused},
    id::*,
    timing::RawInterval,
};
use ringfence_hsa::{Findings, HsaDevice, HsaQueue, QueueOptions, RingSize, Stamping, Usable};
use support::{Gpu, barrier, done, each_signal};

const LONG: Duration = Duration::from_secs(10);

#[test]
fn signals_of_each_memory_are_armed_completed_and_armed_again() {
    let Some(gpu) = Gpu::open("signals_of_each_memory_are_armed_completed_and_armed_again") else {
        return;
    };
    each_signal(&gpu.device, |signal, memory| {
        assert_eq!(gpu.device.load(signal), SignalValue::ARMED, "{memory}");
        for round in 0..50 {
            gpu.submit(&barrier(Deps::NONE, signal));
            assert_eq!(done(&gpu.device, signal), SignalValue::DONE, "{memory}, round {round}");
            let times = gpu.device.timestamps(signal, Engine::Compute);
            let interval = ringfence::timing::Interval::new(times, gpu.device.tick_rate());
            assert!(interval.is_some(), "{memory}: {times:?}");
            gpu.device.arm(signal, SignalValue::ARMED);
            gpu.device.flush();
            assert_eq!(gpu.device.load(signal), SignalValue::ARMED, "{memory}");
        }
    });
}

/// A signal that a packet with times completed, and then one without: of the last use there is no interval.
#[test]
fn a_use_without_times_has_no_interval_whatever_the_last_one_had() {
    let Some(gpu) = Gpu::open("a_use_without_times_has_no_interval") else { return };
    let options = QueueOptions {
        packets: RingSize::at_least(64),
        stamping: Stamping::Off,
        ..QueueOptions::default()
    };
    let unstamped = gpu.device.create_queue(options).expect("a queue");
    each_signal(&gpu.device, |signal, memory| {
        for round in 0..10 {
            gpu.submit(&barrier(Deps::NONE, signal));
            assert_eq!(done(&gpu.device, signal), SignalValue::DONE);
            let times = gpu.device.timestamps(signal, Engine::Compute);
            assert_ne!(times, RawInterval::default(), "{memory}, round {round}: with times");
            gpu.device.arm(signal, SignalValue::ARMED);
            gpu.device.flush();
            let at = unstamped.reserve(PacketCount::ONE);
            unstamped.commit(at, &barrier(Deps::NONE, signal));
            unstamped.ring_doorbell(at);
            assert_eq!(done(&gpu.device, signal), SignalValue::DONE);
            let times = gpu.device.timestamps(signal, Engine::Compute);
            assert_eq!(times, RawInterval::default(), "{memory}, round {round}: without");
            gpu.device.arm(signal, SignalValue::ARMED);
            gpu.device.flush();
        }
    });
}

#[test]
fn a_dependency_of_each_memory_holds_its_packet_until_the_host_stores_0() {
    let Some(gpu) = Gpu::open("a_dependency_of_each_memory_holds_its_packet") else { return };
    let end = gpu.signal(SignalMemory::Host);
    each_signal(&gpu.device, |signal, memory| {
        gpu.device.arm(end, SignalValue::ARMED);
        let (deps, _) = Deps::take(&[signal]);
        gpu.submit(&barrier(deps, end));
        let early = gpu.device.wait(end, SignalValue::ARMED, WaitHint::Active, HELD);
        assert_eq!(early, WaitOutcome::TimedOut, "{memory}");
        gpu.device.force(signal);
        assert_eq!(done(&gpu.device, end), SignalValue::DONE, "{memory}");
    });
    gpu.device.destroy(end);
}

const HELD: Duration = Duration::from_millis(5);

#[test]
fn a_wait_ends_at_its_limit_and_a_sleeping_one_uses_no_time() {
    let Some(gpu) = Gpu::open("a_wait_ends_at_its_limit_and_a_sleeping_one_uses_no_time") else {
        return;
    };
    each_signal(&gpu.device, |signal, memory| {
        let limit = Duration::from_millis(200);
        let (begun, used) = (Instant::now(), support::thread_time());
        let outcome = gpu.device.wait(signal, SignalValue::ARMED, WaitHint::Blocked, limit);
        let (took, used) = (begun.elapsed(), support::thread_time() - used);
        assert_eq!(outcome, WaitOutcome::TimedOut, "{memory}");
        assert!(took >= limit && took < 5 * limit, "{memory}: {took:?}");
        println!("{memory}: {used:?} of the processor in {took:?}");
        if memory == SignalMemory::Interrupt {
            assert!(used < Duration::from_millis(5), "{used:?} of the processor in {took:?}");
        }
    });
}

#[test]
fn batches_are_distinct_and_what_is_gone_is_known_to_be() {
    let Some(gpu) = Gpu::open("batches_are_distinct_and_what_is_gone_is_known_to_be") else {
        return;
    };
    for memory in SignalMemory::ALL {
        if memory.is_device() && !gpu.device.capabilities().can_hold_device_signals() {
            let none = gpu.device.create(memory, &mut [SignalHandle::NULL]);
            assert_eq!(none, Err(CreateError::Unsupported));
            continue;
        }
        let mut batch = [SignalHandle::NULL; 100];
        let created = gpu.device.create(memory, &mut batch).expect("signals");
        assert_eq!(created, Created { count: 100, memory });
        let distinct: std::collections::HashSet<_> = batch.iter().copied().collect();
        assert_eq!(distinct.len(), 100);
        for signal in batch {
            assert_eq!(gpu.device.memory_of(signal), Some(memory));
            gpu.device.destroy(signal);
            assert_eq!(gpu.device.memory_of(signal), None);
        }
    }
}

#[test]
fn a_watch_is_reported_once_on_another_thread_and_the_signal_decides_whether_it_can_be() {
    let Some(gpu) = Gpu::open("a_watch_is_reported_once") else { return };
    let (sender, receiver) = std::sync::mpsc::channel();
    let here = std::thread::current().id();
    gpu.device
        .on_completion(move |device, token| {
            assert_ne!(std::thread::current().id(), here);
            sender.send((device.id(), token)).expect("the test waits");
        })
        .expect("nobody else is told");
    gpu.device.on_completion(|_, _| ()).expect_err("somebody is told");
    for (memory, answer) in [
        (SignalMemory::Host, Err(HandlerRefused::NoInterrupt)),
        (SignalMemory::Device, Err(HandlerRefused::DeviceMemory)),
        (SignalMemory::Interrupt, Ok(())),
    ] {
        if memory.is_device() && !gpu.device.capabilities().can_hold_device_signals() {
            support::skipped(format_args!(
                "for signals in device memory: {}",
                gpu.device.facts().device_memory()
            ));
            continue;
        }
        let signal = gpu.signal(memory);
        let token = HandlerToken::new(memory as u64);
        assert_eq!(gpu.device.watch(signal, token), answer, "{memory}");
        gpu.submit(&barrier(Deps::NONE, signal));
        let _ = done(&gpu.device, signal);
        if answer.is_ok() {
            assert_eq!(receiver.recv_timeout(LONG), Ok((gpu.device.id(), token)));
        }
        gpu.device.destroy(signal);
    }
    drop(gpu);
    assert!(receiver.try_recv().is_err(), "reported twice");
}

#[test]
fn what_the_last_handle_leaves_on_a_thread_of_the_runtime_is_destroyed_elsewhere() {
    let Some(gpu) = Gpu::open("what_the_last_handle_leaves_on_a_thread_of_the_runtime") else {
        return;
    };
    let small = QueueOptions { packets: RingSize::at_least(64), ..QueueOptions::default() };
    let queue: HsaQueue = gpu.device.create_queue(small).expect("a second queue");
    let (signal, other) = (gpu.signal(SignalMemory::Interrupt), gpu.signal(SignalMemory::Host));
    let (sender, receiver) = std::sync::mpsc::channel();
    let last = std::sync::Mutex::new(Some(queue));
    let tell = move |device: &HsaDevice, _| {
        drop(last.lock().expect("no panic").take());
        device.destroy(other);
        sender.send(()).expect("the test waits");
    };
    gpu.device.on_completion(tell).expect("nobody else is told");
    gpu.device.watch(signal, HandlerToken::new(1)).expect("an interrupt");
    gpu.submit(&barrier(Deps::NONE, signal));
    assert_eq!(receiver.recv_timeout(LONG), Ok(()));
    gpu.device.destroy(signal);
    drop(gpu);
}

#[test]
fn findings_say_what_there_is() {
    let Some(_gpu) = Gpu::open("findings_say_what_there_is") else { return };
    let findings = Findings::collect();
    println!("{findings}");
    assert_eq!(findings.usable(), Usable::Yes);
    assert!(findings.error().is_none() && findings.version().is_some());
    let gpu = findings.gpus().first().expect("a GPU");
    assert!(gpu.name().starts_with("gfx"), "{}", gpu.name());
    assert!(findings.to_string().contains(gpu.name()));
}
