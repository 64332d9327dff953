//! [Ringfence](ringfence) on NVIDIA's CUDA driver.
//!
//! The driver is loaded at run time: a program that uses this crate builds without CUDA and starts on a machine without a driver, and
//! [`Cuda::start`] says there what was looked for. A driver of CUDA 11.7 or newer will do. What was found by trying one is told in
//! `docs/cuda.md`.
//!
//! ```no_run
//! use ringfence::{drive::StreamPool, id::*, stream::PoolOptions};
//! use ringfence_cuda::{Cuda, CudaStreams, CudaWork, StreamOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let cuda = Cuda::start()?;
//! let pool = StreamPool::new(CudaStreams::new(cuda, StreamOptions::default()), PoolOptions::default());
//! let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
//! let mut task = pool.acquire(key)?; // a stream for this task alone
//! pool.submit(&mut task, CudaWork::host(|| println!("in the stream's order")))?;
//! drop(task); // no call of the driver and no wait; the stream drains, and goes to the next task then
//! # Ok(()) }
//! ```
//!
//! [`CudaStreams`] implements the traits of `ringfence::backend::streams`, with [`CudaWork`] as its work.
//!
//! # What is CUDA's own
//!
//! | | what the driver does (580, tried) | what is done about it |
//! |---|---|---|
//! | a stream | is created in microseconds, but each 43rd waits for all work of the GPU | leases make few; [`CudaStreams::make_room`] has it done beforehand |
//! | destroying one with work pending | returns, and the work goes on | its progress word is kept until all marks have come |
//! | a stale handle | is followed into freed memory | a list of what exists: anything else is an error |
//! | contexts | calls that make a stream, an event or memory need one on their thread | the primary context is set and taken off again |
//! | a free of other memory on a stream that captures | refused, and the capture goes on | freed elsewhere by the pool |
//! | a reset of a primary context | takes its pinned memory along, and refuses the context (709) until it is retained again | [`CudaStreams::device_was_reset`] |
//! | memory that was freed behind another stream's work | is given out again when that is over | nothing |

mod buffer;
mod error;
mod findings;
mod runtime;
mod streams;
pub mod sys;
mod version;
mod work;

pub use buffer::HostBuffer;
pub use error::{Code, CudaError};
pub use findings::{Findings, FoundDevice, Missing, Quirk, Usable};
pub use ringfence_backend_shared::arguments::{Arguments, Extent};
pub use runtime::{Cuda, Current};
pub use streams::{CudaStreams, Progress, StreamOptions};
pub use version::CudaVersion;
pub use work::{CudaWork, Function, Kernels, Launch, Module, PTX};
