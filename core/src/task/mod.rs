//! What binds leases to tasks: a task keeps one stream for each key, and finds it again.
//!
//! - [`TaskStreams`]: a task's own table, with a current key.
//! - [`Task`]: the same as a handle that several places may hold: the task itself, the thread that runs it
//!   at this moment, a table of owners.
//! - [`enter`], [`current()`] and [`attach()`]: which task a thread runs. An attached future enters its task at
//!   each poll and leaves it at each suspension, so that nothing of it stays behind on the thread.
//! - [`OwnerTable`]: for owners that never say that they are done (tasks of a garbage-collected language).
//!
//! ```
//! use ringfence::{backend::streams::*, drive::StreamPool, error::StreamError, id::*, task::*};
//!
//! fn body<B>(pool: &StreamPool<B>) -> Result<(), TaskError>
//! where
//!     B: StreamBackend + StreamWork<Work = &'static str>,
//! {
//!     let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
//!     let task: Task = Task::new(key); // creates nothing
//!     let _inside = enter(&task);
//!     // Anywhere further down, on this thread:
//!     with_current(|streams| {
//!         streams.submit(pool, "fill")?; // acquires on first use
//!         streams.with_priority(pool, Priority::High, |streams| streams.submit(pool, "urgent"))??;
//!         streams.submit(pool, "read").map_err(TaskError::from) // the first stream again, after the urgent work
//!     })??;
//!     Ok(())
//! }
//! ```
//!
//! Nothing here starts a thread, calls a clock, or holds a lock while it calls a driver.

#[cfg(not(ringfence_loom))]
mod attach;
#[cfg(not(ringfence_loom))]
mod current;
mod error;
mod handle;
mod owner;
mod streams;

#[cfg(all(test, not(ringfence_loom)))]
mod tests;

#[cfg(not(ringfence_loom))]
pub use attach::attach;
#[cfg(not(ringfence_loom))]
pub use current::{Entered, current, enter, with_current};
pub use error::TaskError;
pub use handle::Task;
pub use owner::{Owner, OwnerProbe, OwnerTable};
pub use streams::TaskStreams;
