//! Plays a mix: eight trackers, their events, and what is written down on the way.

use std::array;

use ringfence::{
    drive::{CopySubmission, HardwareQueue, Policy, Submission, Tracker, TrackerKind},
    error::Error,
    event::{Event, EventOptions, EventStatus},
    id::{Barrier, Parts, UseId},
    ledger::Counts,
    placement::Role,
    ring::Timing,
};
use ringfence_mock::oracle::{Declaration, Recording, RingName, SignalCount};

use super::{
    machine::Machine,
    workload::{
        After, EVENTS_EACH, EventNumber, Length, QUEUES, STREAMS, Step, StreamNumber, TIMED_EACH,
        TimedNumber,
    },
};

/// What was seen while a mix was played, besides what the trackers count.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Tally {
    /// Queries of an event that was proven before, and the loads that these made.
    pub(crate) proven_queries: u64,
    pub(crate) proven_loads: u64,
    /// Host waits for all of a stream's work.
    pub(crate) drains: u64,
    /// Stores of an initial value other than 1, which no arm counts.
    pub(crate) part_stores: u64,
    /// Copies that may have had to flush: they wait for something.
    pub(crate) copies_that_wait: u64,
    /// Intervals asked for, and those that the device's stamps allowed.
    pub(crate) intervals_asked: u64,
    pub(crate) intervals: u64,
    /// Uses that were in flight when everything was said to be finished.
    pub(crate) left_over: u64,
}

/// An event, and which use its latest recording is.
#[derive(Debug, Default)]
struct Noted {
    event: Event,
    of: Option<UseId>,
}

/// The parts of a copy, at most so many.
const MAX_PARTS: usize = 4;

