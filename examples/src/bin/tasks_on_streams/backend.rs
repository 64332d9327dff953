//! The driver as Ringfence sees it: facts and actions, no policy.

use std::{cell::Cell, time::Duration};

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
};

use crate::gpu::{Command, Gpu, Kernel};

/// Handles 0 to 2 are the default streams of HIP and CUDA, so that this driver's begin above them.
const FIRST: u64 = 16;
fn index(stream: RawStream) -> usize {
    (stream.as_u64() - FIRST) as usize
}
/// What HIP and CUDA say to a call that may not happen while the stream captures.
const CONFLICT: DriverError = DriverError::CaptureConflict(DriverCode::new(900));

impl Gpu {
    fn unless_capturing(&self, stream: RawStream) -> Result<(), DriverError> {
        match self.capture_status(stream) {
            CaptureStatus::None => Ok(()),
            _ => Err(CONFLICT),
        }
    }
}

impl StreamPlatform for Gpu {
    fn state(&self) -> DriverState {
        DriverState::Ready
    }
    fn features(&self) -> StreamFeatures {
        StreamFeatures::new(Bytes::new(8 << 20), Destruction::Waits)
    }
}

std::thread_local! {
    static MODE: Cell<CaptureMode> = const { Cell::new(CaptureMode::Global) };
}
impl StreamDriver for Gpu {
    fn create(&self, _key: StreamKey) -> Result<RawStream, DriverError> {
        let made = self.new_stream().ok_or(DriverError::OutOfMemory(DriverCode::new(2)))?;
        Ok(RawStream::new(FIRST + made as u64))
    }
    fn destroy(&self, stream: RawStream) -> Result<(), DriverError> {
        // Handles are never used again here. HIP would wait for work; a pool destroys idle streams alone.
        match self.lock().is_idle(index(stream)) {
            true => Ok(()),
            false => Err(DriverError::Bad(DriverCode::new(400))),
        }
    }
    fn capture_status(&self, stream: RawStream) -> CaptureStatus {
        match self.lock().streams[index(stream)].captured {
            Some(_) => CaptureStatus::Active,
            None => CaptureStatus::None,
        }
    }
    fn query(&self, stream: RawStream) -> StreamState {
        match self.lock().is_idle(index(stream)) {
            true => StreamState::Idle,
            false => StreamState::Pending,
        }
    }
    fn exchange_capture_mode(&self, mode: CaptureMode) -> CaptureMode {
        MODE.replace(mode)
    }
}

impl StreamEvents for Gpu {
    fn create_event(&self, _place: DeviceContext) -> Result<RawEvent, DriverError> {
        let events = &mut self.lock().events;
        events.push(None);
        Ok(RawEvent::new(events.len() as u64 - 1))
    }
    fn destroy_event(&self, _event: RawEvent) {}
    fn record_event(&self, event: RawEvent, stream: RawStream) -> Result<(), DriverError> {
        self.unless_capturing(stream)?;
        let recording = self.lock().record(event.as_u64() as usize);
        self.submit(index(stream), Command::Record(recording));
        Ok(())
    }
    fn stream_wait(&self, stream: RawStream, event: RawEvent) -> Result<(), DriverError> {
        self.unless_capturing(stream)?;
        let recorded = self.lock().events[event.as_u64() as usize];
        if let Some(recording) = recorded {
            self.submit(index(stream), Command::Wait(recording));
        }
        Ok(())
    }
    fn query_event(&self, event: RawEvent) -> StreamState {
        let state = self.lock();
        match state.is_reached(state.events[event.as_u64() as usize]) {
            true => StreamState::Idle,
            false => StreamState::Pending,
        }
    }
    fn synchronize_event(&self, event: RawEvent, limit: Duration) -> StreamWait {
        let recorded = self.lock().events[event.as_u64() as usize];
        waited(self.wait(limit, |state| state.is_reached(recorded)))
    }
}
fn waited(reached: bool) -> StreamWait {
    if reached { StreamWait::Finished } else { StreamWait::TimedOut }
}

impl StreamCapture for Gpu {
    fn begin_capture(&self, stream: RawStream, _mode: CaptureMode) -> Result<(), DriverError> {
        self.lock().streams[index(stream)].captured = Some(Vec::new());
        Ok(())
    }
    fn end_capture(&self, stream: RawStream) -> Result<RawGraph, DriverError> {
        let mut state = self.lock();
        let captured = state.streams[index(stream)].captured.take();
        let graph = captured.ok_or(DriverError::CaptureFailed(DriverCode::new(901)))?;
        state.graphs.push(Some(graph));
        Ok(RawGraph::new(state.graphs.len() as u64 - 1))
    }
    fn launch_graph(&self, graph: RawGraph, stream: RawStream) -> Result<(), DriverError> {
        let graph = self.lock().graphs[graph.as_u64() as usize].clone();
        let kernels = graph.ok_or(DriverError::Bad(DriverCode::new(400)))?;
        self.submit(index(stream), Command::Graph(kernels));
        Ok(())
    }
    fn destroy_graph(&self, graph: RawGraph) -> Result<(), DriverError> {
        self.lock().graphs[graph.as_u64() as usize] = None;
        Ok(())
    }
}

impl StreamMemory for Gpu {
    fn allocate(&self, _bytes: Bytes, stream: RawStream) -> Result<RawMemory, DriverError> {
        self.unless_capturing(stream)?;
        Ok(RawMemory::new(self.lock().allocate() as u64))
    }
    fn free(&self, memory: RawMemory, stream: RawStream) -> Result<(), DriverError> {
        self.unless_capturing(stream)?;
        self.submit(index(stream), Command::Free(memory.as_u64() as usize));
        Ok(())
    }
}

/// Each stream has a word in host memory, which the device writes in the stream's order.
impl StreamProgress for Gpu {
    fn open_progress(&self, stream: RawStream) -> Result<Option<RawProgress>, DriverError> {
        Ok(Some(RawProgress::new(index(stream) as u64)))
    }
    fn mark(&self, stream: RawStream, word: RawProgress, at: Position) -> Result<(), DriverError> {
        let mark = Command::Mark { word: word.as_u64() as usize, position: at.as_u64() };
        self.submit(index(stream), mark);
        Ok(())
    }
    fn observe(&self, word: RawProgress) -> Position {
        Position::new(self.word(word.as_u64() as usize))
    }
    fn wait_progress(&self, word: RawProgress, position: Position, limit: Duration) -> StreamWait {
        waited(self.wait(limit, |_| self.observe(word) >= position))
    }
    fn close_progress(&self, _word: RawProgress) {}
}

impl StreamWork for Gpu {
    type Work = Kernel;
    fn launch(&self, stream: RawStream, work: Kernel) -> Result<(), DriverError> {
        let captured = {
            let mut state = self.lock();
            let captured = state.streams[index(stream)].captured.as_mut();
            captured.map(|nodes| nodes.push(work)).is_some()
        };
        if !captured {
            self.submit(index(stream), Command::Run(work));
        }
        Ok(())
    }
}
