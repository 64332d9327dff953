//! A GPU whose kernels the experiments know by name: what a runtime has to bring to be measured beside the others.

mod cuda;
mod ground;
mod hip;
mod mock;
mod source;

use std::time::Duration;

use ringfence::{
    backend::streams::{StreamBackend, StreamWork},
    id::{Bytes, RawMemory, StreamKey},
};
use serde::Serialize;

use super::problem::Problem;

pub(super) use cuda::CudaGpu;
pub(super) use ground::Ground;
pub(super) use hip::HipGpu;
pub(super) use mock::MockGpu;

/// What was measured on.
#[derive(Serialize, Clone, Debug)]
pub(super) struct About {
    /// The runtime, in the words of the command line.
    pub(super) backend: &'static str,
    /// What did the work.
    pub(super) ground: Ground,
    /// Its version.
    pub(super) version: String,
    /// The GPU.
    pub(super) gpu: String,
    /// Where arrays come from.
    pub(super) memory: &'static str,
    /// What to know before a figure is quoted.
    pub(super) caution: &'static str,
}

/// A word of 4 bytes in device memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct At {
    /// The allocation.
    pub(super) memory: RawMemory,
    /// Which of its words.
    pub(super) word: u64,
}
impl At {
    /// The first word.
    pub(super) const fn start(memory: RawMemory) -> Self {
        Self { memory, word: 0 }
    }
}

/// A rectangle of a surface of `f32`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chunk {
    /// Cells along each side of the surface.
    pub(super) side: u32,
    /// Its first column.
    pub(super) x: u32,
    /// Its first row.
    pub(super) y: u32,
    /// Its own cells along each side.
    pub(super) cells: u32,
}

/// A kernel with its arguments.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Kernel {
    /// `out[i] = value`.
    Fill { out: At, value: u32, count: u32 },
    /// `out[i] = start + i`, modulo 2^32.
    Iota { out: At, start: u32, count: u32 },
    /// `y[i] = a * x[i] + y[i]`, with the product rounded.
    Saxpy { a: f32, x: At, y: At, count: u32 },
    /// Adds the sum of `input` to the two words at `out`.
    ReduceSum { input: At, out: At, count: u32 },
    /// A quarter of the four neighbours of each cell, where it has four.
    Stencil { input: At, out: At, chunk: Chunk },
}

/// Host memory that the GPU reaches, in words of 4 bytes.
pub(super) trait HostWords: Sync {
    /// A word.
    fn load(&self, word: usize) -> u32;
    /// Sets it.
    fn store(&self, word: usize, value: u32);
}

/// Work of a GPU's streams.
pub(super) type Work<G> = <<G as Gpu>::Streams as StreamWork>::Work;

/// One GPU, with streams and the kernels above.
///
/// Whoever submits work keeps what it uses until it is finished: the experiments give memory up with a stamp of every use.
pub(super) trait Gpu: Sync {
    /// Its streams, for a pool.
    type Streams: StreamBackend + StreamWork + Sync;
    /// Its pinned host memory.
    type Words: HostWords;

    /// What it is.
    fn about(&self) -> About;
    /// Which streams the tasks get.
    fn key(&self) -> StreamKey;
    /// A driver of streams for one pool.
    fn streams(&self) -> Self::Streams;
    /// Host memory of so many words.
    ///
    /// # Errors
    /// What the runtime says.
    fn host_words(&self, count: usize) -> Result<Self::Words, Problem>;
    /// A kernel, to be submitted at once.
    fn kernel(&self, kernel: Kernel) -> Work<Self>;
    /// A copy to the host, to be submitted at once.
    fn copy_out(&self, from: RawMemory, to: &Self::Words, bytes: Bytes) -> Work<Self>;
    /// A copy from the host, to be submitted at once.
    fn copy_in(&self, to: RawMemory, from: &Self::Words, bytes: Bytes) -> Work<Self>;
    /// An allocation was given up: nobody submits anything more that uses it.
    fn given_up(&self, memory: RawMemory);
    /// Time passes between two tasks: a modelled device works only then.
    fn pass_time(&self, streams: &Self::Streams);
    /// What calls and device would have taken so far, by the model; `None` where time is real.
    fn modelled(&self, _streams: &Self::Streams) -> Option<Duration> {
        None
    }
    /// Waits for all work, between two runs.
    ///
    /// # Errors
    /// What the runtime says.
    fn settle(&self) -> Result<(), Problem>;
}
