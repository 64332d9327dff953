//! Streams that nobody will get again: from the verdict to the destruction.

use super::Pool;
use crate::{
    error::Closed,
    id::{DeviceId, StreamRef},
    stream::{
        policy::Returned,
        shelf::Seat,
        slot::{Kind, Slot},
        tenancy::Standing,
    },
    sync::Arc,
};

/// A closed stream that still exists in the driver. Destroyed only when proven idle (T10).
#[derive(Debug)]
#[must_use = "a condemned stream that is not given back is never destroyed"]
pub(crate) struct Condemned<A> {
    pub(crate) slot: Arc<Slot<A>>,
    pub(crate) cause: Closed,
    shelf: usize,
    visit: u64,
}

impl<A> Pool<A> {
    /// Takes in what came back to the shelf.
    #[inline]
    pub(super) fn collect(&mut self, at: usize) {
        self.shelves[at].collect();
        if !self.shelves[at].unwanted.is_empty() {
            self.condemn_unwanted(at);
        }
        if self.returned == Returned::Retire {
            while let Some(seat) = self.shelves[at].draining.pop_front() {
                self.condemn(at, seat, Closed::Trimmed);
            }
        }
    }
    #[cold]
    fn condemn_unwanted(&mut self, at: usize) {
        for seat in std::mem::take(&mut self.shelves[at].unwanted) {
            self.condemn(at, seat, Closed::Reserved);
        }
    }
    /// Closes a stream that is on no list, and held.
    pub(super) fn condemn(&mut self, shelf: usize, seat: Seat, cause: Closed) {
        let on = &mut self.shelves[shelf];
        let Some(slot) = on.clear(seat) else { return };
        on.condemned += 1;
        self.held -= 1;
        slot.close(cause);
        // What was closed before it came back keeps its first cause.
        let cause = slot.closed().unwrap_or(cause);
        self.counts.closed(cause);
        self.condemned.push(Condemned { slot, cause, shelf, visit: 0 });
    }
    /// The next condemned stream to try to destroy, each once in a visit.
    pub(crate) fn next_condemned(&mut self, visit: &super::Visit) -> Option<Condemned<A>> {
        let number = visit.number();
        let at = self.condemned.iter().position(|condemned| condemned.visit != number)?;
        let mut condemned = self.condemned.swap_remove(at);
        condemned.visit = number;
        Some(condemned)
    }
    /// It cannot be destroyed yet.
    pub(crate) fn not_yet(&mut self, condemned: Condemned<A>) {
        self.condemned.push(condemned);
    }
    /// It is about to be destroyed: its handle may come back for another stream from here on.
    pub(crate) fn forget_handle(&mut self, condemned: &Condemned<A>) {
        let raw = condemned.slot.raw();
        if self.by_raw.get(&raw) == Some(&condemned.slot.id()) {
            self.by_raw.remove(&raw);
        }
    }
    /// It was destroyed, after its work was proven finished: a stamp of it is a stamp of finished work.
    pub(crate) fn destroyed(&mut self, condemned: Condemned<A>) {
        self.gone(&condemned);
        self.by_id.remove(&condemned.slot.id());
        self.counts.destroyed += 1;
    }
    /// It can never be destroyed: it is in error, or its user did that. Its identity stays, since its work
    /// may not be finished.
    pub(crate) fn leaked(&mut self, condemned: Condemned<A>) {
        self.forget_handle(&condemned);
        self.gone(&condemned);
        self.counts.leaked += 1;
    }
    fn gone(&mut self, condemned: &Condemned<A>) {
        self.shelves[condemned.shelf].condemned -= 1;
        self.live -= 1;
    }

    /// Lets go of the idle streams that nobody needed since the last call.
    pub fn trim(&mut self) {
        for at in 0..self.shelves.len() {
            self.collect(at);
            let shelf = &mut self.shelves[at];
            let surplus: Vec<Seat> = shelf.idle.drain(..shelf.low_water as usize).collect();
            shelf.low_water = super::count(shelf.idle.len());
            self.held += super::count(surplus.len());
            for seat in surplus {
                self.condemn(at, seat, Closed::Trimmed);
            }
        }
    }
    /// Lets go of every idle stream.
    pub fn empty(&mut self) {
        for shelf in &mut self.shelves {
            shelf.low_water = super::count(shelf.idle.len());
        }
        self.trim();
    }

    /// The user reset `device`: its streams are gone behind the pool's back, and so is their work.
    pub fn device_reset(&mut self, device: DeviceId) {
        let concerns = |slot: &Slot<A>| slot.key().place.device == device;
        for slot in self.by_id.values().filter(|slot| concerns(slot)) {
            let mut tenancy = slot.lock();
            tenancy.close(Closed::Reset);
            tenancy.saw_idle();
        }
        for at in 0..self.shelves.len() {
            if self.shelves[at].key.place.device != device {
                continue;
            }
            self.collect(at);
            let shelf = &mut self.shelves[at];
            self.held += super::count(shelf.idle.len());
            let nobodys: Vec<Seat> = shelf.idle.drain(..).chain(shelf.draining.drain(..)).collect();
            shelf.low_water = 0;
            for seat in nobodys {
                self.condemn(at, seat, Closed::Reset);
            }
        }
        self.disposals.retain(|place, _| place.device != device);
        self.by_raw.retain(|_, id| self.by_id.get(id).is_some_and(|slot| !concerns(slot)));
    }
    /// The driver is gone: nothing is handed out any more, and nothing is destroyed.
    pub fn lose_all(&mut self, cause: Closed) {
        for slot in self.by_id.values() {
            // A driver call on a lost device may never return, with its stream's lock held.
            if let Some(mut tenancy) = slot.try_lock() {
                tenancy.close(cause);
            }
        }
        self.counts.leaked = u64::from(self.live);
    }
    /// Somebody else's stream is not followed any more.
    pub(crate) fn release_external(&mut self, stream: StreamRef) {
        let Some(slot) = self.by_id.get(&stream.id()) else { return };
        if slot.kind() != Kind::External {
            return;
        }
        let raw = slot.raw();
        if self.by_raw.get(&raw) == Some(&stream.id()) {
            self.by_raw.remove(&raw);
        }
        let tenancy = slot.lock();
        // Without an event to wait for, the identity stays: whether its work is over cannot be known.
        let known =
            matches!(tenancy.standing, Standing::Closed(_)) && tenancy.covers(tenancy.counted);
        drop(tenancy);
        if known {
            self.by_id.remove(&stream.id());
        }
    }
}
