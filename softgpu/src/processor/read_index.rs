//! When a queue says that packets were read.

use super::{AqlQueue, Turn};
use crate::{
    bus::{Bus, Fault},
    settings::ReadIndex,
};

use ringfence::id::PacketId;

impl AqlQueue {
    /// Moves the read index as far as the setting wants it now. It never goes back, and a queue that
    /// is nearly full gets all the room there is, whatever the setting: producers wait for it.
    pub(super) fn show_read_index<B: Bus>(&mut self, turn: &mut Turn<'_, B>) -> Result<(), Fault> {
        let early = self.order.started_below().as_u64();
        let late = self.order.complete_below().as_u64();
        let crowded = self.written - self.read >= self.place.packets / 4 * 3;
        let wanted = match turn.settings.read_index {
            ReadIndex::Late => late,
            ReadIndex::Early => early,
            _ if crowded => early,
            ReadIndex::Eights => early / 8 * 8,
            ReadIndex::Still => self.read,
            ReadIndex::Mixed => turn.chance.between(late, early),
        };
        let wanted = PacketId::new(wanted.max(self.read));
        if wanted.as_u64() == self.read || self.order.may_move_read_index(wanted).is_err() {
            return Ok(());
        }
        self.order.move_read_index(wanted);
        self.read = wanted.as_u64();
        turn.bus.store_u64(self.place.read_index, self.read)
    }
}
