//! How a pool answers a task that wants a stream: leases, and the baselines that runtimes use today.

use std::{fmt::Debug, num::NonZeroU32};

use super::slot::Kind;

/// One key's streams, as a policy sees them.
///
/// ```
/// use ringfence::stream::{FreshDeferred, Next, ShelfView, StreamPolicy};
/// let full = ShelfView { leased: 500, draining: 12, live: 512, ..ShelfView::default() };
/// let policy = FreshDeferred::default();
/// assert_eq!(policy.next(full), Next::DiscardThenCreate { limit: policy.limit });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ShelfView {
    /// Proven finished, and nobody's.
    pub idle: u32,
    /// Returned, and not proven finished yet.
    pub draining: u32,
    /// Some task's.
    pub leased: u32,
    /// All of them, with those that are being created.
    pub live: u32,
    /// How many times a stream of this key was asked for.
    pub asked: u64,
}

/// What to do for the task that asks.
///
/// ```
/// use ringfence::stream::{LeasePolicy, Next, RoundRobin, ShelfView, StreamPolicy};
/// let shelf = ShelfView { leased: 32, live: 32, asked: 33, ..ShelfView::default() };
/// assert_eq!(LeasePolicy.next(shelf), Next::Reuse); // a new one, where none is finished
/// assert_eq!(RoundRobin::default().next(shelf), Next::Share { nth: 1 }); // somebody else's too
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Next {
    /// Hand on one that is finished; create one only when none is.
    Reuse,
    /// Create one.
    Create,
    /// Let go of all that came back, then create one. At the limit when nothing came back.
    DiscardThenCreate {
        /// Streams of the key at most.
        limit: NonZeroU32,
    },
    /// Give the task the stream with this number among the shared ones, also while others use it.
    Share {
        /// Its number.
        nth: u32,
    },
}

/// What to do with a stream that came back.
///
/// ```
/// use ringfence::stream::{FreshDrop, LeasePolicy, Returned, StreamPolicy};
/// assert_eq!(LeasePolicy.returned(), Returned::Keep);
/// assert_eq!(FreshDrop.returned(), Returned::Retire);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Returned {
    /// It drains, and is handed on.
    Keep,
    /// It drains, and is destroyed.
    Retire,
}

/// How a pool answers, for one key. Pure: it is asked under the pool's lock.
///
/// ```
/// use ringfence::{id::*, stream::*};
/// /// Spreads tasks over at least four streams before it hands one on.
/// #[derive(Debug)]
/// struct Spread;
/// impl StreamPolicy for Spread {
///     fn next(&self, shelf: ShelfView) -> Next {
///         if shelf.live < 4 { Next::Create } else { Next::Reuse }
///     }
///     fn returned(&self) -> Returned {
///         Returned::Keep
///     }
/// }
/// let mut pool: Pool = Pool::new(PoolId::new(0), PoolOptions::default(), Box::new(Spread));
/// # let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// # let mut visit = pool.visit();
/// # assert!(matches!(pool.claim(key, &mut visit), Claim::Create(_)));
/// ```
pub trait StreamPolicy: Debug + Send {
    /// What to do for a task that asks for a stream.
    fn next(&self, shelf: ShelfView) -> Next;
    /// What to do with a stream that came back: asked once, when the pool is made.
    fn returned(&self) -> Returned;
    /// What new streams are.
    fn kind(&self) -> Kind {
        Kind::Pooled
    }
    /// Whether [`next`](Self::next) is asked at all. A policy that always answers [`Next::Reuse`] says so once,
    /// when the pool is made.
    fn habit(&self) -> Habit {
        Habit::Asked
    }
}

/// How a policy wants to be treated.
///
/// ```
/// use ringfence::stream::{Habit, LeasePolicy, RoundRobin, StreamPolicy};
/// assert_eq!(LeasePolicy.habit(), Habit::AlwaysReuses); // so that an acquire calls no policy
/// assert_eq!(RoundRobin::default().habit(), Habit::Asked); // what a policy is that does not say
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Habit {
    /// It answers [`Next::Reuse`], always.
    AlwaysReuses,
    /// It is asked each time.
    Asked,
}

