//! The retirement ring: which signals may be armed again, decided without touching a device.
//!
//! ```text
//!   secure ──► bind ──► in flight ──► finished ──► armed ──► (flush) ──► ready
//!                          │             │  └─► parked: somebody holds it
//!                          │             └─ timing is taken here
//!                          └─► quarantined: its own value must prove it first
//! ```
//!
//! The ring is pure. It is told what was observed ([`Ring::confirm`], [`Ring::flushed`]) and hands out
//! orders that only [`drive`](crate::drive) carries out: load this signal ([`Probe`]), take this timing
//! ([`Finished`]), store this initial value ([`Arm`]), create or wait ([`Shortage`]).
//!
//! One ring belongs to one stream. Several streams share a hardware queue by sharing its
//! [`Watermark`]: what one of them proves, all of them know.

mod custody;
mod digest;
mod lane;
mod lanes;
mod limits;
mod probe;
mod quarantine;
mod reaper;
mod reclaim;
mod record;
mod reference;
mod secure;
mod slot;
mod spare;
mod together;
mod turnover;
mod uses;

pub use custody::{Arm, Custody, Holder, Sole};
pub use lane::Awaits;
pub use limits::RingLimits;
pub use probe::{Confirmed, Probe};
pub(crate) use quarantine::{Over, RolledBack};
pub use quarantine::{Released, Suspect};
pub use reaper::Reaper;
pub use reclaim::{Finished, Wants};
pub use record::{IsFence, Outcome, Record, Recorded};
pub use reference::{Named, UseRef};
pub use secure::{PacketOrder, Secured, Shortage, Timing, Use};
pub use together::Batch;
pub use turnover::Drained;

use std::collections::VecDeque;

use crate::{
    backend::SignalMemory,
    id::{LaneId, PacketId, SignalHandle, UseId},
    proof::Retired,
    sync::{Arc, next_ring},
    watermark::Watermark,
};
use custody::Custody as SignalCustody;
use lane::Lane;
use lanes::Lanes;
use slot::{PoolCount, Ready, Slot, SlotIndex};
use spare::SpareRecords;

