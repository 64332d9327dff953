//! One generation of one hardware queue.

use std::collections::VecDeque;

use ringfence::{
    backend::{Body, Settled},
    id::{Barrier, DeviceId, LaneId, PacketId},
};

use super::{ModelPacket, moves::Blocked};

/// How far a packet is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PacketState {
    /// Its index was never handed out here.
    Unknown,
    /// Its index is handed out, and nothing is written there.
    Reserved,
    /// It is written; the device was not told, or waits for an earlier index to be written.
    Committed,
    /// The device knows it.
    Published,
    /// It is being executed.
    Active,
    /// It is complete: its signal was decremented.
    Complete,
}

/// Whether a queue still takes packets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QueueLife {
    /// It does.
    Open,
    /// Its index space has restarted: what it holds still completes.
    Closed,
}

/// What became of writing a packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum Commit {
    /// It is in the ring.
    Written,
    /// Its index was not reserved, or has a packet already. Nothing was written.
    NotReserved,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Slot<P> {
    Reserved,
    Committed(P),
    Active(P),
    Complete,
}

/// What the order of packets in a queue depends on.
pub trait Ordered: Copy {
    /// Whether it starts only when all earlier packets are complete.
    fn barrier(&self) -> Barrier;
    /// Whether nothing may start behind it before it is complete.
    fn holds_back(&self) -> bool;
}
impl Ordered for ModelPacket {
    fn barrier(&self) -> Barrier {
        self.barrier
    }
    fn holds_back(&self) -> bool {
        match self.body {
            Body::And(_) | Body::Or(_) => true,
            Body::Kernel(()) | Body::Value(_) => false,
        }
    }
}

