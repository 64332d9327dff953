//! Runs steps: the library on a mock system, under the eye of the oracle.

mod ask;
mod build;
mod digest;
mod expectations;
mod failure;
mod finale;
mod host;
mod looks;
mod machine;
mod readable;
mod tend;
mod things;

use std::collections::BTreeMap;

use ringfence::{
    backend::PacketQueue,
    drive::{HandlerTable, HardwareQueue, Policy, Reclaim, Tracker},
    id::{PacketId, UseId},
    ledger,
    ring::Reaper,
    sync::Arc,
};

pub use digest::Digested;
pub use failure::{Failure, Wrong};

use crate::{
    chooser::Chooser,
    counts::Counts,
    oracle::{Declaration, RingName, Rule, SignalCount, Violation},
    scenario::{Action, ErrorKind, Name, Setup, Steady, Step},
    system::{MockCopyEngine, MockDevice, MockSystem, Pace},
};
use failure::Stop;
use looks::is_of_the_machine;

use things::{EventSlot, Queue, Stream, Used, Watcher, find};

/// Everything that a scenario is about, while it runs.
///
/// ```
/// use ringfence_mock::scenario::{Action, Expect, Name, Setup, Submit, World};
/// let mut world = World::new(&Setup::default(), 1).expect("a default machine");
/// let k1 = Name::from("k1");
/// let steps = [
///     Action::Submit(Submit::new("k1", "s0")),
///     Action::Expect(Expect::Busy(vec![k1.clone()])),
///     Action::Finish { of: vec![k1.clone()], parts: None },
///     Action::Reclaim { on: Name::from("s0") },
///     Action::Expect(Expect::Retired(vec![k1])),
/// ];
/// for step in steps {
///     world.apply(&step.into()).expect("no rule is broken");
/// }
/// assert_eq!(world.finish().expect("nothing is left over").steps, 5);
/// ```
#[derive(Debug)]
pub struct World {
    policy: Policy,
    system: MockSystem,
    devices: Vec<MockDevice>,
    queues: BTreeMap<Name, Queue>,
    engines: BTreeMap<Name, MockCopyEngine>,
    streams: BTreeMap<Name, Stream>,
    rings: u32,
    uses: BTreeMap<Name, Used>,
    events: BTreeMap<Name, EventSlot>,
    /// How often each event was recorded.
    recordings: BTreeMap<Name, u32>,
    handlers: HandlerTable<Watcher>,
    /// Of closed streams, with their devices: somebody may still hold a signal.
    reapers: Vec<(usize, Arc<Reaper>)>,
    /// What closed streams have counted.
    closed: ledger::Counts,
    /// Where counting began.
    since: Tally,
    /// Host waits that blocked before the last step that was no expectation.
    blocked_before: u64,
    elapsed: Option<std::time::Duration>,
    /// Searches for finished uses that were begun in steps.
    searches: BTreeMap<Name, Reclaim>,
    /// Decrements that no packet owed.
    over_decremented: u32,
    /// Creations that a step made fail.
    creations_to_fail: u32,
    /// Completions by force.
    forced: u32,
    steps: u64,
}

/// What a scenario came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Report {
    /// Steps that were carried out, repeated ones each time.
    pub steps: u64,
    /// What the devices were asked to do.
    pub calls: Counts,
    /// What the library says it did.
    pub library: ledger::Counts,
}

/// Counts of the devices and of the library at one point.
#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    calls: Counts,
    library: ledger::Counts,
}

