//! Whether a GPU lives, and who wants to know.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use ringfence::backend::{DeviceStatus, HandlerToken};

use crate::{device::WeakDevice, error::Status};

/// Why a GPU was lost. The first reason is kept.
///
/// ```no_run
/// use ringfence_hsa::{HsaDevice, Loss};
/// fn told(gpu: &HsaDevice) -> String {
///     match gpu.loss() {
///         None => "it works".to_owned(),
///         Some(Loss::MemoryFault { address, .. }) => format!("a kernel went astray, to {address:#x}"),
///         Some(loss) => loss.to_string(),
///     }
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Loss {
    /// The runtime reported that a queue of it failed: what is in it, and what waits for that, never finishes.
    Queue(Status),
    /// It touched memory that it may not. The runtime reports the first of a process alone: of another GPU's fault after that
    /// nothing is heard, and waits for it end at their limit.
    MemoryFault {
        /// Where.
        address: u64,
        /// Bits of `hsa_amd_memory_fault_reason_t`.
        reason: u32,
    },
    /// Its memory is in error.
    MemoryError {
        /// Where.
        address: u64,
        /// Bits of `hsa_amd_memory_error_reason_t`.
        reason: u32,
    },
    /// It was reset, or hung.
    Hardware {
        /// Of `hsa_amd_hw_exception_reset_cause_t`: 1 a hang, 2 an error of its memory.
        cause: u32,
    },
    /// The program said so.
    Reported,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Queue(status) => write!(f, "a queue failed with {status}"),
            Self::MemoryFault { address, reason } => {
                write!(f, "a memory fault at {address:#x} (reason {reason:#x})")
            }
            Self::MemoryError { address, reason } => {
                write!(f, "a memory error at {address:#x} (reason {reason:#x})")
            }
            Self::Hardware { cause } => write!(f, "the hardware was reset or hung (cause {cause})"),
            Self::Reported => f.write_str("it was reported lost by the program"),
        }
    }
}

/// A GPU's life.
#[derive(Debug, Default)]
pub(crate) struct Life {
    lost: AtomicBool,
    /// A memory fault was reported, first or later.
    faulted: AtomicBool,
    cause: OnceLock<Loss>,
    watches: Mutex<BTreeMap<WatchId, Watch>>,
}

/// Names a watch of one GPU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct WatchId(pub(crate) u64);

/// Who is told of what.
#[derive(Debug)]
pub(crate) struct Watch {
    /// It holds this [`Life`], which so must not hold it.
    pub(crate) device: WeakDevice,
    pub(crate) token: HandlerToken,
}

impl Watch {
    /// Tells whoever is to be told, if the device is still open.
    pub(crate) fn report(self) {
        if let Some(device) = self.device.upgrade() {
            device.tell(self.token);
        }
    }
}

impl Life {
    pub(crate) fn status(&self) -> DeviceStatus {
        if self.lost.load(Ordering::Acquire) { DeviceStatus::Lost } else { DeviceStatus::Alive }
    }

    pub(crate) fn loss(&self) -> Option<Loss> {
        match self.status() {
            DeviceStatus::Lost => self.cause.get().copied(),
            DeviceStatus::Alive => None,
        }
    }

    /// Whether a memory fault is among the reasons, of which [`loss`](Self::loss) says the first.
    pub(crate) fn has_faulted(&self) -> bool {
        self.faulted.load(Ordering::Acquire)
    }

    /// The GPU is lost from now on; everything that is watched is reported, by the calling thread.
    pub(crate) fn lose(&self, loss: Loss) {
        if matches!(loss, Loss::MemoryFault { .. }) {
            // Before the loss is seen: whoever sees it lets go of queues.
            self.faulted.store(true, Ordering::Release);
        }
        let _first_stays = self.cause.set(loss);
        let watches = {
            let mut watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
            self.lost.store(true, Ordering::Release);
            std::mem::take(&mut *watches)
        };
        watches.into_values().for_each(Watch::report);
    }

    /// Keeps a watch, unless the GPU is lost.
    pub(crate) fn keep(&self, id: WatchId, watch: Watch) -> DeviceStatus {
        let mut watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
        if self.status() == DeviceStatus::Lost {
            return DeviceStatus::Lost;
        }
        watches.insert(id, watch);
        DeviceStatus::Alive
    }

    /// Takes a watch: one of those who want to report it gets it.
    pub(crate) fn take(&self, id: WatchId) -> Option<Watch> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner).remove(&id)
    }
}
