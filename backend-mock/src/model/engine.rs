//! One copy engine: parts in no order.

use std::collections::VecDeque;

use ringfence::{
    backend::PartIndex,
    id::{DeviceId, LaneId, PacketId, SignalHandle},
};

use super::queue::PacketState;

/// One issued part that is not complete.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Part {
    pub(super) at: PacketId,
    pub(super) part: PartIndex,
    pub(super) completes: SignalHandle,
    pub(super) waits: Vec<SignalHandle>,
    pub(super) active: bool,
}

/// A copy engine (SDMA): each part starts when what it waits for is 0, and completes in no order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Engine {
    lane: LaneId,
    agent: DeviceId,
    next: u64,
    /// Tickets with no part issued yet, in order.
    unused: VecDeque<u64>,
    /// Issued and not complete, by ticket and part.
    parts: VecDeque<Part>,
}
impl Engine {
    pub(super) fn new(lane: LaneId, agent: DeviceId) -> Self {
        Self { lane, agent, next: 0, unused: VecDeque::new(), parts: VecDeque::new() }
    }
    /// Its identity and generation.
    pub fn lane(&self) -> LaneId {
        self.lane
    }
    /// The agent that it belongs to.
    pub fn agent(&self) -> DeviceId {
        self.agent
    }
    /// The issued parts that are not complete, by ticket and part.
    pub fn unfinished(&self) -> impl ExactSizeIterator<Item = (PacketId, PartIndex)> + '_ {
        self.parts.iter().map(|part| (part.at, part.part))
    }
    /// How many parts of a ticket are issued and not complete.
    pub fn outstanding(&self, at: PacketId) -> u32 {
        super::number(self.parts.iter().filter(|part| part.at == at).count())
    }
    /// How far a ticket is: complete once parts were issued and none is unfinished.
    pub fn state(&self, at: PacketId) -> PacketState {
        if at.as_u64() >= self.next {
            return PacketState::Unknown;
        }
        if self.unused.binary_search(&at.as_u64()).is_ok() {
            return PacketState::Reserved;
        }
        let mut state = PacketState::Complete;
        for part in self.parts.iter().filter(|part| part.at == at) {
            let this = if part.active { PacketState::Active } else { PacketState::Published };
            state = state.min(this);
        }
        state
    }

    pub(super) fn reserve(&mut self, count: u32) -> PacketId {
        let first = self.next;
        self.next += u64::from(count);
        self.unused.extend(first..self.next);
        PacketId::new(first)
    }
    /// The ticket is used up, whether or not a part was taken.
    pub(super) fn use_ticket(&mut self, at: PacketId) {
        if let Ok(position) = self.unused.binary_search(&at.as_u64()) {
            self.unused.remove(position);
        }
    }
    pub(super) fn issue(&mut self, part: Part) {
        self.use_ticket(part.at);
        let position =
            self.parts.partition_point(|other| (other.at, other.part) < (part.at, part.part));
        self.parts.insert(position, part);
    }
    pub(super) fn find(&self, at: PacketId, part: PartIndex) -> Option<&Part> {
        let position =
            self.parts.binary_search_by(|other| (other.at, other.part).cmp(&(at, part))).ok()?;
        Some(&self.parts[position])
    }
    pub(crate) fn nth_unfinished(&self, n: usize) -> (PacketId, PartIndex) {
        (self.parts[n].at, self.parts[n].part)
    }
    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter()
    }
    pub(super) fn start(&mut self, at: PacketId, part: PartIndex) {
        let found = self.parts.iter_mut().find(|other| (other.at, other.part) == (at, part));
        found.expect("checked before").active = true;
    }
    pub(super) fn finish(&mut self, at: PacketId, part: PartIndex) -> Part {
        let position = self.parts.binary_search_by(|other| (other.at, other.part).cmp(&(at, part)));
        self.parts.remove(position.expect("checked before")).expect("found above")
    }
}
