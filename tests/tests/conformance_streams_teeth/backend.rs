//! The mock's backend with one thing wrong: what the calls share, and the driver as a whole.

use std::{
    collections::{HashMap, HashSet},
    num::NonZeroU64,
    sync::{Mutex, MutexGuard, PoisonError},
    thread::{self, ThreadId},
    time::Duration,
};

use ringfence::{
    backend::streams::{
        CaptureMode, CaptureStatus, Destruction, DriverState, StreamDriver, StreamFeatures,
        StreamPlatform, StreamState, StreamWork,
    },
    error::{DriverCode, DriverError},
    id::{
        Bytes, Position, Priority, RawEvent, RawGraph, RawMemory, RawProgress, RawStream,
        StreamFlags, StreamKey,
    },
};
use ringfence_mock::clock::Ticks;
use ringfence_tests::conformance::streams::{
    MockBackend, MockGate, MockWork, Spot, StreamMock, StreamSubject,
};

use crate::flaw::Flaw;

/// What the driver says where the flaw refuses.
pub(crate) const REFUSED: DriverError = DriverError::Other(DriverCode::new(77));

#[derive(Debug)]
pub(crate) struct BrokenBackend {
    pub(crate) mock: StreamMock,
    pub(crate) flaw: Flaw,
    first: ThreadId,
    pub(crate) state: Mutex<State>,
}
/// What a flaw has to remember.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) calls: u64,
    pub(crate) looks: u64,
    /// Streams whose capture is open, and in which mode they began it.
    pub(crate) capturing: Vec<RawStream>,
    /// Streams whose capture has just ended.
    pub(crate) ended: HashSet<RawStream>,
    pub(crate) streams: Vec<RawStream>,
    pub(crate) held: HashMap<RawStream, MockGate>,
    pub(crate) side: Option<RawStream>,
    pub(crate) events: Vec<RawEvent>,
    pub(crate) recorded: HashMap<RawEvent, RawStream>,
    pub(crate) waits: Vec<(RawStream, RawEvent)>,
    pub(crate) waited: HashSet<RawStream>,
    pub(crate) waiters: HashSet<RawEvent>,
    pub(crate) recordings: HashMap<RawStream, u32>,
    pub(crate) homes: HashMap<RawGraph, RawStream>,
    pub(crate) graphs: Vec<RawGraph>,
    pub(crate) launched: HashSet<RawGraph>,
    pub(crate) memory: Vec<RawMemory>,
    pub(crate) pooled: HashSet<RawMemory>,
    pub(crate) refused: Vec<RawMemory>,
    pub(crate) word: Option<RawProgress>,
    pub(crate) dirty: HashMap<RawProgress, Position>,
    pub(crate) closed: Vec<Position>,
    pub(crate) seen: HashMap<RawProgress, Position>,
    pub(crate) lazy: Vec<(RawStream, MockWork)>,
    pub(crate) late: Vec<(RawStream, MockWork)>,
    pub(crate) spoilt: HashSet<RawStream>,
}

impl BrokenBackend {
    pub(crate) fn new(mock: StreamMock, flaw: Flaw) -> Self {
        Self { mock, flaw, first: thread::current().id(), state: Mutex::default() }
    }
    pub(crate) fn inner(&self) -> &MockBackend {
        self.mock.backend()
    }
    pub(crate) fn is(&self, flaw: Flaw) -> bool {
        self.flaw == flaw
    }
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Whether another thread calls than the one that started the subject.
    pub(crate) fn elsewhere(&self) -> bool {
        thread::current().id() != self.first
    }
    pub(crate) fn captures(&self) -> bool {
        !self.state().capturing.is_empty()
    }
    /// Every so manyth call.
    pub(crate) fn every(&self, nth: NonZeroU64) -> bool {
        let mut state = self.state();
        state.calls += 1;
        state.calls % nth == 0
    }
    /// Takes time that no wait of a contract takes.
    pub(crate) fn dawdle(&self, flaw: Flaw) {
        if self.is(flaw) {
            self.mock.driver().tick(Ticks::new(1_000));
        }
    }
    /// A stream of nobody's, idle.
    pub(crate) fn aside(&self) -> RawStream {
        let known = self.state().side;
        known.unwrap_or_else(|| {
            let side = self.inner().create(self.mock.key()).expect("a stream aside");
            self.state().side = Some(side);
            side
        })
    }
    pub(crate) fn joined(&self, stream: RawStream) -> bool {
        let active = self.inner().capture_status(stream) == CaptureStatus::Active;
        active && !self.state().capturing.contains(&stream)
    }
    /// Submits what was put off.
    pub(crate) fn wake(&self) {
        let lazy = std::mem::take(&mut self.state().lazy);
        for (stream, work) in lazy {
            let _taken = self.inner().launch(stream, work);
        }
    }
}
pub(crate) const fn nth(number: u64) -> NonZeroU64 {
    NonZeroU64::new(number).expect("not 0")
}

impl StreamPlatform for BrokenBackend {
    fn state(&self) -> DriverState {
        self.dawdle(Flaw::StateWaits);
        let state = self.inner().state();
        if self.is(Flaw::ShutsDownBesideCaptures) && self.captures() {
            return DriverState::ShuttingDown;
        }
        if state == DriverState::Lost {
            let looks = {
                let mut kept = BrokenBackend::state(self);
                kept.looks += 1;
                kept.looks
            };
            if self.is(Flaw::LossUnnoticed) || self.is(Flaw::LossIsForgotten) && looks > 1 {
                return DriverState::Ready;
            }
        }
        state
    }
    fn features(&self) -> StreamFeatures {
        let mut features = self.inner().features();
        match self.flaw {
            Flaw::FeaturesChange => {
                let _counted = self.every(nth(2));
                features.host_bytes = Bytes::new(BrokenBackend::state(self).calls);
            }
            Flaw::SaysTheOtherDestruction => {
                features.destruction = match features.destruction {
                    Destruction::Waits => Destruction::Detaches,
                    Destruction::Detaches => Destruction::Waits,
                };
            }
            _ => {}
        }
        features
    }
}

