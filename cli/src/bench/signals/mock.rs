//! The modelled device: what is counted is what the library did; time is that of the table of costs.

use ringfence::backend::{Device, PacketQueue};
use ringfence_mock::{
    chooser::{Chance, Odds, Profile, Seeded},
    clock::Ticks,
    cost::LABEL,
    system::{DeviceSettings, MockDevice, MockQueue, MockSystem, Settings},
    trace::TraceLength,
    work::Kernel,
};

use super::{clock::Clock, runtimes::On};
use crate::{
    bench::{
        gpu::{About, Ground},
        problem::Problem,
    },
    demo::{Idle, Machine as _},
};

/// What the device's choices follow from.
const SEED: u64 = 1;
/// How free it is in them: healthy and loaded, but a wait ends when its work does. A hostile one is what the rules are checked on, and a
/// wait that ends for nothing would be the longest of each row, whoever tracks.
const ODDS: Odds = Odds { short_wait: Chance::NEVER, ..Profile::Busy.odds() };

/// How long a kernel runs, on a clock of 100 MHz.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kernels {
    /// 3 µs: longer than any tracker takes to submit another, so that there is something to wait for.
    Long,
    /// 50 ns: what is measured is the tracker.
    Short,
}
impl Kernels {
    const fn ticks(self) -> Ticks {
        Ticks::new(match self {
            Self::Long => 300,
            Self::Short => 5,
        })
    }
}

/// The modelled device is to be measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mock;

impl Mock {
    pub(super) fn about(&self) -> About {
        About {
            backend: "mock",
            ground: Ground::Model,
            version: format!(
                "ringfence-mock {}, device of the profile busy, seed {SEED}, costs of an MI300X by public figures",
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
        MockSystem::new(Seeded::new(SEED, ODDS), settings)
    }
    /// A device with so many queues.
    pub(super) fn on(
        system: &MockSystem,
        count: u32,
        kernels: Kernels,
    ) -> On<MockDevice, MockQueue> {
        let device = system.add_device(DeviceSettings::default());
        let queues = (0..count).map(|_| device.add_queue()).collect();
        On {
            device,
            queues,
            work: Kernel::new(1, kernels.ticks()),
            clock: Clock::Model(system.clone()),
        }
    }
    /// A device that does nothing and is always done, in this machine's time: what is left is the library's own bookkeeping.
    pub(super) fn idle(count: u32) -> On<impl Device + Clone, impl PacketQueue<Work = ()>> {
        let idle = Idle::new(DeviceSettings::default());
        let queues = (0..count).map(|_| idle.add_queue()).collect();
        On { device: idle.device(), queues, work: (), clock: Clock::Machine }
    }
    /// A figure of work that broke a rule is worth nothing.
    pub(super) fn judge(system: &MockSystem) -> Result<(), Problem> {
        match system.first_violation() {
            None => Ok(()),
            Some(first) => Err(Problem::Unmeasured(format!("a rule was broken: {first}"))),
        }
    }
}
