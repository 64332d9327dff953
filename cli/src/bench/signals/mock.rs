//! The modelled device: what is counted is what the library did; time is that of the table of costs.

use ringfence_mock::{
    chooser::{Profile, Seeded},
    clock::Ticks,
    cost::LABEL,
    system::{DeviceSettings, MockDevice, MockQueue, MockSystem, Settings},
    trace::TraceLength,
    work::Kernel,
};

use super::{clock::Clock, runtimes::On};
use crate::bench::{
    gpu::{About, Ground},
    problem::Problem,
};

/// What the device's choices follow from, and how free it is in them: a prompt device, since a hostile one is what the rules are
/// checked on, not what a use costs.
const SEED: u64 = 1;
const PROFILE: Profile = Profile::Tame;
/// How long a kernel runs.
const KERNEL: Ticks = Ticks::new(5);

/// The modelled device is to be measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mock;

impl Mock {
    pub(super) fn about(&self) -> About {
        About {
            backend: "mock",
            ground: Ground::Model,
            version: format!(
                "ringfence-mock {}, costs of an MI300X by public figures",
                env!("CARGO_PKG_VERSION")
            ),
            gpu: "none".to_owned(),
            memory: "none",
            caution: LABEL,
        }
    }
    /// A process of its own for each column, under the oracle.
    pub(super) fn system() -> MockSystem {
        let settings = Settings { trace: TraceLength::Off, ..Settings::default() };
        MockSystem::new(Seeded::new(SEED, PROFILE.odds()), settings)
    }
    /// A device with so many queues.
    pub(super) fn on(system: &MockSystem, count: u32) -> On<MockDevice, MockQueue> {
        let device = system.add_device(DeviceSettings::default());
        let queues = (0..count).map(|_| device.add_queue()).collect();
        On { device, queues, work: Kernel::new(1, KERNEL), clock: Clock::Model(system.clone()) }
    }
    /// A figure of work that broke a rule is worth nothing.
    pub(super) fn judge(system: &MockSystem) -> Result<(), Problem> {
        match system.first_violation() {
            None => Ok(()),
            Some(first) => Err(Problem::Unmeasured(format!("a rule was broken: {first}"))),
        }
    }
}
