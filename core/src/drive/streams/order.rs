//! Work after other work: on the device where that is possible.

use std::time::Duration;

use super::{StreamPool, follow::Refusal};
use crate::{
    backend::streams::StreamBackend,
    error::{Closed, DriverError, StreamError},
    observe,
    stream::{Access, Captures, Cover, Lease, Slot, Stamp, Standing, Tenancy, Touch},
    sync::Arc,
};

/// How later work follows earlier work.
///
/// ```
/// use ringfence::{backend::streams::StreamBackend, drive::*, error::StreamError, stream::*};
///
/// fn follow<B: StreamBackend>(pool: &StreamPool<B>, lease: &mut Lease, array: &Stamp) -> Result<(), StreamError> {
///     match pool.order_after(lease, array, Access::Read)? {
///         Ordered::Already | Ordered::OnDevice => {} // this thread went on at once
///         Ordered::OnHost => eprintln!("{lease:?} waited on the host: somebody captures"),
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[must_use]
pub enum Ordered {
    /// It does already: the work is finished, or on the same stream.
    Already,
    /// The stream waits on the device.
    OnDevice,
    /// The host waited.
    OnHost,
}

/// What can be done about a touch that is not known to be finished.
enum Unfinished {
    /// Its stream is open, and does not capture.
    Record,
    /// This event covers it.
    Event(Cover),
    /// Its stream captures, by its user's own doing.
    Capturing,
    /// Its stream was closed with it pending.
    Unknowable,
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Makes later work of the lease's stream follow what the stamp remembers.
    ///
    /// A stamp of an earlier tenancy is finished work: nothing is waited for. Exceptions of the device are
    /// reported all the same (T6).
    ///
    /// # Errors
    /// [`StreamError::DeviceLost`]; [`StreamError::Capturing`] when a stream captures past the pool;
    /// [`StreamError::Unknowable`]; what the driver says of the wait.
    pub fn order_after(
        &self,
        lease: &mut Lease<A>,
        stamp: &Stamp,
        access: Access,
    ) -> Result<Ordered, StreamError> {
        self.usable()?;
        {
            drop(self.open(lease)?);
        }
        let mut ordered = Ordered::Already;
        for touch in stamp.touches(access) {
            let how = self.follow(lease.slot(), touch)?;
            observe::followed(lease.stream(), touch.stream(), touch.position(), how);
            ordered = ordered.max(how);
        }
        Ok(ordered)
    }
    /// Waits on the host for what the stamp remembers.
    ///
    /// # Errors
    /// [`StreamError::TimedOut`] after `limit`, which is for each stream that the stamp remembers; otherwise as [`order_after`](Self::order_after).
    ///
    /// ```
    /// # use ringfence::{backend::streams::StreamBackend, drive::StreamPool, error::StreamError, stream::*};
    /// # use std::time::Duration;
    /// # fn read_back<B: StreamBackend>(pool: &StreamPool<B>, array: &Stamp) -> Result<(), StreamError> {
    /// match pool.synchronize(array, Access::Read, Duration::from_secs(1)) {
    ///     Ok(()) => {} // the host may read what was written
    ///     Err(StreamError::TimedOut { stream, position }) => eprintln!("{stream} is not at {position} yet"),
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn synchronize(
        &self,
        stamp: &Stamp,
        access: Access,
        limit: Duration,
    ) -> Result<(), StreamError> {
        self.usable()?;
        for touch in stamp.touches(access) {
            if let Some(slot) = self.find(touch.stream())? {
                self.wait_on_host(&slot, touch, limit)?;
            }
        }
        self.usable()
    }

