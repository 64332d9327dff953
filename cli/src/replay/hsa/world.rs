//! Everything that a scenario is about, while it is played: the library on real queues.

use std::{collections::BTreeMap, mem::ManuallyDrop};

use ringfence::{
    backend::{Device, Features},
    drive::{Policy, Tracker, TrackerKind},
    ledger::Counts,
    ring::{Reaper, Record},
    sync::Arc,
};
use ringfence_hsa::{CopyWork, HsaCopyEngine};
use ringfence_mock::scenario::{Action, ErrorKind, Expect, Name, Run, Setup, Steady, Step, Word};

use super::{
    failure::{Failure, Stop},
    gpu::{Gpus, Queue, wait_for},
    things::{Certainty, Moment, Slot, Stream, Tally, Used, is_certain, policy},
};

pub(super) struct World<'g> {
    pub(super) gpus: &'g Gpus,
    pub(super) policy: Policy,
    pub(super) queues: BTreeMap<Name, Queue>,
    pub(super) engines: BTreeMap<Name, (HsaCopyEngine, CopyWork)>,
    pub(super) streams: BTreeMap<Name, Stream>,
    pub(super) uses: BTreeMap<Name, Used>,
    pub(super) events: BTreeMap<Name, Slot>,
    /// Copies that may be under way.
    pub(super) copies: Vec<(usize, Arc<Record>)>,
    /// Of closed streams: somebody may still hold a signal.
    pub(super) reapers: Vec<(usize, Arc<Reaper>)>,
    /// What closed streams have counted.
    closed: Counts,
    pub(super) since: Counts,
    /// Waits for a signal before the last step that was no expectation.
    pub(super) waits_for_room_before: u64,
    /// Signals that there were when the steady part began.
    steady: Option<u64>,
    now: Moment,
    idle_at: Moment,
    pub(super) watched_at: Moment,
    /// Handlers of earlier scenarios that never came.
    pub(super) handlers_before: usize,
    /// Whether packets since `count_from` depend on nothing but the steps.
    pub(super) packets: Certainty,
    pub(super) tally: Tally,
}

