//! Whether what a scenario expects is so.

use ringfence::{drive::TrackerKind, ledger::LoadCause};

use super::{
    World,
    failure::{Failure, Stop},
    things::{Used, find},
};
use crate::{
    model::PacketState,
    scenario::{Blocked, Bound, Counter, EventState, Expect, Name, Presence, Word},
};

impl World {
    pub(super) fn expect(&mut self, expect: &Expect) -> Result<(), Stop> {
        match expect {
            Expect::Retired(of) => {
                self.each(of, |world, name, used| world.expect_retired(name, used))
            }
            Expect::Busy(of) => self.each(of, |world, name, used| world.expect_busy(name, used)),
            Expect::Complete(of) => {
                self.each(of, |world, name, used| world.expect_complete(name, used))
            }
            Expect::Running(of) => {
                self.each(of, |world, name, used| world.expect_running(name, used))
            }
            Expect::Same(of) => self.expect_same(of),
            Expect::Distinct(of) => self.expect_distinct(of),
            Expect::CompletedBefore(of) => self.expect_order(of),
            Expect::Count { counter, bound, value } => {
                Ok(self.expect_count(*counter, *bound, *value)?)
            }
            Expect::Blocked(blocked) => Ok(self.expect_blocked(*blocked)?),
            Expect::State { of, is } => Ok(self.expect_state(of, *is)?),
            Expect::Memory { of, is } => self.each(of, |_, name, used| match used.signal {
                Some((_, memory)) if memory == *is => Ok(()),
                Some((_, memory)) => Err(Failure::not_so(
                    format!("the signal of `{name}` to live in {is} memory"),
                    format!("it lives in {memory} memory"),
                )),
                None => Err(unknown_signal(name)),
            }),
            Expect::Interval { of, is } => {
                for name in of {
                    let seen = if self.interval(name)?.is_some() {
                        Presence::Some
                    } else {
                        Presence::None
                    };
                    if seen != *is {
                        let say = |presence| match presence {
                            Presence::Some => "an interval",
                            Presence::None => "none",
                        };
                        let seen = format!("there is {}", say(seen));
                        return Err(Failure::not_so(
                            format!("`{name}` to have {}", say(*is)),
                            seen,
                        )
                        .into());
                    }
                }
                Ok(())
            }
            Expect::ElapsedNs(expected) => {
                let seen = self
                    .elapsed
                    .map(|elapsed| u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX));
                if seen == *expected {
                    return Ok(());
                }
                let say = |time: Option<u64>| {
                    time.map_or("no elapsed time".to_owned(), |ns| format!("{ns} ns"))
                };
                Err(Failure::not_so(say(*expected), format!("the answer was {}", say(seen))).into())
            }
            Expect::Error { of, is } => {
                for name in of {
                    let seen = find(&mut self.events, "event", name)?.error;
                    if seen != Some(*is) {
                        let seen =
                            seen.map_or("no error".to_owned(), |seen| format!("`{}`", seen.word()));
                        let expected = format!("`{name}` to have ended in `{}`", is.word());
                        return Err(Failure::not_so(expected, format!("it ended in {seen}")).into());
                    }
                }
                Ok(())
            }
        }
    }
    fn each(
        &mut self,
        of: &[Name],
        check: impl Fn(&Self, &Name, &Used) -> Result<(), Box<Failure>>,
    ) -> Result<(), Stop> {
        for name in of {
            let used = self.used(name)?;
            check(self, name, &used)?;
        }
        Ok(())
    }
    /// Whether the library still tracks a use.
    fn in_flight(&self, name: &Name, used: &Used) -> Result<bool, Box<Failure>> {
        let Some(stream) = self.streams.get(&used.stream) else { return Ok(false) };
        if stream.tracker.policy().tracker == TrackerKind::Polling {
            return Err(Failure::misuse(format!(
                "the polling tracker does not say whether `{name}` is retired"
            )));
        }
        Ok(stream.tracker.ring().probe_use(used.of).is_some())
    }
    fn expect_retired(&self, name: &Name, used: &Used) -> Result<(), Box<Failure>> {
        if self.in_flight(name, used)? {
            let complete = self.system.with_model(|model| model.state(used.of));
            let seen = format!(
                "it is not: the library still counts it as in flight (on the device it is {complete:?})"
            );
            return Err(Failure::not_so(format!("`{name}` to be retired"), seen));
        }
        Ok(())
    }
    fn expect_busy(&self, name: &Name, used: &Used) -> Result<(), Box<Failure>> {
        if self.in_flight(name, used)? {
            return Ok(());
        }
        Err(Failure::not_so(format!("`{name}` to be in flight"), "the library has retired it"))
    }
    fn expect_complete(&self, name: &Name, used: &Used) -> Result<(), Box<Failure>> {
        match self.system.with_model(|model| model.state(used.of)) {
            PacketState::Complete => Ok(()),
            state => Err(Failure::not_so(
                format!("the device to have completed `{name}`"),
                format!("it is {state:?} there"),
            )),
        }
    }
    fn expect_running(&self, name: &Name, used: &Used) -> Result<(), Box<Failure>> {
        match self.system.with_model(|model| model.state(used.of)) {
            PacketState::Complete => {
                Err(Failure::not_so(format!("the device not to have completed `{name}`"), "it has"))
            }
            _ => Ok(()),
        }
    }
    fn signals(
        &mut self,
        of: &[Name],
    ) -> Result<Vec<(Name, ringfence::id::SignalHandle)>, Box<Failure>> {
        let mut signals = Vec::new();
        for name in of {
            let (signal, _) = self.used(name)?.signal.ok_or_else(|| unknown_signal(name))?;
            signals.push((name.clone(), signal));
        }
        Ok(signals)
    }
    fn expect_same(&mut self, of: &[Name]) -> Result<(), Stop> {
        let signals = self.signals(of)?;
        for pair in signals.windows(2) {
            if pair[0].1 != pair[1].1 {
                let expected = format!("`{}` and `{}` to use one signal", pair[0].0, pair[1].0);
                return Err(Failure::not_so(
                    expected,
                    format!("they use {:?} and {:?}", pair[0].1, pair[1].1),
                )
                .into());
            }
        }
        Ok(())
    }
    fn expect_distinct(&mut self, of: &[Name]) -> Result<(), Stop> {
        let signals = self.signals(of)?;
        for (at, (name, signal)) in signals.iter().enumerate() {
            if let Some((other, _)) = signals[..at].iter().find(|(_, other)| other == signal) {
                let expected = format!("`{other}` and `{name}` to use different signals");
                return Err(Failure::not_so(expected, format!("both use {signal:?}")).into());
            }
        }
        Ok(())
    }
    fn expect_order(&mut self, of: &[Name]) -> Result<(), Stop> {
        let trace = self.system.whole_trace();
        let mut last: Option<(Name, usize)> = None;
        for name in of {
            let used = self.used(name)?;
            let (packet, copy) = (
                format!("device: {} completes", used.of),
                format!("device: copy {} part ", used.of),
            );
            let completes = |line: &String| {
                line.contains(&packet) || line.contains(&copy) && line.contains(" completes")
            };
            let Some(at) = trace.iter().rposition(completes) else {
                let expected = format!("the device to have completed `{name}`");
                return Err(Failure::not_so(expected, "it has not").into());
            };
            if let Some((before, earlier)) = &last
                && *earlier > at
            {
                let expected = format!("`{before}` to complete before `{name}`");
                return Err(Failure::not_so(expected, "they completed in the other order").into());
            }
            last = Some((name.clone(), at));
        }
        Ok(())
    }
    fn expect_count(&self, counter: Counter, bound: Bound, value: u64) -> Result<(), Box<Failure>> {
        let seen = self.count(counter);
        if bound.admits(seen, value) {
            return Ok(());
        }
        let side = match bound {
            Bound::Exactly => "",
            Bound::AtMost => "at most ",
            Bound::AtLeast => "at least ",
        };
        Err(Failure::not_so(
            format!("`{}` to be {side}{value}", counter.word()),
            format!("it is {seen}"),
        ))
    }
    fn count(&self, counter: Counter) -> u64 {
        let (now, since) = (self.tally(), self.since);
        let rings = || self.streams.values().map(|stream| stream.tracker.ring());
        let calls = |of: fn(&crate::counts::Counts) -> u64| of(&now.calls) - of(&since.calls);
        match counter {
            Counter::Created => calls(|counts| counts.created.total()),
            Counter::HostLoads => calls(|counts| counts.loads.total()),
            Counter::DeviceReads => calls(crate::counts::Counts::device_reads),
            Counter::RetireReads => {
                now.library.loads.of(LoadCause::Retire) - since.library.loads.of(LoadCause::Retire)
            }
            Counter::Arms => calls(|counts| counts.arms.total()),
            Counter::Flushes => calls(|counts| counts.flushes),
            Counter::Packets => calls(|counts| counts.packets),
            Counter::Waits => calls(|counts| counts.waits.total()),
            Counter::Parked => rings().map(|ring| ring.parked() as u64).sum(),
            Counter::Quarantined => rings().map(|ring| ring.quarantined() as u64).sum(),
            Counter::Leaked => now.library.leaked - since.library.leaked,
        }
    }
    fn expect_blocked(&self, expected: Blocked) -> Result<(), Box<Failure>> {
        let waited = self.system.counts().waits_blocked > self.blocked_before;
        match (expected, waited) {
            (Blocked::Waited, true) | (Blocked::NotWaited, false) => Ok(()),
            (Blocked::Waited, false) => {
                Err(Failure::not_so("the last step to block the host", "it did not"))
            }
            (Blocked::NotWaited, true) => {
                Err(Failure::not_so("the last step not to block the host", "it did"))
            }
        }
    }
    fn expect_state(&mut self, of: &[Name], expected: EventState) -> Result<(), Box<Failure>> {
        for name in of {
            let seen = match self.events.get(name) {
                Some(slot) => slot.state(),
                None => self.used(name)?.answer,
            };
            if seen != Some(expected) {
                let seen = seen.map_or("nobody has asked since".to_owned(), |seen| {
                    format!("the last answer was `{}`", seen.word())
                });
                return Err(Failure::not_so(format!("`{name}` to be `{}`", expected.word()), seen));
            }
        }
        Ok(())
    }
}

fn unknown_signal(name: &Name) -> Box<Failure> {
    Failure::misuse(format!(
        "the signal of `{name}` is not known: it has none, or the device was faster than the look at it"
    ))
}
