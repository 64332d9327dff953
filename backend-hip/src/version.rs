//! Versions of HIP, and what differs between them.

use std::fmt;

use ringfence::id::Bytes;

/// A version of HIP, as `hipRuntimeGetVersion` says it.
///
/// ```
/// use ringfence_hip::HipVersion;
/// let version = HipVersion::from_number(50_221_153);
/// assert_eq!(version.to_string(), "5.2.21153");
/// assert!(version < HipVersion::new(5, 7, 0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HipVersion {
    major: u32,
    minor: u32,
    patch: u32,
}

impl HipVersion {
    /// This version.
    #[must_use]
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// From HIP's number: major * 10,000,000 + minor * 100,000 + patch.
    #[must_use]
    pub const fn from_number(number: u32) -> Self {
        Self::new(number / 10_000_000, number / 100_000 % 100, number % 100_000)
    }

    /// The first number.
    #[must_use]
    pub const fn major(self) -> u32 {
        self.major
    }

    /// The second.
    #[must_use]
    pub const fn minor(self) -> u32 {
        self.minor
    }

    const fn is_before(self, major: u32, minor: u32) -> bool {
        self.major < major || self.major == major && self.minor < minor
    }

    /// `hipStreamDestroy` never returns while a freed block is in the memory pool of the device (5.2.3, tried).
    pub(crate) const fn destroy_needs_an_empty_pool(self) -> bool {
        self.is_before(5, 7)
    }

    /// `hipModuleLaunchKernel` on a stream that captures is not recorded, and runs at once (5.2.3, tried; not 5.7.1).
    pub(crate) const fn launches_are_not_captured(self) -> bool {
        self.is_before(5, 7)
    }

    /// `hipFreeAsync` on a stream that captures becomes a node, and frees nothing (6.4.3, tried; 5.7.1 records it and frees at once,
    /// 5.2.3 only frees).
    pub(crate) const fn captures_record_frees(self) -> bool {
        !self.is_before(6, 0)
    }

    /// A stream's query is refused by the mode of the stream's own last capture, at first global, whatever the mode of the thread
    /// (5.7.1, tried): one that once captured in relaxed mode is answered.
    pub(crate) const fn streams_need_a_first_capture(self) -> bool {
        !self.is_before(5, 3) && self.is_before(6, 0)
    }

    /// Pinned host memory of a stream: 512 KiB and 1 MiB were requested from a model of the kernel by 5.2.3 and 5.7.1; 33.0 GB for
    /// 4,000 streams were measured on ROCm 7.2 (<https://github.com/JuliaGPU/AMDGPU.jl>).
    pub(crate) const fn stream_bytes(self) -> Bytes {
        Bytes::new(if self.is_before(5, 7) {
            512 * 1024
        } else if self.is_before(6, 0) {
            1024 * 1024
        } else {
            8_250_000
        })
    }
}

impl fmt::Display for HipVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}
