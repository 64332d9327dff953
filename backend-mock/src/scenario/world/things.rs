//! What a scenario's names stand for while it runs.

use std::collections::BTreeMap;

use ringfence::{
    backend::SignalMemory,
    drive::{HardwareQueue, Tracker},
    error::Error,
    event::{Event, EventOptions, EventStatus, Snapshot},
    id::{SignalHandle, UseId},
    ring::UseRef,
};

use super::failure::Failure;
use crate::{
    oracle::{Recording, RingName},
    scenario::{ErrorKind, EventState, Name},
    system::{MockDevice, MockQueue},
};

pub(super) type MockTracker = Tracker<MockDevice, MockQueue>;

/// A stream.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) tracker: MockTracker,
    pub(super) ring: RingName,
    pub(super) queue: Name,
    /// What was submitted since the stream was synchronized last.
    pub(super) submitted: Vec<UseId>,
}

/// A hardware queue in its current generation.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) hardware: HardwareQueue<MockQueue>,
    pub(super) raw: MockQueue,
    pub(super) device: usize,
}

/// A use or a packet that a step named.
#[derive(Clone, Debug)]
pub(super) struct Used {
    pub(super) of: UseId,
    pub(super) stream: Name,
    /// Its signal, where it completes one and that could be told.
    pub(super) signal: Option<(SignalHandle, SignalMemory)>,
    /// The library's name for it, taken when it was submitted.
    pub(super) reference: Option<UseRef>,
    /// What the host was told of it last.
    pub(super) answer: Option<EventState>,
}
impl Used {
    /// A packet without a signal.
    pub(super) fn bare(of: UseId, stream: &Name) -> Self {
        Self { of, stream: stream.clone(), signal: None, reference: None, answer: None }
    }
}

/// An event, or a snapshot that somebody took of one.
#[derive(Debug)]
pub(super) enum Subject {
    Event(Event),
    Snapshot(Option<Snapshot>),
}

/// A name of an event, and what its holder knows.
#[derive(Debug)]
pub(super) struct EventSlot {
    pub(super) subject: Subject,
    pub(super) options: EventOptions,
    /// The recording that is meant, whatever the library made of it.
    pub(super) meant: Option<Used>,
    /// The cell for GPU waiters, where the event is a twin.
    pub(super) twin: Option<UseId>,
    /// The event that a snapshot was taken of.
    pub(super) taken_of: Option<Name>,
    pub(super) recording: Recording,
    /// What the host was told last.
    pub(super) answer: Option<EventStatus>,
    pub(super) error: Option<ErrorKind>,
}
impl EventSlot {
    pub(super) fn new(options: EventOptions) -> Self {
        Self {
            subject: Subject::Event(Event::new(options)),
            options,
            meant: None,
            twin: None,
            taken_of: None,
            recording: Recording::Latest,
            answer: None,
            error: None,
        }
    }
    /// What the host was told of it last.
    pub(super) fn state(&self) -> Option<EventState> {
        self.answer.map(|answer| match answer {
            EventStatus::NotRecorded => EventState::NotRecorded,
            EventStatus::Pending => EventState::Pending,
            EventStatus::Finished => EventState::Finished,
            EventStatus::Failed(_) => EventState::Failed,
        })
    }
    pub(super) fn snapshot(&self) -> Option<Snapshot> {
        match &self.subject {
            Subject::Event(event) => event.snapshot(),
            Subject::Snapshot(taken) => taken.clone(),
        }
    }
    pub(super) fn note_error(&mut self, error: &Error) {
        self.error = ErrorKind::of(error);
    }
}

/// What a handler was set on.
#[derive(Clone, Debug)]
pub(super) struct Watcher {
    pub(super) event: Name,
    pub(super) meant: UseId,
    /// How often the event had been recorded then.
    pub(super) recordings: u32,
}

/// Looks `name` up; a file cannot go wrong here, steps made by code can.
pub(super) fn find<'a, T>(
    map: &'a mut BTreeMap<Name, T>,
    what: &str,
    name: &Name,
) -> Result<&'a mut T, Box<Failure>> {
    map.get_mut(name)
        .ok_or_else(|| Failure::misuse(format!("there is no {what} called `{name}` now")))
}
