//! Ringfence above a runtime: a tracker for each stream.

use std::time::Duration;

use ringfence::{
    backend::{Device, PacketQueue},
    drive::{HardwareQueue, Policy, Submission, Tracker},
    error::Error,
    event::{Event, EventKind, EventOptions, EventStatus},
    ledger::Counts,
    ring::Timing,
};

use super::{
    clock::Clock,
    column::Profiling,
    stack::{Lane, Mark, Reached, Stack},
};
use crate::bench::problem::Problem;

/// Two streams, each on a queue of its own, and the events.
pub(super) struct Tracked<D: Device, Q: PacketQueue> {
    device: D,
    clock: Clock,
    policy: Policy,
    work: Q::Work,
    one: Tracker<D, Q>,
    two: Tracker<D, Q>,
    first: Event,
    last: Event,
    blocking: Event,
}

impl<D: Device + Clone, Q: PacketQueue> Tracked<D, Q> {
    pub(super) fn open(
        device: D,
        queues: [Q; 2],
        work: Q::Work,
        policy: Policy,
        profiling: Profiling,
        clock: Clock,
    ) -> Result<Self, Error> {
        let timing = match profiling {
            Profiling::Off => Timing::Unwanted,
            Profiling::On => Timing::Wanted,
        };
        let event = |kind| Event::new(EventOptions { kind, timing, ..EventOptions::default() });
        let open = |queue| Tracker::open(device.clone(), HardwareQueue::new(queue), policy);
        let [one, two] = queues;
        Ok(Self {
            clock,
            policy,
            work,
            one: open(one)?,
            two: open(two)?,
            first: event(EventKind::Plain),
            last: event(EventKind::Plain),
            blocking: event(EventKind::Blocking),
            device,
        })
    }
    /// Ends both streams.
    pub(super) fn close(self) -> Result<(), Error> {
        let Self { one, two, .. } = self;
        let _reapers = (one.close()?, two.close()?);
        Ok(())
    }
}

impl<D: Device, Q: PacketQueue> Tracked<D, Q> {
    fn event(&self, event: Mark) -> &Event {
        match event {
            Mark::First => &self.first,
            Mark::Last => &self.last,
            Mark::Blocking => &self.blocking,
        }
    }
    fn lane(&mut self, lane: Lane) -> &mut Tracker<D, Q> {
        match lane {
            Lane::One => &mut self.one,
            Lane::Two => &mut self.two,
        }
    }
}

impl<D: Device, Q: PacketQueue> Stack for Tracked<D, Q> {
    fn kernel(&mut self, on: Lane) -> Result<(), Problem> {
        let work = self.work;
        let _use = self.lane(on).submit(Submission::kernel(work))?;
        Ok(())
    }
    fn record(&mut self, event: Mark, on: Lane) -> Result<(), Problem> {
        let Self { one, two, first, last, blocking, .. } = self;
        let on = match on {
            Lane::One => one,
            Lane::Two => two,
        };
        let event = match event {
            Mark::First => first,
            Mark::Last => last,
            Mark::Blocking => blocking,
        };
        let _use = event.record(on)?;
        Ok(())
    }
    fn query(&mut self, event: Mark) -> Result<Reached, Problem> {
        match self.event(event).query(&self.device) {
            EventStatus::Finished => Ok(Reached::Yes),
            EventStatus::Pending => Ok(Reached::No),
            status => Err(Problem::Unmeasured(format!("an event is {status:?}"))),
        }
    }
    fn query_stream(&mut self, _on: Lane) -> Result<Option<Reached>, Problem> {
        Ok(None) // a tracker is asked about events
    }
    fn synchronize_event(&mut self, event: Mark) -> Result<(), Problem> {
        let _synced = self.event(event).synchronize(&self.device, &self.policy.wait)?;
        Ok(())
    }
    fn elapsed(&mut self) -> Result<Option<Duration>, Problem> {
        Ok(self.first.elapsed_to(&self.last, &self.device))
    }
    fn wait(&mut self, on: Lane, event: Mark) -> Result<(), Problem> {
        let Self { one, two, first, last, blocking, .. } = self;
        let on = match on {
            Lane::One => one,
            Lane::Two => two,
        };
        let event = match event {
            Mark::First => first,
            Mark::Last => last,
            Mark::Blocking => blocking,
        };
        Ok(event.wait_on(on)?)
    }
    fn synchronize_stream(&mut self, on: Lane) -> Result<(), Problem> {
        let _synced = self.lane(on).synchronize()?;
        Ok(())
    }
    fn synchronize_device(&mut self) -> Result<(), Problem> {
        self.synchronize_stream(Lane::One)?;
        self.synchronize_stream(Lane::Two)
    }
    fn counts(&self) -> Option<Counts> {
        Some(self.one.counts().plus(&self.two.counts()))
    }
    fn clock(&self) -> Clock {
        self.clock.clone()
    }
}
