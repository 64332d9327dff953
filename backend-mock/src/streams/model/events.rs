//! Events, which keep the raw handle of the stream that recorded them last (M11, M12).

use std::time::Duration;

use ringfence::{
    backend::streams::{CaptureMode, StreamState, StreamWait},
    error::DriverError,
    id::{RawEvent, RawStream},
};

use super::{
    Asked, CaptureId, Model, Place,
    ask::Verdict,
    code,
    device::Waited,
    pace::Awaited,
    parts::{Event, Phase},
    streams::Use,
};
use crate::streams::{
    counts::CallKind,
    profile::{
        Consequence, EventAfterStream, EventRule, MergeRule, OldEventWait, OutsideWait, SelfWait,
    },
    seen::{OpId, ThreadId},
};

impl Model {
    /// An event that was never recorded.
    ///
    /// # Errors
    /// When the driver may not be called.
    pub fn create_event(&mut self, by: ThreadId) -> Result<RawEvent, DriverError> {
        self.enter(by, CallKind::CreateEvent)?;
        let raw = match self.spare_events.pop() {
            Some(raw) => raw,
            None => RawEvent::new(self.fresh_name()),
        };
        let event = Event { stream: None, serial: 0, after: Vec::new(), captured: None };
        self.events.insert(raw, event);
        self.noted(by, Ok(raw))
    }
    /// Gives an event back.
    pub fn destroy_event(&mut self, by: ThreadId, event: RawEvent) {
        if self.enter(by, CallKind::DestroyEvent).is_err() {
            return;
        }
        match self.events.remove(&event) {
            Some(_) => self.spare_events.push(event),
            None => self.crash(format!("{event} was destroyed twice")),
        }
    }
    /// Records what was submitted to a stream: of the device, or in its capture's graph.
    ///
    /// # Errors
    /// For handles of nothing, a stream in error, or an invalidated capture.
    pub fn record(
        &mut self,
        by: ThreadId,
        event: RawEvent,
        raw: RawStream,
    ) -> Result<Place, DriverError> {
        let entered = self.enter(by, CallKind::Record);
        let result = entered.and_then(|()| {
            let result = self.record_it(event, raw);
            self.noted(by, result)
        });
        if result.is_err()
            && let Some(unknown) = self.events.get_mut(&event)
        {
            // What it says now, nobody knows: here, that everything is finished.
            *unknown = Event { stream: None, serial: 0, after: Vec::new(), captured: None };
        }
        result
    }
    fn record_it(&mut self, event: RawEvent, raw: RawStream) -> Result<Place, DriverError> {
        if !self.events.contains_key(&event) {
            return Err(code::INVALID_HANDLE);
        }
        let stream = self.working(raw, Use::Note)?;
        let (serial, capture) = (stream.serial, stream.capture);
        let mut after: Vec<OpId> =
            stream.last.into_iter().chain(stream.waits.iter().copied()).collect();
        let mut captured = None;
        if let Some(id) = capture {
            let known = &self.captures[&id];
            if known.phase == Phase::Broken || !self.active(id) {
                return Err(code::INVALIDATED);
            }
            let me = known.place_of(serial).expect("a stream that points to it is in it");
            captured = Some((id, known.members[me].seen.clone()));
            after.clear();
        }
        let event = self.events.get_mut(&event).expect("it was just looked up");
        *event = Event { stream: Some(raw), serial, after, captured };
        Ok(if event.captured.is_some() { Place::Graph } else { Place::Device })
    }
    /// Later work of the stream follows what the event has recorded, which is returned.
    ///
    /// # Errors
    /// 905 and 902 for waits that cross the border of a capture.
    pub fn stream_wait(
        &mut self,
        by: ThreadId,
        raw: RawStream,
        event: RawEvent,
    ) -> Result<Vec<OpId>, DriverError> {
        self.enter(by, CallKind::StreamWait)?;
        let result = self.wait_it(raw, event);
        self.noted(by, result)
    }
    fn wait_it(&mut self, raw: RawStream, event: RawEvent) -> Result<Vec<OpId>, DriverError> {
        let Some(Event { stream, serial, after, captured }) = self.events.get(&event).cloned()
        else {
            return Err(code::INVALID_HANDLE);
        };
        let waiter = self.working(raw, Use::Wait)?.capture;
        if let Some((id, seen)) = captured {
            return self.wait_captured(raw, (id, serial), &seen).map(|()| Vec::new());
        }
        if let Some(from) = stream
            && !self.streams.contains_key(&from)
            && self.rules.event_after_stream == EventAfterStream::WaitDangles
        {
            self.crash(format!(
                "{raw} waits for an event that {from} recorded, which was destroyed"
            ));
            return Err(code::DESTROYED);
        }
        let old = stream.is_some_and(|from| self.captures_now(from));
        if old && self.rules.old_event_wait == OldEventWait::Refused {
            return Err(code::ISOLATION);
        }
        if let (Some(_), Some(id)) = (stream, waiter) {
            match self.rules.outside_wait {
                OutsideWait::AtOnce => {}
                OutsideWait::Refused => return Err(code::ISOLATION),
                OutsideWait::Invalidates => {
                    // The stream knows by the next call; nothing else is told.
                    let _ = self.invalidate(&[id]);
                    return Err(code::ISOLATION);
                }
            }
        }
        let known = self.streams.get_mut(&raw).expect("it was just looked up");
        let mut waits = std::mem::take(&mut known.waits);
        waits.extend(&after);
        waits.retain(|&op| !self.finished(op));
        self.streams.get_mut(&raw).expect("it was just looked up").waits = waits;
        Ok(after)
    }
    /// A wait for an event of a capture: the waiter joins it.
    fn wait_captured(
        &mut self,
        raw: RawStream,
        (id, recorded_by): (CaptureId, u64),
        seen: &[u32],
    ) -> Result<(), DriverError> {
        if !self.recording_still(id) {
            return match self.rules.event {
                EventRule::Invalidates | EventRule::OwnCapture => Err(code::INVALID_VALUE),
                _ => Ok(()),
            };
        }
        let stream = &self.streams[&raw];
        let (serial, waiter) = (stream.serial, stream.capture);
        match waiter {
            Some(other) if other != id => match self.rules.merge {
                MergeRule::Unnoticed | MergeRule::Spoils => Ok(()),
                MergeRule::Invalidates => {
                    // Both streams know by the next call; nothing else is told.
                    let _ = self.invalidate(&[id, other]);
                    Err(code::MERGE)
                }
            },
            Some(_) if serial == recorded_by => {
                match self.rules.self_wait {
                    SelfWait::Harmless => {}
                    SelfWait::Breaks => {
                        self.captures.get_mut(&id).expect("it records").phase = Phase::Wrecked;
                    }
                    SelfWait::Crashes => {
                        self.crash(format!("{raw} waits for itself in its capture"))
                    }
                }
                Ok(())
            }
            Some(_) => {
                let capture = self.captures.get_mut(&id).expect("it records");
                let me = capture.place_of(serial).expect("a stream that points to it is in it");
                capture.follow(me, seen);
                Ok(())
            }
            None => {
                let capture = self.captures.get_mut(&id).expect("it records");
                capture.join(raw, serial, seen);
                let mode = capture.mode;
                let stream = self.streams.get_mut(&raw).expect("it was just looked up");
                (stream.capture, stream.own_mode) = (Some(id), mode);
                Ok(())
            }
        }
    }
    /// Whether what an event has recorded is finished (M11).
    pub fn query_event(&mut self, by: ThreadId, event: RawEvent) -> Asked<StreamState> {
        let asked = self.ask_event(by, CallKind::QueryEvent, event);
        if asked.answer.is_ok() {
            self.look(Awaited::Event(event));
        }
        let answer = match asked.answer {
            Err(error) => code::state_of(error),
            Ok(()) if self.recorded_is_finished(event) => {
                self.succeeds(by);
                StreamState::Idle
            }
            Ok(()) => {
                let more = self.costs.event_pending.saturating_sub(self.costs.look);
                self.pay(by, more);
                self.not_ready(by);
                StreamState::Pending
            }
        };
        Asked { answer, invalidated: asked.invalidated }
    }
    /// The host waits for an event (M11).
    pub fn synchronize_event(
        &mut self,
        by: ThreadId,
        event: RawEvent,
        limit: Duration,
    ) -> Asked<StreamWait> {
        let asked = self.ask_event(by, CallKind::SynchronizeEvent, event);
        let answer = match asked.answer {
            Err(DriverError::CaptureConflict(_)) => StreamWait::Unknown,
            Err(error) => StreamWait::Failed(error),
            Ok(()) => match self.wait_until(Some(limit), Awaited::Event(event)) {
                Waited::Done => StreamWait::Finished,
                _ => StreamWait::TimedOut,
            },
        };
        Asked { answer, invalidated: asked.invalidated }
    }
    pub(super) fn recorded_is_finished(&self, event: RawEvent) -> bool {
        self.events.get(&event).is_none_or(|known| known.after.iter().all(|&op| self.finished(op)))
    }
    fn ask_event(
        &mut self,
        by: ThreadId,
        kind: CallKind,
        event: RawEvent,
    ) -> Asked<Result<(), DriverError>> {
        if let Err(error) = self.enter(by, kind) {
            return Asked::plain(Err(error));
        }
        let Some(known) = self.events.get(&event) else {
            return Asked::plain(Err(self.fails(by, code::INVALID_HANDLE)));
        };
        let Some(stream) = known.stream else { return Asked::plain(Ok(())) };
        let captured = known.captured.as_ref().map(|(id, _)| *id);
        let (answer, invalidated) = match (self.rules.event, kind) {
            (EventRule::Nothing, _) | (EventRule::SyncAsStream, CallKind::QueryEvent) => {
                (Ok(()), None)
            }
            (EventRule::SyncAsStream, _) => match self.captures_now(stream) {
                true => (Err(code::UNSUPPORTED), None),
                false => self.ask_as_stream(by, stream, Consequence::Refused),
            },
            (EventRule::Invalidates | EventRule::OwnCapture, _) => {
                self.ask_strictly(by, stream, captured)
            }
        };
        let answer = answer.map_err(|error| self.fails(by, error));
        Asked { answer, invalidated: invalidated.unwrap_or_default() }
    }
    fn ask_strictly(
        &mut self,
        by: ThreadId,
        stream: RawStream,
        captured: Option<CaptureId>,
    ) -> (Result<(), DriverError>, Option<Vec<RawStream>>) {
        let now = self.streams.get(&stream).and_then(|known| known.capture);
        let now = now.filter(|&id| self.rules.event == EventRule::Invalidates && self.active(id));
        if captured.is_some() || now.is_some() {
            let guilty: Vec<CaptureId> = captured.into_iter().chain(now).collect();
            return (Err(code::CAPTURED_EVENT), Some(self.invalidate(&guilty)));
        }
        if !self.streams.contains_key(&stream)
            && self.rules.event_after_stream == EventAfterStream::Dangles
        {
            self.crash(format!("an event was asked that {stream} recorded, which was destroyed"));
            return (Err(code::DESTROYED), None);
        }
        self.ask_as_stream(by, stream, Consequence::Invalidates)
    }
    fn ask_as_stream(
        &mut self,
        by: ThreadId,
        stream: RawStream,
        consequence: Consequence,
    ) -> (Result<(), DriverError>, Option<Vec<RawStream>>) {
        let own = self.streams.get(&stream).map_or(CaptureMode::Global, |known| known.own_mode);
        match self.guard(by, own, self.rules.query, consequence) {
            Verdict::Allowed => (Ok(()), None),
            Verdict::Refused(streams) => (Err(code::UNSUPPORTED), Some(streams)),
        }
    }
}
