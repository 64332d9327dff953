//! Events for waits between streams: recorded again and again, since a wait refers to what was recorded
//! when it was called.

use std::collections::HashMap;

use super::StreamPool;
use crate::{
    backend::streams::StreamBackend,
    error::DriverError,
    id::{DeviceContext, DeviceId},
    stream::OwnEvent,
};

/// Events that nobody uses right now.
#[derive(Debug, Default)]
pub(super) struct EventShelf {
    free: Vec<OwnEvent>,
    /// How often each device was reset. The pool counts that as well, under a lock that is not taken inside a stream's.
    resets: HashMap<DeviceId, u32>,
}
impl EventShelf {
    fn born(&self, device: DeviceId) -> u32 {
        self.resets.get(&device).copied().unwrap_or_default()
    }
    /// Whether the event did not go with its device.
    fn has(&self, event: OwnEvent) -> bool {
        self.born(event.place.device) == event.born
    }
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// An event of `place`, to be given back.
    pub(super) fn event(&self, place: DeviceContext) -> Result<OwnEvent, DriverError> {
        let born = {
            let mut shelf = self.shared.events.lock();
            if let Some(at) = shelf.free.iter().position(|free| free.place == place) {
                return Ok(shelf.free.swap_remove(at));
            }
            shelf.born(place.device)
        };
        let raw = self.driver.create_event(place)?;
        Ok(OwnEvent { raw, place, born })
    }
    /// Takes an event back, unless it went with its device meanwhile.
    pub(super) fn event_back(&self, event: OwnEvent) {
        let mut shelf = self.shared.events.lock();
        if shelf.has(event) {
            shelf.free.push(event);
        }
    }
    /// Destroys an event that is of no further use, unless it went with its device.
    pub(super) fn event_gone(&self, event: OwnEvent) {
        let exists = self.shared.events.lock().has(event);
        if exists {
            self.driver.destroy_event(event.raw);
        }
    }
    /// The device was reset, and its events are gone with it.
    pub(super) fn forget_events(&self, device: DeviceId) {
        let mut shelf = self.shared.events.lock();
        *shelf.resets.entry(device).or_default() += 1;
        shelf.free.retain(|free| free.place.device != device);
    }
    /// Destroys every event that nobody uses.
    pub(super) fn destroy_events(&self) {
        let free = std::mem::take(&mut self.shared.events.lock().free);
        for event in free {
            self.driver.destroy_event(event.raw);
        }
    }
}
