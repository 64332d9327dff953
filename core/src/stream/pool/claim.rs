//! A task asks for a stream.

use std::num::NonZeroU32;

use super::{Life, Pool, Resets, count, own::Disposal};
use crate::{
    error::Closed,
    id::{RawProgress, RawStream, StreamId, StreamKey},
    stream::{
        lease::Lease,
        policy::Next,
        returns::{Bit, Returns},
        shelf::{Seat, Was},
        slot::{Kind, Made, Slot},
        tenancy::Why,
    },
    sync::Arc,
};

/// One call's walk along a shelf: no stream is offered to it twice ([`Claim`] shows one).
#[derive(Debug)]
pub struct Visit {
    number: u64,
    looks_left: u32,
}
impl Visit {
    pub(super) fn number(&self) -> u64 {
        self.number
    }
}

/// A stream to look at, and to hand on if it is idle. Whoever holds it gives it back: it is nobody else's
/// meanwhile.
///
/// ```
/// use ringfence::stream::{Offer, Pool, Why};
/// /// Gives back what `next_draining` offered, after a look at the stream.
/// fn looked_at<A>(pool: &mut Pool<A>, offer: Offer<A>, seen: Result<(), Why>) {
///     match seen {
///         Ok(()) => pool.found_idle(offer), // kept for the next task, or let go of beyond the cap
///         Err(why) => pool.refused(offer, why), // drains on, or is condemned
///     }
/// }
/// ```
#[derive(Debug)]
#[must_use = "a stream that is not given back is lost to the pool"]
pub struct Offer<A = ()> {
    shelf: usize,
    seat: Seat,
    slot: Arc<Slot<A>>,
    purpose: Purpose,
}
/// What a stream is offered for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purpose {
    Lease,
    Tidy,
}
impl<A> Offer<A> {
    /// The stream.
    pub fn slot(&self) -> &Arc<Slot<A>> {
        &self.slot
    }
    pub(crate) fn into_slot(self) -> Arc<Slot<A>> {
        self.slot
    }
}

/// The right to create one stream, counted as if it were there.
///
/// ```
/// # use ringfence::{id::*, stream::*};
/// # let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// let options = PoolOptions { live_cap: std::num::NonZeroU32::new(1), ..PoolOptions::default() };
/// let mut pool: Pool = Pool::new(PoolId::new(0), options, Box::new(LeasePolicy));
/// let Claim::Create(reservation) = pool.claim_reserved(key) else { panic!("the first one") };
/// assert!(matches!(pool.claim_reserved(key), Claim::Short(_))); // it counts already
/// pool.abandoned(reservation); // the driver had none
/// assert!(matches!(pool.claim_reserved(key), Claim::Create(_)));
/// ```
#[derive(Debug)]
#[must_use = "a reservation that is neither used nor taken back counts for ever"]
pub struct Reservation {
    shelf: usize,
    key: StreamKey,
    kind: Kind,
    born: Resets,
}
impl Reservation {
    /// What to create.
    pub fn key(&self) -> StreamKey {
        self.key
    }
    /// What for.
    pub fn kind(&self) -> Kind {
        self.kind
    }
}

/// Why there is no stream ([`Attempt`](crate::drive::Attempt) shows what to say of it).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Shortage {
    /// The hard cap is reached.
    Full {
        /// Streams alive or being created.
        live: u32,
        /// The cap.
        cap: u32,
    },
}

/// What to do for the task.
///
/// ```
/// use ringfence::{id::*, stream::*};
/// /// A driver of the pure pool that reuses nothing: it believes every stream busy.
/// fn stream(pool: &mut Pool, key: StreamKey, create: impl Fn(StreamKey) -> RawStream) -> Option<StreamId> {
///     let mut visit = pool.visit();
///     loop {
///         match pool.claim(key, &mut visit) {
///             Claim::Create(reservation) => {
///                 let raw = create(reservation.key());
///                 return Some(pool.created(reservation, raw, None, ()).id());
///             }
///             Claim::Reuse(offer) => pool.refused(offer, Why::Pending), // then it is asked again
///             Claim::Share(lease) => return Some(lease.id()),
///             Claim::Reap | Claim::Short(_) => return None,
///         }
///     }
/// }
/// # let mut pool: Pool = Pool::new(PoolId::new(0), PoolOptions::default(), Box::new(LeasePolicy));
/// # let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// assert_eq!(stream(&mut pool, key, |_| RawStream::new(0x10)), Some(StreamId::new(0)));
/// ```
#[derive(Debug)]
#[must_use]
pub enum Claim<A = ()> {
    /// Prove this stream idle and hand it on; refused, ask again.
    Reuse(Offer<A>),
    /// It has a stream, together with others.
    Share(Lease<A>),
    /// Create one, outside every lock (T4).
    Create(Reservation),
    /// Destroy what was condemned, then ask again.
    Reap,
    /// There is none to be had.
    Short(Shortage),
}

