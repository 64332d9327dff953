//! A stream moves to another queue, a queue restarts, a queue is drained, a device is lost.

use super::{Ring, lane::Lane, reclaim::Finished};
use crate::{
    backend::{Engine, Settled},
    error::Failure,
    id::{LaneId, PacketId},
    proof::{Grounds, Proven},
    sync::Arc,
    watermark::Watermark,
};

/// One generation of a queue is over, up to a point: everything below it is complete, packets without
/// a signal too.
///
/// Made only where that is so: no index was reserved and unpublished, and a fence at or after the last
/// published index is proven; both read before anything else happened on the queue (S4).
///
/// ```
/// # use ringfence::{backend::*, id::*, proof::*, ring::*, watermark::Watermark};
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
/// # let of = submit(&mut ring, 7);
/// let settled = Settled::Below(PacketId::new(8)); // what the queue said, first
/// assert!(Drained::by_fence(settled, mark.observe()).is_none()); // packet 7 runs
/// # let probe = ring.probe_use(of).expect("in flight");
/// # let Confirmed::Fence(seen) = ring.confirm(probe, SignalValue::DONE)? else { panic!("a fence") };
/// # let _proven = mark.raise(seen);
/// let drained = Drained::by_fence(settled, mark.observe()).expect("packet 7 is proven");
/// let finished = ring.next_drained(drained).expect("packet 7");
/// assert_eq!(finished.grounds(), Grounds::Drained);
/// # Ok::<(), ringfence::error::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub struct Drained {
    lane: LaneId,
    below: PacketId,
}
impl Drained {
    /// `settled` was read first, then `proven` was observed.
    pub fn by_fence(settled: Settled, proven: Proven) -> Option<Self> {
        match settled {
            Settled::Below(below) if proven.below() >= below => {
                Some(Self { lane: proven.lane(), below: proven.below() })
            }
            Settled::Below(_) | Settled::Reserving => None,
        }
    }
    /// The queue and generation.
    pub fn lane(&self) -> LaneId {
        self.lane
    }
}

impl Ring {
    /// The stream goes on with the queue of `mark`. What is in flight stays in its lane, where only its
    /// own values and its own queue's fences prove it, also fences of other streams (S4).
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
    /// # let left = submit(&mut ring, 7);
    /// let other = LaneId::new(QueueId::new(1), Generation::FIRST);
    /// ring.switch(Arc::new(Watermark::new(other)));
    /// assert_eq!(ring.lane(), other);
    /// // Packet 7 of the old queue is still to be proven, there:
    /// assert_eq!(ring.elsewhere().map(|probe| probe.of()), Some(left));
    /// ```
    pub fn switch(&mut self, mark: Arc<Watermark>) {
        let id = mark.lane();
        if self.lanes.own.id == id {
            return;
        }
        match self.lane_index(id) {
            Some(back) => {
                self.lanes.go_back_to(back);
                // Known so far by packets that wait there, and taken for a copy engine.
                let own = &mut self.lanes.own;
                own.mark.get_or_insert(mark);
                own.engine = Engine::Compute;
            }
            None => {
                self.lanes.go_on_with(Lane::compute(mark, self.limits.size as usize));
            }
        }
        self.forget_idle_lanes();
    }
    /// A lane is drained: the pins of its packets go, and its uses are finished. Call until `None`.
    pub fn next_drained(&mut self, drained: Drained) -> Option<Finished> {
        let at = self.lane_index(drained.lane)?;
        let lane = &mut self.lanes[at];
        let proven = Proven::assertion(drained.lane, drained.below);
        lane.release_pins(proven, &mut self.awaited);
        let front = lane.uses.first()?;
        if !proven.covers(lane.use_id(front.packet)) {
            return None;
        }
        self.finish_at(at, 0, Grounds::Drained)
    }
    /// The device is gone, or nobody will look any more: every recorded use ends in an error, nothing is proven, and every signal
    /// that the device may still write to is given up. Returns how many.
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
    /// # use ringfence::error::Failure;
    /// submit(&mut ring, 7);
    /// assert_eq!(ring.lose(Failure::DeviceLost), 1); // its signal is never used again, nor destroyed
    /// assert_eq!((ring.in_flight(), ring.usable(SignalMemory::Host)), (0, 7));
    /// ```
    pub fn lose(&mut self, why: Failure) -> u32 {
        let mut leaked = 0;
        for at in 0..self.lanes.len() {
            for (_, pin) in self.lanes[at].pins.drain() {
                // The device may still read it: what the pin holds is never armed again.
                std::mem::forget(pin);
            }
            while let Some(&used) = self.lanes[at].uses.first() {
                self.lanes[at].uses.take_off(1);
                if let Some(record) = self.slot_mut(used.slot).record.take() {
                    record.fail(why);
                }
                // Lent and never returned: the signal is neither armed nor destroyed.
                std::mem::forget(self.slot_mut(used.slot).custody.lend());
                leaked += 1;
            }
            // Set and not counted down: a backend may have panicked half way through a batch.
            self.lanes[at].barrier_packets = 0;
            self.lanes[at].recorded = 0;
        }
        leaked + self.give_up()
    }
}

/// A ring that goes away leaves alone what the device may still read or write: those signals are neither
/// armed nor destroyed (S1, S9). After [`Tracker::close`](crate::drive::Tracker::close) there are none.
impl Drop for Ring {
    fn drop(&mut self) {
        let _given_up = self.lose(Failure::Abandoned);
    }
}
