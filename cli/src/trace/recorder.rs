//! The subscriber that the library tells.

use std::{
    fmt,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tracing::{Level, Metadata, Subscriber, span};

use super::{chrome::Event, clock, told::Told, tracks::Tracks};

/// Targets of what is recorded.
const OURS: &str = "ringfence::";

/// See the module.
pub(super) struct Recorder {
    tracks: Mutex<Tracks>,
    /// Spans that go on: a name, and what is known of it.
    spans: Mutex<Vec<(u64, &'static str, Told, f64)>>,
    next: AtomicU64,
}
impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}
impl Recorder {
    pub(super) fn new(tracks: Tracks) -> Self {
        // A span's identity is not 0.
        Self { tracks: Mutex::new(tracks), spans: Mutex::default(), next: AtomicU64::new(1) }
    }
    fn tracks(&self) -> MutexGuard<'_, Tracks> {
        self.tracks.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn spans(&self) -> MutexGuard<'_, Vec<(u64, &'static str, Told, f64)>> {
        self.spans.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// All events of the run, which is over at `now`.
    pub(super) fn finish(&self, name: &str, now: Duration) -> Vec<Event> {
        self.tracks().finish(name, now)
    }
}
impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with(OURS) && *metadata.level() <= Level::TRACE
    }
    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut told = Told::default();
        attributes.record(&mut told);
        let begun = self.tracks().moment(clock::now());
        self.spans().push((id, attributes.metadata().name(), told, begun));
        span::Id::from_u64(id)
    }
    fn record(&self, span: &span::Id, values: &span::Record<'_>) {
        let mut spans = self.spans();
        if let Some((_, _, told, _)) = spans.iter_mut().find(|(id, ..)| *id == span.into_u64()) {
            values.record(told);
        }
    }
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        let mut told = Told::default();
        event.record(&mut told);
        let metadata = event.metadata();
        self.tracks().tell(metadata.target(), metadata.name(), told, clock::now());
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
    fn try_close(&self, span: span::Id) -> bool {
        let mut spans = self.spans();
        let Some(at) = spans.iter().position(|(id, ..)| *id == span.into_u64()) else {
            return true;
        };
        let (_, name, told, begun) = spans.swap_remove(at);
        drop(spans);
        self.tracks().went_on(name, told, begun, clock::now());
        true
    }
}