impl<A> Pool<A> {
    /// Begins a walk for one call.
    #[inline]
    pub fn visit(&mut self) -> Visit {
        self.visits += 1;
        Visit { number: self.visits, looks_left: self.options.looks }
    }
    /// What to do for a task that wants a stream of `key`.
    #[inline]
    pub fn claim(&mut self, key: StreamKey, visit: &mut Visit) -> Claim<A> {
        let at = self.shelf(key);
        self.collect(at);
        match self.next(at) {
            Next::Reuse => match self.offer(at, visit) {
                Some(offer) => Claim::Reuse(offer),
                None => self.reserve(at, self.policy.kind()),
            },
            Next::Create => self.reserve(at, self.policy.kind()),
            Next::Share { nth } => self.share(at, nth),
            Next::DiscardThenCreate { limit } => self.discard(at, limit),
        }
    }
    /// A stream of `key` that can be handed on without creating or waiting, if there is one to look at.
    pub fn claim_existing(&mut self, key: StreamKey, visit: &mut Visit) -> Option<Offer<A>> {
        let at = self.shelf(key);
        self.collect(at);
        match self.next(at) {
            Next::Reuse => self.offer(at, visit),
            _ => None,
        }
    }
    /// The stream that would be offered first, without claiming it.
    pub(crate) fn peek(&mut self, key: StreamKey) -> Option<&Arc<Slot<A>>> {
        let at = self.shelves.iter().position(|shelf| shelf.key == key)?;
        self.collect(at);
        let shelf = &self.shelves[at];
        shelf.slot(*shelf.idle.last()?)
    }
    /// The right to create a stream that is never handed on.
    pub fn claim_reserved(&mut self, key: StreamKey) -> Claim<A> {
        let at = self.shelf(key);
        self.collect(at);
        self.reserve(at, Kind::Reserved)
    }

    /// The next stream of the shelf to look at.
    #[inline]
    fn offer(&mut self, at: usize, visit: &mut Visit) -> Option<Offer<A>> {
        let shelf = &mut self.shelves[at];
        let (seat, slot, was) = shelf.next(visit.number, &mut visit.looks_left)?;
        shelf.asked += 1;
        if was == Was::Idle {
            self.held += 1;
            let peak = self.counts.peak_leased_and_draining;
            self.counts.peak_leased_and_draining = peak.max(self.held);
        }
        self.counts.leases += 1;
        self.counts.reused += 1;
        Some(Offer { shelf: at, seat, slot, purpose: Purpose::Lease })
    }
    fn reserve(&mut self, at: usize, kind: Kind) -> Claim<A> {
        if let Some(cap) = self.options.live_cap.map(NonZeroU32::get) {
            let live = self.live;
            if live >= cap {
                // An idle stream of another kind makes room.
                let but = (kind != Kind::Reserved).then_some(at);
                return match self.evict(but) {
                    true => Claim::Reap,
                    false => Claim::Short(Shortage::Full { live, cap }),
                };
            }
        }
        let shelf = &mut self.shelves[at];
        shelf.creating += 1;
        let key = shelf.key;
        self.live += 1;
        self.held += 1;
        self.note_peaks();
        let born = self.resets(key.place.device);
        Claim::Create(Reservation { shelf: at, key, kind, born })
    }
    fn share(&mut self, at: usize, nth: u32) -> Claim<A> {
        let shelf = &mut self.shelves[at];
        let shared = |slot: &&Arc<Slot<A>>| slot.kind() == Kind::Shared && slot.closed().is_none();
        let nth = shelf.all().map(|(_, slot)| slot).filter(shared).nth(nth as usize);
        let slot = nth.or_else(|| shelf.all().map(|(_, slot)| slot).find(shared)).cloned();
        match slot {
            Some(slot) => {
                shelf.asked += 1;
                self.counts.leases += 1;
                self.counts.shared += 1;
                Claim::Share(Slot::lease(&slot))
            }
            // The first ones are still being created.
            None => self.reserve(at, Kind::Shared),
        }
    }
    fn discard(&mut self, at: usize, limit: NonZeroU32) -> Claim<A> {
        let shelf = &mut self.shelves[at];
        let idle = count(shelf.idle.len());
        let all: Vec<Seat> = shelf.idle.drain(..).chain(shelf.draining.drain(..)).collect();
        shelf.lower_water();
        self.held += idle;
        if all.is_empty() {
            let live = self.shelves[at].view().live;
            return Claim::Short(Shortage::Full { live, cap: limit.get() });
        }
        for seat in all {
            self.condemn(at, seat, Closed::Trimmed);
        }
        Claim::Reap
    }

