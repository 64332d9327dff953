//! What an array remembers of the work that used it.

use std::fmt;

use crate::id::{Position, StreamRef};

/// One piece of work: which tenancy of which stream, and how far along. Shown as `s3#2@17`.
///
/// ```
/// use ringfence::{backend::streams::*, drive::StreamPool, error::StreamError, stream::{Lease, Touch}};
///
/// fn twice<B>(pool: &StreamPool<B>, lease: &mut Lease) -> Result<Touch, StreamError>
/// where
///     B: StreamBackend + StreamWork<Work = &'static str>,
/// {
///     let first = pool.submit(lease, "fill")?;
///     let second = pool.submit(lease, "scale")?;
///     assert_eq!(first.stream(), second.stream()); // one tenancy
///     assert!(first.position() < second.position());
///     if pool.is_finished(second) {
///         assert!(pool.is_finished(first)); // a stream's order
///     }
///     Ok(second)
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Touch {
    stream: StreamRef,
    position: Position,
}
impl Touch {
    /// Made where work is submitted, in one call from one stream (T12).
    pub(crate) const fn new(stream: StreamRef, position: Position) -> Self {
        Self { stream, position }
    }
    /// The tenancy that submitted the work.
    pub const fn stream(self) -> StreamRef {
        self.stream
    }
    /// The later of two touches of one stream.
    pub(crate) fn later_of(self, other: Self) -> Self {
        let order = |touch: &Self| (touch.stream.generation(), touch.position);
        if order(&other) > order(&self) { other } else { self }
    }
    /// The work is finished when the stream got this far.
    pub const fn position(self) -> Position {
        self.position
    }
}
impl fmt::Debug for Touch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.stream, self.position)
    }
}
impl fmt::Display for Touch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// What a piece of work does with memory.
///
/// ```
/// use ringfence::{backend::streams::*, drive::StreamPool, error::StreamError, stream::*};
///
/// /// `to[i] += from[i]`: the kernel only reads `from`, so that others may read it at the same time.
/// fn add<B>(pool: &StreamPool<B>, lease: &mut Lease, from: &mut Stamp, to: &mut Stamp) -> Result<(), StreamError>
/// where
///     B: StreamBackend + StreamWork<Work = &'static str>,
/// {
///     let _how = pool.order_after(lease, from, Access::Read)?; // after its writer
///     let _how = pool.order_after(lease, to, Access::Write)?; // after its writer and its readers
///     let touch = pool.submit(lease, "add")?;
///     from.add(touch, Access::Read);
///     to.add(touch, Access::Write);
///     assert_eq!(to.touches(Access::Write).count(), 1); // whoever follows this follows the rest
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// It reads: it has to follow the last writer.
    Read,
    /// It writes: it has to follow the last writer and every reader since.
    Write,
}

/// Readers that a stamp keeps in place; more of them go to the heap.
const INLINE: usize = 3;

/// What an array remembers: the last writer, and who has read since.
///
/// A stamp holds no stream alive and locks nothing. Of one stream it keeps the newest touch alone, since a
/// stream's order covers the earlier ones.
///
/// ```
/// use ringfence::stream::{Access, Stamp};
/// let stamp = Stamp::default(); // of memory that a pool allocated: `Allocation::stamp`
/// assert_eq!(stamp.touches(Access::Write).count(), 0); // never used: nothing to wait for
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stamp {
    writer: Option<Touch>,
    readers: [Option<Touch>; INLINE],
    more_readers: Vec<Touch>,
}
impl Stamp {
    /// The touches that work of this kind has to follow.
    pub fn touches(&self, access: Access) -> impl Iterator<Item = Touch> + '_ {
        let readers = match access {
            Access::Read => None,
            Access::Write => Some(self.readers.iter().flatten().chain(&self.more_readers)),
        };
        self.writer.into_iter().chain(readers.into_iter().flatten().copied())
    }
    /// Remembers work that was submitted. A writer makes what was read before it its own order.
    ///
    /// Allocates only from the fourth stream on that reads between two writes.
    pub fn add(&mut self, touch: Touch, access: Access) {
        if access == Access::Write {
            *self = Self { writer: Some(touch), ..Self::default() };
            return;
        }
        let of = |touch: &Touch| (touch.stream.pool(), touch.stream.id());
        let same = |held: &&mut Touch| of(held) == of(&touch);
        if let Some(held) =
            self.readers.iter_mut().flatten().chain(&mut self.more_readers).find(same)
        {
            // An earlier tenancy is finished work (T6): the later one takes its place.
            *held = held.later_of(touch);
        } else if let Some(free) = self.readers.iter_mut().find(|place| place.is_none()) {
            *free = Some(touch);
        } else {
            self.more_readers.push(touch);
        }
    }
    /// Takes over what `other` remembers, as work that reads.
    pub(crate) fn merge(&mut self, other: &Self) {
        for touch in other.touches(Access::Write) {
            self.add(touch, Access::Read);
        }
    }
    /// Remembers where the memory was allocated, unless it remembers later work of that stream.
    pub(crate) fn add_allocation(&mut self, allocated: Touch) {
        // An array that was allocated anew may remember what its old memory was used for.
        let covers =
            |touch: Touch| touch.stream == allocated.stream && touch.position >= allocated.position;
        if !self.touches(Access::Write).any(covers) {
            self.add(allocated, Access::Read);
        }
    }
    /// One of the touches, if there is any.
    pub(crate) fn first(&self) -> Option<Touch> {
        self.touches(Access::Write).next()
    }
    /// Forgets one touch: something else is ordered after it by now.
    pub(crate) fn forget(&mut self, touch: Touch) {
        if self.writer == Some(touch) {
            self.writer = None;
        }
        for place in self.readers.iter_mut().filter(|place| **place == Some(touch)) {
            *place = None;
        }
        self.more_readers.retain(|held| *held != touch);
    }
    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.touches(Access::Write).next().is_none()
    }
}
