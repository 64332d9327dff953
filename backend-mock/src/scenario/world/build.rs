//! From a set-up to a mock system and the library's policy.

use std::{
    num::{NonZeroU32, NonZeroU64},
    time::Duration,
};

use ringfence::{
    backend::{Capabilities, Features},
    drive::{Policy, TrackerKind},
    ring::RingLimits,
    timing::TickRate,
    wait::WaitPolicy,
};

use crate::{
    chooser::{self, Chooser, Scripted, Seeded},
    cost::Costs,
    scenario::{Feature, Profile, Setup, Tracking},
    system::{DeviceSettings, MockSystem, Pace, Quotas, Settings},
    trace::TraceLength,
};

/// The chooser and the pace of a profile.
pub(super) fn chooser(profile: Profile, seed: u64) -> (Box<dyn Chooser>, Pace) {
    let odds = match profile {
        Profile::Held => return (Box::new(Scripted::tame()), Pace::Held),
        Profile::Scripted => return (Box::new(Scripted::tame()), Pace::Scripted),
        Profile::Tame => chooser::Profile::Tame,
        Profile::Busy => chooser::Profile::Busy,
        Profile::Hostile => chooser::Profile::Hostile,
    };
    (Box::new(Seeded::new(seed, odds.odds())), Pace::Chosen)
}

/// A system without devices. Calls cost nothing, so that virtual time is kernels alone.
pub(super) fn system(setup: &Setup, chooser: Box<dyn Chooser>, pace: Pace) -> MockSystem {
    let quotas = Quotas { interrupts: setup.interrupts, ring_slots: setup.slots };
    MockSystem::new(
        chooser,
        Settings { pace, costs: Costs::NOTHING, trace: TraceLength::Whole, quotas },
    )
}

/// One of its devices.
pub(super) fn device(setup: &Setup) -> DeviceSettings {
    // Copies of scenarios wait for signals wherever those are.
    let always = Features::DEVICE_WAITS_ON_COPIES;
    let features = setup.features.iter().fold(always, |all, feature| {
        all | match feature {
            Feature::LargeBar => Features::LARGE_BAR,
            Feature::DeviceSignals => Features::DEVICE_SIGNALS,
            Feature::DeviceSignalsOnCopies => Features::DEVICE_SIGNALS_ON_COPIES,
            Feature::DeviceSignalHandlers => Features::DEVICE_SIGNAL_HANDLERS,
            Feature::BarrierValue => Features::BARRIER_VALUE,
            Feature::Interrupts => Features::INTERRUPTS,
            Feature::PeerDeviceWaits => Features::PEER_DEVICE_WAITS,
        }
    });
    let capabilities = Capabilities::new(features, setup.rings, setup.path);
    let hertz = NonZeroU64::new(setup.hertz).unwrap_or(NonZeroU64::MIN);
    DeviceSettings { capabilities, tick_rate: TickRate::new(hertz) }
}

/// What every stream's tracker is opened with.
pub(super) fn policy(setup: &Setup) -> Policy {
    let limit = Duration::from_micros(setup.wait_limit_us);
    let ring = RingLimits {
        size: setup.ring,
        cap: setup.cap,
        batch: setup.batch,
        interrupt_spares: setup.spares,
    };
    Policy {
        tracker: match setup.tracker {
            Tracking::Retiring => TrackerKind::Retiring,
            Tracking::Polling => TrackerKind::Polling,
        },
        device_signals: setup.signals,
        events: setup.events,
        ring,
        submission_batch: NonZeroU32::new(setup.submission_batch).unwrap_or(NonZeroU32::MIN),
        wait: WaitPolicy { limit, ..WaitPolicy::default() },
        audit: setup.audit,
    }
}
