//! Memory pools, and copies between what comes from them.

use std::ffi::c_void;

use super::{AgentHandle, Api, HsaSignal};
use crate::{
    error::HsaError,
    sys::{
        hsa_agent_t, hsa_amd_agent_memory_pool_info_t, hsa_amd_link_info_type_t,
        hsa_amd_memory_pool_access_t, hsa_amd_memory_pool_flag_s,
        hsa_amd_memory_pool_global_flag_s as flag, hsa_amd_memory_pool_info_t,
        hsa_amd_memory_pool_link_info_t, hsa_amd_memory_pool_t, hsa_amd_segment_t, hsa_signal_t,
    },
};

/// A pool of an agent's memory, and what it is good for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pool {
    handle: hsa_amd_memory_pool_t,
    pub(crate) kind: PoolKind,
}

/// What a pool is good for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PoolKind {
    /// Kernel arguments, which the host writes.
    Kernarg,
    /// Coherent between all agents.
    FineGrained,
    /// Coherent at the boundaries of kernels: a GPU's own.
    CoarseGrained,
    /// Anything else.
    Other,
}

/// How to allocate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PoolFlags {
    /// As the pool does.
    Standard,
    /// Code may run from it. Runtimes that do not know the flag make all memory executable.
    Executable,
}

impl Api {
    pub(super) fn pool(self, handle: hsa_amd_memory_pool_t) -> Result<Pool, HsaError> {
        let segment =
            self.pool_word(handle, hsa_amd_memory_pool_info_t::HSA_AMD_MEMORY_POOL_INFO_SEGMENT)?;
        let global = hsa_amd_segment_t(segment) == hsa_amd_segment_t::HSA_AMD_SEGMENT_GLOBAL;
        let flags = hsa_amd_memory_pool_info_t::HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS;
        let flags = if global { self.pool_word(handle, flags)? } else { 0 };
        let has = |one: flag| flags & one.0 != 0;
        let kind = if has(flag::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) {
            PoolKind::Kernarg
        } else if has(flag::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED) {
            PoolKind::FineGrained
        } else if has(flag::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) {
            PoolKind::CoarseGrained
        } else {
            PoolKind::Other
        };
        Ok(Pool { handle, kind })
    }

    fn pool_word(
        self,
        pool: hsa_amd_memory_pool_t,
        what: hsa_amd_memory_pool_info_t,
    ) -> Result<u32, HsaError> {
        let mut word = 0_u32;
        let value = (&raw mut word).cast();
        // SAFETY: the pool is one of the runtime's, and the attributes asked for here are 32 bits long.
        let status = unsafe { self.functions().hsa_amd_memory_pool_get_info(pool, what, value) };
        self.check("hsa_amd_memory_pool_get_info", status)?;
        Ok(word)
    }

    /// Whether `agent` can be given access to what comes from `pool`.
    pub(crate) fn can_access(self, agent: AgentHandle, pool: Pool) -> Result<bool, HsaError> {
        let mut access = hsa_amd_memory_pool_access_t(0);
        let what = hsa_amd_agent_memory_pool_info_t::HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS;
        // SAFETY: the attribute is this enumeration.
        unsafe { self.link(agent, pool, what, (&raw mut access).cast()) }?;
        Ok(access != hsa_amd_memory_pool_access_t::HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED)
    }

    /// Whether `agent` reaches `pool`, one hop away, by XGMI: coherently.
    pub(crate) fn is_linked_by_xgmi(self, agent: AgentHandle, pool: Pool) -> bool {
        let mut hops = 0_u32;
        let what = hsa_amd_agent_memory_pool_info_t::HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS;
        // SAFETY: the attribute is 32 bits long.
        let asked = unsafe { self.link(agent, pool, what, (&raw mut hops).cast()) };
        if asked.is_err() || hops != 1 {
            return false;
        }
        let mut link = hsa_amd_memory_pool_link_info_t::default();
        let what = hsa_amd_agent_memory_pool_info_t::HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO;
        // SAFETY: the attribute is one of these structs a hop, and there is one hop.
        let asked = unsafe { self.link(agent, pool, what, (&raw mut link).cast()) };
        asked.is_ok() && link.link_type == hsa_amd_link_info_type_t::HSA_AMD_LINK_INFO_TYPE_XGMI
    }

