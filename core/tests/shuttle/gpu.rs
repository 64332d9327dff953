//! A device whose work is finished by a thread of its own, and which notes what is used again too early.
//!
//! It notes and does not panic: its calls come from destructors too, where a panic ends the process, and
//! from under locks of the library.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use ringfence::{
    backend::streams::{
        CaptureMode, CaptureStatus, Destruction, DriverState, StreamCapture, StreamDriver,
        StreamEvents, StreamFeatures, StreamMemory, StreamPlatform, StreamProgress, StreamState,
        StreamWait, StreamWork,
    },
    error::{DriverCode, DriverError},
    id::{
        Bytes, DeviceContext, Position, RawEvent, RawGraph, RawMemory, RawProgress, RawStream,
        StreamKey,
    },
    sync::audit,
};
use shuttle::rand::{Rng, thread_rng};

/// A task of the test.
pub(crate) type Task = u32;

#[derive(Debug)]
enum Work {
    Run(Option<u32>),
    Mark(Position),
    Free(RawMemory),
}
#[derive(Debug, Default)]
struct Stream {
    queue: VecDeque<Work>,
    word: Position,
    owner: Option<Task>,
    capturing: bool,
    destroyed: bool,
}
#[derive(Debug, Default)]
struct State {
    streams: Vec<Stream>,
    lost: bool,
    /// Host buffers that unfinished work uses. What a lost device had begun, it may still write to.
    in_use: BTreeSet<u32>,
    allocated: u64,
    freed: BTreeSet<RawMemory>,
    /// What should not have happened.
    faults: Vec<String>,
}
impl State {
    fn stream(&mut self, raw: RawStream) -> &mut Stream {
        &mut self.streams[number(raw)]
    }
    fn expect(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.faults.push(otherwise());
        }
    }
}

/// The device, and its driver. Its own lock is never held over a switch of threads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gpu(Arc<Mutex<State>>);

fn number(stream: RawStream) -> usize {
    (stream.as_u64() - 0x10) as usize
}
const LOST: DriverError = DriverError::DeviceLost(DriverCode::new(719));

