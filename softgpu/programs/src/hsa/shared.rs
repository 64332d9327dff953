//! What another process may use of this one's.

use ringfence_hsa::sys::{hsa_agent_t, hsa_amd_ipc_memory_t, hsa_signal_t, hsa_status_t};

use super::{Agent, Block, Runtime, Signal};

/// A name for memory or a signal that another process can attach.
#[derive(Clone, Copy, Debug)]
pub struct Shared(hsa_amd_ipc_memory_t);

impl Shared {
    /// From the bytes that the other process sent.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        let word = |index: usize| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|byte| bytes[4 * index + byte]);
            u32::from_le_bytes([a, b, c, d])
        };
        Self(hsa_amd_ipc_memory_t { handle: [0, 1, 2, 3, 4, 5, 6, 7].map(word) })
    }

    /// To be sent.
    #[must_use]
    pub fn bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (to, word) in bytes.chunks_mut(4).zip(self.0.handle) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

impl<'r> Block<'r> {
    /// A name for the block.
    ///
    /// # Errors
    /// Whatever the runtime says.
    pub fn share(&self) -> Result<Shared, hsa_status_t> {
        let mut name = hsa_amd_ipc_memory_t::default();
        let functions = self.runtime().functions();
        // SAFETY: the block is this one, and `name` is writable.
        let status = unsafe {
            functions.hsa_amd_ipc_memory_create(self.address(), self.bytes(), &raw mut name)
        };
        success(status).map(|()| Shared(name))
    }

    /// Another process's block of `bytes`, to which `agents` have access.
    ///
    /// # Errors
    /// Whatever the runtime says.
    pub fn attach(
        name: &Shared,
        bytes: usize,
        agents: &[Agent<'_>],
        runtime: &'r Runtime,
    ) -> Result<Self, hsa_status_t> {
        let handles: Vec<hsa_agent_t> = agents.iter().map(Agent::handle).collect();
        let count = u32::try_from(handles.len()).expect("few agents");
        let mut address = std::ptr::null_mut();
        // SAFETY: `handles` has `count` agents, and `address` is writable.
        let status = unsafe {
            runtime.functions().hsa_amd_ipc_memory_attach(
                &raw const name.0,
                bytes,
                count,
                handles.as_ptr(),
                &raw mut address,
            )
        };
        success(status).map(|()| Self::attached(runtime, address, bytes))
    }
}

impl<'r> Signal<'r> {
    /// A name for the signal, which was made to be shared.
    ///
    /// # Errors
    /// Whatever the runtime says.
    pub fn share(&self) -> Result<Shared, hsa_status_t> {
        let mut name = hsa_amd_ipc_memory_t::default();
        let functions = self.runtime().functions();
        // SAFETY: the signal is there, and `name` is writable.
        let status = unsafe { functions.hsa_amd_ipc_signal_create(self.handle(), &raw mut name) };
        success(status).map(|()| Shared(name))
    }

    /// Another process's signal.
    ///
    /// # Errors
    /// Whatever the runtime says.
    pub fn attach(name: &Shared, runtime: &'r Runtime) -> Result<Self, hsa_status_t> {
        let mut handle = hsa_signal_t::default();
        // SAFETY: `handle` is writable.
        let status = unsafe {
            runtime.functions().hsa_amd_ipc_signal_attach(&raw const name.0, &raw mut handle)
        };
        success(status).map(|()| Self::adopt(runtime, handle))
    }
}

fn success(status: hsa_status_t) -> Result<(), hsa_status_t> {
    if status == hsa_status_t::HSA_STATUS_SUCCESS { Ok(()) } else { Err(status) }
}
