//! The lanes of a ring: that of its stream's own queue, and those of queues that it left and of copy
//! engines.

use std::ops::{Index, IndexMut};

use super::lane::Lane;
use crate::id::LaneId;

/// Lanes by number: 0 is the stream's own, which is always there and at hand without a look-up.
#[derive(Debug)]
#[repr(C)] // the stream's own next to what else a use touches: see `Ring`
pub(crate) struct Lanes {
    pub(crate) own: Lane,
    others: Vec<Lane>,
}
impl Lanes {
    pub(crate) fn new(own: Lane) -> Self {
        Self { own, others: Vec::new() }
    }
    #[inline]
    pub(crate) fn len(&self) -> usize {
        1 + self.others.len()
    }
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Lane> {
        std::iter::once(&self.own).chain(&self.others)
    }
    pub(crate) fn position(&self, id: LaneId) -> Option<usize> {
        self.iter().position(|lane| lane.id == id)
    }
    /// The lane of a copy engine or a queue that the stream left; made if it is new.
    pub(crate) fn position_or_new(&mut self, id: LaneId) -> usize {
        self.position(id).unwrap_or_else(|| {
            self.others.push(Lane::copies(id));
            self.others.len()
        })
    }
    /// The stream's own lane is the one at `at` from here on, and takes its number.
    pub(crate) fn go_back_to(&mut self, at: usize) {
        if let Some(back) = at.checked_sub(1) {
            std::mem::swap(&mut self.own, &mut self.others[back]);
        }
    }
    /// The stream's own lane is a new one from here on; the one that it had is among the others.
    pub(crate) fn go_on_with(&mut self, new: Lane) {
        let left = std::mem::replace(&mut self.own, new);
        self.others.insert(0, left);
    }
    /// Forgets lanes that have nothing left to prove, but for the stream's own.
    pub(crate) fn forget_idle(&mut self) {
        self.others.retain(|lane| !lane.is_idle());
    }
}
impl Index<usize> for Lanes {
    type Output = Lane;
    #[inline]
    fn index(&self, at: usize) -> &Lane {
        match at.checked_sub(1) {
            None => &self.own,
            Some(other) => &self.others[other],
        }
    }
}
impl IndexMut<usize> for Lanes {
    #[inline]
    fn index_mut(&mut self, at: usize) -> &mut Lane {
        match at.checked_sub(1) {
            None => &mut self.own,
            Some(other) => &mut self.others[other],
        }
    }
}
