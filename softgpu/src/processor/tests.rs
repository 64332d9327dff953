//! The processor over real packets in memory, against HSA 2.9 and against the model.

mod against_model;
mod completion;
mod dependencies;
mod faults;
mod order;
mod read_index;

#[allow(clippy::duplicate_mod, reason = "the tests of kernels make the same code objects")]
#[path = "../kernels/tests/code_object.rs"]
mod code_object;

use std::{cell::RefCell, time::Duration};

use super::*;
use crate::{
    settings::{Profile, Span},
    test_bus::TestBus,
};

/// Packets in each ring.
const PACKETS: u64 = 16;
const RINGS: u64 = 0x20_0000;
const QUEUES: u64 = 0x10_0000;
const SIGNALS: u64 = 0x30_0000;
const MAILBOXES: u64 = 0x40_0000;
const SAVE_AREAS: u64 = 0x50_0000;
const PAYLOADS: u64 = 0x60_0000;
const SIGNAL_COUNT: u64 = 256;

/// Signal number `n`: its value is 1 at first, and its event is `n + 1`.
fn signal(n: u64) -> Address {
    assert!(n < SIGNAL_COUNT);
    Address::new(SIGNALS + 64 * n)
}
fn mailbox(n: u64) -> Address {
    Address::new(MAILBOXES + 8 * n)
}
fn ns(nanoseconds: u64) -> Duration {
    Duration::from_nanos(nanoseconds)
}
fn span(least: u64, most: u64) -> Span {
    Span { least: ns(least), most: ns(most) }
}

/// A packet as a producer writes it.
#[derive(Clone, Copy)]
struct Wire([u8; 64]);
impl Wire {
    const fn of_type(kind: u8) -> Self {
        let mut bytes = [0; 64];
        bytes[0] = kind;
        Self(bytes)
    }
    /// A kernel that computes nothing.
    fn kernel() -> Self {
        Self::of_type(2).word(32, 0x100)
    }
    fn all(signals: &[Address]) -> Self {
        Self::of_type(3).dependencies(signals)
    }
    fn any(signals: &[Address]) -> Self {
        Self::of_type(5).dependencies(signals)
    }
    fn value(on: Address, mask: i64, condition: u32, reference: i64) -> Self {
        let mut packet = Self::of_type(0)
            .word(8, on.as_u64())
            .word(16, reference.cast_unsigned())
            .word(24, mask.cast_unsigned());
        packet.0[2] = 2;
        packet.0[32..36].copy_from_slice(&condition.to_le_bytes());
        packet
    }
    fn dependencies(self, signals: &[Address]) -> Self {
        (0..).zip(signals).fold(self, |packet, (at, on)| packet.word(8 + 8 * at, on.as_u64()))
    }
    fn word(mut self, at: usize, value: u64) -> Self {
        self.0[at..at + 8].copy_from_slice(&value.to_le_bytes());
        self
    }
    fn barrier(mut self) -> Self {
        self.0[1] |= 1;
        self
    }
    fn completes(self, at: Address) -> Self {
        self.word(56, at.as_u64())
    }
}

/// What was done to a word of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Access {
    Load(Address),
    Store(Address, u64),
    Add(Address),
}
/// A bus that keeps a journal of words.
struct Journal {
    memory: TestBus,
    accesses: RefCell<Vec<Access>>,
}
impl Journal {
    fn log(&self, access: Access) {
        self.accesses.borrow_mut().push(access);
    }
    fn position(&self, of: Access) -> usize {
        let accesses = self.accesses.borrow();
        accesses.iter().position(|&one| one == of).unwrap_or_else(|| panic!("no {of:?}"))
    }
}
impl Bus for Journal {
    fn read(&self, at: Address, into: &mut [u8]) -> Result<(), Fault> {
        self.memory.read(at, into)
    }
    fn write(&self, at: Address, from: &[u8]) -> Result<(), Fault> {
        self.memory.write(at, from)
    }
    fn copy(&self, to: Address, from: Address, bytes: u64) -> Result<(), Fault> {
        self.memory.copy(to, from, bytes)
    }
    fn fill(&self, to: Address, pattern: &[u8], bytes: u64) -> Result<(), Fault> {
        self.memory.fill(to, pattern, bytes)
    }
    fn load_u32(&self, at: Address) -> Result<u32, Fault> {
        self.log(Access::Load(at));
        self.memory.load_u32(at)
    }
    fn load_u64(&self, at: Address) -> Result<u64, Fault> {
        self.log(Access::Load(at));
        self.memory.load_u64(at)
    }
    fn store_u32(&self, at: Address, value: u32) -> Result<(), Fault> {
        self.log(Access::Store(at, value.into()));
        self.memory.store_u32(at, value)
    }
    fn store_u64(&self, at: Address, value: u64) -> Result<(), Fault> {
        self.log(Access::Store(at, value));
        self.memory.store_u64(at, value)
    }
    fn add_u64(&self, at: Address, value: u64) -> Result<u64, Fault> {
        self.log(Access::Add(at));
        self.memory.add_u64(at, value)
    }
    fn or_u64(&self, at: Address, bits: u64) -> Result<u64, Fault> {
        self.memory.or_u64(at, bits)
    }
    fn extent(&self, at: Address) -> Option<(Address, u64)> {
        self.memory.extent(at)
    }
    fn host(&self, at: Address) -> Option<*mut u8> {
        self.memory.host(at)
    }
}

