//! Everything that can be set, by environment variables named `RINGFENCE_SOFTGPU_*`.

mod error;
mod parse;
mod table;

#[cfg(test)]
mod tests;

use std::{num::NonZeroU64, time::Duration};

pub use error::{Mistake, SettingsError};

/// What the machine has and how it behaves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// `GPUS`: how many, 1 to 8.
    pub gpus: u32,
    /// `GFX`: which.
    pub gfx: Gfx,
    /// `LARGE_BAR`: whether the host may map all VRAM.
    pub bar: Bar,
    /// `VRAM_MIB`: memory of each GPU, in bytes here.
    pub vram: u64,
    /// `LINK`: what connects GPUs.
    pub link: Link,
    /// `KFD_MINOR`: the version of the kernel's interface.
    pub kfd_minor: u32,
    /// `EVENTS`: how many events the kernel has.
    pub events: u32,
    /// `KERNEL_NS`: how long a kernel runs.
    pub kernel: Span,
    /// `COPY_MBPS`: bytes that a copy engine moves in a microsecond; `None`: at once.
    pub copy_rate: Option<NonZeroU64>,
    /// `COMPLETION_LAG_NS`: from the moment at which a packet could complete until it does.
    pub completion_lag: Span,
    /// `READ_INDEX`: when queues say that packets were read.
    pub read_index: ReadIndex,
    /// `DEPENDENCIES`: how a packet processor watches what a barrier packet waits for.
    pub dependencies: Dependencies,
    /// `HOST_STORES`: when devices see the host's stores to VRAM.
    pub host_stores: HostStores,
    /// `PEER_STORES`: the same, where the reader is another GPU than the owner of the memory.
    pub peer_stores: HostStores,
    /// `LOSE_INTERRUPT`: of so many interrupts one is lost; `None`: none.
    pub lose_interrupt: Option<NonZeroU64>,
    /// `FAULT_*`: what goes wrong.
    pub faults: Faults,
    /// `SEED`: of all choices.
    pub seed: u64,
    /// `PRIORITY`: of the engine thread.
    pub priority: Priority,
    /// `TRACE`: what is written to standard error.
    pub trace: Trace,
}

/// A GPU by the name of its instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gfx {
    /// MI200.
    Gfx90a,
    /// MI300X.
    Gfx942,
    /// RDNA 2.
    Gfx1030,
    /// RDNA 3.
    Gfx1100,
}
/// How much of VRAM the host may map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bar {
    /// All.
    Large,
    /// None that the runtime hands out.
    Small,
}
/// What connects two GPUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    /// AMD's own, coherent.
    Xgmi,
    /// The host's.
    Pcie,
}
/// A duration, or a range that each time one is taken from at random.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The shortest.
    pub least: Duration,
    /// The longest.
    pub most: Duration,
}
/// When a queue's read index moves. It never proves that a packet is complete, nor that it is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadIndex {
    /// When packets are read, before they complete.
    Early,
    /// When they and all before them are complete.
    Late,
    /// As early, in steps of 8.
    Eights,
    /// Not before a queue is three quarters full.
    Still,
    /// Now early and now late, at random.
    Mixed,
}
/// How a packet processor watches dependencies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dependencies {
    /// It sees each 0 that lasts but a moment, as a quick processor nearly always does.
    Latched,
    /// It looks now and then, and misses a signal that is armed again too early (S9).
    Polled,
}
/// When a device sees what the host stored to VRAM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostStores {
    /// At once.
    Coherent,
    /// After an HDP flush, or of itself after this time.
    Flushed(Duration),
}
/// The engine thread's scheduling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Priority {
    /// SCHED_FIFO where that is allowed, or a better nice value, or as it is.
    RealTime,
    /// As other threads.
    Normal,
}
/// How much is written to standard error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Trace {
    /// What a user must know.
    Off,
    /// Objects made and destroyed, and what is not modelled.
    Objects,
    /// Every packet and call.
    All,
}
/// What goes wrong, each at the k-th of its kind, counted from 1 over all GPUs; `None`: never.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Faults {
    /// `FAULT_PACKET`: this packet is an invalid one.
    pub packet: Option<NonZeroU64>,
    /// `FAULT_VM`: this kernel touches an address that is not mapped.
    pub vm: Option<NonZeroU64>,
    /// `FAULT_LOST`: when this packet starts, its GPU is lost.
    pub lost: Option<NonZeroU64>,
    /// `FAULT_QUEUE`: creating this queue fails.
    pub queue: Option<NonZeroU64>,
    /// `FAULT_EVENT`: creating this event fails.
    pub event: Option<NonZeroU64>,
    /// `FAULT_MEMORY`: this allocation fails.
    pub memory: Option<NonZeroU64>,
}
/// `PROFILE`: what is set where nothing is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    /// Kernels take no time, packets complete at once and in order, read indices lead.
    Quiet,
    /// Kernels take 0 to 200 us at random, so that they complete out of order where no barrier bit
    /// forbids it; completions lag, and read indices lead and lag.
    Hostile,
}
