//! From proven to ready: finish, take the timing, arm or park, flush.

use std::collections::VecDeque;

use super::{
    Ring,
    lane::{InFlight, Lane, UseFlags},
    record::{IsFence, Outcome, Record},
    secure::Timing,
    slot::{PoolCount, Ready, SlotIndex},
};
use crate::{
    backend::{Engine, SignalMemory},
    error::Failure,
    id::{SignalHandle, UseId},
    proof::{Grounds, Harvest, Proof, Proven, Retired},
    ring::custody::Arm,
    sync::Arc,
};

/// A use came off its lane, proven. Its signal is the caller's, until given back with
/// [`Ring::retire`].
///
/// ```
/// use ringfence::{proof::Harvest, ring::{Arm, Finished, Ring}};
/// /// Gives the signal of a use that was not timed back, and says why it was over.
/// fn retire(ring: &mut Ring, over: Finished) -> Option<Arm> {
///     println!("{} is over: {:?}", over.of(), over.grounds());
///     ring.retire(over, Harvest::NOT_WANTED) // `None`: somebody holds the signal
/// }
/// ```
#[derive(Debug)]
#[must_use = "its signal is lost unless given back with `Ring::retire`"]
pub struct Finished {
    pub(super) slot: SlotIndex,
    signal: SignalHandle,
    memory: SignalMemory,
    engine: Engine,
    timing: Timing,
    record: Option<Arc<Record>>,
    proof: Proof,
}
impl Finished {
    /// The use that is over.
    pub fn of(&self) -> UseId {
        self.proof.of()
    }
    /// Why it is known to be.
    pub fn grounds(&self) -> Grounds {
        self.proof.grounds()
    }
    /// Its signal.
    #[inline]
    pub fn signal(&self) -> SignalHandle {
        self.signal
    }
    /// Where that lives.
    #[inline]
    pub fn memory(&self) -> SignalMemory {
        self.memory
    }
    /// Which engine completed it.
    pub fn engine(&self) -> Engine {
        self.engine
    }
    /// Whether its timing has to be taken before [`Ring::retire`].
    #[inline]
    pub fn timing(&self) -> Timing {
        self.timing
    }
    /// Where the timing goes, and who learns of the completion.
    pub fn record(&self) -> Option<&Arc<Record>> {
        self.record.as_ref()
    }
}

/// What a ring needs from outside so that nothing waits for ever.
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
/// assert_eq!(ring.wants(), Wants::Nothing);
/// # let mut secured = ring.secure(SignalMemory::Host).expect("8 signals");
/// # let held = secured.lend();
/// # let produced = secured.bind(PacketId::new(3), with, None);
/// // Packet 4 waits for packet 3 on the device, and nothing is submitted behind it:
/// ring.pin(UseId::new(lane, PacketId::new(4)), Awaits::EachInOrder, Some(produced), held);
/// assert_eq!(ring.wants(), Wants::Fence);
/// submit(&mut ring, 5); // with the barrier bit
/// assert_eq!(ring.wants(), Wants::Nothing);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Wants {
    /// Nothing.
    Nothing,
    /// A fence: something is pinned, and no fence in flight lies above it, so that nothing would ever
    /// prove it (S20).
    Fence,
}

