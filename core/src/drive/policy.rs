//! Every choice that an embedder can make, with its default and the reason.

use std::num::NonZeroU32;

use crate::{
    placement::{DeviceSignals, EventPlacement},
    ring::RingLimits,
    wait::WaitPolicy,
};

/// How finished uses are found.
///
/// ```
/// use ringfence::drive::{Policy, TrackerKind};
/// // What does this library bring? The same work by both, and their ledgers beside each other.
/// let both = [TrackerKind::Retiring, TrackerKind::Polling];
/// let policies = both.map(|tracker| Policy { tracker, ..Policy::default() });
/// # assert_eq!(policies[0], Policy::default());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum TrackerKind {
    /// From state that the host has, confirmed by one load a batch.
    #[default]
    Retiring,
    /// By loading each signal before it is used again, as runtimes do without this library.
    Polling,
}

/// Whether each signal is loaded before it is armed again, to catch what no proof can: somebody
/// else's decrement (S7).
///
/// ```
/// use ringfence::drive::{Audit, Policy};
/// let audit = if cfg!(debug_assertions) { Audit::On } else { Audit::Off };
/// let policy = Policy { audit, ..Policy::default() };
/// # let _ = policy;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Audit {
    /// No load: the default.
    #[default]
    Off,
    /// One load an arm.
    On,
}

/// What a tracker is opened with.
///
/// ```
/// use ringfence::drive::{Policy, TrackerKind};
/// let policy = Policy { tracker: TrackerKind::Polling, ..Policy::default() };
/// assert_eq!(policy.submission_batch.get(), 64);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Policy {
    /// Retiring, or the baseline.
    pub tracker: TrackerKind,
    /// Off until a measurement for the device says otherwise.
    pub device_signals: DeviceSignals,
    /// Host memory: a host query of a device cell costs 15 times as much.
    pub events: EventPlacement,
    /// 64 signals, growing to 16 times that, 32 for one flush.
    pub ring: RingLimits,
    /// Commands between two points at which their signals can be let go of. 64: with 1,000, every
    /// command of a record and synchronize loop keeps its signal until then.
    pub submission_batch: NonZeroU32,
    /// How host waits spend their time.
    pub wait: WaitPolicy,
    /// Off: an audit costs the loads that the ring saves.
    pub audit: Audit,
}
impl Policy {
    const BATCH: NonZeroU32 = NonZeroU32::new(64).expect("64 is not 0");
}
impl Default for Policy {
    fn default() -> Self {
        Self {
            tracker: TrackerKind::default(),
            device_signals: DeviceSignals::default(),
            events: EventPlacement::default(),
            ring: RingLimits::default(),
            submission_batch: Self::BATCH,
            wait: WaitPolicy::default(),
            audit: Audit::default(),
        }
    }
}
