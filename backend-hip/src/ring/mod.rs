//! The traits of `ringfence::backend` on HIP's streams: a retirement ring for runtimes that have no hardware queues of their own.
//!
//! A stream is a queue: in order, so that every packet has the barrier bit, and all of its uses are proven by the last one's. A
//! packet is a handful of HIP's calls, in the order of indices.
//!
//! # Signals
//!
//! HIP has no decrement, but it writes values in a stream's order (`hipStreamWriteValue64`) and waits for them
//! (`hipStreamWaitValue64`). So the word that a stream writes is a number that only rises: how many packets have completed the
//! signal in its whole life. The value is what it was armed with, less what was completed since; to arm it is to note that number
//! on the host, and touches no memory that a GPU sees. A waiter waits for a number, and is never confused by a later use.
//!
//! # What is missing
//!
//! | | |
//! |---|---|
//! | timestamps | a HIP event has them, which this does not record: there is never an interval |
//! | signals in device memory | nothing would be gained: each is written by one call either way |
//! | BARRIER_OR | HIP cannot wait for one of several: such a packet waits for all of them |
//! | an AND that takes 0 alone | a signal below 0 passes as well: a stream waits for a number, and numbers rise |
//! | signals for other processes | HIP has none: `SignalMemory::Shared` is refused |
//! | hardware queues | streams share 4 for each priority (`GPU_MAX_HW_QUEUES`): a packet that waits holds up the others of its hardware queue, so that what it waits for has to be submitted before it, as a tracker does |
//! | interrupts | a blocked wait sleeps between looks, at most 1 ms, and handlers are called by a thread that does the same |

mod copy;
mod device;
mod handlers;
mod listeners;
mod own;
mod queue;
mod signals;
mod wait;

pub use copy::{CopyOrder, HipCopyEngine};
pub use device::HipDevice;
pub use handlers::Listening;
pub(crate) use listeners::Listeners;
pub(crate) use own::Parked;
pub use queue::HipQueue;
pub(crate) use signals::Table;

#[cfg(test)]
mod tests;
