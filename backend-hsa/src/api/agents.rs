//! Processors.

use std::ffi::c_void;

use super::{Api, Pool};
use crate::{
    error::HsaError,
    sys::{
        hsa_agent_info_t, hsa_agent_t, hsa_amd_agent_info_s, hsa_amd_hdp_flush_t,
        hsa_amd_memory_pool_t, hsa_amd_pointer_info_t, hsa_amd_pointer_type_t, hsa_device_type_t,
        hsa_status_t,
    },
};

/// An agent of the runtime's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AgentHandle(hsa_agent_t);

// The runtime has no equality of agents but their handles'.
impl PartialEq for AgentHandle {
    fn eq(&self, other: &Self) -> bool {
        self.0.handle == other.0.handle
    }
}
impl Eq for AgentHandle {}

impl AgentHandle {
    pub(super) fn raw(self) -> hsa_agent_t {
        self.0
    }

    /// Whether an event of the runtime's is about this agent.
    pub(crate) fn is(self, agent: hsa_agent_t) -> bool {
        self.0.handle == agent.handle
    }
}

/// What an agent is.
///
/// ```no_run
/// use ringfence_hsa::{AgentKind, Runtime};
/// # fn cpus(runtime: &Runtime) -> usize {
/// let cpus = runtime.agents().iter().filter(|agent| agent.kind() == AgentKind::Cpu);
/// # cpus.count() }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AgentKind {
    /// The host.
    Cpu,
    /// A GPU.
    Gpu,
    /// Anything else.
    Other,
}

/// The register that flushes the host's stores to a GPU's memory: a word of the process's, mapped while the runtime is up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HdpRegister(*mut u32);

// SAFETY: it is an address of a device's register, which any thread may write and read as a whole word.
unsafe impl Send for HdpRegister {}
// SAFETY: as above.
unsafe impl Sync for HdpRegister {}

impl HdpRegister {
    /// Writes 1 and reads back, which returns once the flush is through (`hsa_amd_hdp_flush_t`, `hsa_ext_amd.h`).
    pub(crate) fn flush(self) {
        // SAFETY: the register is mapped while the runtime is up, which whoever holds this keeps up.
        unsafe { self.0.write_volatile(1) };
        // SAFETY: as above.
        let _ = unsafe { self.0.read_volatile() };
    }
}

impl Api {
    /// All agents, in the runtime's order.
    pub(crate) fn agents(self) -> Result<Vec<AgentHandle>, HsaError> {
        extern "C" fn visit(agent: hsa_agent_t, found: *mut c_void) -> hsa_status_t {
            // SAFETY: `found` is the vector below, which nothing else uses during the call.
            unsafe { &mut *found.cast::<Vec<AgentHandle>>() }.push(AgentHandle(agent));
            hsa_status_t::HSA_STATUS_SUCCESS
        }
        let mut found: Vec<AgentHandle> = Vec::new();
        let data = (&raw mut found).cast();
        // SAFETY: `visit` takes what `data` is, and is called during the call alone.
        let status = unsafe { self.functions().hsa_iterate_agents(Some(visit), data) };
        self.check("hsa_iterate_agents", status)?;
        Ok(found)
    }

    /// Its memory pools, in the runtime's order.
    pub(crate) fn pools(self, agent: AgentHandle) -> Result<Vec<Pool>, HsaError> {
        extern "C" fn visit(pool: hsa_amd_memory_pool_t, found: *mut c_void) -> hsa_status_t {
            // SAFETY: `found` is the vector below, which nothing else uses during the call.
            unsafe { &mut *found.cast::<Vec<hsa_amd_memory_pool_t>>() }.push(pool);
            hsa_status_t::HSA_STATUS_SUCCESS
        }
        let mut found: Vec<hsa_amd_memory_pool_t> = Vec::new();
        let data = (&raw mut found).cast();
        let functions = self.functions();
        // SAFETY: `visit` takes what `data` is, and is called during the call alone.
        let status =
            unsafe { functions.hsa_amd_agent_iterate_memory_pools(agent.0, Some(visit), data) };
        self.check("hsa_amd_agent_iterate_memory_pools", status)?;
        found.into_iter().map(|pool| self.pool(pool)).collect()
    }

    /// What it is.
    pub(crate) fn kind(self, agent: AgentHandle) -> Result<AgentKind, HsaError> {
        let kind = self.agent_number(agent, hsa_agent_info_t::HSA_AGENT_INFO_DEVICE)?;
        Ok(match hsa_device_type_t(kind) {
            hsa_device_type_t::HSA_DEVICE_TYPE_CPU => AgentKind::Cpu,
            hsa_device_type_t::HSA_DEVICE_TYPE_GPU => AgentKind::Gpu,
            _ => AgentKind::Other,
        })
    }

