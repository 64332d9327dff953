//! Streams that the pool keeps for itself, at each place: one that frees, and a few that wait for others' work.

use super::{Pool, Resets};
use crate::{id::DeviceContext, stream::slot::Slot, sync::Arc};

/// Waiting streams of a place at most. Who waits for work that never ends keeps one of them; the next one who waits takes another.
const WAITING: usize = 4;

/// A place's disposal stream.
#[derive(Debug)]
pub(super) enum Disposal<A> {
    Creating,
    Ready(Arc<Slot<A>>),
}
/// A place's streams that wait for others' work, so that an event of that is of no stream that captures.
#[derive(Debug)]
pub(super) struct Waiting<A> {
    ready: Vec<Arc<Slot<A>>>,
    creating: usize,
}
impl<A> Default for Waiting<A> {
    fn default() -> Self {
        Self { ready: Vec::new(), creating: 0 }
    }
}

impl<A> Pool<A> {
    /// The stream that frees memory of `place`, once it is there.
    pub(crate) fn disposal(&self, place: DeviceContext) -> Option<&Arc<Slot<A>>> {
        match self.disposals.get(&place)? {
            Disposal::Creating => None,
            Disposal::Ready(slot) => Some(slot),
        }
    }
    /// The right to create the disposal stream of `place`, unless somebody has it: good until the device is reset.
    pub(crate) fn claim_disposal(&mut self, place: DeviceContext) -> Option<Resets> {
        let claimed = !self.disposals.contains_key(&place);
        if claimed {
            self.disposals.insert(place, Disposal::Creating);
        }
        claimed.then(|| self.resets(place.device))
    }
    pub(crate) fn abandon_disposal(&mut self, place: DeviceContext, claimed: Resets) {
        if self.resets(place.device) == claimed {
            self.disposals.remove(&place);
        }
    }
    /// The streams that wait for others' work at `place`.
    pub(crate) fn waiting(&self, place: DeviceContext) -> &[Arc<Slot<A>>] {
        self.waiting.get(&place).map_or(&[], |waiting| &waiting.ready)
    }
    /// The right to create another one, if there are not enough: good until the device is reset.
    pub(crate) fn claim_waiting(&mut self, place: DeviceContext) -> Option<Resets> {
        let resets = self.resets(place.device);
        let waiting = self.waiting.entry(place).or_default();
        let room = waiting.ready.len() + waiting.creating < WAITING;
        waiting.creating += usize::from(room);
        room.then_some(resets)
    }
    pub(crate) fn abandon_waiting(&mut self, place: DeviceContext, claimed: Resets) {
        if self.resets(place.device) == claimed
            && let Some(waiting) = self.waiting.get_mut(&place)
        {
            waiting.creating -= 1;
        }
    }
    /// A stream that was made on a claim is there.
    pub(super) fn ready(&mut self, slot: &Arc<Slot<A>>) {
        let place = slot.key().place;
        let waiting = self.waiting.entry(place).or_default();
        waiting.creating = waiting.creating.saturating_sub(1);
        waiting.ready.push(slot.clone());
    }
    /// The pool's own streams, which it has no more.
    pub(crate) fn take_own(&mut self) -> Vec<Arc<Slot<A>>> {
        let waiting = self.waiting.drain().flat_map(|(_, waiting)| waiting.ready);
        let disposals = self.disposals.drain().filter_map(|(_, disposal)| match disposal {
            Disposal::Creating => None,
            Disposal::Ready(slot) => Some(slot),
        });
        // What waits for others is waited for by the disposal stream, perhaps.
        disposals.chain(waiting).collect()
    }
}
