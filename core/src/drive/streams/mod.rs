//! Streams leased on a driver: carries out what the [`Pool`] decides.
//!
//! The pool's lock is never held across a driver call; what acts on one stream is called with that
//! stream's lock held, so that the check and the act are one step (T5).

mod acquire;
mod arrays;
mod capture;
mod closing;
mod ending;
mod events;
mod external;
mod follow;
mod full;
mod graph;
mod guard;
mod in_flight;
mod kept;
mod leaving;
mod limbo;
mod look;
mod memory;
mod order;
mod participant;
mod pump;
mod quiet;
mod retire;
mod submit;
mod waiting;

pub use acquire::Attempt;
pub use arrays::ArrayUse;
pub use capture::{CaptureScope, Captured};
pub use closing::ShutDown;
pub use external::Wrapped;
pub use full::Acquire;
pub use graph::Graph;
pub use in_flight::InFlight;
pub use limbo::Finished;
pub use memory::Freed;
pub use order::Ordered;
pub use participant::Participant;
pub use pump::Pumped;

use std::fmt;

use crate::{
    backend::streams::{DriverState, StreamBackend, StreamFeatures},
    error::{DriverError, StreamError},
    id::{DeviceContext, PoolId, RawStream, StreamKey, StreamRef},
    stream::{
        Lease, LeasePolicy, MemoryCounts, Pool, PoolCounts, PoolOptions, Slot, StreamPolicy,
        StreamTally,
    },
    sync::{Arc, AtomicU8, AtomicU64, Guard, Mutex, Ordering, next_pool},
};

/// Makes what is attached to a new stream; called with no lock held.
type Attach<A> = Box<dyn Fn(RawStream) -> A + Send + Sync>;

/// Streams of one driver, leased to tasks.
///
/// ```
/// use ringfence::{backend::streams::*, drive::*, error::StreamError, id::*, stream::*};
///
/// fn two_tasks<B>(driver: B) -> Result<(), StreamError>
/// where
///     B: StreamBackend + StreamWork<Work = &'static str>,
/// {
///     let pool = StreamPool::new(driver, PoolOptions::default());
///     let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
///     let mut array = Stamp::default();
///
///     let mut first = pool.acquire(key)?;
///     let _nothing_before = pool.submit_after(&mut first, &mut [ArrayUse::write(&mut array)], "fill")?;
///     drop(first); // no driver call; the stream drains
///
///     let mut second = pool.acquire(key)?; // another stream, unless the work is finished
///     // It waits on the device, or for nothing.
///     let (_read, _how) = pool.submit_after(&mut second, &mut [ArrayUse::read(&mut array)], "read")?;
///     drop(second);
///     pool.pump(); // destroys, frees and wakes; usually from a thread of its own
///     Ok(())
/// }
/// ```
///
/// # Threads
/// Every method takes `&self`, and a pool is `Sync` where its driver is. A lease is its owner's alone:
/// what submits takes `&mut Lease`.
///
/// # Forks
/// A forked child has one thread, and the locks as the others left them: what one of them held is held for ever. What needs the driver
/// answers [`StreamError::Forked`] there before it takes a lock (`acquire`, `submit`, `order_after`, `synchronize` and their like);
/// [`retire`](Self::retire) leaks, and [`is_finished`](Self::is_finished) says no. Dropping a lease sets its bit. Everything else
/// may wait for ever: counts and tallies, `so_far`, `expose`, `pump`, `shutdown`, and dropping a graph.
///
/// # Ending
/// Dropping a pool calls no driver (T10): what still exists is leaked, and futures that wait end with
/// [`StreamError::ShutDown`]. [`shutdown`](Self::shutdown) destroys
/// what is idle first, and counts the rest.
pub struct StreamPool<B, A = ()> {
    driver: B,
    features: StreamFeatures,
    options: PoolOptions,
    attach: Attach<A>,
    on_crowd: Option<Box<dyn Fn(Crowd) + Send + Sync>>,
    shared: Arc<Shared<A>>,
}
/// What a pool warns of: past a few thousand live streams a GPU hangs.
///
/// ```
/// use ringfence::{backend::streams::StreamBackend, drive::*, stream::PoolOptions};
///
/// fn watched<B: StreamBackend>(driver: B) -> StreamPool<B> {
///     let options = PoolOptions { warn_past: 200, ..PoolOptions::default() };
///     StreamPool::new(driver, options)
///         .on_crowd(|Crowd { live, .. }| eprintln!("{live} streams: who keeps leases?"))
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Crowd {
    /// Streams alive or being created.
    pub live: u32,
}

