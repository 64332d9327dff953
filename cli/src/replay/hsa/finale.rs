//! The end of a scenario: everything finishes, everything is retired, nothing is left over.

use std::mem::ManuallyDrop;

use ringfence::{backend::Signals, drive::Tracker};
use ringfence_mock::scenario::Name;

use super::{
    failure::{Failure, Stop},
    things::Tally,
    world::World,
};

/// Calls of `reclaim` for each stream beside those that its uses account for.
const EXTRA_ROUNDS: usize = 8;

impl World<'_> {
    /// Waits for everything, retires it, and closes all. What a failure leaves is never dropped: the device may still use it.
    pub(super) fn finish(world: ManuallyDrop<Self>) -> Result<Tally, Failure> {
        let mut world = world;
        world.end()?;
        Ok(ManuallyDrop::into_inner(world).tally)
    }
    fn end(&mut self) -> Result<(), Stop> {
        self.end_steady()?;
        self.wait_until_idle()?;
        self.deliver_all()?;
        self.reclaim_all()?;
        let (left, parked) = (self.left_over(), self.parked());
        if left > 0 {
            let what =
                format!("something is left over at the end: {left} uses are in flight [S20]");
            return Err(Failure::new(what).into());
        }
        if parked > 0 {
            let what =
                format!("{parked} signals are parked, and nobody is left who could hold them");
            return Err(Failure::new(what).into());
        }
        let streams: Vec<Name> = self.streams.keys().cloned().collect();
        for stream in &streams {
            self.close(stream)?;
        }
        self.events.clear();
        for (device, reaper) in &self.reapers {
            let device = &self.gpus.gpu(*device).device;
            reaper.reap(|signal| device.destroy(signal));
        }
        for queue in std::mem::take(&mut self.queues).into_values() {
            queue.close(self.gpus);
        }
        Ok(())
    }
    /// Calls of `reclaim` after which all that is over must be retired.
    pub(super) fn rounds(&self) -> usize {
        let rings = self.streams.values().map(|stream| stream.tracker.ring());
        EXTRA_ROUNDS + rings.map(|ring| 2 * (ring.in_flight() + ring.pinned())).sum::<usize>()
    }
    /// Everything finishes, and each stream has a bounded number of calls to find out.
    pub(super) fn reclaim_all(&mut self) -> Result<(), Stop> {
        let streams: Vec<Name> = self.streams.keys().cloned().collect();
        for _ in 0..self.rounds() {
            if self.left_over() == 0 && self.parked() == 0 {
                break;
            }
            self.wait_until_idle()?;
            for stream in &streams {
                self.reclaim(stream)?;
            }
        }
        Ok(())
    }
    pub(super) fn parked(&self) -> usize {
        self.streams.values().map(|stream| stream.tracker.ring().parked()).sum()
    }
    fn left_over(&self) -> usize {
        let rings = self.streams.values().map(|stream| stream.tracker.ring());
        let retiring: usize = rings.map(|ring| ring.in_flight() + ring.pinned()).sum();
        let tracked = self.streams.values().map(|stream| &stream.tracker);
        retiring.max(tracked.map(Tracker::in_flight).sum())
    }
}
