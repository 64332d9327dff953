//! For every rule the smallest sequence that breaks exactly that rule, and its legal twin.

mod calls;
mod captures;
mod counts;
mod idle;
mod leases;
mod memory;
mod order;

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus, StreamState, StreamWait},
    error::{DriverCode, DriverError},
    id::*,
};

use super::*;
use crate::streams::seen::*;

pub(super) const RAW: RawStream = RawStream::new(0x10);
pub(super) const OTHER: RawStream = RawStream::new(0x20);
pub(super) const DISPOSAL: RawStream = RawStream::new(0x90);
pub(super) const WORD: RawProgress = RawProgress::new(0x71);
pub(super) const EVENT: RawEvent = RawEvent::new(0x51);
pub(super) const MEMORY: RawMemory = RawMemory::new(0xa0);
pub(super) const BUFFER: BufferId = BufferId::new(1);
pub(super) const MAIN: ThreadId = ThreadId::new(0);
pub(super) const SECOND: ThreadId = ThreadId::new(1);

pub(super) fn key() -> StreamKey {
    StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
}
pub(super) fn lease(name: u32) -> LeaseName {
    LeaseName::new(name)
}
pub(super) fn task(name: u32) -> TaskName {
    TaskName::new(name)
}
/// Tenancy `generation` of stream `id`.
pub(super) fn stamp(id: u32, generation: u32) -> StreamRef {
    StreamRef::new(PoolId::new(0), StreamId::new(id), Generation::new(generation))
}
pub(super) fn bad() -> DriverError {
    DriverError::Bad(DriverCode::new(719))
}
pub(super) fn refused() -> DriverError {
    DriverError::CaptureConflict(DriverCode::new(900))
}
pub(super) fn writes(memory: RawMemory) -> Touches {
    Touches { writes: vec![memory], ..Touches::default() }
}
pub(super) fn reads(memory: RawMemory) -> Touches {
    Touches { reads: vec![memory], ..Touches::default() }
}

