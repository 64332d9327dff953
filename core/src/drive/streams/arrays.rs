//! Work on arrays: ordered after what used them, submitted, and remembered in their stamps.

use super::{Ordered, StreamPool, submit::so_far};
use crate::{
    backend::streams::{StreamBackend, StreamWork},
    error::StreamError,
    id::StreamRef,
    stream::{Access, Lease, Slot, Stamp, Touch},
    sync::Arc,
};

/// An array that a piece of work uses, by its stamp, and what the work does with it.
///
/// ```
/// use ringfence::{backend::streams::*, drive::*, error::StreamError, stream::*};
///
/// fn axpy<B>(pool: &StreamPool<B>, lease: &mut Lease, x: &mut Stamp, y: &mut Stamp) -> Result<Touch, StreamError>
/// where
///     B: StreamBackend + StreamWork<Work = &'static str>,
/// {
///     let mut arrays = [ArrayUse::read(x), ArrayUse::write(y)];
///     let (touch, _how) = pool.submit_after(lease, &mut arrays, "axpy")?;
///     Ok(touch)
/// }
/// ```
#[derive(Debug)]
pub struct ArrayUse<'s> {
    stamp: &'s mut Stamp,
    access: Access,
}
impl<'s> ArrayUse<'s> {
    /// The work reads the array: it follows the last writer.
    pub fn read(stamp: &'s mut Stamp) -> Self {
        Self::new(stamp, Access::Read)
    }
    /// The work writes the array, or reads and writes it: it follows everybody who used it before.
    pub fn write(stamp: &'s mut Stamp) -> Self {
        Self::new(stamp, Access::Write)
    }
    /// As [`read`](Self::read) or [`write`](Self::write), where `access` says which.
    pub fn new(stamp: &'s mut Stamp, access: Access) -> Self {
        Self { stamp, access }
    }
    /// Remembers work that followed the stamp.
    fn remember(&mut self, touch: Touch) {
        match self.access {
            Access::Read => self.stamp.add(touch, Access::Read),
            Access::Write => self.stamp.replace(touch),
        }
    }
}

/// A submission that follows what its arrays remember. When it is over they remember it: also where it was refused or panicked,
/// since a part of it may run.
struct Submitting<'u, 's, A> {
    slot: Arc<Slot<A>>,
    stream: StreamRef,
    uses: &'u mut [ArrayUse<'s>],
    /// `None`: everything that was submitted up to the end.
    exactly: Option<Touch>,
}
impl<A> Drop for Submitting<'_, '_, A> {
    fn drop(&mut self) {
        if self.uses.is_empty() {
            return;
        }
        let touch = self.exactly.unwrap_or_else(|| so_far(&self.slot, self.stream));
        self.uses.iter_mut().for_each(|array| array.remember(touch));
    }
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Submits work that uses arrays: it follows what used them before, and they remember it. Answers with what was submitted, and with
    /// the strongest order that was needed.
    ///
    /// First the stream is made to follow every array's stamp, then the work is submitted, then every stamp remembers it:
    /// also when the submission is refused, or panics, since a part of it may run. Nothing is allocated, but in the
    /// stamp of an array that four streams or more read between two writes.
    ///
    /// # Errors
    /// As [`order_after`](Self::order_after): nothing was submitted then, and the stamps are as they were. As
    /// [`submit`](Self::submit): what may run is remembered.
    ///
    /// ```
    /// # use ringfence::{backend::streams::*, drive::*, error::StreamError, stream::*};
    /// # fn scale<B>(pool: &StreamPool<B>, lease: &mut Lease, array: &mut Stamp) -> Result<(), StreamError>
    /// # where
    /// #     B: StreamBackend + StreamWork<Work = &'static str>,
    /// # {
    /// let (touch, how) = pool.submit_after(lease, &mut [ArrayUse::write(array)], "scale")?;
    /// if how == Ordered::OnHost {
    ///     eprintln!("{lease:?} waited on the host: somebody captures");
    /// }
    /// assert_eq!(array.touches(Access::Read).next(), Some(touch)); // what a reader follows from here on
    /// # Ok(())
    /// # }
    /// ```
    pub fn submit_after(
        &self,
        lease: &mut Lease<A>,
        arrays: &mut [ArrayUse<'_>],
        work: B::Work,
    ) -> Result<(Touch, Ordered), StreamError>
    where
        B: StreamWork,
    {
        let (ordered, mut submitting) = self.order_after_all(lease, arrays)?;
        let submitted = self.submit(lease, work);
        submitting.exactly = submitted.ok();
        drop(submitting);
        submitted.map(|touch| (touch, ordered))
    }
    /// Calls `submit` with the lease once it follows what used the arrays before; then the arrays remember everything that was
    /// submitted to the lease's stream up to now. For several pieces of work, graphs, and work past the pool
    /// ([`expose`](Self::expose)). Answers with what `submit` returned, and with the strongest order that was needed.
    ///
    /// As [`submit_after`](Self::submit_after), also when `submit` fails or panics. What it submits to other streams is not
    /// ordered, and not remembered.
    ///
    /// # Errors
    /// As [`order_after`](Self::order_after): `submit` is not called then, and the stamps are as they were. What `submit` says.
    ///
    /// ```
    /// # use ringfence::{backend::streams::*, drive::*, error::StreamError, stream::*};
    /// # fn step<B>(pool: &StreamPool<B>, lease: &mut Lease, graph: &mut Graph, array: &mut Stamp, sum: Vec<f32>)
    /// #     -> Result<InFlight<Vec<f32>>, StreamError>
    /// # where
    /// #     B: StreamBackend + StreamWork<Work = &'static str>,
    /// # {
    /// let (copied, _how) = pool.run_after(lease, &mut [ArrayUse::write(array)], |lease| {
    ///     pool.submit(lease, "fill")?;
    ///     pool.launch(lease, graph)?; // refused, the stamp still remembers the first one
    ///     pool.submit_owning(lease, sum, |_sum| "copy to the host")
    /// })?;
    /// assert_eq!(array.touches(Access::Read).next(), Some(pool.so_far(lease)));
    /// # Ok(copied)
    /// # }
    /// ```
    pub fn run_after<R>(
        &self,
        lease: &mut Lease<A>,
        arrays: &mut [ArrayUse<'_>],
        submit: impl FnOnce(&mut Lease<A>) -> Result<R, StreamError>,
    ) -> Result<(R, Ordered), StreamError> {
        let (ordered, submitting) = self.order_after_all(lease, arrays)?;
        let submitted = submit(lease);
        drop(submitting);
        submitted.map(|what| (what, ordered))
    }
    /// Makes the stream follow all of them, before any of them is changed.
    fn order_after_all<'u, 's>(
        &self,
        lease: &mut Lease<A>,
        arrays: &'u mut [ArrayUse<'s>],
    ) -> Result<(Ordered, Submitting<'u, 's, A>), StreamError> {
        let mut ordered = Ordered::Already;
        for array in &*arrays {
            ordered = ordered.max(self.order_after(lease, array.stamp, array.access)?);
        }
        // The closure could put another lease in the place of this one.
        let (slot, stream) = (lease.slot().clone(), lease.stream());
        Ok((ordered, Submitting { slot, stream, uses: arrays, exactly: None }))
    }
}
