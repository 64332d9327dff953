//! The shell: a device model with a clock, a chooser, a trace and an oracle, behind the backend
//! traits.

mod control;
mod copy;
mod device;
mod explored;
mod handlers;
mod pace;
mod planned;
mod queue;
mod signals;
mod state;
mod wait;

#[cfg(test)]
mod tests;

use std::{
    cell::{RefCell, RefMut},
    num::NonZeroU64,
    rc::Rc,
    time::Duration,
};

use ringfence::{
    backend::{Capabilities, Features, HostDataPath, RingMemory},
    id::DeviceId,
    timing::TickRate,
};

pub use copy::MockCopyEngine;
pub use device::MockDevice;
pub use explored::WhichParts;
pub use pace::{Moved, Pace};
pub use planned::Planned;
pub use queue::MockQueue;

use crate::{
    chooser::Chooser,
    clock::Instant,
    cost::{Costs, HostTime},
    counts::Counts,
    model::Model,
    oracle::{Declaration, Violation},
    trace::TraceLength,
};
use state::State;

/// How many interrupt events a process has, and how many slots a packet ring.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Quotas {
    /// Interrupt signals that may live at once: 4,096 on Linux's KFD.
    pub interrupts: u32,
    /// Slots of each packet ring: 16,384 is usual.
    pub ring_slots: u32,
}
impl Default for Quotas {
    fn default() -> Self {
        Self { interrupts: 4_096, ring_slots: 16_384 }
    }
}

/// What holds for all devices of a system.
///
/// ```
/// use ringfence_mock::{cost::Costs, system::{Pace, Settings}};
/// // A test that says itself when work finishes, and in which calls cost no time.
/// let settings = Settings { pace: Pace::Held, costs: Costs::NOTHING, ..Settings::default() };
/// assert_eq!(settings.quotas.interrupts, 4_096);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Settings {
    /// Who sets the pace.
    pub pace: Pace,
    /// Modelled cost of calls ([`cost::LABEL`](crate::cost::LABEL)).
    pub costs: Costs,
    /// How much of the trace is kept.
    pub trace: TraceLength,
    /// What runs out.
    pub quotas: Quotas,
}

/// What holds for one device.
///
/// ```
/// use ringfence::backend::Features;
/// use ringfence_mock::system::DeviceSettings;
/// let mut small = DeviceSettings { tick_rate: DeviceSettings::MHZ_25, ..DeviceSettings::default() };
/// small.capabilities.features.remove(Features::LARGE_BAR | Features::DEVICE_SIGNALS);
/// assert!(!small.capabilities.can_hold_device_signals());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DeviceSettings {
    /// What it can do.
    pub capabilities: Capabilities,
    /// The frequency of its timestamps.
    pub tick_rate: TickRate,
}
impl DeviceSettings {
    /// A tick rate of 25 MHz.
    pub const MHZ_25: TickRate = rate(25_000_000);
    /// A tick rate of 100 MHz.
    pub const MHZ_100: TickRate = rate(100_000_000);
    /// A tick rate of 1 GHz.
    pub const GHZ_1: TickRate = rate(1_000_000_000);
}
impl Default for DeviceSettings {
    /// A large device: large BAR, device signals, interrupts, barrier-value packets; packet rings in
    /// system memory behind a host data path cache; 100 MHz. Copies wait for device signals and
    /// complete none, and peers do not wait for them.
    fn default() -> Self {
        let features = Features::LARGE_BAR
            | Features::DEVICE_SIGNALS
            | Features::BARRIER_VALUE
            | Features::INTERRUPTS
            | Features::DEVICE_WAITS_ON_COPIES;
        let (rings, path) = (RingMemory::System, HostDataPath::Hdp);
        Self { capabilities: Capabilities::new(features, rings, path), tick_rate: Self::MHZ_100 }
    }
}
const fn rate(hertz: u64) -> TickRate {
    TickRate::new(NonZeroU64::new(hertz).expect("not 0"))
}

