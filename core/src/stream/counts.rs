//! What a pool counted.

use crate::{error::Closed, id::Bytes};

/// What a pool counted since it was made. Streams, leases and frees; nothing here is reset.
///
/// ```
/// # use ringfence::{id::*, stream::*};
/// # let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// # let mut pool: Pool = Pool::new(PoolId::new(0), PoolOptions::default(), Box::new(LeasePolicy));
/// # let mut visit = pool.visit();
/// # let Claim::Create(reservation) = pool.claim(key, &mut visit) else { panic!("nothing came back") };
/// # let _slot = pool.created(reservation, RawStream::new(0x10), None, ());
/// let counts = pool.counts();
/// let new = counts.leases - counts.reused - counts.shared;
/// assert_eq!(new, counts.created); // each lease is one of the three
/// assert!(counts.peak_live >= counts.peak_leased_and_draining);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct PoolCounts {
    /// Leases given out.
    pub leases: u64,
    /// Of those, on a stream that somebody had before.
    pub reused: u64,
    /// Of those, on a stream that somebody still has (a baseline).
    pub shared: u64,
    /// Streams created for leases.
    pub created: u64,
    /// Creations that failed.
    pub creations_failed: u64,
    /// Streams let go of because they were idle and not wanted.
    pub trimmed: u64,
    /// Streams closed because they were in error, destroyed by their user, or lost.
    pub condemned_bad: u64,
    /// Streams closed because of a capture.
    pub condemned_captures: u64,
    /// Streams destroyed.
    pub destroyed: u64,
    /// Streams that can be neither used nor destroyed any more.
    pub leaked: u64,
    /// Looks that asked the driver; all others were answered by what was seen before, or by one load of a
    /// progress word.
    pub looks_by_query: u64,
    /// Times that a stream was left alone because somebody captures.
    pub conflicts_avoided: u64,
    /// Streams alive at most at one time.
    pub peak_live: u32,
    /// Streams leased or draining at most at one time.
    pub peak_leased_and_draining: u32,
    /// Times that the pool warned of too many live streams: 0 or 1.
    pub warnings: u32,
}
impl PoolCounts {
    pub(super) fn closed(&mut self, cause: Closed) {
        match cause {
            Closed::Trimmed | Closed::Reserved | Closed::Reset | Closed::Disowned => {
                self.trimmed += 1
            }
            Closed::Bad | Closed::Lost => self.condemned_bad += 1,
            Closed::Capture => self.condemned_captures += 1,
        }
    }
}

/// The streams of one key, or of a whole pool, at this moment.
///
/// ```
/// use ringfence::{backend::streams::StreamBackend, drive::StreamPool, id::Bytes, stream::StreamTally};
/// /// What a garbage collector should take an empty pool's streams for.
/// fn idle_bytes<B: StreamBackend>(pool: &StreamPool<B>) -> Bytes {
///     let StreamTally { idle, .. } = pool.tally();
///     pool.driver().features().host_bytes.times(u64::from(idle))
/// }
/// assert_eq!(StreamTally::default().live(), 0); // of a pool that has made none
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Tally {
    /// Some task's.
    pub leased: u32,
    /// Returned, and not proven finished yet.
    pub draining: u32,
    /// Proven finished, and nobody's.
    pub idle: u32,
    /// Closed, and not destroyed yet.
    pub condemned: u32,
    /// Being created.
    pub creating: u32,
    /// Pinned host memory that the live ones take, by the driver's own figure; for runtimes whose garbage
    /// collector should know.
    pub host_bytes: Bytes,
}
impl Tally {
    /// All that are alive, with those that are being created.
    pub const fn live(self) -> u32 {
        self.leased + self.draining + self.idle + self.condemned + self.creating
    }
}
