//! Uses of one generation of one queue, in order.

use super::{custody::Holder, record::IsFence, slot::SlotIndex, uses::Uses};
use crate::{
    backend::Engine,
    id::{LaneId, PacketId, UseId},
    proof::Proven,
    retire::{Freed, RetireQueue},
    sync::Arc,
    watermark::Watermark,
};

bitflags::bitflags! {
    /// What is to be known of a use in flight.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) struct UseFlags: u8 {
        /// Its packet has the barrier bit.
        const FENCE = 1;
        /// Its timing is wanted.
        const TIMED = 1 << 1;
        /// It is a BARRIER_AND or OR: no later packet becomes active before it is complete.
        const BARRIER_PACKET = 1 << 2;
        /// Somebody asked for its record: the slot of its signal has it.
        const RECORDED = 1 << 3;
        /// Several decrements finish it.
        const IN_PARTS = 1 << 4;
    }
}
impl UseFlags {
    /// What is to be looked after besides its signal when a use is over.
    const BESIDES_ITS_SIGNAL: Self = Self::RECORDED.union(Self::BARRIER_PACKET);
}

/// A use that is not proven yet. What else is to be known of it is with its signal, in the slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InFlight {
    pub(crate) packet: PacketId,
    pub(crate) slot: SlotIndex,
    pub(crate) flags: UseFlags,
}
impl InFlight {
    pub(crate) fn is_fence(&self) -> bool {
        self.flags.contains(UseFlags::FENCE)
    }
    /// Whether nothing but its signal has to be looked after when it is over.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        !self.flags.intersects(UseFlags::BESIDES_ITS_SIGNAL)
    }
}

/// How a packet waits for the signals that it names.
///
/// ```
/// use ringfence::{backend::Body, ring::Awaits};
/// /// How the packet that an embedder publishes for a wait, waits.
/// fn awaits<W>(body: &Body<W>) -> Option<Awaits> {
///     match body {
///         Body::And(_) => Some(Awaits::EachInOrder),
///         Body::Or(deps) if deps.iter().count() == 1 => Some(Awaits::EachInOrder),
///         Body::Or(_) => Some(Awaits::AnyInOrder),
///         Body::Value(_) => Some(Awaits::EachUnordered),
///         Body::Kernel(_) => None,
///     }
/// }
/// # assert_eq!(awaits(&Body::Kernel(())), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Awaits {
    /// AND, or OR with one dependency: it completes only after each is exactly 0, and later packets of
    /// its queue only after it.
    EachInOrder,
    /// OR with several dependencies: it does not say which was 0.
    AnyInOrder,
    /// A value packet or a copy: later packets of its queue may overtake it.
    EachUnordered,
}

/// A signal that a packet waits for: not armed again before that packet is proven complete (S9).
#[derive(Debug)]
pub(crate) struct Pin {
    pub(crate) awaits: Awaits,
    pub(crate) dependency: Option<UseId>,
    /// Dropped with the pin: only then can the signal be had alone.
    #[expect(dead_code, reason = "held, not read")]
    pub(crate) hold: Holder,
}

