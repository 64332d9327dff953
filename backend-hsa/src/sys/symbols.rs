//! Which functions every supported runtime has.

use super::Functions;

/// Defines the lists of [`missing`] and, for tests, of all names.
macro_rules! symbols {
    (required { $($required:ident)* } newer { $($newer:ident)* }) => {
        /// The functions that ROCr has since 5.2 at the latest and that `functions` lacks.
        pub(super) fn missing(functions: &Functions) -> Vec<&'static str> {
            let mut missing = Vec::new();
            $(if functions.$required.is_err() {
                missing.push(stringify!($required));
            })*
            missing
        }

        /// All that [`missing`] looks for.
        #[cfg(test)]
        pub(super) const REQUIRED: &[&str] = &[$(stringify!($required)),*];
        /// What a runtime may lack.
        #[cfg(test)]
        pub(super) const NEWER: &[&str] = &[$(stringify!($newer)),*];
    };
}

symbols! {
    required {
        hsa_status_string
        hsa_init
        hsa_shut_down
        hsa_system_get_info
        hsa_agent_get_info
        hsa_iterate_agents
        hsa_signal_create
        hsa_signal_load_scacquire
        hsa_signal_load_relaxed
        hsa_signal_store_relaxed
        hsa_signal_store_screlease
        hsa_signal_silent_store_relaxed
        hsa_signal_silent_store_screlease
        hsa_signal_exchange_scacq_screl
        hsa_signal_cas_scacq_screl
        hsa_signal_add_relaxed
        hsa_signal_add_screlease
        hsa_signal_subtract_relaxed
        hsa_signal_subtract_screlease
        hsa_signal_wait_scacquire
        hsa_signal_wait_relaxed
        hsa_queue_create
        hsa_amd_profiling_async_copy_enable
        hsa_queue_destroy
        hsa_queue_inactivate
        hsa_queue_load_read_index_relaxed
        hsa_queue_load_read_index_scacquire
        hsa_queue_load_write_index_relaxed
        hsa_queue_load_write_index_scacquire
        hsa_queue_store_read_index_relaxed
        hsa_queue_store_read_index_screlease
        hsa_queue_store_write_index_relaxed
        hsa_queue_store_write_index_screlease
        hsa_signal_destroy
        hsa_soft_queue_create
        hsa_queue_cas_write_index_scacq_screl
        hsa_queue_cas_write_index_relaxed
        hsa_queue_add_write_index_scacq_screl
        hsa_queue_add_write_index_relaxed
        hsa_queue_add_write_index_screlease
        hsa_memory_copy
        hsa_agent_iterate_isas
        hsa_isa_get_info_alt
        hsa_code_object_reader_create_from_memory
        hsa_code_object_reader_destroy
        hsa_executable_create_alt
        hsa_executable_destroy
        hsa_executable_load_agent_code_object
        hsa_executable_freeze
        hsa_executable_get_symbol_by_name
        hsa_executable_symbol_get_info
        hsa_amd_profiling_set_profiler_enabled
        hsa_amd_profiling_get_dispatch_time
        hsa_amd_profiling_get_async_copy_time
        hsa_amd_profiling_convert_tick_to_system_domain
        hsa_amd_signal_create
        hsa_amd_signal_value_pointer
        hsa_amd_signal_async_handler
        hsa_amd_signal_wait_any
        hsa_amd_async_function
        hsa_amd_queue_cu_set_mask
        hsa_amd_queue_cu_get_mask
        hsa_amd_memory_pool_get_info
        hsa_amd_agent_iterate_memory_pools
        hsa_amd_memory_pool_allocate
        hsa_amd_memory_pool_free
        hsa_amd_memory_async_copy
        hsa_amd_memory_async_copy_rect
        hsa_amd_agent_memory_pool_get_info
        hsa_amd_agents_allow_access
        hsa_amd_memory_lock
        hsa_amd_memory_lock_to_pool
        hsa_amd_memory_unlock
        hsa_amd_memory_fill
        hsa_amd_pointer_info
        hsa_amd_ipc_memory_create
        hsa_amd_ipc_memory_attach
        hsa_amd_ipc_memory_detach
        hsa_amd_ipc_signal_create
        hsa_amd_ipc_signal_attach
        hsa_amd_register_system_event_handler
        hsa_amd_queue_set_priority
    }
    newer {
        hsa_amd_signal_wait_all
        hsa_amd_memory_async_copy_on_engine
        hsa_amd_memory_copy_engine_status
        hsa_amd_portable_export_dmabuf
        hsa_amd_portable_close_dmabuf
        hsa_amd_vmem_address_reserve
        hsa_amd_vmem_address_reserve_align
        hsa_amd_vmem_address_free
        hsa_amd_vmem_handle_create
        hsa_amd_vmem_handle_release
        hsa_amd_vmem_map
        hsa_amd_vmem_unmap
        hsa_amd_vmem_set_access
        hsa_amd_vmem_get_access
        hsa_amd_vmem_export_shareable_handle
        hsa_amd_vmem_import_shareable_handle
        hsa_amd_vmem_retain_alloc_handle
        hsa_amd_vmem_get_alloc_properties_from_handle
        hsa_amd_agent_set_async_scratch_limit
        hsa_amd_queue_get_info
        hsa_amd_enable_logging
    }
}
