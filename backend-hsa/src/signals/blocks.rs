//! Raw signals: blocks in a GPU's memory that this crate lays out.

use crate::{
    api::{AgentHandle, Api, Pool, PoolFlags},
    error::HsaError,
    signals::word::BLOCK,
};

/// Blocks of one chunk: 64 KiB of VRAM.
const CHUNK: usize = 1024;

/// Blocks in one GPU's memory, which the host reaches through the BAR.
#[derive(Debug)]
pub(crate) struct Blocks {
    pool: Pool,
    /// Who accesses them besides the GPU.
    agents: Vec<AgentHandle>,
    chunks: Vec<Chunk>,
    free: Vec<u64>,
}

#[derive(Debug)]
struct Chunk(*mut u8);

// SAFETY: an address of memory that any thread may access.
unsafe impl Send for Chunk {}

impl Blocks {
    /// No block yet, of `pool`.
    pub(crate) fn new(pool: Pool, agents: Vec<AgentHandle>) -> Self {
        Self { pool, agents, chunks: Vec::new(), free: Vec::new() }
    }

    /// Takes a block, from a new chunk if need be.
    pub(crate) fn take(&mut self, api: Api) -> Result<u64, HsaError> {
        if self.free.is_empty() {
            let bytes = CHUNK * BLOCK;
            let base = api.allocate(self.pool, bytes, PoolFlags::Standard, &self.agents)?;
            self.chunks.push(Chunk(base));
            let first = base as u64;
            self.free.extend((0..CHUNK as u64).rev().map(|index| first + index * BLOCK as u64));
        }
        Ok(self.free.pop().expect("a chunk has blocks"))
    }

    /// Gives a block back.
    pub(crate) fn give(&mut self, block: u64) {
        self.free.push(block);
    }

    /// Frees all. Blocks that are still taken may be written to by a device: then all is left to the end of the runtime.
    pub(crate) fn release(&mut self, api: Api) {
        if self.free.len() < self.chunks.len() * CHUNK {
            return;
        }
        self.free.clear();
        for Chunk(base) in self.chunks.drain(..) {
            // SAFETY: every block was given back, so that nobody uses one any more.
            unsafe { api.free(base) };
        }
    }
}