    /// What kind of agent has the memory at `address`, if the runtime allocated it and says.
    pub(super) fn owner_kind(self, address: *const u8) -> Option<AgentKind> {
        let size = u32::try_from(size_of::<hsa_amd_pointer_info_t>()).expect("56 bytes");
        let mut info = hsa_amd_pointer_info_t { size, ..hsa_amd_pointer_info_t::default() };
        let (to, none) = (&raw mut info, std::ptr::null_mut());
        // SAFETY: `info` is writable, and says how long it is; no list is asked for.
        let status = unsafe {
            self.functions().hsa_amd_pointer_info(address.cast(), to, None, none, none.cast())
        };
        let known = status == hsa_status_t::HSA_STATUS_SUCCESS
            && info.type_ == hsa_amd_pointer_type_t::HSA_EXT_POINTER_TYPE_HSA
            && info.agentOwner.handle != 0;
        if known { self.kind(AgentHandle(info.agentOwner)).ok() } else { None }
    }

    /// A GPU's name is that of its instruction set.
    pub(crate) fn agent_name(self, agent: AgentHandle) -> Result<String, HsaError> {
        self.agent_text(agent, hsa_agent_info_t::HSA_AGENT_INFO_NAME)
    }

    /// Its name for people.
    pub(crate) fn agent_product(self, agent: AgentHandle) -> Result<String, HsaError> {
        self.agent_text(agent, amd(hsa_amd_agent_info_s::HSA_AMD_AGENT_INFO_PRODUCT_NAME))
    }

    /// Packets that a queue of it can hold at most.
    pub(crate) fn queue_limit(self, agent: AgentHandle) -> Result<u32, HsaError> {
        self.agent_number(agent, hsa_agent_info_t::HSA_AGENT_INFO_QUEUE_MAX_SIZE)
    }

    /// Frequency of its clock, in ticks a second, where the runtime says (ROCr 6 and newer).
    pub(crate) fn agent_frequency(self, agent: AgentHandle) -> Option<u64> {
        let mut ticks = 0_u64;
        let what = amd(hsa_amd_agent_info_s::HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY);
        // SAFETY: the attribute is 64 bits long.
        unsafe { self.agent(agent, what, (&raw mut ticks).cast()) }.ok()?;
        Some(ticks)
    }

    /// The register that flushes the host's stores to its memory, where there is one.
    pub(crate) fn hdp(self, agent: AgentHandle) -> Option<HdpRegister> {
        let mut registers = hsa_amd_hdp_flush_t::default();
        let what = amd(hsa_amd_agent_info_s::HSA_AMD_AGENT_INFO_HDP_FLUSH);
        // SAFETY: the attribute is this struct.
        unsafe { self.agent(agent, what, (&raw mut registers).cast()) }.ok()?;
        let register = registers.HDP_MEM_FLUSH_CNTL;
        (!register.is_null()).then_some(HdpRegister(register))
    }

    fn agent_number(self, agent: AgentHandle, what: hsa_agent_info_t) -> Result<u32, HsaError> {
        let mut number = 0_u32;
        // SAFETY: the attributes that are asked for here are 32 bits long.
        unsafe { self.agent(agent, what, (&raw mut number).cast()) }?;
        Ok(number)
    }

    fn agent_text(self, agent: AgentHandle, what: hsa_agent_info_t) -> Result<String, HsaError> {
        // 64 bytes is the longest that the headers name.
        let mut text = [0_u8; 256];
        // SAFETY: no text attribute is longer.
        unsafe { self.agent(agent, what, text.as_mut_ptr().cast()) }?;
        let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    /// # Safety
    /// `value` is as long as the attribute.
    unsafe fn agent(
        self,
        agent: AgentHandle,
        what: hsa_agent_info_t,
        value: *mut c_void,
    ) -> Result<(), HsaError> {
        // SAFETY: the agent is one of the runtime's, and the caller promised that the attribute fits.
        let status = unsafe { self.functions().hsa_agent_get_info(agent.0, what, value) };
        self.check("hsa_agent_get_info", status)
    }
}

/// AMD's attributes are asked for as if they were the standard's.
fn amd(what: hsa_amd_agent_info_s) -> hsa_agent_info_t {
    hsa_agent_info_t(what.0)
}
