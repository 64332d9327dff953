//! Copies that move something: the mock's engines take time, and a journal says what has moved.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use ringfence::{
    backend::{CopyEngine, CopyRefused, PartIndex},
    id::{LaneId, PacketId, SignalHandle, UseId},
};
use ringfence_mock::{
    clock::Ticks,
    system::{MockCopyEngine, MockSystem},
    work::CopyWork,
};

/// Memory of one word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MockMemory(usize);

/// A copy from one memory to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transfer {
    from: MockMemory,
    to: MockMemory,
}
impl Transfer {
    pub(super) fn new(from: MockMemory, to: MockMemory) -> Self {
        Self { from, to }
    }
}

/// What all memories hold, and what is on its way.
#[derive(Debug, Default)]
pub(super) struct Journal {
    words: Vec<u32>,
    /// By use and part, as they were issued.
    moving: BTreeMap<(LaneId, PacketId, PartIndex), Transfer>,
}
impl Journal {
    pub(super) fn memory(&mut self, word: u32) -> MockMemory {
        self.words.push(word);
        MockMemory(self.words.len() - 1)
    }
    /// What the host finds there: what has completed has moved. Copies that wait for each other are issued
    /// in that order.
    pub(super) fn read(&mut self, memory: MockMemory, system: &MockSystem) -> u32 {
        let words = &mut self.words;
        self.moving.retain(|&(lane, at, part), transfer| {
            let of = UseId::new(lane, at);
            let pending = system.with_model(|model| {
                let engine = model.engine(of.lane()).expect("the lane of an engine");
                engine.unfinished().any(|unfinished| unfinished == (at, part))
            });
            if !pending {
                words[transfer.to.0] = words[transfer.from.0];
            }
            pending
        });
        words[memory.0]
    }
}

/// A copy engine of the mock whose copies are in the journal.
#[derive(Clone, Debug)]
pub struct MovingEngine {
    engine: MockCopyEngine,
    journal: Rc<RefCell<Journal>>,
}
impl MovingEngine {
    pub(super) fn new(engine: MockCopyEngine, journal: Rc<RefCell<Journal>>) -> Self {
        Self { engine, journal }
    }
}
impl CopyEngine for MovingEngine {
    type Work = Transfer;
    fn lane(&self) -> LaneId {
        self.engine.lane()
    }
    fn reserve(&self) -> PacketId {
        self.engine.reserve()
    }
    fn submit(
        &self,
        at: PacketId,
        part: PartIndex,
        work: Transfer,
        completes: SignalHandle,
        waits: &[SignalHandle],
    ) -> Result<(), CopyRefused> {
        // 20 µs at 100 MHz.
        let time = CopyWork::new(Ticks::new(2_000));
        self.engine.submit(at, part, time, completes, waits)?;
        self.journal.borrow_mut().moving.insert((self.lane(), at, part), work);
        Ok(())
    }
}
