//! [Ringfence](ringfence) on AMD's HIP runtime.
//!
//! HIP is loaded at run time: a program that uses this crate starts on a machine without ROCm, and [`Hip::start`] says there what was
//! looked for. HIP 5.2 and everything newer will do; what a version lacks is done otherwise.
//!
//! ```no_run
//! use ringfence::{drive::StreamPool, id::*, stream::PoolOptions};
//! use ringfence_hip::{Hip, HipStreams, HipWork, StreamOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let hip = Hip::start()?;
//! let pool = StreamPool::new(HipStreams::new(hip, StreamOptions::default()), PoolOptions::default());
//! let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
//! let mut task = pool.acquire(key)?; // a stream for this task alone
//! pool.submit(&mut task, HipWork::host(|| println!("in the stream's order")))?;
//! drop(task); // no call of HIP and no wait; the stream drains, and goes to the next task then
//! # Ok(()) }
//! ```
//!
//! | type | implements |
//! |---|---|
//! | [`HipStreams`] | the traits of `ringfence::backend::streams`, with [`HipWork`] as its work |
//! | [`HipDevice`] | `Device`, `Signals`, `HostWait`, `Timestamps`, `Handlers` of `ringfence::backend`: a retirement ring on streams |
//! | [`HipQueue`] | `PacketQueue`, with [`Launch`] as its work |
//! | [`HipCopyEngine`] | `CopyEngine`, with [`CopyOrder`] as its work |
//!
//! # What differs between versions
//!
//! | | 5.2.3 | 5.7.1 | 6.4.3 |
//! |---|---|---|---|
//! | query while others capture | answered | refused by the mode of the stream's own last capture: streams are primed with an empty relaxed one | refused, and the captures broken, but in relaxed mode: that is where it is asked |
//! | `hipStreamDestroy` | never returns while the device's memory pool keeps a block: plain memory is used, and the pool is emptied of what others freed | returns | returns |
//! | a kernel of a module on a stream that captures | not recorded, and runs at once: refused here | recorded | recorded |
//! | a fill of pinned host memory on a stream that captures | recorded | recorded | recorded, and forgotten by the launch: nobody can see it from outside |
//! | `hipFreeAsync` on a stream that captures | frees at once | recorded, and frees at once as well | recorded alone: the memory is still the caller's |
//! | free of a block whose last free is not passed | taken | taken | waits on the host |
//! | `hipLaunchHostFunc` | not exported: `hipStreamAddCallback` | there | there |
//!
//! `hipDeviceReset` takes the pinned memory along that progress words and signals are in, on all three: [`HipStreams::device_was_reset`], and
//! before it [`HipStreams::device_will_be_reset`] where signals are watched.
//!
//! What the pool itself has to know of each version (captures, frees, stale handles) it finds out by asking, and by the order of
//! its calls.

mod buffer;
mod error;
mod findings;
mod gfx;
mod ring;
mod runtime;
mod streams;
pub mod sys;
mod version;
mod work;

pub use buffer::HostBuffer;
pub use error::{Code, HipError};
pub use findings::{Findings, FoundDevice, Missing, Quirk, Usable};
pub use ring::{CopyOrder, HipCopyEngine, HipDevice, HipQueue, Listening};
pub use ringfence_backend_shared::arguments::{Arguments, Extent};
pub use runtime::Hip;
pub use streams::{DeviceReset, HipStreams, MemoryKind, Progress, StreamOptions};
pub use version::HipVersion;
pub use work::{Function, HipWork, Launch, Module};
