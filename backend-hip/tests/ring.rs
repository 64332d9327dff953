//! Trackers on HIP's streams.

mod support;

use std::{
    sync::{
        atomic::Ordering,
        mpsc::{self, RecvTimeoutError},
    },
    time::Duration,
};

use ringfence::{
    backend::{Device, HandlerToken, Handlers, SignalMemory, Signals},
    drive::{HardwareQueue, Policy, Submission, Tracker},
    event::{Event, EventOptions, EventStatus},
    id::{DeviceId, SignalHandle, StreamKey},
    wait::WaitPolicy,
};
use ringfence_hip::{
    HipDevice, HipError, HipQueue, HipStreams, HostBuffer, Listening, StreamOptions,
};
use support::{iota, kernels, reduce_sum};

const LIMIT: Duration = Duration::from_secs(10);

fn device(test: &str) -> Option<HipDevice> {
    let hip = support::hip(test)?;
    let streams = HipStreams::new(hip, StreamOptions::default());
    Some(HipDevice::new(&streams, DeviceId::new(0)).expect("a GPU"))
}

fn tracker(device: &HipDevice, policy: Policy) -> Tracker<HipDevice, HipQueue> {
    let queue = device.create_queue(StreamKey::new(support::gpu())).expect("a stream");
    Tracker::open(device.clone(), HardwareQueue::new(queue), policy).expect("a tracker")
}

#[test]
fn a_steady_loop_creates_nothing() {
    let Some(device) = device("a_steady_loop_creates_nothing") else { return };
    let kernels = kernels(device.streams().hip());
    let out = HostBuffer::new(device.streams().hip(), 8).expect("memory");
    let mut stream = tracker(&device, Policy::default());
    let [mut before, mut after] = [(); 2].map(|()| Event::new(EventOptions::default()));
    let mut created = 0;
    for round in 0..2000_u32 {
        if round == 200 {
            created = stream.counts().created;
        }
        before.record(&mut stream).expect("a record");
        let kernel = iota(kernels, out.address(), round, 16);
        stream.submit(Submission::kernel(kernel)).expect("a kernel");
        after.record(&mut stream).expect("a record");
        after.synchronize(&device, &WaitPolicy::default()).expect("it finishes");
        assert_eq!(after.query(&device), EventStatus::Finished);
        assert_eq!(out.halves()[15].load(Ordering::Acquire), round + 15, "round {round}");
    }
    assert_eq!(stream.counts().created, created, "{:?}", stream.counts());
    println!("{:?}", stream.counts());
    stream.close().expect("closed");
}

#[test]
fn streams_wait_for_each_other() {
    let Some(device) = device("streams_wait_for_each_other") else { return };
    let hip = device.streams().hip();
    let kernels = kernels(hip);
    let (numbers, sums) = (HostBuffer::new(hip, 512).expect("memory"), HostBuffer::new(hip, 1));
    let sums = sums.expect("memory");
    let mut producer = tracker(&device, Policy::default());
    let mut consumer = tracker(&device, Policy::default());
    let [mut filled, mut summed] = [(); 2].map(|()| Event::new(EventOptions::default()));
    for round in 0..500_u32 {
        let fill = iota(kernels, numbers.address(), round, 1000);
        producer.submit(Submission::kernel(fill)).expect("a kernel");
        filled.record(&mut producer).expect("a record");
        filled.wait_on(&mut consumer).expect("a wait");
        let sum = reduce_sum(kernels, numbers.address(), sums.address(), 1000);
        consumer.submit(Submission::kernel(sum)).expect("a kernel");
        summed.record(&mut consumer).expect("a record");
        summed.wait_on(&mut producer).expect("a wait"); // before the numbers are written again
    }
    summed.synchronize(&device, &WaitPolicy::default()).expect("it finishes");
    let expected: u64 = (0..500_u64).map(|round| (0..1000).map(|i| round + i).sum::<u64>()).sum();
    assert_eq!(sums.words()[0].load(Ordering::Acquire), expected);
    consumer.close().expect("closed");
    producer.close().expect("closed");
}

#[test]
fn streams_of_dropped_queues_are_used_again() {
    let Some(device) = device("streams_of_dropped_queues_are_used_again") else { return };
    let kernels = kernels(device.streams().hip());
    let out = HostBuffer::new(device.streams().hip(), 8).expect("memory");
    let mut streams = std::collections::BTreeSet::new();
    for round in 0..50 {
        let queue = device.create_queue(StreamKey::new(support::gpu())).expect("a stream");
        let _new = streams.insert(queue.stream());
        let queue = HardwareQueue::new(queue);
        let mut stream =
            Tracker::open(device.clone(), queue, Policy::default()).expect("a tracker");
        for i in 0..100 {
            let kernel = iota(kernels, out.address(), round * 100 + i, 16);
            stream.submit(Submission::kernel(kernel)).expect("a kernel");
        }
        stream.close().expect("closed");
    }
    // HIP calls a stream pending for some time after its work has ended.
    assert!(streams.len() <= 20, "{streams:?}");
    assert_eq!(out.halves()[0].load(Ordering::Acquire), 4999);
    assert_eq!(device.loss(), None);
    device.flush();
    assert!(!device.capabilities().can_hold_device_signals());
}

