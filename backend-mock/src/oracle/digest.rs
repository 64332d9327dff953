//! A digest of the oracle's account, for searches that visit equal states once. Reads only.

use std::hash::{Hash, Hasher};

use super::Oracle;

/// Whether states are told apart by what would be said of a broken rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Blame {
    /// They are not: whether something is found does not depend on it, which rule is named for it may.
    #[default]
    Any,
    /// They are: the order of observations, from which the oracle tells the wrong inference, is part of the state.
    Exact,
}

impl Oracle {
    /// Feeds everything that decides what is found later to `state`, and, with [`Blame::Exact`], which rule
    /// is blamed for it: of times only the order counts. What was found is left out: a search ends there.
    pub(crate) fn digest<H: Hasher>(&self, blame: Blame, state: &mut H) {
        for signal in &self.signals {
            signal.digest(state);
            self.stores.reach(signal).hash(state);
        }
        for (id, lane) in &self.lanes {
            id.hash(state);
            lane.digest(state);
        }
        if blame == Blame::Exact {
            self.digest_sightings(state);
        }
        (self.reserved, &self.tickets, self.thread, &self.rings, &self.bracket).hash(state);
        (&self.lost, &self.claimed, &self.expected, &self.ready).hash(state);
        for (of, raw) in &self.taken {
            (of, raw).hash(state);
        }
    }
    fn digest_sightings<H: Hasher>(&self, state: &mut H) {
        let mut times: Vec<u64> = self
            .lanes
            .values()
            .flat_map(|lane| lane.seen.sightings())
            .flat_map(|sighting| sighting.times())
            .collect();
        times.push(0); // "never" comes before all that was seen
        times.sort_unstable();
        times.dedup();
        for lane in self.lanes.values() {
            for sighting in lane.seen.sightings() {
                sighting.digest(state, |time| times.partition_point(|&other| other < time));
            }
        }
    }
}
