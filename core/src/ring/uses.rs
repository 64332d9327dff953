//! The uses in flight of one lane, oldest first.

use std::ops::Deref;

use super::lane::InFlight;

/// A vector whose front moves on, and no ring: to add a use, which is on the path of every
/// submission, takes no look at where a ring ends, and what is in flight is one slice.
#[derive(Debug)]
pub(crate) struct Uses {
    all: Vec<InFlight>,
    /// So many of `all`, from its front, are over.
    over: usize,
}
impl Uses {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { all: Vec::with_capacity(capacity), over: 0 }
    }
    #[inline(always)]
    pub(crate) fn push(&mut self, used: InFlight) {
        if self.all.len() == self.all.capacity() {
            self.make_place();
        }
        self.all.push(used);
    }
    /// What is over makes place if it is a good part, so that each use is moved a few times at most;
    /// otherwise it grows.
    #[cold]
    #[inline(never)]
    fn make_place(&mut self) {
        if self.over > self.all.len() / 4 {
            self.all.drain(..self.over);
            self.over = 0;
        } else {
            self.all.reserve(1);
        }
    }
    /// Takes the oldest `count` off.
    #[inline]
    pub(crate) fn take_off(&mut self, count: usize) {
        self.over += count;
        if self.over >= self.all.len() {
            self.all.clear();
            self.over = 0;
        }
    }
    /// For how many uses, those that are over included, there is room.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.all.capacity()
    }
    /// Takes the one at `at` out.
    pub(crate) fn remove(&mut self, at: usize) -> Option<InFlight> {
        let gone = *self.get(at)?;
        if at == 0 {
            self.take_off(1);
        } else {
            self.all.remove(self.over + at);
        }
        Some(gone)
    }
}
impl Deref for Uses {
    type Target = [InFlight];
    #[inline]
    fn deref(&self) -> &[InFlight] {
        &self.all[self.over..]
    }
}