impl<'g> World<'g> {
    /// The machine of `setup`, with all streams open. Never dropped half way: what hangs would hold that up.
    pub(super) fn open(gpus: &'g Gpus, setup: &Setup) -> Result<ManuallyDrop<Self>, Failure> {
        let named = |prefix: &'static str, count: u32| {
            (0..count).map(move |n| Name::new(format!("{prefix}{n}")))
        };
        let device_of = |name: &Name| setup.device_of(name) as usize;
        let mut queues = BTreeMap::new();
        for name in named("q", setup.queues) {
            let queue = Queue::open(gpus, device_of(&name), setup.slots)?;
            queues.insert(name, queue);
        }
        let mut engines = BTreeMap::new();
        for name in named("sdma", setup.engines) {
            let engine = gpus.gpu(device_of(&name)).device.copy_engine()?;
            let copy = engine.idle_copy()?;
            engines.insert(name, (engine, copy));
        }
        let mut world = ManuallyDrop::new(Self {
            gpus,
            policy: policy(setup),
            queues,
            engines,
            streams: BTreeMap::new(),
            uses: BTreeMap::new(),
            events: BTreeMap::new(),
            copies: Vec::new(),
            reapers: Vec::new(),
            closed: Counts::default(),
            since: Counts::default(),
            waits_for_room_before: 0,
            steady: None,
            now: Moment::default(),
            idle_at: Moment::default(),
            watched_at: Moment::default(),
            handlers_before: gpus.handlers.waiting(),
            packets: Certainty::Known,
            tally: Tally::default(),
        });
        for (stream, queue) in setup.stream_queues() {
            world.open_stream(&stream, &queue)?;
        }
        Ok(world)
    }
    /// Carries out one step, and checks that it ended as it says, as far as that is certain.
    pub(super) fn apply(&mut self, step: &Step) -> Result<(), Failure> {
        if let Action::Repeat { times, steps } = &step.action {
            return self.repeat(*times, steps);
        }
        self.tally.steps += 1;
        if !matches!(step.action, Action::Expect(_)) {
            self.waits_for_room_before = self.counts().waits_for_room;
        }
        match (self.act(&step.action), step.fails) {
            (Ok(()), None) => Ok(()),
            (Ok(()), Some(expected)) if is_certain(expected) => Err(Failure::not_so(
                format_args!("this step to fail with `{}`", expected.word()),
                "it succeeded",
            )),
            (Ok(()), Some(_)) => {
                self.tally.unchecked += 1;
                Ok(())
            }
            (Err(Stop::Error(error)), Some(expected)) => {
                let certain = is_certain(expected);
                *if certain { &mut self.tally.checked } else { &mut self.tally.unchecked } += 1;
                if ErrorKind::of(&error) == Some(expected) {
                    return Ok(());
                }
                let expected = format_args!("this step to fail with `{}`", expected.word());
                Err(Failure::not_so(expected, format_args!("it failed otherwise: {error}")))
            }
            (Err(stop), _) => Err(stop.into()),
        }
    }
    fn repeat(&mut self, times: u32, steps: &[Step]) -> Result<(), Failure> {
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
    fn act(&mut self, action: &Action) -> Result<(), Stop> {
        match action {
            Action::Submit(submit) => self.submit(submit),
            Action::Graph(graph) => self.graph(graph),
            Action::Copy(copy) => self.copy(copy),
            Action::Record { event, on, kind, timing } => self.record(event, on, *kind, *timing),
            Action::Snapshot { name, of } => self.snapshot(name, of),
            Action::Wait { on, events, by, .. } => self.wait(on, events, *by),
            Action::Query { of } if self.events.contains_key(of) => self.query(of),
            Action::Query { of } => self.query_use(of),
            Action::SyncEvent { event } => self.sync_event(event),
            Action::SyncStream { stream } => self.sync_stream(stream),
            Action::Elapsed { from, to } => self.elapsed(from, to),
            Action::Destroy { event } => self.destroy(event),
            Action::Handler { event } => self.handler(event),
            Action::Deliver => self.deliver(),
            Action::Reclaim { on } => self.reclaim(on),
            Action::Probe { on } => self.probe(on),
            Action::Drain { on } => self.drain(on),
            Action::Switch { on, to } => self.switch(on, to),
            Action::Share { stream, on } => Ok(self.open_stream(stream, on)?),
            Action::Close { stream } => self.close(stream),
            Action::Foreign { queue, packets, barrier } => {
                self.publish_foreign(queue, *packets, *barrier)
            }
            Action::Run(Run::Idle) | Action::Finish { .. } => self.wait_until_idle(),
            Action::Steady(Steady::Begin) => {
                self.steady = Some(self.counts().created);
                Ok(())
            }
            Action::Steady(Steady::End) => self.end_steady(),
            Action::CountFrom => {
                (self.since, self.packets) = (self.counts(), Certainty::Known);
                Ok(())
            }
            Action::Expect(expect) => self.expect(expect),
            Action::Repeat { .. }
            | Action::Search { .. }
            | Action::DeliverOne { .. }
            | Action::Force { .. }
            | Action::Start { .. }
            | Action::ReadIndex { .. }
            | Action::Run(Run::Moves(_))
            | Action::Restart { .. }
            | Action::Profiler { .. }
            | Action::Fail(_) => unreachable!("such scenarios are left out"),
        }
    }
    pub(super) fn expect(&mut self, expect: &Expect) -> Result<(), Stop> {
        let certainty = self.check(expect)?;
        match certainty {
            Certainty::Known => self.tally.checked += 1,
            Certainty::Open => self.tally.unchecked += 1,
        }
        Ok(())
    }
    pub(super) fn stream(&mut self, name: &Name) -> Result<&mut Stream, Failure> {
        let unknown = || Failure::new(format!("there is no stream called `{name}` now"));
        self.streams.get_mut(name).ok_or_else(unknown)
    }
    pub(super) fn slot(&mut self, name: &Name) -> Result<&mut Slot, Failure> {
        let unknown = || Failure::new(format!("there is no event called `{name}` now"));
        self.events.get_mut(name).ok_or_else(unknown)
    }
    pub(super) fn open_stream(&mut self, name: &Name, queue: &Name) -> Result<(), Failure> {
        let unknown = || Failure::new(format!("there is no queue called `{queue}`"));
        let on = self.queues.get(queue).ok_or_else(unknown)?;
        let (hardware, device) = (on.hardware.clone(), on.device);
        let tracker = Tracker::open(self.gpus.gpu(device).device.clone(), hardware, self.policy);
        let tracker = tracker.map_err(|error| Failure::from(Stop::Error(error)))?;
        self.streams.insert(name.clone(), Stream { tracker, device, synced_at: Moment::default() });
        Ok(())
    }
    /// What all streams have counted.
    pub(super) fn counts(&self) -> Counts {
        self.streams.values().fold(self.closed, |sum, stream| sum.plus(&stream.tracker.counts()))
    }
    pub(super) fn note_closed(&mut self, counts: &Counts) {
        self.closed = self.closed.plus(counts);
    }
    /// Something is about to be published.
    pub(super) fn tick(&mut self) -> Moment {
        self.now.0 += 1;
        self.now
    }
    /// All that the devices were given is complete.
    pub(super) fn wait_until_idle(&mut self) -> Result<(), Stop> {
        for (device, copy) in self.copies.drain(..) {
            wait_for(self.gpus, device, &copy)?;
        }
        for queue in self.queues.values_mut() {
            queue.wait_until_idle(self.gpus)?;
        }
        self.idle_at = self.now;
        Ok(())
    }
    pub(super) fn note_synced(&mut self, stream: &Name) {
        let now = self.now;
        if let Some(stream) = self.streams.get_mut(stream) {
            stream.synced_at = now;
        }
    }
    /// Whether everything that was published up to `moment` was seen to be over.
    pub(super) fn is_over(&self, moment: Moment) -> bool {
        moment <= self.idle_at
    }
    /// Whether a use was seen to be over.
    pub(super) fn certainty(&self, used: &Used) -> Certainty {
        let synced = self.streams.get(&used.stream).is_some_and(|on| used.born <= on.synced_at);
        if synced || self.is_over(used.born) { Certainty::Known } else { Certainty::Open }
    }
    /// Whether the GPUs have what scenarios assume of one.
    pub(super) fn has_usual_features(&self) -> bool {
        let usual = Features::LARGE_BAR | Features::DEVICE_SIGNALS | Features::INTERRUPTS;
        let has = |on: &Stream| on.tracker.device().capabilities().features.contains(usual);
        self.streams.values().all(has)
    }
    pub(super) fn end_steady(&mut self) -> Result<(), Stop> {
        let Some(before) = self.steady.take() else { return Ok(()) };
        self.tally.checked += 1;
        let made = self.counts().created - before;
        if made == 0 {
            return Ok(());
        }
        let seen = format!("{made} were created");
        Err(Failure::not_so("no signal to be created in the steady part", seen).into())
    }
    pub(super) fn is_polling(&self) -> bool {
        self.policy.tracker == TrackerKind::Polling
    }
}
