//! What is submitted to a stream.

mod host;
mod launch;
mod module;

use std::{ffi::c_void, fmt};

use ringfence::{
    backend::streams::{CaptureStatus, StreamWork},
    error::DriverError,
    id::{Bytes, RawStream},
};

use crate::{
    runtime::Hip,
    streams::{HipStreams, class, raw},
    sys,
};

pub use launch::Launch;
pub use module::{Function, Module};

/// One piece of work of a stream.
///
/// ```no_run
/// # use ringfence::{drive::StreamPool, error::StreamError, id::Bytes, stream::*};
/// use ringfence_hip::{HipStreams, HipWork};
/// # fn zeroed(pool: &StreamPool<HipStreams>, task: &mut Lease) -> Result<(), StreamError> {
/// let memory = pool.allocate(task, Bytes::new(4096))?;
/// // SAFETY: the memory has so many bytes, is nobody else's, and is freed behind the fill.
/// let fill = unsafe { HipWork::fill(memory.raw().as_u64(), 0, memory.bytes()) };
/// let mut uses = memory.stamp();
/// uses.add(pool.submit(task, fill)?, Access::Write);
/// pool.submit(task, HipWork::host(|| println!("it is 0 now")))?;
/// let _freed = pool.retire(memory, uses);
/// # Ok(()) }
/// ```
pub struct HipWork(Kind);

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

type Call = dyn FnOnce(Hip, RawStream) -> Result<(), DriverError> + Send;

impl HipWork {
    /// A kernel. HIP before 5.7 records none: there it is refused on a stream that captures ([`DriverError::Unsupported`]).
    #[must_use]
    pub const fn kernel(launch: Launch) -> Self {
        Self(Kind::Kernel(launch))
    }

    /// A copy between any two of device memory and host memory (`hipMemcpyAsync`). Of host memory only pinned memory is copied in the
    /// stream's order alone; from other memory HIP copies at once, or waits.
    ///
    /// # Safety
    /// Until the work is finished, or the last launch of a graph that it was recorded into: both addresses have so many bytes, and
    /// nobody uses them against what the copy does.
    #[must_use]
    pub const unsafe fn copy(to: u64, from: u64, bytes: Bytes) -> Self {
        Self(Kind::Copy { to, from, bytes: bytes.as_u64() as usize })
    }

    /// Sets memory to a byte (`hipMemsetAsync`).
    ///
    /// # Safety
    /// As for [`copy`](Self::copy).
    #[must_use]
    pub const unsafe fn fill(to: u64, byte: u8, bytes: Bytes) -> Self {
        Self(Kind::Fill { to, byte, bytes: bytes.as_u64() as usize })
    }

    /// Sets memory to a word of 4 bytes (`hipMemsetD32Async`), so many times. The address is a multiple of 4.
    ///
    /// # Safety
    /// As for [`copy`](Self::copy).
    #[must_use]
    pub const unsafe fn fill_words(to: u64, word: u32, words: u64) -> Self {
        Self(Kind::FillWords { to, word, words: words as usize })
    }

    /// Later work of the stream waits until a word of 8 bytes is at least this (`hipStreamWaitValue64`): the host, or another
    /// stream, is to write it. HIP never records it, and waits at once also on a stream that captures.
    ///
    /// # Safety
    /// Until the work is finished: the address is a multiple of 8, and lies in memory that HIP knows.
    #[must_use]
    pub const unsafe fn wait_value(at: u64, at_least: u64) -> Self {
        Self(Kind::Wait { at, at_least })
    }

    /// Writes a word of 8 bytes behind the stream's earlier work (`hipStreamWriteValue64`). HIP never records it.
    ///
    /// # Safety
    /// As for [`wait_value`](Self::wait_value), and nobody uses the word against what this does.
    #[must_use]
    pub const unsafe fn write_value(at: u64, value: u64) -> Self {
        Self(Kind::Write { at, value })
    }

    /// A function of the host, called on a thread of HIP's in the stream's order: by `hipLaunchHostFunc`, or `hipStreamAddCallback`
    /// where that is not exported (5.2). It may not call HIP, and later work of the stream waits for it. After an error of the GPU it
    /// may never be called. One that panics ends there.
    ///
    /// On a stream that captures it is refused ([`DriverError::CaptureConflict`]): it is called once, and a graph may be launched often.
    #[must_use]
    pub fn host(function: impl FnOnce() + Send + 'static) -> Self {
        Self(Kind::Host(Box::new(function)))
    }

    /// Whatever the function submits to the stream, with HIP's own calls ([`Hip::functions`]). It may not synchronize, and may
    /// not keep the stream.
    #[must_use]
    pub fn call(
        function: impl FnOnce(Hip, RawStream) -> Result<(), DriverError> + Send + 'static,
    ) -> Self {
        Self(Kind::Call(Box::new(function)))
    }
}

impl From<Launch> for HipWork {
    fn from(launch: Launch) -> Self {
        Self::kernel(launch)
    }
}

impl StreamWork for HipStreams {
    type Work = HipWork;
    fn launch(&self, stream: RawStream, work: HipWork) -> Result<(), DriverError> {
        let (hip, functions) = (self.hip(), self.hip().functions());
        let held = self.stream(stream)?;
        let on = raw(stream.as_u64());
        match work.0 {
            Kind::Kernel(_)
                if hip.version().launches_are_not_captured()
                    && self.status_of_held(stream) != CaptureStatus::None =>
            {
                Err(DriverError::Unsupported)
            }
            Kind::Kernel(launch) => {
                // A capture records the kernel of the thread's device.
                let _current = hip.on(held.of().device).map_err(class)?;
                launch.submit(hip, on)
            }
            Kind::Copy { to, from, bytes } => {
                let from: *const c_void = raw(from);
                let copy = functions.hipMemcpyAsync;
                // SAFETY: the stream exists while it is held; the rest was vouched for in `HipWork::copy`.
                hip.check(unsafe { copy(raw(to), from, bytes, sys::hipMemcpyDefault, on) })
            }
            Kind::Fill { to, byte, bytes } => {
                let fill = functions.hipMemsetAsync;
                // SAFETY: the stream exists while it is held; the rest was vouched for in `HipWork::fill`.
                hip.check(unsafe { fill(raw(to), byte.into(), bytes, on) })
            }
            Kind::FillWords { to, word, words } => {
                let fill = functions.hipMemsetD32Async;
                // SAFETY: as above, by `HipWork::fill_words`.
                hip.check(unsafe { fill(raw(to), word.cast_signed(), words, on) })
            }
            Kind::Wait { at, at_least } => {
                let (wait, condition) =
                    (functions.hipStreamWaitValue64, sys::hipStreamWaitValueGte);
                // SAFETY: as above, by `HipWork::wait_value`.
                hip.check(unsafe { wait(on, raw(at), at_least, condition, u64::MAX) })
            }
            Kind::Write { at, value } => {
                // SAFETY: as above, by `HipWork::write_value`.
                hip.check(unsafe { (functions.hipStreamWriteValue64)(on, raw(at), value, 0) })
            }
            Kind::Host(function) => self.launch_host(stream, function),
            Kind::Call(function) => function(hip, stream),
        }
    }
}

impl fmt::Debug for HipWork {
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
