//! What a device must offer: small traits of facts and actions, with no decision of policy.
//!
//! Each trait has at most six methods and a numbered contract: what a backend promises, one sentence a
//! number. Methods take `&self`: a backend synchronises itself, and every trait is implemented
//! for `&T` as well, so that one device serves many trackers.
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
mod queue;
mod signals;
pub mod streams;

pub use capabilities::{Capabilities, Features, HostDataPath, RingMemory};
pub use copy::{CopyEngine, CopyRefused, PartIndex};
pub use device::{
    Device, DeviceStatus, Engine, HandlerToken, Handlers, HostWait, Profiler, Timestamps, WaitHint,
    WaitOutcome,
};
pub use packet::{Body, Deps, MAX_DEPS, Packet, ValueWait};
pub use queue::{PacketCount, PacketQueue, Settled};
pub use signals::{Created, SignalMemory, Signals};
