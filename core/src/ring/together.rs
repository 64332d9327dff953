//! Retiring many uses in one pass: the path of most uses.

use super::{
    Ring,
    custody::Arm,
    lane::{self, InFlight, Lane, UseFlags},
    reclaim::{flush_host_pools, park},
};
use crate::{
    id::UseId,
    proof::{Harvest, Proven},
};

/// What became of uses that were retired together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[must_use]
pub struct Batch {
    /// Their signals were armed.
    pub armed: usize,
    /// Somebody holds theirs.
    pub parked: usize,
}

impl Ring {
    /// Retires up to `limit` uses on the stream's queue that `proven` covers, oldest first, up to the
    /// first whose timing is wanted or whose signal a waiter saw below 0. Each order goes to `store`.
    ///
    /// What [`next_covered`](Self::next_covered) and [`retire`](Self::retire) do for one.
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
        if !pins.is_empty() && uses.front().is_some_and(covers) {
            // Before retiring: a signal of this ring that only a pin held is not parked first.
            lane::release_pins(pins, proven, awaited);
        }
        let (mut retired, mut held) = (0, 0);
        let (older, newer) = uses.as_slices();
        let older = &older[..older.len().min(limit)];
        let newer = &newer[..newer.len().min(limit - older.len())];
        'uses: for part in [older, newer] {
            for &used in part {
                let Some(proof) = proven.prove(UseId::new(lane, used.packet)) else { break 'uses };
                let slot = &mut slots[used.slot.0 as usize];
                if used.flags.intersects(UseFlags::RECORDED | UseFlags::BARRIER_PACKET) {
                    if used.flags.contains(UseFlags::TIMED) {
                        break 'uses;
                    }
                    if let Some(record) = slot.record.take() {
                        if let Err(record) = spare_records.retire(record) {
                            slot.record = Some(record);
                            break 'uses;
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
        }
        uses.drain(..retired);
        flush_host_pools(ready);
        Batch { armed: retired - held, parked: held }
    }
}
