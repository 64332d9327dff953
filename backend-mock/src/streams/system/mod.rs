//! The shell: the model behind a lock, with an oracle and a trace, as a backend.

mod control;
mod driver;
mod inner;
#[cfg(feature = "scenarios")]
mod leakable;
mod submit;
mod threads;
mod user;

#[cfg(test)]
mod tests;

use std::{
    fmt,
    num::NonZeroU32,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use ringfence::{
    backend::streams::DriverState,
    id::StreamKey,
    sync::audit::{locks_held, stream_locks_held},
};

#[cfg(feature = "scenarios")]
pub(crate) use leakable::Leakable;
pub use threads::as_thread;
pub use user::User;

use super::{
    counts::CallKind,
    model::Model,
    profile::DriverProfile,
    seen::{Call, Caller, Circumstance, ThreadId},
};
use inner::Inner;

/// Whether the driver has progress words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Words {
    /// It has.
    #[default]
    On,
    /// It has not: who wants to know asks the driver.
    Off,
}

/// Whether the oracle of streams watches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Watch {
    /// It does.
    #[default]
    On,
    /// It does not: for runs whose speed or memory is measured.
    Off,
}

/// What holds for a driver from its start.
///
/// ```
/// use ringfence_mock::streams::{profile::DriverProfile, system::*};
/// let settings = StreamSettings::new(DriverProfile::Hip52).with_words(Words::Off).with_trace(1_000);
/// let driver = MockStreams::with(settings); // a pool of it asks the driver about each stream
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StreamSettings {
    /// How it behaves.
    pub profile: DriverProfile,
    /// Progress words.
    pub words: Words,
    /// The oracle.
    pub watch: Watch,
    /// Hardware queues for each priority class; `None`: as the profile has it. Streams on one queue run
    /// one after another.
    pub queues: Option<NonZeroU32>,
    /// How many happenings the trace keeps.
    pub trace: usize,
}
impl StreamSettings {
    /// The usual: progress words, the oracle, 256 lines of trace.
    pub const fn new(profile: DriverProfile) -> Self {
        Self { profile, words: Words::On, watch: Watch::On, queues: None, trace: 256 }
    }
    /// The same with progress words, or without.
    #[must_use]
    pub const fn with_words(mut self, words: Words) -> Self {
        self.words = words;
        self
    }
    /// The same with the oracle, or without.
    #[must_use]
    pub const fn with_watch(mut self, watch: Watch) -> Self {
        self.watch = watch;
        self
    }
    /// The same with so many hardware queues for each priority class.
    #[must_use]
    pub const fn with_queues(mut self, queues: NonZeroU32) -> Self {
        self.queues = Some(queues);
        self
    }
    /// The same with a trace of so many happenings.
    #[must_use]
    pub const fn with_trace(mut self, trace: usize) -> Self {
        self.trace = trace;
        self
    }
}

/// Called at every creation, before the stream exists and with no lock of the mock held: a test may block
/// here, or call the library again.
pub type OnCreate = dyn Fn(StreamKey) + Send + Sync;
/// Called after every call of the driver, with no lock of the mock held.
pub type OnCall = dyn Fn(&Call) + Send + Sync;

/// A driver of streams in software. A cheap handle: clones are the same driver.
///
/// Its calls are the library's own ([`Caller::Library`]); [`user`](Self::user) has the user's.
///
/// ```
/// # use ringfence::{drive::StreamPool, error::StreamError, id::*, stream::PoolOptions};
/// use ringfence_mock::{clock::Ticks, streams::{op::StreamOp, profile::DriverProfile, system::*}};
/// let driver = MockStreams::new(DriverProfile::Cuda);
/// let pool = StreamPool::new(driver.clone(), PoolOptions::default());
/// # let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// let mut task = pool.acquire(key)?;
/// let touch = pool.submit(&mut task, StreamOp::new("axpy", Ticks::new(20)))?;
/// assert!(!pool.is_finished(touch)); // nothing moves by itself
/// driver.tick(Ticks::new(20));
/// assert!(pool.is_finished(touch));
/// assert!(driver.violations().is_empty() && driver.crashes().is_empty());
/// # Ok::<(), StreamError>(())
/// ```
#[derive(Clone)]
pub struct MockStreams {
    shared: Arc<Shared>,
    caller: Caller,
}
struct Shared {
    inner: Mutex<Inner>,
    /// Whether the driver may be called: a load at every acquire.
    ready: AtomicBool,
    words: Words,
    profile: DriverProfile,
    /// Whether there is a hook: most runs have none, and skip its lock.
    hooked: AtomicBool,
    hooks: Mutex<Hooks>,
}
#[derive(Default, Clone)]
struct Hooks {
    create: Option<Arc<OnCreate>>,
    call: Option<Arc<OnCall>>,
}
impl fmt::Debug for MockStreams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shared { profile, words, .. } = &*self.shared;
        f.debug_struct("MockStreams")
            .field("profile", profile)
            .field("words", words)
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}

impl MockStreams {
    /// A driver of this profile with the usual settings.
    pub fn new(profile: DriverProfile) -> Self {
        Self::with(StreamSettings::new(profile))
    }
    /// A driver with these settings.
    pub fn with(settings: StreamSettings) -> Self {
        let StreamSettings { profile, words, .. } = settings;
        let shared = Shared {
            inner: Mutex::new(Inner::new(settings)),
            ready: AtomicBool::new(true),
            words,
            profile,
            hooked: AtomicBool::new(false),
            hooks: Mutex::default(),
        };
        Self { shared: Arc::new(shared), caller: Caller::Library }
    }
    /// The same calls, and some more, as the user's own code makes them.
    pub fn user(&self) -> User {
        User::new(Self { shared: Arc::clone(&self.shared), caller: Caller::User })
    }
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.shared.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn hooks(&self) -> Option<Hooks> {
        if !self.shared.hooked.load(Ordering::Acquire) {
            return None;
        }
        Some(self.shared.hooks.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
    /// One call of the driver: the model's answer, and what the oracle sees of it.
    fn act<T>(&self, act: impl FnOnce(&mut Model, ThreadId) -> (T, Call)) -> T {
        self.act_then(act, |_, _| ())
    }
    /// The same, and what is told of it at once.
    fn act_then<T>(
        &self,
        act: impl FnOnce(&mut Model, ThreadId) -> (T, Call),
        then: impl FnOnce(&mut Inner, &T),
    ) -> T {
        let (locks, stream_locks) = (locks_held(), stream_locks_held());
        let caller = self.caller;
        let (answer, call) = {
            let mut inner = self.inner();
            let thread = inner.thread();
            let mode = inner.model.mode(thread);
            let (answer, call) = act(&mut inner.model, thread);
            let how = Circumstance { caller, thread, mode, locks, stream_locks };
            let call = inner.called(how, call);
            then(&mut inner, &answer);
            (answer, call)
        };
        if let (Some(call), Some(hook)) = (call, self.hooks().and_then(|hooks| hooks.call)) {
            hook(&call);
        }
        answer
    }
    /// A call that no rule of the oracle speaks of: only its consequences are seen.
    fn act_unseen<T: fmt::Debug>(
        &self,
        kind: CallKind,
        act: impl FnOnce(&mut Model, ThreadId) -> T,
    ) -> T {
        let mut inner = self.inner();
        let thread = inner.thread();
        let answer = act(&mut inner.model, thread);
        inner.unseen(thread, kind, &answer);
        answer
    }
    fn driver_state(&self) -> DriverState {
        self.inner().model.state()
    }
}
