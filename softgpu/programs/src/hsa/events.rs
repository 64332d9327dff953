//! What the runtime reports of the whole system: memory faults, lost devices.

use std::{
    ffi::c_void,
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use ringfence_hsa::sys::{hsa_agent_t, hsa_amd_event_t, hsa_amd_event_type_s, hsa_status_t};

use super::Runtime;

/// A report.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// A GPU touched memory that it may not.
    Memory {
        /// Which GPU.
        agent: hsa_agent_t,
        /// Where.
        address: u64,
        /// Bits of `hsa_amd_memory_fault_reason_t`.
        reason: u32,
    },
    /// A GPU was reset or hung.
    Hardware {
        /// Which GPU.
        agent: hsa_agent_t,
        /// Of `hsa_amd_hw_exception_reset_cause_t`.
        cause: u32,
    },
    /// A kind of event without a name here.
    Other(u32),
}

/// All reports so far.
#[derive(Debug)]
pub struct SystemEvents(());

static SEEN: Mutex<Vec<Fault>> = Mutex::new(Vec::new());

extern "C" fn on_event(event: *const hsa_amd_event_t, data: *mut c_void) -> hsa_status_t {
    let _ = data;
    // SAFETY: the runtime passes an event, which is there during the call.
    let event = unsafe { event.read() };
    let fault = match event.event_type {
        hsa_amd_event_type_s::HSA_AMD_GPU_MEMORY_FAULT_EVENT => {
            // SAFETY: the type says which member it is.
            let fault = unsafe { event.__bindgen_anon_1.memory_fault };
            Fault::Memory {
                agent: fault.agent,
                address: fault.virtual_address,
                reason: fault.fault_reason_mask,
            }
        }
        hsa_amd_event_type_s::HSA_AMD_GPU_HW_EXCEPTION_EVENT => {
            // SAFETY: the type says which member it is.
            let exception = unsafe { event.__bindgen_anon_1.hw_exception };
            Fault::Hardware { agent: exception.agent, cause: exception.reset_cause.0 }
        }
        other => Fault::Other(other.0),
    };
    println!("system event: {fault:x?}");
    SEEN.lock().expect("nobody panics with it").push(fault);
    hsa_status_t::HSA_STATUS_SUCCESS
}

impl SystemEvents {
    /// Has the runtime report to this process, instead of aborting it.
    #[must_use]
    pub fn listen(runtime: &Runtime) -> Self {
        let functions = runtime.functions();
        // SAFETY: the handler needs no data, and may be called at any time.
        let status = unsafe {
            functions.hsa_amd_register_system_event_handler(Some(on_event), std::ptr::null_mut())
        };
        runtime.ok("hsa_amd_register_system_event_handler", status);
        Self(())
    }

    /// The first report, waited for so long.
    #[must_use]
    pub fn first(&self, limit: Duration) -> Option<Fault> {
        let until = Instant::now() + limit;
        loop {
            let first = SEEN.lock().expect("nobody panics with it").first().copied();
            if first.is_some() || Instant::now() >= until {
                return first;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}
