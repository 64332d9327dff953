//! A task's exclusive right to a stream.

use std::fmt;

use super::slot::Slot;
use crate::{
    id::{Generation, StreamId, StreamKey, StreamRef},
    observe,
    sync::{Arc, Guard},
};

/// A task's exclusive right to a stream, until it is dropped.
///
/// It is 16 bytes and `Send`. Dropping it calls no driver and waits for nothing (T10): the stream is
/// *draining* from then on, and goes to the next task when its work is proven finished. A lease that is
/// forgotten keeps its stream for ever, which is sound (T11).
///
/// Work is submitted through the pool: [`StreamPool::submit`](crate::drive::StreamPool::submit).
///
/// ```
/// use ringfence::{backend::streams::StreamBackend, drive::StreamPool, error::StreamError, id::*};
///
/// fn two_tasks<B: StreamBackend>(pool: &StreamPool<B>, key: StreamKey) -> Result<StreamRef, StreamError> {
///     let first = pool.acquire(key)?;
///     let second = pool.acquire(key)?;
///     assert_ne!(first.id(), second.id()); // never one stream for two
///     assert_eq!(first.key(), key);
///     let name = first.stream(); // may be kept: it holds nothing
///     drop(first); // no driver call, no wait
///     Ok(name)
/// }
/// # fn is_send<T: Send>() {}
/// # is_send::<ringfence::stream::Lease>();
/// ```
pub struct Lease<A = ()> {
    slot: Arc<Slot<A>>,
    generation: Generation,
}
impl<A> Lease<A> {
    pub(crate) fn new(slot: Arc<Slot<A>>, generation: Generation) -> Self {
        Self { slot, generation }
    }
    /// Which tenancy of which stream this is: what others may remember. Powerless.
    #[inline]
    pub fn stream(&self) -> StreamRef {
        self.slot.reference(self.generation)
    }
    /// The stream's identity.
    pub fn id(&self) -> StreamId {
        self.slot.id()
    }
    /// Of which kind the stream is.
    pub fn key(&self) -> StreamKey {
        self.slot.key()
    }
    /// What the runtime attached to the stream (an arena, say): it follows the stream to its next owner.
    pub fn attachment(&mut self) -> Attachment<'_, A> {
        Attachment(self.slot.attachment())
    }
    #[inline]
    pub(crate) fn slot(&self) -> &Arc<Slot<A>> {
        &self.slot
    }
}
impl<A> fmt::Debug for Lease<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lease of {}", self.stream())
    }
}
impl<A> Drop for Lease<A> {
    #[inline]
    fn drop(&mut self) {
        observe::returned(self.stream());
        self.slot.put_back();
    }
}

/// Access to what is attached to a leased stream.
///
/// ```
/// use ringfence::{backend::streams::StreamBackend, drive::StreamPool, error::StreamError, id::*, stream::*};
///
/// fn arenas<B: StreamBackend>(driver: B, key: StreamKey) -> Result<(), StreamError> {
///     let (options, policy) = (PoolOptions::default(), Box::new(LeasePolicy));
///     let pool = StreamPool::with_attachments(driver, options, policy, |_| Vec::<u8>::new());
///     let mut task = pool.acquire(key)?;
///     task.attachment().resize(4096, 0); // the stream's next task finds it so
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct Attachment<'a, A>(Guard<'a, A>);
impl<A> std::ops::Deref for Attachment<'_, A> {
    type Target = A;
    fn deref(&self) -> &A {
        &self.0
    }
}
impl<A> std::ops::DerefMut for Attachment<'_, A> {
    fn deref_mut(&mut self) -> &mut A {
        &mut self.0
    }
}
