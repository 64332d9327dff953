//! A backend between a pool and the one under test that keeps account: what was created and destroyed, what was
//! freed, and on which streams.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, Sender},
    },
    time::Duration,
};

use ringfence::{
    backend::streams::{
        CaptureMode, CaptureStatus, DriverState, StreamCapture, StreamDriver, StreamEvents,
        StreamFeatures, StreamMemory, StreamPlatform, StreamProgress, StreamState, StreamWait,
        StreamWork,
    },
    error::DriverError,
    id::{
        Bytes, DeviceContext, Position, RawEvent, RawGraph, RawMemory, RawProgress, RawStream,
        StreamKey,
    },
};

/// What a pool did to its driver so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Account {
    /// Streams that exist.
    pub(super) live: HashSet<RawStream>,
    /// The most that ever did.
    pub(super) peak: usize,
    pub(super) created: usize,
    pub(super) destroyed: usize,
    /// How often each piece of memory was freed since it was allocated.
    pub(super) frees: HashMap<RawMemory, u32>,
    /// Frees that the driver refused.
    pub(super) refused: u32,
    /// What a pool must never do.
    pub(super) faults: Vec<String>,
}

/// How long a creation takes that takes long: as a runtime with thousands of streams has it.
const LONG: Duration = Duration::from_millis(50);

/// A creation that takes long: it says that it has begun, and goes on when it is told, or a while later.
#[derive(Debug)]
pub(super) struct Pause {
    pub(super) begun: Sender<()>,
    pub(super) goes_on: Receiver<()>,
}

