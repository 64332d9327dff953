//! The rules M1-M20, each profile against what was tried or read. A row of letters is a combination as
//! the trials name it: the mode of the capture (G, T, R), whether the capturing thread (s) or another
//! one (o) calls, and the mode of the caller.

mod ends;
mod events;
mod life;
mod memory;
mod pace;
mod questions;
mod random;
mod time;
mod work;

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus, StreamState, StreamWait},
    id::{
        Bytes, DeviceContext, DeviceId, Position, Priority, RawEvent, RawMemory, RawStream,
        StreamFlags, StreamKey,
    },
};

use super::*;
use crate::streams::{
    op::StreamOp,
    profile::{DriverProfile as P, HostMemory},
};

const CAPTURER: ThreadId = ThreadId::new(1);
const OTHER: ThreadId = ThreadId::new(2);
const ALL_18: &str = "GsG GsT GsR GoG GoT GoR TsG TsT TsR ToG ToT ToR RsG RsT RsR RoG RoT RoR";
const NONE: &str = "";
const DEVICE: DeviceId = DeviceId::new(0);

fn key() -> StreamKey {
    StreamKey::new(DeviceContext::primary(DEVICE))
}
fn blocking() -> StreamKey {
    key().with_flags(StreamFlags::empty())
}

/// A model that settles after each call, as the shell does.
struct Bench {
    model: Model,
}
impl Bench {
    fn new(profile: P) -> Self {
        Self { model: Model::new(profile) }
    }
    fn call<T>(&mut self, call: impl FnOnce(&mut Model) -> T) -> T {
        let answer = call(&mut self.model);
        self.model.settle();
        answer
    }
    fn create(&mut self, key: StreamKey) -> RawStream {
        self.call(|model| model.create(CAPTURER, key)).expect("nothing fails it")
    }
    fn stream(&mut self) -> RawStream {
        self.create(key())
    }
    fn try_run(&mut self, stream: RawStream, ticks: u64) -> Result<Submitted, DriverError> {
        let work = StreamOp::new("work", Ticks::new(ticks));
        self.call(|model| model.launch(CAPTURER, stream, &work))
    }
    fn run(&mut self, stream: RawStream, ticks: u64) -> OpId {
        self.try_run(stream, ticks).expect("it is accepted").op.expect("work has a name")
    }
    fn endless(&mut self, stream: RawStream) {
        let work = StreamOp::endless("spin");
        let _ = self.call(|model| model.launch(CAPTURER, stream, &work)).expect("it is accepted");
    }
    fn begin(&mut self, stream: RawStream, mode: CaptureMode) {
        self.call(|model| model.begin_capture(CAPTURER, stream, mode)).expect("it is free");
    }
    fn end(&mut self, stream: RawStream) -> Result<usize, DriverError> {
        self.end_by(CAPTURER, stream)
    }
    /// With the number of nodes.
    fn end_by(&mut self, by: ThreadId, stream: RawStream) -> Result<usize, DriverError> {
        self.call(|model| model.end_capture(by, stream)).map(|(_, nodes)| nodes.len())
    }
    fn status(&mut self, stream: RawStream) -> CaptureStatus {
        self.call(|model| model.capture_status(OTHER, stream))
    }
    fn query(&mut self, stream: RawStream) -> StreamState {
        self.call(|model| model.query(OTHER, stream)).answer
    }
    fn event(&mut self) -> RawEvent {
        self.call(|model| model.create_event(CAPTURER)).expect("nothing fails it")
    }
    /// A new event that records the stream.
    fn recorded(&mut self, stream: RawStream) -> RawEvent {
        let event = self.event();
        let _ = self.call(|model| model.record(CAPTURER, event, stream)).expect("it is accepted");
        event
    }
    fn wait(&mut self, stream: RawStream, event: RawEvent) -> Result<(), DriverError> {
        self.call(|model| model.stream_wait(CAPTURER, stream, event)).map(drop)
    }
    /// `fork` joins the capture of `stream`.
    fn fork(&mut self, stream: RawStream) -> RawStream {
        let (fork, event) = (self.stream(), self.recorded(stream));
        self.wait(fork, event).expect("it joins");
        fork
    }
    fn join(&mut self, stream: RawStream, fork: RawStream) {
        let event = self.recorded(fork);
        self.wait(stream, event).expect("it comes back");
    }
    fn memory(&mut self, stream: RawStream) -> RawMemory {
        let bytes = Bytes::new(64);
        self.call(|model| model.allocate(CAPTURER, bytes, stream)).expect("nothing refuses it")
    }
    fn free(&mut self, memory: RawMemory, stream: RawStream) -> Result<Submitted, DriverError> {
        self.call(|model| model.free(CAPTURER, memory, stream))
    }
    fn tick(&mut self, ticks: u64) {
        self.model.tick(Ticks::new(ticks));
    }
    fn exists(&self, memory: RawMemory) -> bool {
        self.model.memory_state(memory) != MemoryState::Gone
    }
    fn crashed(&self) -> bool {
        !self.model.crashes().is_empty()
    }
}

fn mode_of(letter: char) -> CaptureMode {
    match letter {
        'G' => CaptureMode::Global,
        'T' => CaptureMode::ThreadLocal,
        _ => CaptureMode::Relaxed,
    }
}

/// The combinations in which `call` is refused, and those in which the capture is broken by it. `call`
/// gets the capturing stream, another stream and the caller, and says whether it was refused.
fn refusals(
    profile: P,
    mut call: impl FnMut(&mut Bench, RawStream, RawStream, ThreadId) -> bool,
) -> (String, String) {
    let (mut refused, mut broken) = (Vec::new(), Vec::new());
    for combination in ALL_18.split(' ') {
        let letters: Vec<char> = combination.chars().collect();
        let mut bench = Bench::new(profile);
        let (capturing, other) = (bench.stream(), bench.stream());
        bench.begin(capturing, mode_of(letters[0]));
        bench.run(capturing, 1);
        let caller = if letters[1] == 's' { CAPTURER } else { OTHER };
        bench.model.exchange_mode(caller, mode_of(letters[2]));
        if call(&mut bench, capturing, other, caller) {
            refused.push(combination);
        }
        match bench.status(capturing) {
            CaptureStatus::Invalidated => broken.push(combination),
            status => assert_eq!(status, CaptureStatus::Active, "{profile} {combination}"),
        }
        bench.model.exchange_mode(caller, CaptureMode::Global);
        let nodes = bench.end(capturing);
        assert_eq!(nodes.is_err(), broken.last() == Some(&combination), "{profile}: {nodes:?}");
    }
    (refused.join(" "), broken.join(" "))
}