    /// Makes later work of `waiter` follow one touch, on the device or not at all.
    pub(super) fn follow_on_device(
        &self,
        waiter: &Arc<Slot<A>>,
        touch: Touch,
    ) -> Result<Ordered, StreamError> {
        match self.find(touch.stream())? {
            Some(slot) if !Arc::ptr_eq(&slot, waiter) => self.wait_on_device(&slot, touch, waiter),
            _ => Ok(Ordered::Already),
        }
    }
    /// Makes later work of `waiter` follow one touch.
    pub(super) fn follow(
        &self,
        waiter: &Arc<Slot<A>>,
        touch: Touch,
    ) -> Result<Ordered, StreamError> {
        let stream = touch.stream();
        let Some(slot) = self.find(stream)? else { return Ok(Ordered::Already) };
        if Arc::ptr_eq(&slot, waiter) {
            return Ok(Ordered::Already); // stream order, or an earlier tenancy, which is finished
        }
        match self.wait_on_device(&slot, touch, waiter) {
            Err(StreamError::Driver { cause: DriverError::CaptureConflict(_), .. }) => {
                self.wait_on_host(&slot, touch, self.options.wait_limit)?;
                Ok(Ordered::OnHost)
            }
            other => other,
        }
    }
    /// Check, record and wait: one hold of the producer's lock (T5). The wait is work of the waiter, which is not
    /// idle before it is over.
    pub(super) fn wait_on_device(
        &self,
        slot: &Slot<A>,
        touch: Touch,
        waiter: &Slot<A>,
    ) -> Result<Ordered, StreamError> {
        let ordered = self.enqueue_wait(slot, touch, waiter)?;
        if ordered == Ordered::OnDevice {
            // Marked with what follows it, or by the look that finds it unmarked.
            let _position = waiter.lock().count();
        }
        Ok(ordered)
    }
    fn enqueue_wait(
        &self,
        slot: &Slot<A>,
        touch: Touch,
        waiter: &Slot<A>,
    ) -> Result<Ordered, StreamError> {
        let stream = touch.stream();
        let mut tenancy = slot.lock();
        let over = tenancy.generation != stream.generation();
        if self.finished(slot, &mut tenancy, touch) && !(over && planted!(WaitForOldTenancy)) {
            return Ok(Ordered::Already);
        }
        let followed = match self.unfinished(slot, &tenancy, touch) {
            // The event is of the waiter, one of ours, which has waited for the work.
            Unfinished::Event(cover) if waiter.id() == cover.on => Ok(()),
            // With the lock: whoever is done with the event takes it.
            Unfinished::Event(cover) => {
                let waited = self.driver.stream_wait(waiter.raw(), cover.event.raw);
                drop(tenancy);
                waited.map_err(Refusal::Waiting)
            }
            Unfinished::Capturing => return Err(StreamError::Capturing { stream }),
            Unfinished::Unknowable => return Err(StreamError::Unknowable { stream }),
            Unfinished::Record => {
                let mut held = (!planted!(ActAfterCheck)).then_some(tenancy);
                self.record_and_wait(slot, &mut held, waiter)
            }
        };
        followed.map_err(|refusal| self.not_followed(stream, waiter, refusal))?;
        Ok(Ordered::OnDevice)
    }
    /// What can be done about work that is not known to be finished, with the stream's lock held.
    fn unfinished(&self, slot: &Slot<A>, tenancy: &Tenancy, touch: Touch) -> Unfinished {
        let covering = |cover: &Cover| cover.covers(touch.position());
        match (tenancy.standing, tenancy.final_event.filter(covering)) {
            (Standing::Open, _) => {}
            (_, Some(last)) => return Unfinished::Event(last),
            // It exists until its work is proven finished.
            (Standing::Closed(Closed::Trimmed | Closed::Reserved), None) => {}
            (Standing::Closed(_), None) => return Unfinished::Unknowable,
        }
        match (tenancy.captures, tenancy.before_capture.filter(covering)) {
            (Captures::Open, Some(before)) => Unfinished::Event(before),
            (Captures::Open, None) => Unfinished::Capturing,
            _ if self.captures_now(slot, tenancy) => Unfinished::Capturing,
            _ => Unfinished::Record,
        }
    }
}
