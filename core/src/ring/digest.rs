//! A digest of a ring's state, for searches that visit equal states once. Reads only.

use std::hash::{Hash, Hasher};

use super::Ring;

impl Ring {
    /// Feeds everything that later decisions depend on to `state`.
    ///
    /// ```
    /// # use ringfence::{backend::*, id::*, ring::*, watermark::Watermark};
    /// # use std::sync::Arc;
    /// # let lane = LaneId::new(QueueId::new(0), Generation::FIRST);
    /// # let mark = Arc::new(Watermark::new(lane));
    /// # let mut ring = Ring::new(mark.clone(), RingLimits::with_size(8), Arc::new(Reaper::new()));
    /// # (1..=8).for_each(|raw| ring.add(SignalHandle::new(raw), SignalMemory::Host, SignalMemory::Host));
    /// # let (engine, barrier, order) = (Engine::Compute, Barrier::Set, PacketOrder::Free);
    /// # let with = Use { lane, engine, barrier, order, timing: Timing::Unwanted, parts: Parts::ONE };
    /// # let submit = |ring: &mut Ring, packet| {
    /// #     ring.secure(SignalMemory::Host).expect("8 signals").bind(PacketId::new(packet), with, None)
    /// # };
    ///
    /// use std::hash::{DefaultHasher, Hasher};
    /// let state = |ring: &Ring| {
    ///     let mut state = DefaultHasher::new();
    ///     ring.digest(&mut state);
    ///     state.finish()
    /// };
    /// let (before, again) = (state(&ring), state(&ring));
    /// assert_eq!(before, again); // seen already: nothing new behind it
    /// # submit(&mut ring, 3);
    /// # assert_ne!(state(&ring), before);
    /// ```
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
        (&self.awaited, self.lane_turn, self.looks_here).hash(state);
    }
}