impl Ring {
    pub(super) fn finished(&mut self, engine: Engine, used: InFlight, proof: Proof) -> Finished {
        let slot = self.slot_mut(used.slot);
        let timing =
            if used.flags.contains(UseFlags::TIMED) { Timing::Wanted } else { Timing::Unwanted };
        let recorded = used.flags.contains(UseFlags::RECORDED);
        Finished {
            slot: used.slot,
            signal: slot.custody.signal(),
            memory: slot.memory,
            engine,
            timing,
            record: if recorded { slot.record.take() } else { None },
            proof,
        }
    }
    /// The next use that is known to be finished without a load: by the watermark of its queue, by a
    /// barrier packet's order, by a consumer that waited for it. Call until `None`.
    ///
    /// ```
    /// use ringfence::{backend::*, id::SignalValue, proof::Harvest, ring::*, timing::Interval};
    /// fn retire_known<D: Device>(gpu: &D, ring: &mut Ring) {
    ///     while let Some(over) = ring.next_finished() {
    ///         let taken = match over.timing() {
    ///             Timing::Unwanted => Harvest::NOT_WANTED,
    ///             Timing::Wanted => {
    ///                 let raw = gpu.timestamps(over.signal(), over.engine());
    ///                 Harvest::taken(Interval::new(raw, gpu.tick_rate()))
    ///             }
    ///         };
    ///         if let Some(arm) = ring.retire(over, taken) {
    ///             gpu.arm(arm.signal(), SignalValue::ARMED);
    ///         }
    ///     }
    ///     gpu.flush(); // one for all
    ///     ring.flushed();
    /// }
    /// ```
    #[inline]
    pub fn next_finished(&mut self) -> Option<Finished> {
        let proven = self.observe()?;
        self.next_covered(proven).or_else(|| self.next_finished_elsewhere())
    }
    /// Whether anything else than the watermark of the stream's queue might prove a use, or a pin waits
    /// for it: whether [`next_finished`](Self::next_finished) has anything to look at.
    #[inline]
    pub(crate) fn may_prove_more(&self) -> bool {
        let own = &self.lanes.own;
        self.lanes.len() > 1
            || own.barrier_packets > 0
            || !own.pins.is_empty()
            || !self.awaited.is_empty()
    }
    /// One look at the watermark of the stream's queue, which serves a whole batch.
    #[inline]
    pub fn observe(&mut self) -> Option<Proven> {
        self.lanes.own.observe()
    }
    /// The next use on the stream's queue that `proven` covers. Call until `None`, and then
    /// [`next_finished`](Self::next_finished), which also looks elsewhere.
    #[inline]
    pub fn next_covered(&mut self, proven: Proven) -> Option<Finished> {
        let lane = &mut self.lanes.own;
        let &used = lane.uses.first()?;
        let proof = proven.prove(lane.use_id(used.packet))?;
        if !lane.pins.is_empty() {
            // Before retiring: a signal of this ring that only a pin held is not parked first.
            lane.release_pins(proven, &mut self.awaited);
        }
        lane.pop(used);
        Some(self.finished(Engine::Compute, used, proof))
    }
    #[inline(never)]
    fn next_finished_elsewhere(&mut self) -> Option<Finished> {
        #[cfg(feature = "planted")]
        let newest = self.lanes.own.observe();
        for at in 0..self.lanes.len() {
            let lane = &mut self.lanes[at];
            let proven = lane.observe();
            // S4, S5: every lane is proven by its own watermark, and a copy engine has none.
            #[cfg(feature = "planted")]
            let proven = planted_proof(lane, proven, newest);
            if let Some(proven) = proven {
                lane.release_pins(proven, &mut self.awaited);
                if let Some(&used) = lane.uses.first()
                    && let Some(proof) = proven.prove(lane.use_id(used.packet))
                {
                    let engine = lane.engine;
                    lane.pop(used);
                    return Some(self.finished(engine, used, proof));
                }
            }
            if lane.barrier_packets > 0
                && let Some(index) = lane.next_by_barrier_order()
            {
                return self.finish_at(at, index, Grounds::BarrierOrder);
            }
        }
        while let Some(of) = self.awaited.pop() {
            if let Some(lane) = self.lane_index(of.lane())
                && let Some(index) = self.lanes[lane].position(of.packet())
            {
                return self.finish_at(lane, index, Grounds::Awaited);
            }
        }
        None
    }
    /// The next use that somebody else saw finished: a query or a wait that loaded its value. Looks at
    /// every recorded use, so only before the ring would grow or wait.
    pub fn next_observed(&mut self) -> Option<Finished> {
        if planted!(HideBehindOldest) {
            return None;
        }
        for lane_at in 0..self.lanes.len() {
            let lane = &self.lanes[lane_at];
            if lane.recorded == 0 {
                continue;
            }
            let seen = |used: &InFlight| {
                self.slot(used.slot)
                    .record
                    .as_ref()
                    .is_some_and(|record| record.outcome() == Outcome::Finished)
            };
            if let Some(at) = lane.uses.iter().position(seen) {
                return self.finish_at(lane_at, at, Grounds::OwnValue);
            }
        }
        None
    }
    /// The use is over and its timing taken: its record learns of it, and its signal is armed, or
    /// parked with its proof while somebody holds it. The order is usable after [`flushed`](Self::flushed).
    pub fn retire(&mut self, finished: Finished, harvest: Harvest) -> Option<Arm> {
        let Finished { slot, record, proof, .. } = finished;
        if let Some(record) = record
            && self.spare_records.retire(record).is_err()
        {
            let of = (proof.of(), IsFence::No);
            self.put_away(slot, of, None, Failure::OverDecremented); // a waiter saw it below 0 (S7)
            return None;
        }
        self.arm_or_park(slot, proof.harvest(harvest))
    }
    pub(super) fn arm_or_park(&mut self, at: SlotIndex, retired: Retired) -> Option<Arm> {
        let slot = &mut self.slots[at.0 as usize];
        let pool = slot.pool.index();
        match slot.arm(retired) {
            Ok(arm) => {
                self.ready[pool].push_armed(at);
                flush_host_pools(&mut self.ready);
                Some(arm)
            }
            Err(retired) => {
                park(&mut self.parked, &mut self.counts[pool], at, retired);
                None
            }
        }
    }
    /// Tries the parked signal that waited longest: armed, if nobody holds it any more. Call as often
    /// as there are [`parked`](Self::parked) signals.
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
    ///
    /// # let mut secured = ring.secure(SignalMemory::Host).expect("8 signals");
    /// let held = secured.lend(); // a handler, say
    /// # let of = secured.bind(PacketId::new(3), with, None);
    /// # let probe = ring.probe_use(of).expect("in flight");
    /// # let Confirmed::Fence(seen) = ring.confirm(probe, SignalValue::DONE)? else { panic!("a fence") };
    /// # let _proven = mark.raise(seen);
    /// let over = ring.next_finished().expect("it is proven");
    /// assert!(ring.retire(over, Harvest::NOT_WANTED).is_none());
    /// assert_eq!(ring.parked(), 1);
    /// assert!(ring.unpark().is_none()); // still held
    /// drop(held);
    /// assert!(ring.unpark().is_some()); // to be armed
    /// # Ok::<(), ringfence::error::Error>(())
    /// ```
    pub fn unpark(&mut self) -> Option<Arm> {
        let (at, retired) = self.parked.pop_front()?;
        let pool = self.slot(at).pool.index();
        self.counts[pool].parked -= 1;
        self.arm_or_park(at, retired)
    }
    /// Signals that are armed and wait for a flush.
    #[inline]
    pub fn unflushed(&self) -> usize {
        self.ready[SignalMemory::Device.index()].unflushed()
    }
    /// The device has flushed: what was armed may be used (S10).
    #[inline]
    pub fn flushed(&mut self) {
        self.ready[SignalMemory::Device.index()].flushed();
    }
    /// Whether nothing would ever prove what is pinned, unless a fence is submitted.
    pub fn wants(&self) -> Wants {
        if planted!(NeverAskForFence) {
            return Wants::Nothing;
        }
        match self.newest_pin() {
            Some(pin) if self.lanes.own.fence_above(pin) == IsFence::No => Wants::Fence,
            _ => Wants::Nothing,
        }
    }
    /// What a tracker that took the read index for a consumer's completion would do.
    #[cfg(feature = "planted")]
    pub(crate) fn release_pins_below(&mut self, read_index: crate::id::PacketId) {
        self.lanes.own.pins.free_below(read_index, |_| crate::retire::Freed::Now);
    }
}