/// An oracle, and who speaks to it: the library with a guard and the locks that each call needs.
pub(super) struct Bench {
    pub(super) oracle: StreamOracle,
    pub(super) ops: u32,
    pub(super) at: Circumstance,
}
impl Bench {
    /// A pool that keeps two idle streams.
    pub(super) fn new() -> Self {
        let mut bench = Self::without_cap();
        bench.say(Declaration::Pool { idle_cap: 2 });
        bench
    }
    /// A policy that T2 does not speak of.
    pub(super) fn without_cap() -> Self {
        let mode = CaptureMode::Global;
        let caller = Caller::Library;
        let at = Circumstance { caller, thread: MAIN, mode, locks: 0, stream_locks: 0 };
        Self { oracle: StreamOracle::new(), ops: 0, at }
    }
    pub(super) fn say(&mut self, said: Declaration) {
        self.oracle.see(&Seen::Host(said));
    }
    pub(super) fn moves(&mut self, moved: DeviceMove) {
        self.oracle.see(&Seen::Device(moved));
    }
    /// A call as it is.
    pub(super) fn bare(&mut self, call: Call) {
        let at = self.at;
        self.oracle.see(&Seen::Call(at, call));
    }
    /// A call with so many locks, so many of them of streams.
    pub(super) fn with_locks(&mut self, locks: u32, stream_locks: u32, call: Call) {
        let at = Circumstance { locks, stream_locks, ..self.at };
        self.oracle.see(&Seen::Call(at, call));
    }
    /// A call with the stream's lock.
    pub(super) fn held(&mut self, call: Call) {
        self.with_locks(1, 1, call);
    }
    /// A call of the user's own code.
    pub(super) fn user(&mut self, call: Call) {
        let at = Circumstance { caller: Caller::User, ..self.at };
        self.oracle.see(&Seen::Call(at, call));
    }
    /// What `calls` does, in relaxed mode.
    pub(super) fn relaxed(&mut self, calls: impl FnOnce(&mut Self)) {
        let before = self.at.mode;
        self.bare(Call::ExchangeMode { to: CaptureMode::Relaxed });
        self.at.mode = CaptureMode::Relaxed;
        calls(self);
        self.bare(Call::ExchangeMode { to: before });
        self.at.mode = before;
    }
    pub(super) fn create(&mut self, raw: RawStream) {
        self.bare(Call::Create { key: key(), outcome: Ok(raw) });
    }
    /// A stream with a progress word.
    pub(super) fn create_with_word(&mut self, raw: RawStream, word: RawProgress) {
        self.create(raw);
        self.bare(Call::OpenProgress { stream: raw, outcome: Some(word) });
    }
    pub(super) fn destroy(&mut self, raw: RawStream) {
        self.relaxed(|bench| bench.bare(Call::Destroy { stream: raw, outcome: Ok(()) }));
    }
    /// Lease `name` of task `name`.
    pub(super) fn lease(&mut self, name: u32, raw: RawStream, of: StreamRef) {
        self.lease_to(name, name, raw, of);
    }
    pub(super) fn lease_to(&mut self, name: u32, to: u32, raw: RawStream, stream: StreamRef) {
        let exclusive = Exclusive::Yes;
        let (lease, task, key) = (lease(name), task(to), key());
        self.say(Declaration::Leased { lease, task, key, raw, stream, exclusive });
    }
    pub(super) fn share(&mut self, name: u32, raw: RawStream, stream: StreamRef) {
        let exclusive = Exclusive::No;
        let (lease, task, key) = (lease(name), task(name), key());
        self.say(Declaration::Leased { lease, task, key, raw, stream, exclusive });
    }
    pub(super) fn release(&mut self, name: u32) {
        self.say(Declaration::Released { lease: lease(name) });
    }
    /// One stream, created and leased to task 1.
    pub(super) fn leased() -> Self {
        let mut bench = Self::new();
        bench.create(RAW);
        bench.lease(1, RAW, stamp(0, 0));
        bench
    }
    /// Two streams, leased to tasks 1 and 2.
    pub(super) fn two() -> Self {
        let mut bench = Self::leased();
        bench.create(OTHER);
        bench.lease(2, OTHER, stamp(1, 0));
        bench
    }
    pub(super) fn next_op(&mut self) -> OpId {
        self.ops += 1;
        OpId::new(self.ops)
    }
    pub(super) fn launch(&mut self, raw: RawStream, touches: Touches) -> OpId {
        let op = self.next_op();
        let (stream, op, recorded, outcome) = (raw, Some(op), false, Ok(()));
        self.bare(Call::Launch { stream, op, touches, recorded, outcome });
        op.expect("named above")
    }
    pub(super) fn work(&mut self, raw: RawStream) -> OpId {
        self.launch(raw, Touches::default())
    }
    /// A launch by the user's own code.
    pub(super) fn raw_work(&mut self, raw: RawStream) -> OpId {
        self.at.caller = Caller::User;
        let op = self.work(raw);
        self.at.caller = Caller::Library;
        op
    }
    pub(super) fn node(&mut self, raw: RawStream) -> OpId {
        let op = self.next_op();
        let (stream, touches, recorded) = (raw, Touches::default(), true);
        let outcome = Ok(());
        self.bare(Call::Launch { stream, op: Some(op), touches, recorded, outcome });
        op
    }
    pub(super) fn finish(&mut self, op: OpId) {
        self.moves(DeviceMove::Finished(op));
    }
    pub(super) fn mark(&mut self, raw: RawStream, word: RawProgress, position: u64) -> OpId {
        let op = self.next_op();
        let (stream, position) = (raw, Position::new(position));
        let (op, captured, outcome) = (Some(op), false, Ok(()));
        self.held(Call::Mark { stream, word, position, op, captured, outcome });
        op.expect("named above")
    }
    pub(super) fn record(&mut self, event: RawEvent, stream: RawStream) {
        self.held(Call::Record { event, stream, captured: false, outcome: Ok(()) });
    }
    pub(super) fn wait(&mut self, stream: RawStream, event: RawEvent, after: &[OpId]) {
        let after = after.to_vec();
        self.held(Call::Wait { stream, event, after, outcome: Ok(()) });
    }
    pub(super) fn status(&mut self, stream: RawStream, outcome: CaptureStatus) {
        self.bare(Call::Status { stream, outcome });
    }
    pub(super) fn query(&mut self, stream: RawStream, outcome: StreamState) {
        self.status(stream, CaptureStatus::None);
        self.relaxed(|bench| bench.bare(Call::Query { stream, outcome, invalidated: vec![] }));
    }
    pub(super) fn begin_capture(&mut self, stream: RawStream) {
        let mode = CaptureMode::ThreadLocal;
        self.held(Call::BeginCapture { stream, mode, outcome: Ok(()) });
    }
    pub(super) fn end_capture(&mut self, stream: RawStream, ops: &[OpId]) {
        let (outcome, ops) = (Ok(RawGraph::new(1)), ops.to_vec());
        self.held(Call::EndCapture { stream, outcome, ops });
    }
    pub(super) fn allocate(&mut self, stream: RawStream) {
        let (bytes, outcome) = (Bytes::new(64), Ok(MEMORY));
        self.relaxed(|bench| bench.bare(Call::Allocate { bytes, stream, outcome }));
    }
    pub(super) fn free(&mut self, stream: RawStream) -> OpId {
        let op = self.next_op();
        let (memory, recorded, outcome) = (MEMORY, false, Ok(()));
        let call = Call::Free { memory, stream, op: Some(op), recorded, outcome };
        self.relaxed(|bench| bench.held(call));
        op
    }
    pub(super) fn rules(&self) -> Vec<StreamRule> {
        self.oracle.violations().iter().map(|violation| violation.rule).collect()
    }
    #[track_caller]
    pub(super) fn broke(&self, rule: StreamRule) {
        assert_eq!(self.rules(), [rule], "{:#?}", self.oracle.violations());
    }
    #[track_caller]
    pub(super) fn broke_nothing(&self) {
        assert_eq!(self.oracle.violations(), []);
    }
    /// The run ends; it must be clean.
    #[track_caller]
    pub(super) fn ends_well(&mut self) {
        self.say(Declaration::End);
        self.broke_nothing();
    }
}

