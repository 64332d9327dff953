//! Which one signal to load next, and what its value proves.

use super::{
    Ring,
    lane::{InFlight, Lane, UseFlags},
    reclaim::Finished,
    record::IsFence,
};
use crate::{
    backend::SignalMemory,
    error::{Error, Failure},
    id::{LaneId, PacketId, SignalHandle, SignalValue, UseId, ValueState},
    proof::{FenceProof, Grounds, Proof},
    sync::Arc,
    watermark::Watermark,
};

/// One load is wanted, of this signal. Give the value back with [`Ring::confirm`].
///
/// ```
/// use ringfence::{backend::Signals, error::Error, ring::{Confirmed, Probe, Ring}};
/// fn look<D: Signals>(gpu: &D, ring: &mut Ring, probe: Probe) -> Result<Confirmed, Error> {
///     let value = gpu.load(probe.signal()); // a read across PCIe if `probe.memory()` says so
///     ring.confirm(probe, value)
/// }
/// ```
#[derive(Debug)]
#[must_use]
pub struct Probe {
    of: UseId,
    fence: IsFence,
    signal: SignalHandle,
    memory: SignalMemory,
}
impl Probe {
    /// The use whose signal it is.
    pub fn of(&self) -> UseId {
        self.of
    }
    /// The signal to load.
    pub fn signal(&self) -> SignalHandle {
        self.signal
    }
    /// Where it lives.
    pub fn memory(&self) -> SignalMemory {
        self.memory
    }
}

/// What a loaded value proved.
///
/// ```
/// use ringfence::{proof::Harvest, ring::{Arm, Confirmed, Ring}};
/// /// What follows for a stream whose work is not timed.
/// fn settle(ring: &mut Ring, confirmed: Confirmed) -> Option<Arm> {
///     match confirmed {
///         Confirmed::Pending | Confirmed::Settled => None,
///         Confirmed::Own(finished) => ring.retire(finished, Harvest::NOT_WANTED),
///         Confirmed::Fence(proof) => {
///             let _proven = ring.mark_of(proof.of().lane())?.raise(proof);
///             None // now `Ring::next_finished` has the whole batch
///         }
///     }
/// }
/// ```
#[derive(Debug)]
#[must_use]
pub enum Confirmed {
    /// Nothing yet.
    Pending,
    /// A fence is complete: raise the watermark with it.
    Fence(FenceProof),
    /// This use alone is complete.
    Own(Finished),
    /// The use retired on other grounds since the probe was made.
    Settled,
}

/// Whether a nominated fence was pending while an older one already was.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Missed {
    Yes,
    #[default]
    No,
}

/// Where to look next in a lane, so that every use is looked at after a bounded number of calls (S20),
/// whatever the read index does.
#[derive(Clone, Copy, Hash, Debug, Default)]
pub(crate) struct Search {
    /// A fence that was pending when looked at.
    pending: Option<PacketId>,
    /// Whether a newer fence was pending since.
    missed: Missed,
    /// Own values are tried in a circle: the next one at or after this.
    next_own: PacketId,
    /// Nominations while a fence was pending: each fourth gives way to the search further back (S6, S20).
    nominated: u8,
}

