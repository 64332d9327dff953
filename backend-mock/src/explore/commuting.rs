//! Which steps of other tasks have nothing to do with one: what the reductions rest upon.

use std::collections::BTreeMap;

use crate::scenario::{Action, Name, Submit, World};

/// Whether a step leaves the watermark of a queue as it is, and what is taken from it.
pub(super) fn is_alone(action: &Action, world: &World, queue: &Name) -> bool {
    match action {
        // A recording may let go of a signal between the parts.
        Action::Submit(submit) if submit.event.is_some() => false,
        Action::Copy(copy) if copy.event.is_some() => false,
        // Waiting takes a hold on what is in flight, which counts when that is retired.
        Action::Wait { .. } | Action::Submit(_) | Action::Copy(_) | Action::Reclaim { .. } => {
            stays_away(action, world, queue, &Name::from(""))
        }
        _ => false,
    }
}

/// Whether signals that are ready are enough for all these steps.
pub(super) fn need_no_more_signals(actions: &[&Action], world: &World) -> bool {
    let mut taken: BTreeMap<&Name, usize> = BTreeMap::new();
    actions.iter().all(|action| match action {
        Action::Query { .. } | Action::Destroy { .. } | Action::Snapshot { .. } => true,
        Action::Submit(submit) if submit.event.is_some() || submit.role.is_some() => false,
        // A search may submit a fence.
        Action::Submit(Submit { on, .. }) | Action::Reclaim { on } | Action::Probe { on } => {
            let taken = taken.entry(on).or_default();
            *taken += 1;
            *taken <= world.room(on)
        }
        _ => false,
    })
}

/// Whether a step has nothing to do with a queue, nor with a packet on it.
pub(super) fn stays_away(action: &Action, world: &World, queue: &Name, packet: &Name) -> bool {
    let away = |stream: &Name| world.queue_of(stream).is_none_or(|other| other != queue);
    match action {
        Action::Submit(submit) => away(&submit.on),
        Action::Graph(graph) => away(&graph.on),
        Action::Copy(copy) => away(&copy.on),
        Action::Record { on, .. }
        | Action::Wait { on, .. }
        | Action::Reclaim { on }
        | Action::Probe { on }
        | Action::Drain { on }
        | Action::SyncStream { stream: on } => away(on),
        Action::Query { of } => of != packet,
        Action::SyncEvent { .. } | Action::Destroy { .. } | Action::Snapshot { .. } => true,
        _ => false,
    }
}
