//! Who is measured, and how it is set.

use std::fmt;

use ringfence::{
    drive::{Policy, TrackerKind},
    placement::{DeviceSignals, EventPlacement},
};

/// Whether times are kept: of the queue's packets, and of the events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Profiling {
    Off,
    On,
}
impl Profiling {
    pub(super) const ALL: [Self; 2] = [Self::Off, Self::On];
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
        }
    }
}

/// How finished uses are found, and where signals live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tracking {
    PollingHost,
    PollingDevice,
    RetiringHost,
    RetiringDevice,
    Twin,
}
impl Tracking {
    pub(super) const ALL: [Self; 5] = [
        Self::PollingHost,
        Self::PollingDevice,
        Self::RetiringHost,
        Self::RetiringDevice,
        Self::Twin,
    ];
    pub(super) fn policy(self) -> Policy {
        let (device, host) = (DeviceSignals::On, DeviceSignals::Off);
        let (polling, retiring) = (TrackerKind::Polling, TrackerKind::Retiring);
        let (tracker, device_signals, events) = match self {
            Self::PollingHost => (polling, host, EventPlacement::Host),
            Self::PollingDevice => (polling, device, EventPlacement::Device),
            Self::RetiringHost => (retiring, host, EventPlacement::Host),
            Self::RetiringDevice => (retiring, device, EventPlacement::Device),
            Self::Twin => (retiring, device, EventPlacement::Twin),
        };
        Policy { tracker, device_signals, events, ..Policy::default() }
    }
    const fn name(self) -> &'static str {
        match self {
            Self::PollingHost => "polling, host",
            Self::PollingDevice => "polling, device",
            Self::RetiringHost => "retiring, host",
            Self::RetiringDevice => "retiring, device",
            Self::Twin => "retiring, twin",
        }
    }
    /// Whether it asks for signals in device memory.
    pub(super) fn wants_device_signals(self) -> bool {
        self.policy().device_signals == DeviceSignals::On
    }
}

/// Whose calls they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Who {
    /// HIP's own.
    Hip,
    /// Ringfence's, above HIP's streams.
    OverHip(Tracking),
    /// CUDA's own.
    Cuda,
    /// Ringfence's progress words, above CUDA's streams.
    OverCuda,
    /// Ringfence's, above HSA's queues.
    OverHsa(Tracking),
    /// Ringfence's, on the modelled device.
    OnMock(Tracking),
}
impl Who {
    /// What programs call the runtime, or the library above it.
    pub(super) const fn stack(self) -> &'static str {
        match self {
            Self::Hip => "hip",
            Self::Cuda => "cuda",
            Self::OverCuda => "ringfence_over_cuda",
            Self::OverHip(_) => "ringfence_over_hip",
            Self::OverHsa(_) => "ringfence_over_hsa",
            Self::OnMock(_) => "ringfence_on_mock",
        }
    }
}

/// One column of the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Column {
    pub(super) who: Who,
    pub(super) profiling: Profiling,
}
impl Column {
    /// What the tables call it, in lines.
    pub(super) fn title(self) -> String {
        match self.who {
            Who::Hip => "HIP".to_owned(),
            Who::Cuda => "CUDA".to_owned(),
            Who::OverCuda => "over CUDA\nprogress\nwords".to_owned(),
            Who::OverHip(tracking) => format!("over HIP\n{}", tracking.name().replace(", ", ",\n")),
            Who::OverHsa(tracking) => format!("over HSA\n{}", tracking.name().replace(", ", ",\n")),
            Who::OnMock(tracking) => format!("model\n{}", tracking.name().replace(", ", ",\n")),
        }
    }
}
impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.who {
            Who::Hip => f.write_str("hip")?,
            Who::Cuda => f.write_str("cuda")?,
            Who::OverCuda => f.write_str("ringfence over cuda, progress words")?,
            Who::OverHip(tracking) => write!(f, "ringfence over hip, {}", tracking.name())?,
            Who::OverHsa(tracking) => write!(f, "ringfence over hsa, {}", tracking.name())?,
            Who::OnMock(tracking) => write!(f, "ringfence on the mock, {}", tracking.name())?,
        }
        write!(f, ", profiling {}", self.profiling.name())
    }
}
