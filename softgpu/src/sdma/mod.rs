//! Copy engines (SDMA): the packets in their rings, and what each does to memory.
//!
//! A queue does its packets strictly in order, one a [`step`](SdmaQueue::step). What ROCr emits is
//! known; anything else stops the queue with an error that names it, where hardware would hang.

mod decode;
mod execute;
mod queue;

#[cfg(any(test, feature = "testing"))]
pub mod encode;
#[cfg(test)]
mod tests;

pub use decode::{
    Comparison, Decoded, EventId, LONGEST, Packet, Plane, Poll, Rect, Undecodable, decode,
};
pub use execute::{Step, Ticks, execute};
pub use queue::{BadRing, Pointer, SdmaQueue, Stopped};
