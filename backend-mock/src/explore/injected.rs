//! Faults of the machine that a search brings in by itself, between two steps of the host.

use super::program::Program;
use crate::scenario::{Action, MachineFault, Name, Stamps, Timing};

/// The faults that can make a difference to a program.
pub(super) fn injectable(program: &Program) -> Vec<MachineFault> {
    let mut faults = vec![
        MachineFault::Creation { at: 1 },
        MachineFault::NullHandle { at: 1 },
        MachineFault::Device { device: Name::from("gpu0") },
    ];
    let any = |what: fn(&Action) -> bool| program.steps.iter().any(|step| what(&step.action));
    if any(|action| matches!(action, Action::Copy(_))) {
        faults.push(MachineFault::Part { at: 0 });
    }
    if any(|action| matches!(action, Action::Copy(copy) if copy.parts > 1)) {
        faults.push(MachineFault::Part { at: 1 });
    }
    if any(is_timed) {
        let stamped = |stamps| MachineFault::Timestamps { stamps, times: 1 };
        faults.extend([Stamps::Zero, Stamps::Reversed].map(stamped));
    }
    faults
}

fn is_timed(action: &Action) -> bool {
    match action {
        Action::Submit(submit) => submit.timing == Timing::Wanted,
        Action::Copy(copy) => copy.timing == Timing::Wanted,
        Action::Graph(graph) => graph.timing == Timing::Wanted,
        Action::Record { timing, .. } => *timing == Timing::Wanted,
        _ => false,
    }
}
