//! Repeated steps, one after the other, with a name of its own for each use.

use std::collections::{BTreeMap, BTreeSet};

use super::program::Program;
use crate::scenario::{Action, MachineFault, Name, Step};

/// What names of uses stand for so far.
#[derive(Default)]
pub(super) struct Unroll {
    taken: BTreeSet<Name>,
    latest: BTreeMap<Name, Name>,
}
impl Unroll {
    pub(super) fn steps(&mut self, steps: &[Step], out: &mut Vec<Step>) {
        for step in steps {
            match &step.action {
                Action::Repeat { times, steps } => {
                    for _ in 0..*times {
                        if out.len() > Program::MOST_STEPS * 4 {
                            return; // too long in any case
                        }
                        self.steps(steps, out);
                    }
                }
                action => {
                    let action = self.renamed(action.clone());
                    out.push(Step { action, ..step.clone() });
                }
            }
        }
    }
    fn renamed(&mut self, mut action: Action) -> Action {
        match &mut action {
            Action::Submit(submit) => self.define(&mut submit.name),
            Action::Copy(copy) => self.define(&mut copy.name),
            Action::Graph(graph) => {
                graph.signals.iter_mut().for_each(|(_, name)| self.define(name));
            }
            Action::Wait { packet: Some(packet), .. } => self.define(packet),
            Action::Query { of }
            | Action::Start { of }
            | Action::Fail(MachineFault::LateDecrement { of }) => self.mean(of),
            Action::Finish { of, .. } => of.iter_mut().for_each(|name| self.mean(name)),
            _ => {}
        }
        action
    }
    fn define(&mut self, name: &mut Name) {
        let mut fresh = name.clone();
        let mut round = 2;
        while !self.taken.insert(fresh.clone()) {
            fresh = Name::new(format!("{name}~{round}"));
            round += 1;
        }
        self.latest.insert(name.clone(), fresh.clone());
        *name = fresh;
    }
    fn mean(&self, name: &mut Name) {
        if let Some(latest) = self.latest.get(name) {
            *name = latest.clone();
        }
    }
}