/// A program in the making.
#[derive(Debug)]
pub(crate) struct Player<'m, M: Machine> {
    machine: &'m M,
    device: M::Device,
    engine: M::Engine,
    tracker: TrackerKind,
    streams: Vec<Tracker<M::Device, M::Queue>>,
    events: Vec<Noted>,
    timed: Vec<Noted>,
    tally: Tally,
}
impl<'m, M: Machine> Player<'m, M> {
    /// Opens the trackers of all streams.
    ///
    /// # Errors
    /// When a tracker cannot be opened.
    pub(crate) fn open(machine: &'m M, policy: Policy) -> Result<Self, Error> {
        let (device, engine) = (machine.device(), machine.engine());
        let queues: [_; QUEUES] = array::from_fn(|_| HardwareQueue::new(machine.add_queue()));
        let mut streams = Vec::with_capacity(STREAMS);
        for number in 0..STREAMS {
            let queue = queues[number % QUEUES].clone();
            let (ring, cap) = (ring_of(number), SignalCount::new(policy.ring.cap));
            machine.declare(|| Declaration::Limits { ring, cap });
            machine.declare(|| Declaration::Submitting(ring));
            streams.push(Tracker::open(device.clone(), queue, policy)?);
            machine.declare(|| Declaration::Submitted);
        }
        let timing = EventOptions { timing: Timing::Wanted, ..EventOptions::default() };
        let timed = || Noted { event: Event::new(timing), of: None };
        Ok(Self {
            machine,
            device,
            engine,
            tracker: policy.tracker,
            streams,
            events: (0..STREAMS * EVENTS_EACH).map(|_| Noted::default()).collect(),
            timed: (0..STREAMS * TIMED_EACH).map(|_| timed()).collect(),
            tally: Tally::default(),
        })
    }
    /// Does one step.
    ///
    /// # Errors
    /// What the library says; none is expected on a healthy device.
    #[inline]
    pub(crate) fn play(&mut self, step: &Step) -> Result<(), Error> {
        match *step {
            Step::Kernel { on, barrier, length } => {
                self.submitting(on, |it| it.kernel(on, barrier, length))
            }
            Step::Profiled { as_event, length } => {
                self.read_interval(as_event.index());
                self.submitting(as_event.owner(), |it| it.profiled(as_event, length))
            }
            Step::Record(event) => self.submitting(event.owner(), |it| it.record(event)),
            Step::Query(event) => {
                self.query(event);
                Ok(())
            }
            Step::Synchronize(event) => self.synchronize(event),
            Step::Wait { on, event } => self.submitting(on, |it| it.wait(on, event)),
            Step::Copy { as_event, parts, timing, after, length } => self
                .submitting(as_event.owner(), |it| it.copy(as_event, parts, timing, after, length)),
            Step::Drain(on) => {
                self.tally.drains += 1;
                self.streams[on.index()].synchronize().map(drop)
            }
        }
    }
    /// Tells the oracle whose ring the signals belong to that `call` creates. The polling tracker looks
    /// at its oldest signal alone, so the rules on what a ring does first are not its own.
    #[inline]
    fn submitting<T>(&mut self, on: StreamNumber, call: impl FnOnce(&mut Self) -> T) -> T {
        if self.tracker == TrackerKind::Retiring {
            self.machine.declare(|| Declaration::Submitting(ring_of(on.index())));
        }
        let done = call(self);
        self.machine.declare(|| Declaration::Submitted);
        done
    }
    fn wait(&mut self, on: StreamNumber, event: EventNumber) -> Result<(), Error> {
        let Self { streams, events, .. } = self;
        events[event.index()].event.wait_on(&mut streams[on.index()])
    }
    fn kernel(&mut self, on: StreamNumber, barrier: Barrier, length: Length) -> Result<(), Error> {
        let work = self.machine.kernel(length);
        let kernel = Submission::kernel(work).barrier(barrier);
        self.streams[on.index()].submit(kernel).map(drop)
    }
    fn profiled(&mut self, timed: TimedNumber, length: Length) -> Result<(), Error> {
        let kernel = Submission::kernel(self.machine.kernel(length)).role(Role::TimingOnly);
        let Noted { event, of } = &mut self.timed[timed.index()];
        let recorded = event.record_with(&mut self.streams[timed.owner().index()], kernel)?;
        *of = Some(recorded);
        self.machine.declare(|| Declaration::WantsTiming(recorded));
        Ok(())
    }
    fn read_interval(&mut self, timed: usize) {
        let Noted { event, of } = &self.timed[timed];
        let Some(of) = *of else { return };
        if event.query(&self.device) != EventStatus::Finished {
            return;
        }
        let interval = event.interval(&self.device);
        self.tally.intervals_asked += 1;
        self.tally.intervals += u64::from(interval.is_some());
        self.machine.declare(|| Declaration::ClaimsInterval { of, interval });
    }
    fn record(&mut self, number: EventNumber) -> Result<(), Error> {
        let Noted { event, of } = &mut self.events[number.index()];
        *of = Some(event.record(&mut self.streams[number.owner().index()])?);
        Ok(())
    }
    fn query(&mut self, number: EventNumber) {
        let Noted { event, of } = &self.events[number.index()];
        self.machine.declare_of(*of, Declaration::QueryBegins);
        let status = event.query(&self.device);
        if of.is_some() {
            self.machine.declare(|| Declaration::QueryEnds);
        }
        match status {
            EventStatus::Finished => self.proven(number),
            EventStatus::Pending => self.machine.declare_of(*of, Declaration::ClaimsPending),
            EventStatus::NotRecorded | EventStatus::Failed(_) => {}
        }
    }
    /// An event is known to be finished: asked again, it costs nothing (S19).
    #[inline]
    fn proven(&mut self, number: EventNumber) {
        let Noted { event, of } = &self.events[number.index()];
        let recording = Recording::Latest;
        self.machine.declare_of(*of, |of| Declaration::ClaimsFinished { of, recording });
        self.machine.declare_of(*of, Declaration::QueryBegins);
        let again = || {
            let _ = event.query(&self.device);
        };
        if let Some(loads) = self.machine.loads_of(again) {
            self.tally.proven_queries += 1;
            self.tally.proven_loads += loads;
        }
        if of.is_some() {
            self.machine.declare(|| Declaration::QueryEnds);
        }
    }
    fn synchronize(&mut self, number: EventNumber) -> Result<(), Error> {
        let Noted { event, of } = &self.events[number.index()];
        let wait = &self.streams[number.owner().index()].policy().wait;
        self.machine.declare(|| Declaration::SyncBegins);
        let synced = event.synchronize(&self.device, wait);
        self.machine.declare(|| Declaration::SyncEnds);
        if synced?.is_some() {
            self.machine.declare_of(*of, Declaration::ClaimsData);
            self.proven(number);
        }
        Ok(())
    }
    fn copy(
        &mut self,
        number: EventNumber,
        parts: Parts,
        timing: Timing,
        after: After,
        length: Length,
    ) -> Result<(), Error> {
        let work: [_; MAX_PARTS] = array::from_fn(|_| self.machine.part(length));
        let mut copy = CopySubmission::new(&work[..parts.count() as usize]);
        if timing == Timing::Wanted {
            copy = copy.timed();
        }
        if let After::Event(other) = after
            && let Some(earlier) = self.events[other.index()].event.snapshot()
            && let Some(awaited) = earlier.awaited(&self.device)?
        {
            copy = copy.after(awaited);
            self.tally.copies_that_wait += 1;
        }
        self.tally.part_stores += u64::from(parts > Parts::ONE);
        let stream = &mut self.streams[number.owner().index()];
        let record = stream.copy(&self.engine, copy, None)?;
        let recorded = record.about().of;
        if timing == Timing::Wanted {
            self.machine.declare(|| Declaration::WantsTiming(recorded));
        }
        let Noted { event, of } = &mut self.events[number.index()];
        event.record_copy(record);
        *of = Some(recorded);
        Ok(())
    }
    /// Waits for everything, and says what it all cost.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn finish(&mut self) -> Result<Played, Error> {
        for stream in &mut self.streams {
            stream.drain()?;
            self.tally.drains += 1;
            let _reclaimed = stream.reclaim()?;
        }
        for timed in 0..self.timed.len() {
            self.read_interval(timed);
        }
        let left_over: usize = self.streams.iter().map(Tracker::in_flight).sum();
        self.tally.left_over = left_over as u64;
        self.machine.declare(|| Declaration::Finale {
            left_over: u32::try_from(left_over).unwrap_or(u32::MAX),
        });
        let nothing = Counts::default();
        let counts = self.streams.iter().fold(nothing, |sum, stream| sum.plus(&stream.counts()));
        Ok(Played { counts, tally: self.tally })
    }
    /// Closes the trackers: every signal is destroyed, once.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn close(self) -> Result<(), Error> {
        drop((self.events, self.timed));
        for stream in self.streams {
            stream.close()?;
        }
        Ok(())
    }
}

fn ring_of(stream: usize) -> RingName {
    RingName::new(u32::try_from(stream).unwrap_or(u32::MAX))
}

/// A mix was played to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Played {
    /// What the trackers counted, all together.
    pub(crate) counts: Counts,
    /// What was seen besides.
    pub(crate) tally: Tally,
}
