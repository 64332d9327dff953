//! Where decisions meet a device: carries out what the [`ring`](crate::ring) decides, through the
//! traits of [`backend`](crate::backend).
//!
//! A [`Tracker`] belongs to one stream and is used by one thread at a time; what threads share is
//! behind it (the watermark of the [`HardwareQueue`]) or in front of it (events). Static dispatch; in a
//! steady loop nothing is allocated, and a lock is taken only for a use that somebody asked a record of.
//!
//! An operation that can wait or that touches what others touch is a small resumable value
//! ([`Reclaim`], [`Room`]): it stops before each shared access and before each wait, so that a search
//! can take the steps one by one; the plain call takes the same ones in a row.

mod bulk;
mod close;
mod copy;
mod digest;
mod handlers;
mod marker;
mod named;
mod policy;
mod polled;
mod queue;
mod reclaim;
mod room;
mod settle;
mod streams;
mod submission;
mod submit;
mod switch;
mod synchronize;
mod tally;
mod tracker;
mod waiting;

pub use copy::CopySubmission;
pub use handlers::{Handled, HandlerTable, Watched};
pub use marker::{Awaited, WaitBy};
pub use named::ForcedUse;
pub use policy::{Audit, Policy, TrackerKind};
pub use queue::HardwareQueue;
pub use reclaim::{Reclaim, Reclaimed};
pub use room::Room;
pub use streams::{
    Acquire, ArrayUse, Attempt, CaptureScope, Captured, Crowd, Finished, Freed, Graph, InFlight,
    Ordered, Participant, Pumped, ShutDown, StreamPool, Wrapped,
};
pub use submission::Submission;
pub use synchronize::Synced;
pub use tracker::Tracker;

pub(crate) use settle::harvest as harvest_timing;
pub(crate) use waiting::wait_until_done;

#[cfg(all(test, not(ringfence_loom)))]
mod tests;
