//! The end of a scenario: everything finishes, everything is retired, nothing is left over.

use ringfence::{
    backend::{Device, DeviceStatus, Signals},
    error::{self, Error},
    id::{SignalValue, UseId},
    ring::Ring,
};

use super::{
    Report, World,
    failure::{Failure, Stop},
};
use crate::{
    model::{Blocked, Model, Move, PacketState},
    oracle::Declaration,
    scenario::Name,
    system::Pace,
};

/// Calls of `reclaim` for each stream beside those that its uses account for.
const EXTRA_ROUNDS: usize = 8;
/// Turns of the callback thread each time that all work is done.
const TURNS: usize = 64;

impl World {
    /// Ends the scenario: the devices finish what they can, handlers are delivered, and each stream has a
    /// bounded number of calls to retire its uses. Then all streams are closed.
    ///
    /// # Errors
    /// A broken rule; work that can never finish; uses or signals that are left over.
    pub fn finish(mut self) -> Result<Report, Box<Failure>> {
        let ended = self.end();
        if let Some(violation) = self.system.first_violation() {
            return Err(self.broken(violation));
        }
        ended.map_err(|stop| self.explain(stop, None))?;
        let tally = self.tally();
        Ok(Report { steps: self.steps, calls: tally.calls, library: tally.library })
    }
    fn end(&mut self) -> Result<(), Stop> {
        if self.system.pace() != Pace::Chosen {
            // No script says what happens from here on.
            self.system.set_pace(Pace::Held);
        }
        if self.devices.iter().any(|device| device.status() == DeviceStatus::Lost) {
            return Ok(()); // what it may still write to is leaked, and counted
        }
        self.settle();
        let stuck_now = self.system.with_model(stuck);
        if self.forced > 0 && stuck_now.is_some_and(|(_, why)| waits_for_a_forced_signal(why)) {
            return Ok(()); // the late decrement came before the waiter looked: it never passes
        }
        let streams: Vec<Name> = self.streams.keys().cloned().collect();
        let rings = || self.streams.values().map(|stream| stream.tracker.ring());
        let rounds = EXTRA_ROUNDS
            + rings().map(|ring| 2 * (ring.in_flight() + ring.pinned())).sum::<usize>();
        for _ in 0..rounds {
            self.settle();
            for stream in &streams {
                self.at_the_end(stream, Self::reclaim)?;
            }
            if self.left_over() == 0 && self.parked() == 0 {
                break;
            }
        }
        self.settle();
        if let Some((of, why)) = self.system.with_model(stuck) {
            return Err(Failure::left_over(format!("{of} can never complete: {why}")).into());
        }
        self.declare(Declaration::Finale { left_over: self.left_over() });
        let held = self.parked();
        if held > 0 && self.forced == 0 {
            return Err(Failure::left_over(format!(
                "{held} signals are parked, and nobody is left who could hold them"
            ))
            .into());
        }
        for stream in &streams {
            match self.at_the_end(stream, Self::close) {
                Err(Stop::Error(Error::Failed { cause: error::Failure::Forced, .. })) => {
                    self.abandon(stream);
                }
                ended => ended?,
            }
        }
        self.events.clear();
        for (device, reaper) in &self.reapers {
            let device = &self.devices[*device];
            reaper.reap(|signal| device.destroy(signal));
        }
        Ok(())
    }
    /// The devices finish what they can, and every handler that is due is delivered.
    fn settle(&mut self) {
        self.system.run_until_idle();
        // A hostile callback thread passes handlers that are due: it has so many turns.
        for _ in 0..TURNS {
            if self.system.handlers() == 0 {
                break;
            }
            self.deliver();
        }
    }
    /// What a fault of the machine left behind is found at the latest here: a signal below 0, a creation
    /// that fails.
    fn at_the_end(
        &mut self,
        stream: &Name,
        act: impl Fn(&mut Self, &Name) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        loop {
            let faults = match act(self, stream) {
                Err(Stop::Error(Error::OverDecrement { .. })) if self.over_decremented > 0 => {
                    &mut self.over_decremented
                }
                Err(Stop::Error(Error::Create { .. })) if self.creations_to_fail > 0 => {
                    &mut self.creations_to_fail
                }
                ended => return ended,
            };
            *faults -= 1;
        }
    }
    /// Work that was completed by force may never be seen to end: its stream cannot be drained, and its
    /// signals are leaked.
    fn abandon(&mut self, stream: &Name) {
        if let Some(stream) = self.streams.remove(stream) {
            self.closed = self.closed.plus(&stream.tracker.counts());
            let _forced = stream.tracker.close();
        }
    }
    fn parked(&self) -> usize {
        self.streams.values().map(|stream| stream.tracker.ring().parked()).sum()
    }
    fn left_over(&self) -> u32 {
        // What a forced copy waited for stays pinned when the copy can never be proven.
        let pinned = |ring: &Ring| if self.forced > 0 { 0 } else { ring.pinned() };
        let open = |ring: &Ring| ring.in_flight() + pinned(ring);
        let retiring: usize = self.streams.values().map(|stream| open(stream.tracker.ring())).sum();
        let polling: usize = self.streams.values().map(|stream| stream.tracker.in_flight()).sum();
        u32::try_from(retiring.max(polling)).unwrap_or(u32::MAX)
    }
}

/// A packet that a device still has, and why it cannot go on.
fn stuck(model: &Model) -> Option<(UseId, Blocked)> {
    model.queues().iter().find_map(|queue| {
        let at = queue.complete_below();
        let of = UseId::new(queue.lane(), at);
        let next = match queue.state(at) {
            PacketState::Published => Move::Start(of),
            PacketState::Active => Move::Finish(of),
            _ => return None,
        };
        model.check(next).err().map(|why| (of, why))
    })
}

/// A GPU AND needs exactly 0, and a decrement after a forced completion leaves -1.
fn waits_for_a_forced_signal(why: Blocked) -> bool {
    matches!(why, Blocked::WaitsFor { value, .. } if value < SignalValue::DONE)
}