#[test]
fn handlers_go_on_after_one_that_panicked() {
    let Some(device) = device("handlers_go_on_after_one_that_panicked") else { return };
    let mut signals = [SignalHandle::NULL; 3];
    let created = device.create(SignalMemory::Interrupt, &mut signals).expect("memory");
    assert_eq!(created.count, signals.len());
    let (told, tokens) = mpsc::channel();
    let listening = device.on_completion(move |_, token| {
        told.send(token).expect("the test waits");
        assert_ne!(token, HandlerToken::new(0), "on purpose");
    });
    assert_eq!(listening, Listening::Begins);
    assert_eq!(device.on_completion(|_, _| panic!("somebody is told")), Listening::Refused);
    for (number, signal) in (0..).zip(signals) {
        let token = HandlerToken::new(number);
        device.watch(signal, token).expect("a thread");
        device.complete(signal);
        assert_eq!(tokens.recv_timeout(Duration::from_secs(10)), Ok(token));
        device.destroy(signal);
    }
}

/// Who makes a device for each job is not to leave a stream of HIP's behind with each.
#[test]
fn streams_of_dropped_devices_are_used_again() {
    let Some(first) = device("streams_of_dropped_devices_are_used_again") else { return };
    let (streams, key) = (first.streams().clone(), StreamKey::new(support::gpu()));
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..50 {
        let device = HipDevice::new(&streams, DeviceId::new(0)).expect("a GPU");
        let queue = device.create_queue(key).expect("a stream");
        let _new = seen.insert(queue.stream());
    }
    assert_eq!(seen.len(), 1, "nothing was submitted to it");
}

#[test]
fn streams_of_dropped_copy_engines_are_used_again() {
    let Some(device) = device("streams_of_dropped_copy_engines_are_used_again") else { return };
    let key = StreamKey::new(support::gpu());
    let stream = device.create_queue(key).expect("a stream").stream();
    let engine = device.create_copy_engine().expect("the queue's stream");
    let queue = device.create_queue(key).expect("another stream");
    assert_ne!(queue.stream(), stream, "it is the engine's");
    drop(engine);
    assert_eq!(device.create_queue(key).expect("the engine's").stream(), stream);
}

/// A listener needs its device, for a tracker; one that held it would keep both for ever.
#[test]
fn a_listener_goes_with_its_device() {
    let Some(device) = device("a_listener_goes_with_its_device") else { return };
    let mut signal = [SignalHandle::NULL];
    let _one = device.create(SignalMemory::Interrupt, &mut signal).expect("memory");
    let (told, tokens) = mpsc::channel();
    let listening = device.on_completion(move |device, token| {
        told.send((token, device.load(signal[0]).as_i64())).expect("the test waits");
    });
    assert_eq!(listening, Listening::Begins);
    device.watch(signal[0], HandlerToken::new(1)).expect("a thread");
    device.complete(signal[0]);
    assert_eq!(tokens.recv_timeout(LIMIT), Ok((HandlerToken::new(1), 0)));
    device.destroy(signal[0]);
    drop(device);
    // The sender is the listener's.
    assert_eq!(tokens.recv_timeout(LIMIT), Err(RecvTimeoutError::Disconnected));
}

/// It would wait for itself.
#[test]
fn a_listener_announces_no_reset() {
    let Some(device) = device("a_listener_announces_no_reset") else { return };
    let mut signal = [SignalHandle::NULL];
    let _one = device.create(SignalMemory::Interrupt, &mut signal).expect("memory");
    let (told, answers) = mpsc::channel();
    let listening = device.on_completion(move |device, _| {
        let announced = device.streams().device_will_be_reset(device.id());
        told.send(announced.map(drop)).expect("the test waits");
    });
    assert_eq!(listening, Listening::Begins);
    device.watch(signal[0], HandlerToken::new(1)).expect("a thread");
    device.complete(signal[0]);
    let answer = answers.recv_timeout(LIMIT).expect("it is told");
    assert!(matches!(answer, Err(HipError::InListener)), "{answer:?}");
    assert_eq!(device.loss(), None);
    device.destroy(signal[0]);
}
