//! A digest of a polling ring's state, for searches that visit equal states once. Reads only.

use std::hash::{Hash, Hasher};

use super::{PollingRing, Slot, State};

impl PollingRing {
    /// Feeds everything that later decisions depend on to `state`.
    pub fn digest<H: Hasher>(&self, state: &mut H) {
        for pool in &self.pools {
            pool.len().hash(state);
            pool.iter().for_each(|slot| slot.digest(state));
        }
        self.condemned.len().hash(state);
        self.condemned.iter().for_each(|condemned| {
            (condemned.of, condemned.over).hash(state);
            condemned.slot.digest(state);
        });
        self.suspects.len().hash(state);
        self.suspects.iter().for_each(|suspect| suspect.digest(state));
    }
}
impl Slot {
    pub(super) fn digest<H: Hasher>(&self, state: &mut H) {
        (self.custody.signal(), self.custody.is_held(), self.memory).hash(state);
        self.held.iter().for_each(|held| held.signal().hash(state));
        match &self.state {
            State::Armed => 0_u8.hash(state),
            State::InFlight(used) => {
                (1_u8, used.of, used.timing == crate::ring::Timing::Wanted).hash(state);
                used.parts.count().hash(state);
                if let Some(record) = &used.record {
                    record.digest(state);
                }
            }
            State::Over(of, retired) => (2_u8, of, retired.of()).hash(state),
        }
    }
}
