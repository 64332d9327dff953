//! Names of the streams half: streams, their tenancies, and what a driver calls things.

use std::fmt;

use super::Generation;

/// A stream's identity in its pool: given once, never again, also after the stream is destroyed (T6).
/// A driver's handle is no identity: HIP gave the address just destroyed back in 98 of 100 creations.
///
/// ```
/// use ringfence::id::StreamId;
/// let third = StreamId::new(3); // by the order of creation; no later stream is `s3` again
/// assert_eq!(third.to_string(), "s3");
/// assert_eq!(third.as_u32(), 3);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(u32);
impl StreamId {
    /// The stream with number `index`, in the order of creation.
    pub const fn new(index: u32) -> Self {
        Self(index)
    }
    /// Its number.
    pub const fn as_u32(self) -> u32 {
        self.0
    }
}
impl fmt::Debug for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{}", self.0)
    }
}
impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Which pool of the process a stream belongs to, so that a stamp of one pool is never judged by
/// another.
///
/// ```
/// use ringfence::id::{Generation, PoolId, StreamId, StreamRef};
/// let of = |pool| StreamRef::new(PoolId::new(pool), StreamId::new(0), Generation::FIRST);
/// assert_ne!(of(0), of(1)); // each pool has a stream 0 of its own
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PoolId(u32);
impl PoolId {
    /// The pool with number `index`.
    pub const fn new(index: u32) -> Self {
        Self(index)
    }
    /// Its number.
    pub const fn as_u32(self) -> u32 {
        self.0
    }
}

/// One tenancy of one stream: whose work it was. Powerless: it names, and holds nothing. Two
/// references are the same stream only when identity and generation agree (T12).
///
/// Shown as `s3#2`: stream 3 in its generation 2.
///
/// ```
/// use ringfence::id::{Generation, PoolId, StreamId, StreamRef};
/// let first = StreamRef::new(PoolId::new(0), StreamId::new(3), Generation::FIRST);
/// let second = StreamRef::new(first.pool(), first.id(), first.generation().next());
/// assert_eq!(first.id(), second.id()); // the same stream,
/// assert_ne!(first, second); // another task's
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamRef {
    pool: PoolId,
    id: StreamId,
    generation: Generation,
}
impl StreamRef {
    /// The tenancy `generation` of stream `id` in `pool`.
    pub const fn new(pool: PoolId, id: StreamId, generation: Generation) -> Self {
        Self { pool, id, generation }
    }
    /// Its pool.
    pub const fn pool(self) -> PoolId {
        self.pool
    }
    /// The stream.
    pub const fn id(self) -> StreamId {
        self.id
    }
    /// The tenancy.
    pub const fn generation(self) -> Generation {
        self.generation
    }
}
impl fmt::Debug for StreamRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.id, self.generation.as_u32())
    }
}
impl fmt::Display for StreamRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A place in a stream's order: how many pieces of work were submitted to it up to and including
/// one. It rises over the whole life of the stream, through all tenancies.
///
/// ```
/// use ringfence::id::Position;
/// let counted = Position::START.next().next(); // two pieces of work were submitted
/// let seen = Position::new(1); // the first one was seen finished
/// assert!(seen < counted, "the stream is not idle");
/// assert_eq!(counted.to_string(), "@2");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position(u64);
impl Position {
    /// Before all work.
    pub const START: Self = Self(0);
    /// The position `number`.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }
    /// Its number.
    pub const fn as_u64(self) -> u64 {
        self.0
    }
    /// The position of the next piece of work.
    ///
    /// # Panics
    /// After 2^64 pieces of work on one stream, which none reaches.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.checked_add(1).expect("64-bit positions"))
    }
}
impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.0)
    }
}
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

macro_rules! driver_names {
    ($($(#[$doc:meta])* $name:ident, $short:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);
        impl $name {
            /// What the driver calls `raw`.
            pub const fn new(raw: u64) -> Self { Self(raw) }
            /// What the driver calls it.
            pub const fn as_u64(self) -> u64 { self.0 }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, concat!($short, "{:#x}"), self.0) }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { fmt::Debug::fmt(self, f) }
        }
    )*};
}
driver_names! {
    /// A driver's handle of a stream (`hipStream_t`). It comes back for another stream after `destroy`.
    ///
    /// ```
    /// use ringfence::id::RawStream;
    /// let handle = RawStream::new(0x7f00_1000); // of a foreign interface: a pointer, as a number
    /// assert_eq!(handle.as_u64(), 0x7f00_1000);
    /// assert_eq!(handle.to_string(), "stream 0x7f001000");
    /// ```
    RawStream, "stream ";
    /// A driver's handle of an event (`hipEvent_t`).
    RawEvent, "event ";
    /// A driver's handle of a graph that can be launched (`hipGraphExec_t`).
    RawGraph, "graph ";
    /// An address of device memory.
    RawMemory, "memory ";
    /// A progress word: where a stream tells the host how far it is.
    RawProgress, "word ";
}

/// A number of bytes.
///
/// ```
/// use ringfence::id::Bytes;
/// let one = Bytes::new(4096);
/// assert_eq!(one.times(3).as_u64(), 12_288);
/// assert_eq!(Bytes::new(u64::MAX).times(2), Bytes::new(u64::MAX)); // and no overflow
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(u64);
impl Bytes {
    /// So many bytes.
    pub const fn new(count: u64) -> Self {
        Self(count)
    }
    /// How many.
    pub const fn as_u64(self) -> u64 {
        self.0
    }
    /// `count` times as many, or the largest number there is.
    #[must_use]
    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }
}
impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} B", self.0)
    }
}
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
