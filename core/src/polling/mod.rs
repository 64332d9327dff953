//! The baseline: a ring of signals in the order of their use, each loaded before it is used again.
//!
//! This is what runtimes do without a retirement ring, made safe: a signal is armed only after its own
//! value was seen, its timing taken and nobody else holds it. It is a choice
//! ([`TrackerKind::Polling`](crate::drive::TrackerKind)), and what the benchmarks compare with.
//!
//! Like the [`ring`](crate::ring) it is pure: [`PollingRing::front`] says what to load, and
//! `judge` what follows.

mod digest;
mod suspect;

pub(crate) use suspect::SuspectPlace;

use std::collections::VecDeque;

use crate::{
    backend::SignalMemory,
    error::{Error, Failure},
    id::{LaneId, Parts, SignalHandle, SignalValue, UseId},
    proof::{Grounds, Harvest, Proof, Retired},
    ring::{Arm, Custody, Holder, Reaper, Record, RingLimits, Timing},
    sync::Arc,
};

/// One signal and what it is in use for.
#[derive(Debug)]
struct Slot {
    custody: Custody,
    memory: SignalMemory,
    state: State,
    /// Signals that this use's packet waits for: not armed before it is over (S9).
    held: Vec<Holder>,
}
#[derive(Debug)]
enum State {
    Armed,
    InFlight(Used),
    Over(UseId, Retired),
}
#[derive(Debug)]
struct Used {
    of: UseId,
    timing: Timing,
    parts: Parts,
    record: Option<Arc<Record>>,
}

/// What the next signal of a pool needs before it can be used.
///
/// ```
/// use ringfence::polling::Front;
/// fn next(front: Front) -> String {
///     match front {
///         Front::Empty => "create a signal".into(),
///         Front::Armed(signal, _) => format!("bind {signal:?}"),
///         Front::Over => "arm it".into(),
///         Front::Load(signal, memory) => format!("load {signal:?} in {memory} memory"),
///     }
/// }
/// # assert_eq!(next(Front::Over), "arm it");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Front {
    /// There is none: create one.
    Empty,
    /// It is armed: bind it.
    Armed(SignalHandle, SignalMemory),
    /// It is over: arm it.
    Over,
    /// Load it, and judge the value.
    Load(SignalHandle, SignalMemory),
}

/// What a loaded value says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Judged {
    /// The use is not over.
    Busy,
    /// It is.
    Over,
}

/// How a signal that is over may be used again.
///
/// ```
/// use ringfence::{backend::*, id::SignalValue, polling::{PollingRing, Rearmed}};
/// /// Arms the next signal, where it is over and nobody holds it.
/// fn arm_next<D: Signals>(gpu: &D, ring: &mut PollingRing, pool: SignalMemory) {
///     match ring.rearm(pool) {
///         Some(Rearmed::Arm(arm)) => gpu.arm(arm.signal(), SignalValue::ARMED),
///         Some(Rearmed::GivenAway) => {} // `front` is that of the next one now
///         None => {} // it was not seen to be over
///     }
/// }
/// ```
#[derive(Debug)]
#[must_use]
pub enum Rearmed {
    /// Store its initial value.
    Arm(Arm),
    /// Somebody else holds it: the last of them gives it to the reaper, and the ring needs another.
    GivenAway,
}

/// What a new use is.
///
/// ```
/// # use ringfence::{id::*, polling::PolledUse, ring::Timing};
/// # let of = UseId::new(LaneId::new(QueueId::new(0), Generation::FIRST), PacketId::new(7));
/// // A kernel that nobody asked a record of.
/// let kernel = PolledUse { of, timing: Timing::Unwanted, parts: Parts::ONE, record: None };
/// # let _ = kernel;
/// ```
#[derive(Clone, Debug)]
pub struct PolledUse {
    /// Its name.
    pub of: UseId,
    /// Whether its timing is wanted.
    pub timing: Timing,
    /// How many decrements finish it.
    pub parts: Parts,
    /// Who is told.
    pub record: Option<Arc<Record>>,
}

