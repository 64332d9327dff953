//! Ringfence for plain threads: each thread has its own stream for each key until it exits, and a
//! [`Reaper`] thread destroys, frees and wakes.
//!
//! - [`with_stream`]: the calling thread's stream of a pool and key. It comes back when the thread exits.
//! - [`acquire_within`] and [`with_stream_within`]: at the pool's hard cap they wait, up to a limit.
//! - [`Reaper`]: a thread that pumps.
#![cfg_attr(
    feature = "rayon",
    doc = "- [`Workers`]: a rayon pool whose workers have streams of their own."
)]
//!
//! ```
//! use std::{sync::Arc, thread};
//! use ringfence::{drive::StreamPool, id::*, stream::PoolOptions};
//! use ringfence_mock::{clock::Ticks, streams::{op::StreamOp, profile::DriverProfile, system::MockStreams}};
//! use ringfence_threads::{Period, Reaper, with_stream};
//!
//! let driver = MockStreams::new(DriverProfile::Hip57);
//! let pool = Arc::new(StreamPool::new(driver.clone(), PoolOptions::default()));
//! let reaper = Reaper::spawn(&pool, Period::default()).expect("a thread");
//! let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
//!
//! let work = || {
//!     for _ in 0..8 {
//!         let kernel = StreamOp::new("axpy", Ticks::new(20));
//!         let submitted = with_stream(&pool, key, |lease| pool.submit(lease, kernel));
//!         submitted.expect("a stream").expect("work");
//!     }
//! };
//! thread::scope(|scope| {
//!     let threads = [(); 4].map(|()| scope.spawn(work));
//!     threads.map(|thread| thread.join().expect("no panic")); // their streams are back after it
//! });
//! driver.run_until_idle(); // a real device runs by itself
//! assert!(pool.counts().created <= 4);
//! reaper.stop();
//! assert_eq!(pool.shutdown().streams_leaked, 0);
//! ```
//!
//! # Forks
//! A child process has the thread that forked and no other, and must not call the driver. Where the backend
//! reports it ([`DriverState::Forked`](ringfence::backend::streams::DriverState)), every call here answers
//! [`StreamError::Forked`](ringfence::error::StreamError), also on a thread that has a stream already. A
//! [`Reaper`] notices by itself: in the child its drop and its [`stop`](Reaper::stop) do nothing.
#![forbid(unsafe_code)]

mod per_thread;
mod reaper;
mod waiting;
#[cfg(feature = "rayon")]
mod workers;

pub use per_thread::{give_back, with_stream, with_stream_within};
pub use reaper::{Period, Reaped, Reaper};
pub use waiting::acquire_within;
#[cfg(feature = "rayon")]
pub use workers::Workers;
