//! What a scenario file says, without a trace of how it was written.

use std::{collections::BTreeMap, fmt};

use ringfence::{
    backend::{HostDataPath, RingMemory},
    drive::Audit,
    placement::{DeviceSignals, EventPlacement},
};

use super::{Step, word::words};
use crate::oracle::Rule;

/// The name of a stream, queue, copy engine, device, use or event.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);
impl Name {
    /// The thing called `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }
    /// The name's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scenario {
    /// What happened, in one line.
    pub name: String,
    /// Where it was reported: a public address, or a section of a specification.
    pub source: Option<String>,
    /// The rules that it exercises.
    pub rules: Vec<Rule>,
    /// The planted faults that it catches, by the names in `ringfence::plant`.
    pub catches: Vec<String>,
    /// The machine and the library's settings.
    pub setup: Setup,
    /// What happens, in order.
    pub steps: Vec<Step>,
}

words! {
    /// Which tracker each stream uses.
    pub Tracking, "a tracker" {
        /// A batch is retired by one load of a fence.
        Retiring = "retiring",
        /// Each use is loaded, as runtimes do today.
        Polling = "polling",
    }
    /// How the device spends what the steps leave open.
    pub Profile, "a profile" {
        /// It moves when a step says so, and as far as a wait of the host needs. The read index stands
        /// still.
        Held = "held",
        /// It moves when a step says so and not otherwise, also while the host waits; work takes no time.
        Scripted = "scripted",
        /// It does at once whatever it can, in order; the read index tells the truth.
        Tame = "tame",
        /// Healthy hardware at full load: not prompt, in no order, a read index that leads or lags.
        Busy = "busy",
        /// Everything that may go wrong without a fault of the host.
        Hostile = "hostile",
    }
    /// What a device and its runtime can do, as in `ringfence::backend::Features`.
    pub Feature, "a feature" {
        /// The host can address all of the device's memory.
        LargeBar = "large_bar",
        /// Signals may live in device memory.
        DeviceSignals = "device_signals",
        /// A copy engine may complete a signal in device memory.
        DeviceSignalsOnCopies = "device_signals_on_copies",
        /// A handler may be set on a signal in device memory.
        DeviceSignalHandlers = "device_signal_handlers",
        /// The packet processor knows the barrier-value packet.
        BarrierValue = "barrier_value",
        /// Signals that wake a sleeping host thread exist.
        Interrupts = "interrupts",
        /// Another device may wait for a signal in this device's memory.
        PeerDeviceWaits = "peer_device_waits",
    }
}

/// The machine and the settings. Every field has a default.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Devices `gpu0`, `gpu1`, and so on.
    pub devices: u32,
    /// Hardware queues `q0`, `q1`, and so on.
    pub queues: u32,
    /// Copy engines `sdma0`, `sdma1`, and so on.
    pub engines: u32,
    /// Queues and engines that are not on `gpu0`, with the number of their device.
    pub on_device: BTreeMap<Name, u32>,
    /// Each stream's hardware queue. When none is named: `s0` on `q0`, `s1` on `q1`, and so on.
    pub streams: BTreeMap<Name, Name>,
    /// The tracker.
    pub tracker: Tracking,
    /// Where signals live.
    pub signals: DeviceSignals,
    /// Where events live.
    pub events: EventPlacement,
    /// Signals of a ring to begin with.
    pub ring: u32,
    /// Signals of a ring at most; 16 times `ring` when it is not named.
    pub cap: u32,
    /// Arms before a flush; when it is not named, half of a small `ring`, and 32 of a large one.
    pub batch: u32,
    /// Spare interrupt signals.
    pub spares: u32,
    /// Commands of a submission batch.
    pub submission_batch: u32,
    /// What the device can do.
    pub features: Vec<Feature>,
    /// Where packet rings live.
    pub rings: RingMemory,
    /// How host stores reach device memory.
    pub path: HostDataPath,
    /// Packets that fit into one hardware queue.
    pub slots: u32,
    /// Ticks a second of the device clocks.
    pub hertz: u64,
    /// Interrupt signals that may live at once in the process.
    pub interrupts: u32,
    /// Whether each signal is loaded before it is armed again.
    pub audit: Audit,
    /// Limit of each host wait, in microseconds of the device's clock.
    pub wait_limit_us: u64,
    /// How the device behaves.
    pub profile: Profile,
    /// How many times the scenario runs, each with its own seed.
    pub seeds: u32,
}
impl Setup {
    /// Times the ring's size that it may grow to when no cap is named.
    pub const GROWTH: u32 = 16;
    /// A set-up whose other sizes follow from the size of the ring.
    pub fn with_ring(ring: u32) -> Self {
        let batch = if ring < 64 { ring.div_ceil(2) } else { 32 };
        Self { ring, cap: ring.saturating_mul(Self::GROWTH), batch, ..Self::default() }
    }
    /// The features of a device that says nothing else: all but what only special hardware has.
    pub const FEATURES: &[Feature] =
        &[Feature::LargeBar, Feature::DeviceSignals, Feature::BarrierValue, Feature::Interrupts];
    /// Each stream with its queue, the default ones included.
    pub fn stream_queues(&self) -> BTreeMap<Name, Name> {
        if !self.streams.is_empty() {
            return self.streams.clone();
        }
        (0..self.queues).map(|n| (Name::new(format!("s{n}")), Name::new(format!("q{n}")))).collect()
    }
    /// The number of the device that a queue or an engine is on.
    pub fn device_of(&self, name: &Name) -> u32 {
        self.on_device.get(name).copied().unwrap_or(0)
    }
}
impl Default for Setup {
    fn default() -> Self {
        Self {
            devices: 1,
            queues: 1,
            engines: 0,
            on_device: BTreeMap::new(),
            streams: BTreeMap::new(),
            tracker: Tracking::Retiring,
            signals: DeviceSignals::On,
            events: EventPlacement::Host,
            ring: 64,
            cap: 64 * Self::GROWTH,
            batch: 32,
            spares: 5,
            submission_batch: 64,
            features: Self::FEATURES.to_vec(),
            rings: RingMemory::System,
            path: HostDataPath::Hdp,
            slots: 1024,
            interrupts: 4096,
            audit: Audit::Off,
            hertz: 100_000_000,
            wait_limit_us: 1_000_000,
            profile: Profile::Held,
            seeds: 1,
        }
    }
}
