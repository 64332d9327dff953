//! The whole path: trackers of the library on real queues.

mod support;

use std::time::{Duration, Instant};

use ringfence::{
    backend::{Device, PacketQueue},
    drive::*,
    event::*,
    placement::{DeviceSignals, EventPlacement},
    ring::Timing,
    wait::WaitPolicy,
};
use ringfence_hsa::{HsaDevice, HsaQueue, QueueOptions};
use support::Gpu;

type Stream = Tracker<HsaDevice, HsaQueue>;

fn open(gpu: &Gpu, policy: Policy) -> Stream {
    let queue = HardwareQueue::new(gpu.queue.clone());
    Tracker::open(gpu.device.clone(), queue, policy).expect("a tracker")
}

/// Record, kernel, record, synchronize.
fn steady(gpu: &Gpu, policy: Policy, options: EventOptions) {
    let mut stream = open(gpu, policy);
    let kernel = gpu.device.empty_kernel().expect("a page for a kernel");
    let (mut before, mut after) = (Event::new(options), Event::new(options));
    let mut warm = None;
    const ROUNDS: u32 = 2_000;
    let begun = Instant::now();
    for round in 0..ROUNDS {
        before.record(&mut stream).expect("a record");
        stream.submit(Submission::kernel(kernel)).expect("a kernel");
        after.record(&mut stream).expect("a record");
        after.synchronize(&gpu.device, &WaitPolicy::default()).expect("the end");
        if options.timing == Timing::Wanted {
            let elapsed = before.elapsed_to(&after, &gpu.device).expect("both are timed");
            assert!(elapsed < Duration::from_secs(5), "{elapsed:?}");
        }
        if round == 100 {
            warm = Some(stream.counts().created);
        }
    }
    println!("{:.2} us a round", begun.elapsed().as_secs_f64() * 1e6 / f64::from(ROUNDS));
    let counts = stream.counts();
    println!("{counts:?}");
    assert_eq!(Some(counts.created), warm, "signals were created in a steady loop");
    assert_eq!(counts.packets, 3 * u64::from(ROUNDS));
    stream.close().expect("closed");
}

#[test]
fn the_steady_loop_creates_nothing_on_host_signals() {
    let Some(gpu) = Gpu::open("the_steady_loop_creates_nothing_on_host_signals") else { return };
    steady(&gpu, Policy::default(), EventOptions::default());
}

#[test]
fn the_steady_loop_creates_nothing_with_timing() {
    let Some(gpu) = Gpu::open("the_steady_loop_creates_nothing_with_timing") else { return };
    let options = EventOptions { timing: Timing::Wanted, ..EventOptions::default() };
    steady(&gpu, Policy::default(), options);
}

#[test]
fn the_steady_loop_creates_nothing_on_device_signals() {
    let Some(gpu) = Gpu::open("the_steady_loop_creates_nothing_on_device_signals") else { return };
    if !gpu.device.capabilities().can_hold_device_signals() {
        return support::skipped(gpu.device.facts().device_memory());
    }
    // A twin would be one packet more.
    for events in [EventPlacement::Host, EventPlacement::Device] {
        let device_signals = DeviceSignals::On;
        let policy = Policy { device_signals, events, ..Policy::default() };
        steady(&gpu, policy, EventOptions::default());
    }
}

#[test]
fn the_baseline_runs_as_well() {
    let Some(gpu) = Gpu::open("the_baseline_runs_as_well") else { return };
    let mut stream = open(&gpu, Policy { tracker: TrackerKind::Polling, ..Policy::default() });
    let kernel = gpu.device.empty_kernel().expect("a page for a kernel");
    for _ in 0..500 {
        stream.submit(Submission::kernel(kernel)).expect("a kernel");
    }
    let _synced = stream.synchronize().expect("the end");
    stream.close().expect("closed");
}

/// Two streams on two queues wait for each other in turn.
#[test]
fn events_order_two_queues() {
    let Some(gpu) = Gpu::open("events_order_two_queues") else { return };
    let second = gpu.device.create_queue(QueueOptions::default()).expect("a second queue");
    assert_ne!(second.lane(), gpu.queue.lane());
    for device_signals in [DeviceSignals::Off, DeviceSignals::On] {
        let policy = Policy { device_signals, ..Policy::default() };
        let mut one = open(&gpu, policy);
        let other = HardwareQueue::new(second.clone());
        let mut two = Tracker::open(gpu.device.clone(), other, policy).expect("a tracker");
        let kernel = gpu.device.empty_kernel().expect("a page for a kernel");
        let (mut there, mut back) =
            (Event::new(EventOptions::default()), Event::new(EventOptions::default()));
        for _ in 0..300 {
            one.submit(Submission::kernel(kernel)).expect("a kernel");
            there.record(&mut one).expect("a record");
            there.wait_on(&mut two).expect("a wait on the device");
            two.submit(Submission::kernel(kernel)).expect("a kernel");
            back.record(&mut two).expect("a record");
            back.wait_on(&mut one).expect("a wait on the device");
        }
        let _synced = one.synchronize().expect("the end");
        let _synced = two.synchronize().expect("the end");
        one.close().expect("closed");
        two.close().expect("closed");
    }
}
