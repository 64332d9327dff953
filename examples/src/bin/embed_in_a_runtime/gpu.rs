//! The "GPU": memory cells, signals, and a thread for each packet processor and one that calls back. A stand-in for a
//! driver; nothing here knows of Ringfence.

use std::{
    collections::VecDeque,
    sync::{
        Condvar, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

/// One 64-bit word of device memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Buffer(pub(crate) usize);

/// What the GPU can run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kernel {
    Set {
        buffer: Buffer,
        value: u64,
    },
    AddFrom {
        from: Buffer,
        to: Buffer,
    },
    /// Runs until somebody writes another word than 0 there: it hangs, if nobody does.
    Await {
        buffer: Buffer,
    },
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
    lost: AtomicBool,
    watched: Mutex<Watched>,
    /// A signal fell, or the device was lost.
    changed: Condvar,
}
/// Signals that somebody wants to be called back for, each with his number.
#[derive(Default)]
struct Watched {
    signals: Vec<(usize, u64)>,
    closed: bool,
}
impl Gpu {
    pub(crate) fn new(queues: usize) -> Self {
        Self {
            memory: (0..WORDS).map(|_| AtomicU64::new(0)).collect(),
            signals: (0..SIGNALS).map(|_| AtomicI64::new(0)).collect(),
            signals_made: AtomicU64::new(0),
            queues: (0..queues).map(|_| Ring::default()).collect(),
            lost: AtomicBool::new(false),
            watched: Mutex::default(),
            changed: Condvar::new(),
        }
    }
    pub(crate) fn words(&self) -> usize {
        self.memory.len()
    }
    pub(crate) fn read(&self, buffer: Buffer) -> u64 {
        self.memory[buffer.0].load(Ordering::Acquire)
    }
    pub(crate) fn write(&self, buffer: Buffer, word: u64) {
        self.memory[buffer.0].store(word, Ordering::Release);
    }
    pub(crate) fn signal(&self, index: usize) -> &AtomicI64 {
        &self.signals[index]
    }
    /// The next unused signal.
    pub(crate) fn make_signal(&self) -> Option<usize> {
        let index = self.signals_made.fetch_add(1, Ordering::Relaxed) as usize;
        (index < self.signals.len()).then_some(index)
    }
    /// A packet processor: runs the packets of one queue until it is closed, or the device is lost.
    pub(crate) fn process(&self, queue: usize) {
        while let Some(command) = self.queues[queue].next() {
            for wait in command.waits.into_iter().flatten() {
                self.wait_while(|| self.signals[wait].load(Ordering::Acquire) != 0);
            }
            match command.kernel {
                Some(Kernel::Set { buffer, value }) => {
                    self.memory[buffer.0].store(value, Ordering::Relaxed);
                }
                Some(Kernel::AddFrom { from, to }) => {
                    let value = self.memory[from.0].load(Ordering::Relaxed);
                    self.memory[to.0].fetch_add(value, Ordering::Relaxed);
                }
                Some(Kernel::Await { buffer }) => self.wait_while(|| self.read(buffer) == 0),
                None => {}
            }
            if self.is_lost() {
                return; // nothing is seen to finish any more
            }
            if let Some(signal) = command.completes {
                self.signals[signal].fetch_sub(1, Ordering::Release);
                self.tell();
            }
        }
    }
    fn wait_while(&self, busy: impl Fn() -> bool) {
        while busy() && !self.is_lost() {
            std::thread::yield_now();
        }
    }
    /// Falls off the bus.
    pub(crate) fn lose(&self) {
        self.lost.store(true, Ordering::Release);
        self.tell();
    }
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }
    /// Wakes who sleeps. Under the lock, so that nobody goes to sleep between his last look and this.
    pub(crate) fn tell(&self) {
        drop(self.watched());
        self.changed.notify_all();
    }
    /// Sleeps until this holds, at most so long.
    pub(crate) fn sleep_until(&self, limit: Duration, holds: impl Fn() -> bool) {
        let woken = self.changed.wait_timeout_while(self.watched(), limit, |_| !holds());
        drop(woken.expect(NO_PANIC));
    }
    /// Calls back with `number` once the signal is below 1, or the device is lost.
    pub(crate) fn watch(&self, signal: usize, number: u64) {
        self.watched().signals.push((signal, number));
        self.tell();
    }
    /// The callback thread: until everything is closed.
    pub(crate) fn call_back(&self, report: impl Fn(u64)) {
        let mut watched = self.watched();
        loop {
            let is_due = |&mut (signal, _): &mut (usize, u64)| {
                self.is_lost() || self.signals[signal].load(Ordering::Acquire) < 1
            };
            let due: Vec<_> = watched.signals.extract_if(.., is_due).collect();
            if !due.is_empty() {
                drop(watched); // whoever is called may watch another one
                due.into_iter().for_each(|(_, number)| report(number));
                watched = self.watched();
            } else if watched.closed {
                return;
            } else {
                watched = self.changed.wait(watched).expect(NO_PANIC);
            }
        }
    }
    pub(crate) fn close(&self) {
        self.queues.iter().for_each(Ring::close);
        self.watched().closed = true;
        self.tell();
    }
    fn watched(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().expect(NO_PANIC)
    }
}
const NO_PANIC: &str = "nobody panics with it";

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
    fn close(&self) {
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
