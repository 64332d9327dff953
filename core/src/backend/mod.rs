//! What a device must offer: small traits of facts and actions, with no decision of policy.
//!
//! Each trait has at most six methods that have to be written and a numbered contract: what a backend promises, one sentence a
//! number. Methods take `&self`: a backend synchronises itself, and every trait is implemented
//! for `&T`, `Arc<T>` and `Box<T>` as well, so that one device serves many trackers.
//!
//! | trait | a backend says |
//! |---|---|
//! | [`Device`] | what it is, whether it lives, whether a profiler looks |
//! | [`Signals`] | create, load, arm, flush |
//! | [`HostWait`] | wait on the host |
//! | [`Timestamps`] | when a packet ran |
//! | [`PacketQueue`] | reserve, write and publish packets; the read index |
//! | [`CopyEngine`] | copies on another engine |
//! | [`Handlers`] | call back on completion |
//!
//! The page of each but [`Device`] shows a small implementation.
//!
//! ```
//! use ringfence::{backend::*, drive::*, error::Error};
//! use std::sync::Arc;
//! /// Of whatever backend: which one, the runtime finds out when it starts.
//! type AnyDevice = Arc<dyn Device + Send + Sync>;
//! /// Each thread has a tracker of its own, and all of them the device.
//! fn stream<Q: PacketQueue>(
//!     gpu: &AnyDevice,
//!     queue: &HardwareQueue<Arc<Q>>,
//! ) -> Result<Tracker<AnyDevice, Arc<Q>>, Error> {
//!     Tracker::open(gpu.clone(), queue.clone(), Policy::default())
//! }
//! ```
//!
//! # Threads
//!
//! | methods | called on |
//! |---|---|
//! | `load`, `wait`, `timestamps`, `tick_rate`, `status` | any thread that queries or waits: a device that threads share has to be `Sync` |
//! | `create`, `arm`, `publish_stores`, `flush`, `force`, `profiler` | the thread that uses the stream's tracker |
//! | `destroy` | that thread, and wherever [`Reaper::reap`](crate::ring::Reaper::reap) is called |
//! | `reserve`, `commit`, `ring_doorbell`, `read_index` | the threads of all streams on the queue, at once |
//! | [`HandlerTable::handle`](crate::drive::HandlerTable::handle) | the backend's callback thread |
//!
//! No method may call back into a tracker.
//!
//! What a driver of streams offers is in [`streams`].

mod capabilities;
mod copy;
mod device;
mod packet;
mod pointers;
mod queue;
mod signals;
pub mod streams;
#[cfg(all(test, not(ringfence_loom)))]
mod tests;

pub use capabilities::{Capabilities, Features, HostDataPath, RingMemory};
pub use copy::{CopyEngine, CopyRefused, PartIndex};
pub use device::{
    Device, DeviceStatus, Engine, HandlerToken, Handlers, HostWait, Profiler, Timestamps, WaitHint,
    WaitOutcome,
};
pub use packet::{Body, Deps, MAX_DEPS, Packet, ValueWait};
pub use queue::{PacketCount, PacketQueue, Settled};
pub use signals::{Created, SignalMemory, Signals};
