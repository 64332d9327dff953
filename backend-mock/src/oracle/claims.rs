//! What the library said, against what it could know and what is so.

use ringfence::{id::UseId, timing::Interval};

use super::{
    Blocked, Declaration, Oracle, QueryCall, Recording, Ring, Rule, Steady, SyncCall, Tracker, key,
    signal::Timing,
};
use crate::model::{Model, PacketState};

impl Oracle {
    /// Takes a statement of the runner, and checks it.
    pub(crate) fn declare(&mut self, statement: Declaration, model: &Model) {
        match statement {
            Declaration::Limits { ring, cap } => {
                let (live, tracker) = self
                    .rings
                    .get(&ring)
                    .map_or((0, Tracker::Retiring), |ring| (ring.live, ring.tracker));
                self.rings.insert(ring, Ring { cap: cap.count(), live, tracker });
            }
            Declaration::Polls(ring) => {
                if let Some(ring) = self.rings.get_mut(&ring) {
                    ring.tracker = Tracker::Polling;
                }
            }
            Declaration::Submitting(ring) => {
                (self.bracket.ring, self.bracket.creation_failed) = (Some(ring), None);
            }
            Declaration::Synchronizing(ring) => self.bracket.waits = Some(ring),
            Declaration::Submitted => {
                (self.bracket.ring, self.bracket.waits) = (None, None);
                self.expected.clear(); // of a submission that failed
            }
            Declaration::WantsTiming(of) => {
                // Said too late, it would speak of the signal's next use.
                let taken = self.taken.contains_key(&key(of));
                if let Some(signal) = self.signal_of(of).and_then(|signal| self.signal_mut(signal))
                    && signal.last.id() == Some(of)
                {
                    signal.timing = if taken { Timing::Taken } else { Timing::Wanted };
                }
            }
            Declaration::ExpectWait { signal, of } => self.expected.push((signal, of)),
            Declaration::Holds(of) => self.change_holds(of, |holds| holds + 1),
            Declaration::LetsGo(of) => self.change_holds(of, |holds| holds.saturating_sub(1)),
            Declaration::SteadyBegins => self.bracket.steady = Some(Steady),
            Declaration::SteadyEnds => self.bracket.steady = None,
            Declaration::QueryBegins(of) => self.bracket.query = Some(QueryCall { of, loads: 0 }),
            Declaration::QueryEnds => self.query_ends(),
            Declaration::SyncBegins => {
                self.bracket.sync = Some(SyncCall { loads: 0, blocked: Blocked::No })
            }
            Declaration::SyncEnds => self.sync_ends(),
            Declaration::ClaimsFinished { of, recording } => {
                self.claim_finished(of, recording, model)
            }
            Declaration::ClaimsPending(of) => {
                if self.claimed.contains(&key(of)) {
                    self.broken(Rule::S12, || {
                        format!("{of} was finished for one answer and is not for a later one")
                    });
                }
            }
            Declaration::ClaimsInterval { of, interval } => self.claim_interval(of, interval),
            Declaration::ClaimsData(of) => self.claim_data(of, model),
            Declaration::Finale { left_over } => self.finale(left_over),
        }
    }
    fn change_holds(&mut self, of: UseId, change: impl FnOnce(u32) -> u32) {
        if let Some(signal) = self.signal_of(of).and_then(|signal| self.signal_mut(signal))
            && signal.last.id() == Some(of)
        {
            signal.holds = change(signal.holds);
        }
    }
    fn query_ends(&mut self) {
        let Some(QueryCall { of, loads }) = self.bracket.query.take() else { return };
        if loads > 0 && self.claimed.contains(&key(of)) {
            self.broken(Rule::S19, || {
                format!("{of} was proven before, and a query of it made {loads} loads")
            });
        }
    }
    fn sync_ends(&mut self) {
        let Some(SyncCall { loads, blocked }) = self.bracket.sync.take() else { return };
        if loads > 1 && blocked == Blocked::No {
            self.broken(Rule::S19, || {
                format!("a synchronize that did not block made {loads} loads")
            });
        }
    }
    fn claim_finished(&mut self, of: UseId, recording: Recording, model: &Model) {
        let complete = model.state(of) == PacketState::Complete;
        if self.is_known(of) && complete {
            self.claimed.insert(key(of));
            return;
        }
        if recording == Recording::Overwritten {
            self.broken(Rule::S12, || {
                format!("{of} is called finished and is not: the event was recorded again, and an old waiter got the new answer")
            });
            return;
        }
        if self.is_known(of) {
            // The host saw 0 and could not know that somebody had decremented too often.
            return;
        }
        let (rule, why) = self.unfounded(of, model);
        self.broken(rule, || why);
    }
    fn claim_interval(&mut self, of: UseId, claimed: Option<Interval>) {
        if let Some(interval) = claimed
            && (interval.start() == 0 || interval.end() < interval.start())
        {
            let (start, end) = (interval.start(), interval.end());
            self.broken(Rule::S16, || {
                format!("{of} is said to have run from tick {start} to tick {end}")
            });
            return;
        }
        let Some(&raw) = self.taken.get(&key(of)) else {
            if claimed.is_some() {
                self.broken(Rule::S16, || {
                    format!("{of} is said to have an interval, and its timestamps were never read")
                });
            }
            return;
        };
        // The library's own idea of a valid interval is under test, so the stamps are compared raw.
        let same = claimed.is_none_or(|interval| {
            raw == ringfence::timing::RawInterval::new(interval.start(), interval.end())
        });
        if !same {
            self.broken(Rule::S16, || {
                format!("{of} is said to have run {claimed:?}, and the device wrote {raw:?}")
            });
        }
    }
    fn claim_data(&mut self, of: UseId, model: &Model) {
        if !self.is_known(of) {
            let (rule, why) = self.unfounded(of, model);
            self.broken(rule, || why);
            return;
        }
        let released = self.lanes.get(&of.lane()).is_some_and(|lane| lane.is_released(of.packet()));
        if !released {
            self.broken(Rule::S21, || {
                format!("the data of {of} is promised, and no system-scope release at or after it is known to be complete")
            });
        }
    }
    fn finale(&mut self, left_over: u32) {
        if left_over > 0 {
            self.broken(Rule::S20, || {
                format!("{left_over} uses are finished and were never retired")
            });
        }
        let (reserved, tickets) = (self.reserved, self.tickets.len());
        if reserved > 0 || tickets > 0 {
            self.broken(Rule::S11, || {
                format!(
                    "{reserved} indices and {tickets} tickets were reserved and never published"
                )
            });
        }
    }
}
