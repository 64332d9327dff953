//! A scenario as a search runs it: sections, each with the steps of its tasks.

use std::fmt;

use super::unroll::Unroll;
use crate::scenario::{Action, Expect, Name, Profile, Scenario, Setup, Step};

/// Why a scenario cannot be searched.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unfit {
    /// It has more steps, repeated ones each time, than a search can run through.
    TooLong {
        /// How many.
        steps: usize,
    },
    /// Its machine cannot be set up.
    Setup {
        /// Why not.
        why: String,
    },
    /// It is about a device or a script that leaves a search nothing to choose.
    Scripted,
}
impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { steps } => {
                let most = Program::MOST_STEPS;
                write!(f, "it has {steps} steps, and a search runs through at most {most}")
            }
            Self::Setup { why } => write!(f, "its machine cannot be set up: {why}"),
            Self::Scripted => f.write_str("its profile is `scripted`: nothing is left to choose"),
        }
    }
}
impl std::error::Error for Unfit {}

/// The steps of one task, by their position in the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Task {
    pub(super) steps: Vec<usize>,
}

/// Steps that are taken in any order that keeps that of each task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Section {
    pub(super) tasks: Vec<Task>,
}

/// What a search runs.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) setup: Setup,
    pub(super) steps: Vec<Step>,
    pub(super) sections: Vec<Section>,
    pub(super) roughness: Roughness,
}

/// Whether steps may end in errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Roughness {
    /// Nothing breaks: each step has to succeed.
    Healthy,
    /// Something breaks, and at another timing it may be noticed in another step.
    Rough,
}

impl Program {
    /// Steps that a program may have.
    pub(super) const MOST_STEPS: usize = 200;

    pub(super) fn new(scenario: &Scenario) -> Result<Self, Unfit> {
        if scenario.setup.profile == Profile::Scripted {
            return Err(Unfit::Scripted);
        }
        let any_timing = matches!(scenario.setup.profile, Profile::Busy | Profile::Hostile);
        let mut steps = Vec::new();
        Unroll::default().steps(&scenario.steps, &mut steps);
        steps.retain(|step| match &step.action {
            // Others are about the one timing that the file forces, or about how much was done.
            Action::Expect(expect) => any_timing && holds_at_any_timing(expect),
            Action::CountFrom => false,
            _ => true,
        });
        if steps.len() > Self::MOST_STEPS {
            return Err(Unfit::TooLong { steps: steps.len() });
        }
        let rough = steps.iter().any(|step| {
            step.fails.is_some() || matches!(step.action, Action::Fail(_) | Action::Force { .. })
        });
        let roughness = if rough { Roughness::Rough } else { Roughness::Healthy };
        let sections = sections(&steps);
        Ok(Self { setup: scenario.setup.clone(), steps, sections, roughness })
    }
}

fn holds_at_any_timing(expect: &Expect) -> bool {
    !matches!(
        expect,
        Expect::Count { .. }
            | Expect::Blocked(_)
            | Expect::ElapsedNs(_)
            | Expect::CompletedBefore(_)
    )
}

/// Steps of tasks that stand together are one section; every other step is one of its own, after all
/// before it and before all behind it.
fn sections(steps: &[Step]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut open: Vec<(&Name, Task)> = Vec::new();
    let close = |open: &mut Vec<(&Name, Task)>, sections: &mut Vec<Section>| {
        if !open.is_empty() {
            let tasks = open.drain(..).map(|(_, task)| task).collect();
            sections.push(Section { tasks });
        }
    };
    for (at, step) in steps.iter().enumerate() {
        match &step.task {
            Some(name) => match open.iter_mut().find(|(other, _)| *other == name) {
                Some((_, task)) => task.steps.push(at),
                None => open.push((name, Task { steps: vec![at] })),
            },
            None => {
                close(&mut open, &mut sections);
                sections.push(Section { tasks: vec![Task { steps: vec![at] }] });
            }
        }
    }
    close(&mut open, &mut sections);
    sections
}
