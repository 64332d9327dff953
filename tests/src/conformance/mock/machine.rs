//! Mocks of several kinds, and what each cannot do.

use ringfence::backend::{Capabilities, Features, HostDataPath, RingMemory};
use ringfence_mock::chooser::Profile;

use super::super::{Drive, Facts, Lacks, Lists, Stamps, Unstamped, cannot};

/// What kind of device there is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A large BAR behind a host data path cache, rings in system memory.
    Discrete,
    /// The same with rings in device memory; copy engines decrement there as well.
    DeviceRings,
    /// No large BAR, no interrupts, no barrier-value packets, one device.
    Plain,
}

/// A machine: what its devices are, and how they behave.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Machine {
    /// What kind its devices are of.
    pub kind: Kind,
    /// How hostile they are.
    pub profile: Profile,
    /// How many.
    pub devices: usize,
}
impl Machine {
    /// All machines.
    pub fn all() -> impl Iterator<Item = Self> {
        let kinds = [Kind::Discrete, Kind::DeviceRings, Kind::Plain];
        kinds.into_iter().flat_map(|kind| {
            let devices = if kind == Kind::Plain { 1 } else { 2 };
            Profile::ALL.into_iter().map(move |profile| Self { kind, profile, devices })
        })
    }
    pub(super) fn capabilities(self) -> Capabilities {
        let discrete = Features::LARGE_BAR
            | Features::DEVICE_SIGNALS
            | Features::BARRIER_VALUE
            | Features::INTERRUPTS
            | Features::DEVICE_WAITS_ON_COPIES;
        let path = HostDataPath::Hdp;
        match self.kind {
            Kind::Discrete => Capabilities::new(discrete, RingMemory::System, path),
            Kind::DeviceRings => Capabilities::new(
                discrete | Features::DEVICE_SIGNALS_ON_COPIES,
                RingMemory::Device,
                path,
            ),
            Kind::Plain => Capabilities::new(Features::empty(), RingMemory::System, path),
        }
    }
    pub(super) fn stamps(self) -> Stamps {
        if self.profile == Profile::Hostile { Stamps::Faulty } else { Stamps::Honest }
    }
    pub(super) fn lists(self) -> Lists {
        let facts = Facts {
            capabilities: self.capabilities(),
            devices: self.devices,
            stamps: self.stamps(),
            unstamped: Unstamped::Impossible,
            drive: Drive::Virtual,
            lacks: Lacks::empty(),
        };
        Lists { cannot: cannot(&facts), not_yet: Vec::new() }
    }
}
