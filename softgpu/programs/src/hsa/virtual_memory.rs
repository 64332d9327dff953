//! Memory that is mapped at an address which was reserved before: ROCr takes it in by a dma-buf.

use std::{ffi::c_void, ptr};

use ringfence_hsa::sys::{
    hsa_access_permission_t, hsa_amd_memory_access_desc_t, hsa_amd_memory_type_t,
    hsa_amd_vmem_alloc_handle_t, hsa_status_t,
};

use super::{Agent, Block, Pool, Runtime};

/// What a mapped block gives back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mapping {
    address: *mut c_void,
    bytes: usize,
    handle: hsa_amd_vmem_alloc_handle_t,
}

impl<'r> Block<'r> {
    /// Memory of `pool`, mapped for `agents`; none where the runtime has no virtual memory management.
    #[must_use]
    pub fn mapped(pool: &Pool<'r>, bytes: usize, agents: &[Agent<'_>]) -> Option<Self> {
        let runtime = pool.runtime();
        let functions = runtime.functions();
        functions.hsa_amd_vmem_map.as_ref().ok()?;
        let mut address = ptr::null_mut();
        // SAFETY: `address` is writable.
        let status =
            unsafe { functions.hsa_amd_vmem_address_reserve(&raw mut address, bytes, 0, 0) };
        runtime.ok("hsa_amd_vmem_address_reserve", status);
        let mut handle = hsa_amd_vmem_alloc_handle_t::default();
        let kind = hsa_amd_memory_type_t::MEMORY_TYPE_NONE;
        let (pool, out) = (pool.handle(), &raw mut handle);
        // SAFETY: the pool is there, and `handle` is writable.
        let status = unsafe { functions.hsa_amd_vmem_handle_create(pool, bytes, kind, 0, out) };
        runtime.ok("hsa_amd_vmem_handle_create", status);
        // SAFETY: the range was reserved above, and the handle has as many bytes.
        let status = unsafe { functions.hsa_amd_vmem_map(address, bytes, 0, handle, 0) };
        runtime.ok("hsa_amd_vmem_map", status);
        let permissions = hsa_access_permission_t::HSA_ACCESS_PERMISSION_RW;
        let access = |agent: &Agent<'_>| hsa_amd_memory_access_desc_t {
            permissions,
            agent_handle: agent.handle(),
        };
        let all: Vec<_> = agents.iter().map(access).collect();
        let (descriptions, count) = (all.as_ptr(), all.len());
        // SAFETY: the range was mapped above, and there are so many descriptions.
        let status =
            unsafe { functions.hsa_amd_vmem_set_access(address, bytes, descriptions, count) };
        runtime.ok("hsa_amd_vmem_set_access", status);
        Some(Self::of_mapping(runtime, Mapping { address, bytes, handle }))
    }
}

impl Mapping {
    pub(super) fn address(&self) -> *mut c_void {
        self.address
    }
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
    /// Gives everything back.
    pub(super) fn end(self, runtime: &Runtime) -> hsa_status_t {
        let functions = runtime.functions();
        // SAFETY: mapped once; that no device uses it any more is what each case waits for before it ends.
        let unmapped = unsafe { functions.hsa_amd_vmem_unmap(self.address, self.bytes) };
        // SAFETY: created once, and mapped nowhere any more.
        let released = unsafe { functions.hsa_amd_vmem_handle_release(self.handle) };
        // SAFETY: reserved once, and nothing is mapped there.
        let freed = unsafe { functions.hsa_amd_vmem_address_free(self.address, self.bytes) };
        let all = [unmapped, released, freed];
        let failed = all.into_iter().find(|&one| one != hsa_status_t::HSA_STATUS_SUCCESS);
        failed.unwrap_or(hsa_status_t::HSA_STATUS_SUCCESS)
    }
}
