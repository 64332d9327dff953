//! What a test does to the driver, and reads from it.

use std::{
    num::NonZeroU32,
    sync::{Arc, PoisonError, atomic::Ordering},
    time::Duration,
};

use ringfence::{backend::streams::DriverState, error::DriverError, id::RawStream};

use super::{
    super::{
        counts::{CallKind, StreamCounts},
        model::{Model, Moving},
        oracle::{StreamOracle, StreamViolation},
        seen::{Declaration, ThreadId},
    },
    Hooks, MockStreams, OnCall, OnCreate, as_thread,
};
use crate::{chooser::Course, clock::Ticks};

impl MockStreams {
    /// Tells the oracle something that no call shows, on the calling thread.
    pub fn declare(&self, said: Declaration) {
        self.inner().declare(said);
    }
    /// Lets virtual time pass: work runs, and ends.
    pub fn tick(&self, ticks: Ticks) {
        self.change(|model| model.tick(ticks));
    }
    /// Lets virtual time pass until nothing runs that ends by itself.
    pub fn run_until_idle(&self) {
        self.change(Model::run_until_idle);
    }
    /// From here on the device does nothing by itself, and the course says what the host sees of its work: where a call is about
    /// to see whether work is finished, 0 is "not yet" and 1 that it is; of a wait, 0 is that it ends in time, and 1 that it
    /// runs into its limit.
    ///
    /// ```
    /// use ringfence::{backend::streams::*, id::*};
    /// use ringfence_mock::{chooser::Course, clock::Ticks};
    /// use ringfence_mock::streams::{model::Moving, op::StreamOp, profile::DriverProfile, system::MockStreams};
    /// let driver = MockStreams::new(DriverProfile::Hip57);
    /// let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
    /// let stream = driver.create(key).expect("nothing is planned to fail");
    /// driver.follow(Course::new(vec![0, 1], 0), Moving::Lazily);
    /// driver.launch(stream, StreamOp::new("axpy", Ticks::new(20))).expect("it exists");
    /// driver.tick(Ticks::new(1_000)); // time says nothing any more
    /// assert_eq!(driver.query(stream), StreamState::Pending);
    /// assert_eq!(driver.query(stream), StreamState::Idle);
    /// ```
    pub fn follow(&self, course: Course, moving: Moving) {
        self.change(|model| model.follow(course, moving));
    }
    /// From here on work is finished by virtual time again.
    pub fn run_by_time(&self) {
        self.change(Model::run_by_time);
    }
    /// The course's answer to one more question with so many answers, which is not about the device; 0 without a course.
    pub fn choose(&self, choices: u16) -> u16 {
        self.inner().model.choose(choices)
    }
    /// Virtual time since the start; a tick is 1 µs.
    pub fn now(&self) -> Ticks {
        self.inner().model.now()
    }
    /// Runs `body` as this logical thread ([`as_thread`]).
    pub fn as_thread<T>(&self, thread: ThreadId, body: impl FnOnce() -> T) -> T {
        as_thread(thread, body)
    }
    /// Modelled host time of a thread's calls: a model, not silicon. Creations cost only the thread that
    /// makes them.
    pub fn account(&self, thread: ThreadId) -> Duration {
        self.inner().model.account(thread)
    }
    /// The logical thread that calls.
    pub fn this_thread(&self) -> ThreadId {
        self.inner().thread()
    }
    /// Calls, streams, and what they cost in the model.
    pub fn counts(&self) -> StreamCounts {
        self.inner().model.counts().clone()
    }
    /// A look at the model.
    pub fn with_model<T>(&self, look: impl FnOnce(&Model) -> T) -> T {
        look(&self.inner().model)
    }
    /// A look at the oracle; `None` when it does not watch.
    pub fn with_oracle<T>(&self, look: impl FnOnce(&StreamOracle) -> T) -> Option<T> {
        self.inner().oracle.as_ref().map(look)
    }
    /// Every rule that was broken so far. The first is the fault; later ones may follow from it.
    pub fn violations(&self) -> Vec<StreamViolation> {
        self.with_oracle(|oracle| oracle.violations().to_vec()).unwrap_or_default()
    }
    /// Everything so far that would have killed or hung a real process.
    pub fn crashes(&self) -> Vec<String> {
        self.with_model(|model| model.crashes().to_vec())
    }
    /// The last `count` happenings as text, the oldest first.
    pub fn trace(&self, count: usize) -> Vec<String> {
        self.inner().trace(count)
    }

    /// The next creation fails.
    pub fn fail_next_create(&self, error: DriverError) {
        self.fail(CallKind::Create, 0, error);
    }
    /// The `nth` call of this kind from now on, counted from 0, fails. A fault of a query is its answer:
    /// [`DriverError::CaptureConflict`] makes it `Unknown`.
    pub fn fail(&self, kind: CallKind, nth: u64, error: DriverError) {
        self.change(|model| model.plan_fault(kind, nth, error));
    }
    /// Creation fails while so many streams are alive.
    pub fn fail_at_live(&self, limit: NonZeroU32) {
        self.change(|model| model.fail_at_live(Some(limit)));
    }
    /// The stream is in error from now on, and stays so; work that was submitted still ends.
    pub fn poison(&self, stream: RawStream, error: DriverError) {
        self.change(|model| model.poison(stream, error));
    }
    /// Ends work of a stream that would never end.
    pub fn end_endless(&self, stream: RawStream) {
        self.change(|model| model.end_endless(stream));
    }
    /// The device is lost: nothing runs or ends any more, and every call fails.
    pub fn lose_device(&self) {
        self.change(Model::lose_device);
    }
    /// What follows happens in a forked child: every call of the driver is a crash.
    pub fn fork(&self) {
        self.change(Model::fork);
    }
    /// The process exits: every call of the driver is a crash.
    pub fn begin_exit(&self) {
        self.change(Model::begin_exit);
    }
    fn change(&self, change: impl FnOnce(&mut Model)) {
        let mut inner = self.inner();
        change(&mut inner.model);
        inner.moved();
        self.shared.ready.store(inner.model.state() == DriverState::Ready, Ordering::Release);
    }

    /// Calls `hook` at every creation, before the stream exists, with no lock of the mock held: it may
    /// block, or call the library again. `None` takes it away.
    pub fn on_create(&self, hook: Option<Box<OnCreate>>) {
        self.set_hooks(|hooks| hooks.create = hook.map(Arc::from));
    }
    /// Calls `hook` after every call of the driver, with no lock of the mock held; the library may hold
    /// its own. `None` takes it away.
    pub fn on_call(&self, hook: Option<Box<OnCall>>) {
        self.set_hooks(|hooks| hooks.call = hook.map(Arc::from));
    }
    fn set_hooks(&self, set: impl FnOnce(&mut Hooks)) {
        let mut hooks = self.shared.hooks.lock().unwrap_or_else(PoisonError::into_inner);
        set(&mut hooks);
        let any = hooks.create.is_some() || hooks.call.is_some();
        self.shared.hooked.store(any, Ordering::Release);
    }
}
