//! Taking a signal for a use: secure, reserve, bind (S11).

use super::{
    Ring,
    custody::Holder,
    lane::{InFlight, UseFlags},
    lanes::Lanes,
    probe::Probe,
    record::Record,
    slot::{Ready, Slot, SlotIndex},
};
use crate::{
    backend::{Engine, SignalMemory},
    id::{Barrier, LaneId, PacketId, Parts, SignalHandle, UseId},
    sync::Arc,
};

/// So many times the cap, signals are created at most, those that somebody else holds included.
const HELD_AT_MOST: u32 = 16;

/// What a submission has to do first.
///
/// ```
/// use ringfence::ring::Shortage;
/// fn first(shortage: &Shortage) -> String {
///     match shortage {
///         Shortage::Flush => "flush, and tell the ring".into(),
///         Shortage::Grow { count, pool, .. } => format!("create {count} in {pool} memory"),
///         Shortage::WaitFor(probe) => format!("wait for {}", probe.of()),
///         Shortage::Exhausted => "give up: others hold all there is".into(),
///     }
/// }
/// # assert!(first(&Shortage::Flush).starts_with("flush"));
/// ```
#[derive(Debug)]
#[must_use]
pub enum Shortage {
    /// Armed signals wait for a flush.
    Flush,
    /// Create so many signals in this memory.
    Grow {
        /// How many.
        count: u32,
        /// How many at most: so many are left to the cap.
        room: u32,
        /// In which memory.
        pool: SignalMemory,
    },
    /// The ring is at its cap: wait for the oldest use.
    WaitFor(Probe),
    /// Nothing is in flight, and the cap is reached: only others can help.
    Exhausted,
}

/// How a use completes.
///
/// ```
/// use ringfence::{backend::Engine, id::*, ring::{PacketOrder, Timing, Use}};
/// # let lane = LaneId::new(QueueId::new(0), Generation::FIRST);
/// let kernel = Use {
///     lane,
///     engine: Engine::Compute,
///     barrier: Barrier::Set,
///     order: PacketOrder::Free,
///     timing: Timing::Unwanted,
///     parts: Parts::ONE,
/// };
/// let wait = Use { order: PacketOrder::HoldsBackLater, ..kernel }; // a BARRIER_AND
/// # assert_ne!(kernel, wait);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The lane of its packet.
    pub lane: LaneId,
    /// Which kind of engine completes it.
    pub engine: Engine,
    /// Its packet's barrier bit. Copies have none.
    pub barrier: Barrier,
    /// Whether it is a BARRIER_AND or OR.
    pub order: PacketOrder,
    /// Whether its timing is wanted.
    pub timing: Timing,
    /// How many decrements finish it.
    pub parts: Parts,
}

/// Whether later packets of the queue wait for a packet.
///
/// ```
/// use ringfence::{backend::Body, ring::PacketOrder};
/// fn order<W>(body: &Body<W>) -> PacketOrder {
///     match body {
///         Body::And(_) | Body::Or(_) => PacketOrder::HoldsBackLater,
///         Body::Kernel(_) | Body::Value(_) => PacketOrder::Free,
///     }
/// }
/// # assert_eq!(order(&Body::Kernel(())), PacketOrder::Free);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketOrder {
    /// BARRIER_AND or OR: they do, whatever its barrier bit says.
    HoldsBackLater,
    /// They may overtake it.
    Free,
}

/// Whether a use's timing is wanted.
///
/// ```
/// use ringfence::{event::{Event, EventOptions}, ring::Timing};
/// let timed = EventOptions { timing: Timing::Wanted, ..EventOptions::default() };
/// let (began, ended) = (Event::new(timed), Event::new(timed)); // for `Event::elapsed_to`
/// # let _ = (began, ended);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Timing {
    /// It is taken before the signal is armed again.
    Wanted,
    /// It is not looked at.
    #[default]
    Unwanted,
}

/// A signal is secured; binding it to a packet cannot fail. Holds the ring, so that nothing comes in
/// between; dropped, it leaves the ring as it was.
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
/// drop(ring.secure(SignalMemory::Host)); // no index was to be had: nothing has happened
/// assert_eq!(ring.usable(SignalMemory::Host), 8);
/// let mut secured = ring.secure(SignalMemory::Host).expect("8 are ready");
/// let held = secured.lend(); // for whoever will wait for this use
/// let of = secured.bind(PacketId::new(7), with, None); // cannot fail
/// assert_eq!(ring.newest(), Some(of));
/// # let _ = held;
/// ```
#[derive(Debug)]
#[must_use]
pub struct Secured<'r> {
    lanes: &'r mut Lanes,
    ready: &'r mut Ready,
    slot: &'r mut Slot,
    at: SlotIndex,
}

