//! A processor that the runtime knows.

use std::ffi::c_void;

use ringfence_hsa::sys::{
    hsa_agent_info_t, hsa_agent_t, hsa_amd_agent_info_s, hsa_amd_hdp_flush_t,
    hsa_amd_memory_pool_t, hsa_device_type_t, hsa_isa_info_t, hsa_isa_t, hsa_status_t,
};

use super::{Pool, Runtime};

/// More than any attribute's length (the longest are strings of 64 bytes and bit sets of 128).
const LONGEST: usize = 256;

/// A processor.
#[derive(Clone, Copy, Debug)]
pub struct Agent<'r> {
    runtime: &'r Runtime,
    handle: hsa_agent_t,
}

/// What an agent is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The host.
    Cpu,
    /// A GPU.
    Gpu,
    /// Anything else.
    Other,
}

impl<'r> Agent<'r> {
    pub(super) fn new(runtime: &'r Runtime, handle: hsa_agent_t) -> Self {
        Self { runtime, handle }
    }

    /// The runtime.
    #[must_use]
    pub fn runtime(&self) -> &'r Runtime {
        self.runtime
    }

    /// As the runtime names it.
    #[must_use]
    pub fn handle(&self) -> hsa_agent_t {
        self.handle
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match hsa_device_type_t(self.number(hsa_agent_info_t::HSA_AGENT_INFO_DEVICE)) {
            hsa_device_type_t::HSA_DEVICE_TYPE_CPU => Kind::Cpu,
            hsa_device_type_t::HSA_DEVICE_TYPE_GPU => Kind::Gpu,
            _ => Kind::Other,
        }
    }

    /// Its name: a GPU's is that of its instruction set.
    #[must_use]
    pub fn name(&self) -> String {
        text(&self.info(hsa_agent_info_t::HSA_AGENT_INFO_NAME))
    }

    /// Its name for people.
    #[must_use]
    pub fn product(&self) -> String {
        text(&self.info(extended(hsa_amd_agent_info_s::HSA_AMD_AGENT_INFO_PRODUCT_NAME)))
    }

    /// A 32-bit attribute.
    #[must_use]
    pub fn number(&self, attribute: hsa_agent_info_t) -> u32 {
        let [a, b, c, d, ..] = self.info(attribute);
        u32::from_le_bytes([a, b, c, d])
    }

    /// A 32-bit attribute of AMD's.
    #[must_use]
    pub fn amd_number(&self, attribute: hsa_amd_agent_info_s) -> u32 {
        self.number(extended(attribute))
    }

    /// The registers that flush the host's stores to its memory, which may be null.
    #[must_use]
    pub fn hdp(&self) -> hsa_amd_hdp_flush_t {
        let bytes = self.info(extended(hsa_amd_agent_info_s::HSA_AMD_AGENT_INFO_HDP_FLUSH));
        // SAFETY: the attribute is this type, which any bytes are a value of; the read need not be aligned.
        unsafe { bytes.as_ptr().cast::<hsa_amd_hdp_flush_t>().read_unaligned() }
    }

    /// The full name of its first instruction set.
    #[must_use]
    pub fn isa(&self) -> String {
        let [a, b, c, d, e, f, g, h, ..] = self.info(hsa_agent_info_t::HSA_AGENT_INFO_ISA);
        let isa = hsa_isa_t { handle: u64::from_le_bytes([a, b, c, d, e, f, g, h]) };
        let functions = self.runtime.functions();
        let mut length = 0_u32;
        let attribute = hsa_isa_info_t::HSA_ISA_INFO_NAME_LENGTH;
        // SAFETY: the attribute is 32 bits long.
        let status =
            unsafe { functions.hsa_isa_get_info_alt(isa, attribute, (&raw mut length).cast()) };
        self.runtime.ok("hsa_isa_get_info_alt", status);
        let mut name = vec![0_u8; length as usize + 1];
        let attribute = hsa_isa_info_t::HSA_ISA_INFO_NAME;
        // SAFETY: the name is as long as it was said to be, the final 0 apart.
        let status =
            unsafe { functions.hsa_isa_get_info_alt(isa, attribute, name.as_mut_ptr().cast()) };
        self.runtime.ok("hsa_isa_get_info_alt", status);
        text(&name)
    }

    /// Its memory pools, in the runtime's order.
    #[must_use]
    pub fn pools(&self) -> Vec<Pool<'r>> {
        extern "C" fn visit(pool: hsa_amd_memory_pool_t, found: *mut c_void) -> hsa_status_t {
            // SAFETY: `found` is the vector below, which nothing else uses during the call.
            unsafe { &mut *found.cast::<Vec<hsa_amd_memory_pool_t>>() }.push(pool);
            hsa_status_t::HSA_STATUS_SUCCESS
        }
        let mut found: Vec<hsa_amd_memory_pool_t> = Vec::new();
        let (functions, data) = (self.runtime.functions(), (&raw mut found).cast());
        // SAFETY: `visit` takes what `data` is, and is called during the call alone.
        let status =
            unsafe { functions.hsa_amd_agent_iterate_memory_pools(self.handle, Some(visit), data) };
        self.runtime.ok("hsa_amd_agent_iterate_memory_pools", status);
        found.into_iter().map(|handle| Pool::new(self.runtime, handle)).collect()
    }

    /// Any attribute, as bytes.
    fn info(&self, attribute: hsa_agent_info_t) -> [u8; LONGEST] {
        let mut bytes = [0; LONGEST];
        let (functions, data) = (self.runtime.functions(), bytes.as_mut_ptr().cast());
        // SAFETY: no attribute is longer than `bytes`.
        let status = unsafe { functions.hsa_agent_get_info(self.handle, attribute, data) };
        self.runtime.ok("hsa_agent_get_info", status);
        bytes
    }
}

/// AMD's attributes are asked for as if they were the standard's.
fn extended(attribute: hsa_amd_agent_info_s) -> hsa_agent_info_t {
    hsa_agent_info_t(attribute.0)
}

/// Up to the first 0.
fn text(bytes: &[u8]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}