/// What leases, graphs and buffers in flight may outlive the pool with.
pub(super) struct Shared<A> {
    id: PoolId,
    life: AtomicU8,
    /// 1 while somebody pumps: a second one would only take the first one's work from it.
    pumping: AtomicU8,
    pool: Mutex<Pool<A>>,
    events: Mutex<events::EventShelf>,
    memory: Mutex<crate::stream::MemoryBook>,
    /// Memory with an owner. By itself, so that an allocation takes no lock for it.
    memory_live: AtomicU64,
    graveyard: Mutex<Vec<graph::Dead>>,
    limbo: Mutex<limbo::Limbo>,
    wanting: Mutex<full::Wanting>,
}

impl<A> Shared<A> {
    #[inline]
    fn life(&self) -> Life {
        // Relaxed: nothing is published by it. Who shut the pool down and then told another thread so is seen there all the same.
        match self.life.load(Ordering::Relaxed) {
            0 => Life::Open,
            1 => Life::Closing,
            2 => Life::Shut,
            _ => Life::Lost,
        }
    }
    fn live(&self, life: Life) {
        self.life.store(life as u8, Ordering::Relaxed);
    }
    /// The pure pool. A stream's lock is never held meanwhile: the pool takes those of streams that it closes.
    #[inline]
    fn pool(&self) -> Guard<'_, Pool<A>> {
        // Not in loom's models: their threads share one of the system, and what it counts.
        #[cfg(all(feature = "audit", not(ringfence_loom)))]
        assert_eq!(crate::sync::audit::stream_locks_held(), 0, "the pool's lock inside a stream's");
        self.pool.lock()
    }
}

/// How far a pool has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Life {
    Open,
    /// Being shut down: the one who does it may still call the driver.
    Closing,
    /// No driver call any more.
    Shut,
    /// The device is lost.
    Lost,
}

impl<B: StreamBackend> StreamPool<B> {
    /// A pool with the lease policy. Creates nothing before it is asked.
    pub fn new(driver: B, options: PoolOptions) -> Self {
        Self::with_policy(driver, options, Box::new(LeasePolicy))
    }
    /// A pool with another policy: a baseline to compare with.
    pub fn with_policy(driver: B, options: PoolOptions, policy: Box<dyn StreamPolicy>) -> Self {
        Self::with_attachments(driver, options, policy, |_| ())
    }
}
impl<B: StreamBackend, A> StreamPool<B, A> {
    /// A pool whose streams each carry an `A`, made by `attach` when the stream is created. It follows the
    /// stream from owner to owner, and is dropped when the stream is gone.
    pub fn with_attachments(
        driver: B,
        options: PoolOptions,
        policy: Box<dyn StreamPolicy>,
        attach: impl Fn(RawStream) -> A + Send + Sync + 'static,
    ) -> Self {
        let id = PoolId::new(next_pool());
        let shared = Shared {
            id,
            life: AtomicU8::new(Life::Open as u8),
            pumping: AtomicU8::new(0),
            pool: Mutex::new(Pool::new(id, options, policy)),
            events: Mutex::default(),
            memory: Mutex::default(),
            memory_live: AtomicU64::new(0),
            graveyard: Mutex::default(),
            limbo: Mutex::default(),
            wanting: Mutex::default(),
        };
        let features = driver.features();
        let (attach, shared) = (Box::new(attach), Arc::new(shared));
        Self { driver, features, options, attach, on_crowd: None, shared }
    }
    /// The pool calls `warn` once, when more than [`PoolOptions::warn_past`] streams are alive; on the thread
    /// that created the stream, with no lock held. Without this it counts, and says nothing.
    #[must_use]
    pub fn on_crowd(mut self, warn: impl Fn(Crowd) + Send + Sync + 'static) -> Self {
        self.on_crowd = Some(Box::new(warn));
        self
    }
    /// Which pool of the process this is.
    pub fn id(&self) -> PoolId {
        self.shared.id
    }
    /// The driver.
    pub fn driver(&self) -> &B {
        &self.driver
    }
    /// What the pool counted since it was made.
    pub fn counts(&self) -> PoolCounts {
        self.shared.pool().counts()
    }
    /// What was freed, and how; and what has an owner now.
    pub fn memory_counts(&self) -> MemoryCounts {
        let live = self.shared.memory_live.load(Ordering::Relaxed);
        MemoryCounts { live, ..self.shared.memory.lock().counts() }
    }
    /// The streams of all keys at this moment.
    pub fn tally(&self) -> StreamTally {
        self.shared.pool().total(self.features.host_bytes)
    }
    /// The streams of one key at this moment, with the host memory that they take.
    pub fn tally_of(&self, key: StreamKey) -> StreamTally {
        self.shared.pool().tally(key, self.features.host_bytes)
    }
    /// Pinned host memory that the streams of `key` take, by the driver's own figure for one: what a garbage
    /// collector should know of.
    pub fn host_bytes_estimate(&self, key: StreamKey) -> crate::id::Bytes {
        self.tally_of(key).host_bytes
    }

