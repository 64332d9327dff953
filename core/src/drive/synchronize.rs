//! Waiting on the host for all of a stream's work, and draining its queue.

use super::{
    submission::Submission,
    tracker::{Tail, Tracker},
};
use crate::{
    backend::{Device, PacketQueue, SignalMemory},
    error::{Error, Failure, WaitedFor},
    id::{CacheScope, LaneId, UseId},
    ledger::LoadCause,
    placement::Role,
    ring::{Drained, IsFence, Probe},
    wait::{Sleeps, WaitPolicy},
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
    /// none. Each wait has the limit of the tracker's [`Policy`](super::Policy).
    ///
    /// # Errors
    /// [`Error::TimedOut`] with the oldest use that is not finished, [`Error::DeviceLost`], and what
    /// [`submit`](Self::submit) says. [`Error::Failed`] when something was given up and may still run, and everything
    /// else is finished, but for what is behind a use that was [completed by force](Self::force) on its queue: that is
    /// not waited for. Then also an error that an earlier call met after it had done what it was called for.
    pub fn synchronize(&mut self) -> Result<Synced, Error> {
        self.check_lost()?;
        let mut sleeps = Sleeps::AfterTheWindow;
        let mut forced = None;
        if let Some(tail) = self.tail {
            let fence = if self.is_conclusive(&tail) {
                tail.of
            } else {
                self.submit_own(Submission::marker(Role::HostQuery))?
            };
            forced = self.forced_before(fence)?;
            if forced.is_none() {
                sleeps = self.wait_for_fence(fence)?;
                if let Some(polling) = &mut self.polling {
                    polling.note_fence(fence);
                }
            }
        }
        if self.polling.is_some() {
            let given_up = forced.map(|of| of.lane());
            self.wait_all_polled(given_up).map_err(of_stream)?;
        } else {
            forced = forced.or(self.wait_elsewhere()?);
        }
        let forced = forced.map(|of| (of, Failure::Forced));
        if let Some((of, cause)) = forced.or_else(|| self.given_up()) {
            return Err(Error::Failed { of, cause }); // what was put off is told when all is finished
        }
        match self.deferred.take() {
            Some(deferred) => Err(deferred),
            None => Ok(Synced { release: CacheScope::System, sleeps }),
        }
    }
    /// As [`synchronize`](Self::synchronize), with waits of their own limit: for a thread that has to go on when the
    /// device hangs.
    ///
    /// # Errors
    /// As [`synchronize`](Self::synchronize).
    ///
    /// ```
    /// use ringfence::{backend::*, drive::*, error::Error, wait::WaitPolicy};
    /// /// Gives up what does not end in time. `Err` for the results that are not to be read.
    /// fn end_of_frame<D: Device, Q: PacketQueue>(
    ///     tracker: &mut Tracker<D, Q>,
    ///     patience: &WaitPolicy,
    /// ) -> Result<(), Error> {
    ///     match tracker.synchronize_within(patience) {
    ///         Err(late @ Error::TimedOut { of, .. }) => {
    ///             let _given_up = tracker.force(of)?;
    ///             Err(late) // the next wait ends at once, until the kernel is over after all
    ///         }
    ///         ended => ended.map(drop),
    ///     }
    /// }
    /// ```
    pub fn synchronize_within(&mut self, wait: &WaitPolicy) -> Result<Synced, Error> {
        self.within(wait, Self::synchronize)
    }
    fn within<T>(&mut self, wait: &WaitPolicy, call: impl FnOnce(&mut Self) -> T) -> T {
        let own = std::mem::replace(&mut self.policy.wait, *wait);
        let ended = call(self);
        self.policy.wait = own;
        ended
    }
    /// Waits for copies, and for what was left on queues that the stream has left: not where that is behind a use that
    /// was completed by force, which is returned then.
    fn wait_elsewhere(&mut self) -> Result<Option<UseId>, Error> {
        let (mut first, mut forced) = (0, None);
        while let Some((at, probe)) = self.ring.elsewhere_from(first) {
            match self.forced_before(probe.of())? {
                Some(of) => {
                    forced = forced.or(Some(of));
                    first = at + 1;
                }
                None if self.ring.probe_use(probe.of()).is_some() => {
                    let _sleeps = self.wait_and_settle(probe).map_err(of_stream)?;
                }
                None => {} // it has just been looked at
            }
        }
        Ok(forced)
    }
    /// A use on the queue of `fence` that was completed by force, unless one look says that it is over: a fence behind
    /// it would be waited for in vain (S18). Copies are in no order, and none is behind another.
    fn forced_before(&mut self, fence: UseId) -> Result<Option<UseId>, Error> {
        let lane = fence.lane();
        if self.forced_on(lane).is_none() {
            return Ok(None);
        }
        if self.polling.is_some() {
            self.poll_suspects();
            if self.look_at_polled(fence)?
                && let Some(polling) = &mut self.polling
            {
                polling.note_fence(fence);
            }
        } else {
            for _ in 0..self.ring.quarantined() {
                self.look_at_suspect();
            }
            self.retire_known()?;
            if let Some(probe) = self.ring.probe_use(fence) {
                self.look_at_use(probe)?;
            }
        }
        Ok(self.forced_on(lane))
    }
    /// One load of one use.
    fn look_at_use(&mut self, probe: Probe) -> Result<(), Error> {
        let value = self.load(probe.signal(), probe.memory(), LoadCause::Check);
        self.settle(probe, value)
    }
    fn forced_on(&self, lane: LaneId) -> Option<UseId> {
        match &self.polling {
            Some(polling) => polling.forced_on(lane),
            None => self.ring.forced_on(lane),
        }
    }
    /// Waits for a fence of this stream's queue. In vain, the oldest use before it that is not finished is named: the
    /// fence may be none of the caller's, and forcing that would change nothing.
    fn wait_for_fence(&mut self, fence: UseId) -> Result<Sleeps, Error> {
        match self.wait_for_use(fence) {
            Err(Error::TimedOut { of, .. }) if of == fence => {
                match self.oldest_unfinished(of.lane())? {
                    Some(of) => Err(Error::TimedOut { of, waited_for: WaitedFor::Stream }),
                    None => Ok(self.policy.wait.sleeps(SignalMemory::Host)), // it has just ended
                }
            }
            ended => ended,
        }
    }
    /// Looks at the uses of a queue, the oldest first, up to one that is not finished.
    fn oldest_unfinished(&mut self, lane: LaneId) -> Result<Option<UseId>, Error> {
        loop {
            let (of, is_over) = if let Some(polling) = &self.polling {
                let Some(of) = polling.oldest_on(lane) else { return Ok(None) };
                (of, self.look_at_polled(of)?)
            } else {
                let Some(probe) = self.ring.oldest_on(lane) else { return Ok(None) };
                let of = probe.of();
                self.look_at_use(probe)?;
                (of, self.ring.probe_use(of).is_none())
            };
            if !is_over {
                return Ok(Some(of));
            }
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
            let _sleeps = self.wait_for_fence(fence)?;
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
    /// As [`drain`](Self::drain), with waits of their own limit.
    ///
    /// # Errors
    /// As [`synchronize`](Self::synchronize).
    pub fn drain_within(&mut self, wait: &WaitPolicy) -> Result<(), Error> {
        self.within(wait, Self::drain)
    }
}

/// A wait that ran into its limit was one for the whole stream.
fn of_stream(error: Error) -> Error {
    match error {
        Error::TimedOut { of, .. } => Error::TimedOut { of, waited_for: WaitedFor::Stream },
        other => other,
    }
}
