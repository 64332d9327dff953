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
    chunks: Vec<Chunk<A>>,
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
struct Chunk<A> {
    returns: Arc<Returns>,
    seats: Vec<Seated<A>>,
}
#[derive(Debug)]
struct Seated<A> {
    slot: Option<Arc<Slot<A>>>,
    /// The visit that was last offered this stream.
    visit: u64,
}

impl<A> Shelf<A> {
    pub(super) fn new(key: StreamKey) -> Self {
        Self {
            key,
            chunks: Vec::new(),
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
            let first = count(self.chunks.len()) * CHUNK;
            let seats = (0..CHUNK).map(|_| Seated { slot: None, visit: 0 }).collect();
            self.chunks.push(Chunk { returns: Returns::new(), seats });
            self.free.extend((first + 1..first + CHUNK).rev());
            // Room for every seat, so that nothing allocates when streams move between the lists.
            let seats = self.chunks.len() * CHUNK as usize;
            self.idle.reserve(seats - self.idle.len());
            self.draining.reserve(seats - self.draining.len());
            first
        });
        let returns = self.chunks[(seat / CHUNK) as usize].returns.clone();
        (seat, returns, Bit::of(seat))
    }
    pub(super) fn fill(&mut self, seat: Seat, slot: Arc<Slot<A>>) {
        self.seated(seat).slot = Some(slot);
    }
    /// Empties a seat: its stream is nobody's, and on no list.
    pub(super) fn clear(&mut self, seat: Seat) -> Option<Arc<Slot<A>>> {
        let slot = self.seated(seat).slot.take();
        if slot.is_some() {
            self.free.push(seat);
        }
        slot
    }
    pub(super) fn slot(&self, seat: Seat) -> Option<&Arc<Slot<A>>> {
        self.chunks[(seat / CHUNK) as usize].seats[(seat % CHUNK) as usize].slot.as_ref()
    }
    /// Moves every stream that came back to the draining ones.
    #[inline]
    pub(super) fn collect(&mut self) {
        for (chunk, first) in self.chunks.iter().zip((0..).step_by(CHUNK as usize)) {
            for bit in chunk.returns.take() {
                self.leased -= 1;
                let reserved = chunk.seats[bit as usize]
                    .slot
                    .as_ref()
                    .is_some_and(|slot| slot.kind() == Kind::Reserved);
                match reserved {
                    true => self.unwanted.push(first + bit),
                    false => self.draining.push_back(first + bit),
                }
            }
        }
    }
    /// Whether `visit` is offered this stream for the first time.
    #[inline]
    pub(super) fn first_offer(&mut self, seat: Seat, visit: u64) -> bool {
        let seated = self.seated(seat);
        let first = seated.visit != visit;
        seated.visit = visit;
        first
    }
    /// Every stream there is, with its seat.
    pub(super) fn all(&self) -> impl Iterator<Item = (Seat, &Arc<Slot<A>>)> {
        let seats = self.chunks.iter().flat_map(|chunk| &chunk.seats);
        (0..).zip(seats).filter_map(|(seat, seated)| Some((seat, seated.slot.as_ref()?)))
    }
    #[inline]
    fn seated(&mut self, seat: Seat) -> &mut Seated<A> {
        &mut self.chunks[(seat / CHUNK) as usize].seats[(seat % CHUNK) as usize]
    }
    pub(super) fn lower_water(&mut self) {
        self.low_water = self.low_water.min(count(self.idle.len()));
    }
}

/// Lengths of lists of streams, of which no process has 2^32.
pub(super) fn count(len: usize) -> u32 {
    u32::try_from(len).expect("fewer than 2^32 streams")
}