/// One process with its devices. A cheap handle: clones are the same system.
///
/// It belongs to one thread, with its devices, queues and engines: neither `Send` nor `Sync`, so that every run of a seed is the
/// same. What several threads do is modelled as turns on that one. (The model of drivers of streams,
/// [`MockStreams`](crate::streams::system::MockStreams), is shared by threads.)
///
/// ```
/// # use ringfence::drive::*;
/// use ringfence_mock::{chooser::{Profile, Seeded}, clock::Ticks, system::*, work::Kernel};
/// let system = MockSystem::new(Seeded::new(7, Profile::Hostile.odds()), Settings::default());
/// let gpu = system.add_device(DeviceSettings::default());
/// let mut tracker = Tracker::open(&gpu, HardwareQueue::new(gpu.add_queue()), Policy::default())?;
/// for _ in 0..100 {
///     tracker.submit(Submission::kernel(Kernel::new(0, Ticks::new(5))))?;
/// }
/// let _synced = tracker.synchronize()?;
/// if let Some(violation) = system.first_violation() {
///     panic!("{violation}\n{}", violation.trace.join("\n")); // with the seed, it happens again
/// }
/// # tracker.close()?;
/// # Ok::<(), ringfence::error::Error>(())
/// ```
#[derive(Clone)]
pub struct MockSystem(Rc<RefCell<State>>);
impl std::fmt::Debug for MockSystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MockSystem").finish_non_exhaustive()
    }
}
impl MockSystem {
    /// A system without devices, whose free choices `chooser` makes.
    pub fn new(chooser: impl Chooser + 'static, settings: Settings) -> Self {
        Self(Rc::new(RefCell::new(State::new(Box::new(chooser), settings))))
    }
    /// Adds a device.
    pub fn add_device(&self, settings: DeviceSettings) -> MockDevice {
        let id = self.state().add_device(settings);
        MockDevice::new(self.clone(), id)
    }
    /// The device with this number.
    pub fn device(&self, id: DeviceId) -> MockDevice {
        MockDevice::new(self.clone(), id)
    }
    fn state(&self) -> RefMut<'_, State> {
        self.0.borrow_mut()
    }
    /// Tells the oracle something that no call shows.
    pub fn declare(&self, statement: Declaration) {
        self.state().declare(statement);
    }
    /// Every rule that was broken so far: the first 64 in full. The first is the fault; later ones may
    /// be its consequences.
    pub fn violations(&self) -> Vec<Violation> {
        self.state().oracle.violations().to_vec()
    }
    /// The first rule that was broken.
    pub fn first_violation(&self) -> Option<Violation> {
        self.state().oracle.violations().first().cloned()
    }
    /// How many times a rule was broken.
    pub fn violation_count(&self) -> u64 {
        self.state().oracle.count()
    }
    /// The last `count` lines of the trace, oldest first.
    pub fn trace(&self, count: usize) -> Vec<String> {
        self.state().trace.last(count)
    }
    /// The whole trace, as far as it is kept.
    pub fn whole_trace(&self) -> Vec<String> {
        let state = self.state();
        state.trace.last(state.trace.len())
    }
    /// Calls on all devices together.
    pub fn counts(&self) -> Counts {
        let mut sum = Counts::default();
        for device in &self.state().devices {
            sum.merge(&device.counts);
        }
        sum
    }
    /// Virtual time.
    pub fn now(&self) -> Instant {
        self.state().clock.now()
    }
    /// Modelled host time so far: a model, not silicon.
    pub fn host_time(&self) -> HostTime {
        self.state().host_time
    }
    /// Lets virtual time pass without a call.
    pub fn pass(&self, time: Duration) {
        self.state().clock.pass(time);
    }
    /// A look at the device model.
    pub fn with_model<T>(&self, look: impl FnOnce(&Model) -> T) -> T {
        look(&self.state().model)
    }
}
