//! What a device was asked to do: to be compared with what the library says it did.

use ringfence::backend::SignalMemory;

/// A count for each kind of signal memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct PerMemory([u64; SignalMemory::ALL.len()]);
impl PerMemory {
    /// The count for `memory`.
    pub const fn of(&self, memory: SignalMemory) -> u64 {
        self.0[memory as usize]
    }
    /// All of them.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
    #[inline]
    pub(crate) fn add(&mut self, memory: SignalMemory, count: u64) {
        self.0[memory as usize] += count;
    }
    fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }
}

/// Calls of one device, or of all.
///
/// ```
/// # use ringfence::drive::*;
/// use ringfence_mock::{chooser::Scripted, clock::Ticks, system::*, work::Kernel};
/// # let system = MockSystem::new(Scripted::tame(), Settings::default());
/// # let gpu = system.add_device(DeviceSettings::default());
/// # let mut tracker = Tracker::open(&gpu, HardwareQueue::new(gpu.add_queue()), Policy::default())?;
/// let before = gpu.counts();
/// tracker.submit(Submission::kernel(Kernel::new(0, Ticks::new(5))))?;
/// let after = gpu.counts();
/// assert_eq!(after.packets - before.packets, 1);
/// assert_eq!(after.loads.total(), before.loads.total()); // a submission looks at nothing
/// # tracker.close()?;
/// # Ok::<(), ringfence::error::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Counts {
    /// Calls of `load`.
    pub loads: PerMemory,
    /// Calls of `wait`; each loads at least once.
    pub waits: PerMemory,
    /// Waits that did not find the value reached at once.
    pub waits_blocked: u64,
    /// Calls of `timestamps`.
    pub timestamps: PerMemory,
    /// Calls of `arm`.
    pub arms: PerMemory,
    /// Calls of `publish_stores`.
    pub publish_stores: u64,
    /// Calls of `flush`.
    pub flushes: u64,
    /// Signals created.
    pub created: PerMemory,
    /// Signals destroyed.
    pub destroyed: u64,
    /// Packets that the host published.
    pub packets: u64,
    /// Rings of a doorbell.
    pub doorbells: u64,
    /// Loads of a read index.
    pub read_indices: u64,
    /// Parts that a copy engine took.
    pub copy_parts: u64,
    /// Completions that were forced.
    pub forced: u64,
    /// Handlers set.
    pub watches: u64,
    /// Times that a full ring made `reserve` wait for its slots.
    pub ring_full: u64,
}
impl Counts {
    /// Adds another device's.
    pub fn merge(&mut self, other: &Self) {
        self.loads.merge(&other.loads);
        self.waits.merge(&other.waits);
        self.timestamps.merge(&other.timestamps);
        self.arms.merge(&other.arms);
        self.created.merge(&other.created);
        self.waits_blocked += other.waits_blocked;
        self.publish_stores += other.publish_stores;
        self.flushes += other.flushes;
        self.destroyed += other.destroyed;
        self.packets += other.packets;
        self.doorbells += other.doorbells;
        self.read_indices += other.read_indices;
        self.copy_parts += other.copy_parts;
        self.forced += other.forced;
        self.watches += other.watches;
        self.ring_full += other.ring_full;
    }
    /// Loads of `load` and `wait` alike that crossed PCIe, and timestamps that did.
    pub fn device_reads(&self) -> u64 {
        let device = SignalMemory::Device;
        self.loads.of(device) + self.waits.of(device) + self.timestamps.of(device)
    }
}
