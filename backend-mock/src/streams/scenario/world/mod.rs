//! Runs steps: a pool on a mock driver, under the eye of the oracle.

mod act;
mod capture;
mod count;
mod expectations;
mod failure;
mod finale;
mod futures;
mod keep;
mod leases;
mod owners;
mod search;
mod tables;
mod things;
mod users;
mod watch;
mod work;

use std::{
    fmt,
    num::NonZeroU32,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use ringfence::{
    drive::StreamPool,
    stream::{
        FreshDeferred, FreshDrop, LeasePolicy, MemoryCounts, PoolCounts, PoolOptions, RoundRobin,
        StreamPolicy,
    },
    task::OwnerTable,
};

pub use failure::{StreamFailure, StreamWrong};

use super::{PolicyKind, Pumping, StreamAction, StreamSetup, StreamStep};
use crate::{
    chooser::Course,
    clock::Ticks,
    scenario::Name,
    streams::{
        StreamCounts,
        model::Moving,
        profile::DriverProfile,
        seen::{Declaration, Exclusive, ThreadId},
        system::{MockStreams, StreamSettings, as_thread},
    },
};
use capture::Inside;
use failure::Stop;
use things::{Arena, State};
use watch::Watch;

/// Happenings that are kept: named work that completes is found among them.
const TRACE: usize = 2_048;
/// Happenings that a report shows.
const SHOWN: usize = 24;
/// The thread that does what no other is named for.
const MAIN: ThreadId = ThreadId::new(0);

/// Everything that a scenario of streams is about, while it runs.
///
/// ```
/// use ringfence_mock::{
///     clock::Ticks,
///     scenario::Name,
///     streams::{op::RunTime, profile::DriverProfile, scenario::*},
/// };
/// let setup = StreamSetup::on([DriverProfile::Hip57]);
/// let mut world = StreamWorld::new(&setup, DriverProfile::Hip57);
/// let work = Run {
///     time: RunTime::Ticks(Ticks::new(10)),
///     on: vec![Name::from("a")],
///     reads: Vec::new(),
///     writes: Vec::new(),
///     name: None,
///     through: Through::Pool,
/// };
/// let steps = [
///     StreamAction::Acquire(Acquire::of("a")),
///     StreamAction::Run(work),
///     StreamAction::Release(vec![Name::from("a")]),
///     StreamAction::Acquire(Acquire::of("b")), // another stream: the first is not finished
///     StreamAction::Expect(StreamExpect::Distinct(vec![Name::from("a"), Name::from("b")])),
/// ];
/// for step in steps {
///     world.apply(&step.into()).expect("no rule is broken");
/// }
/// assert_eq!(world.finish().expect("nothing is left over").pool.created, 2);
/// ```
pub struct StreamWorld {
    hand: Hand,
}
impl fmt::Debug for StreamWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamWorld").field("driver", &self.hand.0.driver).finish_non_exhaustive()
    }
}

/// What a scenario of streams came to on one driver.
#[derive(Clone, Debug)]
pub struct StreamReport {
    /// The driver.
    pub profile: DriverProfile,
    /// Steps that were carried out, repeated ones each time.
    pub steps: u64,
    /// What the pool counted.
    pub pool: PoolCounts,
    /// What was freed, and how.
    pub memory: MemoryCounts,
    /// What the driver was asked to do.
    pub driver: StreamCounts,
    /// Leases whose tasks shared a stream.
    pub shared: u64,
    /// Nodes that somebody else recorded into a capture.
    pub foreign_nodes: u64,
}

/// Whoever does a step: the main program, a capture's closure, or others while a stream is created.
#[derive(Clone)]
struct Hand(Arc<Inner>);
struct Inner {
    pool: StreamPool<MockStreams, Arena>,
    driver: MockStreams,
    setup: StreamSetup,
    profile: DriverProfile,
    exclusive: Exclusive,
    owners: OwnerTable<Name, Arena>,
    watch: Arc<Mutex<Watch>>,
    state: Mutex<State>,
}

