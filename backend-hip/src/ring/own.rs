//! Streams of queues and copy engines: each has one to itself, which goes to a later one when it is dropped.
//!
//! HIP is not called in a destructor, so that the stream is parked. It is parked with the driver, by GPU, and not with the
//! [`HipDevice`]: whoever makes a device for each job gets the streams of the job before.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ringfence::{
    backend::streams::{CaptureStatus, StreamDriver, StreamState},
    error::DriverError,
    id::{DeviceId, RawStream, StreamKey},
};
use ringfence_backend_shared::words::WordId;

use super::HipDevice;

/// A stream that nobody else has. It is parked on drop, unless its GPU was reset.
pub(super) struct OwnStream {
    pub(super) device: HipDevice,
    of: Streamed,
}

/// A stream of HIP, with what goes wherever it goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Streamed {
    pub(super) key: StreamKey,
    pub(super) stream: RawStream,
    /// How far a queue's packets are. A copy engine does not use it; who gets the stream after it may.
    pub(super) progress: WordId,
}

impl OwnStream {
    pub(super) fn stream(&self) -> RawStream {
        self.of.stream
    }

    pub(super) fn progress(&self) -> WordId {
        self.of.progress
    }
}

impl Drop for OwnStream {
    fn drop(&mut self) {
        self.device.streams().parked().park(self.of, || self.device.still_there().is_ok());
    }
}

impl HipDevice {
    /// A stream of this kind: one that was parked and is idle, or a new one.
    pub(super) fn own_stream(&self, key: StreamKey) -> Result<OwnStream, DriverError> {
        self.still_there()?;
        let key = StreamKey { place: self.place(), ..key };
        let of = match self.parked(key) {
            Some(parked) => parked,
            None => {
                let stream = self.streams().create(key)?;
                let progress = self.streams().words().take(0, key.place.device);
                let progress = progress.inspect_err(|_| {
                    let _refused = self.streams().destroy(stream); // nobody has it
                })?;
                Streamed { key, stream, progress }
            }
        };
        Ok(OwnStream { device: self.clone(), of })
    }

    fn parked(&self, key: StreamKey) -> Option<Streamed> {
        let _relaxed = self.hip().relaxed().ok()?; // a query breaks others' captures otherwise
        let streams = self.streams();
        let is_idle = |stream| {
            // The status first: a query would break a capture that somebody began past the queue.
            streams.capture_status(stream) == CaptureStatus::None
                && streams.query(stream) == StreamState::Idle
        };
        streams.parked().take(key, is_idle, || self.still_there().is_ok())
    }
}

/// Streams whose owners were dropped, of all GPUs of a driver.
///
/// Its lock is taken last, and nothing is called under it but `is_there`, which is one load: a drop waits for no call of HIP's.
#[derive(Debug, Default)]
pub(crate) struct Parked(Mutex<Vec<Streamed>>);

impl Parked {
    /// Parks a stream, if its GPU `is_there` as the owner had it. That is asked in the hold in which the stream is added: a reset
    /// counts first and then takes out what was parked, so that it is seen here, or finds the stream.
    fn park(&self, of: Streamed, is_there: impl FnOnce() -> bool) {
        let mut parked = self.lock();
        if is_there() {
            parked.push(of);
        }
    }

    /// Takes out one of this kind that `is_idle`. That calls HIP, so that no lock is held meanwhile; a stream that is asked about is
    /// nobody else's until it was put back.
    fn take(
        &self,
        key: StreamKey,
        is_idle: impl Fn(RawStream) -> bool,
        is_there: impl Fn() -> bool,
    ) -> Option<Streamed> {
        let mut busy = Vec::new();
        let found = loop {
            let Some(next) = self.pop(key) else { break None };
            if is_idle(next.stream) {
                break Some(next);
            }
            busy.push(next);
        };
        for one in busy {
            self.park(one, &is_there);
        }
        found
    }

    /// The one that was parked first: it has had the most time to become idle.
    fn pop(&self, key: StreamKey) -> Option<Streamed> {
        let mut parked = self.lock();
        let at = parked.iter().position(|one| one.key == key)?;
        Some(parked.remove(at))
    }

    /// The GPU was reset, and that has been counted: its streams and their words are gone.
    pub(crate) fn abandon(&self, device: DeviceId) {
        self.lock().retain(|one| one.key.place.device != device);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Streamed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
