//! What is submitted to a stream.

mod host;
mod kernels;
mod launch;
mod module;

use std::fmt;

use ringfence::{
    backend::streams::StreamWork,
    error::DriverError,
    id::{Bytes, RawStream},
};

use crate::{
    runtime::Cuda,
    streams::{CudaStreams, raw},
    sys,
};

pub use kernels::{Kernels, PTX};
pub use launch::Launch;
pub use module::{Function, Module};

/// One piece of work of a stream. A stream that captures records each kind, but for host functions.
///
/// ```no_run
/// # use ringfence::{drive::StreamPool, error::StreamError, id::Bytes, stream::*};
/// use ringfence_cuda::{CudaStreams, CudaWork};
/// # fn zeroed(pool: &StreamPool<CudaStreams>, task: &mut Lease) -> Result<(), StreamError> {
/// let memory = pool.allocate(task, Bytes::new(4096))?;
/// // SAFETY: the memory has so many bytes, is nobody else's, and is freed behind the fill.
/// let fill = unsafe { CudaWork::fill(memory.raw().as_u64(), 0, memory.bytes()) };
/// let mut uses = memory.stamp();
/// uses.add(pool.submit(task, fill)?, Access::Write);
/// pool.submit(task, CudaWork::host(|| println!("it is 0 now")))?;
/// let _freed = pool.retire(memory, uses);
/// # Ok(()) }
/// ```
pub struct CudaWork(Kind);

enum Kind {
    Kernel(Launch),
    Copy { to: u64, from: u64, bytes: usize },
    Fill { to: u64, byte: u8, bytes: usize },
    FillWords { to: u64, word: u32, words: usize },
    Wait { at: u64, at_least: u64 },
    Write { at: u64, value: u64 },
    Host(Box<dyn FnOnce() + Send>),
    Call(Box<Call>),
}

type Call = dyn FnOnce(Cuda, RawStream) -> Result<(), DriverError> + Send;

impl CudaWork {
    /// A kernel.
    #[must_use]
    pub const fn kernel(launch: Launch) -> Self {
        Self(Kind::Kernel(launch))
    }

    /// A copy between device memory and host memory, or within device memory (`cuMemcpyAsync`). Of host memory only pinned memory is
    /// copied in the stream's order alone. From host memory to host memory the driver waits for the stream
    /// (<https://docs.nvidia.com/cuda/cuda-driver-api/api-sync-behavior.html>): use a kernel for that.
    ///
    /// # Safety
    /// Until the work is finished, or the last launch of a graph that it was recorded into: both addresses have so many bytes, and
    /// nobody uses them against what the copy does.
    #[must_use]
    pub const unsafe fn copy(to: u64, from: u64, bytes: Bytes) -> Self {
        Self(Kind::Copy { to, from, bytes: bytes.as_u64() as usize })
    }

    /// Sets memory to a byte (`cuMemsetD8Async`).
    ///
    /// # Safety
    /// As for [`copy`](Self::copy).
    #[must_use]
    pub const unsafe fn fill(to: u64, byte: u8, bytes: Bytes) -> Self {
        Self(Kind::Fill { to, byte, bytes: bytes.as_u64() as usize })
    }

    /// Sets memory to a word of 4 bytes (`cuMemsetD32Async`), so many times. The address is a multiple of 4.
    ///
    /// # Safety
    /// As for [`copy`](Self::copy).
    #[must_use]
    pub const unsafe fn fill_words(to: u64, word: u32, words: u64) -> Self {
        Self(Kind::FillWords { to, word, words: words as usize })
    }

    /// Later work of the stream waits until a word of 8 bytes is at least this (`cuStreamWaitValue64`): the host, or another stream,
    /// is to write it. Few streams can wait so at once: with 8 of them nothing else ran on the GPU that was tried (`docs/cuda.md`).
    ///
    /// # Safety
    /// Until the work is finished: the address is a multiple of 8, and lies in memory that the driver knows.
    #[must_use]
    pub const unsafe fn wait_value(at: u64, at_least: u64) -> Self {
        Self(Kind::Wait { at, at_least })
    }

