//! What the tasks do.

use std::fmt;

use clap::ValueEnum;

/// An experiment, as it is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(in crate::bench) enum Experiment {
    /// (a) Four loops of a task that fills an array and one that reduces and frees it
    Pipelines,
    /// (b) Tasks one after another, a kernel each
    Sequential,
    /// (c) A stencil over 1x1, 2x2 and 4x4 chunks; each update of a chunk is a task
    Stencil,
    /// (d) 64 threads that want a stream at the same moment
    Touches,
}
impl Experiment {
    /// All, in the order in which they run.
    pub(in crate::bench) const ALL: [Self; 4] =
        [Self::Pipelines, Self::Sequential, Self::Stencil, Self::Touches];
    /// What is run for it, one after another.
    pub(super) const fn parts(self) -> &'static [Part] {
        match self {
            Self::Pipelines => &[Part::Pipelines],
            Self::Sequential => &[Part::Sequential],
            Self::Stencil => &[Part::Stencil(1), Part::Stencil(2), Part::Stencil(4)],
            Self::Touches => &[Part::Touches],
        }
    }
}

/// How the names of runs begin, and what they are.
pub(in crate::bench) const EXPERIMENTS: [(&str, &str); 4] = [
    ("pipelines", "the loops of producers and consumers"),
    ("sequential", "tasks one after another"),
    ("stencil", "the stencil"),
    ("touches", "threads that want a stream at the same moment"),
];

/// When the pipelines' arrays are given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(in crate::bench) enum Frees {
    /// Once the sum is there
    Finished,
    /// As soon as the kernel that reads them is submitted: their memory's next user has to follow it
    Queued,
}
impl Frees {
    /// What the command line calls it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Queued => "queued",
        }
    }
}

/// One run of an experiment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Pipelines,
    Sequential,
    /// So many chunks along each side.
    Stencil(u32),
    Touches,
}
impl Part {
    /// What the tables call it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Pipelines => "pipelines",
            Self::Sequential => "sequential",
            Self::Stencil(1) => "stencil_1x1",
            Self::Stencil(2) => "stencil_2x2",
            Self::Stencil(_) => "stencil_4x4",
            Self::Touches => "touches",
        }
    }
}
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How long the experiments are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::bench) struct Length {
    /// Iterations of each of the four loops.
    pub(in crate::bench) iterations: u32,
    /// Tasks one after another.
    pub(in crate::bench) tasks: u32,
    /// Cells along each side of the stencil's surface: a multiple of 4.
    pub(in crate::bench) side: u32,
    /// Steps of the stencil.
    pub(in crate::bench) steps: u32,
    /// What the surface is filled from.
    pub(in crate::bench) seed: u64,
}
impl Length {
    /// Tasks of a run, about, for the progress bar.
    pub(super) const fn tasks_of(self, part: Part) -> u64 {
        match part {
            Part::Pipelines => super::pipelines::LOOPS as u64 * 2 * self.iterations as u64,
            Part::Sequential => self.tasks as u64,
            Part::Stencil(side) => self.steps as u64 * (side * side) as u64,
            Part::Touches => 2 * super::touches::THREADS as u64,
        }
    }
}
