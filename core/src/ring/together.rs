//! Retiring many uses in one pass: the path of most uses.

use super::{
    Ring,
    custody::Arm,
    lane::{self, InFlight, Lane, UseFlags},
    reclaim::{flush_host_pools, park},
    slot::{Ready, Slot},
};
use crate::{
    id::{LaneId, UseId},
    proof::{Harvest, Proven},
};

/// What became of uses that were retired together.
///
/// ```
/// use ringfence::{backend::Signals, id::SignalValue, proof::Proven, ring::{Batch, Ring}};
/// /// Arms up to 32 signals with one flush, and says how many uses are over.
/// fn retire<D: Signals>(gpu: &D, ring: &mut Ring, proven: Proven) -> usize {
///     let store = |arm: ringfence::ring::Arm| gpu.arm(arm.signal(), SignalValue::ARMED);
///     let Batch { armed, parked } = ring.retire_together(proven, 32, store);
///     if armed > 0 {
///         gpu.flush();
///         ring.flushed();
///     }
///     armed + parked
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[must_use]
pub struct Batch {
    /// Their signals were armed.
    pub armed: usize,
    /// Somebody holds theirs.
    pub parked: usize,
}

impl Ring {
    /// Whether `proven` covers the oldest use on the stream's queue.
    #[inline(always)]
    pub(crate) fn is_covered(&self, proven: Proven) -> bool {
        let own = &self.lanes.own;
        own.uses.first().is_some_and(|oldest| proven.covers(own.use_id(oldest.packet)))
    }
    /// Retires up to `limit` uses on the stream's queue that `proven` covers, oldest first, up to the
    /// first whose timing is wanted or whose signal a waiter saw below 0. Each order goes to `store`.
    ///
    /// What [`next_covered`](Self::next_covered) and [`retire`](Self::retire) do for one.
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
    /// # for packet in 1..=7 { submit(&mut ring, packet); }
    /// # let probe = ring.newest_fence().expect("in flight");
    /// # let Confirmed::Fence(seen) = ring.confirm(probe, SignalValue::DONE)? else { panic!("a fence") };
    /// let proven = mark.raise(seen); // packets 1 to 7 are over
    /// let mut stores = Vec::new();
    /// let batch = ring.retire_together(proven, 4, |arm| stores.push(arm.signal()));
    /// assert_eq!(batch, Batch { armed: 4, parked: 0 });
    /// assert_eq!((stores.len(), ring.in_flight()), (4, 3));
    /// # Ok::<(), ringfence::error::Error>(())
    /// ```
    #[inline(never)]
    pub fn retire_together(
        &mut self,
        proven: Proven,
        limit: usize,
        mut store: impl FnMut(Arm),
    ) -> Batch {
        let Self { lanes, slots, ready, counts, parked, awaited, spare_records, .. } = self;
        let Lane { id, uses, pins, barrier_packets, recorded, .. } = &mut lanes.own;
        let (lane, slots) = (*id, &mut slots[..]);
        let covers = |used: &InFlight| proven.covers(UseId::new(lane, used.packet));
        if !pins.is_empty() && uses.first().is_some_and(covers) {
            // Before retiring: a signal of this ring that only a pin held is not parked first.
            lane::release_pins(pins, proven, awaited);
        }
        let (mut retired, mut held) = (0, 0);
        let within = &uses[..uses.len().min(limit)];
        loop {
            retired += arm_run(proven, lane, &within[retired..], slots, ready, &mut store);
            let Some(&used) = within.get(retired) else { break };
            // By itself: it is not plain, or alone, or its signal is held or of another pool; or not covered.
            let Some(proof) = proven.prove(UseId::new(lane, used.packet)) else { break };
            let slot = &mut slots[used.slot.0 as usize];
            if !used.is_plain() {
                if used.flags.contains(UseFlags::TIMED) {
                    break;
                }
                if let Some(record) = slot.record.take() {
                    if let Err(record) = spare_records.retire(record)
                        && !planted!(IgnoreOverDecrement)
                    {
                        slot.record = Some(record);
                        break;
                    }
                    *recorded -= 1;
                }
                *barrier_packets -= u32::from(used.flags.contains(UseFlags::BARRIER_PACKET));
            }
            match slot.arm(proof.harvest(Harvest::NOT_WANTED)) {
                Ok(arm) => {
                    store(arm);
                    ready[slot.pool.index()].push_armed(used.slot);
                }
                Err(proof) => {
                    park(parked, &mut counts[slot.pool.index()], used.slot, proof);
                    held += 1;
                }
            }
            retired += 1;
        }
        uses.take_off(retired);
        flush_host_pools(ready);
        Batch { armed: retired - held, parked: held }
    }
}

/// Arms the signals of the uses at the front that are plain and covered, and that nobody was lent, as
/// long as they are of one pool: the first one's. Returns how many; none where there is but one.
#[inline(always)]
fn arm_run(
    proven: Proven,
    lane: LaneId,
    uses: &[InFlight],
    slots: &mut [Slot],
    ready: &mut [Ready; 4],
    store: &mut impl FnMut(Arm),
) -> usize {
    let [first, second, ..] = uses else { return 0 };
    if !first.is_plain() || !second.is_plain() {
        return 0; // a pass for one use costs more than it saves
    }
    let pool = slots[first.slot.0 as usize].pool;
    let ready = &mut ready[pool.index()];
    let mut count = 0;
    for (used, place) in uses.iter().zip(ready.places(uses.len())) {
        let slot = &mut slots[used.slot.0 as usize];
        if !used.is_plain() || slot.pool != pool {
            break;
        }
        let Some(proof) = proven.prove(UseId::new(lane, used.packet)) else { break };
        let Ok(arm) = slot.arm(proof.harvest(Harvest::NOT_WANTED)) else { break };
        store(arm);
        *place = used.slot;
        count += 1;
    }
    ready.fill(count);
    count
}
