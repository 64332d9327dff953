//! Waiting on the host for all of a stream's work, and draining its queue.

use super::{
    submission::Submission,
    tracker::{Tail, Tracker},
};
use crate::{
    backend::{Device, PacketQueue},
    error::{Error, Failure},
    id::{CacheScope, UseId},
    placement::Role,
    ring::{Drained, IsFence, Probe},
    wait::Sleeps,
};

/// How a host wait ended well.
///
/// ```
/// use ringfence::{backend::*, error::Error, event::Event, id::CacheScope, wait::WaitPolicy};
/// /// Waits, and says whether the host may read what was written before the event.
/// fn wait<D: Device>(event: &Event, gpu: &D) -> Result<bool, Error> {
///     let ended = event.synchronize(gpu, &WaitPolicy::default())?;
///     Ok(ended.is_none_or(|synced| synced.release == CacheScope::System))
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub struct Synced {
    /// The scope that the waited-for packet released to: only with [`CacheScope::System`] may the host
    /// read what the work wrote (S21).
    pub release: CacheScope,
    /// Whether the wait could sleep.
    pub sleeps: Sleeps,
}

impl<D: Device, Q: PacketQueue> Tracker<D, Q> {
    /// Waits on the host until everything that this stream submitted is finished and visible to the
    /// host: to a packet with a system-scope release at or after it (S21). One is submitted if there is
    /// none.
    ///
    /// # Errors
    /// [`Error::TimedOut`], [`Error::DeviceLost`], and what [`submit`](Self::submit) says.
    /// [`Error::Failed`] when everything else is finished, but something was given up and may still run;
    /// and then also an error that an earlier call met after it had done what it was called for.
    pub fn synchronize(&mut self) -> Result<Synced, Error> {
        self.check_lost()?;
        let mut sleeps = Sleeps::AfterTheWindow;
        if let Some(tail) = self.tail {
            let fence = if self.is_conclusive(&tail) {
                tail.of
            } else {
                self.submit_own(Submission::marker(Role::HostQuery))?
            };
            sleeps = self.wait_for_use(fence)?;
            if let Some(polling) = &mut self.polling {
                polling.note_fence(fence);
            }
        }
        if self.polling.is_some() {
            self.wait_all_polled()?;
        } else {
            // Copies, and what was left on queues that the stream has left.
            while let Some(probe) = self.ring.elsewhere() {
                let _sleeps = self.wait_and_settle(probe)?;
            }
        }
        if let Some((of, cause)) = self.given_up() {
            return Err(Error::Failed { of, cause }); // what was put off is told when all is finished
        }
        match self.deferred.take() {
            Some(deferred) => Err(deferred),
            None => Ok(Synced { release: CacheScope::System, sleeps }),
        }
    }
    /// Work that was given up, by force or half way, and that may still run where no fence of this
    /// queue waits for it: nothing can be promised over it (S18, S21).
    fn given_up(&mut self) -> Option<(UseId, Failure)> {
        let unprovable = self.unprovable.map(|of| (of, Failure::Abandoned));
        if self.polling.is_some() {
            self.poll_suspects();
            let own = self.lane();
            return self.polling.as_ref().and_then(|polling| polling.given_up(own)).or(unprovable);
        }
        for _ in 0..self.ring.quarantined() {
            self.look_at_suspect();
        }
        self.ring.given_up_elsewhere().or(unprovable)
    }
    /// Whether the newest packet proves all of the stream's work, and promises its data.
    pub(super) fn is_conclusive(&self, tail: &Tail) -> bool {
        let promises = tail.release == CacheScope::System || planted!(SyncWithoutRelease);
        tail.fence == IsFence::Yes && promises
    }
    /// Waits for one use of this stream: not at all if it is proven.
    fn wait_for_use(&mut self, of: UseId) -> Result<Sleeps, Error> {
        if self.polling.is_some() {
            return self.wait_polled(of);
        }
        self.retire_known()?;
        match self.ring.probe_use(of) {
            Some(probe) => self.wait_and_settle(probe),
            None => Ok(Sleeps::AfterTheWindow),
        }
    }
    fn wait_and_settle(&mut self, probe: Probe) -> Result<Sleeps, Error> {
        let sleeps = self.policy.wait.sleeps(probe.memory());
        let value = self.wait_for(&probe)?;
        self.settle(probe, value)?;
        Ok(sleeps)
    }
    /// Waits until this stream's queue is drained: also packets without a signal, and those of others
    /// that were published before. Releases every pin (S4).
    ///
    /// # Errors
    /// As [`synchronize`](Self::synchronize).
    ///
    /// ```
    /// # use ringfence::{backend::*, drive::*, error::Error};
    /// # fn unload<D: Device, Q: PacketQueue>(tracker: &mut Tracker<D, Q>, code: Box<[u8]>) -> Result<(), Error> {
    /// tracker.drain()?; // also what others published on the queue before
    /// drop(code); // no kernel of the queue runs it any more
    /// # Ok(())
    /// # }
    /// ```
    pub fn drain(&mut self) -> Result<(), Error> {
        let _synced = self.synchronize()?;
        if self.polling.is_some() {
            self.reap();
            return Ok(());
        }
        // First what is published, then what is proven: the other order proves nothing.
        let settled = self.queue.settled();
        let proven = self.queue.mark().observe();
        let mut drained = Drained::by_fence(settled, proven);
        if drained.is_none() {
            let fence = self.submit_own(Submission::marker(Role::HostQuery))?;
            let _sleeps = self.wait_for_use(fence)?;
            drained = Drained::by_fence(settled, self.queue.mark().observe());
        }
        if let Some(drained) = drained {
            while let Some(finished) = self.ring.next_drained(drained) {
                self.retire_one(finished)?;
            }
        }
        self.retire_known()?;
        self.ring.forget_idle_lanes();
        self.reap();
        Ok(())
    }
}