    /// # Safety
    /// `value` is as long as the attribute.
    unsafe fn link(
        self,
        agent: AgentHandle,
        pool: Pool,
        what: hsa_amd_agent_memory_pool_info_t,
        value: *mut c_void,
    ) -> Result<(), HsaError> {
        let (functions, agent) = (self.functions(), agent.raw());
        // SAFETY: agent and pool are the runtime's, and the caller promised that the attribute fits.
        let status = unsafe {
            functions.hsa_amd_agent_memory_pool_get_info(agent, pool.handle, what, value)
        };
        self.check("hsa_amd_agent_memory_pool_get_info", status)
    }

    /// Memory of `pool` which `agents` can access, besides its owner.
    pub(crate) fn allocate(
        self,
        pool: Pool,
        bytes: usize,
        flags: PoolFlags,
        agents: &[AgentHandle],
    ) -> Result<*mut u8, HsaError> {
        let flags = match flags {
            PoolFlags::Standard => 0,
            PoolFlags::Executable => {
                hsa_amd_memory_pool_flag_s::HSA_AMD_MEMORY_POOL_EXECUTABLE_FLAG.0
            }
        };
        let mut address = std::ptr::null_mut();
        let (functions, to) = (self.functions(), &raw mut address);
        // SAFETY: the pool is one of the runtime's, and `address` is writable.
        let status =
            unsafe { functions.hsa_amd_memory_pool_allocate(pool.handle, bytes, flags, to) };
        self.check("hsa_amd_memory_pool_allocate", status)?;
        let agents: Vec<hsa_agent_t> = agents.iter().map(|agent| agent.raw()).collect();
        if !agents.is_empty() {
            let count = u32::try_from(agents.len()).unwrap_or(u32::MAX);
            let (list, flags) = (agents.as_ptr(), std::ptr::null());
            // SAFETY: `list` has `count` agents, and the memory was allocated above.
            let status =
                unsafe { functions.hsa_amd_agents_allow_access(count, list, flags, address) };
            if let Err(error) = self.check("hsa_amd_agents_allow_access", status) {
                // SAFETY: it was allocated above, and nothing uses it.
                unsafe { self.free(address.cast()) };
                return Err(error);
            }
        }
        Ok(address.cast())
    }

    /// Frees what [`allocate`](Self::allocate) returned. A runtime that does not know it any more leaks it.
    ///
    /// # Safety
    /// No device and no thread uses it from now on.
    pub(crate) unsafe fn free(self, address: *mut u8) {
        // SAFETY: the caller promised that nothing uses it.
        let _ = unsafe { self.functions().hsa_amd_memory_pool_free(address.cast()) };
    }

    /// Begins a copy, which starts when all `waits` are 0 and then decrements `completes`.
    ///
    /// # Safety
    /// Both ranges are memory that their agents can access, until the copy is complete.
    pub(crate) unsafe fn copy(
        self,
        (to, to_agent): (*mut c_void, AgentHandle),
        (from, from_agent): (*const c_void, AgentHandle),
        bytes: usize,
        waits: &[HsaSignal],
        completes: HsaSignal,
    ) -> Result<(), HsaError> {
        let count = u32::try_from(waits.len()).unwrap_or(u32::MAX);
        let list: *const hsa_signal_t =
            if waits.is_empty() { std::ptr::null() } else { HsaSignal::raw_list(waits) };
        let (to_agent, from_agent) = (to_agent.raw(), from_agent.raw());
        // SAFETY: the caller promised the ranges; the signals are the runtime's, and `list` has `count`.
        let status = unsafe {
            self.functions().hsa_amd_memory_async_copy(
                to,
                to_agent,
                from,
                from_agent,
                bytes,
                count,
                list,
                completes.raw(),
            )
        };
        self.check("hsa_amd_memory_async_copy", status)
    }
}
