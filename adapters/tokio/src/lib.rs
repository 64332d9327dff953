//! Ringfence for tokio: each task has its own stream for each key, on whatever worker it is polled, and a
//! [`Reaper`] on the runtime destroys, frees and wakes.
//!
//! - [`TaskPool`]: a pool of streams whose users are tokio tasks. [`TaskPool::spawn`] gives a task its
//!   streams; [`submit`](TaskPool::submit) anywhere inside the task finds them.
//! - [`Reaper`]: pumps the pool on the runtime's blocking threads.
//!
//! A task that ends, is aborted, or panics gives its streams back without a driver call; whoever comes next gets
//! them once their work is finished. Buffers of unfinished copies stay with the pool until then, whatever
//! became of the future that waited for them (`select!`, a timeout).
//!
//! ```
//! use std::sync::Arc;
//! use ringfence::{drive::StreamPool, id::*, stream::PoolOptions};
//! use ringfence_mock::{clock::Ticks, streams::{op::StreamOp, profile::DriverProfile, system::MockStreams}};
//! use ringfence_tokio::{Period, Reaper, TaskPool};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let driver = MockStreams::new(DriverProfile::Hip57);
//!     let pool = Arc::new(StreamPool::new(driver.clone(), PoolOptions::default()));
//!     let reaper = Reaper::spawn(&pool, Period::default());
//!     let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
//!     let pool = TaskPool::new(pool, key);
//!
//!     let tasks: Vec<_> = (0_u8..4)
//!         .map(|number| {
//!             let pool = pool.clone();
//!             pool.clone().spawn(async move {
//!                 let copy = StreamOp::new("copy", Ticks::new(20));
//!                 pool.submit_owning(vec![number; 64], |_| copy)?.await.map_err(Into::into)
//!             })
//!         })
//!         .collect();
//!     for (number, task) in (0_u8..).zip(tasks) {
//!         while !task.is_finished() {
//!             driver.run_until_idle(); // a real device runs by itself
//!             tokio::task::yield_now().await;
//!         }
//!         let copied: Result<Vec<u8>, ringfence::task::TaskError> = task.await?;
//!         assert_eq!(copied?, [number; 64]);
//!     }
//!     assert!(pool.pool().counts().peak_live <= 4);
//!     reaper.stop().await;
//!     Ok(())
//! }
//! ```
#![forbid(unsafe_code)]

mod pool;
mod reaper;
mod turns;

pub use pool::TaskPool;
pub use reaper::{Period, Reaped, Reaper};
