//! Whether what a scenario expects is so, where any device can promise it.

use ringfence::event::EventStatus;
use ringfence_mock::scenario::{Blocked, Bound, Counter, EventState, Expect, Name, Presence, Word};

use super::{
    failure::{Failure, Stop},
    things::{Certainty, Used},
    world::World,
};

impl World<'_> {
    /// Checks an expectation; `Open` if it depends on time, or is about what the device alone can see.
    pub(super) fn check(&mut self, expect: &Expect) -> Result<Certainty, Stop> {
        match expect {
            Expect::Retired(of) => self.check_retired(of),
            Expect::Count { counter, bound, value } => self.check_count(*counter, *bound, *value),
            Expect::Blocked(Blocked::NotWaited) if !self.is_polling() => {
                // Blocking for what a step is about is a matter of time; blocking for a signal is not (S14).
                let waits = self.counts().waits_for_room - self.waits_for_room_before;
                if waits > 0 {
                    let expected = "the last step not to wait for a signal";
                    return Err(Failure::not_so(expected, "it did").into());
                }
                Ok(Certainty::Known)
            }
            Expect::State { of, is } => self.check_state(of, *is),
            Expect::Memory { of, is } => {
                if !self.has_usual_features() {
                    return Ok(Certainty::Open);
                }
                self.each_use(of, |_, name, used| match used.memory {
                    Some(memory) if memory == *is => Ok(Certainty::Known),
                    Some(memory) => Err(Failure::not_so(
                        format_args!("the signal of `{name}` to live in {is} memory"),
                        format_args!("it lives in {memory} memory"),
                    )),
                    None => Ok(Certainty::Open),
                })
            }
            Expect::Interval { of, is: Presence::Some } => {
                let mut certainty = Certainty::Known;
                for name in of {
                    if self.event_certainty(name)? == Certainty::Open {
                        certainty = Certainty::Open;
                    } else if !self.has_interval(name)? {
                        let expected = format!("`{name}` to have an interval");
                        return Err(Failure::not_so(expected, "there is none").into());
                    }
                }
                Ok(certainty)
            }
            Expect::Interval { is: Presence::None, .. }
            | Expect::Busy(_)
            | Expect::Complete(_)
            | Expect::Running(_)
            | Expect::Same(_)
            | Expect::Distinct(_)
            | Expect::CompletedBefore(_)
            | Expect::Blocked(_)
            | Expect::ElapsedNs(_)
            | Expect::Error { .. } => Ok(Certainty::Open),
        }
    }
    /// A use, or what an event was recorded with. Packets that only wait have no entry.
    fn used(&self, name: &Name) -> Option<Used> {
        let recorded = || self.events.get(name).and_then(|slot| slot.meant.clone());
        self.uses.get(name).cloned().or_else(recorded)
    }
    fn each_use(
        &self,
        of: &[Name],
        check: impl Fn(&Self, &Name, &Used) -> Result<Certainty, Failure>,
    ) -> Result<Certainty, Stop> {
        let mut certainty = Certainty::Known;
        for name in of {
            let one = match self.used(name) {
                Some(used) => check(self, name, &used)?,
                None => Certainty::Open,
            };
            if one == Certainty::Open {
                certainty = Certainty::Open;
            }
        }
        Ok(certainty)
    }
    fn event_certainty(&mut self, name: &Name) -> Result<Certainty, Stop> {
        let slot = self.slot(name)?;
        let (told, meant) = (slot.answer.certainty, slot.meant.clone());
        let seen = meant.map_or(Certainty::Open, |used| self.certainty(&used));
        Ok(if told == Certainty::Known { told } else { seen })
    }
    /// What is over is retired after a bounded number of calls (S20), however the read index moves.
    fn check_retired(&mut self, of: &[Name]) -> Result<Certainty, Stop> {
        if self.is_polling() {
            return Ok(Certainty::Open);
        }
        let known = self.each_use(of, |world, _, used| Ok(world.certainty(used)))?;
        if known == Certainty::Open {
            return Ok(known);
        }
        for round in 0..self.rounds() {
            let in_flight = of.iter().find(|name| self.is_in_flight(name));
            let Some(name) = in_flight else { return Ok(known) };
            let stream = self.used(name).map(|used| used.stream);
            if let Some(stream) = stream.filter(|_| round + 1 < self.rounds()) {
                self.reclaim(&stream)?;
            }
        }
        let left: Vec<_> = of.iter().filter(|name| self.is_in_flight(name)).collect();
        if left.is_empty() {
            return Ok(known);
        }
        Err(Failure::not_so(format_args!("{left:?} to be retired"), "still in flight [S20]").into())
    }
    fn is_in_flight(&self, name: &Name) -> bool {
        self.used(name).is_some_and(|used| {
            let on = self.streams.get(&used.stream);
            on.is_some_and(|on| on.tracker.ring().probe_use(used.of).is_some())
        })
    }
    fn check_count(
        &mut self,
        counter: Counter,
        bound: Bound,
        value: u64,
    ) -> Result<Certainty, Stop> {
        let (now, since) = (self.counts(), self.since);
        let loads = now.loads.all_host() - since.loads.all_host();
        let reads = now.loads.all_device() - since.loads.all_device();
        let none = value == 0 && bound != Bound::AtLeast;
        let rings = || self.streams.values().map(|stream| stream.tracker.ring());
        let seen = match counter {
            // What others hold does not count against a cap (S14), and how much that is depends on time.
            Counter::Created if bound == Bound::AtMost => {
                (now.created - since.created).saturating_sub(now.parked_peak)
            }
            Counter::HostLoads if none => loads + reads,
            Counter::DeviceReads if none => reads,
            Counter::Packets if self.packets == Certainty::Known && self.has_usual_features() => {
                now.packets - since.packets
            }
            Counter::Quarantined if none => rings().map(|ring| ring.quarantined() as u64).sum(),
            Counter::Leaked if none => now.leaked - since.leaked,
            Counter::Parked if none => {
                self.reclaim_all()?;
                self.parked() as u64
            }
            _ => return Ok(Certainty::Open),
        };
        if bound.admits(seen, value) {
            return Ok(Certainty::Known);
        }
        let side = match bound {
            Bound::Exactly => "",
            Bound::AtMost => "at most ",
            Bound::AtLeast => "at least ",
        };
        let expected = format!("`{}` to be {side}{value}", counter.word());
        Err(Failure::not_so(expected, format!("it is {seen}")).into())
    }
    fn check_state(&mut self, of: &[Name], expected: EventState) -> Result<Certainty, Stop> {
        let mut all = Certainty::Known;
        for name in of {
            let answer = match (self.events.get(name), self.uses.get(name)) {
                (Some(slot), _) => slot.answer,
                (None, Some(used)) => used.answer,
                (None, None) => continue,
            };
            let Some(status) = answer.status else {
                all = Certainty::Open;
                continue;
            };
            let seen = match status {
                EventStatus::NotRecorded => EventState::NotRecorded,
                EventStatus::Pending => EventState::Pending,
                EventStatus::Finished => EventState::Finished,
                EventStatus::Failed(_) => EventState::Failed,
            };
            // Real work may be over sooner, and later, than modelled work.
            let is_open = match (expected, seen) {
                (EventState::Pending, EventState::Pending | EventState::Finished) => true,
                (EventState::Finished, EventState::Pending) => answer.certainty == Certainty::Open,
                (EventState::Finished, EventState::Finished) => answer.certainty == Certainty::Open,
                _ => false,
            };
            if is_open {
                all = Certainty::Open;
            } else if seen != expected {
                let seen = format!("the last answer was `{}`", seen.word());
                let expected = format!("`{name}` to be `{}`", expected.word());
                return Err(Failure::not_so(expected, seen).into());
            }
        }
        Ok(all)
    }
}
