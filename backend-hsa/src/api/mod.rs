//! Every call of the runtime, once: safe functions over types that leave no wrong argument to pass.
//!
//! A handle type of this module is made by the call that creates the thing, so that it names a thing of the runtime; things
//! keep the runtime alive ([`Runtime`](crate::Runtime)), so that it is up when they are used.

mod agents;
mod memory;
mod profiling;
mod queues;
mod signals;

use std::ffi::{CStr, c_char, c_void};

pub use agents::AgentKind;
pub(crate) use agents::{AgentHandle, HdpRegister};
pub(crate) use memory::{Pool, PoolFlags, PoolKind};
pub(crate) use queues::{PACKET, RawQueue};
pub(crate) use signals::{HsaSignal, IpcName};

use crate::{
    error::{HsaError, Status},
    sys::{Functions, Library, SignalCreateV2, hsa_amd_event_t, hsa_status_t, hsa_system_info_t},
};

/// The runtime's functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Api(&'static Library);

impl Api {
    pub(crate) const fn new(library: &'static Library) -> Self {
        Self(library)
    }

    pub(crate) fn library(self) -> &'static Library {
        self.0
    }

    fn functions(self) -> &'static Functions {
        self.0.functions()
    }

    fn create_v2(self) -> Option<SignalCreateV2> {
        self.0.signal_create_v2()
    }

    /// `status` as an error of `call`, unless it is success.
    pub(crate) fn check(self, call: &'static str, status: hsa_status_t) -> Result<(), HsaError> {
        if status == hsa_status_t::HSA_STATUS_SUCCESS {
            Ok(())
        } else {
            Err(HsaError::Call { call, status: self.status(status) })
        }
    }

    /// `status` with the runtime's words.
    #[cold]
    pub(crate) fn status(self, status: hsa_status_t) -> Status {
        let mut text: *const c_char = std::ptr::null();
        // SAFETY: `text` is writable.
        let known = unsafe { self.functions().hsa_status_string(status, &raw mut text) };
        if known != hsa_status_t::HSA_STATUS_SUCCESS || text.is_null() {
            return Status::new(status, "");
        }
        // SAFETY: the runtime's words are constants that end in 0, and its library is never unloaded.
        let text: &'static CStr = unsafe { CStr::from_ptr(text) };
        Status::new(status, text.to_str().unwrap_or(""))
    }

    /// `hsa_init`: the runtime counts.
    pub(crate) fn init(self) -> Result<(), HsaError> {
        // SAFETY: no precondition.
        self.check("hsa_init", unsafe { self.functions().hsa_init() })
    }

    /// `hsa_shut_down`.
    ///
    /// # Safety
    /// It was initialised once for this call, and nothing that was made since is used any more.
    pub(crate) unsafe fn shut_down(self) -> Result<(), HsaError> {
        // SAFETY: the caller promised what this needs.
        self.check("hsa_shut_down", unsafe { self.functions().hsa_shut_down() })
    }

    /// Frequency of the clock that all agents' times are converted to, in ticks a second.
    pub(crate) fn frequency(self) -> Result<u64, HsaError> {
        let mut ticks = 0_u64;
        let what = hsa_system_info_t::HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY;
        // SAFETY: the attribute is 64 bits long.
        unsafe { self.system(what, (&raw mut ticks).cast()) }?;
        Ok(ticks)
    }

    /// Version of the HSA interface, or of AMD's extensions, in two halves. Older runtimes do not know the latter's.
    pub(crate) fn version(
        self,
        [major, minor]: [hsa_system_info_t; 2],
    ) -> Result<[u16; 2], HsaError> {
        let mut parts = [0_u16; 2];
        for (part, what) in parts.iter_mut().zip([major, minor]) {
            // SAFETY: the attributes that are asked for here are 16 bits long.
            unsafe { self.system(what, (&raw mut *part).cast()) }?;
        }
        Ok(parts)
    }

    /// What the runtime calls its build, where it says.
    pub(crate) fn build(self) -> Option<&'static str> {
        let mut text: *const c_char = std::ptr::null();
        let what = hsa_system_info_t::HSA_AMD_SYSTEM_INFO_BUILD_VERSION;
        // SAFETY: the attribute is a pointer.
        unsafe { self.system(what, (&raw mut text).cast()) }.ok()?;
        if text.is_null() {
            return None;
        }
        // SAFETY: it points to a constant of the library, which is never unloaded.
        unsafe { CStr::from_ptr(text) }.to_str().ok()
    }

    /// # Safety
    /// `value` is as long as the attribute.
    unsafe fn system(self, what: hsa_system_info_t, value: *mut c_void) -> Result<(), HsaError> {
        // SAFETY: the caller promised that the attribute fits.
        let status = unsafe { self.functions().hsa_system_get_info(what, value) };
        self.check("hsa_system_get_info", status)
    }

    /// Whether anybody in the process has initialised it and not shut it down.
    pub(crate) fn is_up(self) -> bool {
        let version = [
            hsa_system_info_t::HSA_SYSTEM_INFO_VERSION_MAJOR,
            hsa_system_info_t::HSA_SYSTEM_INFO_VERSION_MINOR,
        ];
        let down = hsa_status_t::HSA_STATUS_ERROR_NOT_INITIALIZED;
        !matches!(self.version(version), Err(HsaError::Call { status, .. }) if status.is(down))
    }

    /// Has `on_event` called with this library for memory faults and lost GPUs, on a thread of the runtime, as long as that is
    /// up. The process is aborted unless a handler answers with success.
    pub(crate) fn on_system_event(
        self,
        on_event: unsafe extern "C" fn(*const hsa_amd_event_t, *mut c_void) -> hsa_status_t,
    ) -> Result<(), HsaError> {
        let library = std::ptr::from_ref(self.0).cast_mut().cast();
        // SAFETY: the handler is a function of this program, and of its data takes the address alone.
        let status = unsafe {
            self.functions().hsa_amd_register_system_event_handler(Some(on_event), library)
        };
        self.check("hsa_amd_register_system_event_handler", status)
    }
}
