//! Kernel launches.

use std::ptr;

use ringfence::{error::DriverError, id::RawMemory};

use super::module::Function;
use crate::{runtime::Hip, streams::raw, sys::hipStream_t};

/// Numbers in x, y and z; each is 1 or more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Extent {
    /// In x.
    pub x: u32,
    /// In y.
    pub y: u32,
    /// In z.
    pub z: u32,
}

impl Extent {
    /// One dimension.
    #[must_use]
    pub const fn line(x: u32) -> Self {
        Self { x, y: 1, z: 1 }
    }
    /// Two dimensions.
    #[must_use]
    pub const fn plane(x: u32, y: u32) -> Self {
        Self { x, y, z: 1 }
    }
}

/// Arguments that a kernel can have.
const MOST: usize = 12;

/// The arguments of a kernel, in the order of its parameters: numbers and addresses of up to 8 bytes each.
///
/// ```
/// use ringfence::id::RawMemory;
/// use ringfence_hip::Arguments;
/// let arguments = Arguments::NONE.address(RawMemory::new(0x1000)).u32(7).f32(0.5);
/// assert_eq!(arguments.count(), 3);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Arguments {
    values: [u64; MOST],
    count: usize,
}

impl Arguments {
    /// No argument.
    pub const NONE: Self = Self { values: [0; MOST], count: 0 };

    /// And a `u32`.
    #[must_use]
    pub const fn u32(self, value: u32) -> Self {
        self.u64(value as u64)
    }
    /// And a `u64`.
    ///
    /// # Panics
    /// At the thirteenth argument.
    #[must_use]
    pub const fn u64(mut self, value: u64) -> Self {
        assert!(self.count < MOST, "a launch takes 12 arguments; put more into memory");
        self.values[self.count] = value;
        self.count += 1;
        self
    }
    /// And an `f32`.
    #[must_use]
    pub const fn f32(self, value: f32) -> Self {
        self.u32(value.to_bits())
    }
    /// And a pointer to device memory.
    #[must_use]
    pub const fn address(self, memory: RawMemory) -> Self {
        self.u64(memory.as_u64())
    }
    /// How many.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }
}

/// One launch of a kernel.
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
        let mut values = self.arguments.values;
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
