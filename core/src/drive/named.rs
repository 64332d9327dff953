//! One use of a stream, by name: asked about, or given up.

use super::tracker::{Life, Tracker};
use crate::{
    backend::{Device, DeviceStatus, PacketQueue},
    error::Error,
    id::UseId,
    ledger::LoadCause,
    observe,
    ring::{IsFence, Named, Outcome, UseRef},
};

/// What became of a use that was to be completed by force.
///
/// ```
/// use ringfence::{backend::*, drive::*, error::Error, event::Event};
/// /// Waits for an event of this stream; one that is not finished in time is given up.
/// fn wait_or_give_up<D: Device, Q: PacketQueue>(
///     tracker: &mut Tracker<D, Q>,
///     event: &Event,
/// ) -> Result<(), Error> {
///     match event.synchronize(tracker.device(), &tracker.policy().wait) {
///         Err(late @ Error::TimedOut { of, .. }) => match tracker.force(of)? {
///             ForcedUse::GivenUp => Err(late), // others who wait get an error, too
///             ForcedUse::WasOver => Ok(()), // it has just ended, since it is this stream's
///         },
///         ended => ended.map(drop),
///     }
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum ForcedUse {
    /// It was in flight, and ended in an error; or it had done so before. It may still run.
    GivenUp,
    /// It was over, or not this stream's, or has no signal to store into: a packet without one may still run.
    WasOver,
}

impl<D: Device, Q: PacketQueue> Tracker<D, Q> {
    /// The name of a use in flight, for [`query_use`](Self::query_use). It holds nothing. `None` with the
    /// polling tracker, which has no order to tell a stale name by.
    pub fn reference(&self, of: UseId) -> Option<UseRef> {
        self.ring.reference(of)
    }
    /// Whether a use of this stream is finished: by what is proven, without a load, or by one load.
    ///
    /// # Errors
    /// [`Error::OverDecrement`], [`Error::DeviceLost`].
    ///
    /// ```
    /// # use ringfence::{backend::*, drive::*, error::Error, ring::Outcome};
    /// # fn later<D: Device, Q: PacketQueue<Work = &'static str>>(on: &mut Tracker<D, Q>) -> Result<(), Error> {
    /// let of = on.submit(Submission::kernel("step"))?;
    /// let named = on.reference(of); // keeps no signal from being armed
    /// // Later:
    /// let is_over = match named {
    ///     Some(named) => on.query_use(named)? == Outcome::Finished,
    ///     None => false, // the polling tracker has no names
    /// };
    /// # let _ = is_over;
    /// # Ok(())
    /// # }
    /// ```
    pub fn query_use(&mut self, named: UseRef) -> Result<Outcome, Error> {
        if self.life == Life::Lost {
            return Err(self.lost_error());
        }
        if self.device.status() == DeviceStatus::Lost {
            return Err(self.lose());
        }
        self.retire_known()?;
        match self.ring.look_up(named) {
            Named::Over => Ok(Outcome::Finished),
            Named::KeptBack(why) => Ok(Outcome::Failed(why)),
            Named::InFlight(probe) => {
                let value = self.load(probe.signal(), probe.memory(), LoadCause::Query);
                self.settle(probe, value)?;
                match self.ring.look_up(named) {
                    Named::InFlight(_) => Ok(Outcome::Pending),
                    Named::Over => Ok(Outcome::Finished),
                    Named::KeptBack(why) => Ok(Outcome::Failed(why)),
                }
            }
        }
    }
    /// A timeout gives a use up: 0 is stored into its signal, its waiters get an error, and the signal is
    /// quarantined until the device's own decrement is seen (S18). Nothing is retired by it.
    ///
    /// Who waits for the whole stream waits for this use as well: [`synchronize`](Self::synchronize), `drain` and
    /// `close` end at once, in [`Error::Failed`], as long as it may still run on the stream's own queue. Once it is
    /// seen to be over they wait as before.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn force(&mut self, of: UseId) -> Result<ForcedUse, Error> {
        if self.life == Life::Lost {
            return Err(self.lost_error());
        }
        if self.device.status() == DeviceStatus::Lost {
            return Err(self.lose());
        }
        let given_up = match &self.polling {
            Some(polling) => polling.is_given_up(of),
            None => self.ring.is_given_up(of),
        };
        if given_up {
            return Ok(ForcedUse::GivenUp); // by somebody who waited as long, or below 0
        }
        if self.is_over_after_all(of)? {
            return Ok(ForcedUse::WasOver);
        }
        // The outcome first, then the store: a waiter that sees the 0 finds the error.
        let signal = match &mut self.polling {
            Some(polling) => polling.force(of),
            None => self.ring.force(of),
        };
        let Some(signal) = signal else {
            return Ok(ForcedUse::WasOver);
        };
        self.counts.quarantined += 1;
        observe::quarantined(self.id, of);
        if let Some(tail) = self.tail.as_mut().filter(|tail| tail.of == of) {
            tail.fence = IsFence::No; // it will prove nothing any more
        }
        self.device.force(signal);
        Ok(ForcedUse::GivenUp)
    }
    /// One last look: a use that is over would never take its signal to -1. One that ends between this
    /// look and the store is kept back for ever, which is safe.
    fn is_over_after_all(&mut self, of: UseId) -> Result<bool, Error> {
        if self.polling.is_some() {
            return self.look_at_polled(of);
        }
        self.retire_observed()?;
        let Some(probe) = self.ring.probe_use(of) else {
            return Ok(true);
        };
        let value = self.load(probe.signal(), probe.memory(), LoadCause::Check);
        self.settle(probe, value)?;
        Ok(self.ring.probe_use(of).is_none())
    }
}
