//! What calls cost on a real machine, as a model: it says which design is cheaper, and by what
//! order of magnitude; it is no measurement.

use std::time::Duration;

use ringfence::backend::SignalMemory;

/// Put this beside every number that comes from [`Costs`].
pub const LABEL: &str = "model, not silicon";

/// Modelled time of one call each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Costs {
    /// A host load of a cell in device memory: one PCIe round trip.
    pub load_device: Duration,
    /// A host load of a cell in host memory, with the call around it.
    pub load_host: Duration,
    /// A load of the read index, which lives in host memory.
    pub read_index: Duration,
    /// A plain store.
    pub arm: Duration,
    /// A store fence.
    pub publish_stores: Duration,
    /// An HDP flush: one posted write and one read across PCIe.
    pub flush: Duration,
    /// Creating one signal.
    pub create: Duration,
    /// Creating one signal with an interrupt event.
    pub create_interrupt: Duration,
    /// Destroying one signal.
    pub destroy: Duration,
    /// Writing one packet, its index and its share of the doorbell.
    pub packet: Duration,
    /// One part of a copy, through the runtime.
    pub copy_part: Duration,
    /// Setting a handler.
    pub watch: Duration,
    /// Waking a host thread that sleeps.
    pub wake: Duration,
    /// How long a sleeping wait goes on when its interrupt was lost, until it looks again by itself.
    pub recheck: Duration,
    /// What a packet processor adds when it polls a dependency in host memory (device time).
    pub gpu_poll_host: Duration,
}

impl Costs {
    /// Figures of the order of an MI300X, from public pages: a host load of a device cell 1.1 µs and a
    /// query of a host cell 0.08 µs (<https://github.com/ROCm/rocm-systems/pull/13507>), a dependency
    /// in host memory 1 µs a kernel (<https://github.com/ROCm/rocm-systems/issues/11212>). The flush is
    /// inferred: about one round trip. Packets and copies are rough and equal for every tracker.
    pub const MI300X: Self = Self {
        load_device: Duration::from_nanos(1_100),
        load_host: Duration::from_nanos(80),
        read_index: Duration::from_nanos(80),
        arm: Duration::from_nanos(5),
        publish_stores: Duration::from_nanos(20),
        flush: Duration::from_nanos(1_100),
        create: Duration::from_nanos(100),
        create_interrupt: Duration::from_nanos(2_000),
        destroy: Duration::from_nanos(180),
        packet: Duration::from_nanos(50),
        copy_part: Duration::from_nanos(500),
        watch: Duration::from_nanos(2_200),
        wake: Duration::from_nanos(10_000),
        recheck: Duration::from_millis(4),
        gpu_poll_host: Duration::from_nanos(1_000),
    };
    /// Every call is free and every poll is quick: virtual time is then kernels alone.
    pub const NOTHING: Self = Self {
        load_device: Duration::ZERO,
        load_host: Duration::ZERO,
        read_index: Duration::ZERO,
        arm: Duration::ZERO,
        publish_stores: Duration::ZERO,
        flush: Duration::ZERO,
        create: Duration::ZERO,
        create_interrupt: Duration::ZERO,
        destroy: Duration::ZERO,
        packet: Duration::ZERO,
        copy_part: Duration::ZERO,
        watch: Duration::ZERO,
        wake: Duration::ZERO,
        recheck: Duration::ZERO,
        gpu_poll_host: Duration::ZERO,
    };
    /// A host load of a signal in `memory`.
    #[inline]
    pub const fn load(&self, memory: SignalMemory) -> Duration {
        if memory.is_device() { self.load_device } else { self.load_host }
    }
    /// Creating one signal in `memory`.
    pub const fn create(&self, memory: SignalMemory) -> Duration {
        if matches!(memory, SignalMemory::Interrupt) { self.create_interrupt } else { self.create }
    }
}
impl Default for Costs {
    fn default() -> Self {
        Self::MI300X
    }
}

/// Modelled host time so far ([`LABEL`]).
///
/// ```
/// # use ringfence::{backend::*, id::*};
/// use ringfence_mock::{chooser::Scripted, cost::{Costs, LABEL}, system::*};
/// # let system = MockSystem::new(Scripted::tame(), Settings::default());
/// # let gpu = system.add_device(DeviceSettings::default());
/// # let mut batch = [SignalHandle::NULL];
/// # gpu.create(SignalMemory::Host, &mut batch)?;
/// let before = system.host_time().calls;
/// gpu.load(batch[0]);
/// let load = system.host_time().calls - before;
/// assert_eq!(load, Costs::MI300X.load_host);
/// println!("{load:?} ({LABEL})");
/// # Ok::<(), ringfence::error::CreateError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct HostTime {
    /// Spent in calls: loads, stores, flushes, packets.
    pub calls: Duration,
    /// Spent waiting for the device.
    pub waits: Duration,
}
impl HostTime {
    /// Both.
    pub fn total(&self) -> Duration {
        self.calls + self.waits
    }
}
