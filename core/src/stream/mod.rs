//! Streams leased to tasks, and handed on when their work is done.
//!
//! A [`Lease`] is a task's exclusive right to a stream. When it is dropped the stream is *draining*; once
//! its work is proven finished it is *idle*, and the next task gets it under the next generation. What
//! remembers work (an array) keeps a [`Stamp`]: the work is finished when the stream's generation is
//! past the stamp's.
//!
//! ```text
//! id -> stamp -> lease -> pool -> drive -> memory
//! ```
//!
//! The [`Pool`] is pure: it knows which streams are leased, draining and idle, and answers which to look at,
//! to hand on, to create or to let go. [`drive::StreamPool`](crate::drive::StreamPool) carries that out on a
//! driver.

mod counts;
mod lease;
mod memory;
mod options;
mod policy;
mod pool;
mod returns;
mod shelf;
mod slot;
mod stamp;
mod tenancy;

#[cfg(all(test, not(ringfence_loom)))]
pub(crate) mod test_driver;
#[cfg(test)]
mod tests;

pub use counts::{PoolCounts, Tally as StreamTally};
pub use lease::Lease;
pub use memory::{Allocation, Deferral, MemoryCounts};
pub use options::PoolOptions;
pub use policy::{
    FreshDeferred, FreshDrop, Habit, LeasePolicy, Next, Returned, RoundRobin, ShelfView,
    StreamPolicy,
};
pub use pool::{Claim, Offer, Pool, Reservation, Shortage, Visit};
pub use slot::{Kind, Slot};
pub use stamp::{Access, Stamp, Touch};
pub(crate) use tenancy::Idleness;
pub use tenancy::Why;

pub(crate) use memory::{DeferredFree, MemoryBook, MemoryName, Waits};
pub(crate) use pool::{Condemned, Resets};
#[cfg(all(test, ringfence_loom))]
pub(crate) use returns::{Bit, Returns};
pub(crate) use slot::Made;
pub(crate) use tenancy::{Captures, Cover, Handle, OwnEvent, Standing, Tenancy};
