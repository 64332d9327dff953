//! Steps that ask about events, wait for them, or let go of them.
//!
//! Two things hold on any device and are checked at each step: what was seen to be over is never said to be pending, and what was
//! said to be finished once is said again without a load (S19).

use ringfence::{drive::Watched, event::EventStatus, ring::Outcome};
use ringfence_mock::scenario::Name;

use super::{
    failure::{Failure, Stop},
    things::{Answer, Certainty, Slot, Subject},
    world::World,
};

impl World<'_> {
    pub(super) fn snapshot(&mut self, name: &Name, of: &Name) -> Result<(), Stop> {
        let from = self.slot(of)?;
        let slot = Slot {
            subject: Subject::Snapshot(from.snapshot()),
            meant: from.meant.clone(),
            device: from.device,
            ..Slot::new(from.options)
        };
        self.events.insert(name.clone(), slot);
        Ok(())
    }
    /// All loads of signals that trackers and their events made.
    pub(super) fn loads(&self) -> u64 {
        let loads = self.counts().loads;
        loads.all_host() + loads.all_device()
    }
    pub(super) fn query(&mut self, event: &Name) -> Result<(), Stop> {
        let slot = self.slot(event)?;
        let (device, meant, before) = (slot.device, slot.meant.clone(), slot.answer);
        let certainty = meant.map_or(Certainty::Known, |used| self.certainty(&used));
        let certainty =
            if before.certainty == Certainty::Known { Certainty::Known } else { certainty };
        let loads = self.loads();
        let device = self.gpus.gpu(device).device.clone();
        let slot = self.slot(event)?;
        let status = match &slot.subject {
            Subject::Event(subject) => subject.query(&device),
            Subject::Snapshot(Some(taken)) => taken.query(&device),
            Subject::Snapshot(None) => EventStatus::NotRecorded,
        };
        slot.answer = Answer { status: Some(status), certainty };
        if certainty == Certainty::Known && status == EventStatus::Pending {
            let expected = format!("`{event}`, which is over, not to be pending");
            return Err(Failure::not_so(expected, "the answer is `pending`").into());
        }
        let loads = self.loads() - loads;
        if before.status == Some(EventStatus::Finished) && loads > 0 {
            let expected = format!("`{event}` to be known to be finished [S19]");
            return Err(
                Failure::not_so(expected, format!("asking again cost {loads} loads")).into()
            );
        }
        Ok(())
    }
    /// Asks about a use by the name that the library gave out when it was submitted.
    pub(super) fn query_use(&mut self, name: &Name) -> Result<(), Stop> {
        let Some(used) = self.uses.get(name).cloned() else { return Ok(()) };
        let Some(reference) = used.reference else { return Ok(()) };
        let certainty = self.certainty(&used);
        let status = match self.stream(&used.stream)?.tracker.query_use(reference)? {
            Outcome::Pending if certainty == Certainty::Known => {
                let expected = format!("`{name}`, which is over, not to be pending");
                return Err(Failure::not_so(expected, "the answer is `pending`").into());
            }
            Outcome::Pending => EventStatus::Pending,
            Outcome::Finished => EventStatus::Finished,
            Outcome::Failed(cause) => EventStatus::Failed(cause),
        };
        if let Some(used) = self.uses.get_mut(name) {
            used.answer = Answer { status: Some(status), certainty };
        }
        Ok(())
    }
    pub(super) fn sync_event(&mut self, event: &Name) -> Result<(), Stop> {
        let wait = self.policy.wait;
        let number = self.slot(event)?.device;
        let device = self.gpus.gpu(number).device.clone();
        let slot = self.slot(event)?;
        let synced = match &slot.subject {
            Subject::Event(subject) => subject.synchronize(&device, &wait)?,
            Subject::Snapshot(taken) => {
                taken.as_ref().map(|taken| taken.synchronize(&device, &wait)).transpose()?
            }
        };
        let status = synced.map_or(EventStatus::NotRecorded, |_| EventStatus::Finished);
        slot.answer = Answer { status: Some(status), certainty: Certainty::Known };
        Ok(())
    }
    /// Whether an event has an interval.
    pub(super) fn has_interval(&mut self, event: &Name) -> Result<bool, Stop> {
        let number = self.slot(event)?.device;
        let device = self.gpus.gpu(number).device.clone();
        Ok(match &self.slot(event)?.subject {
            Subject::Event(subject) => subject.interval(&device).is_some(),
            Subject::Snapshot(taken) => {
                taken.as_ref().and_then(|taken| taken.interval(&device)).is_some()
            }
        })
    }
    /// The answer depends on the device alone.
    pub(super) fn elapsed(&mut self, from: &Name, to: &Name) -> Result<(), Stop> {
        self.has_interval(from)?;
        self.has_interval(to)?;
        Ok(())
    }
    pub(super) fn destroy(&mut self, event: &Name) -> Result<(), Stop> {
        let slot = self.slot(event)?;
        *slot = Slot::new(slot.options);
        Ok(())
    }
    pub(super) fn handler(&mut self, event: &Name) -> Result<(), Stop> {
        self.watched_at = self.tick();
        let slot = self.slot(event)?;
        let (number, snapshot) = (slot.device, slot.snapshot());
        let Some(snapshot) = snapshot else {
            let what = format!("`{event}` is not recorded, so that no handler can wait for it");
            return Err(Failure::new(what).into());
        };
        let device = &self.gpus.gpu(number).device;
        match self.gpus.handlers.watch(device, snapshot.record(), ())? {
            Watched::Later | Watched::Already(()) => Ok(()),
        }
    }
    /// The turn of whoever the runtime's threads report to. What is over is waited for.
    pub(super) fn deliver(&mut self) -> Result<(), Stop> {
        if self.is_over(self.watched_at) {
            return self.deliver_all();
        }
        self.gpus.handle_due();
        Ok(())
    }
    pub(super) fn deliver_all(&mut self) -> Result<(), Stop> {
        let ended = self.gpus.handle_all_but(self.handlers_before);
        ended.map_err(|_| {
            let waiting = self.gpus.handlers.waiting() - self.handlers_before;
            Failure::new(format!("{waiting} handlers of finished work were not called")).into()
        })
    }
}
