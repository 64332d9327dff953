//! Steps that publish something.

use ringfence::{
    backend::CopyEngine,
    drive::{CopySubmission, Submission, TrackerKind},
    event::{Event, EventKind, EventOptions},
    id::{PacketId, UseId},
    placement::Role,
    ring::{self, Record},
    sync::Arc,
};

use super::{
    World,
    failure::{Failure, Stop},
    things::{EventSlot, MockTracker, Subject, Used, find},
};
use crate::{
    clock::Ticks,
    model::{Engine, PacketState},
    oracle::{Declaration, Recording},
    scenario::{CopyParts, Graph, Kind, Name, Signal, Submit, Timing},
    work::{CopyWork, Kernel},
};

impl World {
    /// Does something with a stream's tracker that may publish packets and grow its ring.
    pub(super) fn submitting<T>(
        &mut self,
        stream: &Name,
        act: impl FnOnce(&mut MockTracker) -> Result<T, ringfence::error::Error>,
    ) -> Result<T, Stop> {
        let on = find(&mut self.streams, "stream", stream)?;
        // The baseline waits for its signals in the order of their use, by design: the oracle judges
        // growth and waiting of retiring rings alone.
        let judged = on.tracker.policy().tracker == TrackerKind::Retiring;
        if judged {
            self.system.declare(Declaration::Submitting(on.ring));
        }
        let done = act(&mut on.tracker);
        // Of the baseline as well: what it was to wait for is forgotten when it was refused.
        self.system.declare(Declaration::Submitted);
        Ok(done?)
    }
    /// Remembers a use of a stream under its name.
    fn remember(
        &mut self,
        name: Option<&Name>,
        stream: &Name,
        of: UseId,
        record: Option<&Arc<Record>>,
    ) -> Result<Used, Stop> {
        let held = record.and_then(|record| record.hold()).map(|hold| hold.signal());
        let signal = self.system.with_model(|model| {
            let queued = model.queue(of.lane()).and_then(|queue| queue.packet(of.packet()));
            let signal = held
                .or_else(|| queued.map(|packet| packet.completes))
                .filter(|signal| !signal.is_null())?;
            Some((signal, model.cell(signal)?.memory()))
        });
        let on = find(&mut self.streams, "stream", stream)?;
        let reference = on.tracker.reference(of);
        on.submitted.push(of);
        let used = Used { signal, reference, ..Used::bare(of, stream) };
        if let Some(name) = name {
            self.uses.insert(name.clone(), used.clone());
        }
        Ok(used)
    }

