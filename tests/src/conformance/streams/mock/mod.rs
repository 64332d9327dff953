//! The mock of a driver as a subject: in five profiles, with progress words and without.

mod backend;
mod values;

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use ringfence::{
    error::{DriverCode, DriverError},
    id::{Bytes, DeviceContext, DeviceId, RawMemory, RawStream, StreamKey},
};
use ringfence_mock::{
    clock::Ticks,
    streams::{
        model::MemoryState,
        profile::DriverProfile,
        system::{MockStreams, StreamSettings, Watch, Words},
    },
};

pub use backend::{MockBackend, MockGate, MockWork};
pub use values::MockCell;

use super::{
    super::{Drive, Lists},
    Brought, Can, Freed, Scale, Spot, StreamFacts, StreamSubject, cannot_on_streams,
};

/// Which mock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MockDriver {
    /// How it behaves.
    pub profile: DriverProfile,
    /// Whether it has progress words.
    pub words: Words,
}
impl MockDriver {
    /// Every profile, with words and without.
    pub fn all() -> impl Iterator<Item = Self> {
        let words = [Words::On, Words::Off];
        DriverProfile::ALL
            .iter()
            .flat_map(move |&profile| words.map(|words| Self { profile, words }))
    }
    /// What is true of it.
    pub fn facts(self) -> StreamFacts {
        let Self { profile, words } = self;
        StreamFacts {
            driver: match profile {
                DriverProfile::Hip52 => "mock of HIP 5.2",
                DriverProfile::Hip57 => "mock of HIP 5.7",
                DriverProfile::Hip64 => "mock of HIP 6.4",
                DriverProfile::Clr2024 => "mock of clr of 2024",
                DriverProfile::ClrNew => "mock of newer clr",
                _ => "mock of CUDA",
            },
            rules: profile.rules(),
            words,
            independent: profile.queues().get() as usize,
            drive: Drive::Virtual,
            spoil: Can::Yes,
            loss: Can::Yes,
            plain_memory: Can::Yes,
            free_again: Can::Yes,
            scale: Scale::default(),
        }
    }
}

/// The mock as a subject. Time is virtual: it passes in host waits and when a test lets it.
#[derive(Debug)]
pub struct StreamMock {
    which: MockDriver,
    backend: MockBackend,
    gates: AtomicU32,
}

/// How long a piece of work runs.
pub(super) const WORK: Ticks = Ticks::new(10);

impl StreamMock {
    /// A mock, started.
    pub fn start(which: MockDriver) -> Self {
        // The oracle judges a library by what its caller declares, and these tests call the driver themselves.
        let settings = StreamSettings::new(which.profile)
            .with_words(which.words)
            .with_watch(Watch::Off)
            .with_trace(0);
        let driver = MockStreams::with(settings);
        Self { which, backend: MockBackend::new(driver), gates: AtomicU32::new(0) }
    }
    /// The driver.
    pub fn driver(&self) -> &MockStreams {
        self.backend.driver()
    }
}

impl StreamSubject for StreamMock {
    type Backend = MockBackend;
    type Cell = MockCell;
    type Gate = MockGate;

    fn backend(&self) -> &MockBackend {
        &self.backend
    }
    fn key(&self) -> StreamKey {
        StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
    }
    fn facts(&self) -> StreamFacts {
        self.which.facts()
    }
    fn lists(&self) -> Lists {
        Lists { cannot: cannot_on_streams(&self.facts()), not_yet: Vec::new() }
    }

    fn cell(&self) -> MockCell {
        self.backend.values().cell()
    }
    fn read(&self, cell: MockCell) -> u32 {
        self.backend.read(Spot::Cell(cell))
    }
    fn store(&self, cell: MockCell, value: u32) {
        let _before = self.backend.read(Spot::Cell(cell));
        self.backend.values().store(Spot::Cell(cell), value);
    }
    fn set(&self, to: Spot<MockCell>, value: u32) -> MockWork {
        MockWork::Set(to, value)
    }
    fn copy(&self, from: Spot<MockCell>, to: Spot<MockCell>) -> MockWork {
        MockWork::Copy(from, to)
    }
    fn failing_set(&self, to: Spot<MockCell>, value: u32) -> MockWork {
        MockWork::FailingSet(to, value)
    }

    fn gate(&self) -> MockGate {
        MockGate::new(self.gates.fetch_add(1, Ordering::Relaxed))
    }
    fn hold(&self, gate: &MockGate) -> MockWork {
        MockWork::Hold(gate.clone())
    }
    fn open(&self, gate: &MockGate) {
        if let Some(stream) = gate.open() {
            self.driver().end_endless(stream);
        }
    }

    fn now(&self) -> Duration {
        Duration::from_micros(self.driver().now().count())
    }
    fn settle(&self, limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
        let end = self.now() + limit;
        while !condition() {
            if self.now() >= end {
                return false;
            }
            // What runs ends within a few of these; the rest of the limit passes at once.
            self.driver().run_until_idle();
            if condition() {
                return true;
            }
            let left = end.saturating_sub(self.now()).as_micros();
            let step = u64::try_from(left / 8).unwrap_or(u64::MAX).max(1);
            self.driver().tick(Ticks::new(step));
        }
        true
    }

    fn freed(&self, memory: RawMemory) -> Freed {
        match self.driver().with_model(|model| model.memory_state(memory)) {
            MemoryState::Gone => Freed::Yes,
            _ => Freed::No,
        }
    }
    fn plain_memory(&self) -> Option<RawMemory> {
        self.driver().user().malloc(Bytes::new(256), self.key().place.device).ok()
    }
    fn spoil(&self, stream: RawStream) -> Brought {
        self.driver().run_until_idle();
        self.driver().poison(stream, DriverError::Bad(DriverCode::new(719)));
        Brought::About
    }
    fn lose(&self) -> Brought {
        self.driver().lose_device();
        Brought::About
    }

    fn violations(&self) -> Vec<String> {
        let judged = self.driver().violations().iter().map(ToString::to_string).collect::<Vec<_>>();
        let crashes = self.driver().crashes().into_iter().map(|what| format!("crash: {what}"));
        judged.into_iter().chain(crashes).collect()
    }
}