/// One (queue, generation), or one copy engine.
#[derive(Debug)]
#[repr(C)] // what every use touches comes first
pub(crate) struct Lane {
    pub(crate) id: LaneId,
    pub(crate) uses: Uses,
    pub(crate) engine: Engine,
    /// Copy engines have none: their completions are in no order (S5).
    pub(crate) mark: Option<Arc<Watermark>>,
    /// What this ring saw proven last: a plain copy, so that choosing a probe loads nothing shared.
    pub(crate) seen: PacketId,
    pub(crate) pins: RetireQueue<Pin>,
    pub(crate) search: super::probe::Search,
    /// Uses with `BARRIER_PACKET`, and the newest packet whose own completion proves those before it.
    pub(crate) barrier_packets: u32,
    pub(crate) completed_at: PacketId,
    /// Uses with a record.
    pub(crate) recorded: u32,
}
impl Lane {
    pub(crate) fn compute(mark: Arc<Watermark>, capacity: usize) -> Self {
        Self::new(mark.lane(), Engine::Compute, Some(mark), capacity)
    }
    pub(crate) fn copies(id: LaneId) -> Self {
        Self::new(id, Engine::Copy, None, 0)
    }
    fn new(id: LaneId, engine: Engine, mark: Option<Arc<Watermark>>, capacity: usize) -> Self {
        Self {
            id,
            engine,
            mark,
            seen: PacketId::FIRST,
            uses: Uses::with_capacity(capacity),
            pins: RetireQueue::new(id),
            search: super::probe::Search::default(),
            barrier_packets: 0,
            completed_at: PacketId::FIRST,
            recorded: 0,
        }
    }
    pub(crate) fn use_id(&self, packet: PacketId) -> UseId {
        UseId::new(self.id, packet)
    }
    /// What others on the queue proved, by the shared watermark.
    #[inline(always)]
    pub(crate) fn observe(&mut self) -> Option<Proven> {
        let proven = self.mark.as_ref()?.observe();
        self.seen = proven.below();
        Some(proven)
    }
    #[inline(always)]
    pub(crate) fn push(&mut self, used: InFlight) {
        debug_assert!(
            self.uses.last().is_none_or(|last| last.packet < used.packet),
            "S11: order in a lane is increasing"
        );
        self.barrier_packets += u32::from(used.flags.contains(UseFlags::BARRIER_PACKET));
        self.recorded += u32::from(used.flags.contains(UseFlags::RECORDED));
        self.uses.push(used);
    }
    #[inline(always)]
    fn note_gone(&mut self, gone: InFlight) {
        if gone.flags.intersects(UseFlags::BESIDES_ITS_SIGNAL) {
            self.barrier_packets -= u32::from(gone.flags.contains(UseFlags::BARRIER_PACKET));
            self.recorded -= u32::from(gone.flags.contains(UseFlags::RECORDED));
        }
    }
    /// Takes the oldest use, which `front` is, off.
    #[inline(always)]
    pub(crate) fn pop(&mut self, front: InFlight) {
        self.uses.take_off(1);
        self.note_gone(front);
    }
    /// Takes a use out of the middle. It leaves no tombstone (S6).
    pub(crate) fn remove(&mut self, at: usize) -> Option<InFlight> {
        let gone = self.uses.remove(at)?;
        self.note_gone(gone);
        Some(gone)
    }
    pub(crate) fn position(&self, packet: PacketId) -> Option<usize> {
        match self.uses.last() {
            Some(newest) if newest.packet == packet => Some(self.uses.len() - 1),
            _ => self.uses.binary_search_by_key(&packet, |used| used.packet).ok(),
        }
    }
    /// Whether nothing of this lane is left to prove.
    pub(crate) fn is_idle(&self) -> bool {
        self.uses.is_empty() && self.pins.is_empty()
    }
    /// Whether a fence above `packet` is in flight: it will prove it (S20).
    pub(crate) fn fence_above(&self, packet: PacketId) -> IsFence {
        let above = self.uses.iter().rev().take_while(|used| used.packet >= packet);
        if above.into_iter().any(InFlight::is_fence) { IsFence::Yes } else { IsFence::No }
    }
    /// One packet is proven complete, on whatever grounds. Its pins go, and, since no packet passes an
    /// earlier barrier packet, those of barrier packets before it; a fence passes none at all. The watermark
    /// may never say so: a fence that a consumer waited for moves none, and the stream may be on another queue.
    pub(crate) fn completed(&mut self, packet: PacketId, fence: IsFence, awaited: &mut Vec<UseId>) {
        self.completed_at = self.completed_at.max(packet);
        while let Some(pin) = self.pins.next_of(packet) {
            note_awaited(&pin, awaited);
        }
        if self.engine == Engine::Compute && !self.pins.is_empty() {
            self.pins.free_below(packet, |pin| match (pin.awaits, fence) {
                (Awaits::EachUnordered, IsFence::No) => Freed::NotYet,
                (Awaits::EachInOrder | Awaits::AnyInOrder, _) | (_, IsFence::Yes) => {
                    note_awaited(pin, awaited);
                    Freed::Now
                }
            });
        }
    }
    /// The watermark covers packets: their pins go, before signals are retired.
    #[inline]
    pub(crate) fn release_pins(&mut self, proven: Proven, awaited: &mut Vec<UseId>) {
        release_pins(&mut self.pins, proven, awaited);
    }
}

/// The watermark covers packets: their pins go, before signals are retired.
#[inline(never)]
pub(crate) fn release_pins(pins: &mut RetireQueue<Pin>, proven: Proven, awaited: &mut Vec<UseId>) {
    while let Some(pin) = pins.next_free(proven) {
        note_awaited(&pin, awaited);
    }
}

/// A proven consumer that waited for exactly this signal to be 0 proves the use it waited for (S5).
fn note_awaited(pin: &Pin, awaited: &mut Vec<UseId>) {
    if pin.awaits != Awaits::AnyInOrder {
        awaited.extend(pin.dependency);
    }
}
