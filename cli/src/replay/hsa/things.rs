//! What a scenario's names stand for while it is played, and what its set-up asks of the library.

use std::num::NonZeroU32;

use ringfence::{
    backend::SignalMemory,
    drive::{Policy, Tracker, TrackerKind},
    event::{Event, EventOptions, EventStatus, Snapshot},
    id::UseId,
    ring::{RingLimits, UseRef},
    wait::WaitPolicy,
};
use ringfence_hsa::{HsaDevice, HsaQueue};
use ringfence_mock::scenario::{ErrorKind, Name, Setup, Tracking};

use super::gpu::LIMIT;

pub(super) type HsaTracker = Tracker<HsaDevice, HsaQueue>;

/// The moment of a publication or of a wait, in publications since the start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(super) struct Moment(pub(super) u64);

/// A stream.
pub(super) struct Stream {
    pub(super) tracker: HsaTracker,
    pub(super) device: usize,
    /// Up to here the library said that all its work is finished.
    pub(super) synced_at: Moment,
}

/// A use that a step named.
#[derive(Clone)]
pub(super) struct Used {
    pub(super) of: UseId,
    pub(super) stream: Name,
    pub(super) born: Moment,
    pub(super) memory: Option<SignalMemory>,
    pub(super) reference: Option<UseRef>,
    pub(super) answer: Answer,
}

/// An event, or a snapshot that somebody took of one.
pub(super) enum Subject {
    Event(Event),
    Snapshot(Option<Snapshot>),
}

/// What the host was told last, and whether it had to be told that.
#[derive(Clone, Copy, Default)]
pub(super) struct Answer {
    pub(super) status: Option<EventStatus>,
    pub(super) certainty: Certainty,
}
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Certainty {
    /// The work was seen to be over before.
    Known,
    /// It may have been over, and it may not.
    #[default]
    Open,
}

/// A name of an event.
pub(super) struct Slot {
    pub(super) subject: Subject,
    pub(super) options: EventOptions,
    pub(super) meant: Option<Used>,
    pub(super) device: usize,
    pub(super) answer: Answer,
}
impl Slot {
    pub(super) fn new(options: EventOptions) -> Self {
        let subject = Subject::Event(Event::new(options));
        Self { subject, options, meant: None, device: 0, answer: Answer::default() }
    }
    pub(super) fn snapshot(&self) -> Option<Snapshot> {
        match &self.subject {
            Subject::Event(event) => event.snapshot(),
            Subject::Snapshot(taken) => taken.clone(),
        }
    }
}

/// What one run came to.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Tally {
    pub(super) steps: u64,
    pub(super) checked: u64,
    /// Expectations that no real device can promise.
    pub(super) unchecked: u64,
}

/// Errors that come whenever the device finishes what.
pub(super) fn is_certain(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Handler | ErrorKind::Exhausted | ErrorKind::PeerCell)
}

/// What every stream's tracker is opened with. The limit of waits is of real time, whatever the model's is.
pub(super) fn policy(setup: &Setup) -> Policy {
    let &Setup { ring: size, cap, batch, spares, signals, events, audit, .. } = setup;
    Policy {
        tracker: match setup.tracker {
            Tracking::Retiring => TrackerKind::Retiring,
            Tracking::Polling => TrackerKind::Polling,
        },
        device_signals: signals,
        events,
        ring: RingLimits { size, cap, batch, interrupt_spares: spares },
        submission_batch: NonZeroU32::new(setup.submission_batch).unwrap_or(NonZeroU32::MIN),
        wait: WaitPolicy { limit: LIMIT, ..WaitPolicy::default() },
        audit,
    }
}
