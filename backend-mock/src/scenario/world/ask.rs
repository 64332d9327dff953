//! Steps that ask about events, wait for them, or let go of them.

use ringfence::{
    drive::{Awaited, WaitBy, Watched},
    error::Error,
    event::{EventOptions, EventStatus},
    id::{CacheScope, PacketId, UseId},
    ring::Outcome,
    timing::Interval,
};

use super::{
    World,
    failure::{Failure, Stop},
    things::{EventSlot, Subject, Used, Watcher, find},
};
use crate::{
    oracle::{Declaration, Recording},
    scenario::{By, ErrorKind, EventState, Name},
    system::MockDevice,
};

impl World {
    fn slot(&mut self, event: &Name) -> Result<&mut EventSlot, Box<Failure>> {
        find(&mut self.events, "event", event)
    }
    /// The device that an event was recorded on.
    fn device_of_event(&mut self, event: &Name) -> Result<MockDevice, Box<Failure>> {
        let lane = self.slot(event)?.meant.as_ref().map(|used| used.of.lane());
        let agent =
            lane.map_or(0, |lane| self.system.with_model(|model| model.agent_of(lane)).as_u32());
        Ok(self.devices[agent as usize].clone())
    }
    pub(super) fn snapshot(&mut self, name: &Name, of: &Name) -> Result<(), Stop> {
        let from = self.slot(of)?;
        let slot = EventSlot {
            subject: Subject::Snapshot(from.snapshot()),
            meant: from.meant.clone(),
            twin: from.twin,
            taken_of: Some(of.clone()),
            recording: from.recording,
            ..EventSlot::new(from.options)
        };
        self.events.insert(name.clone(), slot);
        Ok(())
    }
    /// What there is to wait for in an event, for a stream.
    pub(super) fn await_event(&mut self, event: &Name, on: &Name) -> Result<Option<Awaited>, Stop> {
        let device = find(&mut self.streams, "stream", on)?.tracker.device().clone();
        match self.slot(event)?.snapshot() {
            Some(snapshot) => Ok(snapshot.awaited(&device)?),
            None => Ok(None),
        }
    }
    /// Tells the oracle which use the next packet that waits for this signal means.
    pub(super) fn expect_wait(&mut self, event: &Name, awaited: &Awaited, on: &Name) {
        let Some(slot) = self.events.get(event) else { return };
        let twin = slot.twin.filter(|&twin| awaited.use_id() == twin);
        let Some(of) = twin.or_else(|| slot.meant.as_ref().map(|used| used.of)) else { return };
        let lane = self.streams.get(on).map(|stream| stream.tracker.ring().lane());
        // A wait that the queue's own order implies publishes nothing: the expectation would stay.
        if lane != Some(of.lane()) {
            self.declare(Declaration::ExpectWait { signal: awaited.signal(), of });
        }
    }
    pub(super) fn wait(
        &mut self,
        on: &Name,
        events: &[Name],
        by: By,
        packet: Option<&Name>,
    ) -> Result<(), Stop> {
        let mut uses = Vec::new();
        for event in events {
            uses.push(self.await_event(event, on)?);
        }
        // For any of them, one that is over leaves nothing to wait for.
        if by != By::Or || uses.iter().all(Option::is_some) {
            let mut named = std::collections::BTreeSet::new();
            for (event, awaited) in events.iter().zip(&uses) {
                // Named twice, a use is still one wait.
                if let Some(awaited) =
                    awaited.as_ref().filter(|one| named.insert(one.signal().as_u64()))
                {
                    self.expect_wait(event, awaited, on);
                }
            }
        }
        let by = match by {
            By::And => WaitBy::And,
            By::Or => WaitBy::Or,
            By::Value => WaitBy::Value,
        };
        let before = self.end_of(on)?;
        self.submitting(on, |tracker| tracker.await_uses(uses, by))?;
        let after = self.end_of(on)?;
        if let Some(name) = packet {
            if before == after {
                let what =
                    format!("nothing had to wait, so that there is no packet to call `{name}`");
                return Err(Failure::misuse(what).into());
            }
            let of = UseId::new(after.lane(), PacketId::new(after.packet().as_u64() - 1));
            self.uses.insert(name.clone(), Used::bare(of, on));
        }
        Ok(())
    }
    pub(super) fn query(&mut self, event: &Name) -> Result<(), Stop> {
        let device = self.device_of_event(event)?;
        let slot = find(&mut self.events, "event", event)?;
        let meant = slot.meant.as_ref().map(|used| used.of);
        if let Some(of) = meant {
            self.system.declare(Declaration::QueryBegins(of));
        }
        let status = match &slot.subject {
            Subject::Event(subject) => subject.query(&device),
            Subject::Snapshot(Some(taken)) => taken.query(&device),
            Subject::Snapshot(None) => EventStatus::NotRecorded,
        };
        slot.answer = Some(status);
        slot.error = match status {
            EventStatus::Failed(cause) => {
                meant.and_then(|of| ErrorKind::of(&Error::Failed { of, cause }))
            }
            EventStatus::NotRecorded | EventStatus::Pending | EventStatus::Finished => None,
        };
        let recording = slot.recording;
        if let Some(of) = meant {
            self.system.declare(Declaration::QueryEnds);
            match status {
                EventStatus::Finished => {
                    self.declare(Declaration::ClaimsFinished { of, recording })
                }
                EventStatus::Pending => self.declare(Declaration::ClaimsPending(of)),
                EventStatus::NotRecorded | EventStatus::Failed(_) => {}
            }
        }
        Ok(())
    }
    /// Asks about a use by the name that the library gave out when it was submitted.
    pub(super) fn query_use(&mut self, name: &Name) -> Result<(), Stop> {
        let used = self.used(name)?;
        let Some(reference) = used.reference else {
            return Err(Failure::misuse(format!("the library gave no name for `{name}`")).into());
        };
        let of = used.of;
        let stream = find(&mut self.streams, "stream", &used.stream)?;
        self.system.declare(Declaration::QueryBegins(of));
        let answer = stream.tracker.query_use(reference);
        self.system.declare(Declaration::QueryEnds);
        let answer = match answer? {
            Outcome::Pending => {
                self.declare(Declaration::ClaimsPending(of));
                EventState::Pending
            }
            Outcome::Finished => {
                self.declare(Declaration::ClaimsFinished { of, recording: Recording::Latest });
                EventState::Finished
            }
            Outcome::Failed(_) => EventState::Failed,
        };
        find(&mut self.uses, "use", name)?.answer = Some(answer);
        Ok(())
    }
    pub(super) fn sync_event(&mut self, event: &Name) -> Result<(), Stop> {
        let device = self.device_of_event(event)?;
        let wait = self.policy.wait;
        let slot = find(&mut self.events, "event", event)?;
        let meant = slot.meant.as_ref().map(|used| used.of);
        self.system.declare(Declaration::SyncBegins);
        let done = match &slot.subject {
            Subject::Event(subject) => subject.synchronize(&device, &wait),
            Subject::Snapshot(taken) => {
                taken.as_ref().map(|taken| taken.synchronize(&device, &wait)).transpose()
            }
        };
        self.system.declare(Declaration::SyncEnds);
        let recording = slot.recording;
        match done {
            Ok(synced) => {
                slot.error = None;
                slot.answer =
                    Some(synced.map_or(EventStatus::NotRecorded, |_| EventStatus::Finished));
                if let (Some(synced), Some(of)) = (synced, meant) {
                    self.declare(Declaration::ClaimsFinished { of, recording });
                    if synced.release == CacheScope::System {
                        self.declare(Declaration::ClaimsData(of));
                    }
                }
                Ok(())
            }
            Err(error) => {
                slot.answer = Some(match error {
                    Error::Failed { cause, .. } => EventStatus::Failed(cause),
                    _ => EventStatus::Pending,
                });
                slot.note_error(&error);
                Err(error.into())
            }
        }
    }
    /// When an event ran, by the library.
    pub(super) fn interval(&mut self, event: &Name) -> Result<Option<Interval>, Stop> {
        let device = self.device_of_event(event)?;
        let slot = find(&mut self.events, "event", event)?;
        let interval = match &slot.subject {
            Subject::Event(subject) => subject.interval(&device),
            Subject::Snapshot(taken) => taken.as_ref().and_then(|taken| taken.interval(&device)),
        };
        if let Some(of) = slot.meant.as_ref().map(|used| used.of) {
            self.declare(Declaration::ClaimsInterval { of, interval });
        }
        Ok(interval)
    }
    pub(super) fn elapsed(&mut self, from: &Name, to: &Name) -> Result<(), Stop> {
        let (first, second) = (self.interval(from)?, self.interval(to)?);
        self.elapsed = first.zip(second).and_then(|(first, second)| first.elapsed_to(second));
        Ok(())
    }
    pub(super) fn destroy(&mut self, event: &Name) -> Result<(), Stop> {
        let slot = self.slot(event)?;
        let options: EventOptions = slot.options;
        *slot = EventSlot::new(options);
        Ok(())
    }
    pub(super) fn handler(&mut self, event: &Name) -> Result<(), Stop> {
        let device = self.device_of_event(event)?;
        let recordings = self.recordings.get(event).copied().unwrap_or(0);
        let slot = find(&mut self.events, "event", event)?;
        let (Some(snapshot), Some(meant)) =
            (slot.snapshot(), slot.meant.as_ref().map(|used| used.of))
        else {
            return Err(Failure::misuse(format!(
                "`{event}` is not recorded, so that no handler can wait for it"
            ))
            .into());
        };
        let watcher = Watcher { event: event.clone(), meant, recordings };
        match self.handlers.watch(&device, snapshot.record(), watcher)? {
            Watched::Later => {}
            Watched::Already(watcher) => self.handled(snapshot.record().outcome(), None, &watcher),
        }
        Ok(())
    }
    /// The callback thread's turn.
    pub(super) fn deliver(&mut self) {
        // All devices of a set-up have one tick rate, so that any of them may take timestamps.
        let device = &self.devices[0];
        let mut handled = Vec::new();
        self.system.deliver(|token| handled.extend(self.handlers.handle(device, token)));
        for done in handled {
            self.handled(done.outcome, done.interval, &done.then);
        }
    }
    /// The callback thread's turn for one handler.
    pub(super) fn deliver_one(&mut self, nth: u32) -> Result<(), Stop> {
        let device = &self.devices[0];
        let mut handled = Vec::new();
        let called = self
            .system
            .deliver_one(nth, |token| handled.extend(self.handlers.handle(device, token)));
        if called == 0 {
            return Err(Failure::misuse(format!("handler {nth} is not due")).into());
        }
        for done in handled {
            self.handled(done.outcome, done.interval, &done.then);
        }
        Ok(())
    }
    fn handled(&self, outcome: Outcome, interval: Option<Interval>, watcher: &Watcher) {
        let of = watcher.meant;
        let now = self.recordings.get(&watcher.event).copied().unwrap_or(0);
        let recording =
            if now == watcher.recordings { Recording::Latest } else { Recording::Overwritten };
        if outcome == Outcome::Finished {
            self.declare(Declaration::ClaimsFinished { of, recording });
            if interval.is_some() {
                self.declare(Declaration::ClaimsInterval { of, interval });
            }
        }
    }
    pub(super) fn force(&mut self, event: &Name) -> Result<(), Stop> {
        let Some(used) = self.slot(event)?.meant.clone() else {
            return Err(Failure::misuse(format!("`{event}` is not recorded")).into());
        };
        let stream = find(&mut self.streams, "stream", &used.stream)?;
        let _forced = stream.tracker.force(used.of)?;
        self.forced += 1;
        stream.submitted.retain(|&of| of != used.of);
        Ok(())
    }
}
