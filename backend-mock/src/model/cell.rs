//! Signals as memory cells: who sees which store, and when.

use ringfence::{
    backend::{HostDataPath, RingMemory, SignalMemory},
    id::{DeviceId, SignalHandle, SignalValue},
};

use super::{Model, number};

/// Who looks at a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reader {
    /// The host: it sees its own stores at once.
    Host,
    /// The packet processor of an agent: the owner of the cell, or a peer.
    Processor(DeviceId),
    /// A copy engine of an agent.
    Engine(DeviceId),
}

/// Whether a cell may be used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CellLife {
    /// It may.
    Alive,
    /// It was destroyed; its handle is never given out again.
    Destroyed,
}

/// How far a host store to device memory has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Stage {
    /// In the processor's write-combining buffer.
    WriteCombining,
    /// Past the BAR, in the host data path's cache: only what comes the same way sees it.
    PastBar,
}

/// One signal's value in memory, and the host store that is on its way there.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    owner: DeviceId,
    memory: SignalMemory,
    life: CellLife,
    value: i64,
    buffered: Option<(i64, Stage)>,
}
impl Cell {
    /// The device that it belongs to.
    pub fn owner(&self) -> DeviceId {
        self.owner
    }
    /// Where it lives.
    pub fn memory(&self) -> SignalMemory {
        self.memory
    }
    /// Whether it may still be used.
    pub fn life(&self) -> CellLife {
        self.life
    }
}

impl Model {
    /// A new cell that is armed with 1 and visible to everybody.
    pub fn add_cell(&mut self, owner: DeviceId, memory: SignalMemory) -> SignalHandle {
        let life = CellLife::Alive;
        let value = SignalValue::ARMED.as_i64();
        self.cells.push(Cell { owner, memory, life, value, buffered: None });
        SignalHandle::new(u64::from(number(self.cells.len())))
    }
    /// Ends a cell's life. Decrements that come later change nothing.
    pub fn remove_cell(&mut self, signal: SignalHandle) {
        if let Some(at) = self.position(signal) {
            self.cells[at].life = CellLife::Destroyed;
            self.land(signal);
        }
    }
    /// The cell with this handle, alive or destroyed.
    pub fn cell(&self, signal: SignalHandle) -> Option<&Cell> {
        self.position(signal).map(|at| &self.cells[at])
    }
    fn position(&self, signal: SignalHandle) -> Option<usize> {
        let at = usize::try_from(signal.as_u64().checked_sub(1)?).ok()?;
        (at < self.cells.len()).then_some(at)
    }
    /// A plain host store: at once in host memory, buffered on its way to device memory.
    pub fn store(&mut self, signal: SignalHandle, value: SignalValue) {
        let Some(at) = self.position(signal) else { return };
        let cell = &mut self.cells[at];
        if !cell.memory.is_device() {
            cell.value = value.as_i64();
            return;
        }
        if cell.buffered.replace((value.as_i64(), Stage::WriteCombining)).is_none() {
            self.buffered.push(number(at));
        }
    }
    /// Pushes all buffered stores out of the write-combining buffers. Where the path is coherent they
    /// are then visible to all; else they are past the BAR.
    pub fn publish_stores(&mut self) {
        let (cells, agents) = (&mut self.cells, &self.agents);
        self.buffered.retain(|&at| {
            let cell = &mut cells[at as usize];
            let path = agents[cell.owner.as_u32() as usize].capabilities.path;
            match (path, cell.buffered.take()) {
                (HostDataPath::Hdp, Some((value, _))) => {
                    cell.buffered = Some((value, Stage::PastBar));
                    true
                }
                (_, store) => {
                    cell.value = store.map_or(cell.value, |(value, _)| value);
                    false
                }
            }
        });
    }
    /// Publishes all stores, and makes those to `owner`'s memory visible to everybody who reads it
    /// through its owner.
    pub fn flush(&mut self, owner: DeviceId) {
        self.publish_stores();
        let cells = &mut self.cells;
        self.buffered.retain(|&at| {
            let cell = &mut cells[at as usize];
            if cell.owner == owner
                && let Some((value, _)) = cell.buffered.take()
            {
                cell.value = value;
            }
            cell.buffered.is_some()
        });
    }
    /// The buffered store of `signal`, if there is one, gets to memory now.
    pub(super) fn land(&mut self, signal: SignalHandle) {
        let Some(at) = self.position(signal) else { return };
        if let Some((value, _)) = self.cells[at].buffered.take() {
            self.cells[at].value = value;
            self.buffered.retain(|&buffered| buffered as usize != at);
        }
    }
    /// The signals with a store on its way, oldest store first.
    pub fn buffered(&self) -> impl ExactSizeIterator<Item = SignalHandle> + '_ {
        self.buffered.iter().map(|&at| SignalHandle::new(u64::from(at) + 1))
    }
    /// A host store of 0 that is visible to everybody at once.
    pub fn force(&mut self, signal: SignalHandle) {
        self.store(signal, SignalValue::DONE);
        self.land(signal);
    }
    /// One decrement that no packet owes: a late one, or a second one for the same work.
    pub fn decrement(&mut self, signal: SignalHandle) {
        if let Some(at) = self.position(signal) {
            self.cells[at].value -= 1;
        }
    }
    /// The value that `reader` sees; `None` if there is no such signal.
    pub fn view(&self, signal: SignalHandle, reader: Reader) -> Option<SignalValue> {
        let cell = &self.cells[self.position(signal)?];
        let store = cell.buffered.filter(|&(_, stage)| self.sees(cell, stage, reader));
        Some(SignalValue::new(store.map_or(cell.value, |(value, _)| value)))
    }
    fn sees(&self, cell: &Cell, stage: Stage, reader: Reader) -> bool {
        match reader {
            Reader::Host => true,
            // Packets written to a ring in device memory follow the store through the same BAR.
            Reader::Processor(agent) => {
                agent == cell.owner
                    && stage == Stage::PastBar
                    && self.agents[agent.as_u32() as usize].capabilities.rings == RingMemory::Device
            }
            Reader::Engine(_) => false,
        }
    }
    /// A completion: the decrement of a packet or a part, done where `by` reads.
    pub(super) fn complete_signal(&mut self, signal: SignalHandle, by: Reader) -> SignalValue {
        let Some(at) = self.position(signal) else { return SignalValue::DONE };
        if self.cells[at].buffered.is_some_and(|(_, stage)| self.sees(&self.cells[at], stage, by)) {
            self.land(signal);
        }
        let cell = &mut self.cells[at];
        if cell.life == CellLife::Alive {
            cell.value -= 1;
        }
        SignalValue::new(cell.value)
    }
}