    /// Whether the driver may be called (T10).
    #[inline]
    fn usable(&self) -> Result<(), StreamError> {
        match self.shared.life() {
            Life::Open => self.ready(),
            Life::Lost => Err(StreamError::DeviceLost),
            Life::Closing | Life::Shut => match self.driver.state() {
                DriverState::Forked => Err(StreamError::Forked),
                _ => Err(StreamError::ShutDown),
            },
        }
    }
    /// Whether the pool's own work may call the driver, also while it is shut down.
    fn drivable(&self) -> Result<(), StreamError> {
        match (self.shared.life(), self.ready()) {
            (Life::Shut, Ok(()) | Err(StreamError::DeviceLost)) => Err(StreamError::ShutDown),
            (_, ready) => ready,
        }
    }
    #[inline]
    fn ready(&self) -> Result<(), StreamError> {
        match self.driver.state() {
            DriverState::Ready => Ok(()),
            DriverState::Lost => Err(StreamError::DeviceLost),
            DriverState::Forked => Err(StreamError::Forked),
            DriverState::ShuttingDown => Err(StreamError::ShutDown),
        }
    }
    fn ours(&self, stream: StreamRef) -> Result<(), StreamError> {
        if stream.pool() == self.shared.id {
            Ok(())
        } else {
            Err(StreamError::OtherPool { stream })
        }
    }
    /// The stream that a reference names. `None`: it was let go of after its work was proven finished.
    fn find(&self, stream: StreamRef) -> Result<Option<Arc<Slot<A>>>, StreamError> {
        self.ours(stream)?;
        let (gone, found) = {
            let mut pool = self.shared.pool();
            // A wrapping that was dropped: its stream may be gone, and is not asked about.
            (pool.close_dropped(), pool.by_id(stream.id()).cloned())
        };
        drop(gone); // what the user attached goes with it: no lock is held
        Ok(found)
    }
    fn disposal(&self, place: DeviceContext) -> Option<Arc<Slot<A>>> {
        self.shared.pool().disposal(place).cloned()
    }
    /// The driver refused work. Whether the stream itself is in error, only a question can tell (T9).
    fn launch_refused(&self, lease: &Lease<A>, cause: DriverError) -> StreamError {
        lease.slot().lock().note_refusal::<()>(Err(cause));
        self.refused(lease, cause)
    }
    fn refused(&self, lease: &Lease<A>, cause: DriverError) -> StreamError {
        refused(lease.stream(), cause)
    }
}

/// A driver's error about a stream, as the caller sees it.
fn refused(stream: StreamRef, cause: DriverError) -> StreamError {
    match cause {
        DriverError::DeviceLost(_) => StreamError::DeviceLost,
        cause => StreamError::Driver { stream, cause },
    }
}

impl<B: fmt::Debug, A> fmt::Debug for StreamPool<B, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamPool")
            .field("id", &self.shared.id)
            .field("driver", &self.driver)
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, not(ringfence_loom)))]
mod tests;
