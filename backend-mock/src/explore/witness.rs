//! A schedule as a scenario, which replays without a search.

use ringfence::{
    backend::PartIndex,
    id::{LaneId, UseId},
};

use super::{
    Options,
    outcome::Broken,
    program::Program,
    schedule::{Choice, Played, StepEnd, played},
};
use crate::{
    chooser::{Act, Look},
    model::Move,
    scenario::{Action, Failure, MachineFault, Name, Profile, Run, Scenario, Setup, Step},
};

/// The scenario of a schedule that breaks a rule in a search of `of`.
pub(super) fn scenario(
    of: &Scenario,
    program: &Program,
    options: &Options,
    broken: &Broken<Failure>,
) -> Scenario {
    let mut steps = Vec::new();
    played(program, options, &broken.answers)
        .iter()
        .for_each(|played| write(program, played, &mut steps));
    Scenario {
        name: format!("a schedule of: {}", of.name),
        source: None,
        rules: broken.failure.rule.into_iter().collect(),
        catches: Vec::new(),
        setup: Setup { profile: Profile::Scripted, seeds: 1, ..program.setup.clone() },
        steps,
    }
}

fn write(program: &Program, played: &Played, out: &mut Vec<Step>) {
    let mut step = match &played.choice {
        Choice::Finale => return,
        Choice::Fault(fault) => return out.push(Action::Fail(fault.clone()).into()),
        Choice::Handler(nth) => Step::from(Action::DeliverOne { nth: *nth }),
        Choice::Part(at) => match &program.steps[*at].action {
            Action::Reclaim { on } => Action::Search { on: on.clone(), steps: 1 }.into(),
            _ => program.steps[*at].clone(),
        },
        Choice::Step(at) => Step { task: None, ..program.steps[*at].clone() },
    };
    let at_once = matches!(step.action, Action::Finish { .. } | Action::ReadIndex { .. });
    let nothing = matches!(step.action, Action::Start { .. } | Action::Run(Run::Moves(_)));
    let handlers = matches!(step.action, Action::Deliver);
    for &(look, act) in &played.acts {
        let moved = match act {
            Act::Move(one) => device(one, played),
            Act::Nothing => Some(Action::Run(Run::Moves(0))),
            Act::InterruptLost => {
                out.push(Action::Fail(MachineFault::Interrupt).into());
                None
            }
            Act::Handler(_) => None,
        };
        let at = (!at_once && !handlers && look > Look::default()).then_some(look);
        if let Some(action) = moved {
            push(Step { at, ..action.into() }, out);
        }
    }
    if at_once || nothing || played.ended == StepEnd::Senseless {
        return;
    }
    if handlers {
        let called = played.acts.iter().filter_map(|&(_, act)| match act {
            Act::Handler(nth) => Some(nth),
            _ => None,
        });
        // Each that was called is gone from the list when the next is.
        let one = |(before, nth)| Step::from(Action::DeliverOne { nth: nth - before });
        return out.extend((0..).zip(called).map(one));
    }
    step.fails = match played.ended {
        StepEnd::Error(error) => Some(error),
        StepEnd::NoError => None,
        StepEnd::Well | StepEnd::Senseless => step.fails,
    };
    out.push(step);
}

/// A move of the device as a step: a packet starts with its completion.
fn device(one: Move, played: &Played) -> Option<Action> {
    let name = |of: UseId| name_of(of, &played.names);
    Some(match one {
        Move::Start(_) | Move::StartPart(..) | Move::Land(_) => return None,
        Move::Finish(of) => Action::Finish { of: vec![name(of)], parts: None },
        Move::FinishPart(of, PartIndex { .. }) => {
            Action::Finish { of: vec![name(of)], parts: Some(1) }
        }
        Move::Read(lane, to) => {
            Action::ReadIndex { index: to.as_u64(), of: queue_of(lane, &played.queues)? }
        }
    })
}
fn name_of(of: UseId, names: &[(UseId, Name)]) -> Name {
    let found = names.iter().find(|(named, _)| *named == of);
    found.map_or_else(|| Name::new(of.to_string()), |(_, name)| name.clone())
}
fn queue_of(lane: LaneId, queues: &[(LaneId, Name)]) -> Option<Name> {
    queues.iter().find(|(named, _)| *named == lane).map(|(_, name)| name.clone())
}

/// Completions that follow each other at one look are one step.
fn push(step: Step, out: &mut Vec<Step>) {
    if let Action::Finish { of: more, parts: None } = &step.action
        && let Some(Step { action: Action::Finish { of, parts: None }, at, .. }) = out.last_mut()
        && *at == step.at
    {
        return of.extend(more.iter().cloned());
    }
    out.push(step);
}