/// The signals of one stream and their uses in flight. See the module.
///
/// ```
/// # use ringfence::{backend::*, id::*, proof::*, ring::*, watermark::Watermark};
/// # use std::sync::Arc;
/// # let lane = LaneId::new(QueueId::new(0), Generation::FIRST);
/// # let (engine, barrier, order) = (Engine::Compute, Barrier::Set, PacketOrder::Free);
/// # let with = Use { lane, engine, barrier, order, timing: Timing::Unwanted, parts: Parts::ONE };
///
/// let mark = Arc::new(Watermark::new(lane)); // shared with the other streams on the queue
/// let mut ring = Ring::new(mark.clone(), RingLimits::default(), Arc::new(Reaper::new()));
/// ring.add(SignalHandle::new(1), SignalMemory::Host, SignalMemory::Host); // created armed
/// let secured = ring.secure(SignalMemory::Host).expect("one is ready");
/// let of = secured.bind(PacketId::new(7), with, None); // and packet 7 is published
/// let probe = ring.newest_fence().expect("packet 7 has the barrier bit");
/// assert_eq!(probe.of(), of); // load `probe.signal()`; the device says 0:
/// let Confirmed::Fence(proof) = ring.confirm(probe, SignalValue::DONE)? else { panic!("a fence") };
/// let proven = mark.raise(proof);
/// while let Some(finished) = ring.next_covered(proven) {
///     let arm = ring.retire(finished, Harvest::NOT_WANTED).expect("nobody holds it");
///     assert_eq!(arm.signal(), SignalHandle::new(1)); // store 1 into it
/// }
/// assert_eq!(ring.usable(SignalMemory::Host), 1);
/// # Ok::<(), ringfence::error::Error>(())
/// ```
#[derive(Debug)]
#[repr(C)] // the lines that every use touches are next to each other
pub struct Ring {
    /// By pool: see [`SignalMemory::index`].
    ready: [Ready; 4],
    slots: Vec<Slot>,
    /// `lanes[0]` is the hardware queue that the stream is on; the others are queues and generations
    /// that it left, and copy engines.
    lanes: Lanes,
    limits: RingLimits,
    counts: [PoolCount; 4],
    parked: VecDeque<(SlotIndex, Retired)>,
    quarantine: Vec<quarantine::Quarantined>,
    /// Uses that proven consumers waited for, until they are retired.
    awaited: Vec<UseId>,
    spare_records: SpareRecords,
    reaper: Arc<Reaper>,
    lane_turn: usize,
    /// Looks in a row at the stream's own queue, while there was more elsewhere.
    looks_here: u32,
    /// Of no other ring: what this one named is not taken for another's.
    number: u32,
}
impl Ring {
    /// A ring without signals, for a stream on the queue of `mark`.
    pub fn new(mark: Arc<Watermark>, limits: RingLimits, reaper: Arc<Reaper>) -> Self {
        let limits = limits.at_least_one();
        Self {
            limits,
            slots: Vec::with_capacity(limits.size as usize),
            lanes: Lanes::new(Lane::compute(mark, limits.size as usize)),
            ready: std::array::from_fn(|_| Ready::new(limits.low_water() as u32)),
            counts: Default::default(),
            parked: VecDeque::new(),
            quarantine: Vec::new(),
            awaited: Vec::new(),
            spare_records: SpareRecords::new(limits.size as usize),
            reaper,
            lane_turn: 0,
            looks_here: 0,
            number: next_ring(),
        }
    }
    /// Takes in a signal that was created armed and is visible to the device: asked for in `pool`, and
    /// living in `memory`. It stays in its pool even where the backend fell back to host memory.
    pub fn add(&mut self, signal: SignalHandle, pool: SignalMemory, memory: SignalMemory) {
        let slot = SlotIndex(u32::try_from(self.slots.len()).expect("fewer than 2^32 signals"));
        let custody = SignalCustody::new(signal, self.reaper.clone());
        if self.slots.len() == self.slots.capacity() {
            // By the ring's size and not by doubling: a ring at its cap is to be small.
            self.slots.reserve_exact((self.limits.size as usize).max(self.slots.len() / 8));
        }
        self.slots.push(Slot { custody, last_use: slot::NEVER, record: None, pool, memory });
        self.counts[pool.index()].created += 1;
        self.ready[pool.index()].push_visible(slot);
    }
    /// The sizes it was made with.
    pub fn limits(&self) -> RingLimits {
        self.limits
    }
    /// Signals of `pool` that a submission can take now.
    #[inline]
    pub fn usable(&self, pool: SignalMemory) -> usize {
        self.ready[pool.index()].usable()
    }
    /// Signals of `pool` that count against the cap.
    pub fn live(&self, pool: SignalMemory) -> u32 {
        self.counts[pool.index()].live()
    }
    /// Signals that are proven and held by somebody else.
    pub fn parked(&self) -> usize {
        self.parked.len()
    }
    /// Signals that may not be used again before their own value proves them.
    pub fn quarantined(&self) -> usize {
        self.quarantine.len()
    }
    /// Signals of all pools.
    pub fn size(&self) -> usize {
        self.slots.len()
    }
    /// Uses that are not proven yet, in all lanes.
    pub fn in_flight(&self) -> usize {
        self.lanes.iter().map(|lane| lane.uses.len()).sum()
    }
    /// Signals pinned by GPU waiters that are not proven yet.
    pub fn pinned(&self) -> usize {
        self.lanes.iter().map(|lane| lane.pins.len()).sum()
    }
    /// The queue and generation that the stream is on.
    #[inline]
    pub fn lane(&self) -> LaneId {
        self.lanes.own.id
    }
    /// The watermark of that queue.
    pub fn mark(&self) -> &Arc<Watermark> {
        self.lanes.own.mark.as_ref().expect("lane 0 is a hardware queue")
    }
    /// The newest use in flight on the stream's queue.
    pub fn newest(&self) -> Option<UseId> {
        let lane = &self.lanes.own;
        lane.uses.last().map(|used| lane.use_id(used.packet))
    }
    /// Where destroyed signals go.
    pub fn reaper(&self) -> &Arc<Reaper> {
        &self.reaper
    }
    fn lane_index(&self, id: LaneId) -> Option<usize> {
        self.lanes.position(id)
    }
    #[inline(always)]
    fn slot(&self, at: SlotIndex) -> &Slot {
        &self.slots[at.0 as usize]
    }
    #[inline(always)]
    fn slot_mut(&mut self, at: SlotIndex) -> &mut Slot {
        &mut self.slots[at.0 as usize]
    }
    /// `consumer` waits on the device for `held`'s signal to be 0, as `awaits` says: it is not armed
    /// again until that packet is proven, on whatever grounds (S9). `dependency` is the use that it
    /// waits for, where it is one of this ring's.
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
    ///
    /// # let mut secured = ring.secure(SignalMemory::Host).expect("8 signals");
    /// let held = secured.lend(); // before it is bound: somebody will wait for this use
    /// let produced = secured.bind(PacketId::new(3), with, None);
    /// let consumer = UseId::new(lane, PacketId::new(4)); // a packet that waits, without a signal
    /// ring.pin(consumer, Awaits::EachInOrder, Some(produced), held);
    /// assert_eq!(ring.pinned(), 1);
    /// ```
    pub fn pin(
        &mut self,
        consumer: UseId,
        awaits: Awaits,
        dependency: Option<UseId>,
        held: Holder,
    ) {
        let at = self.lanes.position_or_new(consumer.lane());
        self.lanes[at].pins.hold(consumer, lane::Pin { awaits, dependency, hold: held });
    }
    /// Makes place for `count` pins, so that [`pin`](Self::pin) allocates nothing (S11).
    pub fn reserve_pins(&mut self, count: usize) {
        self.lanes.own.pins.reserve(count);
    }
    /// Forgets lanes that have nothing left to prove, but for the stream's own.
    pub fn forget_idle_lanes(&mut self) {
        self.note_what_is_over();
        self.lanes.forget_idle();
    }
    /// A record for the next recorded use: one that nobody holds, or a new one. Before an index is
    /// reserved, since it may allocate (S11).
    pub fn take_record(&mut self) -> Option<Arc<Record>> {
        self.spare_records.take()
    }
    /// Somebody lets go of a record: it is used again, if it was the last to hold it.
    pub fn keep_record(&mut self, record: Arc<Record>) {
        self.spare_records.keep(record);
    }
    /// The packet that pins wait for last, on the stream's queue.
    fn newest_pin(&self) -> Option<PacketId> {
        self.lanes.own.pins.newest()
    }
}

#[cfg(all(test, not(ringfence_loom)))]
mod tests;
