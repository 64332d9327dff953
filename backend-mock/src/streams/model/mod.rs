//! The driver and its device as a pure value: no thread, no clock, no lock. Time moves when it is told
//! to, or when a call waits.
//!
//! A crash of the real driver is an outcome here: it is written down, and the call returns an error.

mod ask;
mod capture;
mod capture_end;
pub(crate) mod code;
mod device;
mod events;
mod faults;
mod graphs;
mod memory;
mod pace;
mod parts;
mod streams;
mod threads;
mod work;

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, VecDeque},
    num::NonZeroU32,
    time::Duration,
};

use ringfence::{
    backend::streams::{CaptureMode, DriverState},
    error::DriverError,
    id::{RawEvent, RawGraph, RawMemory, RawProgress, RawStream},
};

use super::{
    counts::{CallKind, StreamCounts},
    profile::{DriverProfile, DriverRules, StreamCosts},
    seen::{DeviceMove, OpId, ThreadId},
};
use crate::clock::Ticks;
pub use capture::CaptureId;
pub use memory::MemoryState;
pub use pace::Moving;
use pace::Pace;
use parts::{Capture, Event, Graph, Memory, Op, Queue, Stream, Thread, Word};

/// What a call that may be refused because of captures brought, and whose captures it broke.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub struct Asked<T> {
    /// The answer.
    pub answer: T,
    /// Streams whose capture the call invalidated.
    pub invalidated: Vec<RawStream>,
}
impl<T> Asked<T> {
    fn plain(answer: T) -> Self {
        Self { answer, invalidated: Vec::new() }
    }
}

/// What became of something that was submitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub struct Submitted {
    /// Its name; `None`: it was done at once.
    pub op: Option<OpId>,
    /// Where it went.
    pub place: Place,
}
/// Where something that was submitted went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// To the device.
    Device,
    /// Into a graph: it does not run.
    Graph,
}

/// The driver, its device, and all threads of the process.
#[derive(Clone, Debug)]
pub struct Model {
    profile: DriverProfile,
    rules: DriverRules,
    costs: StreamCosts,
    queues_per_class: NonZeroU32,
    live_limit: Option<NonZeroU32>,
    pace: Pace,
    now: u64,
    state: DriverState,
    streams: BTreeMap<RawStream, Stream>,
    spare_handles: Vec<RawStream>,
    next_handle: u64,
    next_serial: u64,
    queues: Vec<Queue>,
    ops: BTreeMap<OpId, Op>,
    next_op: u32,
    threads: BTreeMap<ThreadId, Thread>,
    captures: BTreeMap<CaptureId, Capture>,
    next_capture: u32,
    global: Vec<CaptureId>,
    open: Vec<CaptureId>,
    events: BTreeMap<RawEvent, Event>,
    spare_events: Vec<RawEvent>,
    graphs: BTreeMap<RawGraph, Graph>,
    memory: BTreeMap<RawMemory, Memory>,
    words: BTreeMap<RawProgress, Word>,
    next_name: u64,
    faults: VecDeque<(CallKind, u64, DriverError)>,
    host_functions: Vec<OpId>,
    counts: StreamCounts,
    moves: Vec<DeviceMove>,
    crashes: Vec<String>,
}