    /// The offered stream was not handed on; `why` decides whether it stays.
    pub fn refused(&mut self, offer: Offer<A>, why: Why) {
        let (at, seat) = (offer.shelf, offer.seat);
        self.taken_back(&offer);
        self.counts.conflicts_avoided += u64::from(matches!(why, Why::Capturing(_) | Why::Unknown));
        match why {
            Why::Busy | Why::Pending | Why::Touched | Why::Unknown => {
                self.shelves[at].draining.push_back(seat);
            }
            Why::Capturing(_) => self.condemn(at, seat, Closed::Capture),
            Why::Bad(_) => self.condemn(at, seat, Closed::Bad),
            Why::Closed(cause) => self.condemn(at, seat, cause),
        }
    }
    /// The offered stream was looked at and is idle; it is kept, or let go of beyond the cap (T2).
    pub fn found_idle(&mut self, offer: Offer<A>) {
        let (at, seat) = (offer.shelf, offer.seat);
        self.taken_back(&offer);
        let shelf = &mut self.shelves[at];
        let counted = if planted!(CapCountsLeases) { shelf.leased } else { 0 };
        if count(shelf.idle.len()) + counted >= self.options.idle_cap {
            self.condemn(at, seat, Closed::Trimmed);
        } else {
            shelf.idle.push(seat);
            self.held -= 1;
        }
    }
    fn taken_back(&mut self, offer: &Offer<A>) {
        let shelf = &mut self.shelves[offer.shelf];
        shelf.leased -= 1;
        if offer.purpose == Purpose::Lease {
            shelf.asked -= 1;
            self.counts.leases -= 1;
            self.counts.reused -= 1;
        }
    }
    /// The next stream with left-over work to look at, for whoever keeps the pool tidy.
    pub fn next_draining(&mut self, visit: &Visit) -> Option<Offer<A>> {
        for at in 0..self.shelves.len() {
            self.collect(at);
            if let Some((seat, slot)) = self.shelves[at].next_draining(visit.number) {
                return Some(Offer { shelf: at, seat, slot, purpose: Purpose::Tidy });
            }
        }
        None
    }

    /// A stream was created on a reservation; it is its first owner's.
    pub fn created(
        &mut self,
        reservation: Reservation,
        raw: RawStream,
        word: Option<RawProgress>,
        attachment: A,
    ) -> Arc<Slot<A>> {
        let Reservation { shelf: at, key, kind, born } = reservation;
        let id = self.new_id();
        let shelf = &mut self.shelves[at];
        let (seat, returns, bit) = shelf.seat();
        let made = Made { key, raw, word, kind, attachment };
        let slot = Arc::new(Slot::new(self.id, id, made, returns, bit));
        shelf.fill(seat, slot.clone());
        shelf.creating -= 1;
        shelf.leased += 1;
        shelf.asked += 1;
        match self.resets(key.place.device) == born {
            true => self.register(&slot),
            // Its handle went with the device while it was made, and is another stream's by now, perhaps.
            false => {
                self.by_id.insert(slot.id(), slot.clone());
                slot.close(Closed::Reset);
            }
        }
        if self.life == Life::Over {
            slot.close(Closed::Lost);
        }
        self.counts.created += 1;
        self.counts.leases += 1;
        self.note_peaks();
        slot
    }
    /// The creation failed: as if it had never been reserved.
    pub fn abandoned(&mut self, reservation: Reservation) {
        self.shelves[reservation.shelf].creating -= 1;
        self.live -= 1;
        self.held -= 1;
        self.counts.creations_failed += 1;
    }
    /// A stream that is on no shelf: one of the pool's own, or somebody else's.
    pub(crate) fn adopt(&mut self, made: Made<A>) -> Arc<Slot<A>> {
        let id = self.new_id();
        let slot = Arc::new(Slot::new(self.id, id, made, Returns::new(), Bit::of(0)));
        self.register(&slot);
        if slot.kind() == Kind::External {
            self.externals.push(slot.clone());
        }
        if slot.kind() == Kind::Disposal {
            self.disposals.insert(slot.key().place, Disposal::Ready(slot.clone()));
        }
        if slot.kind() == Kind::Waiting {
            self.ready(&slot);
        }
        slot
    }
    fn register(&mut self, slot: &Arc<Slot<A>>) {
        self.by_id.insert(slot.id(), slot.clone());
        let before = self.by_raw.insert(slot.raw(), slot.id());
        // The driver gave the handle of a stream that we still have to a new one: its user destroyed it.
        if let Some(gone) = before.and_then(|id| self.by_id.get(&id)) {
            gone.lock().lose_handle(Closed::Bad);
        }
    }
    fn new_id(&mut self) -> StreamId {
        let id = StreamId::new(self.next_id);
        self.next_id =
            self.next_id.checked_add(1).expect("fewer than 2^32 streams in a pool's life");
        id
    }
}
