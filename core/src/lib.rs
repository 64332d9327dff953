//! Ringfence proves, from state that the host already has, that GPU work is finished, so that
//! completion signals are used again without reading device memory, and never too early.
//!
//! # The idea
//!
//! A signal is *used* when a packet that completes it is published. It may be armed again only with
//! a [`Proof`](proof::Proof) that its last use is finished. One proof can stand for many uses: the
//! completion of a packet with the barrier bit proves every earlier packet of its hardware queue,
//! so that one load retires a whole batch, and one [`Watermark`](watermark::Watermark) tells every
//! stream on that queue.
//!
//! # Embedding it
//!
//! Implement the traits of [`backend`] for a device and a queue; then each stream has a
//! [`Tracker`](drive::Tracker).
//!
//! ```
//! use ringfence::{backend::*, drive::*, error::Error, event::*, wait::WaitPolicy};
//!
//! fn two_streams<D: Device, Q>(gpu: &D, queue: Q) -> Result<(), Error>
//! where
//!     Q: PacketQueue<Work = &'static str> + Clone,
//! {
//!     let queue = HardwareQueue::new(queue); // one watermark for everybody on this queue
//!     let mut producer = Tracker::open(gpu, queue.clone(), Policy::default())?;
//!     let mut consumer = Tracker::open(gpu, queue, Policy::default())?;
//!     let mut produced = Event::new(EventOptions::default());
//!     producer.submit(Submission::kernel("produce"))?;
//!     produced.record(&mut producer)?;
//!     produced.wait_on(&mut consumer)?; // on the device; what it waits for is pinned
//!     consumer.submit(Submission::kernel("consume"))?;
//!     produced.synchronize(gpu, &WaitPolicy::default())?;
//!     assert_eq!(produced.query(gpu), EventStatus::Finished); // proven: costs no load
//!     consumer.close()?;
//!     producer.close().map(drop)
//! }
//! ```
//!
//! # The layers
//!
//! ```text
//! id -> proof -> watermark -> ring -> drive -> event
//! ```
//!
//! The [`ring`] is pure: it is told what was observed and answers what to load, arm, flush, create
//! or wait for. [`drive`] carries the answers out through the traits of [`backend`]. Nothing here
//! calls a clock, starts a thread or contains unsafe code.
//!
//! [`task`] binds leases to tasks: a task keeps one stream for each key and finds it again, also across
//! the suspensions of a future, and owners that never say that they are done are asked about.
#![forbid(unsafe_code)]

#[macro_use]
#[cfg_attr(not(feature = "planted"), doc(hidden))]
pub mod plant;

pub mod backend;
pub mod drive;
pub mod error;
pub mod event;
pub mod id;
pub mod ledger;
pub mod placement;
pub mod polling;
pub mod proof;
pub mod retire;
pub mod ring;
pub mod staging;
pub mod stream;
pub mod sync;
pub mod task;
pub mod timing;
pub mod wait;
pub mod watermark;

#[cfg(all(test, ringfence_loom))]
mod models;
