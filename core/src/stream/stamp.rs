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
    /// Whether both are of one stream, of whichever tenancies: its order covers the earlier one.
    fn is_of_stream(self, other: Self) -> bool {
        let of = |touch: Self| (touch.stream.pool(), touch.stream.id());
        of(self) == of(other)
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
/// use ringfence::{backend::streams::*, drive::*, error::StreamError, stream::*};
///
/// /// `to[i] += from[i]`: the kernel only reads `from`, so that others may read it at the same time.
/// fn add<B>(pool: &StreamPool<B>, lease: &mut Lease, from: &mut Stamp, to: &mut Stamp) -> Result<(), StreamError>
/// where
///     B: StreamBackend + StreamWork<Work = &'static str>,
/// {
///     // After the writer of `from`, and after the writer and the readers of `to`.
///     let mut arrays = [ArrayUse::read(from), ArrayUse::write(to)];
///     let (touch, _how) = pool.submit_after(lease, &mut arrays, "add")?;
///     assert_eq!(to.touches(Access::Write).collect::<Vec<_>>(), [touch]); // whoever follows this follows the rest
///     assert!(from.touches(Access::Write).any(|one| one == touch)); // and its next writer this reader
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
/// Hardly anybody writes to one by hand: [`submit_after`](crate::drive::StreamPool::submit_after) and
/// [`run_after`](crate::drive::StreamPool::run_after) order, submit and remember in one call. Who does it by hand has
/// [`add`](Self::add), which is right whatever went before, and [`replace`](Self::replace), which is not.
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
    /// Remembers work that was submitted, whatever it followed. Nothing is forgotten that is not known to be over when this
    /// work is: what other streams did before a writer stays, as if it had read, and what the writer's own stream did
    /// is covered by its order.
    ///
    /// Allocates only from the fourth other stream on. A stamp that nobody [replaces](Self::replace) grows to one touch for each
    /// stream that used the array.
    ///
    /// ```
    /// # use ringfence::{backend::streams::*, drive::*, error::StreamError, stream::*};
    /// # fn halves<B>(pool: &StreamPool<B>, one: &mut Lease, other: &mut Lease, memory: Allocation) -> Result<Freed, StreamError>
    /// # where
    /// #     B: StreamBackend + StreamWork<Work = &'static str>,
    /// # {
    /// let mut uses = memory.stamp();
    /// uses.add(pool.submit(one, "left half")?, Access::Write);
    /// uses.add(pool.submit(other, "right half")?, Access::Write); // at the same time: it follows nobody
    /// assert_eq!(uses.touches(Access::Write).count(), 2);
    /// Ok(pool.retire(memory, uses)) // after both
    /// # }
    /// ```
    pub fn add(&mut self, touch: Touch, access: Access) {
        match access {
            Access::Read => self.add_reader(touch),
            Access::Write => self.add_writer(touch),
        }
    }
    /// Remembers a writer that followed everything that the stamp remembers, and forgets the rest: whoever follows this
    /// writer follows all of it.
    ///
    /// Only after [`order_after`](crate::drive::StreamPool::order_after) with this stamp and [`Access::Write`], on the lease
    /// that the work was then submitted to. Of work that did not, the stamp loses who still uses the array: the
    /// next user does not follow them, and [`retire`](crate::drive::StreamPool::retire) frees the memory under them. When in doubt,
    /// [`add`](Self::add).
    ///
    /// ```
    /// # use ringfence::{backend::streams::*, drive::StreamPool, error::StreamError, stream::*};
    /// # fn by_hand<B>(pool: &StreamPool<B>, lease: &mut Lease, array: &mut Stamp) -> Result<(), StreamError>
    /// # where
    /// #     B: StreamBackend + StreamWork<Work = &'static str>,
    /// # {
    /// let _how = pool.order_after(lease, array, Access::Write)?; // all of it
    /// array.replace(pool.submit(lease, "scale")?); // on the same lease
    /// # Ok(())
    /// # }
    /// ```
    pub fn replace(&mut self, touch: Touch) {
        self.readers = [None; INLINE];
        self.more_readers.clear();
        self.writer = Some(touch);
    }
    fn add_writer(&mut self, touch: Touch) {
        let covered = |held: &Touch| held.is_of_stream(touch) && held.later_of(touch) == touch;
        for place in
            self.readers.iter_mut().filter(|place| place.is_some_and(|held| covered(&held)))
        {
            *place = None;
        }
        self.more_readers.retain(|held| !covered(held));
        let before = self.writer.replace(touch);
        match before {
            Some(before) if before.is_of_stream(touch) => {
                self.writer = Some(before.later_of(touch));
            }
            Some(before) => self.add_reader(before),
            None => {}
        }
    }
    fn add_reader(&mut self, touch: Touch) {
        let same = |held: &&mut Touch| held.is_of_stream(touch);
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
