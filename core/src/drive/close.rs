//! The end of a tracker.

use super::tracker::Tracker;
use crate::{
    backend::{Device, PacketQueue},
    error::{Error, Failure},
    ring::Reaper,
    sync::Arc,
    wait::WaitPolicy,
};

impl<D: Device, Q: PacketQueue> Tracker<D, Q> {
    /// Waits for the stream's work and destroys its signals. Those that others still hold are destroyed
    /// by [`Reaper::reap`] of the reaper that is returned, once the last hold is gone.
    ///
    /// A tracker that is dropped instead waits for nothing: what is in flight ends as abandoned, its signals
    /// are leaked, and the others go to the [`reaper`](Self::reaper).
    ///
    /// # Errors
    /// As [`synchronize`](Self::synchronize). What is in flight then ends as [`Failure::Abandoned`], and
    /// the signals that the device may still write to are neither used nor destroyed; the rest is
    /// destroyed all the same, or by the [`reaper`](Self::reaper): who wants that one then, clones it before.
    ///
    /// ```
    /// use ringfence::{backend::*, drive::*, error::Error, event::Event};
    /// fn close<D: Device, Q: PacketQueue>(
    ///     gpu: &D,
    ///     tracker: Tracker<&D, Q>,
    ///     exported: Event, // of kind `Ipc`: it holds its signal
    /// ) -> Result<(), Error> {
    ///     let reaper = tracker.reaper().clone(); // also for where `close` fails
    ///     let closed = tracker.close().map(drop);
    ///     drop(exported);
    ///     reaper.reap(|signal| gpu.destroy(signal)); // the last one
    ///     closed
    /// }
    /// ```
    pub fn close(mut self) -> Result<Arc<Reaper>, Error> {
        let waited = self.drain();
        let _leaked = match &mut self.polling {
            Some(polling) => polling.lose(Failure::Abandoned),
            None => self.ring.lose(Failure::Abandoned),
        };
        let reaper = self.ring.reaper().clone();
        let Self { device, ring, polling, .. } = self;
        drop((ring, polling));
        reaper.reap(|signal| device.destroy(signal));
        waited.map(|()| reaper)
    }
    /// As [`close`](Self::close), with waits of their own limit.
    ///
    /// # Errors
    /// As [`close`](Self::close).
    pub fn close_within(mut self, wait: &WaitPolicy) -> Result<Arc<Reaper>, Error> {
        self.policy.wait = *wait;
        self.close()
    }
}
