//! Ringfence on AMD's HSA runtime (`libhsa-runtime64`, ROCr 5.2 or newer), which is loaded at run time: nothing of AMD's is
//! needed to build, and a program starts without it and says what is missing.
//!
//! ```no_run
//! use ringfence::{drive::*, event::*};
//! use ringfence_hsa::{QueueOptions, Runtime};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let runtime = Runtime::start()?;
//!     let gpu = runtime.devices().remove(0);
//!     let queue = HardwareQueue::new(gpu.create_queue(QueueOptions::default())?);
//!     let mut stream = Tracker::open(gpu.clone(), queue, Policy::default())?;
//!     stream.submit(Submission::kernel(gpu.empty_kernel()?))?;
//!     let _synced = stream.synchronize()?;
//!     stream.close()?;
//!     Ok(())
//! }
//! ```
//!
//! | type | trait of [`ringfence::backend`] |
//! |---|---|
//! | [`HsaDevice`] | `Device`, `Signals`, `HostWait`, `Timestamps`, `Handlers` |
//! | [`HsaQueue`] | `PacketQueue`, with [`Dispatch`] as its work |
//! | [`HsaCopyEngine`] | `CopyEngine`, with [`CopyWork`] as its work |
//!
//! Devices, queues and engines are cheap handles that threads may share. Each keeps the [`Runtime`] up. Nothing is destroyed on
//! a thread of the runtime: what the last handle leaves there is destroyed later, on another.
//!
//! # Where signals live
//!
//! | `SignalMemory` | made by | its value is read and armed |
//! |---|---|---|
//! | `Host` | `hsa_amd_signal_create` for GPUs alone: no interrupt event | in place |
//! | `Interrupt` | `hsa_signal_create`; refused once the process's events are used up | in place |
//! | `Shared` | `hsa_amd_signal_create` with `HSA_AMD_SIGNAL_IPC` | in place |
//! | `Device` | `hsa_amd_signal_create_v2` where the runtime has it, else a block in VRAM that the host can map | in place, through the BAR |
//!
//! In place: by one atomic load or store of the value's word in `amd_signal_t`, whose layout the runtime's headers fix and which is
//! checked at the start. That is what the runtime's own calls do behind their look-up, and several times cheaper (`tests/cost.rs` measures).
//!
//! A name that is used after its signal was destroyed panics, and touches no memory that was given back: signals of `Host`, and
//! blocks in VRAM, are kept for the next of their GPU until the runtime ends; the others are counted while a thread is at them, and
//! the last gives them back. What no host can see is a packet that still is to use one: that remains the caller's promise.

mod agent;
mod api;
mod callback;
mod capabilities;
mod copy;
mod device;
mod error;
mod events;
mod findings;
mod garbage;
mod handlers;
mod kernel;
mod life;
mod memory;
mod queue;
mod runtime;
mod signals;
pub mod sys;
mod timing;
mod wait;

pub use agent::{Agent, RuntimeVersion};
pub use api::AgentKind;
pub use capabilities::{DeviceMemory, GpuFacts};
pub use copy::{CopyWork, HsaCopyEngine};
pub use device::{HsaDevice, IpcSignal};
pub use error::{HsaError, Status};
pub use findings::{Findings, Missing, Usable};
pub use garbage::StuckQueues;
pub use kernel::{Dispatch, Extent, Kernarg, KernelObject};
pub use life::Loss;
pub use memory::{Buffer, MemoryPlace, Place};
pub use queue::{HsaQueue, QueueOptions, RingSize, Stamping};
pub use runtime::Runtime;