impl Gpu {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// A task begins to use the stream, which has to be nobody's, and empty.
    pub(crate) fn enter(&self, raw: RawStream, task: Task) {
        let mut state = self.state();
        let owner = state.stream(raw).owner.replace(task);
        state.expect(owner.is_none(), || format!("{raw} is shared by {owner:?} and {task}"));
        let queue = &state.stream(raw).queue;
        let left = queue.iter().filter(|work| matches!(work, Work::Run(_))).count();
        state.expect(left == 0, || format!("{raw} has {left} pieces of work of its last owner"));
    }
    pub(crate) fn leave(&self, raw: RawStream) {
        self.state().stream(raw).owner = None;
    }
    pub(crate) fn lose(&self) {
        self.state().lost = true;
    }
    pub(crate) fn is_lost(&self) -> bool {
        self.state().lost
    }
    /// Finishes one piece of work of some stream. `false`: there is none.
    pub(crate) fn advance(&self) -> bool {
        let mut state = self.state();
        let busy: Vec<usize> =
            (0..state.streams.len()).filter(|&at| !state.streams[at].queue.is_empty()).collect();
        if state.lost || busy.is_empty() {
            return false;
        }
        let at = busy[thread_rng().gen_range(0..busy.len())];
        match state.streams[at].queue.pop_front() {
            Some(Work::Run(Some(buffer))) => drop(state.in_use.remove(&buffer)),
            Some(Work::Mark(position)) => state.streams[at].word = position,
            Some(Work::Free(memory)) => {
                let first = state.freed.insert(memory);
                state.expect(first, || format!("{memory} freed twice"));
            }
            Some(Work::Run(None)) | None => {}
        }
        true
    }
    /// A buffer is dropped: nothing may use it.
    pub(crate) fn drop_buffer(&self, buffer: u32) {
        let mut state = self.state();
        let free = !state.in_use.contains(&buffer);
        state.expect(free, || format!("buffer {buffer} is dropped in use"));
    }
    /// Whether unfinished work uses a buffer; once it is lost, whether it did then.
    pub(crate) fn uses_a_buffer(&self) -> bool {
        !self.state().in_use.is_empty()
    }
    /// Memory that was allocated, and memory that was freed.
    pub(crate) fn memory(&self) -> (u64, u64) {
        let state = self.state();
        (state.allocated, state.freed.len() as u64)
    }
    pub(crate) fn live(&self) -> usize {
        self.state().streams.iter().filter(|stream| !stream.destroyed).count()
    }
    /// Something that the test itself expects.
    pub(crate) fn expect(&self, holds: bool, otherwise: impl FnOnce() -> String) {
        self.state().expect(holds, otherwise);
    }
    /// What should not have happened, in order.
    pub(crate) fn faults(&self) -> Vec<String> {
        self.state().faults.clone()
    }
    fn captures(&self, stream: RawStream) -> bool {
        self.state().stream(stream).capturing
    }
    fn push(&self, stream: RawStream, work: Work) -> Result<(), DriverError> {
        let mut state = self.state();
        if state.lost {
            return Err(LOST);
        }
        let gone = state.stream(stream).destroyed;
        state.expect(!gone, || format!("{stream} is used after its end"));
        if let Work::Run(Some(buffer)) = work {
            state.in_use.insert(buffer);
        }
        state.stream(stream).queue.push_back(work);
        Ok(())
    }
}
impl StreamPlatform for Gpu {
    fn state(&self) -> DriverState {
        if self.is_lost() { DriverState::Lost } else { DriverState::Ready }
    }
    fn features(&self) -> StreamFeatures {
        StreamFeatures::new(Bytes::new(0), Destruction::Waits)
    }
}
impl StreamDriver for Gpu {
    fn create(&self, _key: StreamKey) -> Result<RawStream, DriverError> {
        let locks = audit::locks_held();
        shuttle::thread::yield_now(); // a creation takes its time
        let mut state = Self::state(self);
        state.expect(locks == 0, || format!("a creation under {locks} locks"));
        state.streams.push(Stream::default());
        Ok(RawStream::new(0xf + state.streams.len() as u64))
    }
    fn destroy(&self, stream: RawStream) -> Result<(), DriverError> {
        let mut state = Self::state(self);
        let gone = std::mem::replace(&mut state.stream(stream).destroyed, true);
        state.expect(!gone, || format!("{stream} is destroyed twice"));
        let Stream { queue, owner, capturing, .. } = state.stream(stream);
        let (idle, owner) = (queue.is_empty() && !*capturing, *owner);
        state.expect(idle, || format!("{stream} is destroyed in use"));
        state.expect(owner.is_none(), || format!("{stream} is destroyed under {owner:?}"));
        Ok(())
    }
    fn capture_status(&self, stream: RawStream) -> CaptureStatus {
        match self.captures(stream) {
            true => CaptureStatus::Active,
            false => CaptureStatus::None,
        }
    }
    fn query(&self, stream: RawStream) -> StreamState {
        let mut state = Self::state(self);
        match state.stream(stream).queue.is_empty() {
            _ if state.lost => StreamState::Failed(LOST),
            true => StreamState::Idle,
            false => StreamState::Pending,
        }
    }
    fn exchange_capture_mode(&self, _mode: CaptureMode) -> CaptureMode {
        CaptureMode::Global
    }
}
impl StreamEvents for Gpu {
    fn create_event(&self, _place: DeviceContext) -> Result<RawEvent, DriverError> {
        Ok(RawEvent::new(1))
    }
    fn destroy_event(&self, _event: RawEvent) {}
    fn record_event(&self, _event: RawEvent, stream: RawStream) -> Result<(), DriverError> {
        self.expect(!self.captures(stream), || format!("recorded in the capture of {stream}"));
        Ok(())
    }
    fn stream_wait(&self, _stream: RawStream, _event: RawEvent) -> Result<(), DriverError> {
        Ok(())
    }
    fn query_event(&self, _event: RawEvent) -> StreamState {
        StreamState::Unknown
    }
    fn synchronize_event(&self, _event: RawEvent, _limit: Duration) -> StreamWait {
        StreamWait::Unknown
    }
}
impl StreamCapture for Gpu {
    fn begin_capture(&self, stream: RawStream, _mode: CaptureMode) -> Result<(), DriverError> {
        Self::state(self).stream(stream).capturing = true;
        Ok(())
    }
    fn end_capture(&self, stream: RawStream) -> Result<RawGraph, DriverError> {
        Self::state(self).stream(stream).capturing = false;
        Ok(RawGraph::new(1))
    }
    fn launch_graph(&self, _graph: RawGraph, stream: RawStream) -> Result<(), DriverError> {
        self.push(stream, Work::Run(None))
    }
    fn destroy_graph(&self, _graph: RawGraph) -> Result<(), DriverError> {
        Ok(())
    }
}
impl StreamMemory for Gpu {
    fn allocate(&self, _bytes: Bytes, _stream: RawStream) -> Result<RawMemory, DriverError> {
        let mut state = Self::state(self);
        state.allocated += 1;
        Ok(RawMemory::new(state.allocated))
    }
    fn free(&self, memory: RawMemory, stream: RawStream) -> Result<(), DriverError> {
        self.expect(!self.captures(stream), || format!("a free in the capture of {stream}"));
        self.push(stream, Work::Free(memory))
    }
}
impl StreamProgress for Gpu {
    fn open_progress(&self, stream: RawStream) -> Result<Option<RawProgress>, DriverError> {
        Ok(Some(RawProgress::new(stream.as_u64())))
    }
    fn mark(
        &self,
        stream: RawStream,
        _word: RawProgress,
        position: Position,
    ) -> Result<(), DriverError> {
        self.push(stream, Work::Mark(position))
    }
    fn observe(&self, word: RawProgress) -> Position {
        shuttle::thread::yield_now(); // others run between the load and what follows from it
        Self::state(self).stream(RawStream::new(word.as_u64())).word
    }
    fn wait_progress(
        &self,
        _word: RawProgress,
        _position: Position,
        _limit: Duration,
    ) -> StreamWait {
        StreamWait::Unknown
    }
    fn close_progress(&self, _word: RawProgress) {}
}
impl StreamWork for Gpu {
    type Work = Option<u32>;
    fn launch(&self, stream: RawStream, buffer: Option<u32>) -> Result<(), DriverError> {
        if self.captures(stream) {
            return Ok(());
        }
        self.push(stream, Work::Run(buffer))
    }
}
