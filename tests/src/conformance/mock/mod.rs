//! The mock as a subject: virtual time, seeded choices, an oracle.

mod copies;
mod machine;

use std::{cell::Cell, cell::RefCell, rc::Rc, time::Duration};

use ringfence::backend::HandlerToken;
use ringfence_mock::{
    chooser::Seeded,
    clock::Ticks,
    system::{DeviceSettings, MockDevice, MockQueue, MockSystem, Moved, Settings},
    work::Kernel,
};

pub use copies::{MockMemory, MovingEngine, Transfer};
pub use machine::{Kind, Machine};

use super::{Drive, KernelOf, Length, Lists, RingSize, Shared, Stamps, Step, Subject, Worker};
use copies::Journal;

/// Slots of each ring: small, so that rings are full often.
const SLOTS: u32 = 128;

/// A mock system of two devices, as one [`Machine`] has them.
#[derive(Debug)]
pub struct MockSubject {
    machine: Machine,
    system: MockSystem,
    devices: Vec<MockDevice>,
    journal: Rc<RefCell<Journal>>,
    reported: RefCell<Vec<HandlerToken>>,
    turns: Cell<u64>,
}
impl MockSubject {
    /// A machine whose free choices follow from `seed`.
    pub fn start(machine: Machine, seed: u64) -> Self {
        let mut settings = Settings::default();
        settings.quotas.ring_slots = SLOTS;
        let system = MockSystem::new(Seeded::new(seed, machine.profile.odds()), settings);
        let device = DeviceSettings { capabilities: machine.capabilities(), ..Default::default() };
        let devices = (0..machine.devices).map(|_| system.add_device(device)).collect();
        let journal = Rc::new(RefCell::new(Journal::default()));
        let reported = RefCell::default();
        Self { machine, system, devices, journal, reported, turns: Cell::new(seed) }
    }
    /// The system behind it.
    pub fn system(&self) -> &MockSystem {
        &self.system
    }
    /// The device with this number.
    pub fn mock_device(&self, nth: usize) -> &MockDevice {
        &self.devices[nth]
    }
    /// One of `count`, by the seed.
    fn turn(&self, count: usize) -> usize {
        // Knuth's linear congruential generator; its upper bits are good enough to shuffle.
        let next = self.turns.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.turns.set(next);
        (next >> 33) as usize % count
    }
}

impl Subject for MockSubject {
    type Device = MockDevice;
    type Queue = MockQueue;
    type Engine = MovingEngine;
    type Memory = MockMemory;

    fn devices(&self) -> usize {
        self.devices.len()
    }
    fn device(&self, nth: usize) -> &MockDevice {
        &self.devices[nth]
    }
    fn queue(&self, of: usize, _: RingSize) -> MockQueue {
        self.devices[of].add_queue()
    }
    fn slots(&self, _: RingSize) -> u64 {
        u64::from(SLOTS)
    }
    fn engine(&self, of: usize) -> MovingEngine {
        MovingEngine::new(self.devices[of].add_copy_engine(), self.journal.clone())
    }
    fn kernel(&self, _: usize, length: Length) -> KernelOf<Self> {
        // At 100 MHz: 0.1 µs, and 200 µs.
        let ticks = match length {
            Length::Short => 10,
            Length::Long => 20_000,
        };
        Kernel::new(1, Ticks::new(ticks))
    }
    fn memory(&self, _: usize, word: u32) -> MockMemory {
        self.journal.borrow_mut().memory(word)
    }
    fn holds(&self, memory: &MockMemory, word: u32) -> bool {
        self.journal.borrow_mut().read(*memory, &self.system) == word
    }
    fn copy(&self, from: &MockMemory, to: &MockMemory) -> Transfer {
        Transfer::new(*from, *to)
    }
    fn now(&self) -> Duration {
        self.system.now().since_start()
    }
    fn settle(&self, limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
        let deadline = self.now() + limit;
        let mut idle = Duration::from_micros(1);
        loop {
            if condition() {
                return true;
            }
            if self.now() >= deadline {
                return false;
            }
            if self.system.step() == Moved::Yes {
                idle = Duration::from_micros(1);
            } else {
                self.system.pass(idle);
                idle = (idle * 2).min(limit / 16).max(Duration::from_micros(1));
            }
        }
    }
    fn drive(&self) -> Drive {
        Drive::Virtual
    }
    fn together<'a, W: Worker<'a, Self>>(
        &'a self,
        shared: Shared<'a, Self>,
        workers: usize,
        work: &W,
    ) -> Vec<W::Answer> {
        take_turns(shared, workers, work, |count| self.turn(count))
    }
    fn cpu_time(&self) -> Option<Duration> {
        None
    }
    fn reported(&self, _: usize) -> Vec<HandlerToken> {
        // The callback thread's turn.
        self.system.deliver(|token| self.reported.borrow_mut().push(token));
        self.reported.borrow().clone()
    }
    fn lose(&self, nth: usize) {
        self.devices[nth].lose();
    }
    fn attach_profiler(&self, nth: usize) -> bool {
        self.devices[nth].attach_profiler();
        true
    }
    fn stamps(&self) -> Stamps {
        self.machine.stamps()
    }
    fn unstamped_queue(&self, _: usize) -> Option<MockQueue> {
        None
    }
    fn violations(&self) -> Vec<String> {
        let broken = self.system.violations();
        broken.iter().map(|broken| format!("{}: {}", broken.rule, broken.what)).collect()
    }
    fn lists(&self) -> Lists {
        self.machine.lists()
    }
}

/// Workers take turns on one thread, as `turn` chooses among those that are left.
pub fn take_turns<'a, S: Subject, W: Worker<'a, S>>(
    shared: Shared<'a, S>,
    workers: usize,
    work: &W,
    mut turn: impl FnMut(usize) -> usize,
) -> Vec<W::Answer> {
    let mut states: Vec<_> = (0..workers).map(|worker| work.begin(shared, worker)).collect();
    let mut left: Vec<_> = (0..workers).collect();
    while !left.is_empty() {
        let at = turn(left.len());
        if work.step(shared, &mut states[left[at]]) == Step::Done {
            left.remove(at);
        }
    }
    states.into_iter().map(|state| work.end(state)).collect()
}
