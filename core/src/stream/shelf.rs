//! The streams of one key.

use std::collections::VecDeque;

use super::{
    policy::ShelfView,
    returns::{Bit, CHUNK, Returns},
    slot::{Kind, Slot},
};
use crate::{id::StreamKey, sync::Arc};

/// A stream's place on its shelf.
pub(super) type Seat = u32;

/// One key's streams: who has which is not known here, only how many are somebody's.
#[derive(Debug)]
pub(super) struct Shelf<A> {
    pub(super) key: StreamKey,
    seats: Vec<Seated<A>>,
    /// One for each chunk of seats.
    returns: Vec<Arc<Returns>>,
    free: Vec<Seat>,
    /// Newest last.
    pub(super) idle: Vec<Seat>,
    /// Oldest first.
    pub(super) draining: VecDeque<Seat>,
    /// Returned, and for nobody else.
    pub(super) unwanted: Vec<Seat>,
    pub(super) leased: u32,
    pub(super) creating: u32,
    pub(super) condemned: u32,
    pub(super) asked: u64,
    /// The fewest idle streams since the last trim: that many nobody needed.
    pub(super) low_water: u32,
}
#[derive(Debug)]
struct Seated<A> {
    slot: Option<Arc<Slot<A>>>,
    /// The visit that was last offered this stream.
    visit: u64,
}
/// Which list a stream was on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Was {
    Idle,
    Draining,
}

impl<A> Shelf<A> {
    pub(super) fn new(key: StreamKey) -> Self {
        Self {
            key,
            seats: Vec::new(),
            returns: Vec::new(),
            free: Vec::new(),
            idle: Vec::new(),
            draining: VecDeque::new(),
            unwanted: Vec::new(),
            leased: 0,
            creating: 0,
            condemned: 0,
            asked: 0,
            low_water: 0,
        }
    }
    pub(super) fn view(&self) -> ShelfView {
        let (idle, draining) = (count(self.idle.len()), count(self.draining.len()));
        let live = idle + draining + self.leased + self.creating + self.condemned;
        ShelfView { idle, draining, leased: self.leased, live, asked: self.asked }
    }
    /// Finds a seat for a new stream; the caller fills it.
    pub(super) fn seat(&mut self) -> (Seat, Arc<Returns>, Bit) {
        let seat = self.free.pop().unwrap_or_else(|| {
            let first = count(self.seats.len());
            self.seats.extend((0..CHUNK).map(|_| Seated { slot: None, visit: 0 }));
            self.returns.push(Returns::new());
            self.free.extend((first + 1..first + CHUNK).rev());
            // Room for every seat, so that nothing allocates when streams move between the lists.
            let seats = self.seats.len();
            self.idle.reserve(seats - self.idle.len());
            self.draining.reserve(seats - self.draining.len());
            first
        });
        (seat, self.returns[(seat / CHUNK) as usize].clone(), Bit::of(seat))
    }
    pub(super) fn fill(&mut self, seat: Seat, slot: Arc<Slot<A>>) {
        self.seats[seat as usize].slot = Some(slot);
    }
    /// Empties a seat: its stream is nobody's, and on no list.
    pub(super) fn clear(&mut self, seat: Seat) -> Option<Arc<Slot<A>>> {
        let slot = self.seats[seat as usize].slot.take();
        if slot.is_some() {
            self.free.push(seat);
        }
        slot
    }
    pub(super) fn slot(&self, seat: Seat) -> Option<&Arc<Slot<A>>> {
        self.seats[seat as usize].slot.as_ref()
    }
    /// Moves every stream that came back to the draining ones.
    #[inline]
    pub(super) fn collect(&mut self) {
        let mut first = 0;
        for returns in &self.returns {
            for bit in returns.take() {
                let seat = first + bit;
                self.leased -= 1;
                let slot = &self.seats[seat as usize].slot;
                match slot.as_ref().is_some_and(|slot| slot.kind() == Kind::Reserved) {
                    true => self.unwanted.push(seat),
                    false => self.draining.push_back(seat),
                }
            }
            first += CHUNK;
        }
    }
    /// Notes how few are idle.
    pub(super) fn lower_water(&mut self) {
        self.low_water = self.low_water.min(count(self.idle.len()));
    }
    /// The next stream to look at, for somebody who makes so many more looks: an idle one first, then the one
    /// that drains longest, and none twice in a visit.
    #[inline]
    pub(super) fn next(
        &mut self,
        visit: u64,
        looks: &mut u32,
    ) -> Option<(Seat, Arc<Slot<A>>, Was)> {
        if let Some(seat) = self.idle.pop() {
            self.lower_water();
            return Some((seat, self.take(seat, visit)?, Was::Idle));
        }
        for _ in 0..self.draining.len() {
            if *looks == 0 {
                return None;
            }
            let seat = self.draining.pop_front()?;
            if let Some(slot) = self.offer(seat, visit) {
                *looks -= 1;
                return Some((seat, slot, Was::Draining));
            }
            self.draining.push_back(seat);
        }
        None
    }
    /// The next draining stream that this visit has not seen.
    pub(super) fn next_draining(&mut self, visit: u64) -> Option<(Seat, Arc<Slot<A>>)> {
        for _ in 0..self.draining.len() {
            let seat = self.draining.pop_front()?;
            if let Some(slot) = self.offer(seat, visit) {
                return Some((seat, slot));
            }
            self.draining.push_back(seat);
        }
        None
    }
    #[inline]
    fn offer(&mut self, seat: Seat, visit: u64) -> Option<Arc<Slot<A>>> {
        // A later visit had it since: two that go on at once do not offer it to each other for ever.
        if self.seats[seat as usize].visit >= visit {
            return None;
        }
        self.take(seat, visit)
    }
    #[inline]
    fn take(&mut self, seat: Seat, visit: u64) -> Option<Arc<Slot<A>>> {
        let seated = &mut self.seats[seat as usize];
        seated.visit = visit;
        let slot = seated.slot.clone()?;
        self.leased += 1;
        Some(slot)
    }
    /// Every stream there is, with its seat.
    pub(super) fn all(&self) -> impl Iterator<Item = (Seat, &Arc<Slot<A>>)> {
        (0..).zip(&self.seats).filter_map(|(seat, seated)| Some((seat, seated.slot.as_ref()?)))
    }
}

/// Lengths of lists of streams, of which no process has 2^32.
pub(super) fn count(len: usize) -> u32 {
    u32::try_from(len).expect("fewer than 2^32 streams")
}
