//! Memory pools, and blocks of their memory.

use std::{
    ffi::c_void,
    sync::atomic::{AtomicI64, Ordering},
};

use ringfence_hsa::sys::{
    hsa_agent_t, hsa_amd_agent_memory_pool_info_t, hsa_amd_memory_pool_access_t,
    hsa_amd_memory_pool_global_flag_s as flag, hsa_amd_memory_pool_info_t, hsa_amd_memory_pool_t,
    hsa_amd_segment_t, hsa_status_t,
};

use super::{Agent, Runtime, virtual_memory::Mapping};

/// A pool of one agent's memory.
#[derive(Clone, Copy, Debug)]
pub struct Pool<'r> {
    runtime: &'r Runtime,
    handle: hsa_amd_memory_pool_t,
}

/// What a global pool is good for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Kernel arguments.
    Kernarg,
    /// Coherent between all agents.
    FineGrained,
    /// Coherent at the boundaries of kernels: a GPU's own.
    CoarseGrained,
    /// Anything else.
    Other,
}

impl<'r> Pool<'r> {
    pub(super) fn new(runtime: &'r Runtime, handle: hsa_amd_memory_pool_t) -> Self {
        Self { runtime, handle }
    }

    pub(super) fn runtime(&self) -> &'r Runtime {
        self.runtime
    }

    pub(super) fn handle(&self) -> hsa_amd_memory_pool_t {
        self.handle
    }

    /// What it is good for.
    #[must_use]
    pub fn purpose(&self) -> Use {
        let segment = self.info(hsa_amd_memory_pool_info_t::HSA_AMD_MEMORY_POOL_INFO_SEGMENT);
        if hsa_amd_segment_t(segment as u32) != hsa_amd_segment_t::HSA_AMD_SEGMENT_GLOBAL {
            return Use::Other;
        }
        let flags = self.info(hsa_amd_memory_pool_info_t::HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS);
        let has = |one: flag| flags & u64::from(one.0) != 0;
        if has(flag::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) {
            Use::Kernarg
        } else if has(flag::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) {
            Use::CoarseGrained
        } else if has(flag::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED) {
            Use::FineGrained
        } else {
            Use::Other
        }
    }

    /// Its size, in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.info(hsa_amd_memory_pool_info_t::HSA_AMD_MEMORY_POOL_INFO_SIZE)
    }

    /// Whether memory may be allocated from it.
    #[must_use]
    pub fn allocates(&self) -> bool {
        let attribute = hsa_amd_memory_pool_info_t::HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED;
        self.info(attribute) & 0xff != 0
    }

    /// Whether `agent` may be given access to what is allocated from it.
    #[must_use]
    pub fn access(&self, agent: &Agent<'_>) -> hsa_amd_memory_pool_access_t {
        let mut access = hsa_amd_memory_pool_access_t(0);
        let attribute = hsa_amd_agent_memory_pool_info_t::HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS;
        let (functions, data) = (self.runtime.functions(), (&raw mut access).cast());
        // SAFETY: the attribute is this enumeration.
        let status = unsafe {
            functions.hsa_amd_agent_memory_pool_get_info(
                agent.handle(),
                self.handle,
                attribute,
                data,
            )
        };
        self.runtime.ok("hsa_amd_agent_memory_pool_get_info", status);
        access
    }

    /// An attribute of up to 64 bits.
    fn info(&self, attribute: hsa_amd_memory_pool_info_t) -> u64 {
        let mut value = 0_u64;
        let (functions, data) = (self.runtime.functions(), (&raw mut value).cast());
        // SAFETY: the attributes asked for here are 64 bits long or less.
        let status =
            unsafe { functions.hsa_amd_memory_pool_get_info(self.handle, attribute, data) };
        self.runtime.ok("hsa_amd_memory_pool_get_info", status);
        value
    }
}

/// Memory, freed on drop: by then no device may use it any more.
///
/// The host reads and writes copies of it only, for devices may write at any time.
#[derive(Debug)]
pub struct Block<'r> {
    runtime: &'r Runtime,
    address: *mut u8,
    bytes: usize,
    origin: Origin,
}

/// Where a block came from, and so how it is given back.
#[derive(Clone, Copy, Debug)]
enum Origin {
    Pool,
    OtherProcess,
    Mapped(Mapping),
}

// SAFETY: the pointer is the block's own, and what lies there is reached by whole-value copies and atomics alone.
unsafe impl Send for Block<'_> {}
// SAFETY: as above.
unsafe impl Sync for Block<'_> {}