/// One generation of one hardware queue: its packets from the oldest that is not complete.
///
/// This is the one place that says which packet may start when. [`Model`](super::Model) drives it with
/// packets of its own; a model of memory with real 64-byte packets drives it with those.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Queue<P = ModelPacket> {
    lane: LaneId,
    agent: DeviceId,
    life: QueueLife,
    /// The oldest packet that is not complete.
    base: u64,
    /// From `base` to the last reserved index.
    slots: VecDeque<Slot<P>>,
    /// The device was told of all below.
    doorbell: u64,
    /// The device sees all below: told of, and written without a gap.
    published: u64,
    /// All below have become active.
    started: u64,
    read: u64,
    /// Active packets, in index order.
    active: VecDeque<u64>,
    /// A BARRIER_AND or OR that is active: nothing starts behind it.
    holding: Option<u64>,
}
impl<P: Ordered> Queue<P> {
    /// A queue of `agent` that never had a packet.
    pub fn new(lane: LaneId, agent: DeviceId) -> Self {
        let (slots, active) = (VecDeque::new(), VecDeque::new());
        let life = QueueLife::Open;
        Self {
            lane,
            agent,
            life,
            base: 0,
            slots,
            doorbell: 0,
            published: 0,
            started: 0,
            read: 0,
            active,
            holding: None,
        }
    }
    /// Its identity and generation.
    pub fn lane(&self) -> LaneId {
        self.lane
    }
    /// The agent that it belongs to.
    pub fn agent(&self) -> DeviceId {
        self.agent
    }
    /// Whether it still takes packets.
    pub fn life(&self) -> QueueLife {
        self.life
    }
    /// Every packet below this one is complete.
    pub fn complete_below(&self) -> PacketId {
        PacketId::new(self.base)
    }
    /// Every packet below this one has become active.
    pub fn started_below(&self) -> PacketId {
        PacketId::new(self.started)
    }
    /// The device knows every packet below this one.
    pub fn published_below(&self) -> PacketId {
        PacketId::new(self.published)
    }
    /// The next index that will be handed out.
    pub fn next(&self) -> PacketId {
        PacketId::new(self.base + self.slots.len() as u64)
    }
    /// The read index: neither evidence of completion nor of the lack of it.
    pub fn read_index(&self) -> PacketId {
        PacketId::new(self.read)
    }
    /// The active packets, in index order.
    pub fn active(&self) -> impl ExactSizeIterator<Item = PacketId> + '_ {
        self.active.iter().map(|&at| PacketId::new(at))
    }
    /// The `n`-th active packet.
    pub(crate) fn nth_active(&self, n: usize) -> PacketId {
        PacketId::new(self.active[n])
    }
    /// Whether every index that was handed out is published.
    pub fn settled(&self) -> Settled {
        if self.published == self.next().as_u64() {
            Settled::Below(self.published_below())
        } else {
            Settled::Reserving
        }
    }
    fn slot(&self, at: PacketId) -> Option<&Slot<P>> {
        self.slots.get(usize::try_from(at.as_u64().checked_sub(self.base)?).ok()?)
    }
    /// The packets that the device knows and has not completed, in index order.
    pub fn unfinished(&self) -> impl Iterator<Item = (PacketId, &P)> {
        let open = (self.base..self.published).map(PacketId::new);
        open.filter_map(|at| self.packet(at).map(|packet| (at, packet)))
    }
    /// The packet at an index, unless it is complete or not written.
    pub fn packet(&self, at: PacketId) -> Option<&P> {
        match self.slot(at)? {
            Slot::Committed(packet) | Slot::Active(packet) => Some(packet),
            Slot::Reserved | Slot::Complete => None,
        }
    }
    /// How far a packet is.
    pub fn state(&self, at: PacketId) -> PacketState {
        if at.as_u64() < self.base {
            return PacketState::Complete;
        }
        match self.slot(at) {
            None => PacketState::Unknown,
            Some(Slot::Reserved) => PacketState::Reserved,
            Some(Slot::Committed(_)) if at.as_u64() < self.published => PacketState::Published,
            Some(Slot::Committed(_)) => PacketState::Committed,
            Some(Slot::Active(_)) => PacketState::Active,
            Some(Slot::Complete) => PacketState::Complete,
        }
    }

    pub(super) fn close(&mut self) {
        self.life = QueueLife::Closed;
    }
    /// Hands out the next `count` indices.
    pub fn reserve(&mut self, count: u32) -> PacketId {
        let first = self.next();
        self.slots.extend((0..count).map(|_| Slot::Reserved));
        first
    }
    /// Writes the packet at a reserved index.
    pub fn commit(&mut self, at: PacketId, packet: &P) -> Commit {
        if !matches!(self.slot(at), Some(Slot::Reserved)) {
            return Commit::NotReserved;
        }
        self.slots[(at.as_u64() - self.base) as usize] = Slot::Committed(*packet);
        self.publish();
        Commit::Written
    }
    /// Tells the device of everything committed up to and including `last`.
    pub fn ring_doorbell(&mut self, last: PacketId) {
        self.doorbell = self.doorbell.max(last.as_u64() + 1);
        self.publish();
    }
    /// Packets become visible in index order, without gaps.
    fn publish(&mut self) {
        while self.published < self.doorbell
            && matches!(self.slot(self.published_below()), Some(Slot::Committed(_)))
        {
            self.published += 1;
        }
    }
    /// Whether the packet at `at` may become active.
    pub fn may_start(&self, at: PacketId) -> Result<(), Blocked> {
        match self.state(at) {
            PacketState::Published if at.as_u64() > self.started => Err(Blocked::EarlierNotStarted),
            PacketState::Published => {
                let packet = self.packet(at).expect("published packets are written");
                match self.holding {
                    Some(by) => Err(Blocked::HeldBack { by: PacketId::new(by) }),
                    None if packet.barrier() == Barrier::Set && self.base < at.as_u64() => {
                        Err(Blocked::EarlierIncomplete { oldest: self.complete_below() })
                    }
                    None => Ok(()),
                }
            }
            state => Err(Blocked::Not { needed: PacketState::Published, state }),
        }
    }
    /// The one packet that may start now, if any.
    #[inline]
    pub fn startable(&self) -> Option<PacketId> {
        if self.started >= self.published {
            return None;
        }
        let next = PacketId::new(self.started);
        self.may_start(next).is_ok().then_some(next)
    }
    /// The packet becomes active.
    ///
    /// # Panics
    /// If [`may_start`](Self::may_start) forbids it.
    pub fn start(&mut self, at: PacketId) {
        let slot = &mut self.slots[(at.as_u64() - self.base) as usize];
        let Slot::Committed(packet) = *slot else { panic!("only a published packet can start") };
        *slot = Slot::Active(packet);
        self.started += 1;
        self.active.push_back(at.as_u64());
        if packet.holds_back() {
            self.holding = Some(at.as_u64());
        }
    }
    /// The packet is complete; answers with it.
    ///
    /// # Panics
    /// If it is not active.
    pub fn finish(&mut self, at: PacketId) -> P {
        let index = at.as_u64();
        let slot = &mut self.slots[(index - self.base) as usize];
        let Slot::Active(packet) = *slot else { panic!("only an active packet can complete") };
        *slot = Slot::Complete;
        let position = self.active.binary_search(&index).expect("an active packet is listed");
        self.active.remove(position);
        if self.holding == Some(index) {
            self.holding = None;
        }
        while matches!(self.slots.front(), Some(Slot::Complete)) {
            self.slots.pop_front();
            self.base += 1;
        }
        packet
    }
    /// Whether the read index may move there: never back, never past what is published.
    pub fn may_move_read_index(&self, to: PacketId) -> Result<(), Blocked> {
        let (read, published) = (self.read_index(), self.published_below());
        let legal = (read..=published).contains(&to);
        if legal { Ok(()) } else { Err(Blocked::ReadIndexRange { read, published }) }
    }
    /// The read index moves, where [`may_move_read_index`](Self::may_move_read_index) allows it.
    pub fn move_read_index(&mut self, to: PacketId) {
        self.read = to.as_u64();
    }
}
