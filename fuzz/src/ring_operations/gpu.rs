//! A device for the pure ring, as simple as can be: packets that complete in any order that their queue
//! allows, and cells. It knows nothing of the ring.

use ringfence::{
    backend::SignalMemory,
    id::{LaneId, PacketId, SignalHandle, SignalValue, UseId},
    ring::Awaits,
};

/// What runs the packets of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// A packet processor: barrier bits and barrier packets hold back what is behind them.
    Queue,
    /// A copy engine: none.
    None,
}

/// One packet, or one copy.
#[derive(Debug)]
pub(super) struct Packet {
    pub(super) barrier: bool,
    pub(super) holds_back: bool,
    pub(super) waits: Vec<SignalHandle>,
    pub(super) by: Awaits,
    pub(super) completes: Option<SignalHandle>,
    /// Decrements that are still to come.
    pub(super) parts: u32,
}

/// The packets of one lane, by their id.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) lane: LaneId,
    order: Order,
    packets: Vec<Packet>,
}

#[derive(Debug)]
struct Cell {
    value: i64,
    memory: SignalMemory,
    /// Whether the device sees the last arm.
    visible: bool,
    last: Option<UseId>,
}

/// The device.
#[derive(Debug, Default)]
pub(super) struct Gpu {
    pub(super) queues: Vec<Queue>,
    cells: Vec<Cell>,
}
impl Gpu {
    pub(super) fn add_queue(&mut self, lane: LaneId, order: Order) {
        self.queues.push(Queue { lane, order, packets: Vec::new() });
    }
    pub(super) fn queue(&self, lane: LaneId) -> &Queue {
        self.queues.iter().find(|queue| queue.lane == lane).expect("the lane exists")
    }
    /// A new signal, armed and visible.
    pub(super) fn create(&mut self, memory: SignalMemory) -> SignalHandle {
        self.cells.push(Cell { value: 1, memory, visible: true, last: None });
        SignalHandle::new(self.cells.len() as u64)
    }
    pub(super) fn created(&self) -> usize {
        self.cells.len()
    }
    fn cell(&self, signal: SignalHandle) -> &Cell {
        &self.cells[signal.as_u64() as usize - 1]
    }
    fn cell_mut(&mut self, signal: SignalHandle) -> &mut Cell {
        &mut self.cells[signal.as_u64() as usize - 1]
    }
    pub(super) fn load(&self, signal: SignalHandle) -> SignalValue {
        SignalValue::new(self.cell(signal).value)
    }
    pub(super) fn store(&mut self, signal: SignalHandle, value: i64) {
        self.cell_mut(signal).value = value;
    }
    pub(super) fn last_use(&self, signal: SignalHandle) -> Option<UseId> {
        self.cell(signal).last
    }
    /// S1, S9: the last use is complete, and no packet that has yet to look waits for the signal.
    pub(super) fn arm(&mut self, signal: SignalHandle) {
        if let Some(last) = self.cell(signal).last {
            assert!(self.is_complete(last), "S1: {signal:?} is armed while {last} runs");
        }
        for queue in &self.queues {
            for (at, packet) in queue.packets.iter().enumerate() {
                let looks = packet.parts > 0 && packet.waits.contains(&signal);
                assert!(!looks, "S9: {signal:?} is armed while {}#{at} waits for it", queue.lane);
            }
        }
        let cell = self.cell_mut(signal);
        cell.value = 1;
        cell.visible = !cell.memory.is_device();
    }
    pub(super) fn flush(&mut self) {
        self.cells.iter_mut().for_each(|cell| cell.visible = true);
    }
    /// Publishes a packet. S1, S10: its signal is armed, visible and nobody else's.
    pub(super) fn publish(&mut self, lane: LaneId, packet: Packet) -> PacketId {
        let at = PacketId::new(self.queue(lane).packets.len() as u64);
        if let Some(signal) = packet.completes {
            let last = self.cell(signal).last;
            let is_free = last.is_none_or(|last| self.is_complete(last));
            assert!(is_free, "S1: {signal:?} is still that of {last:?}");
            let cell = self.cell_mut(signal);
            assert!(cell.visible, "S10: {signal:?} is used before it was flushed");
            assert_eq!(cell.value, 1, "S1: {signal:?} is used and was not armed");
            (cell.value, cell.last) = (i64::from(packet.parts), Some(UseId::new(lane, at)));
        }
        let queue = self.queues.iter_mut().find(|queue| queue.lane == lane);
        queue.expect("the lane exists").packets.push(packet);
        at
    }
    pub(super) fn published(&self, lane: LaneId) -> u64 {
        self.queue(lane).packets.len() as u64
    }
    pub(super) fn is_complete(&self, of: UseId) -> bool {
        let packet = self.queue(of.lane()).packets.get(of.packet().as_u64() as usize);
        packet.is_some_and(|packet| packet.parts == 0)
    }
    /// Whether every packet below is complete.
    pub(super) fn is_complete_below(&self, lane: LaneId, below: PacketId) -> bool {
        let below = below.as_u64() as usize;
        self.queue(lane).packets.iter().take(below).all(|packet| packet.parts == 0)
    }
    fn may_go_on(&self, queue: &Queue, at: usize) -> bool {
        let packet = &queue.packets[at];
        let before = &queue.packets[..at];
        let is_zero = |signal: &SignalHandle| self.cell(*signal).value == 0;
        let meets = match packet.by {
            Awaits::AnyInOrder => packet.waits.iter().any(is_zero),
            Awaits::EachInOrder | Awaits::EachUnordered => packet.waits.iter().all(is_zero),
        };
        let held_back = queue.order == Order::Queue
            && before
                .iter()
                .any(|earlier| earlier.parts > 0 && (packet.barrier || earlier.holds_back));
        packet.parts > 0 && !held_back && (packet.waits.is_empty() || meets)
    }
    /// What can go on now.
    pub(super) fn enabled(&self) -> Vec<(usize, usize)> {
        let queues = self.queues.iter().enumerate();
        queues
            .flat_map(|(number, queue)| (0..queue.packets.len()).map(move |at| (number, at)))
            .filter(|&(number, at)| self.may_go_on(&self.queues[number], at))
            .collect()
    }
    /// One decrement.
    pub(super) fn go_on(&mut self, (number, at): (usize, usize)) {
        let packet = &mut self.queues[number].packets[at];
        packet.parts -= 1;
        if let Some(signal) = packet.completes {
            self.cell_mut(signal).value -= 1;
        }
    }
    /// Everything that can complete does.
    pub(super) fn run_until_idle(&mut self) {
        while let Some(&first) = self.enabled().first() {
            self.go_on(first);
        }
    }
    pub(super) fn is_idle(&self) -> bool {
        self.queues.iter().flat_map(|queue| &queue.packets).all(|packet| packet.parts == 0)
    }
}
