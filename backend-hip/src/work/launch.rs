//! Kernel launches.

use std::ptr;

use ringfence::error::DriverError;
use ringfence_backend_shared::arguments::{Arguments, Extent};

use super::module::Function;
use crate::{runtime::Hip, streams::raw, sys::hipStream_t};

/// One launch of a kernel.
///
/// ```no_run
/// # use ringfence::{drive::StreamPool, error::StreamError, id::RawMemory, stream::*};
/// use ringfence_hip::{Arguments, Extent, Function, HipStreams, Launch};
/// # fn fill(pool: &StreamPool<HipStreams>, task: &mut Lease, fill: Function, memory: &Allocation) -> Result<Touch, StreamError> {
/// let arguments = Arguments::NONE.address(memory.raw()).u32(7);
/// // SAFETY: they are the kernel's; it writes 1024 words, which the memory has, and nobody else uses them.
/// let launch = unsafe { Launch::new(fill, Extent::line(4), Extent::line(256), arguments) };
/// let touch = pool.submit(task, launch.into())?;
/// # Ok(touch) }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Launch {
    function: Function,
    groups: Extent,
    threads: Extent,
    group_bytes: u32,
    arguments: Arguments,
}

impl Launch {
    /// A launch of `function` in `groups` work-groups of `threads` each.
    ///
    /// # Safety
    /// Whenever it is submitted, and until that is finished: the arguments are of the kernel's own types, in their order, and it
    /// accesses only memory that is there and that nobody else uses against its rules. The function was loaded on the GPU of the
    /// stream.
    #[must_use]
    pub const unsafe fn new(
        function: Function,
        groups: Extent,
        threads: Extent,
        arguments: Arguments,
    ) -> Self {
        Self { function, groups, threads, group_bytes: 0, arguments }
    }

    /// The same with so many bytes of dynamic group memory (LDS) a work-group.
    #[must_use]
    pub const fn with_group_bytes(self, bytes: u32) -> Self {
        Self { group_bytes: bytes, ..self }
    }

    /// Submits it to a stream that exists.
    pub(crate) fn submit(&self, hip: Hip, stream: hipStream_t) -> Result<(), DriverError> {
        let mut values = self.arguments.values();
        // HIP reads as many bytes of each as the kernel's own description says, at the time of the call.
        let mut places = values.each_mut().map(|value| ptr::from_mut(value).cast());
        let (groups, threads) = (self.groups, self.threads);
        let launch = hip.functions().hipModuleLaunchKernel;
        // SAFETY: the function is never unloaded, the caller has the stream, and there is a place of 8 bytes for each argument; the
        // rest was vouched for in `Launch::new`.
        hip.check(unsafe {
            launch(
                raw(self.function.handle()),
                groups.x,
                groups.y,
                groups.z,
                threads.x,
                threads.y,
                threads.z,
                self.group_bytes,
                stream,
                places.as_mut_ptr(),
                ptr::null_mut(),
            )
        })
    }
}
