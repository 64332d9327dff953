//! What a child task records in somebody's capture.

use super::{StreamPool, refused};
use crate::{
    backend::streams::{StreamBackend, StreamWork},
    error::StreamError,
    id::StreamRef,
    stream::Slot,
    sync::{Arc, Mutex},
};

#[cfg(doc)]
use super::CaptureScope;

/// Whether participants may still come in, and how many have not left. Its lock makes the work of all of
/// them one order.
#[derive(Debug)]
pub(super) struct Door(pub(super) Mutex<Inside>);
#[derive(Debug)]
pub(super) struct Inside {
    pub(super) open: Entry,
    pub(super) participants: u32,
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Entry {
    Open,
    Closed,
}

/// A child task's part in somebody's capture ([`CaptureScope::participant`]). It may go to another thread, and must be
/// gone before the scope ends.
#[derive(Debug)]
pub struct Participant<A = ()> {
    pub(super) slot: Arc<Slot<A>>,
    pub(super) stream: StreamRef,
    pub(super) door: Arc<Door>,
}
impl<A> Participant<A> {
    /// Records work of this task in the capture.
    ///
    /// # Errors
    /// [`StreamError::Stale`] after the scope ended, or when its stream was closed; what the driver says of the work.
    pub fn submit<B: StreamBackend + StreamWork>(
        &self,
        pool: &StreamPool<B, A>,
        work: B::Work,
    ) -> Result<(), StreamError> {
        pool.usable()?;
        pool.ours(self.stream)?;
        let inside = self.door.0.lock();
        if inside.open == Entry::Closed {
            return Err(StreamError::Stale { stream: self.stream });
        }
        pool.records_still(&self.slot, self.stream)?;
        let launched = pool.driver.launch(self.slot.raw(), work);
        launched.map_err(|cause| refused(self.stream, cause))
    }
}
impl<A> Drop for Participant<A> {
    fn drop(&mut self) {
        self.door.0.lock().participants -= 1;
    }
}
