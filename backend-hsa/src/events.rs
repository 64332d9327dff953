//! What the runtime reports of whole GPUs: memory faults, resets.

use std::{
    ffi::c_void,
    sync::atomic::{AtomicBool, Ordering},
};

use crate::{
    api::Api,
    callback,
    life::Loss,
    runtime,
    sys::{hsa_agent_t, hsa_amd_event_t, hsa_amd_event_type_s, hsa_status_t},
};

/// Who hears of memory faults and lost GPUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SystemEvents {
    /// This crate.
    Ours,
    /// Somebody else in the process asked first: faults end in their handler, and only queue errors are seen here.
    Others,
}

/// Whether the runtime was once told to call this crate: where it refuses to be told again, it still does.
static LISTENS: AtomicBool = AtomicBool::new(false);

/// Has the runtime report to this crate, instead of aborting the process.
pub(crate) fn listen(api: Api) -> SystemEvents {
    match api.on_system_event(on_system_event) {
        Ok(()) => {
            LISTENS.store(true, Ordering::Relaxed);
            SystemEvents::Ours
        }
        Err(_) if LISTENS.load(Ordering::Relaxed) => SystemEvents::Ours,
        Err(_) => SystemEvents::Others,
    }
}

unsafe extern "C" fn on_system_event(
    event: *const hsa_amd_event_t,
    data: *mut c_void,
) -> hsa_status_t {
    let _ = data;
    // SAFETY: the runtime passes an event that is there during the call.
    let event = unsafe { event.read() };
    callback::on_runtime_thread(|| {
        if let Some((agent, loss)) = lost_by(&event) {
            runtime::lose(agent, loss);
        }
    });
    // A success keeps the runtime from aborting the process.
    hsa_status_t::HSA_STATUS_SUCCESS
}

fn lost_by(event: &hsa_amd_event_t) -> Option<(hsa_agent_t, Loss)> {
    match event.event_type {
        hsa_amd_event_type_s::HSA_AMD_GPU_MEMORY_FAULT_EVENT => {
            // SAFETY: the type says which member it is.
            let fault = unsafe { event.__bindgen_anon_1.memory_fault };
            let (address, reason) = (fault.virtual_address, fault.fault_reason_mask);
            Some((fault.agent, Loss::MemoryFault { address, reason }))
        }
        hsa_amd_event_type_s::HSA_AMD_GPU_MEMORY_ERROR_EVENT => {
            // SAFETY: the type says which member it is.
            let error = unsafe { event.__bindgen_anon_1.memory_error };
            let (address, reason) = (error.virtual_address, error.error_reason_mask);
            Some((error.agent, Loss::MemoryError { address, reason }))
        }
        hsa_amd_event_type_s::HSA_AMD_GPU_HW_EXCEPTION_EVENT => {
            // SAFETY: the type says which member it is.
            let exception = unsafe { event.__bindgen_anon_1.hw_exception };
            Some((exception.agent, Loss::Hardware { cause: exception.reset_cause.0 }))
        }
        _ => None,
    }
}
