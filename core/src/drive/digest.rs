//! A digest of a tracker's state, for searches that visit equal states once. Reads only.

use std::hash::{Hash, Hasher};

use super::{
    tally::Tally,
    tracker::{Interrupts, Tracker},
};
use crate::{
    backend::{Device, PacketQueue},
    placement::DeviceSignals,
};

impl<D: Device, Q: PacketQueue> Tracker<D, Q> {
    /// Feeds everything that later decisions depend on to `state`: the ring, what is kept of the newest
    /// packet, the distance to the next look and to the end of the batch. Counts are left out: no decision
    /// reads them.
    pub fn digest<H: Hasher>(&self, state: &mut H) {
        self.ring.digest(state);
        if let Some(polling) = &self.polling {
            polling.digest(state);
        }
        (self.life as u8, self.interrupts == Interrupts::UsedUp).hash(state);
        (self.device_signals == DeviceSignals::On).hash(state);
        if let Some(tail) = self.tail {
            (tail.of, tail.fence as u8, tail.release).hash(state);
        }
        (self.lane(), self.unprovable).hash(state);
        self.tally.digest(state);
        // An error that waits for its answer: what it says is told apart by its text.
        self.deferred.map(|error| error.to_string()).hash(state);
    }
}

impl Tally {
    /// As differences: how many uses there were altogether decides nothing.
    fn digest<H: Hasher>(&self, state: &mut H) {
        (self.uses - self.looked_at).hash(state);
        self.batch_end.saturating_sub(self.uses).hash(state);
        (self.uses - self.unfenced == self.fences_before).hash(state);
    }
}
