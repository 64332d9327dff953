//! A digest of a ring's state, for searches that visit equal states once. Reads only.

use std::hash::{Hash, Hasher};

use super::Ring;

impl Ring {
    /// Feeds everything that later decisions depend on to `state`.
    pub fn digest<H: Hasher>(&self, state: &mut H) {
        for slot in &self.slots {
            (slot.custody.signal(), slot.custody.is_held()).hash(state);
            (slot.last_use, slot.pool, slot.memory).hash(state);
        }
        for lane in self.lanes.iter() {
            (lane.id, lane.seen, lane.completed_at, lane.search).hash(state);
            lane.mark.as_ref().map(|mark| mark.observe().below()).hash(state);
            lane.uses.len().hash(state);
            for used in lane.uses.iter() {
                (used.packet, used.slot, used.flags.bits()).hash(state);
                if let Some(record) = &self.slot(used.slot).record {
                    record.digest(state);
                }
            }
            lane.pins.digest(state, |pin, state| (pin.awaits, pin.dependency).hash(state));
        }
        for ready in &self.ready {
            ready.hash(state);
        }
        for (slot, retired) in &self.parked {
            (slot, retired.of()).hash(state);
        }
        self.quarantine.hash(state);
        (&self.awaited, self.lane_turn).hash(state);
    }
}
