//! A task's own table: one stream for each key.

mod switch;

use std::fmt;

use crate::{
    backend::streams::{StreamBackend, StreamWork},
    drive::{InFlight, Ordered, StreamPool},
    error::{Closed, StreamError},
    id::{StreamKey, StreamRef},
    stream::{Access, Lease, Stamp, Standing, Touch},
};

/// A task's streams: one lease for each key that it used, and the key that it uses now (T3).
///
/// Work of one task keeps its order across its streams: whoever uses another stream than before has it wait,
/// on the device, for what is unfinished on the earlier one. That happens at the first use, so that
/// choosing a key creates nothing and costs nothing.
///
/// The table is of one pool, the first that it is used with; others are refused with
/// [`StreamError::OtherPool`]. Dropping it drops the leases, and calls no driver (T10).
///
/// ```
/// use ringfence::{backend::streams::*, drive::StreamPool, error::StreamError, id::*, task::TaskStreams};
///
/// fn urgent_part<B>(pool: &StreamPool<B>, streams: &mut TaskStreams) -> Result<(), StreamError>
/// where
///     B: StreamBackend + StreamWork<Work = &'static str>,
/// {
///     let normal = streams.key();
///     streams.submit(pool, "fill")?;
///     let before = streams.peek(normal);
///     streams.switch(pool, normal.with_priority(Priority::High))?; // creates nothing yet
///     streams.submit(pool, "urgent")?; // another stream, after `fill`
///     streams.switch(pool, normal)?;
///     assert_eq!(streams.peek(normal), before); // the same one as before
///     Ok(())
/// }
/// ```
pub struct TaskStreams<A = ()> {
    key: StreamKey,
    /// One a key; few, so that a search by comparison beats a table.
    leases: Vec<Lease<A>>,
    /// Keys that were left since a stream was last used: its next use follows them.
    left: Vec<StreamKey>,
    /// What the next use follows besides: streams that were given back meanwhile.
    after: Stamp,
}

impl<A> TaskStreams<A> {
    /// A task that will use streams of `key`. Creates nothing.
    pub fn new(key: StreamKey) -> Self {
        Self { key, leases: Vec::new(), left: Vec::new(), after: Stamp::default() }
    }
    /// The key that is used now.
    pub const fn key(&self) -> StreamKey {
        self.key
    }
    /// The task's stream of `key`, if it has one. Never creates.
    pub fn peek(&self, key: StreamKey) -> Option<StreamRef> {
        self.place(key).map(|at| self.leases[at].stream())
    }
    /// How many streams the task has.
    pub fn count(&self) -> usize {
        self.leases.len()
    }
    /// What somebody has to follow who wants all work of this task so far to be finished. Its touches are
    /// there as readers: follow it with [`Access::Write`].
    ///
    /// ```
    /// # use ringfence::{backend::streams::*, drive::StreamPool, error::StreamError, stream::*, task::TaskStreams};
    /// # use std::time::Duration;
    /// # fn end<B: StreamBackend>(pool: &StreamPool<B>, child: &TaskStreams, parent: &mut TaskStreams) -> Result<(), StreamError> {
    /// let _how = parent.order_after(pool, &child.so_far(), Access::Write)?; // on the device,
    /// pool.synchronize(&child.so_far(), Access::Write, Duration::from_secs(1)) // or on the host
    /// # }
    /// ```
    pub fn so_far(&self) -> Stamp {
        let mut stamp = self.after.clone();
        for touch in self.leases.iter().filter_map(latest) {
            stamp.add(touch, Access::Read);
        }
        stamp
    }

    /// The task's stream of the current key. It acquires one on first use, and in place of one that was closed
    /// (its device was reset, say).
    ///
    /// After a switch, later work of the stream is made to follow what is unfinished on the earlier ones.
    ///
    /// # Errors
    /// As [`StreamPool::acquire`] and [`StreamPool::order_after`]; the next call tries again. After [`StreamError::Unknowable`], [`forget_order`](Self::forget_order) gets on.
    pub fn lease<B: StreamBackend>(
        &mut self,
        pool: &StreamPool<B, A>,
    ) -> Result<&mut Lease<A>, StreamError> {
        self.is_of(pool)?;
        let at = match self.usable_place() {
            Some(at) => at,
            None => self.put(pool.acquire(self.key)?),
        };
        self.follow(pool, at)
    }
    /// The same, but at the pool's hard cap it waits for a stream. It needs somebody who pumps.
    ///
    /// # Errors
    /// As [`lease`](Self::lease), but for `Full`.
    pub async fn lease_async<B: StreamBackend>(
        &mut self,
        pool: &StreamPool<B, A>,
    ) -> Result<&mut Lease<A>, StreamError> {
        self.is_of(pool)?;
        let at = match self.usable_place() {
            Some(at) => at,
            None => {
                let lease = pool.acquire_async(self.key).await?;
                self.put(lease)
            }
        };
        self.follow(pool, at)
    }
    /// Submits work to the task's stream of the current key, and says what to remember of it.
    ///
    /// # Errors
    /// As [`lease`](Self::lease) and [`StreamPool::submit`].
    pub fn submit<B>(
        &mut self,
        pool: &StreamPool<B, A>,
        work: B::Work,
    ) -> Result<Touch, StreamError>
    where
        B: StreamBackend + StreamWork,
    {
        pool.submit(self.lease(pool)?, work)
    }
    /// Submits work that uses `what` until it is finished ([`StreamPool::submit_owning`]).
    ///
    /// # Errors
    /// As [`lease`](Self::lease) and [`StreamPool::submit_owning`].
    pub fn submit_owning<B, T>(
        &mut self,
        pool: &StreamPool<B, A>,
        what: T,
        work: impl FnOnce(&mut T) -> B::Work,
    ) -> Result<InFlight<T, A>, StreamError>
    where
        B: StreamBackend + StreamWork,
        T: Send + 'static,
    {
        pool.submit_owning(self.lease(pool)?, what, work)
    }
    /// Makes later work of the task follow what `stamp` remembers ([`StreamPool::order_after`]).
    ///
    /// # Errors
    /// As [`lease`](Self::lease) and [`StreamPool::order_after`].
    pub fn order_after<B: StreamBackend>(
        &mut self,
        pool: &StreamPool<B, A>,
        stamp: &Stamp,
        access: Access,
    ) -> Result<Ordered, StreamError> {
        pool.order_after(self.lease(pool)?, stamp, access)
    }

