use super::*;
use crate::sys::{
    hsa_amd_event_s__bindgen_ty_1 as of, hsa_amd_gpu_memory_error_info_t,
    hsa_amd_gpu_memory_fault_info_t,
};

fn answer(event: &hsa_amd_event_t) -> hsa_status_t {
    // SAFETY: the event is there; of the data, no more than the address is taken.
    unsafe { on_system_event(event, ptr::null_mut()) }
}

/// Nobody's runtime is up: the runtime's own message and end of the process are not to be kept from whoever uses the GPU.
#[test]
fn an_event_of_nobodys_gpu_is_left_to_the_runtime() {
    let agent = hsa_agent_t { handle: 0x5eed };
    let fault =
        hsa_amd_gpu_memory_fault_info_t { agent, virtual_address: 0x1000, fault_reason_mask: 1 };
    let error =
        hsa_amd_gpu_memory_error_info_t { agent, virtual_address: 0x1000, error_reason_mask: 1 };
    for (kind, of) in [
        (hsa_amd_event_type_s::HSA_AMD_GPU_MEMORY_FAULT_EVENT, of { memory_fault: fault }),
        (hsa_amd_event_type_s::HSA_AMD_GPU_MEMORY_ERROR_EVENT, of { memory_error: error }),
        // A kind that this crate does not know.
        (hsa_amd_event_type_s(0xffff), of { memory_fault: fault }),
    ] {
        let event = hsa_amd_event_t { event_type: kind, __bindgen_anon_1: of };
        assert_eq!(answer(&event), hsa_status_t::HSA_STATUS_ERROR, "{kind:?}");
    }
}

/// A runtime that was shut down by everybody, and is started again, waits for faults again.
#[test]
fn a_shutdown_of_the_runtime_ends_its_deafness() {
    let library = ptr::from_ref(&SHUTDOWN).addr();
    let since = Loss::Hardware { cause: 1 };
    deaf().push(Deaf { library, since });
    let event = hsa_amd_event_t {
        event_type: hsa_amd_event_type_s(SHUTDOWN),
        __bindgen_anon_1: of {
            memory_fault: hsa_amd_gpu_memory_fault_info_t {
                agent: hsa_agent_t { handle: 0 },
                virtual_address: 0,
                fault_reason_mask: 0,
            },
        },
    };
    // SAFETY: the event is there; of the data, no more than the address is taken.
    let answer = unsafe { on_system_event(&event, ptr::without_provenance_mut(library)) };
    assert_eq!(answer, hsa_status_t::HSA_STATUS_SUCCESS);
    assert!(!deaf().iter().any(|one| one.library == library));
}
