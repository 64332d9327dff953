//! Checks the rules of streams at the host's step (lease, wait, free, destroy), not at their
//! consequences: a stream that is handed out on a lucky guess is as wrong as one that is handed out too
//! early.
//!
//! The oracle keeps an account of its own, from driver calls, device moves and what the host says of
//! itself. It shares no code with the library's pool, stamps, leases or drive: an independent reading of
//! the same rules. One step breaks at most one rule, the one that explains it best: a stream that was
//! handed out while it captures is T9, whatever work is recorded on it.
//!
//! What the runner of a test must say, and when:
//! - `Pool`, first, where T2 is to be judged: baselines that destroy or create at will leave it out.
//! - `Released` before the lease is dropped, `Retired` before memory is given up, `Leased` as soon as the
//!   library returned.
//! - `TrimBegins` before a shutdown that destroys idle streams; `ShutDown` when it is over.
//! - In a run with several OS threads, `AtOnce`, and `On` around every declaration.
//!
//! One oracle judges one pool: a stream's identity alone names it.

mod calls;
mod captures;
mod clock;
mod conduct;
mod events;
mod handover;
mod host;
mod idle;
mod memory;
mod order;
mod rule;
mod stream;
mod tenancy;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ringfence::id::{RawEvent, RawMemory, RawProgress, RawStream, StreamId, StreamKey};

use super::seen::{BufferId, LeaseName, OpId, Seen, TaskName, ThreadId};
use captures::{Capture, CaptureNumber};
use conduct::Thread;
use events::{Event, Word};
use host::{Bracket, Epilogue};
use idle::Shelf;
use memory::{Freed, Memory, MemoryNumber};
use order::Op;
use stream::{Life, Stream};
use tenancy::{Identity, Lease, Place};

pub use rule::{NoSuchStreamRule, StreamRule};

/// How many violations are kept in full; later ones are counted.
const KEPT: usize = 64;
/// How many things that happened are kept for a report.
const TRACE: usize = 32;

/// A rule of the streams half was broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StreamViolation {
    /// Which.
    pub rule: StreamRule,
    /// What happened, to which object.
    pub what: String,
    /// The last things that happened, oldest first, each with the number of its step.
    pub trace: Vec<String>,
}
impl std::fmt::Display for StreamViolation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} broken: {}", self.rule, self.what)
    }
}

/// What a check found: the rule and what happened.
type Broken = Option<(StreamRule, String)>;

/// The number of a thing that happened, from 1.
type Step = u64;

/// Whether several OS threads run at once, so that what one says may be seen after what another did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Pace {
    #[default]
    OneByOne,
    AtOnce,
}

/// The oracle's account of one run.
///
/// ```
/// use ringfence_mock::streams::{oracle::StreamOracle, seen::{Declaration, Seen}};
/// let mut oracle = StreamOracle::new();
/// oracle.see(&Seen::Host(Declaration::End));
/// assert!(oracle.violations().is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct StreamOracle {
    step: Step,
    pace: Pace,
    streams: BTreeMap<Life, Stream>,
    by_raw: BTreeMap<RawStream, Life>,
    lives: u64,
    /// Handles that were destroyed behind the library's back.
    taken: BTreeSet<RawStream>,
    identities: BTreeMap<StreamId, Identity>,
    leases: BTreeMap<LeaseName, Lease>,
    places: BTreeMap<(TaskName, StreamKey), Place>,
    ops: BTreeMap<OpId, Op>,
    memory: BTreeMap<MemoryNumber, Memory>,
    addresses: BTreeMap<RawMemory, MemoryNumber>,
    memories: u64,
    last_freed: Freed,
    buffers: BTreeMap<BufferId, BTreeSet<OpId>>,
    events: BTreeMap<RawEvent, Event>,
    words: BTreeMap<RawProgress, Word>,
    /// Streams of which work finished since the last call or declaration: during the present call, of which
    /// nobody can have known when it was made.
    just_finished: BTreeSet<Life>,
    captures: BTreeMap<CaptureNumber, Capture>,
    threads: BTreeMap<ThreadId, Thread>,
    brackets: BTreeMap<Option<ThreadId>, Bracket>,
    submitting: Option<LeaseName>,
    epilogue: Epilogue,
    idle_cap: Option<u32>,
    shelves: BTreeMap<StreamKey, Shelf>,
    trims: u32,
    last_trim: Step,
    shared: u64,
    foreign_nodes: u64,
    recent: VecDeque<(Step, Seen)>,
    found: Vec<StreamViolation>,
    count: u64,
}

impl StreamOracle {
    /// An oracle that saw nothing yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// One thing happened.
    pub fn see(&mut self, seen: &Seen) {
        self.step += 1;
        if self.recent.len() == TRACE {
            self.recent.pop_front();
        }
        self.recent.push_back((self.step, seen.clone()));
        let broken = match seen {
            Seen::Call(circumstance, call) => self.call(circumstance, call),
            Seen::Device(moved) => {
                self.device(moved);
                None
            }
            Seen::Host(said) => self.host(None, said),
        };
        if !matches!(seen, Seen::Device(_)) {
            self.just_finished.clear();
        }
        if let Some((rule, what)) = broken {
            self.report(rule, what);
        }
    }
    #[cold]
    fn report(&mut self, rule: StreamRule, what: String) {
        self.count += 1;
        if self.found.len() < KEPT {
            let trace = self.recent.iter().map(|(step, seen)| format!("{step}: {seen:?}"));
            self.found.push(StreamViolation { rule, what, trace: trace.collect() });
        }
    }
    /// The violations so far, oldest first, the first 64 in full.
    pub fn violations(&self) -> &[StreamViolation] {
        &self.found
    }
    /// How many violations there were.
    pub fn count(&self) -> u64 {
        self.count
    }
    /// Leases whose tasks shared a stream with another task's.
    pub fn shared(&self) -> u64 {
        self.shared
    }
    /// Nodes in a graph that somebody other than the capture's owner recorded.
    pub fn foreign_nodes(&self) -> u64 {
        self.foreign_nodes
    }
    /// How many things the account remembers, so that a long run can show that it does not grow: live
    /// objects and what is unfinished.
    pub fn remembered(&self) -> usize {
        self.streams.len()
            + self.identities.len()
            + self.leases.len()
            + self.places.len()
            + self.ops.len()
            + self.memory.len()
            + self.buffers.len()
            + self.events.len()
            + self.words.len()
            + self.captures.len()
            + self.brackets.len()
            + self.threads.len()
            + self.shelves.len()
    }

    /// The stream that a handle means now.
    fn stream(&self, raw: RawStream) -> Option<&Stream> {
        self.streams.get(self.by_raw.get(&raw)?)
    }
    fn stream_mut(&mut self, raw: RawStream) -> Option<&mut Stream> {
        self.streams.get_mut(self.by_raw.get(&raw)?)
    }
}
