//! What the streams half of the suite needs of a backend, beyond the traits.

use std::{fmt::Debug, panic::resume_unwind, thread, time::Duration};

use ringfence::{
    backend::streams::{StreamBackend, StreamWork},
    id::{RawMemory, RawStream, StreamKey},
};

use super::{super::Lists, StreamFacts};

/// Work of a subject's backend.
pub type WorkOf<S> = <<S as StreamSubject>::Backend as StreamWork>::Work;
/// Where a subject's work reads and writes.
pub type SpotOf<S> = Spot<<S as StreamSubject>::Cell>;

/// Where work reads and writes one word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Spot<C> {
    /// A word that the host sees too.
    Cell(C),
    /// The first word of memory that was allocated in a stream's order. Work alone sees it.
    Memory(RawMemory),
}

/// Whether memory was freed, as far as the subject can tell past the traits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Freed {
    /// It was: it may be given to somebody else.
    Yes,
    /// Not yet.
    No,
    /// The subject cannot tell.
    Unknown,
}

/// Whether a subject could bring something about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Brought {
    /// It did.
    About,
    /// It cannot. The facts say so too.
    Nothing,
}

/// One backend of streams with its driver, started for one test or for many.
///
/// Real drivers run by themselves, in real time; others have a virtual clock and are to be driven. What waits
/// here hides the difference: no test sleeps, and each wait has a limit. Work of two streams may share a
/// hardware queue, so that a closed gate on one holds up the other: tests rely on no more streams beside each
/// other than [`StreamFacts::independent`] says.
pub trait StreamSubject: Sized + Debug + Sync + 'static {
    /// The backend under test.
    type Backend: StreamBackend + StreamWork<Work: Send> + Debug + Send + Sync + 'static;
    /// A word that work writes and the host reads: pinned host memory.
    type Cell: Copy + PartialEq + Debug + Send + Sync + 'static;
    /// What holds work up until the host opens it.
    type Gate: Debug + Send + Sync + 'static;

    /// The backend. The same one at each call.
    fn backend(&self) -> &Self::Backend;
    /// The usual kind of stream: non-blocking, of normal priority.
    fn key(&self) -> StreamKey;
    /// What is true of the driver.
    fn facts(&self) -> StreamFacts;
    /// What is known not to pass.
    fn lists(&self) -> Lists;

    /// A new word with 0. It is not given out again.
    fn cell(&self) -> Self::Cell;
    /// The word as the host sees it now: a load, which waits for nothing and calls no driver.
    fn read(&self, cell: Self::Cell) -> u32;
    /// The host stores into the word; work that is submitted, or launched with a graph, after this sees it.
    fn store(&self, cell: Self::Cell, value: u32);
    /// Work that writes `value`. In a capture it becomes part of the graph.
    fn set(&self, to: SpotOf<Self>, value: u32) -> WorkOf<Self>;
    /// Work that reads one word when it runs, and writes it to another place. In a capture it becomes part of
    /// the graph.
    fn copy(&self, from: SpotOf<Self>, to: SpotOf<Self>) -> WorkOf<Self>;
    /// Work that submits what [`set`](Self::set) does, and then fails.
    fn failing_set(&self, to: SpotOf<Self>, value: u32) -> WorkOf<Self>;

    /// A new gate, closed.
    fn gate(&self) -> Self::Gate;
    /// Work that is not finished before the gate is open. A gate is for one such work; a stream has at most
    /// one closed gate, and no capture has any.
    fn hold(&self, gate: &Self::Gate) -> WorkOf<Self>;
    /// Opens a gate. It may be open already.
    fn open(&self, gate: &Self::Gate);

    /// Time since some start: virtual, where the clock is.
    fn now(&self) -> Duration;
    /// Lets the device go on until `condition` holds, at most so long. Whether it held.
    fn settle(&self, limit: Duration, condition: impl FnMut() -> bool) -> bool;
    /// Runs something on another thread, which the driver has not seen before, and waits for its end.
    fn elsewhere<T: Send>(&self, act: impl FnOnce() -> T + Send) -> T {
        thread::scope(|scope| scope.spawn(act).join().unwrap_or_else(|panic| resume_unwind(panic)))
    }
    /// Runs something on so many threads at once, each with its number. The answers, in order.
    fn together<T: Send>(&self, threads: usize, act: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let act = &act;
        thread::scope(|scope| {
            let all: Vec<_> = (0..threads).map(|number| scope.spawn(move || act(number))).collect();
            all.into_iter()
                .map(|one| one.join().unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        })
    }

    /// Whether the driver has freed this memory, which it gave out and nobody asked to be given out again.
    fn freed(&self, memory: RawMemory) -> Freed;
    /// Memory that no stream's order knows of (`hipMalloc`), where [`StreamFacts::plain_memory`] says that it
    /// can be had.
    fn plain_memory(&self) -> Option<RawMemory>;
    /// Puts a stream in error for good, with all its work finished.
    fn spoil(&self, stream: RawStream) -> Brought;
    /// Has the device lost, as far as the backend is concerned.
    fn lose(&self) -> Brought;

    /// What would have killed or hung a process, or broken a rule that the backend's own judge knows.
    fn violations(&self) -> Vec<String>;
}
