//! The runtime, from `hsa_init` to `hsa_shut_down`.

use std::{
    ffi::{CStr, c_void},
    time::Duration,
};

use ringfence_hsa::sys::{
    Functions, Library, hsa_agent_t, hsa_amd_queue_priority_s, hsa_status_t, hsa_system_info_t,
};

use super::Agent;

/// The runtime, initialised. What it made borrows it.
#[derive(Debug)]
pub struct Runtime {
    functions: &'static Functions,
    /// Ticks of the system's clock in a second.
    frequency: u64,
}

/// A span of the clock that all agents' times are converted to, or of one agent's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticks {
    /// When it began.
    pub start: u64,
    /// When it ended.
    pub end: u64,
}

impl Runtime {
    /// Loads and initialises the runtime.
    ///
    /// # Panics
    /// If there is none, or no GPU driver.
    #[must_use]
    pub fn start() -> Self {
        let library = Library::load().unwrap_or_else(|error| panic!("{error}"));
        let functions = library.functions();
        let mut runtime = Self { functions, frequency: 0 };
        // SAFETY: no precondition.
        runtime.ok("hsa_init", unsafe { functions.hsa_init() });
        runtime.frequency = runtime.system(hsa_system_info_t::HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY);
        assert!(runtime.frequency > 0, "the system's clock has no frequency");
        runtime
    }

    /// Its functions.
    #[must_use]
    pub fn functions(&self) -> &'static Functions {
        self.functions
    }

    /// Panics unless `status` is success.
    #[track_caller]
    pub fn ok(&self, call: &str, status: hsa_status_t) {
        assert_eq!(
            status,
            hsa_status_t::HSA_STATUS_SUCCESS,
            "{call} failed: {}",
            self.describe(status)
        );
    }

    /// The runtime's words for `status`.
    #[must_use]
    pub fn describe(&self, status: hsa_status_t) -> String {
        let mut text = std::ptr::null();
        // SAFETY: `text` is writable.
        let known = unsafe { self.functions.hsa_status_string(status, &raw mut text) };
        if known != hsa_status_t::HSA_STATUS_SUCCESS || text.is_null() {
            return format!("{:#x}", status.0);
        }
        // SAFETY: the runtime's strings are static and end in 0.
        let text = unsafe { CStr::from_ptr(text) };
        format!("{:#x} {}", status.0, text.to_string_lossy())
    }

    /// The system's clock, in ticks.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.system(hsa_system_info_t::HSA_SYSTEM_INFO_TIMESTAMP)
    }

    /// `time` in ticks of the system's clock.
    #[must_use]
    pub fn ticks(&self, time: Duration) -> u64 {
        let ticks = time.as_nanos() * u128::from(self.frequency) / 1_000_000_000;
        u64::try_from(ticks).unwrap_or(u64::MAX)
    }

    /// Ticks of the system's clock as a time.
    #[must_use]
    pub fn time(&self, ticks: u64) -> Duration {
        Duration::from_secs_f64(ticks as f64 / self.frequency as f64)
    }

    /// All agents, in the runtime's order.
    #[must_use]
    pub fn agents(&self) -> Vec<Agent<'_>> {
        extern "C" fn visit(agent: hsa_agent_t, found: *mut c_void) -> hsa_status_t {
            // SAFETY: `found` is the vector below, which nothing else uses during the call.
            unsafe { &mut *found.cast::<Vec<hsa_agent_t>>() }.push(agent);
            hsa_status_t::HSA_STATUS_SUCCESS
        }
        let mut found: Vec<hsa_agent_t> = Vec::new();
        let data = (&raw mut found).cast();
        // SAFETY: `visit` takes what `data` is, and is called during the call alone.
        let status = unsafe { self.functions.hsa_iterate_agents(Some(visit), data) };
        self.ok("hsa_iterate_agents", status);
        found.into_iter().map(|handle| Agent::new(self, handle)).collect()
    }

    /// The priority that `hsa_amd_queue_set_priority` calls high.
    pub const HIGH: hsa_amd_queue_priority_s =
        hsa_amd_queue_priority_s::HSA_AMD_QUEUE_PRIORITY_HIGH;

    fn system(&self, what: hsa_system_info_t) -> u64 {
        let mut value = 0_u64;
        // SAFETY: the attributes asked for here are 64 bits long.
        let status = unsafe { self.functions.hsa_system_get_info(what, (&raw mut value).cast()) };
        self.ok("hsa_system_get_info", status);
        value
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        // SAFETY: it was initialised; all that it made is gone, for it borrowed this.
        let status = unsafe { self.functions.hsa_shut_down() };
        if !std::thread::panicking() {
            self.ok("hsa_shut_down", status);
        }
    }
}
