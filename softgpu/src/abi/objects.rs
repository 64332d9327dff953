//! HSA objects in memory, as the packet processor knows them (`amd_hsa_signal.h`, `amd_hsa_queue.h`).

use crate::address::Address;

/// `amd_signal_t`, 64 bytes: the offsets of what a device reads and writes.
pub mod signal {
    /// The value, a signed number.
    pub const VALUE: u64 = 8;
    /// Where the event's number is written; 0 where no thread can sleep on the signal.
    pub const MAILBOX: u64 = 16;
    /// The event's number.
    pub const EVENT: u64 = 24;
    /// When the packet started, in ticks of the device.
    pub const STARTED: u64 = 32;
    /// When it ended.
    pub const ENDED: u64 = 40;
}

/// `amd_queue_t`: what is found from where its read index lies.
pub mod queue {
    use super::Address;
    use crate::bus::{Bus, Fault};

    const PROPERTIES: u64 = 180;
    const READ_INDEX: u64 = 128;
    const INACTIVE_SIGNAL: u64 = 192;
    /// Where the handle of the signal is that a packet processor tells errors by, where no exception
    /// handler is installed.
    pub fn inactive_signal(read_index: Address) -> Address {
        read_index.plus(INACTIVE_SIGNAL - READ_INDEX)
    }
    /// Whether completions are to write timestamps.
    pub fn is_profiled(bus: &impl Bus, read_index: Address) -> Result<bool, Fault> {
        const ENABLE_PROFILING: u32 = 1 << 3;
        let properties = bus.load_u32(read_index.plus(PROPERTIES - READ_INDEX))?;
        Ok(properties & ENABLE_PROFILING != 0)
    }
}

/// The header of a queue's context save area (`kfd_ioctl.h`, `kfd_context_save_area_header`).
pub mod save_area {
    /// Where the address of the exceptions' bits is.
    pub const ERROR_PAYLOAD: u64 = 24;
    /// The event that tells of them.
    pub const ERROR_EVENT: u64 = 32;
}

/// What happened to a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exception {
    /// The packet processor does not know the packet's type.
    UnsupportedPacket,
}
impl Exception {
    /// Its bit in the mask of exceptions (`kfd_ioctl.h`, `kfd_dbg_trap_exception_code`).
    pub const fn payload(self) -> u64 {
        match self {
            Self::UnsupportedPacket => 1 << 19,
        }
    }
    /// What the packet processor writes into the inactive signal where no handler is installed.
    pub const fn code(self) -> u64 {
        match self {
            Self::UnsupportedPacket => 32,
        }
    }
}
