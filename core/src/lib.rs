//! Ringfence proves, from state that the host already has, that GPU work is finished, so that
//! completion signals, streams and memory are used again without reading device memory, and never too early.
//!
//! # The idea
//!
//! A resource carries a generation; a proof says that all work of one generation up to one point is finished; only
//! a proof lets the resource be used again. It is used twice, and each half stands alone.
//!
//! **Signals.** A signal is *used* when a packet that completes it is published. It may be armed again only with
//! a [`Proof`](proof::Proof) that its last use is finished. One proof can stand for many uses: the
//! completion of a packet with the barrier bit proves every earlier packet of its hardware queue,
//! so that one load retires a whole batch, and one [`Watermark`](watermark::Watermark) tells every
//! stream on that queue.
//!
//! **Streams.** A task leases a stream from a [`StreamPool`](drive::StreamPool) and drops the
//! [`Lease`](stream::Lease) when it is done. The stream goes to another task, under the next generation, only
//! when its work is proven finished up to the very position that it has reached. What remembers work keeps a
//! [`Stamp`](stream::Stamp): where the stream's generation is past the stamp's, that work is finished.
//!
//! # Embedding it: signals
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
//! # Embedding it: streams
//!
//! Implement the traits of [`backend::streams`] for a driver; then tasks lease streams of a pool.
//!
//! ```
//! use ringfence::{backend::streams::*, drive::*, error::StreamError, id::*, stream::*};
//!
//! fn one_task<B>(pool: &StreamPool<B>, array: &mut Stamp) -> Result<Touch, StreamError>
//! where
//!     B: StreamBackend + StreamWork<Work = &'static str>,
//! {
//!     let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
//!     let mut task = pool.acquire(key)?; // this task's alone; never waits for work
//!     // After what used the array before, on the device, or nothing to do; the array remembers it.
//!     let (touch, _how) = pool.submit_after(&mut task, &mut [ArrayUse::write(array)], "scale")?;
//!     Ok(touch)
//! } // no driver call: the stream drains, and somebody's `pool.pump()` sees to the rest
//! ```
//!
//! [`retire`](drive::StreamPool::retire) frees memory after its last use,
//! [`capture`](drive::StreamPool::capture) makes a graph that keeps its memory, and
//! [`submit_owning`](drive::StreamPool::submit_owning) keeps the host buffers of asynchronous copies.
//!
//! [`task`] binds leases to tasks: a task keeps one stream for each key and finds it again, also across
//! the suspensions of a future, and owners that never say that they are done are asked about.
//!
//! # Features
//!
//! None is on by default.
//!
//! | feature | brings |
//! |---|---|
//! | `tracing` | events and spans of both halves: see [`observe`] |
//! | `metrics` | the ledgers as counters and gauges (module `metrics`), and a few histograms |
//! | `audit`, `planted` | for tests alone: locks are counted; switches that break a rule each |
//!
//! # The layers
//!
//! ```text
//! id -> proof -> watermark -> ring -> drive -> event     signals
//! id -> stream -> drive -> task                          streams
//! ```
//!
//! The [`ring`] and the [`Pool`](stream::Pool) are pure: they are told what was observed and answer what to
//! load, arm, flush, create, look at or wait for. [`drive`] carries the answers out through the traits of
//! [`backend`]. Nothing here calls a clock, starts a thread or contains unsafe code.
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
#[cfg(feature = "metrics")]
pub mod metrics;
pub mod observe;
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