impl StreamDriver for BrokenBackend {
    fn create(&self, key: StreamKey) -> Result<RawStream, DriverError> {
        let refused = match self.flaw {
            Flaw::CreatesNothingBesideCaptures => self.captures(),
            Flaw::CreatesOnePriority => key.priority != Priority::Normal,
            Flaw::CreatesNoBlocking => !key.flags.contains(StreamFlags::NON_BLOCKING),
            Flaw::CreatesFew => self.mock.driver().counts().live >= 40,
            _ => false,
        };
        if refused {
            return Err(REFUSED);
        }
        let again = match self.flaw {
            Flaw::CreatesTheSame => self.every(nth(7)),
            Flaw::CreatesTheSameElsewhere => self.elsewhere(),
            _ => false,
        };
        let last = BrokenBackend::state(self).streams.last().copied();
        if let (true, Some(last)) = (again, last) {
            return Ok(last);
        }
        let stream = self.inner().create(key)?;
        if self.is(Flaw::CreatesBusy) {
            let busy = MockWork::Set(Spot::Cell(self.mock.cell()), 1);
            self.inner().launch(stream, busy)?;
        }
        BrokenBackend::state(self).streams.push(stream);
        Ok(stream)
    }
    fn destroy(&self, stream: RawStream) -> Result<(), DriverError> {
        match self.flaw {
            Flaw::DestroysNothing => return Err(REFUSED),
            Flaw::DestroysNothingElsewhere if self.elsewhere() => return Err(REFUSED),
            Flaw::DestroysLater => return Ok(()),
            Flaw::DestroysGates => self.open_all(),
            Flaw::DestroysWork => {
                self.mock.driver().lose_device();
            }
            _ => {}
        }
        self.wake();
        {
            let mut state = BrokenBackend::state(self);
            state.streams.retain(|&one| one != stream);
            state.capturing.retain(|&one| one != stream);
            state.waited.remove(&stream);
        }
        self.inner().destroy(stream)
    }
    fn capture_status(&self, stream: RawStream) -> CaptureStatus {
        match self.flaw {
            Flaw::StatusIsNone => return CaptureStatus::None,
            Flaw::StatusElsewhereIsNone if self.elsewhere() => return CaptureStatus::None,
            Flaw::StatusOfAll if self.captures() => return CaptureStatus::Active,
            Flaw::StatusForgetsForks if self.joined(stream) => return CaptureStatus::None,
            Flaw::StatusStays if BrokenBackend::state(self).ended.remove(&stream) => {
                return CaptureStatus::Active;
            }
            Flaw::StatusQueries => {
                let _answer = self.inner().query(stream);
            }
            Flaw::StatusWaits => self.mock.driver().tick(Ticks::new(1_000)),
            _ => {}
        }
        self.inner().capture_status(stream)
    }
    fn query(&self, stream: RawStream) -> StreamState {
        self.wake();
        self.dawdle(Flaw::QueryWaits);
        match self.flaw {
            Flaw::QueryIsIdle => return StreamState::Idle,
            Flaw::QueryIsPending => return StreamState::Pending,
            Flaw::QueryFailsElsewhere if self.elsewhere() => return StreamState::Failed(REFUSED),
            Flaw::QueryOpensGates => {
                let gate = BrokenBackend::state(self).held.remove(&stream);
                gate.iter().for_each(|gate| self.mock.open(gate));
            }
            Flaw::QueryOfAll => {
                let all = BrokenBackend::state(self).streams.clone();
                if all.iter().any(|&one| self.inner().query(one) == StreamState::Pending) {
                    return StreamState::Pending;
                }
            }
            _ => {}
        }
        match self.inner().query(stream) {
            StreamState::Unknown if self.is(Flaw::QueryRefusedIsIdle) => StreamState::Idle,
            StreamState::Failed(_) if self.is(Flaw::ErrorsAreHidden) => StreamState::Idle,
            state => state,
        }
    }
    fn exchange_capture_mode(&self, mode: CaptureMode) -> CaptureMode {
        match self.flaw {
            Flaw::ModeIsIgnored => self.inner().exchange_capture_mode(CaptureMode::Global),
            Flaw::ModeIsForgotten => {
                let _before = self.inner().exchange_capture_mode(mode);
                CaptureMode::Global
            }
            Flaw::ModeIsShared => self
                .mock
                .driver()
                .as_thread(ringfence_mock::streams::seen::ThreadId::new(1), || {
                    self.inner().exchange_capture_mode(mode)
                }),
            _ => self.inner().exchange_capture_mode(mode),
        }
    }
}
impl BrokenBackend {
    fn open_all(&self) {
        let held = std::mem::take(&mut BrokenBackend::state(self).held);
        held.values().for_each(|gate| self.mock.open(gate));
    }
    /// A limit that is late by two seconds.
    pub(crate) fn late(&self, flaw: Flaw, limit: Duration) {
        if self.is(flaw) {
            self.mock.settle(limit + Duration::from_secs(2), || false);
        }
    }
}
