//! Steps of the device in the middle of a step of the host.

use ringfence::{
    backend::{PacketQueue, SignalMemory},
    drive::TrackerKind,
    id::{LaneId, PacketId, UseId},
};

use super::{
    World,
    failure::{Failure, Stop},
    things::find,
};
use crate::{
    chooser::Look,
    scenario::{Action, Name, Run, Step, scope::packet_called},
    system::{Pace, Planned, WhichParts},
};

/// Whether a step is the device's, or of the world around it: the host does not look at anything in it.
pub(crate) fn is_of_the_machine(action: &Action) -> bool {
    matches!(
        action,
        Action::Start { .. }
            | Action::Finish { .. }
            | Action::ReadIndex { .. }
            | Action::Run(_)
            | Action::Foreign { .. }
            | Action::Profiler { .. }
            | Action::Fail(_)
            | Action::Steady(_)
            | Action::CountFrom
    )
}

impl World {
    /// A step under a search: what it makes the device do has happened by then at the latest, and may have
    /// happened before.
    pub(crate) fn apply_loosely(&mut self, step: &Step) -> Result<(), Box<Failure>> {
        match &step.action {
            Action::Start { .. } | Action::Run(Run::Moves(_)) => Ok(()),
            Action::Finish { of, parts } => {
                for name in of {
                    let of = self.used(name)?.of;
                    match parts {
                        None => self.system.bring_about(of, WhichParts::All),
                        Some(parts) => {
                            (0..*parts)
                                .for_each(|_| self.system.bring_about(of, WhichParts::First));
                        }
                    }
                }
                self.system.first_violation().map_or(Ok(()), |broken| Err(self.broken(broken)))
            }
            Action::ReadIndex { index, of } => {
                let lane = find(&mut self.queues, "queue", of)?.raw.lane();
                self.system.bring_read_index(lane, PacketId::new(*index));
                Ok(())
            }
            _ => self.apply(step),
        }
    }
    /// Whether a search for finished uses of this stream was begun and is not over.
    pub(crate) fn is_searching(&self, stream: &Name) -> bool {
        self.searches.contains_key(stream)
    }
    /// Whether all that a step names is there by now.
    pub(crate) fn has_names_of(&self, action: &Action) -> bool {
        let event = |name: &Name| self.events.contains_key(name);
        let used = |name: &Name| {
            event(name) || self.uses.contains_key(name) || packet_called(name).is_some()
        };
        let stream = |name: &Name| self.streams.contains_key(name);
        match action {
            Action::Submit(submit) => stream(&submit.on),
            Action::Graph(graph) => stream(&graph.on),
            Action::Copy(copy) => stream(&copy.on) && copy.waits.iter().all(event),
            Action::Wait { on, events, .. } => stream(on) && events.iter().all(event),
            Action::Snapshot { of, .. } => event(of),
            Action::Elapsed { from, to } => event(from) && event(to),
            Action::SyncEvent { event: of }
            | Action::Destroy { event: of }
            | Action::Handler { event: of }
            | Action::Force { event: of } => event(of),
            Action::Query { of } | Action::Start { of } => used(of),
            Action::Finish { of, .. } => of.iter().all(used),
            Action::Fail(crate::scenario::MachineFault::LateDecrement { of }) => used(of),
            Action::SyncStream { stream: on }
            | Action::Close { stream: on }
            | Action::Record { on, .. }
            | Action::Reclaim { on }
            | Action::Search { on, .. }
            | Action::Probe { on }
            | Action::Drain { on }
            | Action::Switch { on, .. } => stream(on),
            _ => true,
        }
    }
    /// The hardware queue of a stream, if there is such a stream now.
    pub(crate) fn queue_of(&self, stream: &Name) -> Option<&Name> {
        self.streams.get(stream).map(|stream| &stream.queue)
    }
    /// How many submissions of a stream with one pool find a signal ready, and look at nothing.
    pub(crate) fn room(&self, stream: &Name) -> usize {
        let Some(stream) = self.streams.get(stream) else { return 0 };
        let ring = stream.tracker.ring();
        let pools = [SignalMemory::Device, SignalMemory::Host];
        let mut used = pools.into_iter().filter(|&pool| ring.live(pool) > 0);
        let (Some(pool), None) = (used.next(), used.next()) else { return 0 };
        match stream.tracker.policy().tracker {
            TrackerKind::Retiring => {
                ring.usable(pool).saturating_sub(ring.limits().size as usize / 2)
            }
            TrackerKind::Polling => 0,
        }
    }
    /// What uses are called now.
    pub(crate) fn named(&self) -> impl Iterator<Item = (UseId, &Name)> {
        self.uses.iter().map(|(name, used)| (used.of, name))
    }
    /// The hardware queue with this lane.
    pub(crate) fn queue_with(&self, lane: LaneId) -> Option<&Name> {
        self.queues.iter().find(|(_, queue)| queue.raw.lane() == lane).map(|(name, _)| name)
    }
    /// Keeps a step of the device for a look of the next step of the host.
    pub(super) fn plan(&mut self, at: Look, action: &Action) -> Result<(), Stop> {
        if self.system.pace() != Pace::Scripted {
            let what = "`at` needs `setup.profile = \"scripted\"`: another device moves by itself";
            return Err(Failure::misuse(what).into());
        }
        match action {
            Action::Finish { of, parts } => {
                for name in of {
                    let used = self.used(name)?;
                    match parts {
                        None => self.system.plan(at, Planned::Finish(used.of)),
                        Some(parts) => {
                            (0..*parts)
                                .for_each(|_| self.system.plan(at, Planned::FinishPart(used.of)));
                        }
                    }
                }
            }
            Action::ReadIndex { index, of } => {
                let lane = find(&mut self.queues, "queue", of)?.raw.lane();
                self.system.plan(at, Planned::ReadIndex(lane, PacketId::new(*index)));
            }
            Action::Run(Run::Moves(0)) => self.system.plan(at, Planned::Nothing),
            _ => return Err(Failure::misuse("only what a device does can have an `at`").into()),
        }
        Ok(())
    }
}