impl Ring {
    pub(crate) fn probe_of(&self, lane: &Lane, used: &InFlight) -> Probe {
        let slot = self.slot(used.slot);
        Probe {
            of: lane.use_id(used.packet),
            fence: if used.is_fence() { IsFence::Yes } else { IsFence::No },
            signal: slot.custody.signal(),
            memory: slot.memory,
        }
    }
    /// How many uses on the stream's queue are covered already: others on the queue may have paid for
    /// the proof.
    pub fn covered(&mut self) -> usize {
        let lane = &mut self.lanes.own;
        lane.observe();
        let seen = lane.seen;
        if lane.uses.first().is_none_or(|front| front.packet >= seen) {
            return 0;
        }
        lane.uses.partition_point(|used| used.packet < seen)
    }
    /// The newest fence that the read index passed and that is not proven: it is nominated, and one
    /// load has to confirm it (S3). While one that was looked at still runs, each fourth call names none, so that
    /// [`look_further`](Self::look_further) has its turn (S6, S20).
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
    /// # let (first, second) = (submit(&mut ring, 3), submit(&mut ring, 7));
    /// assert!(ring.nominate(PacketId::new(3)).is_none()); // it has not passed packet 3 yet
    /// let probe = ring.nominate(PacketId::new(5)).expect("packet 3 is a fence");
    /// assert_eq!(probe.of(), first);
    /// # assert_eq!(ring.nominate(PacketId::new(8)).expect("packet 7 is a fence").of(), second);
    /// // It proves nothing: the device says whether it leads.
    /// assert!(matches!(ring.confirm(probe, SignalValue::ARMED)?, Confirmed::Pending));
    /// # Ok::<(), ringfence::error::Error>(())
    /// ```
    pub fn nominate(&mut self, read_index: PacketId) -> Option<Probe> {
        /// While fences that it passed turn out to run, every so many-th time nothing is nominated, or two of them
        /// would be looked at in turn and hide everything else.
        const FENCES_TO_ONE_FURTHER: u8 = 4;
        let lane = &self.lanes.own;
        let newest = lane.uses.last()?;
        let passed = if newest.packet < read_index {
            lane.uses.len() // most often: no search
        } else {
            lane.uses.partition_point(|used| used.packet < read_index)
        };
        let newest = (0..passed)
            .rev()
            .map(|at| &lane.uses[at])
            .take_while(|used| used.packet >= lane.seen)
            .find(|used| used.is_fence())?;
        if lane.search.pending == Some(newest.packet) {
            return None;
        }
        // No fence passes an older one. After a miss, the one that was pending before comes first, or a
        // read index that leads would always nominate one that still runs.
        let older = match lane.search.missed {
            Missed::Yes => lane.search.pending.and_then(|pending| lane.position(pending)),
            Missed::No => None,
        };
        let probe = self.probe_of(lane, older.map_or(newest, |at| &lane.uses[at]));
        let search = &mut self.lanes.own.search;
        if search.pending.is_some() {
            search.nominated = (search.nominated + 1) % FENCES_TO_ONE_FURTHER;
            if search.nominated == 0 {
                return None;
            }
        }
        search.missed = Missed::No;
        Some(probe)
    }
    /// What to load when the read index nominates nothing new: a fence further back, then single
    /// values in a circle, so that a busy oldest use hides nothing (S6), in one lane after the other.
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
    /// # let of = submit(&mut ring, 3);
    /// let read_index = PacketId::FIRST; // it stands still, which proves nothing (S3)
    /// let probe = ring.nominate(read_index).or_else(|| ring.look_further());
    /// assert_eq!(probe.map(|probe| probe.of()), Some(of)); // looked at all the same (S20)
    /// ```
    pub fn look_further(&mut self) -> Option<Probe> {
        for _ in 0..self.lanes.len() {
            let at = self.lane_turn % self.lanes.len();
            self.lane_turn = at + 1;
            if let Some(probe) = self.candidate_in(at) {
                return Some(probe);
            }
        }
        None
    }
    fn candidate_in(&mut self, at: usize) -> Option<Probe> {
        let index = self.lanes[at].next_candidate(self.limits.batch as usize)?;
        let lane = &self.lanes[at];
        Some(self.probe_of(lane, &lane.uses[index]))
    }
    /// Each eighth time, where the ring has more than the stream's own queue: a use elsewhere, on a copy engine or a queue that
    /// the stream left. Ask this first: a busy queue always has a fence to nominate, and what is elsewhere would
    /// never be looked at (S6, S20).
    ///
    /// ```
    /// use ringfence::{backend::PacketQueue, ring::{Probe, Ring}};
    /// /// What to load next.
    /// fn next<Q: PacketQueue>(ring: &mut Ring, queue: &Q) -> Option<Probe> {
    ///     let elsewhere = ring.look_elsewhere();
    ///     elsewhere.or_else(|| ring.nominate(queue.read_index())).or_else(|| ring.look_further())
    /// }
    /// ```
    pub fn look_elsewhere(&mut self) -> Option<Probe> {
        /// Looks at the stream's own queue before one elsewhere.
        const OWN_LOOKS: u32 = 8;
        if self.lanes.len() == 1 {
            return None;
        }
        self.looks_here += 1;
        if self.looks_here < OWN_LOOKS {
            return None;
        }
        self.looks_here = 0;
        for _ in 1..self.lanes.len() {
            self.lane_turn =
                if self.lane_turn + 1 < self.lanes.len() { self.lane_turn + 1 } else { 1 };
            if let Some(probe) = self.candidate_in(self.lane_turn) {
                return Some(probe);
            }
        }
        None
    }
    /// The newest fence in flight, whatever the read index says: one load may retire everything.
    pub fn newest_fence(&self) -> Option<Probe> {
        let lane = &self.lanes.own;
        lane.uses.iter().rev().find(|used| used.is_fence()).map(|used| self.probe_of(lane, used))
    }
    /// The oldest use in flight: on the stream's queue first.
    pub fn oldest(&self) -> Option<Probe> {
        self.lanes.iter().find_map(|lane| lane.uses.first().map(|used| self.probe_of(lane, used)))
    }
    /// The oldest use in flight on a queue.
    pub(crate) fn oldest_on(&self, lane: LaneId) -> Option<Probe> {
        let lane = &self.lanes[self.lane_index(lane)?];
        lane.uses.first().map(|used| self.probe_of(lane, used))
    }
    /// A use that is not on the stream's own queue, to wait for: a copy, or the newest fence that it left
    /// on another.
    pub fn elsewhere(&self) -> Option<Probe> {
        self.elsewhere_from(0).map(|(_, probe)| probe)
    }
    /// The same, but for the first so many queues and engines; and where it was found.
    pub(crate) fn elsewhere_from(&self, first: usize) -> Option<(usize, Probe)> {
        let elsewhere = self.lanes.iter().skip(1).enumerate().skip(first);
        elsewhere.into_iter().find_map(|(at, lane)| {
            let newest_fence = lane.uses.iter().rev().find(|used| used.is_fence());
            let used = newest_fence.or_else(|| lane.uses.first())?;
            Some((at, self.probe_of(lane, used)))
        })
    }
    /// The use with this name, if it is in flight.
    pub fn probe_use(&self, of: UseId) -> Option<Probe> {
        let lane = &self.lanes[self.lane_index(of.lane())?];
        Some(self.probe_of(lane, &lane.uses[lane.position(of.packet())?]))
    }
    /// The watermark that a fence of `lane` raises.
    pub fn mark_of(&self, lane: LaneId) -> Option<&Arc<Watermark>> {
        self.lanes[self.lane_index(lane)?].mark.as_ref()
    }
    /// What `value`, loaded from the probe's signal, proves.
    ///
    /// # Errors
    /// [`Error::OverDecrement`] when it is below 0: the signal is quarantined (S7).
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
    /// # use ringfence::error::Error;
    /// let of = submit(&mut ring, 3);
    /// let probe = ring.probe_use(of).expect("in flight");
    /// let error = ring.confirm(probe, SignalValue::new(-1)).expect_err("two packets completed it");
    /// assert!(matches!(error, Error::OverDecrement { .. }));
    /// assert_eq!(ring.quarantined(), 1); // never used again
    /// ```
    pub fn confirm(&mut self, probe: Probe, value: SignalValue) -> Result<Confirmed, Error> {
        let found = self.lane_index(probe.of.lane());
        let found = found.and_then(|l| Some((l, self.lanes[l].position(probe.of.packet())?)));
        let Some((lane_at, at)) = found else {
            return Ok(Confirmed::Settled);
        };
        let lane = &mut self.lanes[lane_at];
        match value.state() {
            ValueState::Pending => {
                if probe.fence == IsFence::Yes {
                    let pending = lane.search.pending.filter(|&pending| {
                        pending < probe.of.packet() && lane.position(pending).is_some()
                    });
                    match pending {
                        Some(_older) => lane.search.missed = Missed::Yes,
                        None => lane.search.pending = Some(probe.of.packet()),
                    }
                }
                return Ok(Confirmed::Pending);
            }
            ValueState::OverDecremented if !planted!(IgnoreOverDecrement) => {
                if let Some(used) = lane.remove(at) {
                    self.quarantine_for_ever(probe.of, used, Failure::OverDecremented);
                }
                return Err(Error::OverDecrement { of: probe.of, signal: probe.signal, value });
            }
            ValueState::Done | ValueState::OverDecremented => {}
        }
        lane.search.pending = None;
        if probe.fence == IsFence::Yes
            && let Some(proof) = FenceProof::assertion(probe.of, value)
        {
            return Ok(Confirmed::Fence(proof));
        }
        if planted!(HideBehindOldest) && at > 0 {
            return Ok(Confirmed::Pending);
        }
        Ok(self
            .finish_at(lane_at, at, Grounds::OwnValue)
            .map_or(Confirmed::Settled, Confirmed::Own))
    }
    /// Takes a proven use out of its lane, wherever it stands, with the pins that go with it.
    pub(crate) fn finish_at(
        &mut self,
        lane_at: usize,
        at: usize,
        grounds: Grounds,
    ) -> Option<Finished> {
        let lane = &mut self.lanes[lane_at];
        let used = lane.remove(at)?;
        let engine = lane.engine;
        let of = lane.use_id(used.packet);
        let fence = if used.is_fence() { IsFence::Yes } else { IsFence::No };
        lane.completed(used.packet, fence, &mut self.awaited);
        Some(self.finished(engine, used, Proof::assertion(of, grounds)))
    }
}

impl Lane {
    /// The next use to look at, by position.
    fn next_candidate(&mut self, batch: usize) -> Option<usize> {
        let len = self.uses.len();
        if len == 0 {
            return None;
        }
        // A fence found pending: half way back to the oldest. None found: the end of the oldest batch.
        let end = match self.search.pending.and_then(|pending| self.position(pending)) {
            Some(at) => at.div_ceil(2),
            None => batch.min(len),
        };
        if let Some(at) = (0..end).rev().find(|&at| self.uses[at].is_fence())
            && self.search.pending != Some(self.uses[at].packet)
        {
            return Some(at);
        }
        self.search.pending = None;
        let single =
            |used: &InFlight| !used.is_fence() || used.flags.contains(UseFlags::BARRIER_PACKET);
        let from = self.uses.partition_point(|used| used.packet < self.search.next_own);
        let at = (from..len).chain(0..from).find(|&at| single(&self.uses[at])).unwrap_or(0);
        self.search.next_own = self.uses[at].packet.next();
        Some(at)
    }
}