/// The default: a stream is one task's at a time, and handed on when its work is finished.
///
/// ```
/// use ringfence::{backend::streams::StreamBackend, drive::StreamPool, stream::*};
/// /// What `StreamPool::new` makes.
/// fn pool<B: StreamBackend>(driver: B) -> StreamPool<B> {
///     StreamPool::with_policy(driver, PoolOptions::default(), Box::new(LeasePolicy))
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LeasePolicy;
impl StreamPolicy for LeasePolicy {
    fn next(&self, _shelf: ShelfView) -> Next {
        Next::Reuse
    }
    fn returned(&self) -> Returned {
        Returned::Keep
    }
    fn habit(&self) -> Habit {
        Habit::AlwaysReuses
    }
}

/// A baseline: each task's stream is created for it and destroyed after it.
///
/// ```
/// use ringfence::stream::{FreshDrop, Next, ShelfView, StreamPolicy};
/// let idle = ShelfView { idle: 8, live: 8, ..ShelfView::default() };
/// assert_eq!(FreshDrop.next(idle), Next::Create); // also beside idle ones
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FreshDrop;
impl StreamPolicy for FreshDrop {
    fn next(&self, _shelf: ShelfView) -> Next {
        Next::Create
    }
    fn returned(&self) -> Returned {
        Returned::Retire
    }
}

/// A baseline: each task's stream is created for it and destroyed late, as a garbage collector does.
///
/// ```
/// use ringfence::stream::{FreshDeferred, Next, ShelfView, StreamPolicy};
/// # use std::num::NonZeroU32;
/// let policy = FreshDeferred { limit: NonZeroU32::new(2).expect("not 0") };
/// let live = |live| ShelfView { live, ..ShelfView::default() };
/// assert_eq!(policy.next(live(1)), Next::Create);
/// assert_eq!(policy.next(live(2)), Next::DiscardThenCreate { limit: policy.limit });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FreshDeferred {
    /// Streams of a key at most; then those that came back are destroyed.
    pub limit: NonZeroU32,
}
impl Default for FreshDeferred {
    fn default() -> Self {
        Self { limit: const { NonZeroU32::new(512).expect("not 0") } }
    }
}
impl StreamPolicy for FreshDeferred {
    fn next(&self, shelf: ShelfView) -> Next {
        if shelf.live < self.limit.get() {
            Next::Create
        } else {
            Next::DiscardThenCreate { limit: self.limit }
        }
    }
    fn returned(&self) -> Returned {
        Returned::Keep
    }
}

/// A baseline: a fixed number of streams, given out in turn, so that tasks share them.
///
/// ```
/// use ringfence::{id::*, stream::*};
/// # use std::num::NonZeroU32;
/// # let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// let policy = RoundRobin { streams: NonZeroU32::MIN };
/// let mut pool: Pool = Pool::new(PoolId::new(0), PoolOptions::default(), Box::new(policy));
/// let mut visit = pool.visit();
/// let Claim::Create(reservation) = pool.claim(key, &mut visit) else { panic!("the first one") };
/// let _only = pool.created(reservation, RawStream::new(0x10), None, ());
/// let Claim::Share(one) = pool.claim(key, &mut visit) else { panic!("there is one stream") };
/// let Claim::Share(other) = pool.claim(key, &mut visit) else { panic!("there is one stream") };
/// assert_eq!(one.stream(), other.stream()); // their work has one order, wanted or not
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundRobin {
    /// How many.
    pub streams: NonZeroU32,
}
impl Default for RoundRobin {
    fn default() -> Self {
        Self { streams: const { NonZeroU32::new(32).expect("not 0") } }
    }
}
impl StreamPolicy for RoundRobin {
    fn next(&self, shelf: ShelfView) -> Next {
        if shelf.live < self.streams.get() {
            return Next::Create;
        }
        let nth = shelf.asked % u64::from(self.streams.get());
        Next::Share { nth: u32::try_from(nth).expect("below the number of streams") }
    }
    fn returned(&self) -> Returned {
        Returned::Keep
    }
    fn kind(&self) -> Kind {
        Kind::Shared
    }
}
