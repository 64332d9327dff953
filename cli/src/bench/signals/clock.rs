//! Whose time the figures are in.

use std::{
    hint,
    sync::LazyLock,
    time::{Duration, Instant},
};

use ringfence_mock::system::MockSystem;

/// Looks at the clock of which the median is taken.
const LOOKS: usize = 1_001;

/// A clock of the host.
#[derive(Clone, Debug)]
pub(super) enum Clock {
    /// This machine's.
    Machine,
    /// That of the modelled host: what its calls and waits would have taken, by the table of costs.
    Model(MockSystem),
}

impl Clock {
    /// Since some moment before.
    pub(super) fn now(&self) -> Duration {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        match self {
            Self::Machine => {
                let start = *START;
                Instant::now() - start
            }
            Self::Model(system) => system.host_time().total(),
        }
    }
    /// The host looks away for so long.
    pub(super) fn look_away(&self, time: Duration) {
        match self {
            Self::Machine => {
                let begun = Instant::now();
                while begun.elapsed() < time {
                    hint::spin_loop();
                }
            }
            Self::Model(system) => system.pass(time),
        }
    }
    /// How many calls are timed together, where one takes hardly longer than a look at the clock: modelled time has no such limit.
    pub(super) fn together(&self) -> u32 {
        match self {
            Self::Machine => 1_024,
            Self::Model(_) => 1,
        }
    }
    /// What a look takes, which is in each time.
    pub(super) fn look(&self) -> Duration {
        let look = |_| {
            let begun = self.now();
            self.now() - begun
        };
        let mut all: Vec<_> = (0..LOOKS).map(look).collect();
        all.sort_unstable();
        all[LOOKS / 2]
    }
}

#[cfg(test)]
mod tests {
    use ringfence_mock::{
        chooser::Scripted,
        system::{DeviceSettings, Settings},
    };

    use super::*;

    #[test]
    fn time_of_the_model_passes_in_calls_alone() {
        use ringfence::backend::Signals;
        let system = MockSystem::new(Scripted::default(), Settings::default());
        let device = system.add_device(DeviceSettings::default());
        let clock = Clock::Model(system);
        assert_eq!(clock.look(), Duration::ZERO);
        let begun = clock.now();
        device.publish_stores();
        assert!(clock.now() > begun);
        assert!(Clock::Machine.look() < Duration::from_millis(1));
    }
}
