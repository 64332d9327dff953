//! A host that does everything right, for long, on every kind of device: nothing is reported.

use super::*;
use crate::chooser::{Profile, Seeded};

/// A careful host: one load of the newest fence now and then, then it arms what that proves.
fn careful(seed: u64, profile: Profile, memory: SignalMemory) -> MockSystem {
    let system = MockSystem::new(Seeded::new(seed, profile.odds()), Settings::default());
    let device = system.add_device(DeviceSettings::default());
    let queue = device.add_queue();
    let mut spare: Vec<SignalHandle> = Vec::new();
    while spare.len() < 64 {
        let mut batch = [SignalHandle::NULL; 16];
        let created = device.create(memory, &mut batch).expect("nothing is planned to fail");
        spare.extend(&batch[..created.count]);
    }
    let mut flying: std::collections::VecDeque<(SignalHandle, Barrier)> = Default::default();
    for turn in 0..2_000 {
        let barrier = if turn % 5 == 4 { Barrier::Set } else { Barrier::Clear };
        let signal = spare.pop().expect("16 are always left");
        let at = queue.reserve(PacketCount::ONE);
        queue.commit(at, &kernel(barrier, signal));
        queue.ring_doorbell(at);
        flying.push_back((signal, barrier));
        if spare.len() < 16 {
            let newest = flying.iter().rposition(|&(_, barrier)| barrier == Barrier::Set);
            let newest = newest.expect("every fifth is one");
            let limit = std::time::Duration::from_secs(1);
            let outcome =
                device.wait(flying[newest].0, SignalValue::ARMED, WaitHint::Active, limit);
            assert_eq!(outcome, WaitOutcome::Reached(SignalValue::DONE));
            for (signal, _) in flying.drain(..=newest) {
                device.arm(signal, SignalValue::ARMED);
                spare.push(signal);
            }
            device.flush();
        }
    }
    system
}

#[test]
fn a_careful_host_breaks_nothing_on_any_device() {
    for profile in Profile::ALL {
        for memory in [SignalMemory::Device, SignalMemory::Host, SignalMemory::Interrupt] {
            for seed in 1..=5 {
                let system = careful(seed, profile, memory);
                assert_eq!(system.violations(), [], "seed {seed}, {profile:?}, {memory}");
            }
        }
    }
}

#[test]
fn the_same_seed_and_calls_give_the_same_run() {
    let run = |seed| {
        let system = careful(seed, Profile::Hostile, SignalMemory::Device);
        (system.trace(4_096), system.now(), system.counts())
    };
    assert_eq!(run(3), run(3));
    assert_ne!(run(3).0, run(4).0);
}
