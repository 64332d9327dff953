//! What a scenario of streams says, without a trace of how it was written.

use ringfence::{
    id::{ContextId, DeviceContext, DeviceId, Priority, StreamFlags, StreamKey},
    stream::PoolOptions,
};

use super::{PolicyKind, Pumping, StreamStep};
use crate::streams::{oracle::StreamRule, profile::DriverProfile, system::Words};

/// One scenario of streams.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StreamScenario {
    /// What happened, in one line.
    pub name: String,
    /// Where it was reported: a public address.
    pub source: Option<String>,
    /// The rules that it exercises.
    pub rules: Vec<StreamRule>,
    /// The planted faults that it catches, by the names in `ringfence::plant`.
    pub catches: Vec<String>,
    /// The drivers and the pool's settings.
    pub setup: StreamSetup,
    /// What happens, in order.
    pub steps: Vec<StreamStep>,
}

/// The drivers and the settings. Every field but the drivers has a default.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StreamSetup {
    /// The scenario runs once on each.
    pub drivers: Vec<DriverProfile>,
    /// Whether the driver has progress words.
    pub words: Words,
    /// How the pool answers.
    pub policy: PolicyKind,
    /// Streams of `round_robin`, or the limit of `fresh_deferred`.
    pub streams: u32,
    /// Idle streams kept for each key.
    pub idle_cap: u32,
    /// Streams alive at most; 0: no limit.
    pub live_cap: u32,
    /// Streams with left-over work that one acquire looks at.
    pub looks: u32,
    /// Past how many live streams the pool warns.
    pub warn_past: u32,
    /// What streams are towards the null stream.
    pub flags: StreamFlags,
    /// Devices 0, 1, and so on.
    pub devices: u32,
    /// Virtual time that a creation takes.
    pub create_ticks: u32,
    /// Hardware queues for each class of priority; 0: as the driver has it.
    pub queues: u32,
    /// Limit of a host wait inside the library, in ticks.
    pub wait_limit: u32,
    /// Who pumps.
    pub pump: Pumping,
    /// The device does nothing by itself: where the host is about to see whether work is finished, it answers by the next of
    /// these. `None`: virtual time says when work is finished.
    pub answers: Option<Vec<u16>>,
}
impl StreamSetup {
    /// The usual pool on these drivers.
    pub fn on(drivers: impl Into<Vec<DriverProfile>>) -> Self {
        let options = PoolOptions::default();
        Self {
            drivers: drivers.into(),
            words: Words::On,
            policy: PolicyKind::Lease,
            streams: 32,
            idle_cap: options.idle_cap,
            live_cap: 0,
            looks: options.looks,
            warn_past: options.warn_past,
            flags: StreamFlags::NON_BLOCKING,
            devices: 1,
            create_ticks: 0,
            queues: 0,
            wait_limit: 10_000_000,
            pump: Pumping::Manual,
            answers: None,
        }
    }
    /// The key of streams in `place` with this set-up's flags.
    pub fn key(&self, place: Place) -> StreamKey {
        let context =
            DeviceContext { device: DeviceId::new(place.device), context: ContextId::PRIMARY };
        StreamKey::new(context).with_priority(place.priority).with_flags(self.flags)
    }
}

/// Which of a scenario's streams can be exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Place {
    /// The number of the device.
    pub device: u32,
    /// How urgent their work is.
    pub priority: Priority,
}