/// A store to host memory is ordered before the packet's header: no flush makes it visible.
#[inline]
pub(super) fn flush_host_pools(ready: &mut [Ready; 4]) {
    for pool in [SignalMemory::Host, SignalMemory::Interrupt, SignalMemory::Shared] {
        ready[pool.index()].flushed();
    }
}

/// Somebody holds the signal: it waits, with the proof that its last use is over.
#[cold]
#[inline(never)]
pub(super) fn park(
    parked: &mut VecDeque<(SlotIndex, Retired)>,
    count: &mut PoolCount,
    at: SlotIndex,
    retired: Retired,
) {
    count.parked += 1;
    parked.push_back((at, retired));
}

impl Lane {
    /// A barrier packet below a packet whose own value was seen: none passes it, so it is complete.
    fn next_by_barrier_order(&self) -> Option<usize> {
        let below = self.uses.partition_point(|used| used.packet < self.completed_at);
        self.uses[..below].iter().position(|used| used.flags.contains(UseFlags::BARRIER_PACKET))
    }
}

/// What the planted faults take for a proof of a lane that is not the stream's own.
#[cfg(feature = "planted")]
fn planted_proof(
    lane: &Lane,
    proven: Option<crate::proof::Proven>,
    newest: Option<crate::proof::Proven>,
) -> Option<crate::proof::Proven> {
    use crate::{id::PacketId, proof::Proven};
    let newest = newest?;
    let same_queue = newest.lane().queue() == lane.id.queue();
    let below = match lane.engine {
        Engine::Copy if planted!(FenceProvesCopy) && newest.below() > PacketId::FIRST => {
            lane.uses.last().map_or(PacketId::FIRST, |used| used.packet.next())
        }
        Engine::Compute if planted!(AcrossGenerations) && same_queue => newest.below(),
        Engine::Compute if planted!(AcrossQueues) && !same_queue => newest.below(),
        Engine::Compute | Engine::Copy => return proven,
    };
    let own = proven.map_or(PacketId::FIRST, Proven::below);
    Some(Proven::assertion(lane.id, below.max(own)))
}
