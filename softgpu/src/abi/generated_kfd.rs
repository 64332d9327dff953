//! The kernel's interface to compute on AMD GPUs, generated from `linux/kfd_ioctl.h` of Linux (minor version 23),
//! with the checks of every size and offset that bindgen writes:
//!
//! ```text
//! bindgen linux/kfd_ioctl.h --use-core --no-doc-comments --with-derive-default --merge-extern-blocks \
//!     --allowlist-type "kfd_ioctl_.*_args|kfd_event_data|kfd_process_device_apertures"
//! ```
#![allow(non_camel_case_types, non_snake_case, missing_docs, unreachable_pub, clippy::all, reason = "generated")]
#![allow(
    clippy::allow_attributes_without_reason, clippy::undocumented_unsafe_blocks,
    clippy::multiple_unsafe_ops_per_block, reason = "generated"
)]

pub const KFD_IOC_QUEUE_TYPE_COMPUTE: u32 = 0;
pub const KFD_IOC_QUEUE_TYPE_SDMA: u32 = 1;
pub const KFD_IOC_QUEUE_TYPE_COMPUTE_AQL: u32 = 2;
pub const KFD_IOC_QUEUE_TYPE_SDMA_XGMI: u32 = 3;
pub const KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID: u32 = 4;
pub const KFD_IOC_EVENT_SIGNAL: u32 = 0;
pub const KFD_IOC_EVENT_NODECHANGE: u32 = 1;
pub const KFD_IOC_EVENT_DEVICESTATECHANGE: u32 = 2;
pub const KFD_IOC_EVENT_HW_EXCEPTION: u32 = 3;
pub const KFD_IOC_EVENT_SYSTEM_EVENT: u32 = 4;
pub const KFD_IOC_EVENT_DEBUG_EVENT: u32 = 5;
pub const KFD_IOC_EVENT_PROFILE_EVENT: u32 = 6;
pub const KFD_IOC_EVENT_QUEUE_EVENT: u32 = 7;
pub const KFD_IOC_EVENT_MEMORY: u32 = 8;
pub const KFD_IOC_WAIT_RESULT_COMPLETE: u32 = 0;
pub const KFD_IOC_WAIT_RESULT_TIMEOUT: u32 = 1;
pub const KFD_IOC_WAIT_RESULT_FAIL: u32 = 2;
pub const KFD_IOC_ALLOC_MEM_FLAGS_VRAM: u32 = 1;
pub const KFD_IOC_ALLOC_MEM_FLAGS_GTT: u32 = 2;
pub const KFD_IOC_ALLOC_MEM_FLAGS_USERPTR: u32 = 4;
pub const KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL: u32 = 8;
pub const KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP: u32 = 16;
pub const KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE: u32 = 2147483648;
pub const KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE: u32 = 1073741824;
pub const KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC: u32 = 536870912;
pub const KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE: u32 = 268435456;
pub const KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM: u32 = 134217728;
pub const KFD_IOC_ALLOC_MEM_FLAGS_COHERENT: u32 = 67108864;
pub const KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED: u32 = 33554432;
pub const KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT: u32 = 16777216;
pub const KFD_IOC_ALLOC_MEM_FLAGS_CONTIGUOUS: u32 = 8388608;
pub type __s32 = ::core::ffi::c_int;
pub type __u32 = ::core::ffi::c_uint;
pub type __u64 = ::core::ffi::c_ulonglong;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_get_version_args {
    pub major_version: __u32,
    pub minor_version: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_get_version_args"]
        [::core::mem::size_of::<kfd_ioctl_get_version_args>() - 8usize];
    ["Alignment of kfd_ioctl_get_version_args"]
        [::core::mem::align_of::<kfd_ioctl_get_version_args>() - 4usize];
    ["Offset of field: kfd_ioctl_get_version_args::major_version"]
        [::core::mem::offset_of!(kfd_ioctl_get_version_args, major_version) - 0usize];
    ["Offset of field: kfd_ioctl_get_version_args::minor_version"]
        [::core::mem::offset_of!(kfd_ioctl_get_version_args, minor_version) - 4usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_create_queue_args {
    pub ring_base_address: __u64,
    pub write_pointer_address: __u64,
    pub read_pointer_address: __u64,
    pub doorbell_offset: __u64,
    pub ring_size: __u32,
    pub gpu_id: __u32,
    pub queue_type: __u32,
    pub queue_percentage: __u32,
    pub queue_priority: __u32,
    pub queue_id: __u32,
    pub eop_buffer_address: __u64,
    pub eop_buffer_size: __u64,
    pub ctx_save_restore_address: __u64,
    pub ctx_save_restore_size: __u32,
    pub ctl_stack_size: __u32,
    pub sdma_engine_id: __u32,
    pub metadata_ring_size: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_create_queue_args"]
        [::core::mem::size_of::<kfd_ioctl_create_queue_args>() - 96usize];
    ["Alignment of kfd_ioctl_create_queue_args"]
        [::core::mem::align_of::<kfd_ioctl_create_queue_args>() - 8usize];
    ["Offset of field: kfd_ioctl_create_queue_args::ring_base_address"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, ring_base_address) - 0usize];
    ["Offset of field: kfd_ioctl_create_queue_args::write_pointer_address"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, write_pointer_address) - 8usize];
    ["Offset of field: kfd_ioctl_create_queue_args::read_pointer_address"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, read_pointer_address) - 16usize];
    ["Offset of field: kfd_ioctl_create_queue_args::doorbell_offset"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, doorbell_offset) - 24usize];
    ["Offset of field: kfd_ioctl_create_queue_args::ring_size"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, ring_size) - 32usize];
    ["Offset of field: kfd_ioctl_create_queue_args::gpu_id"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, gpu_id) - 36usize];
    ["Offset of field: kfd_ioctl_create_queue_args::queue_type"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, queue_type) - 40usize];
    ["Offset of field: kfd_ioctl_create_queue_args::queue_percentage"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, queue_percentage) - 44usize];
    ["Offset of field: kfd_ioctl_create_queue_args::queue_priority"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, queue_priority) - 48usize];
    ["Offset of field: kfd_ioctl_create_queue_args::queue_id"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, queue_id) - 52usize];
    ["Offset of field: kfd_ioctl_create_queue_args::eop_buffer_address"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, eop_buffer_address) - 56usize];
    ["Offset of field: kfd_ioctl_create_queue_args::eop_buffer_size"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, eop_buffer_size) - 64usize];
    ["Offset of field: kfd_ioctl_create_queue_args::ctx_save_restore_address"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, ctx_save_restore_address) - 72usize];
    ["Offset of field: kfd_ioctl_create_queue_args::ctx_save_restore_size"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, ctx_save_restore_size) - 80usize];
    ["Offset of field: kfd_ioctl_create_queue_args::ctl_stack_size"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, ctl_stack_size) - 84usize];
    ["Offset of field: kfd_ioctl_create_queue_args::sdma_engine_id"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, sdma_engine_id) - 88usize];
    ["Offset of field: kfd_ioctl_create_queue_args::metadata_ring_size"]
        [::core::mem::offset_of!(kfd_ioctl_create_queue_args, metadata_ring_size) - 92usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_destroy_queue_args {
    pub queue_id: __u32,
    pub pad: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_destroy_queue_args"]
        [::core::mem::size_of::<kfd_ioctl_destroy_queue_args>() - 8usize];
    ["Alignment of kfd_ioctl_destroy_queue_args"]
        [::core::mem::align_of::<kfd_ioctl_destroy_queue_args>() - 4usize];
    ["Offset of field: kfd_ioctl_destroy_queue_args::queue_id"]
        [::core::mem::offset_of!(kfd_ioctl_destroy_queue_args, queue_id) - 0usize];
    ["Offset of field: kfd_ioctl_destroy_queue_args::pad"]
        [::core::mem::offset_of!(kfd_ioctl_destroy_queue_args, pad) - 4usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_update_queue_args {
    pub ring_base_address: __u64,
    pub queue_id: __u32,
    pub ring_size: __u32,
    pub queue_percentage: __u32,
    pub queue_priority: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_update_queue_args"]
        [::core::mem::size_of::<kfd_ioctl_update_queue_args>() - 24usize];
    ["Alignment of kfd_ioctl_update_queue_args"]
        [::core::mem::align_of::<kfd_ioctl_update_queue_args>() - 8usize];
    ["Offset of field: kfd_ioctl_update_queue_args::ring_base_address"]
        [::core::mem::offset_of!(kfd_ioctl_update_queue_args, ring_base_address) - 0usize];
    ["Offset of field: kfd_ioctl_update_queue_args::queue_id"]
        [::core::mem::offset_of!(kfd_ioctl_update_queue_args, queue_id) - 8usize];
    ["Offset of field: kfd_ioctl_update_queue_args::ring_size"]
        [::core::mem::offset_of!(kfd_ioctl_update_queue_args, ring_size) - 12usize];
    ["Offset of field: kfd_ioctl_update_queue_args::queue_percentage"]
        [::core::mem::offset_of!(kfd_ioctl_update_queue_args, queue_percentage) - 16usize];
    ["Offset of field: kfd_ioctl_update_queue_args::queue_priority"]
        [::core::mem::offset_of!(kfd_ioctl_update_queue_args, queue_priority) - 20usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_get_available_memory_args {
    pub available: __u64,
    pub gpu_id: __u32,
    pub pad: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_get_available_memory_args"]
        [::core::mem::size_of::<kfd_ioctl_get_available_memory_args>() - 16usize];
    ["Alignment of kfd_ioctl_get_available_memory_args"]
        [::core::mem::align_of::<kfd_ioctl_get_available_memory_args>() - 8usize];
    ["Offset of field: kfd_ioctl_get_available_memory_args::available"]
        [::core::mem::offset_of!(kfd_ioctl_get_available_memory_args, available) - 0usize];
    ["Offset of field: kfd_ioctl_get_available_memory_args::gpu_id"]
        [::core::mem::offset_of!(kfd_ioctl_get_available_memory_args, gpu_id) - 8usize];
    ["Offset of field: kfd_ioctl_get_available_memory_args::pad"]
        [::core::mem::offset_of!(kfd_ioctl_get_available_memory_args, pad) - 12usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_get_clock_counters_args {
    pub gpu_clock_counter: __u64,
    pub cpu_clock_counter: __u64,
    pub system_clock_counter: __u64,
    pub system_clock_freq: __u64,
    pub gpu_id: __u32,
    pub pad: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_get_clock_counters_args"]
        [::core::mem::size_of::<kfd_ioctl_get_clock_counters_args>() - 40usize];
    ["Alignment of kfd_ioctl_get_clock_counters_args"]
        [::core::mem::align_of::<kfd_ioctl_get_clock_counters_args>() - 8usize];
    ["Offset of field: kfd_ioctl_get_clock_counters_args::gpu_clock_counter"]
        [::core::mem::offset_of!(kfd_ioctl_get_clock_counters_args, gpu_clock_counter) - 0usize];
    ["Offset of field: kfd_ioctl_get_clock_counters_args::cpu_clock_counter"]
        [::core::mem::offset_of!(kfd_ioctl_get_clock_counters_args, cpu_clock_counter) - 8usize];
    ["Offset of field: kfd_ioctl_get_clock_counters_args::system_clock_counter"][::core::mem::offset_of!(
        kfd_ioctl_get_clock_counters_args,
        system_clock_counter
    ) - 16usize];
    ["Offset of field: kfd_ioctl_get_clock_counters_args::system_clock_freq"]
        [::core::mem::offset_of!(kfd_ioctl_get_clock_counters_args, system_clock_freq) - 24usize];
    ["Offset of field: kfd_ioctl_get_clock_counters_args::gpu_id"]
        [::core::mem::offset_of!(kfd_ioctl_get_clock_counters_args, gpu_id) - 32usize];
    ["Offset of field: kfd_ioctl_get_clock_counters_args::pad"]
        [::core::mem::offset_of!(kfd_ioctl_get_clock_counters_args, pad) - 36usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_process_device_apertures {
    pub lds_base: __u64,
    pub lds_limit: __u64,
    pub scratch_base: __u64,
    pub scratch_limit: __u64,
    pub gpuvm_base: __u64,
    pub gpuvm_limit: __u64,
    pub gpu_id: __u32,
    pub pad: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_process_device_apertures"]
        [::core::mem::size_of::<kfd_process_device_apertures>() - 56usize];
    ["Alignment of kfd_process_device_apertures"]
        [::core::mem::align_of::<kfd_process_device_apertures>() - 8usize];
    ["Offset of field: kfd_process_device_apertures::lds_base"]
        [::core::mem::offset_of!(kfd_process_device_apertures, lds_base) - 0usize];
    ["Offset of field: kfd_process_device_apertures::lds_limit"]
        [::core::mem::offset_of!(kfd_process_device_apertures, lds_limit) - 8usize];
    ["Offset of field: kfd_process_device_apertures::scratch_base"]
        [::core::mem::offset_of!(kfd_process_device_apertures, scratch_base) - 16usize];
    ["Offset of field: kfd_process_device_apertures::scratch_limit"]
        [::core::mem::offset_of!(kfd_process_device_apertures, scratch_limit) - 24usize];
    ["Offset of field: kfd_process_device_apertures::gpuvm_base"]
        [::core::mem::offset_of!(kfd_process_device_apertures, gpuvm_base) - 32usize];
    ["Offset of field: kfd_process_device_apertures::gpuvm_limit"]
        [::core::mem::offset_of!(kfd_process_device_apertures, gpuvm_limit) - 40usize];
    ["Offset of field: kfd_process_device_apertures::gpu_id"]
        [::core::mem::offset_of!(kfd_process_device_apertures, gpu_id) - 48usize];
    ["Offset of field: kfd_process_device_apertures::pad"]
        [::core::mem::offset_of!(kfd_process_device_apertures, pad) - 52usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_get_process_apertures_new_args {
    pub kfd_process_device_apertures_ptr: __u64,
    pub num_of_nodes: __u32,
    pub pad: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_get_process_apertures_new_args"]
        [::core::mem::size_of::<kfd_ioctl_get_process_apertures_new_args>() - 16usize];
    ["Alignment of kfd_ioctl_get_process_apertures_new_args"]
        [::core::mem::align_of::<kfd_ioctl_get_process_apertures_new_args>() - 8usize];
    ["Offset of field: kfd_ioctl_get_process_apertures_new_args::kfd_process_device_apertures_ptr"]
        [::core::mem::offset_of!(
            kfd_ioctl_get_process_apertures_new_args,
            kfd_process_device_apertures_ptr
        ) - 0usize];
    ["Offset of field: kfd_ioctl_get_process_apertures_new_args::num_of_nodes"]
        [::core::mem::offset_of!(kfd_ioctl_get_process_apertures_new_args, num_of_nodes) - 8usize];
    ["Offset of field: kfd_ioctl_get_process_apertures_new_args::pad"]
        [::core::mem::offset_of!(kfd_ioctl_get_process_apertures_new_args, pad) - 12usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_create_event_args {
    pub event_page_offset: __u64,
    pub event_trigger_data: __u32,
    pub event_type: __u32,
    pub auto_reset: __u32,
    pub node_id: __u32,
    pub event_id: __u32,
    pub event_slot_index: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_create_event_args"]
        [::core::mem::size_of::<kfd_ioctl_create_event_args>() - 32usize];
    ["Alignment of kfd_ioctl_create_event_args"]
        [::core::mem::align_of::<kfd_ioctl_create_event_args>() - 8usize];
    ["Offset of field: kfd_ioctl_create_event_args::event_page_offset"]
        [::core::mem::offset_of!(kfd_ioctl_create_event_args, event_page_offset) - 0usize];
    ["Offset of field: kfd_ioctl_create_event_args::event_trigger_data"]
        [::core::mem::offset_of!(kfd_ioctl_create_event_args, event_trigger_data) - 8usize];
    ["Offset of field: kfd_ioctl_create_event_args::event_type"]
        [::core::mem::offset_of!(kfd_ioctl_create_event_args, event_type) - 12usize];
    ["Offset of field: kfd_ioctl_create_event_args::auto_reset"]
        [::core::mem::offset_of!(kfd_ioctl_create_event_args, auto_reset) - 16usize];
    ["Offset of field: kfd_ioctl_create_event_args::node_id"]
        [::core::mem::offset_of!(kfd_ioctl_create_event_args, node_id) - 20usize];
    ["Offset of field: kfd_ioctl_create_event_args::event_id"]
        [::core::mem::offset_of!(kfd_ioctl_create_event_args, event_id) - 24usize];
    ["Offset of field: kfd_ioctl_create_event_args::event_slot_index"]
        [::core::mem::offset_of!(kfd_ioctl_create_event_args, event_slot_index) - 28usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_destroy_event_args {
    pub event_id: __u32,
    pub pad: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_destroy_event_args"]
        [::core::mem::size_of::<kfd_ioctl_destroy_event_args>() - 8usize];
    ["Alignment of kfd_ioctl_destroy_event_args"]
        [::core::mem::align_of::<kfd_ioctl_destroy_event_args>() - 4usize];
    ["Offset of field: kfd_ioctl_destroy_event_args::event_id"]
        [::core::mem::offset_of!(kfd_ioctl_destroy_event_args, event_id) - 0usize];
    ["Offset of field: kfd_ioctl_destroy_event_args::pad"]
        [::core::mem::offset_of!(kfd_ioctl_destroy_event_args, pad) - 4usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_set_event_args {
    pub event_id: __u32,
    pub pad: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_set_event_args"]
        [::core::mem::size_of::<kfd_ioctl_set_event_args>() - 8usize];
    ["Alignment of kfd_ioctl_set_event_args"]
        [::core::mem::align_of::<kfd_ioctl_set_event_args>() - 4usize];
    ["Offset of field: kfd_ioctl_set_event_args::event_id"]
        [::core::mem::offset_of!(kfd_ioctl_set_event_args, event_id) - 0usize];
    ["Offset of field: kfd_ioctl_set_event_args::pad"]
        [::core::mem::offset_of!(kfd_ioctl_set_event_args, pad) - 4usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_reset_event_args {
    pub event_id: __u32,
    pub pad: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_reset_event_args"]
        [::core::mem::size_of::<kfd_ioctl_reset_event_args>() - 8usize];
    ["Alignment of kfd_ioctl_reset_event_args"]
        [::core::mem::align_of::<kfd_ioctl_reset_event_args>() - 4usize];
    ["Offset of field: kfd_ioctl_reset_event_args::event_id"]
        [::core::mem::offset_of!(kfd_ioctl_reset_event_args, event_id) - 0usize];
    ["Offset of field: kfd_ioctl_reset_event_args::pad"]
        [::core::mem::offset_of!(kfd_ioctl_reset_event_args, pad) - 4usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_memory_exception_failure {
    pub NotPresent: __u32,
    pub ReadOnly: __u32,
    pub NoExecute: __u32,
    pub imprecise: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_memory_exception_failure"]
        [::core::mem::size_of::<kfd_memory_exception_failure>() - 16usize];
    ["Alignment of kfd_memory_exception_failure"]
        [::core::mem::align_of::<kfd_memory_exception_failure>() - 4usize];
    ["Offset of field: kfd_memory_exception_failure::NotPresent"]
        [::core::mem::offset_of!(kfd_memory_exception_failure, NotPresent) - 0usize];
    ["Offset of field: kfd_memory_exception_failure::ReadOnly"]
        [::core::mem::offset_of!(kfd_memory_exception_failure, ReadOnly) - 4usize];
    ["Offset of field: kfd_memory_exception_failure::NoExecute"]
        [::core::mem::offset_of!(kfd_memory_exception_failure, NoExecute) - 8usize];
    ["Offset of field: kfd_memory_exception_failure::imprecise"]
        [::core::mem::offset_of!(kfd_memory_exception_failure, imprecise) - 12usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_hsa_memory_exception_data {
    pub failure: kfd_memory_exception_failure,
    pub va: __u64,
    pub gpu_id: __u32,
    pub ErrorType: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_hsa_memory_exception_data"]
        [::core::mem::size_of::<kfd_hsa_memory_exception_data>() - 32usize];
    ["Alignment of kfd_hsa_memory_exception_data"]
        [::core::mem::align_of::<kfd_hsa_memory_exception_data>() - 8usize];
    ["Offset of field: kfd_hsa_memory_exception_data::failure"]
        [::core::mem::offset_of!(kfd_hsa_memory_exception_data, failure) - 0usize];
    ["Offset of field: kfd_hsa_memory_exception_data::va"]
        [::core::mem::offset_of!(kfd_hsa_memory_exception_data, va) - 16usize];
    ["Offset of field: kfd_hsa_memory_exception_data::gpu_id"]
        [::core::mem::offset_of!(kfd_hsa_memory_exception_data, gpu_id) - 24usize];
    ["Offset of field: kfd_hsa_memory_exception_data::ErrorType"]
        [::core::mem::offset_of!(kfd_hsa_memory_exception_data, ErrorType) - 28usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_hsa_hw_exception_data {
    pub reset_type: __u32,
    pub reset_cause: __u32,
    pub memory_lost: __u32,
    pub gpu_id: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_hsa_hw_exception_data"]
        [::core::mem::size_of::<kfd_hsa_hw_exception_data>() - 16usize];
    ["Alignment of kfd_hsa_hw_exception_data"]
        [::core::mem::align_of::<kfd_hsa_hw_exception_data>() - 4usize];
    ["Offset of field: kfd_hsa_hw_exception_data::reset_type"]
        [::core::mem::offset_of!(kfd_hsa_hw_exception_data, reset_type) - 0usize];
    ["Offset of field: kfd_hsa_hw_exception_data::reset_cause"]
        [::core::mem::offset_of!(kfd_hsa_hw_exception_data, reset_cause) - 4usize];
    ["Offset of field: kfd_hsa_hw_exception_data::memory_lost"]
        [::core::mem::offset_of!(kfd_hsa_hw_exception_data, memory_lost) - 8usize];
    ["Offset of field: kfd_hsa_hw_exception_data::gpu_id"]
        [::core::mem::offset_of!(kfd_hsa_hw_exception_data, gpu_id) - 12usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_hsa_signal_event_data {
    pub last_event_age: __u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_hsa_signal_event_data"]
        [::core::mem::size_of::<kfd_hsa_signal_event_data>() - 8usize];
    ["Alignment of kfd_hsa_signal_event_data"]
        [::core::mem::align_of::<kfd_hsa_signal_event_data>() - 8usize];
    ["Offset of field: kfd_hsa_signal_event_data::last_event_age"]
        [::core::mem::offset_of!(kfd_hsa_signal_event_data, last_event_age) - 0usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub struct kfd_event_data {
    pub __bindgen_anon_1: kfd_event_data__bindgen_ty_1,
    pub kfd_event_data_ext: __u64,
    pub event_id: __u32,
    pub pad: __u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union kfd_event_data__bindgen_ty_1 {
    pub memory_exception_data: kfd_hsa_memory_exception_data,
    pub hw_exception_data: kfd_hsa_hw_exception_data,
    pub signal_event_data: kfd_hsa_signal_event_data,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_event_data__bindgen_ty_1"]
        [::core::mem::size_of::<kfd_event_data__bindgen_ty_1>() - 32usize];
    ["Alignment of kfd_event_data__bindgen_ty_1"]
        [::core::mem::align_of::<kfd_event_data__bindgen_ty_1>() - 8usize];
    ["Offset of field: kfd_event_data__bindgen_ty_1::memory_exception_data"]
        [::core::mem::offset_of!(kfd_event_data__bindgen_ty_1, memory_exception_data) - 0usize];
    ["Offset of field: kfd_event_data__bindgen_ty_1::hw_exception_data"]
        [::core::mem::offset_of!(kfd_event_data__bindgen_ty_1, hw_exception_data) - 0usize];
    ["Offset of field: kfd_event_data__bindgen_ty_1::signal_event_data"]
        [::core::mem::offset_of!(kfd_event_data__bindgen_ty_1, signal_event_data) - 0usize];
};
impl Default for kfd_event_data__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_event_data"][::core::mem::size_of::<kfd_event_data>() - 48usize];
    ["Alignment of kfd_event_data"][::core::mem::align_of::<kfd_event_data>() - 8usize];
    ["Offset of field: kfd_event_data::kfd_event_data_ext"]
        [::core::mem::offset_of!(kfd_event_data, kfd_event_data_ext) - 32usize];
    ["Offset of field: kfd_event_data::event_id"]
        [::core::mem::offset_of!(kfd_event_data, event_id) - 40usize];
    ["Offset of field: kfd_event_data::pad"]
        [::core::mem::offset_of!(kfd_event_data, pad) - 44usize];
};
impl Default for kfd_event_data {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_wait_events_args {
    pub events_ptr: __u64,
    pub num_events: __u32,
    pub wait_for_all: __u32,
    pub timeout: __u32,
    pub wait_result: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_wait_events_args"]
        [::core::mem::size_of::<kfd_ioctl_wait_events_args>() - 24usize];
    ["Alignment of kfd_ioctl_wait_events_args"]
        [::core::mem::align_of::<kfd_ioctl_wait_events_args>() - 8usize];
    ["Offset of field: kfd_ioctl_wait_events_args::events_ptr"]
        [::core::mem::offset_of!(kfd_ioctl_wait_events_args, events_ptr) - 0usize];
    ["Offset of field: kfd_ioctl_wait_events_args::num_events"]
        [::core::mem::offset_of!(kfd_ioctl_wait_events_args, num_events) - 8usize];
    ["Offset of field: kfd_ioctl_wait_events_args::wait_for_all"]
        [::core::mem::offset_of!(kfd_ioctl_wait_events_args, wait_for_all) - 12usize];
    ["Offset of field: kfd_ioctl_wait_events_args::timeout"]
        [::core::mem::offset_of!(kfd_ioctl_wait_events_args, timeout) - 16usize];
    ["Offset of field: kfd_ioctl_wait_events_args::wait_result"]
        [::core::mem::offset_of!(kfd_ioctl_wait_events_args, wait_result) - 20usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_get_tile_config_args {
    pub tile_config_ptr: __u64,
    pub macro_tile_config_ptr: __u64,
    pub num_tile_configs: __u32,
    pub num_macro_tile_configs: __u32,
    pub gpu_id: __u32,
    pub gb_addr_config: __u32,
    pub num_banks: __u32,
    pub num_ranks: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_get_tile_config_args"]
        [::core::mem::size_of::<kfd_ioctl_get_tile_config_args>() - 40usize];
    ["Alignment of kfd_ioctl_get_tile_config_args"]
        [::core::mem::align_of::<kfd_ioctl_get_tile_config_args>() - 8usize];
    ["Offset of field: kfd_ioctl_get_tile_config_args::tile_config_ptr"]
        [::core::mem::offset_of!(kfd_ioctl_get_tile_config_args, tile_config_ptr) - 0usize];
    ["Offset of field: kfd_ioctl_get_tile_config_args::macro_tile_config_ptr"]
        [::core::mem::offset_of!(kfd_ioctl_get_tile_config_args, macro_tile_config_ptr) - 8usize];
    ["Offset of field: kfd_ioctl_get_tile_config_args::num_tile_configs"]
        [::core::mem::offset_of!(kfd_ioctl_get_tile_config_args, num_tile_configs) - 16usize];
    ["Offset of field: kfd_ioctl_get_tile_config_args::num_macro_tile_configs"]
        [::core::mem::offset_of!(kfd_ioctl_get_tile_config_args, num_macro_tile_configs) - 20usize];
    ["Offset of field: kfd_ioctl_get_tile_config_args::gpu_id"]
        [::core::mem::offset_of!(kfd_ioctl_get_tile_config_args, gpu_id) - 24usize];
    ["Offset of field: kfd_ioctl_get_tile_config_args::gb_addr_config"]
        [::core::mem::offset_of!(kfd_ioctl_get_tile_config_args, gb_addr_config) - 28usize];
    ["Offset of field: kfd_ioctl_get_tile_config_args::num_banks"]
        [::core::mem::offset_of!(kfd_ioctl_get_tile_config_args, num_banks) - 32usize];
    ["Offset of field: kfd_ioctl_get_tile_config_args::num_ranks"]
        [::core::mem::offset_of!(kfd_ioctl_get_tile_config_args, num_ranks) - 36usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_alloc_memory_of_gpu_args {
    pub va_addr: __u64,
    pub size: __u64,
    pub handle: __u64,
    pub mmap_offset: __u64,
    pub gpu_id: __u32,
    pub flags: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_alloc_memory_of_gpu_args"]
        [::core::mem::size_of::<kfd_ioctl_alloc_memory_of_gpu_args>() - 40usize];
    ["Alignment of kfd_ioctl_alloc_memory_of_gpu_args"]
        [::core::mem::align_of::<kfd_ioctl_alloc_memory_of_gpu_args>() - 8usize];
    ["Offset of field: kfd_ioctl_alloc_memory_of_gpu_args::va_addr"]
        [::core::mem::offset_of!(kfd_ioctl_alloc_memory_of_gpu_args, va_addr) - 0usize];
    ["Offset of field: kfd_ioctl_alloc_memory_of_gpu_args::size"]
        [::core::mem::offset_of!(kfd_ioctl_alloc_memory_of_gpu_args, size) - 8usize];
    ["Offset of field: kfd_ioctl_alloc_memory_of_gpu_args::handle"]
        [::core::mem::offset_of!(kfd_ioctl_alloc_memory_of_gpu_args, handle) - 16usize];
    ["Offset of field: kfd_ioctl_alloc_memory_of_gpu_args::mmap_offset"]
        [::core::mem::offset_of!(kfd_ioctl_alloc_memory_of_gpu_args, mmap_offset) - 24usize];
    ["Offset of field: kfd_ioctl_alloc_memory_of_gpu_args::gpu_id"]
        [::core::mem::offset_of!(kfd_ioctl_alloc_memory_of_gpu_args, gpu_id) - 32usize];
    ["Offset of field: kfd_ioctl_alloc_memory_of_gpu_args::flags"]
        [::core::mem::offset_of!(kfd_ioctl_alloc_memory_of_gpu_args, flags) - 36usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_free_memory_of_gpu_args {
    pub handle: __u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_free_memory_of_gpu_args"]
        [::core::mem::size_of::<kfd_ioctl_free_memory_of_gpu_args>() - 8usize];
    ["Alignment of kfd_ioctl_free_memory_of_gpu_args"]
        [::core::mem::align_of::<kfd_ioctl_free_memory_of_gpu_args>() - 8usize];
    ["Offset of field: kfd_ioctl_free_memory_of_gpu_args::handle"]
        [::core::mem::offset_of!(kfd_ioctl_free_memory_of_gpu_args, handle) - 0usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_map_memory_to_gpu_args {
    pub handle: __u64,
    pub device_ids_array_ptr: __u64,
    pub n_devices: __u32,
    pub n_success: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_map_memory_to_gpu_args"]
        [::core::mem::size_of::<kfd_ioctl_map_memory_to_gpu_args>() - 24usize];
    ["Alignment of kfd_ioctl_map_memory_to_gpu_args"]
        [::core::mem::align_of::<kfd_ioctl_map_memory_to_gpu_args>() - 8usize];
    ["Offset of field: kfd_ioctl_map_memory_to_gpu_args::handle"]
        [::core::mem::offset_of!(kfd_ioctl_map_memory_to_gpu_args, handle) - 0usize];
    ["Offset of field: kfd_ioctl_map_memory_to_gpu_args::device_ids_array_ptr"]
        [::core::mem::offset_of!(kfd_ioctl_map_memory_to_gpu_args, device_ids_array_ptr) - 8usize];
    ["Offset of field: kfd_ioctl_map_memory_to_gpu_args::n_devices"]
        [::core::mem::offset_of!(kfd_ioctl_map_memory_to_gpu_args, n_devices) - 16usize];
    ["Offset of field: kfd_ioctl_map_memory_to_gpu_args::n_success"]
        [::core::mem::offset_of!(kfd_ioctl_map_memory_to_gpu_args, n_success) - 20usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_unmap_memory_from_gpu_args {
    pub handle: __u64,
    pub device_ids_array_ptr: __u64,
    pub n_devices: __u32,
    pub n_success: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_unmap_memory_from_gpu_args"]
        [::core::mem::size_of::<kfd_ioctl_unmap_memory_from_gpu_args>() - 24usize];
    ["Alignment of kfd_ioctl_unmap_memory_from_gpu_args"]
        [::core::mem::align_of::<kfd_ioctl_unmap_memory_from_gpu_args>() - 8usize];
    ["Offset of field: kfd_ioctl_unmap_memory_from_gpu_args::handle"]
        [::core::mem::offset_of!(kfd_ioctl_unmap_memory_from_gpu_args, handle) - 0usize];
    ["Offset of field: kfd_ioctl_unmap_memory_from_gpu_args::device_ids_array_ptr"][::core::mem::offset_of!(
        kfd_ioctl_unmap_memory_from_gpu_args,
        device_ids_array_ptr
    ) - 8usize];
    ["Offset of field: kfd_ioctl_unmap_memory_from_gpu_args::n_devices"]
        [::core::mem::offset_of!(kfd_ioctl_unmap_memory_from_gpu_args, n_devices) - 16usize];
    ["Offset of field: kfd_ioctl_unmap_memory_from_gpu_args::n_success"]
        [::core::mem::offset_of!(kfd_ioctl_unmap_memory_from_gpu_args, n_success) - 20usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_alloc_queue_gws_args {
    pub queue_id: __u32,
    pub num_gws: __u32,
    pub first_gws: __u32,
    pub pad: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_alloc_queue_gws_args"]
        [::core::mem::size_of::<kfd_ioctl_alloc_queue_gws_args>() - 16usize];
    ["Alignment of kfd_ioctl_alloc_queue_gws_args"]
        [::core::mem::align_of::<kfd_ioctl_alloc_queue_gws_args>() - 4usize];
    ["Offset of field: kfd_ioctl_alloc_queue_gws_args::queue_id"]
        [::core::mem::offset_of!(kfd_ioctl_alloc_queue_gws_args, queue_id) - 0usize];
    ["Offset of field: kfd_ioctl_alloc_queue_gws_args::num_gws"]
        [::core::mem::offset_of!(kfd_ioctl_alloc_queue_gws_args, num_gws) - 4usize];
    ["Offset of field: kfd_ioctl_alloc_queue_gws_args::first_gws"]
        [::core::mem::offset_of!(kfd_ioctl_alloc_queue_gws_args, first_gws) - 8usize];
    ["Offset of field: kfd_ioctl_alloc_queue_gws_args::pad"]
        [::core::mem::offset_of!(kfd_ioctl_alloc_queue_gws_args, pad) - 12usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_get_dmabuf_info_args {
    pub size: __u64,
    pub metadata_ptr: __u64,
    pub metadata_size: __u32,
    pub gpu_id: __u32,
    pub flags: __u32,
    pub dmabuf_fd: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_get_dmabuf_info_args"]
        [::core::mem::size_of::<kfd_ioctl_get_dmabuf_info_args>() - 32usize];
    ["Alignment of kfd_ioctl_get_dmabuf_info_args"]
        [::core::mem::align_of::<kfd_ioctl_get_dmabuf_info_args>() - 8usize];
    ["Offset of field: kfd_ioctl_get_dmabuf_info_args::size"]
        [::core::mem::offset_of!(kfd_ioctl_get_dmabuf_info_args, size) - 0usize];
    ["Offset of field: kfd_ioctl_get_dmabuf_info_args::metadata_ptr"]
        [::core::mem::offset_of!(kfd_ioctl_get_dmabuf_info_args, metadata_ptr) - 8usize];
    ["Offset of field: kfd_ioctl_get_dmabuf_info_args::metadata_size"]
        [::core::mem::offset_of!(kfd_ioctl_get_dmabuf_info_args, metadata_size) - 16usize];
    ["Offset of field: kfd_ioctl_get_dmabuf_info_args::gpu_id"]
        [::core::mem::offset_of!(kfd_ioctl_get_dmabuf_info_args, gpu_id) - 20usize];
    ["Offset of field: kfd_ioctl_get_dmabuf_info_args::flags"]
        [::core::mem::offset_of!(kfd_ioctl_get_dmabuf_info_args, flags) - 24usize];
    ["Offset of field: kfd_ioctl_get_dmabuf_info_args::dmabuf_fd"]
        [::core::mem::offset_of!(kfd_ioctl_get_dmabuf_info_args, dmabuf_fd) - 28usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_import_dmabuf_args {
    pub va_addr: __u64,
    pub handle: __u64,
    pub gpu_id: __u32,
    pub dmabuf_fd: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_import_dmabuf_args"]
        [::core::mem::size_of::<kfd_ioctl_import_dmabuf_args>() - 24usize];
    ["Alignment of kfd_ioctl_import_dmabuf_args"]
        [::core::mem::align_of::<kfd_ioctl_import_dmabuf_args>() - 8usize];
    ["Offset of field: kfd_ioctl_import_dmabuf_args::va_addr"]
        [::core::mem::offset_of!(kfd_ioctl_import_dmabuf_args, va_addr) - 0usize];
    ["Offset of field: kfd_ioctl_import_dmabuf_args::handle"]
        [::core::mem::offset_of!(kfd_ioctl_import_dmabuf_args, handle) - 8usize];
    ["Offset of field: kfd_ioctl_import_dmabuf_args::gpu_id"]
        [::core::mem::offset_of!(kfd_ioctl_import_dmabuf_args, gpu_id) - 16usize];
    ["Offset of field: kfd_ioctl_import_dmabuf_args::dmabuf_fd"]
        [::core::mem::offset_of!(kfd_ioctl_import_dmabuf_args, dmabuf_fd) - 20usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_export_dmabuf_args {
    pub handle: __u64,
    pub flags: __u32,
    pub dmabuf_fd: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_export_dmabuf_args"]
        [::core::mem::size_of::<kfd_ioctl_export_dmabuf_args>() - 16usize];
    ["Alignment of kfd_ioctl_export_dmabuf_args"]
        [::core::mem::align_of::<kfd_ioctl_export_dmabuf_args>() - 8usize];
    ["Offset of field: kfd_ioctl_export_dmabuf_args::handle"]
        [::core::mem::offset_of!(kfd_ioctl_export_dmabuf_args, handle) - 0usize];
    ["Offset of field: kfd_ioctl_export_dmabuf_args::flags"]
        [::core::mem::offset_of!(kfd_ioctl_export_dmabuf_args, flags) - 8usize];
    ["Offset of field: kfd_ioctl_export_dmabuf_args::dmabuf_fd"]
        [::core::mem::offset_of!(kfd_ioctl_export_dmabuf_args, dmabuf_fd) - 12usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_set_xnack_mode_args {
    pub xnack_enabled: __s32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_set_xnack_mode_args"]
        [::core::mem::size_of::<kfd_ioctl_set_xnack_mode_args>() - 4usize];
    ["Alignment of kfd_ioctl_set_xnack_mode_args"]
        [::core::mem::align_of::<kfd_ioctl_set_xnack_mode_args>() - 4usize];
    ["Offset of field: kfd_ioctl_set_xnack_mode_args::xnack_enabled"]
        [::core::mem::offset_of!(kfd_ioctl_set_xnack_mode_args, xnack_enabled) - 0usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kfd_ioctl_runtime_enable_args {
    pub r_debug: __u64,
    pub mode_mask: __u32,
    pub capabilities_mask: __u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of kfd_ioctl_runtime_enable_args"]
        [::core::mem::size_of::<kfd_ioctl_runtime_enable_args>() - 16usize];
    ["Alignment of kfd_ioctl_runtime_enable_args"]
        [::core::mem::align_of::<kfd_ioctl_runtime_enable_args>() - 8usize];
    ["Offset of field: kfd_ioctl_runtime_enable_args::r_debug"]
        [::core::mem::offset_of!(kfd_ioctl_runtime_enable_args, r_debug) - 0usize];
    ["Offset of field: kfd_ioctl_runtime_enable_args::mode_mask"]
        [::core::mem::offset_of!(kfd_ioctl_runtime_enable_args, mode_mask) - 8usize];
    ["Offset of field: kfd_ioctl_runtime_enable_args::capabilities_mask"]
        [::core::mem::offset_of!(kfd_ioctl_runtime_enable_args, capabilities_mask) - 12usize];
};