    /// Writes a word of 8 bytes behind the stream's earlier work (`cuStreamWriteValue64`).
    ///
    /// # Safety
    /// As for [`wait_value`](Self::wait_value), and nobody uses the word against what this does.
    #[must_use]
    pub const unsafe fn write_value(at: u64, value: u64) -> Self {
        Self(Kind::Write { at, value })
    }

    /// A function of the host (`cuLaunchHostFunc`), called on a thread of the driver's in the stream's order. It may not call the
    /// driver, and later work of the stream waits for it. One thread serves all streams: a function that blocks holds up those of
    /// other streams (driver 580, tried). After an error of the GPU it may never be called. One that panics ends there.
    ///
    /// On a stream that captures it is refused ([`DriverError::CaptureConflict`]): it is called once, and a graph may be launched often.
    #[must_use]
    pub fn host(function: impl FnOnce() + Send + 'static) -> Self {
        Self(Kind::Host(Box::new(function)))
    }

    /// Whatever the function submits to the stream, with the driver's own calls ([`Cuda::functions`]). It may not synchronize, and may
    /// not keep the stream. No context is current, unless the caller's thread has one ([`Cuda::current`]).
    #[must_use]
    pub fn call(
        function: impl FnOnce(Cuda, RawStream) -> Result<(), DriverError> + Send + 'static,
    ) -> Self {
        Self(Kind::Call(Box::new(function)))
    }
}

impl From<Launch> for CudaWork {
    fn from(launch: Launch) -> Self {
        Self::kernel(launch)
    }
}

impl StreamWork for CudaStreams {
    type Work = CudaWork;
    fn launch(&self, stream: RawStream, work: CudaWork) -> Result<(), DriverError> {
        let (cuda, functions) = (self.cuda(), self.cuda().functions());
        let _held = self.stream(stream)?;
        let on = raw(stream.as_u64());
        match work.0 {
            Kind::Kernel(launch) => launch.submit(cuda, on),
            Kind::Copy { to, from, bytes } => {
                // SAFETY: the stream exists while it is held; the rest was vouched for in `CudaWork::copy`.
                cuda.check(unsafe { (functions.cuMemcpyAsync)(to, from, bytes, on) })
            }
            Kind::Fill { to, byte, bytes } => {
                // SAFETY: as above, by `CudaWork::fill`.
                cuda.check(unsafe { (functions.cuMemsetD8Async)(to, byte, bytes, on) })
            }
            Kind::FillWords { to, word, words } => {
                // SAFETY: as above, by `CudaWork::fill_words`.
                cuda.check(unsafe { (functions.cuMemsetD32Async)(to, word, words, on) })
            }
            Kind::Wait { at, at_least } => {
                let condition = sys::CU_STREAM_WAIT_VALUE_GEQ;
                // SAFETY: as above, by `CudaWork::wait_value`.
                cuda.check(unsafe { (functions.cuStreamWaitValue64)(on, at, at_least, condition) })
            }
            Kind::Write { at, value } => {
                let flags = sys::CU_STREAM_WRITE_VALUE_DEFAULT;
                // SAFETY: as above, by `CudaWork::write_value`.
                cuda.check(unsafe { (functions.cuStreamWriteValue64)(on, at, value, flags) })
            }
            Kind::Host(function) => self.launch_host(stream, function),
            Kind::Call(function) => function(cuda, stream),
        }
    }
}

impl fmt::Debug for CudaWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Kind::Kernel(_) => "kernel",
            Kind::Copy { .. } => "copy",
            Kind::Fill { .. } | Kind::FillWords { .. } => "fill",
            Kind::Wait { .. } => "wait for a value",
            Kind::Write { .. } => "write of a value",
            Kind::Host(_) => "host function",
            Kind::Call(_) => "call",
        })
    }
}
