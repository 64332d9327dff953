//! What the runtime answers, and what to do about it.

use std::fmt;

use ringfence::id::{DeviceId, SignalHandle};

use crate::sys::{LoadError, hsa_status_t};

/// AMD's number for an answer, and AMD's words.
///
/// The numbers are `hsa_status_t` of `hsa.h`
/// (<https://github.com/ROCm/rocm-systems/blob/develop/projects/rocr-runtime/runtime/hsa-runtime/inc/hsa.h>).
///
/// ```
/// use ringfence_hsa::{HsaError, Status};
/// /// The number of the runtime, for a runtime above that reports numbers.
/// fn number(error: &HsaError) -> Option<u32> {
///     match error {
///         HsaError::Call { status, .. } => Some(Status::code(*status)),
///         _ => None, // no call failed
///     }
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Status {
    code: u32,
    text: &'static str,
}

impl Status {
    pub(crate) const fn new(status: hsa_status_t, text: &'static str) -> Self {
        Self { code: status.0, text }
    }

    /// The number.
    #[must_use]
    pub const fn code(self) -> u32 {
        self.code
    }

    /// The runtime's own words; empty if it does not know the number.
    #[must_use]
    pub const fn text(self) -> &'static str {
        self.text
    }

    pub(crate) fn is(self, status: hsa_status_t) -> bool {
        self.code == status.0
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.code)?;
        if self.text.is_empty() { Ok(()) } else { write!(f, " ({})", self.text) }
    }
}

/// What went wrong with the runtime, and the way out.
///
/// ```
/// use ringfence_hsa::{HsaError, Runtime};
/// /// The runtime, or `None` on a machine that has no GPU for it.
/// fn runtime() -> Result<Option<Runtime>, HsaError> {
///     match Runtime::start() {
///         Ok(runtime) => Ok(Some(runtime)),
///         Err(HsaError::Load(_) | HsaError::NoGpu { .. }) => Ok(None),
///         Err(error) => Err(error), // it is there, and does not work
///     }
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HsaError {
    /// There is no runtime.
    #[error(
        "{0}\ninstall AMD's runtime (Debian and Ubuntu: libhsa-runtime64-1; ROCm: hsa-rocr), or name it in RINGFENCE_HSA_LIBRARY"
    )]
    Load(#[from] LoadError),
    /// A call failed.
    #[error("{call} failed with {status}{}", advice(call, *status))]
    Call {
        /// The function of the runtime.
        call: &'static str,
        /// Its answer.
        status: Status,
    },
    /// The runtime works, and knows no GPU.
    #[error(
        "the runtime knows no GPU among its {agents} agents; it leaves those out that it is too old for, and those that ROCR_VISIBLE_DEVICES hides"
    )]
    NoGpu {
        /// How many agents it knows.
        agents: usize,
    },
    /// There is no GPU with that number.
    #[error("there is no {id}: the runtime knows {count} GPUs")]
    NoSuchDevice {
        /// The number.
        id: DeviceId,
        /// How many GPUs there are.
        count: usize,
    },
    /// An agent has no memory of a kind that is needed.
    #[error(
        "{agent} has no {pool} memory pool, which this runtime should have; report it with the output of `rocminfo`"
    )]
    NoPool {
        /// The agent's name.
        agent: String,
        /// What was looked for.
        pool: &'static str,
    },
    /// Signals of this runtime are not laid out as its headers say.
    #[error(
        "this runtime's signals are not the amd_signal_t of its headers, so that their values cannot be read; use ROCr 5.2 or newer"
    )]
    SignalLayout,
    /// A handle that is not a signal, or not of a kind that the call takes.
    #[error(
        "{signal:?} is no signal that can be shared with another process; create it in `SignalMemory::Shared`"
    )]
    NotShared {
        /// The handle.
        signal: SignalHandle,
    },
    /// `on_completion` was called before.
    #[error("the device tells somebody of completions already; `on_completion` is called once")]
    ToldAlready,
    /// The runtime would say nothing of the next fault.
    #[error(
        "a GPU of this process was lost ({since}), and the runtime, which another part of the process keeps up, reports no fault after that one; restart the process, or have that part shut the runtime down before this one starts it again"
    )]
    FaultsUnheard {
        /// What it reported last.
        since: crate::Loss,
    },
    /// The device is gone.
    #[error("{id} was lost: {cause}; restart the process")]
    DeviceLost {
        /// The device.
        id: DeviceId,
        /// Why.
        cause: crate::Loss,
    },
}

/// What to do about `status` of `call`, where that is known.
fn advice(call: &str, status: Status) -> &'static str {
    match (call, hsa_status_t(status.code)) {
        ("hsa_init", _) => {
            "; is there an AMD GPU, is the driver loaded (/dev/kfd), and is this user in the groups `render` and `video`?"
        }
        ("hsa_queue_create", hsa_status_t::HSA_STATUS_ERROR_OUT_OF_RESOURCES) => {
            "; destroy queues, or ask for a smaller ring: a process has few hardware queues and each pins memory"
        }
        (_, hsa_status_t::HSA_STATUS_ERROR_OUT_OF_RESOURCES) => {
            "; free memory or signals, or look for a process that holds them"
        }
        (_, hsa_status_t::HSA_STATUS_ERROR_NOT_INITIALIZED) => {
            "; somebody else in this process shut the runtime down once too often"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests;
