//! The pool: which stream to look at, to hand on, to create or to let go.

mod claim;
mod closing;
mod own;

pub use claim::{Claim, Offer, Reservation, Shortage, Visit};
pub(crate) use closing::{Condemned, Resets};

use std::collections::HashMap;

use super::{
    counts::{PoolCounts, Tally},
    options::PoolOptions,
    policy::{Habit, Next, Returned, StreamPolicy},
    shelf::{Shelf, count},
    slot::Slot,
};
use crate::{
    id::{Bytes, DeviceContext, DeviceId, PoolId, RawStream, StreamId, StreamKey},
    sync::Arc,
};

/// The streams of one pool, over all keys. Pure: it is told what was observed, and answers.
///
/// ```
/// use ringfence::{id::*, stream::*};
/// let mut pool: Pool = Pool::new(PoolId::new(0), PoolOptions::default(), Box::new(LeasePolicy));
/// let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
///
/// let mut visit = pool.visit(); // one for each call of a task
/// let Claim::Create(reservation) = pool.claim(key, &mut visit) else { panic!("nothing came back") };
/// assert_eq!(pool.tally(key, Bytes::new(0)).creating, 1);
/// // ... the driver creates it, with no lock held ...
/// let slot = pool.created(reservation, RawStream::new(0x10), None, ());
/// assert_eq!(slot.id(), StreamId::new(0));
/// assert_eq!(pool.total(Bytes::new(4096)).host_bytes, Bytes::new(4096)); // 4 KiB for each live one
/// ```
#[derive(Debug)]
pub struct Pool<A = ()> {
    id: PoolId,
    options: PoolOptions,
    policy: Box<dyn StreamPolicy>,
    /// What the policy said once and for all.
    habit: Habit,
    returned: Returned,
    /// Few, so that a search by comparison beats a table.
    shelves: Vec<Shelf<A>>,
    /// Every stream whose work may be unfinished, also closed ones.
    by_id: HashMap<StreamId, Arc<Slot<A>>>,
    by_raw: HashMap<RawStream, StreamId>,
    disposals: HashMap<DeviceContext, own::Disposal<A>>,
    waiting: HashMap<DeviceContext, own::Waiting<A>>,
    /// Closed, and not destroyed yet.
    condemned: Vec<Condemned<A>>,
    /// Somebody else's, while they are wrapped.
    externals: Vec<Arc<Slot<A>>>,
    /// Left the pool with work pending, and an event that covers it.
    left: Vec<Arc<Slot<A>>>,
    resets: HashMap<DeviceId, Resets>,
    next_id: u32,
    visits: u64,
    /// Streams alive or being created.
    live: u32,
    /// Of those, neither idle nor condemned.
    held: u32,
    life: Life,
    warning: Option<u32>,
    counts: PoolCounts,
}
/// Whether streams are still handed out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Life {
    Open,
    /// Lost, or shut down: what is still being created is nobody's.
    Over,
}
impl<A> Pool<A> {
    /// A pool without streams: nothing is created before it is asked for.
    pub fn new(id: PoolId, options: PoolOptions, policy: Box<dyn StreamPolicy>) -> Self {
        let (habit, returned) = (policy.habit(), policy.returned());
        Self {
            id,
            options,
            policy,
            habit,
            returned,
            shelves: Vec::new(),
            by_id: HashMap::new(),
            by_raw: HashMap::new(),
            disposals: HashMap::new(),
            waiting: HashMap::new(),
            condemned: Vec::new(),
            externals: Vec::new(),
            left: Vec::new(),
            resets: HashMap::new(),
            next_id: 0,
            visits: 0,
            live: 0,
            held: 0,
            life: Life::Open,
            warning: None,
            counts: PoolCounts::default(),
        }
    }
    /// What it counted.
    pub fn counts(&self) -> PoolCounts {
        self.counts
    }
    pub(crate) fn counts_mut(&mut self) -> &mut PoolCounts {
        &mut self.counts
    }
    /// The streams of `key` at this moment; each live one takes `host_bytes`.
    pub fn tally(&mut self, key: StreamKey, host_bytes: Bytes) -> Tally {
        let Some(at) = self.shelves.iter().position(|shelf| shelf.key == key) else {
            return Tally::default();
        };
        self.collect(at);
        tally(&self.shelves[at], host_bytes)
    }
    /// All streams of tasks at this moment.
    pub fn total(&mut self, host_bytes: Bytes) -> Tally {
        let mut sum = Tally::default();
        for at in 0..self.shelves.len() {
            self.collect(at);
            let one = tally(&self.shelves[at], host_bytes);
            sum.leased += one.leased;
            sum.draining += one.draining;
            sum.idle += one.idle;
            sum.condemned += one.condemned;
            sum.creating += one.creating;
        }
        sum.host_bytes = host_bytes.times(u64::from(sum.live()));
        sum
    }
    /// The keys that were asked for so far.
    pub fn keys(&self) -> impl Iterator<Item = StreamKey> + '_ {
        self.shelves.iter().map(|shelf| shelf.key)
    }
    /// The stream with this identity, if its work may still be unfinished. `None`: it was let go of after
    /// its work was proven finished.
    pub(crate) fn by_id(&self, id: StreamId) -> Option<&Arc<Slot<A>>> {
        self.by_id.get(&id)
    }
    /// The live stream of ours that the driver calls `raw` (T12).
    pub(crate) fn by_raw(&self, raw: RawStream) -> Option<&Arc<Slot<A>>> {
        self.by_id.get(self.by_raw.get(&raw)?)
    }
    /// Whether streams that came back are destroyed before a new one is created (a baseline).
    #[inline]
    pub(crate) fn reaps_before_claims(&self) -> bool {
        self.returned == Returned::Retire
    }
    /// How full the pool is.
    pub(crate) fn shortage(&self) -> Shortage {
        let cap = self.options.live_cap.map_or(self.live, std::num::NonZeroU32::get);
        Shortage::Full { live: self.live, cap }
    }
    fn shelf(&mut self, key: StreamKey) -> usize {
        match self.shelves.iter().position(|shelf| shelf.key == key) {
            Some(found) => found,
            None => {
                self.shelves.push(Shelf::new(key));
                self.shelves.len() - 1
            }
        }
    }
    #[inline]
    fn next(&self, at: usize) -> Next {
        match self.habit {
            Habit::AlwaysReuses => Next::Reuse,
            Habit::Asked => self.policy.next(self.shelves[at].view()),
        }
    }
    fn note_peaks(&mut self) {
        self.counts.peak_live = self.counts.peak_live.max(self.live);
        self.counts.peak_leased_and_draining = self.counts.peak_leased_and_draining.max(self.held);
        if self.live > self.options.warn_past && self.counts.warnings == 0 {
            self.counts.warnings = 1;
            self.warning = Some(self.live);
        }
    }
    /// How many streams are alive, once, when there are too many.
    pub(crate) fn take_warning(&mut self) -> Option<u32> {
        self.warning.take()
    }
}

fn tally<A>(shelf: &Shelf<A>, host_bytes: Bytes) -> Tally {
    let mut tally = Tally {
        leased: shelf.leased,
        draining: count(shelf.draining.len()),
        idle: count(shelf.idle.len()),
        condemned: shelf.condemned,
        creating: shelf.creating,
        host_bytes: Bytes::default(),
    };
    tally.host_bytes = host_bytes.times(u64::from(tally.live()));
    tally
}
