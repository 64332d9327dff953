//! Streams that nobody will get again: from the verdict to the destruction.

use super::{Life, Pool};
use crate::{
    error::Closed,
    id::{DeviceId, Position},
    stream::{policy::Returned, shelf::Seat, slot::Slot},
    sync::Arc,
};

/// A closed stream that still exists in the driver. Destroyed only when proven idle (T10).
#[derive(Debug)]
#[must_use = "a condemned stream that is not given back is never destroyed"]
pub(crate) struct Condemned<A> {
    pub(crate) slot: Arc<Slot<A>>,
    /// Why it was condemned; what closed it before stays.
    pub(crate) cause: Closed,
    shelf: usize,
    visit: u64,
}

/// A stream that is no more.
#[must_use = "drop it without the pool's lock"]
pub(crate) struct Gone<A> {
    _slots: (Arc<Slot<A>>, Option<Arc<Slot<A>>>),
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
        // Whoever acts on the stream may be in the driver for long, and the pool does not wait for that: then the
        // first look at its fate closes it.
        if let Some(mut tenancy) = slot.try_lock() {
            tenancy.close(cause);
        }
        self.counts.closed(cause);
        self.condemned.push(Condemned { slot, cause, shelf, visit: 0 });
    }
    /// Condemns an idle stream of another shelf than this one, to make room at the hard cap. Answers whether there was any.
    pub(super) fn evict(&mut self, but: Option<usize>) -> bool {
        let has_idle = |at: &usize| !self.shelves[*at].idle.is_empty();
        let other = (0..self.shelves.len()).find(|at| Some(*at) != but && has_idle(at));
        let Some(at) = other else { return self.evict_shared(but) };
        let seat = self.shelves[at].idle.remove(0);
        self.shelves[at].lower_water();
        self.held += 1;
        self.condemn(at, seat, Closed::Trimmed);
        true
    }
    /// A shared stream is never idle: one that nobody has makes room.
    fn evict_shared(&mut self, but: Option<usize>) -> bool {
        let others = (0..self.shelves.len()).filter(|at| Some(*at) != but);
        let unshared = others.filter_map(|at| {
            let seat = self.shelves[at].all().find(|(_, slot)| slot.is_unshared())?.0;
            Some((at, seat))
        });
        let Some((at, seat)) = { unshared }.next() else { return false };
        self.shelves[at].leased -= 1;
        self.condemn(at, seat, Closed::Trimmed);
        true
    }
    /// The next condemned stream to try to destroy, each once in a visit.
    pub(crate) fn next_condemned(&mut self, visit: &super::Visit) -> Option<Condemned<A>> {
        let number = visit.number();
        let at = self.condemned.iter().position(|condemned| condemned.visit < number)?;
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
        self.forget_raw(&condemned.slot);
    }
    /// Its handle is somebody else's from here on.
    pub(crate) fn forget_raw(&mut self, slot: &Slot<A>) {
        let raw = slot.raw();
        if self.by_raw.get(&raw) == Some(&slot.id()) {
            self.by_raw.remove(&raw);
        }
    }
    /// It was destroyed, after its work was proven finished: a stamp of it is a stamp of finished work.
    /// What is attached to it is the user's: drop the answer without the pool's lock.
    pub(crate) fn destroyed(&mut self, condemned: Condemned<A>) -> Gone<A> {
        self.gone(&condemned);
        let known = self.by_id.remove(&condemned.slot.id());
        self.counts.destroyed += 1;
        Gone { _slots: (condemned.slot, known) }
    }
    /// It can never be destroyed: it is in error, or its user did that. Its identity stays, since its work
    /// may not be finished.
    pub(crate) fn leaked(&mut self, condemned: Condemned<A>) -> Gone<A> {
        self.forget_handle(&condemned);
        self.gone(&condemned);
        // What its owner took out of the pool is the owner's.
        self.counts.leaked += u64::from(condemned.slot.closed() != Some(Closed::Disowned));
        Gone { _slots: (condemned.slot, None) }
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
            shelf.lower_water();
            let surplus: Vec<Seat> = shelf.idle.drain(..shelf.low_water as usize).collect();
            shelf.low_water = super::count(shelf.idle.len());
            self.held += super::count(surplus.len());
            for seat in surplus {
                self.condemn(at, seat, Closed::Trimmed);
            }
        }
    }
    /// Lets go of every idle stream, and of shared ones that nobody has.
    pub fn empty(&mut self) {
        for at in 0..self.shelves.len() {
            let unshared = self.shelves[at].all().filter(|(_, slot)| slot.is_unshared());
            let unshared: Vec<Seat> = unshared.map(|(seat, _)| seat).collect();
            for seat in unshared {
                self.shelves[at].leased -= 1;
                self.condemn(at, seat, Closed::Trimmed);
            }
        }
        for shelf in &mut self.shelves {
            shelf.low_water = super::count(shelf.idle.len());
        }
        self.trim();
    }

    /// The user reset `device`: its streams are gone behind the pool's back, and so is their work.
    pub fn device_reset(&mut self, device: DeviceId) {
        self.resets.entry(device).or_default().0 += 1;
        let concerns = |slot: &Slot<A>| slot.key().place.device == device;
        for slot in self.by_id.values().filter(|slot| concerns(slot)) {
            let mut tenancy = slot.lock();
            tenancy.lose_handle(Closed::Reset);
            tenancy.saw_idle();
            // Events went with the device: they are not destroyed, and nobody waits for them.
            tenancy.before_capture = None;
            tenancy.final_event = None;
        }
        self.left.retain(|slot| !concerns(slot));
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
        self.waiting.retain(|place, _| place.device != device);
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
        self.counts.leaked = self.counts.leaked.max(u64::from(self.live));
        self.life = Life::Over;
    }
    /// Wrappings that were dropped without a word: the handle is not known to be the same stream any more, and
    /// whether its work is finished cannot be known.
    #[must_use = "drop them without the pool's lock"]
    pub(crate) fn close_dropped(&mut self) -> Vec<Arc<Slot<A>>> {
        let mut gone = Vec::new();
        for at in (0..self.externals.len()).rev() {
            if self.externals[at].came_back() {
                let slot = self.externals.swap_remove(at);
                slot.close(Closed::Disowned);
                self.forget_raw(&slot);
                if slot.lock().counted == Position::START {
                    gone.extend(self.forget(&slot)); // nobody remembers any work of it
                }
                gone.push(slot);
            }
        }
        gone
    }
    /// The same, and those that were closed in order.
    #[must_use = "drop them without the pool's lock"]
    pub(crate) fn collect_externals(&mut self) -> Vec<Arc<Slot<A>>> {
        let mut gone = self.close_dropped();
        for at in (0..self.externals.len()).rev() {
            if self.externals[at].closed().is_some() {
                let slot = self.externals.swap_remove(at);
                self.forget_raw(&slot);
                gone.push(slot);
            }
        }
        gone
    }
    /// A stream that left with work pending, and an event that may be asked about.
    pub(crate) fn remember_left(&mut self, slot: Arc<Slot<A>>) {
        self.left.push(slot);
    }
    pub(crate) fn take_left(&mut self) -> Vec<Arc<Slot<A>>> {
        std::mem::take(&mut self.left)
    }
    /// Its work is finished, and it is not the pool's: a stamp of it is a stamp of finished work.
    #[must_use = "drop it without the pool's lock"]
    pub(crate) fn forget(&mut self, slot: &Slot<A>) -> Option<Arc<Slot<A>>> {
        self.by_id.remove(&slot.id())
    }
    /// How often a device was reset: what was made before the last time is gone.
    pub(crate) fn resets(&self, device: DeviceId) -> Resets {
        self.resets.get(&device).copied().unwrap_or_default()
    }
}

/// How often a device was reset.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Resets(u32);