/// Queues of one GPU, their memory, and a producer for each.
struct Rig {
    bus: Journal,
    settings: Settings,
    chance: Chance,
    kernels: Kernels,
    faults: Countdown,
    reports: Vec<Report>,
    decremented: Vec<(SignalHandle, SignalValue)>,
    now: Duration,
    queues: Vec<AqlQueue>,
}
impl Rig {
    /// One queue of a GPU that does everything at once.
    fn new() -> Self {
        Self::with(1, |_| ())
    }
    fn with(queues: u64, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings::of(Profile::Quiet);
        change(&mut settings);
        let page = || vec![0; 4096];
        let mut memory = TestBus::default()
            .and(signal(0), vec![0; 64 * SIGNAL_COUNT as usize])
            .and(mailbox(0), vec![0; 8 * SIGNAL_COUNT as usize])
            .and(Address::new(PAYLOADS), page());
        for n in 0..queues {
            memory = memory
                .and(Self::page(QUEUES, n), page())
                .and(Self::page(SAVE_AREAS, n), page())
                .and(Self::page(RINGS, n), Wire::of_type(1).0.repeat(PACKETS as usize));
        }
        for n in 0..SIGNAL_COUNT {
            memory.put(signal(n).plus(8), &1_u64.to_le_bytes());
            memory.put(signal(n).plus(16), &mailbox(n).as_u64().to_le_bytes());
            memory.put(signal(n).plus(24), &(n as u32 + 1).to_le_bytes());
        }
        let queue = |n| {
            let id = u32::try_from(n).expect("few queues");
            AqlQueue::new(id, 0, Self::place(n))
        };
        Self {
            bus: Journal { memory, accesses: RefCell::default() },
            chance: Chance::new(settings.seed),
            kernels: Kernels::new(Box::new(|_| None)),
            faults: Countdown::new(settings.faults),
            settings,
            reports: Vec::new(),
            decremented: Vec::new(),
            now: Duration::ZERO,
            queues: (0..queues).map(queue).collect(),
        }
    }
    fn page(of: u64, queue: u64) -> Address {
        Address::new(of + queue * 4096)
    }
    /// The indices lie where `amd_queue_t` has them.
    fn place(queue: u64) -> Place {
        let at = Self::page(QUEUES, queue);
        Place {
            ring: Self::page(RINGS, queue),
            packets: PACKETS,
            read_index: at.plus(128),
            write_index: at.plus(56),
            save_area: Self::page(SAVE_AREAS, queue),
        }
    }
    fn load(&self, at: Address) -> u64 {
        self.bus.memory.load_u64(at).expect("mapped by the test")
    }
    fn store(&self, at: Address, value: u64) {
        self.bus.memory.put(at, &value.to_le_bytes());
    }
    /// Takes the next index of a queue, and writes nothing there.
    fn reserve(&self, queue: u64) -> u64 {
        let write_index = Self::place(queue).write_index;
        let at = self.load(write_index);
        self.store(write_index, at + 1);
        at
    }
    fn fill(&self, queue: u64, at: u64, packet: Wire) {
        let slot = Self::place(queue).ring.plus(at % PACKETS * 64);
        self.bus.memory.put(slot, &packet.0);
    }
    fn put(&self, queue: u64, packet: Wire) {
        self.fill(queue, self.reserve(queue), packet);
    }
    /// Runs `act` on a queue as the engine would.
    fn on<R>(
        &mut self,
        queue: u64,
        act: impl FnOnce(&mut AqlQueue, &mut Turn<'_, Journal>) -> R,
    ) -> R {
        let at = queue as usize;
        let mut turn = Turn {
            bus: &self.bus,
            now: self.now,
            ticks: self.now.as_nanos() as u64 / 10,
            settings: &self.settings,
            chance: &mut self.chance,
            kernels: &mut self.kernels,
            faults: &mut self.faults,
            reports: &mut self.reports,
            decremented: &mut self.decremented,
        };
        let result = act(&mut self.queues[at], &mut turn);
        for (signal, value) in self.decremented.drain(..) {
            let others = self.queues.iter_mut().enumerate().filter(|(other, _)| *other != at);
            others.for_each(|(_, other)| other.saw(signal, value));
        }
        result
    }
    fn ring(&mut self, queue: u64) {
        self.on(queue, AqlQueue::ring_doorbell);
    }
    fn step(&mut self, queue: u64) -> Progress {
        self.on(queue, AqlQueue::step)
    }
    /// Every queue goes as far as it can at this time.
    fn settle(&mut self) {
        while (0..self.queues.len() as u64).any(|queue| self.step(queue) == Progress::Made) {}
    }
    fn submit(&mut self, queue: u64, packets: &[Wire]) {
        packets.iter().for_each(|&packet| self.put(queue, packet));
        self.ring(queue);
        self.settle();
    }
    fn pass(&mut self, nanoseconds: u64) {
        self.now += ns(nanoseconds);
        self.settle();
    }
    fn value(&self, n: u64) -> i64 {
        self.load(signal(n).plus(8)).cast_signed()
    }
    fn set(&self, n: u64, value: i64) {
        self.store(signal(n).plus(8), value.cast_unsigned());
    }
    fn values<const N: usize>(&self) -> [i64; N] {
        std::array::from_fn(|n| self.value(n as u64))
    }
    fn read_index(&self, queue: u64) -> u64 {
        self.load(Self::place(queue).read_index)
    }
    /// Signals in the order in which they were decremented.
    fn completed(&self) -> Vec<u64> {
        let accesses = self.bus.accesses.borrow();
        let adds = accesses.iter().filter_map(|access| match access {
            Access::Add(at) => Some((at.as_u64() - SIGNALS) / 64),
            Access::Load(_) | Access::Store(..) => None,
        });
        adds.collect()
    }
}
