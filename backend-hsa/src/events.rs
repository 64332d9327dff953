//! What the runtime reports of whole GPUs: memory faults, resets.

use std::{
    ffi::c_void,
    ptr,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    api::Api,
    callback,
    life::Loss,
    runtime::{self, Told},
    sys::{Library, hsa_agent_t, hsa_amd_event_t, hsa_amd_event_type_s, hsa_status_t},
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

/// Runtimes that reported a fault, and what it was. ROCr waits for the first memory fault and the first reset of all GPUs, and for
/// no other, until it is shut down by everybody who initialised it: what starts meanwhile would wait for ever after the next
/// (`VMFaultHandler`, `HwExceptionHandler`,
/// <https://github.com/ROCm/rocm-systems/blob/develop/projects/rocr-runtime/runtime/hsa-runtime/core/runtime/runtime.cpp>).
static DEAF: Mutex<Vec<Deaf>> = Mutex::new(Vec::new());

struct Deaf {
    library: usize,
    since: Loss,
}

fn deaf() -> MutexGuard<'static, Vec<Deaf>> {
    DEAF.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What this runtime reported, if it reports no more such faults. One that was shut down since reports them again.
pub(crate) fn deaf_since(api: Api) -> Option<Loss> {
    let library = ptr::from_ref(api.library()).addr();
    let mut deaf = deaf();
    // Asked only where it matters: somebody else may be shutting the runtime down.
    let since = deaf.iter().find(|one| one.library == library)?.since;
    if api.is_up() {
        return Some(since);
    }
    deaf.retain(|one| one.library != library);
    None
}

/// `HSA_AMD_SYSTEM_SHUTDOWN_EVENT` of newer runtimes than the bindings are of: the last of those who initialised it shuts it down.
const SHUTDOWN: u32 = 3;

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
    // SAFETY: the runtime passes an event that is there during the call.
    let event = unsafe { event.read() };
    let library = data.cast::<Library>().addr();
    if event.event_type.0 == SHUTDOWN {
        // Whoever starts it again hears of faults again.
        deaf().retain(|one| one.library != library);
        return hsa_status_t::HSA_STATUS_SUCCESS;
    }
    let told = callback::on_runtime_thread(|| {
        let Some((agent, loss)) = lost_by(&event) else { return Told::Nobody };
        if matches!(loss, Loss::MemoryFault { .. } | Loss::Hardware { .. }) {
            // Before anybody is told, who might start the runtime anew.
            deaf().push(Deaf { library, since: loss });
        }
        runtime::lose(agent, loss)
    });
    match told {
        // A success keeps the runtime from aborting the process.
        Told::Somebody => hsa_status_t::HSA_STATUS_SUCCESS,
        // It is somebody else's. The runtime calls this as long as it is up, and without an error would say nothing of a fault
        // to a process that waits for its work for ever.
        Told::Nobody => hsa_status_t::HSA_STATUS_ERROR,
    }
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

#[cfg(test)]
mod tests;
