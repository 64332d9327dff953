//! Two GPUs: what one waits for of the other. With one, these are left out, visibly.

mod support;

use std::time::Duration;

#[cfg(feature = "planted")]
use ringfence::plant::{self, Fault};
use ringfence::{
    backend::*,
    drive::*,
    error::Error,
    event::*,
    id::*,
    placement::{DeviceSignals, EventPlacement, Role},
    ring::RingLimits,
};
use ringfence_hsa::{HsaDevice, HsaQueue, QueueOptions};
#[cfg(feature = "planted")]
use support::layer::Layer;
use support::{Gpu, barrier};

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

const ROUNDS: u32 = 300;

/// In 300 rounds, how often a wait on GPU 1 for an event recorded behind a kernel on GPU 0 passed before that kernel was let run.
/// The event is a marker with this role.
fn early_passes(gpu: &Gpu, peer: &HsaDevice, device_signals: DeviceSignals, role: Role) -> u32 {
    // As long as it takes a packet to pass that nothing holds, on a busy machine too.
    const LOOK: Duration = Duration::from_micros(300);
    // Of a small ring, the peer meets each cell again soon.
    let policy = Policy { device_signals, ring: RingLimits::with_size(4), ..Policy::default() };
    let theirs = peer.create_queue(QueueOptions::default()).expect("a queue");
    let mut producer = open(&gpu.device, gpu.queue.clone(), policy);
    let mut consumer = open(peer, theirs.clone(), policy);
    let dispatch = gpu.device.empty_kernel().expect("a kernel");
    let [gate, behind] = [(); 2].map(|()| gpu.signal(SignalMemory::Host));
    let end = support::signal(peer, SignalMemory::Host);
    let mut event = Event::new(EventOptions::default());
    let mut early = 0;
    for round in 0..ROUNDS {
        // The kernel of a real machine would be long; here it is held until the host has looked.
        [gate, behind].iter().for_each(|signal| gpu.device.arm(*signal, SignalValue::ARMED));
        peer.arm(end, SignalValue::ARMED);
        gpu.submit(&barrier(Deps::take(&[gate]).0, SignalHandle::NULL));
        producer.submit(Submission::kernel(dispatch)).expect("a kernel");
        event.record_with(&mut producer, Submission::marker(role)).expect("a record");
        gpu.submit(&barrier(Deps::NONE, behind));
        event.wait_on(&mut consumer).expect("a wait on the device");
        let at = theirs.reserve(PacketCount::ONE);
        theirs.commit(at, &barrier(Deps::NONE, end));
        theirs.ring_doorbell(at);
        match peer.wait(end, SignalValue::ARMED, WaitHint::Active, LOOK) {
            WaitOutcome::TimedOut => {}
            WaitOutcome::Reached(_) => early += 1,
            WaitOutcome::Lost => panic!("round {round}: {:?}", peer.loss()),
        }
        gpu.device.force(gate);
        // Whether it passed early or not, the trackers look only when all is over: they would believe it.
        assert_eq!(support::done(&gpu.device, behind), SignalValue::DONE, "round {round}");
        assert_eq!(support::done(peer, end), SignalValue::DONE, "round {round}");
        assert_eq!(event.query(&gpu.device), EventStatus::Finished);
        let _none_left = (consumer.reclaim().expect("alive"), producer.reclaim().expect("alive"));
    }
    consumer.close().expect("closed");
    producer.close().expect("closed");
    [gate, behind].iter().for_each(|signal| gpu.device.destroy(*signal));
    peer.destroy(end);
    early
}

/// A wait on GPU 1 for an event recorded behind a kernel on GPU 0 never passes early: peers wait on host cells.
#[test]
fn a_wait_for_a_peers_event_never_passes_early() {
    let Some(gpu) = Gpu::open("a_wait_for_a_peers_event_never_passes_early") else { return };
    let Some(peer) = second(&gpu) else { return };
    for device_signals in [DeviceSignals::Off, DeviceSignals::On] {
        for role in [Role::HostQuery, Role::Peer] {
            let early = early_passes(&gpu, &peer, device_signals, role);
            assert_eq!(early, 0, "{role:?}, {device_signals:?}: of {ROUNDS} waits passed early");
        }
    }
}

/// The same can fail: on a machine where peers see the host's stores late, and may access each other's cells, no wait passes early;
/// and with the rule planted away, waits do.
#[cfg(feature = "planted")]
#[test]
fn a_wait_for_a_peers_device_cell_passes_early() {
    let name = "a_wait_for_a_peers_device_cell_passes_early";
    let is_set = |name, to: &str| support::setting(name).is_some_and(|set| set.starts_with(to));
    if !is_set("PEER_STORES", "flushed:") || !is_set("DEPENDENCIES", "polled") {
        // With latched dependencies a peer is told of a 0, and need not look.
        return support::skipped(format_args!(
            "{name}: RINGFENCE_SOFTGPU_PEER_STORES=flushed:NS and _DEPENDENCIES=polled make peers see stores late"
        ));
    }
    let Some(layer) = Layer::open(name, "tests/peers/far_sighted.c") else { return };
    let gpu = Gpu::open_with(name, layer.runtime);
    let Some(peer) = second(&gpu) else { return };
    assert!(gpu.device.capabilities().can_hold_device_signals());
    let run = || early_passes(&gpu, &peer, DeviceSignals::On, Role::Peer);
    assert_eq!(run(), 0, "of {ROUNDS} waits passed early with the rule in force");
    let early = plant::with(Fault::PeerReadsDeviceCell, run);
    println!("{early} of {ROUNDS} waits passed early with the rule planted away");
    assert!(early > 0, "none of {ROUNDS} waits passed early with the rule planted away");
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