impl Ring {
    /// First a signal, then the packet index, then the bond: a reserved index that waits for a signal
    /// would stop every stream of the queue.
    ///
    /// # Errors
    /// What to do first, when no signal of `pool` is ready.
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
    /// let pool = SignalMemory::Device; // so far, the ring has signals in host memory alone
    /// let Err(Shortage::Grow { count, .. }) = ring.secure(pool) else { panic!("there is none") };
    /// for raw in 100..100 + u64::from(count) {
    ///     ring.add(SignalHandle::new(raw), pool, pool); // as the device created them
    /// }
    /// assert!(ring.secure(pool).is_ok());
    /// ```
    #[inline(always)]
    pub fn secure(&mut self, pool: SignalMemory) -> Result<Secured<'_>, Shortage> {
        let Some(at) = self.ready[pool.index()].front() else {
            return Err(self.shortage(pool));
        };
        Ok(self.secured(pool, at))
    }
    /// The same, unless it is time to see whether signals of `pool` run short: at the latest when half a
    /// ring was taken since it last was.
    #[inline(always)]
    pub(crate) fn secure_at_hand(&mut self, pool: SignalMemory) -> Option<Secured<'_>> {
        let at = self.ready[pool.index()].at_hand()?;
        Some(self.secured(pool, at))
    }
    #[inline(always)]
    fn secured(&mut self, pool: SignalMemory, at: SlotIndex) -> Secured<'_> {
        let Self { lanes, ready, slots, .. } = self;
        let (ready, slot) = (&mut ready[pool.index()], &mut slots[at.0 as usize]);
        Secured { lanes, ready, slot, at }
    }
    /// What it takes before a signal of `pool` can be secured.
    #[cold]
    #[inline(never)]
    pub fn shortage(&self, pool: SignalMemory) -> Shortage {
        if self.ready[pool.index()].unflushed() > 0 {
            return Shortage::Flush;
        }
        let room = self.room(pool);
        let waits = planted!(WaitBeforeGrow) && self.oldest_of(pool).is_some();
        if room > 0 && !waits {
            let batch = match pool {
                SignalMemory::Device | SignalMemory::Host => self.limits.batch,
                SignalMemory::Interrupt | SignalMemory::Shared => 1,
            };
            return Shortage::Grow { count: batch.min(room), room, pool };
        }
        self.oldest_of(pool).map_or(Shortage::Exhausted, Shortage::WaitFor)
    }
    /// How many signals of `pool` may still be created: those that others hold do not count against the
    /// cap, but there is an end to them too, so that a leak of holders ends in an error and not in all of
    /// the host's memory.
    fn room(&self, pool: SignalMemory) -> u32 {
        let cap = self.limits.cap;
        let all =
            cap.saturating_mul(HELD_AT_MOST).saturating_sub(self.counts[pool.index()].created);
        cap.saturating_sub(self.live(pool)).min(all)
    }
    /// The oldest use in flight whose signal would serve `pool`, when no more can be created.
    pub fn oldest_in(&self, pool: SignalMemory) -> Option<Probe> {
        self.oldest_of(pool)
    }
    /// The oldest use whose signal is of `pool`: on the stream's own queue first.
    fn oldest_of(&self, pool: SignalMemory) -> Option<Probe> {
        self.lanes.iter().find_map(|lane| {
            let used = lane.uses.iter().find(|used| self.slot(used.slot).pool == pool)?;
            Some(self.probe_of(lane, used))
        })
    }
}

impl<'r> Secured<'r> {
    /// The signal.
    #[inline]
    pub fn signal(&self) -> SignalHandle {
        self.slot.custody.signal()
    }
    /// Where it lives.
    #[inline]
    pub fn memory(&self) -> SignalMemory {
        self.slot.memory
    }
    /// The queue and generation that the stream is on.
    #[inline(always)]
    pub(crate) fn lane(&self) -> LaneId {
        self.lanes.own.id
    }
    /// An event, a GPU waiter or a handler holds the signal from here on.
    #[inline]
    pub fn lend(&mut self) -> Holder {
        self.slot.custody.lend()
    }
    /// The packet is known: the signal is in flight from here on.
    #[inline(always)]
    pub fn bind(self, packet: PacketId, with: Use, record: Option<Arc<Record>>) -> UseId {
        if self.lanes.own.id == with.lane {
            self.bind_here(packet, with, record)
        } else {
            let (lanes, used) = self.bound(packet, with, record);
            let elsewhere = lanes.position_or_new(with.lane);
            lanes[elsewhere].push(used);
            UseId::new(with.lane, packet)
        }
    }
    /// The same for a packet of the stream's own queue, [`lane`](Self::lane): what `with` says of it.
    #[inline(always)]
    pub(crate) fn bind_here(
        self,
        packet: PacketId,
        with: Use,
        record: Option<Arc<Record>>,
    ) -> UseId {
        let (lanes, used) = self.bound(packet, with, record);
        lanes.own.push(used);
        UseId::new(with.lane, packet)
    }
    #[inline(always)]
    fn bound(
        self,
        packet: PacketId,
        with: Use,
        record: Option<Arc<Record>>,
    ) -> (&'r mut Lanes, InFlight) {
        let Self { lanes, ready, slot, at } = self;
        ready.take_front(); // not before: a dropped `Secured` changes nothing
        let mut flags = UseFlags::empty();
        // S2: only a compute packet with the barrier bit proves the packets before it.
        let fence = with.barrier == Barrier::Set || planted!(FenceWithoutBarrierBit);
        flags.set(UseFlags::FENCE, fence && with.engine == Engine::Compute);
        flags.set(UseFlags::TIMED, with.timing == Timing::Wanted);
        flags.set(UseFlags::BARRIER_PACKET, with.order == PacketOrder::HoldsBackLater);
        flags.set(UseFlags::IN_PARTS, with.parts > Parts::ONE);
        flags.set(UseFlags::RECORDED, record.is_some());
        if record.is_some() {
            slot.record = record;
        }
        slot.last_use = UseId::new(with.lane, packet);
        (lanes, InFlight { packet, slot: at, flags })
    }
}
