//! Work on a leased stream.

use super::StreamPool;
use crate::{
    backend::streams::{CaptureStatus, StreamBackend, StreamWork},
    error::StreamError,
    id::{Position, RawStream, StreamRef},
    observe,
    stream::{Captures, Handle, Kind, Lease, Slot, Standing, Tenancy, Touch},
    sync::StreamGuard,
};

/// A launch in progress. Where it panics, in a caller's code perhaps, work may have been submitted that nobody counted: the driver
/// is asked about the stream from then on (T11, T13).
pub(super) struct Launching<'s, A>(pub(super) &'s Slot<A>);
impl<A> Drop for Launching<'_, A> {
    fn drop(&mut self) {
        self.0.lock().handle = Handle::Exposed;
    }
}

/// Everything that was submitted up to now: what went past the pool, which nobody counted, is counted by this.
pub(super) fn so_far<A>(slot: &Slot<A>, stream: StreamRef) -> Touch {
    Touch::new(stream, slot.lock().so_far())
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Submits work, and says what to remember of it.
    ///
    /// Where the stream has a progress word, a mark follows the work, so that its end is seen without
    /// asking the driver.
    ///
    /// # Errors
    /// What the driver says of the work; [`StreamError::Stale`] when the stream was closed meanwhile. A part
    /// of the work may have been submitted all the same: it is counted, and [`so_far`](Self::so_far) covers it.
    pub fn submit(&self, lease: &mut Lease<A>, work: B::Work) -> Result<Touch, StreamError>
    where
        B: StreamWork,
    {
        drop(self.open(lease)?);
        let launching = Launching(lease.slot());
        let launched = self.driver.launch(lease.slot().raw(), work);
        std::mem::forget(launching); // it did not panic
        let (touch, current) = self.count_launch(lease);
        launched.map_err(|cause| self.launch_refused(lease, cause))?;
        current?;
        observe::work_submitted(lease.stream(), touch.position());
        Ok(touch)
    }
    /// Counts what was just launched, with no lock held meanwhile: it may be a caller's code (T5).
    ///
    /// Of a stream that several have, another one may have ended the wrapping in between. What was left behind then does not cover
    /// this work, which nobody takes for finished.
    pub(super) fn count_launch(&self, lease: &Lease<A>) -> (Touch, Result<(), StreamError>) {
        let stream = lease.stream();
        let mut tenancy = lease.slot().lock();
        let position = self.count(lease.slot(), &mut tenancy);
        let current = match tenancy.standing {
            Standing::Open => Ok(()),
            Standing::Closed(_) => Err(StreamError::Stale { stream }),
        };
        (Touch::new(stream, position), current)
    }
    /// What to remember of everything that was submitted to the lease's stream up to now, by the raw handle as well once
    /// that was given out.
    ///
    /// ```
    /// # use ringfence::{backend::streams::*, drive::StreamPool, stream::*};
    /// # fn part<B>(pool: &StreamPool<B>, lease: &mut Lease, array: &mut Stamp)
    /// # where
    /// #     B: StreamBackend + StreamWork<Work = &'static str>,
    /// # {
    /// if let Err(error) = pool.submit(lease, "two kernels") {
    ///     eprintln!("{error}"); // the first of them may run all the same
    ///     array.add(pool.so_far(lease), Access::Write);
    /// }
    /// # }
    /// ```
    pub fn so_far(&self, lease: &Lease<A>) -> Touch {
        so_far(lease.slot(), lease.stream())
    }
    /// Gives the raw handle out. Work that is submitted past the pool is counted by nobody, so that the
    /// driver is asked before the stream is handed on (T9, T13).
    ///
    /// The handle is the owner's until the lease is dropped, and nobody's after.
    pub fn expose(&self, lease: &mut Lease<A>) -> RawStream {
        lease.slot().lock().handle = Handle::Exposed;
        lease.slot().raw()
    }
    /// What to remember of work that the caller submitted by the raw handle, up to now.
    ///
    /// # Errors
    /// [`StreamError::Stale`] when the tenancy is over; [`StreamError::Capturing`] when the stream captures;
    /// [`StreamError::ShutDown`], [`StreamError::DeviceLost`], [`StreamError::Forked`].
    ///
    /// ```
    /// # use ringfence::{backend::streams::StreamBackend, drive::StreamPool, error::StreamError, id::RawStream, stream::*};
    /// # fn foreign<B: StreamBackend>(
    /// #     pool: &StreamPool<B>, lease: &mut Lease, array: &mut Stamp, gemm: impl Fn(RawStream),
    /// # ) -> Result<(), StreamError> {
    /// gemm(pool.expose(lease)); // a library that takes a `hipStream_t`, and submits by itself
    /// array.add(pool.touch(lease.stream())?, Access::Write); // covers what it submitted until now
    /// # Ok(())
    /// # }
    /// ```
    pub fn touch(&self, stream: StreamRef) -> Result<Touch, StreamError> {
        self.usable()?;
        let slot = self.find(stream)?.ok_or(StreamError::Stale { stream })?;
        let mut tenancy = slot.lock();
        if tenancy.generation != stream.generation() || tenancy.standing != Standing::Open {
            return Err(StreamError::Stale { stream });
        }
        tenancy.handle = Handle::Exposed;
        // Who shares a stream, as the baselines do, does not know of the others' captures.
        if slot.kind() != Kind::Shared && self.captures_now(&slot, &tenancy) {
            return Err(StreamError::Capturing { stream });
        }
        Ok(Touch::new(stream, tenancy.count()))
    }
    /// Whether the tenancy goes on: its stream is open, and was not handed on. Its lease may have been dropped.
    pub fn is_current(&self, stream: StreamRef) -> bool {
        let Ok(Some(slot)) = self.find(stream) else { return false };
        let tenancy = slot.lock();
        tenancy.generation == stream.generation() && tenancy.standing == Standing::Open
    }
    /// Whether work is known to be finished: by what was seen, or by one load of host memory. Asks no driver, and takes no lock in a
    /// forked child: nothing is known there.
    pub fn is_finished(&self, touch: Touch) -> bool {
        // Before any lock: in a forked child one may be held for ever, by a thread that is not there.
        let drivable = self.drivable();
        if drivable == Err(StreamError::Forked) {
            return false;
        }
        let Ok(found) = self.find(touch.stream()) else { return false };
        found.is_none_or(|slot| {
            let mut tenancy = slot.lock();
            match drivable {
                Ok(()) => self.finished(&slot, &mut tenancy, touch),
                Err(_) => tenancy.covers(touch.position()),
            }
        })
    }

    /// The lease's stream, if work may be submitted to it.
    pub(super) fn open<'l>(
        &self,
        lease: &'l Lease<A>,
    ) -> Result<StreamGuard<'l, Tenancy>, StreamError> {
        self.usable()?;
        let stream = lease.stream();
        self.ours(stream)?;
        let tenancy = lease.slot().lock();
        if tenancy.standing != Standing::Open {
            return Err(StreamError::Stale { stream });
        }
        if self.records_now(lease.slot(), &tenancy) {
            return Err(StreamError::Capturing { stream });
        }
        Ok(tenancy)
    }
    /// Counts what was just submitted, and marks it where that is allowed (T13).
    pub(super) fn count(&self, slot: &Slot<A>, tenancy: &mut Tenancy) -> Position {
        let position = tenancy.count();
        if let Some(word) = slot.word()
            && tenancy.word_counts()
            && tenancy.standing == Standing::Open
        {
            let marked = self.driver.mark(slot.raw(), word, position);
            tenancy.note_refusal(marked);
            if marked.is_ok() {
                tenancy.marked = position;
            }
        }
        position
    }
    /// Whether what is submitted now would be recorded: work of a capture has no position, and its buffers are used
    /// at each launch (T13). Of a shared stream only the pool's own captures are known.
    fn records_now(&self, slot: &Slot<A>, tenancy: &Tenancy) -> bool {
        match slot.kind() {
            Kind::Shared => tenancy.captures == Captures::Open,
            _ => self.captures_now(slot, tenancy),
        }
    }
    /// Whether the stream captures, where that may have happened without us.
    pub(super) fn captures_now(&self, slot: &Slot<A>, tenancy: &Tenancy) -> bool {
        match (tenancy.captures, tenancy.handle) {
            (Captures::Open, _) => true,
            (Captures::Never, Handle::Kept) => false,
            _ => self.driver.capture_status(slot.raw()) != CaptureStatus::None,
        }
    }
    /// Whether a touch is over, with the stream's lock held.
    pub(super) fn finished(&self, slot: &Slot<A>, tenancy: &mut Tenancy, touch: Touch) -> bool {
        if tenancy.generation != touch.stream().generation() {
            return true; // handed on only after all its work was proven finished (T6)
        }
        if tenancy.covers(touch.position()) {
            return true;
        }
        // Counted work alone is marked, so that the word speaks of it whatever came after.
        if let Some(word) = slot.word()
            && touch.position() <= tenancy.marked
        {
            tenancy.saw(self.driver.observe(word));
        }
        tenancy.covers(touch.position())
    }
}