#[derive(Debug)]
pub(super) struct Watched<'a, B> {
    driver: &'a B,
    account: Mutex<Account>,
    pause: Mutex<Option<Pause>>,
}
impl<'a, B: StreamDriver> Watched<'a, B> {
    pub(super) fn new(driver: &'a B) -> Self {
        Self { driver, account: Mutex::default(), pause: Mutex::default() }
    }
    /// The next creation takes long.
    pub(super) fn pause_next_creation(&self, pause: Pause) {
        *self.pause.lock().unwrap_or_else(PoisonError::into_inner) = Some(pause);
    }
    fn keep(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub(super) fn account(&self) -> Account {
        self.keep().clone()
    }
    /// How often this memory was freed.
    pub(super) fn frees(&self, memory: RawMemory) -> u32 {
        self.keep().frees.get(&memory).copied().unwrap_or(0)
    }
    fn must_not_capture(&self, what: &str, stream: RawStream) {
        let status = self.driver.capture_status(stream);
        if status != CaptureStatus::None {
            self.keep().faults.push(format!("{what} on {stream}, whose status is {status:?}"));
        }
    }
}

impl<B: StreamPlatform> StreamPlatform for Watched<'_, B> {
    fn state(&self) -> DriverState {
        self.driver.state()
    }
    fn features(&self) -> StreamFeatures {
        self.driver.features()
    }
}
impl<B: StreamDriver> StreamDriver for Watched<'_, B> {
    fn create(&self, key: StreamKey) -> Result<RawStream, DriverError> {
        let pause = self.pause.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Pause { begun, goes_on }) = pause {
            // Who waits for neither is gone: the creation goes on then.
            let _told = begun.send(());
            let _over = goes_on.recv_timeout(LONG);
        }
        let created = self.driver.create(key);
        if let Ok(raw) = created {
            let mut account = self.keep();
            account.created += 1;
            if !account.live.insert(raw) {
                account.faults.push(format!("{raw} was created while it exists"));
            }
            account.peak = account.peak.max(account.live.len());
        }
        created
    }
    fn destroy(&self, stream: RawStream) -> Result<(), DriverError> {
        {
            let mut account = self.keep();
            account.destroyed += 1;
            if !account.live.remove(&stream) {
                account.faults.push(format!("{stream} was destroyed, and the pool has none such"));
            }
        }
        let destroyed = self.driver.destroy(stream);
        if destroyed.is_err() {
            self.keep().live.insert(stream);
        }
        destroyed
    }
    fn capture_status(&self, stream: RawStream) -> CaptureStatus {
        self.driver.capture_status(stream)
    }
    fn query(&self, stream: RawStream) -> StreamState {
        self.driver.query(stream)
    }
    fn exchange_capture_mode(&self, mode: CaptureMode) -> CaptureMode {
        self.driver.exchange_capture_mode(mode)
    }
}
impl<B: StreamEvents> StreamEvents for Watched<'_, B> {
    fn create_event(&self, place: DeviceContext) -> Result<RawEvent, DriverError> {
        self.driver.create_event(place)
    }
    fn destroy_event(&self, event: RawEvent) {
        self.driver.destroy_event(event);
    }
    fn record_event(&self, event: RawEvent, stream: RawStream) -> Result<(), DriverError> {
        self.driver.record_event(event, stream)
    }
    fn stream_wait(&self, stream: RawStream, event: RawEvent) -> Result<(), DriverError> {
        self.driver.stream_wait(stream, event)
    }
    fn query_event(&self, event: RawEvent) -> StreamState {
        self.driver.query_event(event)
    }
    fn synchronize_event(&self, event: RawEvent, limit: Duration) -> StreamWait {
        self.driver.synchronize_event(event, limit)
    }
}
impl<B: StreamCapture> StreamCapture for Watched<'_, B> {
    fn begin_capture(&self, stream: RawStream, mode: CaptureMode) -> Result<(), DriverError> {
        self.driver.begin_capture(stream, mode)
    }
    fn end_capture(&self, stream: RawStream) -> Result<RawGraph, DriverError> {
        self.driver.end_capture(stream)
    }
    fn launch_graph(&self, graph: RawGraph, stream: RawStream) -> Result<(), DriverError> {
        self.driver.launch_graph(graph, stream)
    }
    fn destroy_graph(&self, graph: RawGraph) -> Result<(), DriverError> {
        self.driver.destroy_graph(graph)
    }
}
impl<B: StreamMemory + StreamDriver> StreamMemory for Watched<'_, B> {
    fn allocate(&self, bytes: Bytes, stream: RawStream) -> Result<RawMemory, DriverError> {
        let allocated = self.driver.allocate(bytes, stream);
        if let Ok(memory) = allocated {
            self.keep().frees.insert(memory, 0);
        }
        allocated
    }
    fn free(&self, memory: RawMemory, stream: RawStream) -> Result<(), DriverError> {
        self.must_not_capture("a free", stream);
        let freed = self.driver.free(memory, stream);
        let mut account = self.keep();
        match freed {
            Ok(()) => *account.frees.entry(memory).or_default() += 1,
            Err(_) => account.refused += 1,
        }
        freed
    }
}
impl<B: StreamProgress + StreamDriver> StreamProgress for Watched<'_, B> {
    fn open_progress(&self, stream: RawStream) -> Result<Option<RawProgress>, DriverError> {
        self.driver.open_progress(stream)
    }
    fn mark(
        &self,
        stream: RawStream,
        word: RawProgress,
        position: Position,
    ) -> Result<(), DriverError> {
        self.must_not_capture("a mark", stream);
        self.driver.mark(stream, word, position)
    }
    fn observe(&self, word: RawProgress) -> Position {
        self.driver.observe(word)
    }
    fn wait_progress(&self, word: RawProgress, position: Position, limit: Duration) -> StreamWait {
        self.driver.wait_progress(word, position, limit)
    }
    fn close_progress(&self, word: RawProgress) {
        self.driver.close_progress(word);
    }
}
impl<B: StreamWork> StreamWork for Watched<'_, B> {
    type Work = B::Work;
    fn launch(&self, stream: RawStream, work: B::Work) -> Result<(), DriverError> {
        self.driver.launch(stream, work)
    }
}
