//! Two GPUs: what one waits for of the other. With one, these are left out, visibly.

mod support;

use ringfence::{
    backend::*,
    drive::*,
    error::Error,
    event::*,
    id::*,
    placement::{DeviceSignals, EventPlacement},
};
use ringfence_hsa::{HsaDevice, HsaQueue, QueueOptions};
use support::{Gpu, barrier, kernel};

/// The second GPU.
fn second(gpu: &Gpu) -> Option<HsaDevice> {
    let other = gpu.device.runtime().device(DeviceId::new(1)).ok();
    if other.is_none() {
        support::skipped("there is one GPU");
    }
    other
}

fn open(device: &HsaDevice, queue: HsaQueue, policy: Policy) -> Tracker<HsaDevice, HsaQueue> {
    Tracker::open(device.clone(), HardwareQueue::new(queue), policy).expect("a tracker")
}

/// A wait on GPU 1 for an event recorded behind a kernel on GPU 0 never passes early: peers wait on host cells.
#[test]
fn a_wait_for_a_peers_event_never_passes_early() {
    let Some(gpu) = Gpu::open("a_wait_for_a_peers_event_never_passes_early") else { return };
    let Some(peer) = second(&gpu) else { return };
    let theirs = peer.create_queue(QueueOptions::default()).expect("a queue");
    let dispatch = gpu.device.empty_kernel().expect("a kernel");
    for device_signals in [DeviceSignals::Off, DeviceSignals::On] {
        let policy = Policy { device_signals, ..Policy::default() };
        let mut producer = open(&gpu.device, gpu.queue.clone(), policy);
        let mut consumer = open(&peer, theirs.clone(), policy);
        let gate = gpu.signal(SignalMemory::Host);
        let end = support::signal(&peer, SignalMemory::Host);
        let mut event = Event::new(EventOptions::default());
        for round in 0..300 {
            // The kernel of a real machine would be long; here it is held until the host has looked.
            gpu.device.arm(gate, SignalValue::ARMED);
            peer.arm(end, SignalValue::ARMED);
            gpu.submit(&barrier(Deps::take(&[gate]).0, SignalHandle::NULL));
            producer.submit(Submission::kernel(dispatch)).expect("a kernel");
            event.record(&mut producer).expect("a record");
            event.wait_on(&mut consumer).expect("a wait on the device");
            let at = theirs.reserve(PacketCount::ONE);
            theirs.commit(at, &kernel(peer.empty_kernel().expect("a kernel"), Barrier::Set, end));
            theirs.ring_doorbell(at);
            for _ in 0..50 {
                assert_eq!(peer.load(end), SignalValue::ARMED, "round {round} passed early");
            }
            gpu.device.force(gate);
            assert_eq!(support::done(&peer, end), SignalValue::DONE, "round {round}");
            assert_eq!(event.query(&gpu.device), EventStatus::Finished);
        }
        consumer.close().expect("closed");
        producer.close().expect("closed");
        gpu.device.destroy(gate);
        peer.destroy(end);
    }
}

#[test]
fn a_device_cell_is_refused_to_a_peer() {
    let Some(gpu) = Gpu::open("a_device_cell_is_refused_to_a_peer") else { return };
    let Some(peer) = second(&gpu) else { return };
    if !gpu.device.capabilities().can_hold_device_signals() {
        return support::skipped(gpu.device.facts().device_memory());
    }
    assert!(!gpu.device.capabilities().features.contains(Features::PEER_DEVICE_WAITS));
    let policy = Policy {
        device_signals: DeviceSignals::On,
        events: EventPlacement::Device,
        ..Policy::default()
    };
    let theirs = peer.create_queue(QueueOptions::default()).expect("a queue");
    let mut producer = open(&gpu.device, gpu.queue.clone(), policy);
    let mut consumer = open(&peer, theirs, policy);
    let gate = gpu.signal(SignalMemory::Host);
    gpu.submit(&barrier(Deps::take(&[gate]).0, SignalHandle::NULL));
    let mut event = Event::new(EventOptions::default());
    event.record(&mut producer).expect("a record");
    let refused = event.wait_on(&mut consumer);
    assert!(matches!(refused, Err(Error::PeerCell { .. })), "{refused:?}");
    gpu.device.force(gate);
    producer.close().expect("closed");
    consumer.close().expect("closed");
    gpu.device.destroy(gate);
}

#[test]
fn devices_are_distinct_and_kept() {
    let Some(gpu) = Gpu::open("devices_are_distinct_and_kept") else { return };
    let runtime = gpu.device.runtime();
    let all = runtime.devices();
    for (index, device) in (0..).zip(&all) {
        assert_eq!(device.id(), DeviceId::new(index));
        assert!(runtime.device(device.id()).is_ok());
    }
    let beyond = DeviceId::new(u32::try_from(all.len()).expect("few"));
    assert!(runtime.device(beyond).is_err_and(|error| error.to_string().contains("GPU")));
    gpu.device.attach_profiler();
    assert_eq!(all[0].profiler(), Profiler::Attached);
}
