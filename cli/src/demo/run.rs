//! One configuration, from opening its trackers to its figures.

use std::{fmt, time::Instant};

use ringfence::{
    drive::{Policy, TrackerKind},
    error::Error,
    ledger::Counts,
    placement::{DeviceSignals, EventPlacement},
};
use ringfence_mock::{
    chooser::{Profile, Seeded},
    cost::HostTime,
    counts::Counts as DeviceCounts,
    oracle::Violation,
    system::{DeviceSettings, MockSystem, Settings},
};

use super::{
    idle::Idle,
    machine::Modelled,
    player::{Played, Player, Tally},
    workload::Mix,
};
use crate::trace::Trace;

/// Steps between two reports of progress.
const REPORT_EVERY: usize = 2_048;
/// The bookkeeping is timed so often; the median counts.
const TIMED_RUNS: usize = 5;
/// Lines of trace to show with the first violation.
const LINES: usize = 40;

/// Where signals live, in the words of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Host,
    Device,
    Twin,
}
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Host => "host",
            Self::Device => "device",
            Self::Twin => "twin",
        })
    }
}

/// One of the five.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Configuration {
    pub(crate) tracker: TrackerKind,
    pub(crate) place: Place,
}
impl Configuration {
    /// All, in the order of the table.
    pub(crate) const ALL: [Self; 5] = [
        Self::new(TrackerKind::Polling, Place::Host),
        Self::new(TrackerKind::Polling, Place::Device),
        Self::new(TrackerKind::Retiring, Place::Host),
        Self::new(TrackerKind::Retiring, Place::Device),
        Self::new(TrackerKind::Retiring, Place::Twin),
    ];
    const fn new(tracker: TrackerKind, place: Place) -> Self {
        Self { tracker, place }
    }
    /// Its place in the table, from 1.
    pub(super) fn order(self) -> u32 {
        let at = Self::ALL.iter().position(|one| *one == self);
        at.and_then(|at| u32::try_from(at + 1).ok()).expect("one of all")
    }
    /// The tracker, in the words of the table.
    pub(crate) const fn tracker_name(self) -> &'static str {
        match self.tracker {
            TrackerKind::Polling => "polling",
            TrackerKind::Retiring => "retiring",
        }
    }
    /// What the library is told.
    pub(super) fn policy(self) -> Policy {
        let (device_signals, events) = match self.place {
            Place::Host => (DeviceSignals::Off, EventPlacement::Host),
            Place::Device => (DeviceSignals::On, EventPlacement::Device),
            Place::Twin => (DeviceSignals::On, EventPlacement::Twin),
        };
        Policy { tracker: self.tracker, device_signals, events, ..Policy::default() }
    }
}
impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Host | Place::Device => {
                write!(f, "{} on {} signals", self.tracker_name(), self.place)
            }
            Place::Twin => write!(f, "{} with twin events", self.tracker_name()),
        }
    }
}

/// The figures of one configuration.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    pub(crate) configuration: Configuration,
    /// What the library counted.
    pub(crate) counts: Counts,
    /// What was seen besides.
    pub(crate) tally: Tally,
    /// What the device was asked for.
    pub(crate) device: DeviceCounts,
    /// Modelled host time: a model, not silicon.
    pub(crate) modelled: HostTime,
    /// Real nanoseconds of the library's bookkeeping for a use, on a device that does nothing.
    pub(crate) bookkeeping: f64,
    /// How often a rule was broken, and the first of them.
    pub(crate) violations: u64,
    pub(crate) first_violation: Option<Violation>,
}

/// A run ended before its end.
#[derive(Debug)]
pub(crate) struct Aborted {
    /// Which one.
    pub(crate) configuration: Configuration,
    /// What the library said.
    pub(crate) error: Error,
    /// What the rules said before.
    pub(crate) first_violation: Option<Violation>,
    /// The last calls and device moves.
    pub(crate) trace: Vec<String>,
}

/// Plays the mix on the modelled device, then times it on one that does nothing. `progress` is told of
/// steps that are done.
///
/// # Errors
/// When the library reports an error, which a healthy device gives no reason for.
pub(crate) fn run(
    configuration: Configuration,
    mix: &Mix,
    seed: u64,
    profile: Profile,
    trace: &Trace,
    progress: &mut dyn FnMut(usize),
) -> Result<Figures, Box<Aborted>> {
    let system = MockSystem::new(Seeded::new(seed, profile.odds()), Settings::default());
    let aborted = |error| {
        Box::new(Aborted {
            configuration,
            error,
            first_violation: system.first_violation(),
            trace: system.trace(LINES),
        })
    };
    let machine = Modelled::new(system.add_device(DeviceSettings::default()));
    let policy = configuration.policy();
    let clock = {
        let system = system.clone();
        move || system.now().since_start()
    };
    let play = || {
        let mut player = Player::open(&machine, policy)?;
        for steps in mix.steps().chunks(REPORT_EVERY) {
            for step in steps {
                player.play(step)?;
            }
            progress(steps.len());
        }
        let played = player.finish()?;
        let asked = (system.counts(), system.host_time());
        player.close()?;
        Ok((played, asked))
    };
    let played = trace.run(configuration.order(), &configuration.to_string(), clock, play);
    let (Played { counts, tally }, (device, modelled)) = played.map_err(aborted)?;
    let bookkeeping = time_bookkeeping(policy, mix).map_err(aborted)?;
    Ok(Figures {
        configuration,
        counts,
        tally,
        device,
        modelled,
        bookkeeping,
        violations: system.violation_count(),
        first_violation: system.first_violation(),
    })
}

/// Nanoseconds of the whole mix on a device whose calls do nothing, for each use: the median of several
/// runs.
fn time_bookkeeping(policy: Policy, mix: &Mix) -> Result<f64, Error> {
    let mut times = [0.0; TIMED_RUNS];
    for time in &mut times {
        let machine = Idle::new(DeviceSettings::default());
        let mut player = Player::open(&machine, policy)?;
        let begin = Instant::now();
        for step in mix.steps() {
            player.play(step)?;
        }
        let Played { counts, .. } = player.finish()?;
        *time = begin.elapsed().as_nanos() as f64 / counts.uses.max(1) as f64;
        player.close()?;
    }
    times.sort_unstable_by(f64::total_cmp);
    Ok(times[TIMED_RUNS / 2])
}
