//! The "GPU": memory cells, signals, and a thread for each packet processor. A stand-in for a driver;
//! nothing here knows of Ringfence.

use std::{
    collections::VecDeque,
    sync::{
        Condvar, Mutex, MutexGuard,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

/// One 64-bit word of device memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Buffer(pub(crate) usize);

/// What the GPU can run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kernel {
    Set { buffer: Buffer, value: u64 },
    AddFrom { from: Buffer, to: Buffer },
}

/// A packet, as the packet processor sees it: signals are numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command {
    pub(crate) kernel: Option<Kernel>,
    pub(crate) waits: [Option<usize>; 5],
    pub(crate) completes: Option<usize>,
}

const WORDS: usize = 1 << 16;
const SIGNALS: usize = 1 << 14;

pub(crate) struct Gpu {
    memory: Vec<AtomicU64>,
    signals: Vec<AtomicI64>,
    signals_made: AtomicU64,
    pub(crate) queues: Vec<Ring>,
}
impl Gpu {
    pub(crate) fn new(queues: usize) -> Self {
        Self {
            memory: (0..WORDS).map(|_| AtomicU64::new(0)).collect(),
            signals: (0..SIGNALS).map(|_| AtomicI64::new(0)).collect(),
            signals_made: AtomicU64::new(0),
            queues: (0..queues).map(|_| Ring::default()).collect(),
        }
    }
    pub(crate) fn words(&self) -> usize {
        self.memory.len()
    }
    pub(crate) fn read(&self, buffer: Buffer) -> u64 {
        self.memory[buffer.0].load(Ordering::Acquire)
    }
    pub(crate) fn signal(&self, index: usize) -> &AtomicI64 {
        &self.signals[index]
    }
    /// The next unused signal.
    pub(crate) fn make_signal(&self) -> Option<usize> {
        let index = self.signals_made.fetch_add(1, Ordering::Relaxed) as usize;
        (index < self.signals.len()).then_some(index)
    }
    /// A packet processor: runs the packets of one queue until it is closed.
    pub(crate) fn process(&self, queue: usize) {
        while let Some(command) = self.queues[queue].next() {
            for wait in command.waits.into_iter().flatten() {
                while self.signals[wait].load(Ordering::Acquire) != 0 {
                    std::thread::yield_now();
                }
            }
            match command.kernel {
                Some(Kernel::Set { buffer, value }) => {
                    self.memory[buffer.0].store(value, Ordering::Relaxed);
                }
                Some(Kernel::AddFrom { from, to }) => {
                    let value = self.memory[from.0].load(Ordering::Relaxed);
                    self.memory[to.0].fetch_add(value, Ordering::Relaxed);
                }
                None => {}
            }
            if let Some(signal) = command.completes {
                self.signals[signal].fetch_sub(1, Ordering::Release);
            }
        }
    }
}

/// A packet ring: indices are reserved first, and packets are seen by the processor in index order.
#[derive(Default)]
pub(crate) struct Ring {
    reserved: AtomicU64,
    read: AtomicU64,
    state: Mutex<State>,
    doorbell: Condvar,
}
#[derive(Default)]
struct State {
    /// From `first` on; a hole is reserved and not written yet.
    packets: VecDeque<Option<Command>>,
    first: u64,
    closed: bool,
}
impl Ring {
    pub(crate) fn reserve(&self, count: u64) -> u64 {
        self.reserved.fetch_add(count, Ordering::Relaxed)
    }
    pub(crate) fn write(&self, at: u64, command: Command) {
        let mut state = self.lock();
        let slot = (at - state.first) as usize;
        if state.packets.len() <= slot {
            state.packets.resize(slot + 1, None);
        }
        state.packets[slot] = Some(command);
    }
    pub(crate) fn ring_doorbell(&self) {
        self.doorbell.notify_one();
    }
    pub(crate) fn read_index(&self) -> u64 {
        self.read.load(Ordering::Acquire)
    }
    /// Where the queue ends, if every reserved index was written.
    pub(crate) fn settled(&self) -> Option<u64> {
        let state = self.lock();
        let written = state.packets.iter().all(Option::is_some);
        let end = state.first + state.packets.len() as u64;
        (written && end == self.reserved.load(Ordering::Relaxed)).then_some(end)
    }
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.doorbell.notify_one();
    }
    fn next(&self) -> Option<Command> {
        let mut state = self.lock();
        loop {
            if let Some(Some(command)) = state.packets.front().copied() {
                state.packets.pop_front();
                state.first += 1;
                // The slot may be used again: that says nothing of the packet's completion.
                self.read.store(state.first, Ordering::Release);
                return Some(command);
            }
            if state.closed {
                return None;
            }
            state = self.doorbell.wait(state).expect("no packet processor panics");
        }
    }
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no packet processor panics")
    }
}
