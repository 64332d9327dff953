//! The mock with one thing wrong.

use std::{cell::Cell, rc::Rc, time::Duration};

use ringfence::{
    backend::{CopyEngine, Device, DeviceStatus, HandlerToken, PacketQueue, SignalMemory, Signals},
    id::{LaneId, SignalHandle},
};
use ringfence_mock::{chooser::Profile, work::Kernel};
use ringfence_tests::conformance::{
    Drive, Facts, Kind, Length, Lists, Machine, MockMemory, MockSubject, RingSize, Shared, Stamps,
    Subject, Transfer, Unstamped, Worker, cannot, take_turns,
};

use crate::{
    device::{BrokenDevice, Common},
    engine::BrokenEngine,
    flaw::Flaw,
    queue::{BrokenQueue, State},
};

#[derive(Debug)]
pub(crate) struct Broken {
    mock: MockSubject,
    flaw: Flaw,
    devices: Vec<BrokenDevice>,
    common: Rc<Common>,
    lane: Cell<Option<LaneId>>,
    turns: Cell<usize>,
}
impl Broken {
    pub(crate) fn start(flaw: Flaw) -> Self {
        let kind = match flaw {
            Flaw::PublishesNothing | Flaw::CompletesBeforeItMoved => Kind::DeviceRings,
            Flaw::CreatesElsewhere => Kind::Plain,
            _ => Kind::Discrete,
        };
        let mock = MockSubject::start(Machine { kind, profile: Profile::Tame, devices: 2 }, 1);
        let common = Rc::new(Common::default());
        let devices = (0..mock.devices()).map(|nth| BrokenDevice {
            device: mock.device(nth).clone(),
            flaw,
            common: common.clone(),
        });
        let devices = devices.collect();
        Self { mock, flaw, devices, common, lane: Cell::new(None), turns: Cell::new(0) }
    }
}
impl Subject for Broken {
    type Device = BrokenDevice;
    type Queue = BrokenQueue;
    type Engine = BrokenEngine;
    type Memory = MockMemory;

    fn devices(&self) -> usize {
        self.devices.len()
    }
    fn device(&self, nth: usize) -> &BrokenDevice {
        &self.devices[nth]
    }
    fn queue(&self, of: usize, size: RingSize) -> BrokenQueue {
        let (queue, aside) = (self.mock.queue(of, size), self.mock.queue(of, size));
        let lane = self.lane.get().unwrap_or(queue.lane());
        self.lane.set(Some(lane));
        let device = self.mock.device(of).clone();
        let (flaw, state) = (self.flaw, State::default());
        let mut never = [SignalHandle::NULL];
        if flaw == Flaw::AndOfNothingHangs {
            let _made = device.create(SignalMemory::Host, &mut never);
        }
        let never = never[0];
        BrokenQueue { queue, device, flaw, lane, aside, never, state }
    }
    fn slots(&self, size: RingSize) -> u64 {
        let slots = self.mock.slots(size);
        // The ring is larger than it says: what it takes, a ring of that size would not.
        if self.flaw == Flaw::RingIsOverrun { slots / 2 } else { slots }
    }
    fn engine(&self, of: usize) -> BrokenEngine {
        let (engine, aside) = (self.mock.engine(of), self.mock.queue(of, RingSize::Usual));
        let device = self.mock.device(of).clone();
        let (flaw, last) = (self.flaw, Cell::new(None));
        let lane = self.lane.get().unwrap_or(engine.lane());
        BrokenEngine { engine, device, flaw, lane, aside, last }
    }
    fn kernel(&self, of: usize, length: Length) -> Kernel {
        self.mock.kernel(of, length)
    }
    fn memory(&self, of: usize, word: u32) -> MockMemory {
        self.mock.memory(of, word)
    }
    fn holds(&self, memory: &MockMemory, word: u32) -> bool {
        self.mock.holds(memory, word)
    }
    fn copy(&self, from: &MockMemory, to: &MockMemory) -> Transfer {
        self.mock.copy(from, to)
    }
    fn now(&self) -> Duration {
        self.mock.now()
    }
    fn settle(&self, limit: Duration, condition: impl FnMut() -> bool) -> bool {
        self.mock.settle(limit, condition)
    }
    fn drive(&self) -> Drive {
        self.mock.drive()
    }
    fn together<'a, W: Worker<'a, Self>>(
        &'a self,
        shared: Shared<'a, Self>,
        workers: usize,
        work: &W,
    ) -> Vec<W::Answer> {
        take_turns(shared, workers, work, |count| {
            self.turns.set(self.turns.get() + 1);
            self.turns.get() % count
        })
    }
    fn cpu_time(&self) -> Option<Duration> {
        self.mock.cpu_time()
    }
    fn reported(&self, of: usize) -> Vec<HandlerToken> {
        let mut reported = self.mock.reported(of);
        match self.flaw {
            Flaw::TellsTwice => reported.extend(reported.clone()),
            Flaw::TellsNoLoss if self.is_lost() => reported.clear(),
            Flaw::TellsInOrder => {
                let watched = self.common.watched.borrow();
                let told = watched.iter().take_while(|(_, token)| reported.contains(token));
                reported = told.map(|&(_, token)| token).collect();
            }
            _ => {}
        }
        reported.extend(self.common.reported.borrow().iter());
        reported
    }
    fn lose(&self, nth: usize) {
        self.mock.lose(nth);
        if self.flaw == Flaw::LossSpreads {
            (0..self.devices()).for_each(|other| self.mock.lose(other));
        }
    }
    fn attach_profiler(&self, nth: usize) -> bool {
        self.mock.attach_profiler(nth)
    }
    fn stamps(&self) -> Stamps {
        match self.flaw {
            Flaw::StampsWithoutAClock => Stamps::None,
            _ => self.mock.stamps(),
        }
    }
    fn unstamped_queue(&self, _: usize) -> Option<BrokenQueue> {
        None
    }
    fn violations(&self) -> Vec<String> {
        self.mock.violations()
    }
    fn lists(&self) -> Lists {
        let facts = Facts {
            capabilities: self.mock.device(0).capabilities(),
            devices: self.devices(),
            stamps: self.stamps(),
            unstamped: Unstamped::Impossible,
            drive: Drive::Virtual,
            lacks: self.lacks(),
        };
        Lists { cannot: cannot(&facts), not_yet: Vec::new() }
    }
}
impl Broken {
    fn is_lost(&self) -> bool {
        self.mock.device(0).status() == DeviceStatus::Lost
    }
}
