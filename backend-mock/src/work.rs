//! What the mock's kernels and copies are: a name and a duration.

use std::{collections::BTreeMap, time::Duration};

use ringfence::id::{LaneId, PacketId};

use crate::clock::{Instant, Ticks};

/// A kernel: it computes nothing, for a while.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Kernel {
    name: u32,
    ticks: Ticks,
}
impl Kernel {
    /// Kernel number `name`, which runs for `ticks` of its agent's clock.
    pub const fn new(name: u32, ticks: Ticks) -> Self {
        Self { name, ticks }
    }
    /// Its number.
    pub const fn name(self) -> u32 {
        self.name
    }
    /// How long it runs.
    pub const fn ticks(self) -> Ticks {
        self.ticks
    }
}

/// One part of a copy: it moves nothing, for a while.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct CopyWork {
    ticks: Ticks,
}
impl CopyWork {
    /// A part that takes `ticks` of its agent's clock.
    pub const fn new(ticks: Ticks) -> Self {
        Self { ticks }
    }
    /// How long it takes.
    pub const fn ticks(self) -> Ticks {
        self.ticks
    }
}

/// A packet, or one part of a ticket.
pub(crate) type WorkKey = (LaneId, PacketId, u32);

/// How long unfinished work takes, and since when it runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Works {
    waiting: BTreeMap<WorkKey, Duration>,
    running: BTreeMap<WorkKey, (Instant, Instant)>,
}
impl Works {
    /// Work that takes some time was handed over.
    #[inline]
    pub(crate) fn expect(&mut self, work: WorkKey, duration: Duration) {
        if !duration.is_zero() {
            self.waiting.insert(work, duration);
        }
    }
    pub(crate) fn start(&mut self, work: WorkKey, now: Instant, extra: Duration) {
        let takes = if self.waiting.is_empty() { None } else { self.waiting.remove(&work) };
        self.running.insert(work, (now, now.plus(takes.unwrap_or_default() + extra)));
    }
    /// When running work is over at the earliest.
    pub(crate) fn due(&self, work: WorkKey) -> Option<Instant> {
        self.running.get(&work).map(|&(_, due)| due)
    }
    /// Ends work: when it ran.
    pub(crate) fn finish(&mut self, work: WorkKey) -> Option<(Instant, Instant)> {
        self.running.remove(&work)
    }
    /// The next point in time at which running work that `may` end is over.
    pub(crate) fn next_due(&self, mut may: impl FnMut(&WorkKey) -> bool) -> Option<Instant> {
        let open = self.running.iter().filter(|(work, _)| may(work));
        open.map(|(_, &(_, due))| due).min()
    }
}
