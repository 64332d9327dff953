//! The "GPU" and its driver: streams, events, graphs, memory in a stream's order, and one thread that
//! runs it all. A stand-in for HIP or CUDA; nothing here knows of Ringfence.

use std::{
    collections::VecDeque,
    sync::{
        Condvar, Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// What the GPU can run. Memory is one number for each address.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kernel {
    Set { to: usize, value: u64 },
    Add { from: usize, to: usize },
}
/// What a stream's queue holds.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    Run(Kernel),
    Graph(Vec<Kernel>),
    /// All before it is finished.
    Record(Recording),
    /// Goes on when that was reached, whatever its event recorded since.
    Wait(Recording),
    /// Writes a progress word in host memory.
    Mark {
        word: usize,
        position: u64,
    },
    Free(usize),
}

/// Streams that can ever be created.
const STREAMS: usize = 64;

#[derive(Default)]
pub(crate) struct Stream {
    queue: VecDeque<Command>,
    /// While it captures: what was recorded so far.
    pub(crate) captured: Option<Vec<Kernel>>,
}
/// One recording of an event: its number among all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Recording(usize);

#[derive(Default)]
pub(crate) struct State {
    pub(crate) streams: Vec<Stream>,
    /// What each event recorded last.
    pub(crate) events: Vec<Option<Recording>>,
    /// Whether each recording was reached.
    reached: Vec<bool>,
    pub(crate) graphs: Vec<Option<Vec<Kernel>>>,
    /// `None`: never allocated, or freed.
    memory: Vec<Option<u64>>,
    /// Kernels that touched memory which was not theirs any more.
    faults: u64,
    closed: bool,
}
impl State {
    pub(crate) fn is_idle(&self, stream: usize) -> bool {
        self.streams[stream].queue.is_empty()
    }
    pub(crate) fn record(&mut self, event: usize) -> Recording {
        let recording = Recording(self.reached.len());
        self.reached.push(false);
        self.events[event] = Some(recording);
        recording
    }
    /// What was never recorded is finished.
    pub(crate) fn is_reached(&self, recording: Option<Recording>) -> bool {
        recording.is_none_or(|recording| self.reached[recording.0])
    }
    pub(crate) fn allocate(&mut self) -> usize {
        let free = self.memory.iter().position(Option::is_none);
        let at = free.unwrap_or(self.memory.len());
        self.memory.resize(self.memory.len().max(at + 1), None);
        self.memory[at] = Some(0);
        at
    }
    fn run(&mut self, kernel: Kernel) {
        let (to, value) = match kernel {
            Kernel::Set { to, value } => (to, Some(value)),
            Kernel::Add { from, to } => {
                let sum = self.memory[from].zip(self.memory[to]);
                (to, sum.map(|(from, to)| from + to))
            }
        };
        match (&mut self.memory[to], value) {
            (Some(cell), Some(value)) => *cell = value,
            _ => self.faults += 1,
        }
    }
}

pub(crate) struct Gpu {
    state: Mutex<State>,
    changed: Condvar,
    words: [AtomicU64; STREAMS],
}
impl Gpu {
    pub(crate) fn new() -> Self {
        let words = [const { AtomicU64::new(0) }; STREAMS];
        Self { state: Mutex::default(), changed: Condvar::new(), words }
    }
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics with the driver locked")
    }
    /// `None`: there are too many.
    pub(crate) fn new_stream(&self) -> Option<usize> {
        let mut state = self.lock();
        state.streams.push(Stream::default());
        (state.streams.len() <= STREAMS).then(|| state.streams.len() - 1)
    }
    pub(crate) fn submit(&self, stream: usize, command: Command) {
        self.lock().streams[stream].queue.push_back(command);
        self.changed.notify_all();
    }
    pub(crate) fn word(&self, word: usize) -> u64 {
        self.words[word].load(Ordering::Acquire)
    }
    /// Waits on the host. Answers whether it was true before the limit.
    pub(crate) fn wait(&self, limit: Duration, until: impl Fn(&State) -> bool) -> bool {
        let waiting = self.changed.wait_timeout_while(self.lock(), limit, |state| !until(state));
        !waiting.expect("nobody panics with the driver locked").1.timed_out()
    }
    /// Waits for everything that was submitted.
    pub(crate) fn finish(&self, limit: Duration) -> bool {
        self.wait(limit, |state| state.streams.iter().all(|stream| stream.queue.is_empty()))
    }
    pub(crate) fn read(&self, address: usize) -> Option<u64> {
        self.lock().memory[address]
    }
    pub(crate) fn faults(&self) -> u64 {
        self.lock().faults
    }
    pub(crate) fn allocations(&self) -> usize {
        self.lock().memory.iter().flatten().count()
    }
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// The device: takes one command of each stream in turn, until it is closed.
    pub(crate) fn process(&self) {
        loop {
            let mut state = self.lock();
            let streams = state.streams.len();
            let ran = (0..streams).filter(|&stream| self.step(&mut state, stream)).count();
            if ran > 0 {
                self.changed.notify_all();
                drop(state);
                std::thread::yield_now();
            } else if state.closed {
                return;
            } else {
                drop(self.changed.wait(state).expect("nobody panics with the driver locked"));
            }
        }
    }
    /// Answers whether the stream got on.
    fn step(&self, state: &mut State, stream: usize) -> bool {
        match state.streams[stream].queue.front().cloned() {
            None => return false,
            Some(Command::Wait(recording)) if !state.is_reached(Some(recording)) => return false,
            Some(Command::Wait(_)) => {}
            Some(Command::Run(kernel)) => state.run(kernel),
            Some(Command::Graph(kernels)) => kernels.into_iter().for_each(|one| state.run(one)),
            Some(Command::Record(recording)) => state.reached[recording.0] = true,
            Some(Command::Mark { word, position }) => {
                self.words[word].store(position, Ordering::Release);
            }
            Some(Command::Free(address)) => state.memory[address] = None,
        }
        state.streams[stream].queue.pop_front();
        true
    }
}
