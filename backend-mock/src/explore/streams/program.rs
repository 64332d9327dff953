//! A scenario of streams as a search runs it: sections, each with the steps of its threads.

use crate::{
    explore::Unfit,
    scenario::Name,
    streams::{
        profile::DriverProfile,
        scenario::{
            DriverFault, FailingCall, StreamAction, StreamScenario, StreamSetup, StreamStep,
        },
    },
};

/// Whether steps may end otherwise than the file says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Roughness {
    /// Nothing breaks: each step has to succeed, but for what only the timing decides.
    Healthy,
    /// Something breaks, and at another timing it may be noticed in another step.
    Rough,
}

/// What a search runs.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) setup: StreamSetup,
    pub(super) profile: DriverProfile,
    pub(super) steps: Vec<StreamStep>,
    /// For each section, the steps of each of its threads: those are taken in any order that keeps a thread's own.
    pub(super) sections: Vec<Vec<Vec<usize>>>,
    pub(super) roughness: Roughness,
}

impl Program {
    /// Steps that a program may have.
    const MOST_STEPS: usize = 200;

    pub(super) fn new(scenario: &StreamScenario, profile: DriverProfile) -> Result<Self, Unfit> {
        let setup = StreamSetup { drivers: vec![profile], ..scenario.setup.clone() };
        if setup.answers.is_some() {
            return Err(Unfit::Scripted);
        }
        let mut steps = Vec::new();
        unroll(&scenario.steps, &mut steps);
        if steps.len() > Self::MOST_STEPS {
            return Err(Unfit::TooLong { steps: steps.len() });
        }
        let rough = steps.iter().any(is_rough);
        let roughness = if rough { Roughness::Rough } else { Roughness::Healthy };
        let sections = sections(&steps);
        Ok(Self { setup, profile, steps, sections, roughness })
    }
}

/// Faults that a search brings in by itself, between two steps: one call that fails, the device, a stream of these leases.
pub(super) fn injectable(leases: Vec<Name>) -> impl Iterator<Item = DriverFault> {
    let calls = [
        FailingCall::Create,
        FailingCall::Query,
        FailingCall::Status,
        FailingCall::Record,
        FailingCall::Wait,
        FailingCall::Launch,
        FailingCall::Allocate,
        FailingCall::Free,
        FailingCall::Mark,
        FailingCall::Destroy,
    ];
    let failing = calls.map(|call| DriverFault::Call { call, nth: 0, says: None });
    failing
        .into_iter()
        .chain([DriverFault::Device])
        .chain(leases.into_iter().map(DriverFault::Stream))
}

fn is_rough(step: &StreamStep) -> bool {
    let inside = match &step.action {
        StreamAction::Fail(_) | StreamAction::Process(_) | StreamAction::Reset(_) => true,
        StreamAction::Capture(capture) => capture.steps.iter().any(is_rough),
        StreamAction::Acquire(acquire) => acquire.while_creating.iter().any(is_rough),
        StreamAction::Repeat { steps, .. } => steps.iter().any(is_rough),
        _ => false,
    };
    inside || step.fails.is_some()
}

/// What is left of the steps: expectations are about the file's own timing, and so is time itself.
fn unroll(steps: &[StreamStep], out: &mut Vec<StreamStep>) {
    for step in steps {
        match &step.action {
            StreamAction::Expect(_) | StreamAction::CountFrom | StreamAction::Tick(_) => {}
            StreamAction::Repeat { times, steps } => {
                for _ in 0..*times {
                    unroll(steps, out);
                    if out.len() > Program::MOST_STEPS {
                        return;
                    }
                }
            }
            _ => out.push(stripped(step)),
        }
    }
}
fn stripped(step: &StreamStep) -> StreamStep {
    let mut step = StreamStep { rule: None, ..step.clone() };
    let inside = match &mut step.action {
        StreamAction::Capture(capture) => &mut capture.steps,
        StreamAction::Acquire(acquire) => &mut acquire.while_creating,
        _ => return step,
    };
    let mut left = Vec::new();
    unroll(inside, &mut left);
    *inside = left;
    step
}

/// Steps of threads that stand together are one section; every other step is one of its own, after all before it
/// and before all behind it.
fn sections(steps: &[StreamStep]) -> Vec<Vec<Vec<usize>>> {
    let mut sections: Vec<Vec<Vec<usize>>> = Vec::new();
    let mut open: Vec<(&Name, Vec<usize>)> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        match &step.thread {
            Some(name) => match open.iter_mut().find(|(other, _)| *other == name) {
                Some((_, thread)) => thread.push(at),
                None => open.push((name, vec![at])),
            },
            None => {
                if !open.is_empty() {
                    sections.push(open.drain(..).map(|(_, thread)| thread).collect());
                }
                sections.push(vec![vec![at]]);
            }
        }
    }
    if !open.is_empty() {
        sections.push(open.into_iter().map(|(_, thread)| thread).collect());
    }
    sections
}
