//! `--trace FILE`: what the library tells while it works, as a trace that Perfetto and Chromium open.
//!
//! Each run is a process of the trace, and each ring, hardware queue and stream a track of it. Times are the model's.

mod chrome;
mod recorder;
mod told;
mod tracks;

#[cfg(test)]
mod tests;

use std::{
    cell::RefCell,
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tracing::Dispatch;

use chrome::Event;
use recorder::Recorder;
use tracks::Tracks;

/// Runs that are recorded, or not.
#[derive(Debug)]
pub(crate) struct Trace {
    wanted: Wanted,
    runs: Mutex<Vec<Run>>,
}
/// How much of each run is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    Nothing,
    /// Its first events.
    First(u32),
}
/// Whose the times of a trace are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Times {
    Modelled,
    Real,
}
/// What was recorded of one run.
#[derive(Debug)]
struct Run {
    order: u32,
    events: Vec<Event>,
}

impl Trace {
    /// Records nothing, and costs a run nothing.
    pub(crate) const fn off() -> Self {
        Self { wanted: Wanted::Nothing, runs: Mutex::new(Vec::new()) }
    }
    /// Records the first `events` events of each run.
    pub(crate) fn first(events: u32) -> Self {
        Self { wanted: Wanted::First(events), ..Self::off() }
    }
    /// Runs `body`, and records what the library tells on this thread meanwhile, as the process number `order`. `clock` is the
    /// time that it is told at.
    pub(crate) fn run<T>(
        &self,
        order: u32,
        name: &str,
        clock: impl Fn() -> Duration + 'static,
        body: impl FnOnce() -> T,
    ) -> T {
        let Wanted::First(most) = self.wanted else { return body() };
        let _restored = clock::set(Box::new(clock));
        let recorder = Arc::new(Recorder::new(Tracks::new(order, most)));
        let value = tracing::dispatcher::with_default(&Dispatch::new(recorder.clone()), body);
        let run = Run { order, events: recorder.finish(name, clock::now()) };
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).push(run);
        value
    }
    /// Writes what was recorded.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn write(self, path: &Path, times: Times) -> io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        serde_json::to_writer(&mut file, &self.whole(times))?;
        file.flush()
    }
    fn whole(self, times: Times) -> chrome::File {
        let mut runs = self.runs.into_inner().unwrap_or_else(PoisonError::into_inner);
        runs.sort_by_key(|run| run.order);
        chrome::File::of(runs.into_iter().flat_map(|run| run.events).collect(), times)
    }
}

/// The clock of the run that goes on on this thread: a model's is its thread's alone, and a subscriber is anybody's.
mod clock {
    use super::{Duration, RefCell};

    type Clock = Box<dyn Fn() -> Duration>;

    std::thread_local! {
        static CLOCK: RefCell<Option<Clock>> = const { RefCell::new(None) };
    }

    pub(super) struct Restore(Option<Clock>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CLOCK.replace(self.0.take());
        }
    }

    pub(super) fn set(clock: Clock) -> Restore {
        Restore(CLOCK.replace(Some(clock)))
    }
    pub(super) fn now() -> Duration {
        CLOCK.with_borrow(|clock| clock.as_ref().map_or(Duration::ZERO, |clock| clock()))
    }
}
