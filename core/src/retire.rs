//! Things that may be dropped or used again once a proof covers their last use.

use std::{
    collections::VecDeque,
    hash::{Hash, Hasher},
};

use crate::{
    id::{LaneId, PacketId, UseId},
    proof::Proven,
};

/// Holds values of one queue and generation until the packet that uses them last is proven: GPU
/// waiters' pins, staging chunks, buffers.
///
/// ```
/// use ringfence::{id::*, retire::RetireQueue};
/// let lane = LaneId::new(QueueId::new(0), Generation::FIRST);
/// let mut held = RetireQueue::new(lane);
/// held.hold(UseId::new(lane, PacketId::new(4)), "a buffer");
/// let mark = ringfence::watermark::Watermark::new(lane);
/// assert_eq!(held.next_free(mark.observe()), None); // nothing is proven yet
/// ```
#[derive(Debug)]
pub struct RetireQueue<T> {
    lane: LaneId,
    held: VecDeque<(PacketId, T)>,
}
impl<T> RetireQueue<T> {
    /// Holds nothing of `lane` yet.
    pub fn new(lane: LaneId) -> Self {
        Self { lane, held: VecDeque::new() }
    }
    /// The queue and generation whose proofs free what is held.
    pub fn lane(&self) -> LaneId {
        self.lane
    }
    /// Keeps `what` until `last_use` is proven. Any order of uses will do; in order is fastest.
    ///
    /// # Panics
    /// If `last_use` is of another queue or generation: no proof of this one would ever free it.
    pub fn hold(&mut self, last_use: UseId, what: T) {
        assert_eq!(last_use.lane(), self.lane, "held for a use of another queue or generation");
        let packet = last_use.packet();
        let at = match self.held.back() {
            Some(last) if last.0 > packet => self.held.partition_point(|held| held.0 <= packet),
            _ => self.held.len(),
        };
        self.held.insert(at, (packet, what));
    }
    /// Makes place for `more` values, so that holding them allocates nothing.
    pub fn reserve(&mut self, more: usize) {
        self.held.reserve(more);
    }
    /// The next value that `proven` frees, oldest first. Call until `None`.
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
    /// # use ringfence::retire::RetireQueue;
    /// # let (first, fence) = (submit(&mut ring, 3), submit(&mut ring, 7));
    /// # let probe = ring.probe_use(fence).expect("in flight");
    /// let mut held = RetireQueue::new(lane);
    /// held.hold(first, "arguments");
    /// held.hold(UseId::new(lane, PacketId::new(8)), "later arguments");
    /// # let Confirmed::Fence(seen) = ring.confirm(probe, SignalValue::DONE)? else { panic!("a fence") };
    /// let proven = mark.raise(seen); // the fence is packet 7
    /// assert_eq!(held.next_free(proven), Some("arguments"));
    /// assert_eq!(held.next_free(proven), None);
    /// assert_eq!(held.oldest().map(UseId::packet), Some(PacketId::new(8)));
    /// # Ok::<(), ringfence::error::Error>(())
    /// ```
    #[inline]
    pub fn next_free(&mut self, proven: Proven) -> Option<T> {
        let front = UseId::new(self.lane, self.held.front()?.0);
        if proven.covers(front) { self.held.pop_front().map(|held| held.1) } else { None }
    }
    /// The next value that one use's own proof frees, out of order. Call until `None`.
    pub(crate) fn next_of(&mut self, packet: PacketId) -> Option<T> {
        let at = self.held.partition_point(|held| held.0 < packet);
        if self.held.get(at)?.0 == packet { self.held.remove(at).map(|held| held.1) } else { None }
    }
    /// Frees each value below `packet` for which `freed` says so, out of order.
    pub(crate) fn free_below(&mut self, packet: PacketId, mut freed: impl FnMut(&T) -> Freed) {
        let end = self.held.partition_point(|held| held.0 < packet);
        let mut at = 0;
        for _ in 0..end {
            match freed(&self.held[at].1) {
                Freed::Now => drop(self.held.remove(at)),
                Freed::NotYet => at += 1,
            }
        }
    }
    /// The packet that the newest value waits for.
    pub fn newest(&self) -> Option<PacketId> {
        self.held.back().map(|held| held.0)
    }
    /// The use that the oldest value waits for.
    ///
    /// ```
    /// use ringfence::{backend::*, drive::*, error::Error, retire::RetireQueue};
    /// /// The oldest buffer, once the stream's work is finished.
    /// fn oldest_buffer<D: Device, Q: PacketQueue>(
    ///     tracker: &mut Tracker<D, Q>,
    ///     buffers: &mut RetireQueue<Vec<u8>>,
    /// ) -> Result<Option<Vec<u8>>, Error> {
    ///     let newest = tracker.queue().mark().observe();
    ///     if buffers.oldest().is_some_and(|of| !newest.covers(of)) {
    ///         let _synced = tracker.synchronize()?;
    ///     }
    ///     Ok(buffers.next_free(tracker.queue().mark().observe()))
    /// }
    /// ```
    pub fn oldest(&self) -> Option<UseId> {
        self.held.front().map(|held| UseId::new(self.lane, held.0))
    }
    /// How many values are held.
    pub fn len(&self) -> usize {
        self.held.len()
    }
    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }
    /// Feeds the order of what is held to `state`, and each value by `digest`.
    pub fn digest<H: Hasher>(&self, state: &mut H, mut digest: impl FnMut(&T, &mut H)) {
        (self.lane, self.held.len()).hash(state);
        for (packet, value) in &self.held {
            packet.hash(state);
            digest(value, state);
        }
    }
    /// Everything that is still held, with the packets it waits for: what a lost device leaves.
    ///
    /// ```
    /// # use ringfence::{id::*, retire::RetireQueue};
    /// # let lane = LaneId::new(QueueId::new(0), Generation::FIRST);
    /// # let mut held = RetireQueue::new(lane);
    /// # held.hold(UseId::new(lane, PacketId::new(4)), vec![0_u8; 8]);
    /// // The device may still write to it: leaked, and counted.
    /// let leaked = held.drain().map(|(_, buffer)| std::mem::forget(buffer)).count();
    /// assert_eq!((leaked, held.is_empty()), (1, true));
    /// ```
    pub fn drain(&mut self) -> impl Iterator<Item = (PacketId, T)> + '_ {
        self.held.drain(..)
    }
}

/// Whether one value is freed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Freed {
    /// It is.
    Now,
    /// It is not.
    NotYet,
}
