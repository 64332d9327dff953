//! Streams of somebody else's that the driver was made to know.

use std::{
    collections::{HashMap, HashSet},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use ringfence::id::{RawStream, StreamId};

/// Each with the stream of the pool that it is. One that was wrapped twice is forgotten once: by the second time its handle may be
/// another stream's.
#[derive(Default)]
pub(crate) struct Foreign {
    known: Mutex<Known>,
    left: Condvar,
}

#[derive(Default)]
struct Known {
    streams: HashMap<RawStream, StreamId>,
    /// Handles that the driver is just forgetting: made known before it has, they would be forgotten again at once.
    leaving: HashSet<RawStream>,
}

/// While the driver forgets a handle. Ends also if that panics: who waits for the handle would wait for ever.
struct Leaving<'a>(&'a Foreign, RawStream);

impl Foreign {
    /// Makes the driver know a stream, by `adopt`, unless it does. Waits while another thread lets the driver forget the same handle.
    pub(super) fn adopt<E>(
        &self,
        raw: RawStream,
        is: StreamId,
        adopt: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let waits = |known: &mut Known| known.leaving.contains(&raw);
        let known = self.left.wait_while(self.known(), waits);
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        if known.streams.get(&raw) != Some(&is) {
            adopt()?;
            known.streams.insert(raw, is);
        }
        Ok(())
    }
    /// Lets the driver forget a stream that has left the pool, by `forget`, which may wait: no lock is held. Nothing is forgotten if
    /// its handle is a newer stream's by now. `handle` is that of a stream that the pool made, and the driver knew anyway.
    pub(super) fn leave(
        &self,
        was: StreamId,
        handle: Option<RawStream>,
        forget: impl FnOnce(RawStream),
    ) {
        let leaving = {
            let mut known = self.known();
            let own = known.streams.extract_if(|_, stream| *stream == was).next();
            let made = handle.filter(|raw| !known.streams.contains_key(raw));
            let Some(raw) = own.map(|(raw, _)| raw).or(made) else { return };
            known.leaving.insert(raw);
            Leaving(self, raw)
        };
        forget(leaving.1);
    }
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let Self(foreign, raw) = self;
        foreign.known().leaving.remove(raw);
        foreign.left.notify_all();
    }
}

#[cfg(test)]
mod tests;