impl StreamWorld {
    /// The pool of `setup` on this driver.
    pub fn new(setup: &StreamSetup, profile: DriverProfile) -> Self {
        let world = Self::with_trace(setup, profile, TRACE);
        if let Some(answers) = &setup.answers {
            world.driver().follow(Course::new(answers.clone(), 0), Moving::Lazily);
        }
        world
    }
    /// The pool of `setup` on a device that moves as `course` says; without a trace.
    pub(crate) fn searched(
        setup: &StreamSetup,
        profile: DriverProfile,
        course: Course,
        moving: Moving,
    ) -> Self {
        let world = Self::with_trace(setup, profile, 0);
        world.driver().follow(course, moving);
        world
    }
    fn with_trace(setup: &StreamSetup, profile: DriverProfile, trace: usize) -> Self {
        let mut settings = StreamSettings::new(profile).with_words(setup.words).with_trace(trace);
        if let Some(queues) = NonZeroU32::new(setup.queues) {
            settings = settings.with_queues(queues);
        }
        let driver = MockStreams::with(settings);
        let options = PoolOptions {
            idle_cap: setup.idle_cap,
            live_cap: NonZeroU32::new(setup.live_cap),
            looks: setup.looks,
            warn_past: setup.warn_past,
            wait_limit: Duration::from_micros(u64::from(setup.wait_limit)),
        };
        let streams = NonZeroU32::new(setup.streams).unwrap_or(NonZeroU32::MIN);
        let policy: Box<dyn StreamPolicy> = match setup.policy {
            PolicyKind::Lease => Box::new(LeasePolicy),
            PolicyKind::FreshDrop => Box::new(FreshDrop),
            PolicyKind::FreshDeferred => Box::new(FreshDeferred { limit: streams }),
            PolicyKind::RoundRobin => Box::new(RoundRobin { streams }),
        };
        let exclusive = match setup.policy {
            PolicyKind::RoundRobin => Exclusive::No,
            _ => Exclusive::Yes,
        };
        let watch = Watch::over(&driver);
        let pool =
            StreamPool::with_attachments(driver.clone(), options, policy, |raw| Arena { raw });
        if setup.policy == PolicyKind::Lease {
            // The baselines destroy and create at will: the cap of idle streams is not theirs.
            as_thread(MAIN, || driver.declare(Declaration::Pool { idle_cap: setup.idle_cap }));
        }
        let (setup, state) = (setup.clone(), Mutex::default());
        let owners = OwnerTable::new();
        let inner = Inner { owners, pool, driver, setup, profile, exclusive, watch, state };
        let hand = Hand(Arc::new(inner));
        hand.creations(None);
        Self { hand }
    }
    /// The driver, to look at.
    pub fn driver(&self) -> &MockStreams {
        &self.hand.0.driver
    }
    /// Carries out one step, and checks that it ended as it says.
    ///
    /// # Errors
    /// A broken rule, an expectation that does not hold, an error that was not announced.
    pub fn apply(&mut self, step: &StreamStep) -> Result<(), Box<StreamFailure>> {
        as_thread(MAIN, || self.hand.apply(step, None))
    }
    /// Ends the scenario: everything is let go of, all work that can end does, and the pool is shut down.
    ///
    /// # Errors
    /// A broken rule; what is left over and was not announced.
    pub fn finish(mut self) -> Result<StreamReport, Box<StreamFailure>> {
        self.end()
    }
    /// The same, for somebody who looks at the world after it.
    pub(crate) fn end(&mut self) -> Result<StreamReport, Box<StreamFailure>> {
        as_thread(MAIN, || {
            // Whatever the device put off, it does now.
            self.driver().run_by_time();
            self.hand.finish()
        })
    }
}
impl Drop for StreamWorld {
    fn drop(&mut self) {
        // Hooks and futures hold the driver and the world alive: a circle that only this breaks.
        self.hand.0.driver.on_call(None);
        self.hand.0.driver.on_create(None);
        let things = std::mem::take(&mut *self.hand.state());
        as_thread(MAIN, || drop(things));
    }
}

impl Hand {
    fn pool(&self) -> &StreamPool<MockStreams, Arena> {
        &self.0.pool
    }
    fn driver(&self) -> &MockStreams {
        &self.0.driver
    }
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn say(&self, said: Declaration) {
        self.driver().declare(said);
    }
    /// Drops something, which must not call the driver.
    fn let_go<T>(&self, what: T) {
        self.say(Declaration::DropBegins);
        drop(what);
        self.say(Declaration::DropEnded);
    }

