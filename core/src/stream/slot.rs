//! One stream of a pool: what never changes about it, and its hand-over lock.

use super::{
    lease::Lease,
    returns::{Bit, Returns},
    tenancy::{Standing, Tenancy},
};
use crate::{
    error::Closed,
    id::{Generation, PoolId, RawProgress, RawStream, StreamId, StreamKey, StreamRef},
    sync::{Arc, AtomicU64, Guard, Mutex, Ordering, Site, StreamGuard, StreamLock, order},
};

/// What a stream is for.
///
/// ```
/// use ringfence::stream::Kind;
/// /// Whether dropping the lease may give the stream to another task.
/// fn goes_on(kind: Kind) -> bool {
///     match kind {
///         Kind::Pooled => true,
///         Kind::Reserved | Kind::External => false,
///         Kind::Disposal | Kind::Waiting => false, // the pool's own: nobody has a lease
///         Kind::Shared => false, // others have it already
///     }
/// }
/// assert!(!goes_on(Kind::Reserved));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Leased to one task after another.
    Pooled,
    /// Leased to one task, then destroyed.
    Reserved,
    /// Given to several tasks at once, by a baseline policy.
    Shared,
    /// Frees memory whose stream is not to be touched (T7).
    Disposal,
    /// Waits for others' work, and never captures: the host waits for its events, and so does who follows a stream that captures (T5).
    Waiting,
    /// Somebody else's: never destroyed here (T12).
    External,
}

/// One stream. Its state is behind one lock, so that checking a stamp and acting on it are one step (T5).
///
/// ```
/// # use ringfence::{id::*, stream::*};
/// # let mut pool: Pool = Pool::new(PoolId::new(0), PoolOptions::default(), Box::new(LeasePolicy));
/// # let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// let Claim::Create(reservation) = pool.claim_reserved(key) else { panic!("no cap") };
/// let slot = pool.created(reservation, RawStream::new(0x7f00), None, ());
/// assert_eq!((slot.id(), slot.key()), (StreamId::new(0), key)); // the handle is no identity
/// assert_eq!(slot.kind(), Kind::Reserved);
/// ```
#[derive(Debug)]
pub struct Slot<A = ()> {
    pool: PoolId,
    id: StreamId,
    key: StreamKey,
    raw: RawStream,
    word: Option<RawProgress>,
    kind: Kind,
    returns: Arc<Returns>,
    bit: Bit,
    /// Leases of a shared stream.
    sharers: AtomicU64,
    tenancy: StreamLock<Tenancy>,
    attachment: Mutex<A>,
}

/// What a new slot is made of.
pub(crate) struct Made<A> {
    pub(crate) key: StreamKey,
    pub(crate) raw: RawStream,
    pub(crate) word: Option<RawProgress>,
    pub(crate) kind: Kind,
    pub(crate) attachment: A,
}

impl<A> Slot<A> {
    pub(crate) fn new(
        pool: PoolId,
        id: StreamId,
        made: Made<A>,
        returns: Arc<Returns>,
        bit: Bit,
    ) -> Self {
        let Made { key, raw, word, kind, attachment } = made;
        let tenancy = StreamLock::new(Tenancy::new());
        let attachment = Mutex::new(attachment);
        let sharers = AtomicU64::new(0);
        Self { pool, id, key, raw, word, kind, returns, bit, sharers, tenancy, attachment }
    }
    /// Its identity.
    pub fn id(&self) -> StreamId {
        self.id
    }
    /// What it can be exchanged with.
    pub fn key(&self) -> StreamKey {
        self.key
    }
    /// What it is for.
    pub fn kind(&self) -> Kind {
        self.kind
    }
    #[inline]
    pub(crate) fn raw(&self) -> RawStream {
        self.raw
    }
    #[inline]
    pub(crate) fn word(&self) -> Option<RawProgress> {
        self.word
    }
    #[inline]
    pub(crate) fn lock(&self) -> StreamGuard<'_, Tenancy> {
        self.tenancy.lock()
    }
    #[inline]
    pub(crate) fn try_lock(&self) -> Option<StreamGuard<'_, Tenancy>> {
        self.tenancy.try_lock()
    }
    pub(crate) fn attachment(&self) -> Guard<'_, A> {
        self.attachment.lock()
    }
    #[inline]
    pub(crate) fn reference(&self, generation: Generation) -> StreamRef {
        StreamRef::new(self.pool, self.id, generation)
    }
    /// The first lease of a stream that was just created, or a further one of a shared stream.
    pub(crate) fn lease(slot: &Arc<Self>) -> Lease<A> {
        let generation = slot.lock().generation;
        if matches!(slot.kind, Kind::Shared | Kind::External) {
            slot.sharers.fetch_add(1, Ordering::Relaxed);
        }
        Lease::new(slot.clone(), generation)
    }
    pub(crate) fn close(&self, cause: Closed) {
        self.lock().close(cause);
    }
    pub(crate) fn closed(&self) -> Option<Closed> {
        match self.lock().standing {
            Standing::Open => None,
            Standing::Closed(cause) => Some(cause),
        }
    }
    /// A lease was dropped: one bit says so, and whoever looks next does the rest.
    #[inline]
    pub(super) fn put_back(&self) {
        match self.kind {
            Kind::Shared => drop(self.leave()),
            Kind::External => {
                if self.leave() == 1 {
                    self.returns.put(self.bit);
                }
            }
            _ => self.returns.put(self.bit),
        }
    }
    /// One sharer less; how many there were. With release, for whoever sees that there is none left: what the others did is seen
    /// with it, since each step down goes on with the sequence that the one before began.
    fn leave(&self) -> u64 {
        self.sharers.fetch_sub(1, order(Site::SharerLeave, Ordering::Release))
    }
    fn is_nobodys(&self) -> bool {
        self.sharers.load(order(Site::SharersGone, Ordering::Acquire)) == 0
    }
    /// Whether the last lease of a stream that is on no shelf was dropped.
    pub(crate) fn came_back(&self) -> bool {
        self.returns.take().next().is_some() && self.is_nobodys()
    }
    /// Whether a shared stream is nobody's.
    pub(crate) fn is_unshared(&self) -> bool {
        self.kind == Kind::Shared && self.is_nobodys()
    }
}
