//! How a queue is made.

use ringfence::id::Priority;

use crate::sys::hsa_amd_queue_priority_s;

/// How many packets a ring holds: a power of two.
///
/// ```
/// use ringfence_hsa::RingSize;
/// assert_eq!(RingSize::at_least(1000).packets(), 1024);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RingSize(pub(super) u32);

impl RingSize {
    /// A ring of at least `packets`: the next power of two.
    #[must_use]
    pub const fn at_least(packets: u32) -> Self {
        match packets.checked_next_power_of_two() {
            Some(packets) => Self(packets),
            None => Self(1 << 31),
        }
    }

    /// How many packets.
    #[must_use]
    pub const fn packets(self) -> u32 {
        self.0
    }
}

/// Whether a queue's packets carry times.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stamping {
    /// They do.
    On,
    /// They do not: nothing on this queue has an interval.
    Off,
}

/// How a queue is made.
///
/// ```
/// use ringfence::id::Priority;
/// use ringfence_hsa::{QueueOptions, RingSize, Stamping};
/// let urgent = QueueOptions { priority: Priority::High, ..QueueOptions::default() };
/// assert_eq!(urgent.packets, RingSize::at_least(16_384));
/// let untimed = QueueOptions { stamping: Stamping::Off, ..urgent }; // no events of it have times
/// assert_ne!(untimed, urgent);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueOptions {
    /// How many packets it holds; as many as the device takes if that is less.
    pub packets: RingSize,
    /// How urgent its work is. A driver's own level below 0 is high, above 0 low.
    pub priority: Priority,
    /// Whether its packets carry times.
    pub stamping: Stamping,
}

impl Default for QueueOptions {
    /// 16,384 packets, as HIP has them, of normal priority, with times.
    fn default() -> Self {
        let packets = RingSize::at_least(16_384);
        Self { packets, priority: Priority::Normal, stamping: Stamping::On }
    }
}

/// The runtime's level for a priority; none for the one that queues have.
pub(super) fn priority(wanted: Priority) -> Option<hsa_amd_queue_priority_s> {
    match wanted {
        Priority::Normal | Priority::Level(0) => None,
        Priority::High | Priority::Level(i32::MIN..0) => {
            Some(hsa_amd_queue_priority_s::HSA_AMD_QUEUE_PRIORITY_HIGH)
        }
        Priority::Low | Priority::Level(1..) => {
            Some(hsa_amd_queue_priority_s::HSA_AMD_QUEUE_PRIORITY_LOW)
        }
    }
}