    /// Makes `lease` the task's stream of its key.
    ///
    /// # Errors
    /// The lease itself, when the task has a stream of that key already (T3), or is another pool's.
    ///
    /// ```
    /// # use ringfence::{drive::StreamPool, backend::streams::StreamBackend, error::StreamError, task::TaskStreams};
    /// # fn give<B: StreamBackend>(pool: &StreamPool<B>) -> Result<(), StreamError> {
    /// # let key = ringfence::id::StreamKey::new(ringfence::id::DeviceContext::primary(ringfence::id::DeviceId::new(0)));
    /// let mut streams = TaskStreams::new(key);
    /// assert!(streams.keep(pool.acquire(key)?).is_ok());
    /// let second = streams.keep(pool.acquire(key)?); // one for each key, and no more
    /// assert!(second.is_err()); // the lease itself: dropped here, it goes back
    /// # Ok(())
    /// # }
    /// ```
    pub fn keep(&mut self, lease: Lease<A>) -> Result<(), Lease<A>> {
        let pool = lease.stream().pool();
        let held = self.leases.iter().map(Lease::stream);
        let other = held.chain(self.after.first().map(Touch::stream)).any(|of| of.pool() != pool);
        if other || self.place(lease.key()).is_some() {
            return Err(lease);
        }
        self.put(lease);
        Ok(())
    }
    /// Gives the task's stream of `key` back before the task ends. Its next stream of that key may be another
    /// one, and follows what is unfinished on this one.
    pub fn release(&mut self, key: StreamKey) {
        if let Some(at) = self.place(key) {
            self.give_up(at);
        }
    }
    /// Lets the next work of the task follow nothing: the way out when earlier work is on a stream that was
    /// closed, and whether it is finished cannot be known.
    pub fn forget_order(&mut self) {
        self.left.clear();
        self.after = Stamp::default();
    }

    fn is_of<B: StreamBackend>(&self, pool: &StreamPool<B, A>) -> Result<(), StreamError> {
        // Also of what was given back: the next use follows that.
        let given_back = || self.after.first().map(Touch::stream);
        match self.leases.first().map(Lease::stream).or_else(given_back) {
            Some(stream) if stream.pool() != pool.id() => Err(StreamError::OtherPool { stream }),
            _ => Ok(()),
        }
    }
    fn place(&self, key: StreamKey) -> Option<usize> {
        self.leases.iter().position(|lease| lease.key() == key)
    }
    /// The current key's lease, if its stream still is what it was leased as.
    pub(super) fn usable_place(&mut self) -> Option<usize> {
        let at = self.place(self.key)?;
        if self.leases[at].slot().closed().is_none() {
            return Some(at);
        }
        self.give_up(at);
        None
    }
    fn put(&mut self, lease: Lease<A>) -> usize {
        self.leases.push(lease);
        self.leases.len() - 1
    }
    fn give_up(&mut self, at: usize) {
        let lease = self.leases.swap_remove(at);
        if let Some(touch) = latest(&lease) {
            self.after.add(touch, Access::Read);
        }
    }
    /// Makes the stream at `at` follow the streams that were used before it.
    fn follow<B: StreamBackend>(
        &mut self,
        pool: &StreamPool<B, A>,
        at: usize,
    ) -> Result<&mut Lease<A>, StreamError> {
        while let Some(key) = self.left.pop() {
            if let Some(touch) = self.place(key).and_then(|left| latest(&self.leases[left])) {
                self.after.add(touch, Access::Read);
            }
        }
        let lease = &mut self.leases[at];
        if !self.after.is_empty() {
            let _how: Ordered = pool.order_after(lease, &self.after, Access::Write)?;
            self.after = Stamp::default();
        }
        Ok(lease)
    }
}

/// The newest work of a lease that was not seen finished.
fn latest<A>(lease: &Lease<A>) -> Option<Touch> {
    let mut tenancy = lease.slot().lock();
    if let Standing::Closed(Closed::Reset | Closed::Lost) = tenancy.standing {
        return None; // the work is gone with its device
    }
    // Whoever has the raw handle may have submitted by it, while the stream was open: all of that is before the next position.
    let position = tenancy.so_far();
    (!tenancy.covers(position)).then(|| Touch::new(lease.stream(), position))
}

impl<A> fmt::Debug for TaskStreams<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskStreams")
            .field("key", &self.key)
            .field("leases", &self.leases)
            .finish_non_exhaustive()
    }
}