impl Model {
    /// A driver of this profile, without streams.
    pub fn new(profile: DriverProfile) -> Self {
        Self {
            profile,
            rules: profile.rules(),
            costs: profile.costs(),
            queues_per_class: profile.queues(),
            live_limit: profile.live_limit(),
            pace: Pace::Timed,
            now: 0,
            state: DriverState::Ready,
            streams: BTreeMap::new(),
            spare_handles: Vec::new(),
            next_handle: 0x7f00_0000_1000,
            next_serial: 0,
            queues: Vec::new(),
            ops: BTreeMap::new(),
            next_op: 0,
            threads: BTreeMap::new(),
            captures: BTreeMap::new(),
            next_capture: 0,
            global: Vec::new(),
            open: Vec::new(),
            events: BTreeMap::new(),
            spare_events: Vec::new(),
            graphs: BTreeMap::new(),
            memory: BTreeMap::new(),
            words: BTreeMap::new(),
            next_name: 0,
            faults: VecDeque::new(),
            host_functions: Vec::new(),
            counts: StreamCounts::default(),
            moves: Vec::new(),
            crashes: Vec::new(),
        }
    }
    /// Other hardware queues for each priority class than the profile has.
    pub fn set_queues(&mut self, queues: NonZeroU32) {
        self.queues_per_class = queues;
    }
    /// A creation is under way from here on, until [`creation_ends`](Self::creation_ends).
    pub fn creation_begins(&mut self) {
        self.counts.creating += 1;
        self.counts.peak_creating = self.counts.peak_creating.max(self.counts.creating);
    }
    /// A creation is over.
    pub fn creation_ends(&mut self) {
        self.counts.creating -= 1;
    }
    /// Its profile.
    pub const fn profile(&self) -> DriverProfile {
        self.profile
    }
    /// Virtual time.
    pub const fn now(&self) -> Ticks {
        Ticks::new(self.now)
    }
    /// Whether it may be called.
    pub const fn state(&self) -> DriverState {
        self.state
    }
    /// What was done so far.
    pub const fn counts(&self) -> &StreamCounts {
        &self.counts
    }
    /// How many things it keeps: streams, work, captures, events, graphs, memory, words, handles.
    pub fn footprint(&self) -> usize {
        let lists = [self.spare_handles.len(), self.spare_events.len(), self.queues.len()];
        let captures = [self.captures.len(), self.global.len(), self.open.len()];
        let things = [self.streams.len(), self.ops.len(), self.events.len(), self.graphs.len()];
        let others = [self.memory.len(), self.words.len(), self.faults.len(), self.moves.len()];
        let all = lists.iter().chain(&captures).chain(&things).chain(&others);
        all.sum()
    }
    /// Everything so far that would have killed or hung the process.
    pub fn crashes(&self) -> &[String] {
        &self.crashes
    }
    /// Host functions that ran, in order.
    pub fn host_functions(&self) -> &[OpId] {
        &self.host_functions
    }
    /// What the device did since this was last asked.
    pub fn take_moves(&mut self) -> Vec<DeviceMove> {
        std::mem::take(&mut self.moves)
    }
    /// The capture mode of a thread.
    pub fn mode(&self, thread: ThreadId) -> CaptureMode {
        self.threads.get(&thread).map_or(CaptureMode::Global, |known| known.mode)
    }

    /// Every call begins here: it is counted, costs its time, and fails where a fault says so.
    fn enter(&mut self, by: ThreadId, kind: CallKind) -> Result<(), DriverError> {
        self.may_move();
        self.counts.called(kind);
        let cost = self.costs.call(kind);
        self.pay(by, cost);
        match self.state {
            DriverState::Ready => {}
            DriverState::Lost => return Err(self.fails(by, code::LOST)),
            DriverState::Forked => {
                self.crash(format!("{kind:?} in a forked child: the call hangs"));
                return Err(code::DEINITIALIZED);
            }
            DriverState::ShuttingDown => {
                self.crash(format!("{kind:?} while the process exits"));
                return Err(code::DEINITIALIZED);
            }
        }
        match self.planned_fault(kind) {
            None => Ok(()),
            Some(error) => Err(self.fails(by, error)),
        }
    }
    fn pay(&mut self, by: ThreadId, cost: Duration) {
        self.counts.call_time += cost;
        self.thread(by).account += cost;
    }
    fn crash(&mut self, what: String) {
        self.crashes.push(what);
    }
    fn thread(&mut self, by: ThreadId) -> &mut Thread {
        self.threads.entry(by).or_default()
    }
    /// A name that was never given before.
    fn fresh_name(&mut self) -> u64 {
        self.next_name += 1;
        self.next_name
    }
    fn fresh_op(&mut self) -> OpId {
        let op = OpId::new(self.next_op);
        self.next_op = self.next_op.checked_add(1).expect("32-bit names of operations");
        op
    }
    /// Whether this piece of work is finished. Nodes of graphs count as finished.
    fn finished(&self, op: OpId) -> bool {
        !self.ops.contains_key(&op)
    }
}