/// The signals of one stream, polled one by one. See the module.
///
/// ```
/// # use ringfence::{backend::SignalMemory, id::*, polling::*, ring::*};
/// # use std::sync::Arc;
/// # let lane = LaneId::new(QueueId::new(0), Generation::FIRST);
/// # let (of, signal) = (UseId::new(lane, PacketId::new(7)), SignalHandle::new(1));
/// let pool = SignalMemory::Host;
/// let mut ring = PollingRing::new(RingLimits::default(), Arc::new(Reaper::new()));
/// assert_eq!(ring.front(pool), Front::Empty); // create one
/// ring.add(signal, pool, SignalMemory::Host);
/// assert_eq!(ring.front(pool), Front::Armed(signal, SignalMemory::Host));
/// ring.bind(pool, PolledUse { of, timing: Timing::Unwanted, parts: Parts::ONE, record: None });
/// // The next use needs that very signal, and so its value:
/// assert_eq!(ring.front(pool), Front::Load(signal, SignalMemory::Host));
/// ```
#[derive(Debug)]
pub struct PollingRing {
    limits: RingLimits,
    /// By pool; the front was used longest ago.
    pools: [VecDeque<Slot>; 4],
    suspects: Vec<suspect::Suspect>,
    condemned: Vec<suspect::Condemned>,
    reaper: Arc<Reaper>,
}
impl PollingRing {
    /// A ring without signals.
    pub fn new(limits: RingLimits, reaper: Arc<Reaper>) -> Self {
        Self {
            limits,
            pools: Default::default(),
            suspects: Vec::new(),
            condemned: Vec::new(),
            reaper,
        }
    }
    /// Takes in a signal that was created armed. It is used next.
    pub fn add(&mut self, signal: SignalHandle, pool: SignalMemory, memory: SignalMemory) {
        let custody = Custody::new(signal, self.reaper.clone());
        let slot = Slot { custody, memory, state: State::Armed, held: Vec::new() };
        self.pools[pool.index()].push_front(slot);
    }
    /// Uses that are not seen to be over.
    pub fn in_flight(&self) -> usize {
        let busy = |slot: &&Slot| matches!(slot.state, State::InFlight(_));
        self.pools.iter().flatten().filter(busy).count()
    }
    /// Whether another signal of `pool` may be created before anybody waits.
    pub(crate) fn may_grow(&self, pool: SignalMemory) -> bool {
        self.pools[pool.index()].len() < self.limits.cap as usize
    }
    /// What the next signal of `pool` needs.
    pub fn front(&self, pool: SignalMemory) -> Front {
        match self.pools[pool.index()].front() {
            None => Front::Empty,
            Some(slot) => match slot.state {
                State::Armed => Front::Armed(slot.custody.signal(), slot.memory),
                State::Over(..) => Front::Over,
                State::InFlight(_) => Front::Load(slot.custody.signal(), slot.memory),
            },
        }
    }
    /// Whether the next signal of `pool` can be used without a wait, as far as is known.
    pub(crate) fn is_ready(&self, pool: SignalMemory) -> bool {
        matches!(self.front(pool), Front::Armed(..) | Front::Over)
    }
    /// Where the use with this name is.
    pub(crate) fn find(&self, of: UseId) -> Option<Place> {
        let is_it = |slot: &Slot| matches!(&slot.state, State::InFlight(used) if used.of == of);
        SignalMemory::ALL.into_iter().find_map(|pool| {
            let index = self.pools[pool.index()].iter().rposition(is_it)?;
            Some(Place { pool, index })
        })
    }
    /// The place of the next signal of `pool`.
    pub(crate) fn front_place(pool: SignalMemory) -> Place {
        Place { pool, index: 0 }
    }
    /// The oldest use in flight, at or after a place.
    pub(crate) fn next_busy(&self, from: Option<Place>) -> Option<Place> {
        let (pool, index) = from.map_or((0, 0), |place| (place.pool.index(), place.index));
        (pool..4).find_map(|at| {
            let start = if at == pool { index } else { 0 };
            let busy = |slot: &Slot| matches!(slot.state, State::InFlight(_));
            let found = self.pools[at].iter().skip(start).position(busy)?;
            Some(Place { pool: SignalMemory::ALL[at], index: start + found })
        })
    }
    /// A use in flight that is not on a queue.
    pub(crate) fn next_busy_but_on(&self, queue: Option<LaneId>) -> Option<Place> {
        let wanted = |slot: &Slot| match &slot.state {
            State::InFlight(used) => Some(used.of.lane()) != queue,
            State::Armed | State::Over(..) => false,
        };
        SignalMemory::ALL.into_iter().find_map(|pool| {
            let index = self.pools[pool.index()].iter().position(wanted)?;
            Some(Place { pool, index })
        })
    }
    /// The oldest use in flight on a queue.
    pub(crate) fn oldest_on(&self, lane: LaneId) -> Option<UseId> {
        self.in_flight_on(lane).min_by_key(|of| of.packet())
    }
    fn in_flight_on(&self, lane: LaneId) -> impl Iterator<Item = UseId> {
        let uses = self.pools.iter().flatten().filter_map(|slot| match &slot.state {
            State::InFlight(used) => Some(used.of),
            State::Armed | State::Over(..) => None,
        });
        uses.filter(move |of| of.lane() == lane)
    }
    /// The newest use in flight on a queue: where the stream left that, the fence that it left behind.
    pub(crate) fn newest_on(&self, lane: LaneId) -> Option<UseId> {
        self.in_flight_on(lane).max_by_key(|of| of.packet())
    }
    /// The signal of a use in flight, where it lives, and the use.
    pub(crate) fn at(&self, place: Place) -> Option<(SignalHandle, SignalMemory, UseId)> {
        let slot = self.pools[place.pool.index()].get(place.index)?;
        match &slot.state {
            State::InFlight(used) => Some((slot.custody.signal(), slot.memory, used.of)),
            State::Armed | State::Over(..) => None,
        }
    }
    /// What `value`, loaded from the signal at `place`, says; `harvest` takes the timing once it is over.
    ///
    /// # Errors
    /// [`Error::OverDecrement`]: the signal is never used again (S7).
    pub(crate) fn judge(
        &mut self,
        place: Place,
        value: SignalValue,
        harvest: impl FnOnce(Timing, Option<&Arc<Record>>) -> Harvest,
    ) -> Result<Judged, Error> {
        let pool = &mut self.pools[place.pool.index()];
        let Some(slot) = pool.get_mut(place.index) else {
            return Ok(Judged::Busy);
        };
        let State::InFlight(used) = &slot.state else {
            return Ok(Judged::Over);
        };
        let of = used.of;
        if value > SignalValue::DONE {
            return Ok(Judged::Busy);
        }
        if value < SignalValue::DONE && !planted!(IgnoreOverDecrement) {
            if let Some(record) = &used.record {
                record.fail(Failure::OverDecremented);
            }
            let signal = slot.custody.signal();
            let slot = pool.remove(place.index);
            self.condemned.extend(slot.map(|slot| suspect::Condemned::new(slot, of)));
            return Err(Error::OverDecrement { of, signal, value });
        }
        let proof = Proof::assertion(of, Grounds::OwnValue);
        let taken = harvest(used.timing, used.record.as_ref());
        if let Some(record) = &used.record {
            let _ = record.retire();
        }
        slot.held.clear();
        slot.state = State::Over(of, proof.harvest(taken));
        Ok(Judged::Over)
    }
    /// Arms the next signal of `pool`, which is over.
    pub fn rearm(&mut self, pool: SignalMemory) -> Option<Rearmed> {
        let slots = &mut self.pools[pool.index()];
        let slot = slots.front_mut()?;
        match std::mem::replace(&mut slot.state, State::Armed) {
            State::Over(last_use, retired) => match slot.custody.sole() {
                Some(sole) => Some(Rearmed::Arm(sole.arm(last_use, retired))),
                None => {
                    slots.pop_front();
                    Some(Rearmed::GivenAway)
                }
            },
            other => {
                slot.state = other;
                None
            }
        }
    }
    /// Lends the next signal of `pool` before it is bound.
    pub(crate) fn lend_front(&mut self, pool: SignalMemory) -> Option<Holder> {
        Some(self.pools[pool.index()].front_mut()?.custody.lend())
    }
    /// The next signal of `pool`, which is armed, is in flight from here on.
    pub fn bind(&mut self, pool: SignalMemory, with: PolledUse) {
        let slots = &mut self.pools[pool.index()];
        if let Some(mut slot) = slots.pop_front() {
            let PolledUse { of, timing, parts, record } = with;
            let used = Used { of, timing, parts, record };
            slot.state = State::InFlight(used);
            slots.push_back(slot);
        }
    }
    /// The packet of `of` waits for `held`'s signal.
    pub(crate) fn hold(&mut self, of: UseId, held: Holder) {
        if let Some(Place { pool, index }) = self.find(of) {
            self.pools[pool.index()][index].held.push(held);
        }
    }
    /// The device is gone: uses in flight end in an error, and their signals are given up.
    pub(crate) fn lose(&mut self, why: Failure) -> u32 {
        let mut leaked = 0;
        for slot in self.pools.iter_mut().flatten() {
            if let State::InFlight(used) = &slot.state {
                if let Some(record) = &used.record {
                    record.fail(why);
                }
                slot.held.drain(..).for_each(std::mem::forget);
                std::mem::forget(slot.custody.lend());
                leaked += 1;
            }
        }
        leaked + self.give_up()
    }
}

/// A signal's place in its pool, until the pool changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pool: SignalMemory,
    index: usize,
}
impl Place {
    pub(crate) fn after(self) -> Self {
        Self { index: self.index + 1, ..self }
    }
}