impl World {
    /// The machine of `setup`, with all streams open. `seed` decides what the device chooses.
    ///
    /// # Errors
    /// When a stream cannot be opened on this machine.
    pub fn new(setup: &Setup, seed: u64) -> Result<Self, Box<Failure>> {
        let (chooser, pace) = build::chooser(setup.profile, seed);
        Self::with_chooser(setup, chooser, pace)
    }
    /// The machine of `setup`, with a chooser of the caller's.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_chooser(
        setup: &Setup,
        chooser: Box<dyn Chooser>,
        pace: Pace,
    ) -> Result<Self, Box<Failure>> {
        let system = build::system(setup, chooser, pace);
        let devices: Vec<MockDevice> =
            (0..setup.devices).map(|_| system.add_device(build::device(setup))).collect();
        let device_of = |name: &Name| (setup.device_of(name) as usize).min(devices.len() - 1);
        let named = |prefix: &str, count: u32| {
            let prefix = prefix.to_owned();
            (0..count).map(move |n| Name::new(format!("{prefix}{n}")))
        };
        let queues = named("q", setup.queues).map(|name| {
            let device = device_of(&name);
            let raw = devices[device].add_queue();
            (name, Queue { hardware: HardwareQueue::new(raw.clone()), raw, device })
        });
        let queues = queues.collect();
        let engines = named("sdma", setup.engines).map(|name| {
            let engine = devices[device_of(&name)].add_copy_engine();
            (name, engine)
        });
        let engines = engines.collect();
        let mut world = Self {
            policy: build::policy(setup),
            system,
            devices,
            queues,
            engines,
            streams: BTreeMap::new(),
            rings: 0,
            uses: BTreeMap::new(),
            events: BTreeMap::new(),
            recordings: BTreeMap::new(),
            handlers: HandlerTable::new(),
            reapers: Vec::new(),
            closed: ledger::Counts::default(),
            since: Tally::default(),
            blocked_before: 0,
            elapsed: None,
            searches: BTreeMap::new(),
            over_decremented: 0,
            creations_to_fail: 0,
            forced: 0,
            steps: 0,
        };
        for (stream, queue) in setup.stream_queues() {
            world.open(&stream, &queue).map_err(|stop| world.explain(stop, None))?;
        }
        Ok(world)
    }
    /// The mock system, to look at.
    pub fn system(&self) -> &MockSystem {
        &self.system
    }
    /// Carries out one step, and checks that it ended as it says.
    ///
    /// # Errors
    /// A broken rule, an expectation that does not hold, an error that was not announced.
    pub fn apply(&mut self, step: &Step) -> Result<(), Box<Failure>> {
        if let Action::Repeat { times, steps } = &step.action {
            return self.repeat(*times, steps);
        }
        self.steps += 1;
        let blocked = self.system.counts().waits_blocked;
        if !matches!(step.action, Action::Expect(_)) {
            self.blocked_before = blocked;
        }
        let done = match step.at {
            Some(at) => self.plan(at, &step.action),
            None => self.act_looking(&step.action),
        };
        if let Some(violation) = self.system.first_violation() {
            return Err(self.broken(violation));
        }
        match (done, step.fails) {
            (Ok(()), None) => Ok(()),
            (Ok(()), Some(expected)) => {
                let failure = Failure::new(Wrong::NoError { expected });
                Err(self.explain(failure.into(), step.rule))
            }
            (Err(Stop::Error(error)), Some(expected))
                if ErrorKind::of(&error) == Some(expected) =>
            {
                Ok(())
            }
            (Err(Stop::Error(error)), Some(expected)) => {
                let mut failure =
                    Failure::new(Wrong::OtherError { expected, error: error.to_string() });
                failure.error = ErrorKind::of(&error);
                Err(self.explain(failure.into(), step.rule))
            }
            (Err(stop), _) => Err(self.explain(stop, step.rule)),
        }
    }
    fn repeat(&mut self, times: u32, steps: &[Step]) -> Result<(), Box<Failure>> {
        for round in 1..=times {
            for (position, step) in steps.iter().enumerate() {
                self.apply(step).map_err(|mut failure| {
                    failure.path.insert(0, position);
                    failure.rounds.insert(0, (round, times));
                    failure
                })?;
            }
        }
        Ok(())
    }
    /// A stop as a failure, with the trace that led there.
    fn explain(&self, stop: Stop, rule: Option<Rule>) -> Box<Failure> {
        let mut failure = match stop {
            Stop::Failure(failure) => failure,
            Stop::Error(error) => {
                let mut text = error.to_string();
                let mut cause = std::error::Error::source(&error);
                while let Some(inner) = cause {
                    if !text.contains(&inner.to_string()) {
                        text.push_str(&format!(": {inner}"));
                    }
                    cause = inner.source();
                }
                let mut failure = Failure::new(Wrong::UnexpectedError { error: text });
                failure.error = ErrorKind::of(&error);
                failure
            }
        };
        failure.rule = failure.rule.or(rule);
        failure.trace = self.readable(&self.system.whole_trace());
        failure
    }
    /// A rule that the oracle saw broken.
    fn broken(&self, violation: Violation) -> Box<Failure> {
        let mut failure = Failure::broken(violation);
        failure.trace = self.readable(&failure.trace);
        failure
    }
    /// A step of the host, with what is planned for its looks; a step of the device has none.
    fn act_looking(&mut self, action: &Action) -> Result<(), Stop> {
        if is_of_the_machine(action) {
            return self.act(action);
        }
        self.system.begin_step();
        let done = self.act(action);
        let planned = self.system.end_step();
        planned.map_err(|why| {
            Failure::new(Wrong::Impossible { what: format!("at a look of this step: {why}") })
        })?;
        done
    }
    fn act(&mut self, action: &Action) -> Result<(), Stop> {
        match action {
            Action::Submit(submit) => self.submit(submit),
            Action::Graph(graph) => self.graph(graph),
            Action::Copy(copy) => self.copy(copy),
            Action::Record { event, on, kind, timing } => self.record(event, on, *kind, *timing),
            Action::Snapshot { name, of } => self.snapshot(name, of),
            Action::Wait { on, events, by, packet } => self.wait(on, events, *by, packet.as_ref()),
            Action::Query { of } if self.events.contains_key(of) => self.query(of),
            Action::Query { of } => self.query_use(of),
            Action::SyncEvent { event } => self.sync_event(event),
            Action::SyncStream { stream } => self.sync_stream(stream),
            Action::Elapsed { from, to } => self.elapsed(from, to),
            Action::Destroy { event } => self.destroy(event),
            Action::Handler { event } => self.handler(event),
            Action::Deliver => {
                self.deliver();
                Ok(())
            }
            Action::DeliverOne { nth } => self.deliver_one(*nth),
            Action::Force { event } => self.force(event),
            Action::Reclaim { on } => self.reclaim(on),
            Action::Search { on, steps } => self.search(on, *steps),
            Action::Probe { on } => self.probe(on),
            Action::Drain { on } => self.drain(on),
            Action::Switch { on, to } => self.switch(on, to),
            Action::Share { stream, on } => self.open(stream, on),
            Action::Close { stream } => self.close(stream),
            Action::Steady(Steady::Begin) => self.declare_all(&[Declaration::SteadyBegins]),
            Action::Steady(Steady::End) => self.declare_all(&[Declaration::SteadyEnds]),
            Action::CountFrom => {
                self.since = self.tally();
                Ok(())
            }
            Action::Expect(expect) => self.expect(expect),
            Action::Repeat { times, steps } => self.repeat(*times, steps).map_err(Stop::Failure),
            Action::Start { .. }
            | Action::Finish { .. }
            | Action::ReadIndex { .. }
            | Action::Run(_)
            | Action::Foreign { .. }
            | Action::Restart { .. }
            | Action::Profiler { .. }
            | Action::Fail(_) => self.move_machine(action),
        }
    }
    fn declare(&self, statement: Declaration) {
        self.system.declare(statement);
    }
    fn declare_all(&self, statements: &[Declaration]) -> Result<(), Stop> {
        statements.iter().for_each(|&statement| self.declare(statement));
        Ok(())
    }
    fn open(&mut self, name: &Name, queue: &Name) -> Result<(), Stop> {
        let ring = RingName::new(self.rings);
        self.rings += 1;
        let on = find(&mut self.queues, "queue", queue)?;
        let (hardware, device) = (on.hardware.clone(), self.devices[on.device].clone());
        self.declare(Declaration::Limits { ring, cap: SignalCount::new(self.policy.ring.cap) });
        self.declare(Declaration::Submitting(ring));
        let opened = Tracker::open(device, hardware, self.policy);
        self.declare(Declaration::Submitted);
        let stream = Stream { tracker: opened?, ring, queue: queue.clone(), submitted: Vec::new() };
        self.streams.insert(name.clone(), stream);
        Ok(())
    }
    fn tally(&self) -> Tally {
        let library = self
            .streams
            .values()
            .fold(self.closed, |sum, stream| sum.plus(&stream.tracker.counts()));
        Tally { calls: self.system.counts(), library }
    }
    /// The index behind the last packet of the queue that a stream is on.
    fn end_of(&mut self, stream: &Name) -> Result<UseId, Box<Failure>> {
        let lane = find(&mut self.streams, "stream", stream)?.tracker.queue().lane();
        let next = self.system.with_model(|model| model.queue(lane).map(crate::model::Queue::next));
        Ok(UseId::new(lane, next.unwrap_or(PacketId::FIRST)))
    }
}
