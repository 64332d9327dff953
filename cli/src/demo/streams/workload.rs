//! What the tasks do: six workloads, each as long as the number of tasks says.

use std::fmt;

/// A workload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Workload {
    Sequential,
    Leftover,
    Pipelines,
    Stencil(Grid),
}
/// Into how many chunks a field is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Grid {
    One,
    Two,
    Four,
}
impl Grid {
    /// Chunks along each side.
    pub(crate) const fn side(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Four => 4,
        }
    }
    /// All chunks.
    pub(crate) const fn chunks(self) -> u32 {
        self.side() * self.side()
    }
}
impl Workload {
    /// All, in the order of the table.
    pub(crate) const ALL: [Self; 6] = [
        Self::Sequential,
        Self::Leftover,
        Self::Pipelines,
        Self::Stencil(Grid::One),
        Self::Stencil(Grid::Two),
        Self::Stencil(Grid::Four),
    ];
    /// What the table calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Leftover => "leftover",
            Self::Pipelines => "pipelines",
            Self::Stencil(Grid::One) => "stencil_1x1",
            Self::Stencil(Grid::Two) => "stencil_2x2",
            Self::Stencil(Grid::Four) => "stencil_4x4",
        }
    }
}
impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How long the workloads are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Size {
    tasks: u32,
}
impl Size {
    /// By the tasks of the sequential workloads; the others follow from it.
    pub(crate) const fn new(tasks: u32) -> Self {
        Self { tasks }
    }
    /// Tasks that run one after another.
    pub(crate) const fn tasks(self) -> u32 {
        self.tasks
    }
    /// Iterations of each of the four pipelines, of two tasks each.
    pub(crate) const fn iterations_of_pipelines(self) -> u32 {
        at_least_one(self.tasks / 40)
    }
    /// Iterations of the stencils: 2,000 for 20,000 tasks.
    pub(crate) const fn iterations_of_stencils(self) -> u32 {
        at_least_one(self.tasks / 10)
    }
    /// When the memory of a stencil is looked at before its end: after 250 of 2,000 iterations.
    pub(crate) const fn first_look(self) -> u32 {
        at_least_one(self.iterations_of_stencils() / 8)
    }
    /// About how many tasks a workload has, for the progress bar.
    pub(crate) const fn about(self, workload: Workload) -> u64 {
        match workload {
            Workload::Sequential | Workload::Leftover => self.tasks as u64,
            Workload::Pipelines => 8 * self.iterations_of_pipelines() as u64,
            Workload::Stencil(grid) => self.iterations_of_stencils() as u64 * grid.chunks() as u64,
        }
    }
}
const fn at_least_one(number: u32) -> u32 {
    if number == 0 { 1 } else { number }
}