    /// Carries out one step, on its thread.
    fn apply(
        &self,
        step: &StreamStep,
        inside: Option<&mut Inside<'_, '_>>,
    ) -> Result<(), Box<StreamFailure>> {
        match &step.thread {
            None => self.apply_here(step, inside),
            Some(name) => {
                let thread = self.state().thread(name);
                as_thread(thread, || self.apply_here(step, inside))
            }
        }
    }
    fn apply_here(
        &self,
        step: &StreamStep,
        mut inside: Option<&mut Inside<'_, '_>>,
    ) -> Result<(), Box<StreamFailure>> {
        if let StreamAction::Repeat { times, steps } = &step.action {
            for round in 1..=*times {
                self.all(steps, inside.as_deref_mut()).map_err(|mut failure| {
                    failure.rounds.insert(0, (round, *times));
                    failure
                })?;
            }
            return Ok(());
        }
        self.state().steps += 1;
        let (before, in_capture) = (self.driver().now(), inside.is_some());
        let done = self.act(&step.action, inside);
        if !matches!(step.action, StreamAction::Expect(_)) {
            self.state().waited = self.driver().now() != before;
            if self.0.setup.pump == Pumping::Auto && !in_capture && !self.state().shut {
                self.pump();
            }
        }
        self.note_completions();
        if let Err(Stop::Failure(failure)) = &done
            && !failure.path.is_empty()
        {
            return Err(failure.clone()); // of a step inside this one
        }
        self.judge()?;
        match (done, step.fails) {
            (Ok(()), None) => Ok(()),
            (Ok(()), Some(expected)) => {
                Err(self.explain(StreamFailure::new(StreamWrong::NoError { expected }), step))
            }
            (Err(Stop::Error(kind, _)), Some(expected)) if kind == expected => Ok(()),
            (Err(Stop::Error(kind, error)), Some(expected)) => {
                let wrong = StreamWrong::OtherError { expected, kind, error };
                Err(self.explain(StreamFailure::new(wrong), step))
            }
            (Err(Stop::Error(kind, error)), None) => {
                let wrong = StreamWrong::UnexpectedError { kind, error };
                Err(self.explain(StreamFailure::new(wrong), step))
            }
            (Err(Stop::Failure(failure)), _) => Err(self.explain(failure, step)),
        }
    }
    /// Carries out several steps; a failure says which.
    fn all(
        &self,
        steps: &[StreamStep],
        mut inside: Option<&mut Inside<'_, '_>>,
    ) -> Result<(), Box<StreamFailure>> {
        for (position, step) in steps.iter().enumerate() {
            self.apply(step, inside.as_deref_mut()).map_err(|mut failure| {
                failure.path.insert(0, position);
                failure
            })?;
        }
        Ok(())
    }
    /// What the oracle and the model found so far.
    fn judge(&self) -> Result<(), Box<StreamFailure>> {
        let broken = self
            .driver()
            .with_oracle(|oracle| oracle.violations().first().cloned())
            .flatten()
            .map(StreamFailure::broken);
        let crashed = || {
            let what = self.driver().with_model(|model| model.crashes().first().cloned());
            what.map(|what| StreamFailure::new(StreamWrong::Crashed { what }))
        };
        match broken.or_else(crashed) {
            None => Ok(()),
            Some(mut failure) => {
                failure.trace = self.driver().trace(SHOWN);
                Err(failure)
            }
        }
    }
    fn explain(&self, mut failure: Box<StreamFailure>, step: &StreamStep) -> Box<StreamFailure> {
        failure.rule = failure.rule.or(step.rule);
        failure.trace = self.driver().trace(SHOWN);
        failure
    }
    /// What happens at each creation: it takes its time, and others may go on meanwhile.
    fn creations(&self, during: Option<Vec<StreamStep>>) {
        let ticks = Ticks::new(u64::from(self.0.setup.create_ticks));
        if during.is_none() && ticks == Ticks::ZERO {
            return self.driver().on_create(None);
        }
        let driver = self.driver().clone();
        let during = during.map(|steps| (self.clone(), Mutex::new(Some(steps))));
        self.driver().on_create(Some(Box::new(move |_| {
            if let Some((hand, steps)) = &during {
                let steps = steps.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(steps) = steps
                    && let Err(failure) = hand.all(&steps, None)
                {
                    hand.state().failed_inside = Some(failure);
                }
            }
            driver.tick(ticks);
        })));
    }
}