    pub(super) fn submit(&mut self, submit: &Submit) -> Result<(), Stop> {
        let mut what = match submit.kind {
            Kind::Kernel => Submission::kernel(Kernel::new(0, Ticks::new(u64::from(submit.ticks)))),
            Kind::Marker => Submission::marker(Role::Dispatch),
        };
        what = what.barrier(submit.barrier);
        if let Some(role) = submit.role {
            what = what.role(role);
        }
        if let Some(release) = submit.release {
            what = what.release(release);
        }
        if submit.timing == Timing::Wanted {
            what = what.timed();
        }
        if submit.signal == Signal::No {
            what = what.unsignaled();
        }
        let (of, record) = match &submit.event {
            Some(event) => {
                let kind = match submit.role {
                    Some(Role::Blocking) => EventKind::Blocking,
                    Some(Role::Ipc) => EventKind::Ipc,
                    _ => EventKind::Plain,
                };
                let mut slot =
                    self.take_slot(event, EventOptions { kind, ..EventOptions::default() });
                let recorded = match &mut slot.subject {
                    Subject::Event(subject) => {
                        self.submitting(&submit.on, |on| subject.record_with(on, what))
                    }
                    Subject::Snapshot(_) => {
                        Err(Failure::misuse(format!("`{event}` is a snapshot")).into())
                    }
                };
                let record = slot.snapshot().map(|snapshot| snapshot.record().clone());
                let used = recorded.and_then(|of| {
                    self.remember(Some(&submit.name), &submit.on, of, record.as_ref())
                });
                self.put_slot(event, slot, &submit.on, used.as_ref().ok().cloned(), None);
                (used?.of, record)
            }
            None if submit.timing == Timing::Wanted => {
                let record = self.submitting(&submit.on, |on| on.submit_recorded(what, None))?;
                (record.about().of, Some(record))
            }
            None => (self.submitting(&submit.on, |on| on.submit(what))?, None),
        };
        if submit.timing == Timing::Wanted {
            self.declare(Declaration::WantsTiming(of));
        }
        if submit.event.is_none() {
            self.remember(Some(&submit.name), &submit.on, of, record.as_ref())?;
        }
        Ok(())
    }
    pub(super) fn graph(&mut self, graph: &Graph) -> Result<(), Stop> {
        let mut work = Vec::new();
        for position in 0..graph.packets {
            let kernel =
                Submission::kernel(Kernel::new(position, Ticks::new(u64::from(Submit::TICKS))));
            let named = graph.signals.iter().any(|(at, _)| *at == position);
            let kernel = if named { kernel } else { kernel.unsignaled() };
            let kernel = if graph.timing == Timing::Wanted { kernel.timed() } else { kernel };
            work.push(kernel.barrier(graph.barrier));
        }
        let mut published = Vec::new();
        let done = self.submitting(&graph.on, |on| {
            on.submit_all(&work, |of, record| published.push((of, record)))
        });
        for (position, (of, record)) in published.into_iter().enumerate() {
            let name =
                graph.signals.iter().find(|(at, _)| *at as usize == position).map(|(_, name)| name);
            if record.is_some() {
                self.declare(Declaration::WantsTiming(of));
            }
            self.remember(name, &graph.on, of, record.as_ref())?;
        }
        done
    }
    pub(super) fn copy(&mut self, copy: &CopyParts) -> Result<(), Stop> {
        let engine = find(&mut self.engines, "copy engine", &copy.engine)?.clone();
        let parts =
            vec![CopyWork::new(Ticks::new(u64::from(Submit::TICKS))); copy.parts.max(1) as usize];
        let mut what = CopySubmission::new(&parts);
        let mut held = Vec::new();
        if copy.timing == Timing::Wanted {
            what = what.timed();
        }
        for name in &copy.waits {
            if let Some(awaited) = self.await_event(name, &copy.on)? {
                self.expect_wait(name, &awaited, &copy.on);
                held.push(awaited.use_id());
                what = what.after(awaited);
            }
        }
        // The copy holds what it waits for from here on: a ring that grows may not take it.
        held.iter().for_each(|&of| self.declare(Declaration::Holds(of)));
        let lane = engine.lane();
        let next = self.system.with_model(|model| model.engine(lane).and_then(next_ticket));
        let done = self.submitting(&copy.on, |on| on.copy(&engine, what, None));
        held.iter().for_each(|&of| self.declare(Declaration::LetsGo(of)));
        let record = match done {
            Ok(record) => record,
            Err(stop) => {
                // A refused copy has a name as well: parts of it may be under way.
                if let Some(ticket) = next {
                    let used = Used::bare(UseId::new(lane, ticket), &copy.on);
                    self.uses.insert(copy.name.clone(), used);
                }
                return Err(stop);
            }
        };
        let of = record.about().of;
        if copy.timing == Timing::Wanted {
            self.declare(Declaration::WantsTiming(of));
        }
        let used = self.remember(Some(&copy.name), &copy.on, of, Some(&record))?;
        if let Some(event) = &copy.event {
            let mut slot = self.take_slot(event, EventOptions::default());
            let mut subject = Event::new(slot.options);
            subject.record_copy(record);
            slot.subject = Subject::Event(subject);
            self.put_slot(event, slot, &copy.on, Some(used), None);
        }
        Ok(())
    }
    pub(super) fn record(
        &mut self,
        event: &Name,
        on: &Name,
        kind: EventKind,
        timing: Timing,
    ) -> Result<(), Stop> {
        let timing = match timing {
            Timing::Wanted => ring::Timing::Wanted,
            Timing::NotWanted => ring::Timing::Unwanted,
        };
        let mut slot =
            self.take_slot(event, EventOptions { kind, timing, ..EventOptions::default() });
        let recorded = match &mut slot.subject {
            Subject::Event(subject) => self.submitting(on, |tracker| subject.record(tracker)),
            Subject::Snapshot(_) => Err(Failure::misuse(format!("`{event}` is a snapshot")).into()),
        };
        let record = slot.snapshot().map(|snapshot| snapshot.record().clone());
        let used = recorded.and_then(|of| self.remember(None, on, of, record.as_ref()));
        let mut twin = None;
        if let Ok(used) = &used {
            if timing == ring::Timing::Wanted {
                self.declare(Declaration::WantsTiming(used.of));
            }
            let end = self.end_of(on)?;
            let last = end.packet().as_u64().saturating_sub(1);
            twin = (last > used.of.packet().as_u64())
                .then(|| UseId::new(end.lane(), PacketId::new(last)));
        }
        self.put_slot(event, slot, on, used.as_ref().ok().cloned(), twin);
        used.map(drop)
    }
    /// The event's slot, out of the table while it is being recorded. One with other options is a new
    /// event.
    fn take_slot(&mut self, event: &Name, options: EventOptions) -> EventSlot {
        match self.events.remove(event) {
            Some(slot) if slot.options == options => slot,
            _ => EventSlot::new(options),
        }
    }
    /// Puts it back. With `used`, it was recorded: older snapshots and waiters are of an overwritten
    /// recording from here on.
    fn put_slot(
        &mut self,
        event: &Name,
        mut slot: EventSlot,
        on: &Name,
        used: Option<Used>,
        twin: Option<UseId>,
    ) {
        // A recording that failed may have taken effect in part: the event says what it stands for now.
        let used = used.or_else(|| {
            let of = slot.snapshot().map(|snapshot| snapshot.use_id());
            let before = slot.meant.take();
            match (of, before) {
                (Some(of), Some(before)) if before.of == of => {
                    slot.meant = Some(before);
                    None
                }
                (Some(of), _) => Some(Used::bare(of, on)),
                (None, _) => None,
            }
        });
        if let Some(used) = used {
            (slot.meant, slot.twin) = (Some(used), twin);
            (slot.answer, slot.error) = (None, None);
            *self.recordings.entry(event.clone()).or_default() += 1;
            for other in
                self.events.values_mut().filter(|other| other.taken_of.as_ref() == Some(event))
            {
                other.recording = Recording::Overwritten;
            }
        }
        self.events.insert(event.clone(), slot);
    }
}

/// The ticket that an engine hands out next.
fn next_ticket(engine: &Engine) -> Option<PacketId> {
    (0..).map(PacketId::new).find(|&at| engine.state(at) == PacketState::Unknown)
}
