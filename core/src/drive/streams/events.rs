//! Events for waits between streams: recorded again and again, since a wait refers to what was recorded
//! when it was called.

use super::StreamPool;
use crate::{
    backend::streams::StreamBackend,
    error::DriverError,
    id::{DeviceContext, DeviceId, RawEvent},
};

/// Events that nobody uses right now.
#[derive(Debug, Default)]
pub(super) struct EventShelf {
    free: Vec<(DeviceContext, RawEvent)>,
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// An event of `place`, to be given back.
    pub(super) fn event(&self, place: DeviceContext) -> Result<RawEvent, DriverError> {
        {
            let mut shelf = self.shared.events.lock();
            if let Some(at) = shelf.free.iter().position(|free| free.0 == place) {
                return Ok(shelf.free.swap_remove(at).1);
            }
        }
        self.driver.create_event(place)
    }
    pub(super) fn event_back(&self, place: DeviceContext, event: RawEvent) {
        self.shared.events.lock().free.push((place, event));
    }
    /// The device was reset, and its events are gone with it.
    pub(super) fn forget_events(&self, device: DeviceId) {
        self.shared.events.lock().free.retain(|free| free.0.device != device);
    }
    /// Destroys every event that nobody uses.
    pub(super) fn destroy_events(&self) {
        let free = std::mem::take(&mut self.shared.events.lock().free);
        for (_, event) in free {
            self.driver.destroy_event(event);
        }
    }
}
