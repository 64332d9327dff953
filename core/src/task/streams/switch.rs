//! Which key a task uses.

use super::TaskStreams;
use crate::{
    backend::streams::StreamBackend,
    drive::StreamPool,
    error::StreamError,
    id::{Priority, StreamKey},
    stream::{Access, Stamp},
};

impl<A> TaskStreams<A> {
    /// Uses streams of `key` from now on, and returns the key that was used before. Creates nothing; switching
    /// back gives the same stream.
    ///
    /// # Errors
    /// [`StreamError::Capturing`] while the present stream captures: the rest of the capture would go to
    /// another stream. Nothing is changed then.
    pub fn switch<B: StreamBackend>(
        &mut self,
        pool: &StreamPool<B, A>,
        key: StreamKey,
    ) -> Result<StreamKey, StreamError> {
        let before = self.key;
        if key == before {
            return Ok(before);
        }
        if let Some(at) = self.place(before) {
            // An order after nothing looks whether the stream captures, also past the pool. Its other errors
            // concern whoever uses the stream next.
            let looked = pool.order_after(&mut self.leases[at], &Stamp::default(), Access::Read);
            if let Err(error @ StreamError::Capturing { .. }) = looked {
                return Err(error);
            }
        }
        self.choose(key);
        Ok(before)
    }
    /// Uses streams of `key` inside `body`, and of the present key again after it, also when it unwinds.
    ///
    /// # Errors
    /// As [`switch`](Self::switch); `body` is not called then.
    pub fn with_key<B: StreamBackend, R>(
        &mut self,
        pool: &StreamPool<B, A>,
        key: StreamKey,
        body: impl FnOnce(&mut Self) -> R,
    ) -> Result<R, StreamError> {
        /// Calls no driver: what has to follow what is settled at the next use (T10).
        struct Restore<'a, A>(&'a mut TaskStreams<A>, StreamKey);
        impl<A> Drop for Restore<'_, A> {
            fn drop(&mut self) {
                self.0.choose(self.1);
            }
        }
        let before = self.switch(pool, key)?;
        let restore = Restore(self, before);
        Ok(body(&mut *restore.0))
    }
    /// [`with_key`](Self::with_key) for the present key with another priority.
    ///
    /// # Errors
    /// As [`switch`](Self::switch).
    pub fn with_priority<B: StreamBackend, R>(
        &mut self,
        pool: &StreamPool<B, A>,
        priority: Priority,
        body: impl FnOnce(&mut Self) -> R,
    ) -> Result<R, StreamError> {
        self.with_key(pool, self.key.with_priority(priority), body)
    }

    /// Changes the key. Neither locks nor calls anything: a destructor comes here too.
    fn choose(&mut self, key: StreamKey) {
        if key == self.key {
            return;
        }
        if planted!(SwitchForgets) {
            self.release(self.key);
        }
        // The lease stays in the table: back here, the task gets the same stream (T3).
        if !self.left.contains(&self.key) {
            self.left.push(self.key);
        }
        self.key = key;
    }
}