impl<'r> Block<'r> {
    /// Allocates `bytes`, to which `agents` have access, too.
    #[must_use]
    pub fn new(pool: &Pool<'r>, bytes: usize, agents: &[Agent<'_>]) -> Self {
        let block = Self::allocate(pool, bytes)
            .unwrap_or_else(|status| panic!("allocating: {}", pool.runtime.describe(status)));
        block.allow(agents);
        block
    }

    /// Allocates `bytes`, or says why not.
    ///
    /// # Errors
    /// Whatever the runtime says.
    pub fn allocate(pool: &Pool<'r>, bytes: usize) -> Result<Self, hsa_status_t> {
        let (runtime, mut address) = (pool.runtime, std::ptr::null_mut());
        let functions = runtime.functions();
        // SAFETY: the pool is there, and `address` is writable.
        let status = unsafe {
            functions.hsa_amd_memory_pool_allocate(pool.handle, bytes, 0, &raw mut address)
        };
        if status == hsa_status_t::HSA_STATUS_SUCCESS {
            Ok(Self { runtime, address: address.cast(), bytes, origin: Origin::Pool })
        } else {
            Err(status)
        }
    }

    /// Takes over what the runtime mapped of another process's.
    pub(super) fn attached(runtime: &'r Runtime, address: *mut c_void, bytes: usize) -> Self {
        Self { runtime, address: address.cast(), bytes, origin: Origin::OtherProcess }
    }

    /// Takes over what was mapped at a reserved address.
    pub(super) fn of_mapping(runtime: &'r Runtime, mapping: Mapping) -> Self {
        let (address, bytes) = (mapping.address().cast(), mapping.bytes());
        Self { runtime, address, bytes, origin: Origin::Mapped(mapping) }
    }

    /// The runtime.
    pub(super) fn runtime(&self) -> &'r Runtime {
        self.runtime
    }

    /// Gives `agents` access.
    pub fn allow(&self, agents: &[Agent<'_>]) {
        if agents.is_empty() {
            return;
        }
        let handles: Vec<hsa_agent_t> = agents.iter().map(Agent::handle).collect();
        let count = u32::try_from(handles.len()).expect("few agents");
        let (functions, address) = (self.runtime.functions(), self.address.cast());
        // SAFETY: `handles` has `count` agents, and the block is this one.
        let status = unsafe {
            functions.hsa_amd_agents_allow_access(
                count,
                handles.as_ptr(),
                std::ptr::null(),
                address,
            )
        };
        self.runtime.ok("hsa_amd_agents_allow_access", status);
    }

    /// Where it begins.
    #[must_use]
    pub fn address(&self) -> *mut c_void {
        self.address.cast()
    }

    /// The address of the byte at `offset`, as devices know it.
    #[must_use]
    pub fn at(&self, offset: usize) -> u64 {
        self.checked(offset, 0) as u64
    }

    /// How long it is, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Copies `bytes` in at `offset`.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        let to = self.checked(offset, bytes.len());
        // SAFETY: the range lies in the block, which is mapped for the host, and `bytes` is elsewhere.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    /// Copies `count` bytes out from `offset`.
    #[must_use]
    pub fn read(&self, offset: usize, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        let from = self.checked(offset, count);
        // SAFETY: the range lies in the block, which is mapped for the host, and `bytes` is elsewhere.
        unsafe { from.copy_to_nonoverlapping(bytes.as_mut_ptr(), count) };
        bytes
    }

    /// The 64-bit word at `offset`.
    #[must_use]
    pub fn word(&self, offset: usize) -> &AtomicI64 {
        assert_eq!(offset % 8, 0, "a word is aligned");
        let word = self.checked(offset, 8).cast();
        // SAFETY: the word lies in the block, is aligned, and lives as long as the block; a device's access is atomic.
        unsafe { AtomicI64::from_ptr(word) }
    }

    /// Stores the word at `offset`, with release order.
    pub fn store(&self, offset: usize, value: i64) {
        self.word(offset).store(value, Ordering::Release);
    }

    fn checked(&self, offset: usize, bytes: usize) -> *mut u8 {
        assert!(
            offset.checked_add(bytes).is_some_and(|end| end <= self.bytes),
            "{bytes} bytes at {offset} of {}",
            self.bytes
        );
        self.address.wrapping_add(offset)
    }
}

impl Drop for Block<'_> {
    fn drop(&mut self) {
        let (functions, address) = (self.runtime.functions(), self.address.cast());
        let status = match self.origin {
            // SAFETY: it is freed once; that no device uses it any more is what each case waits for before it ends.
            Origin::Pool => unsafe { functions.hsa_amd_memory_pool_free(address) },
            // SAFETY: as above.
            Origin::OtherProcess => unsafe { functions.hsa_amd_ipc_memory_detach(address) },
            Origin::Mapped(mapping) => mapping.end(self.runtime),
        };
        if !std::thread::panicking() {
            self.runtime.ok("giving a block back", status);
        }
    }
}
