//! A digest of the oracle's account, for searches that visit equal states once. Reads only.

use std::hash::{Hash, Hasher};

use super::Oracle;

impl Oracle {
    /// Feeds everything that decides what is found later to `state`, and which rule is blamed for it. Of
    /// times only the order counts. What was found is left out: a search ends there.
    pub(crate) fn digest<H: Hasher>(&self, state: &mut H) {
        for signal in &self.signals {
            signal.digest(state);
            self.stores.reach(signal).hash(state);
        }
        let mut times: Vec<u64> = self
            .lanes
            .values()
            .flat_map(|lane| lane.seen.sightings())
            .flat_map(|sighting| sighting.times())
            .collect();
        times.push(0); // "never" comes before all that was seen
        times.sort_unstable();
        times.dedup();
        for (id, lane) in &self.lanes {
            id.hash(state);
            lane.digest(state);
            for sighting in lane.seen.sightings() {
                sighting.digest(state, |time| times.partition_point(|&other| other < time));
            }
        }
        (self.reserved, &self.tickets, self.thread, &self.rings, &self.bracket).hash(state);
        (&self.lost, &self.claimed, &self.expected, &self.ready).hash(state);
        for (of, raw) in &self.taken {
            (of, raw).hash(state);
        }
    }
}
