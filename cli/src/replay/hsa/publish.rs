//! Steps that publish something, or tend a stream.

use ringfence::{
    drive::{Awaited, CopySubmission, Submission, WaitBy},
    error::Error,
    event::{Event, EventKind, EventOptions},
    id::{Barrier, UseId},
    placement::Role,
    ring::{self, Record},
    sync::Arc,
};
use ringfence_mock::scenario::{By, CopyParts, Graph, Kind, Name, Signal, Submit, Timing};

use super::{
    failure::{Failure, Stop},
    things::{Answer, Certainty, HsaTracker, Slot, Subject, Used},
    world::World,
};

impl World<'_> {
    /// Remembers a use of a stream under its name.
    fn remember(
        &mut self,
        name: Option<&Name>,
        stream: &Name,
        of: UseId,
        record: Option<&Arc<Record>>,
    ) -> Result<Used, Stop> {
        let born = self.tick();
        let tracker = &self.stream(stream)?.tracker;
        let in_ring = || tracker.ring().probe_use(of).map(|probe| probe.memory());
        let memory = record.map(|record| record.about().memory).or_else(in_ring);
        let reference = tracker.reference(of);
        let used =
            Used { of, stream: stream.clone(), born, memory, reference, answer: Answer::default() };
        if let Some(name) = name {
            self.uses.insert(name.clone(), used.clone());
        }
        Ok(used)
    }
    pub(super) fn submit(&mut self, submit: &Submit) -> Result<(), Stop> {
        let device = self.stream(&submit.on)?.device;
        let mut what = match submit.kind {
            Kind::Kernel => Submission::kernel(self.gpus.gpu(device).kernel),
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
        let Some(event) = &submit.event else {
            let tracker = &mut self.stream(&submit.on)?.tracker;
            let (of, record) = match submit.timing {
                Timing::Wanted => {
                    let record = tracker.submit_recorded(what, None)?;
                    (record.about().of, Some(record))
                }
                Timing::NotWanted => (tracker.submit(what)?, None),
            };
            self.remember(Some(&submit.name), &submit.on, of, record.as_ref())?;
            return Ok(());
        };
        let kind = match submit.role {
            Some(Role::Blocking) => EventKind::Blocking,
            Some(Role::Ipc) => EventKind::Ipc,
            _ => EventKind::Plain,
        };
        let options = EventOptions { kind, ..EventOptions::default() };
        self.recording(event, &submit.on, options, Some(&submit.name), |subject, tracker| {
            subject.record_with(tracker, what)
        })
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
        let options = EventOptions { kind, timing, ..EventOptions::default() };
        self.recording(event, on, options, None, |subject, tracker| subject.record(tracker))
    }
    /// Records an event. One with other options is a new event.
    fn recording(
        &mut self,
        event: &Name,
        on: &Name,
        options: EventOptions,
        name: Option<&Name>,
        act: impl FnOnce(&mut Event, &mut HsaTracker) -> Result<UseId, Error>,
    ) -> Result<(), Stop> {
        let mut slot = match self.events.remove(event) {
            Some(slot) if slot.options == options => slot,
            _ => Slot::new(options),
        };
        let stream = self.stream(on)?;
        let device = stream.device;
        let Subject::Event(subject) = &mut slot.subject else {
            return Err(Failure::new(format!("`{event}` is a snapshot")).into());
        };
        let recorded = act(subject, &mut stream.tracker);
        let record = slot.snapshot().map(|snapshot| snapshot.record().clone());
        let ended = match recorded {
            Ok(of) => self.remember(name, on, of, record.as_ref()).map(|used| {
                (slot.meant, slot.device, slot.answer) = (Some(used), device, Answer::default());
            }),
            Err(error) => Err(error.into()),
        };
        self.events.insert(event.clone(), slot);
        ended
    }
    pub(super) fn graph(&mut self, graph: &Graph) -> Result<(), Stop> {
        let device = self.stream(&graph.on)?.device;
        let mut work = Vec::new();
        for position in 0..graph.packets {
            let kernel = Submission::kernel(self.gpus.gpu(device).kernel);
            let named = graph.signals.iter().any(|(at, _)| *at == position);
            let kernel = if named { kernel } else { kernel.unsignaled() };
            let kernel = if graph.timing == Timing::Wanted { kernel.timed() } else { kernel };
            work.push(kernel.barrier(graph.barrier));
        }
        let mut published = Vec::new();
        let tracker = &mut self.stream(&graph.on)?.tracker;
        let done = tracker.submit_all(&work, |of, record| published.push((of, record)));
        for (position, (of, record)) in published.into_iter().enumerate() {
            let named = graph.signals.iter().find(|(at, _)| *at as usize == position);
            self.remember(named.map(|(_, name)| name), &graph.on, of, record.as_ref())?;
        }
        Ok(done?)
    }
    pub(super) fn copy(&mut self, copy: &CopyParts) -> Result<(), Stop> {
        self.packets = Certainty::Open;
        let unknown = || Failure::new(format!("there is no copy engine called `{}`", copy.engine));
        let (engine, work) = self.engines.get(&copy.engine).cloned().ok_or_else(unknown)?;
        let parts = vec![work; copy.parts.max(1) as usize];
        let mut what = CopySubmission::new(&parts);
        if copy.timing == Timing::Wanted {
            what = what.timed();
        }
        for name in &copy.waits {
            if let Some(awaited) = self.awaited(name, &copy.on)? {
                what = what.after(awaited);
            }
        }
        let stream = self.stream(&copy.on)?;
        let device = stream.device;
        let record = stream.tracker.copy(&engine, what, None)?;
        self.copies.push((device, record.clone()));
        let of = record.about().of;
        let used = self.remember(Some(&copy.name), &copy.on, of, Some(&record))?;
        if let Some(event) = &copy.event {
            let mut slot = Slot::new(EventOptions::default());
            let mut subject = Event::new(slot.options);
            subject.record_copy(record);
            (slot.subject, slot.meant, slot.device) = (Subject::Event(subject), Some(used), device);
            self.events.insert(event.clone(), slot);
        }
        Ok(())
    }
    fn awaited(&mut self, event: &Name, on: &Name) -> Result<Option<Awaited>, Stop> {
        let device = self.stream(on)?.tracker.device().clone();
        match self.slot(event)?.snapshot() {
            Some(snapshot) => Ok(snapshot.awaited(&device)?),
            None => Ok(None),
        }
    }
    pub(super) fn wait(&mut self, on: &Name, events: &[Name], by: By) -> Result<(), Stop> {
        // What is over by then needs no packet.
        self.packets = Certainty::Open;
        let mut uses = Vec::new();
        for event in events {
            uses.push(self.awaited(event, on)?);
        }
        let by = match by {
            By::And => WaitBy::And,
            By::Or => WaitBy::Or,
            By::Value => WaitBy::Value,
        };
        self.tick();
        Ok(self.stream(on)?.tracker.await_uses(uses, by)?)
    }
    pub(super) fn publish_foreign(
        &mut self,
        queue: &Name,
        packets: u32,
        barrier: Barrier,
    ) -> Result<(), Stop> {
        self.tick();
        let unknown = || Failure::new(format!("there is no queue called `{queue}`"));
        let on = self.queues.get(queue).ok_or_else(unknown)?;
        on.publish_foreign(self.gpus.gpu(on.device).kernel, packets, barrier);
        Ok(())
    }
    pub(super) fn reclaim(&mut self, on: &Name) -> Result<(), Stop> {
        self.packets = Certainty::Open;
        let _reclaimed = self.stream(on)?.tracker.reclaim()?;
        Ok(())
    }
    pub(super) fn probe(&mut self, on: &Name) -> Result<(), Stop> {
        self.packets = Certainty::Open;
        let _reclaimed = self.stream(on)?.tracker.probe()?;
        Ok(())
    }
    pub(super) fn drain(&mut self, on: &Name) -> Result<(), Stop> {
        self.stream(on)?.tracker.drain()?;
        self.note_synced(on);
        Ok(())
    }
    pub(super) fn sync_stream(&mut self, on: &Name) -> Result<(), Stop> {
        let _synced = self.stream(on)?.tracker.synchronize()?;
        self.note_synced(on);
        Ok(())
    }
    pub(super) fn switch(&mut self, on: &Name, to: &Name) -> Result<(), Stop> {
        self.tick();
        let unknown = || Failure::new(format!("there is no queue called `{to}`"));
        let hardware = self.queues.get(to).ok_or_else(unknown)?.hardware.clone();
        Ok(self.stream(on)?.tracker.switch_queue(hardware).map(drop)?)
    }
    pub(super) fn close(&mut self, name: &Name) -> Result<(), Stop> {
        self.stream(name)?.tracker.drain()?;
        let Some(stream) = self.streams.remove(name) else { return Ok(()) };
        self.note_closed(&stream.tracker.counts());
        let reaper = stream.tracker.close()?;
        self.reapers.push((stream.device, reaper));
        Ok(())
    }
}
