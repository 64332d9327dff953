//! What the host may know of one lane: which of its uses are finished, by what it saw.

use std::{
    collections::{BTreeSet, VecDeque},
    hash::{Hash, Hasher},
};

use ringfence::{
    backend::Body,
    id::{Barrier, CacheScope, PacketId, SignalHandle, UseId},
};

use crate::model::ModelPacket;

/// A published packet, or a ticket, that the host may not know to be finished.
#[derive(Clone, Hash, Debug)]
struct Open {
    packet: u64,
    signal: SignalHandle,
    barrier: Barrier,
    release: CacheScope,
    /// Uses that are over when this is: what it waited for.
    proves: Vec<UseId>,
    known: bool,
}

/// A use that the host may now know to be finished.
#[derive(Clone, Debug)]
pub(super) struct Learned {
    pub(super) packet: PacketId,
    pub(super) signal: SignalHandle,
    pub(super) proves: Vec<UseId>,
}

/// When something was last seen of a lane: at which packet, and at which observation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sighting {
    newest: (u64, u64),
    highest: (u64, u64),
}
impl Sighting {
    pub(super) fn note(&mut self, packet: PacketId, seen_at: u64) {
        self.newest = (packet.as_u64(), seen_at);
        if self.newest.0 >= self.highest.0 {
            self.highest = self.newest;
        }
    }
    /// When its two observations were made.
    pub(super) fn times(&self) -> [u64; 2] {
        [self.newest.1, self.highest.1]
    }
    /// The same with `rank` in the place of times: only their order decides anything.
    pub(super) fn digest<H: Hasher>(&self, state: &mut H, rank: impl Fn(u64) -> usize) {
        for (packet, seen_at) in [self.newest, self.highest] {
            (packet, rank(seen_at)).hash(state);
        }
    }
    /// The last observation of a packet at or after `packet`.
    pub(super) fn at_or_after(&self, packet: PacketId) -> Option<(PacketId, u64)> {
        [self.newest, self.highest]
            .into_iter()
            .filter(|&(at, seen_at)| seen_at > 0 && at >= packet.as_u64())
            .map(|(at, seen_at)| (PacketId::new(at), seen_at))
            .max_by_key(|&(_, seen_at)| seen_at)
    }
}

/// What was observed of a lane, for the report of a belief that had no ground.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub(super) read_index: Sighting,
    pub(super) fence_done: Sighting,
    pub(super) plain_done: Sighting,
    pub(super) below_zero: Sighting,
    pub(super) forced: Sighting,
}

impl Seen {
    pub(super) fn sightings(&self) -> [&Sighting; 5] {
        [&self.read_index, &self.fence_done, &self.plain_done, &self.below_zero, &self.forced]
    }
}

/// One lane.
#[derive(Clone, Debug, Default)]
pub(super) struct Lane {
    /// In index order. What left it at the front is known.
    open: VecDeque<Open>,
    /// BARRIER_AND and OR packets that may not be known, in index order.
    barriers: VecDeque<u64>,
    /// One past the highest index that was published by the host.
    end: u64,
    /// Below this, a known fence with a system-scope release stands at or after each packet.
    released_below: u64,
    /// Known packets at or above that with a system-scope release of their own.
    released: BTreeSet<u64>,
    pub(super) seen: Seen,
}
impl Lane {
    /// A packet was published.
    pub(super) fn publish(&mut self, at: PacketId, packet: &ModelPacket, proves: Vec<UseId>) {
        let index = at.as_u64();
        if matches!(packet.body, Body::And(_) | Body::Or(_)) {
            self.barriers.push_back(index);
        }
        self.insert(Open {
            packet: index,
            signal: packet.completes,
            barrier: packet.barrier,
            release: packet.release,
            proves,
            known: false,
        });
    }
    /// A copy was issued; the end of one is the end of all its writes.
    pub(super) fn issue(&mut self, at: PacketId, signal: SignalHandle, proves: Vec<UseId>) {
        let (packet, release) = (at.as_u64(), CacheScope::System);
        self.insert(Open {
            packet,
            signal,
            barrier: Barrier::Clear,
            release,
            proves,
            known: false,
        });
    }
    /// Feeds what later findings depend on to `state`, but for what was observed when.
    pub(super) fn digest<H: Hasher>(&self, state: &mut H) {
        (&self.open, &self.barriers, self.end, self.released_below, &self.released).hash(state);
    }
    fn insert(&mut self, open: Open) {
        self.end = self.end.max(open.packet + 1);
        match self.open.back() {
            Some(last) if last.packet >= open.packet => {
                let at = self.open.partition_point(|other| other.packet < open.packet);
                self.open.insert(at, open);
            }
            _ => self.open.push_back(open),
        }
    }
    fn find(&self, packet: PacketId) -> Option<usize> {
        self.open.binary_search_by_key(&packet.as_u64(), |open| open.packet).ok()
    }
    /// Whether the host may know that a published packet is finished.
    pub(super) fn is_known(&self, packet: PacketId) -> bool {
        packet.as_u64() < self.end && self.find(packet).is_none_or(|at| self.open[at].known)
    }
    /// The completion signal of a packet that may not be known yet.
    pub(super) fn signal_of(&self, packet: PacketId) -> Option<SignalHandle> {
        self.find(packet).map(|at| self.open[at].signal)
    }
    /// Whether a known system-scope release stands at or after a packet.
    pub(super) fn is_released(&self, packet: PacketId) -> bool {
        packet.as_u64() < self.released_below || self.released.contains(&packet.as_u64())
    }
    /// `packet` is known to be finished: so is everything before it if it has the barrier bit, and
    /// every barrier packet before it, since nothing starts behind one that is not complete.
    pub(super) fn learn(&mut self, packet: PacketId, learned: &mut Vec<Learned>) {
        let Some(at) = self.find(packet) else { return };
        let mut fence = self.mark(at, learned);
        while let Some(&barrier) = self.barriers.front()
            && barrier <= packet.as_u64()
        {
            self.barriers.pop_front();
            if let Some(at) = self.find(PacketId::new(barrier)) {
                fence = fence.max(self.mark(at, learned));
            }
        }
        if let Some(fence) = fence {
            let covered = self.open.partition_point(|open| open.packet <= fence);
            for at in 0..covered {
                let _ = self.mark(at, learned);
            }
            self.open.drain(..covered);
        }
        while self.open.front().is_some_and(|open| open.known) {
            self.open.pop_front();
        }
    }
    /// Marks one; its index if it is a fence.
    fn mark(&mut self, at: usize, learned: &mut Vec<Learned>) -> Option<u64> {
        let open = &mut self.open[at];
        if open.known {
            return None;
        }
        open.known = true;
        let (packet, signal) = (PacketId::new(open.packet), open.signal);
        learned.push(Learned { packet, signal, proves: std::mem::take(&mut open.proves) });
        let fence = (open.barrier == Barrier::Set).then_some(open.packet);
        if open.release == CacheScope::System {
            match fence {
                Some(fence) if fence >= self.released_below => {
                    self.released_below = fence + 1;
                    self.released = self.released.split_off(&self.released_below);
                }
                Some(_) => {}
                None if open.packet < self.released_below => {}
                None => drop(self.released.insert(open.packet)),
            }
        }
        fence
    }
}
