//! The HSA runtime in small calls that are safe and panic, with the call's name and the runtime's words, where it fails.

mod agent;
mod copy;
mod events;
mod memory;
mod packet;
mod queue;
mod raw;
mod runtime;
mod shared;
mod signal;
mod virtual_memory;
mod world;

pub use agent::{Agent, Kind};
pub use copy::{Pitched, Place};
pub use events::{Fault, SystemEvents};
pub use memory::{Block, Pool, Use};
pub use packet::{Order, Packet};
pub use queue::{Queue, QueueErrors};
pub use raw::{RawSignals, Visibility};
pub use ringfence_hsa::sys;
pub use runtime::{Runtime, Ticks};
pub use shared::Shared;
pub use signal::{Condition, Patience, Signal};
pub use world::{Gpu, World};