#[test]
fn a_report_names_the_rule_the_object_and_what_led_there() {
    let mut bench = Bench::leased();
    bench.lease(2, RAW, stamp(0, 1));
    let found = &bench.oracle.violations()[0];
    assert_eq!(
        found.to_string(),
        "T1 broken: s0 (stream 0x10) is handed to task 2 while lease 1 has it"
    );
    assert_eq!(found.trace.len(), 4);
    assert!(found.trace[3].starts_with("4: Host(Leased { lease: lease 2"), "{:?}", found.trace);
}

#[test]
fn names_of_rules_are_read_back() {
    assert_eq!(StreamRule::ALL.len(), 13);
    for &rule in StreamRule::ALL {
        assert_eq!(rule.name().parse(), Ok(rule));
        assert!(rule.summary().ends_with('.') && !rule.summary().starts_with(' '));
    }
    let no: Result<StreamRule, _> = "T14".parse();
    assert_eq!(
        no.expect_err("13 rules").to_string(),
        "`T14` is no rule of the streams half; they are T1 to T13"
    );
}

#[test]
fn a_long_run_is_not_remembered() {
    let mut bench = Bench::new();
    bench.create_with_word(RAW, WORD);
    bench.create(DISPOSAL);
    let mut after_the_first = 0;
    for turn in 0..3_000_u32 {
        let of = stamp(0, turn);
        bench.say(Declaration::AcquireBegins { task: task(turn), key: key() });
        bench.lease(turn, RAW, of);
        bench.say(Declaration::AcquireEnded { task: task(turn) });
        bench.allocate(RAW);
        let work = bench.launch(RAW, writes(MEMORY));
        let mark = bench.mark(RAW, WORD, u64::from(turn) + 1);
        bench.record(EVENT, RAW);
        bench.wait(DISPOSAL, EVENT, &[work]);
        bench.say(Declaration::Retired { memory: MEMORY });
        let free = bench.free(DISPOSAL);
        bench.say(Declaration::DropBegins);
        bench.release(turn);
        bench.say(Declaration::DropEnded);
        bench.say(Declaration::TaskEnded { task: task(turn) });
        [work, mark, free].into_iter().for_each(|op| bench.finish(op));
        if turn == 1_500 {
            after_the_first = bench.oracle.remembered();
        }
    }
    assert_eq!(bench.oracle.remembered(), after_the_first);
    bench.ends_well();
}
