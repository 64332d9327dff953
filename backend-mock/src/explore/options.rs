//! What a search is told.

use std::{num::NonZeroUsize, time::Duration};

use crate::system::Pace;
pub use crate::{oracle::Blame, scenario::Digested};

/// When devices move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DeviceTiming {
    /// When the host is about to see it.
    #[default]
    Lazy,
    /// At any look of the host.
    Eager,
}
impl DeviceTiming {
    pub(super) fn pace(self) -> Pace {
        match self {
            Self::Lazy => Pace::Lazy,
            Self::Eager => Pace::Eager,
        }
    }
}

/// In which orders steps of tasks are tried.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum HostSteps {
    /// A step that commutes with all that others may do comes first, alone, and a `reclaim` that nobody
    /// can come between is one step.
    #[default]
    Reduced,
    /// Every order, with each `reclaim` in its parts.
    Every,
}

/// Where a search gives up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// States that are looked at.
    pub states: u64,
    /// Choices of one schedule.
    pub choices: usize,
    /// How long it takes.
    pub time: Duration,
}
impl Default for Bounds {
    fn default() -> Self {
        Self { states: 2_000_000, choices: 2_000, time: Duration::from_secs(60) }
    }
}

/// When a search is content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Until {
    /// When it has found a broken rule.
    #[default]
    Broken,
    /// When nothing is left: it collects every rule that can break.
    Exhausted,
}

/// What a search is told. The default is what `ringfence explore` does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// When devices move.
    pub timing: DeviceTiming,
    /// In which orders tasks run.
    pub host: HostSteps,
    /// How finely states are told apart.
    pub blame: Blame,
    /// Where it gives up.
    pub bounds: Bounds,
    /// When it is content.
    pub until: Until,
    /// Faults of the machine that a schedule may have beside those of the file.
    pub faults: u32,
    /// One in so many visits of a state that was met before is expanded again, and compared.
    pub recheck: u64,
    /// Threads that search. One is the caller's own.
    pub threads: NonZeroUsize,
    /// A part of the state that digests leave out. A test says so, to see that it is noticed.
    pub without: Option<Digested>,
}
impl Default for Options {
    fn default() -> Self {
        Self {
            timing: DeviceTiming::default(),
            host: HostSteps::default(),
            blame: Blame::default(),
            bounds: Bounds::default(),
            until: Until::default(),
            faults: 0,
            recheck: 64,
            threads: NonZeroUsize::MIN,
            without: None,
        }
    }
}
