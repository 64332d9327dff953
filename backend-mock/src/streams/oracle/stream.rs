//! What the oracle knows of one stream: one life of a driver's handle, from its creation to its end.

use std::collections::BTreeSet;

use ringfence::id::{RawProgress, RawStream, StreamId, StreamKey};

use super::{Step, captures::CaptureNumber, clock::Clock};
use crate::streams::seen::{LeaseName, OpId, ThreadId};

/// One life of a handle: the handle may come back, this number never does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Life(pub(super) u64);

/// How often a stream was handed to a new owner, by the oracle's own count; 0 before the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Tenancy(pub(super) u64);

/// Who made a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    Library,
    /// The user, or nobody that was seen.
    Elsewhere,
}

/// Whether a stream's handle still means it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Gone {
    No,
    /// The library destroyed it.
    Destroyed,
    /// Its user destroyed it behind the library's back.
    ByUser,
    /// Its device was reset.
    Reset,
}

/// Whether a stream records in place of running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Capturing {
    No,
    Active(CaptureNumber),
    /// The driver says that it captures, and nobody saw the beginning, or the end did not end it.
    Stuck,
    Invalidated,
    /// The end of a capture failed, and nobody asked the driver since.
    Doubtful,
}
impl Capturing {
    /// What a report calls it.
    pub(super) const fn describe(self) -> &'static str {
        match self {
            Self::No => "does not capture",
            Self::Active(_) | Self::Stuck => "is capturing",
            Self::Invalidated => "has an invalidated capture",
            Self::Doubtful => "was left by a capture that failed to end",
        }
    }
}

/// Whether the driver reported errors of the stream itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Health {
    Well,
    /// Some call on it failed: closing it is no waste, and handing it out no fault.
    Doubtful,
    /// It reports an error, and must not be handed out.
    Bad,
}

/// What its lease asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    Shelf,
    Reserved,
    /// Its lease was forgotten: it never comes back.
    Forgotten,
}

/// What the present tenancy did that decides how idleness can be known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Conduct {
    /// The raw handle was given out.
    pub(super) exposed: bool,
    /// It captured, or joined a capture.
    pub(super) captured: bool,
    /// Work went past the library, or a graph was launched.
    pub(super) uncounted: bool,
}

/// One stream.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    pub(super) life: Life,
    pub(super) raw: RawStream,
    pub(super) origin: Origin,
    pub(super) key: Option<StreamKey>,
    pub(super) identity: Option<StreamId>,
    pub(super) tenancy: Tenancy,
    pub(super) leases: BTreeSet<LeaseName>,
    pub(super) released_at: Step,
    pub(super) conduct: Conduct,
    /// When a query of the library last said idle, and when it last said anything else.
    pub(super) said_idle: Step,
    pub(super) said_other: Step,
    /// The library's last query brought "unknown".
    pub(super) said_unknown: bool,
    pub(super) capturing: Capturing,
    pub(super) health: Health,
    pub(super) gone: Gone,
    pub(super) condemned: bool,
    pub(super) purpose: Purpose,
    pub(super) unfinished: BTreeSet<OpId>,
    /// Work of other streams that it waits for on the device: until that is finished it is not idle.
    pub(super) awaited: BTreeSet<OpId>,
    /// The last piece of work, and the last finished mark.
    pub(super) last_work: Option<OpId>,
    pub(super) marked: Option<OpId>,
    pub(super) word: Option<RawProgress>,
    /// What later work of this stream follows, on other streams.
    pub(super) clock: Clock,
    /// Threads whose last look at the capture status said `None`.
    pub(super) looked: BTreeSet<ThreadId>,
    /// Since when it is idle.
    pub(super) idle_since: Option<Step>,
}
impl Stream {
    pub(super) fn new(life: Life, raw: RawStream, origin: Origin, key: Option<StreamKey>) -> Self {
        Self {
            life,
            raw,
            origin,
            key,
            identity: None,
            tenancy: Tenancy::default(),
            leases: BTreeSet::new(),
            released_at: 0,
            conduct: Conduct::default(),
            said_idle: 0,
            said_other: 0,
            said_unknown: false,
            capturing: Capturing::No,
            health: Health::Well,
            gone: Gone::No,
            condemned: false,
            purpose: Purpose::Shelf,
            unfinished: BTreeSet::new(),
            awaited: BTreeSet::new(),
            last_work: None,
            marked: None,
            word: None,
            clock: Clock::default(),
            looked: BTreeSet::new(),
            idle_since: None,
        }
    }
    /// Whether it is a pool's stream: the library made it and leased it at least once. What it made and
    /// never leased is a disposal stream, or not handed out yet.
    pub(super) fn is_pooled(&self) -> bool {
        self.origin == Origin::Library && self.tenancy > Tenancy::default()
    }
    /// Whether it serves for disposal, as far as can be told.
    pub(super) fn is_disposal(&self) -> bool {
        self.origin == Origin::Library && self.tenancy == Tenancy::default()
    }
    pub(super) fn ail(&mut self, health: Health) {
        self.health = self.health.max(health);
    }
    /// What a report calls it.
    pub(super) fn name(&self) -> String {
        self.identity.map_or_else(|| self.raw.to_string(), |id| format!("{id} ({})", self.raw))
    }
}
