//! Versions of CUDA's driver interface.

use std::fmt;

/// The version of CUDA that a driver serves, as `cuDriverGetVersion` says it.
///
/// ```
/// use ringfence_cuda::CudaVersion;
/// let version = CudaVersion::from_number(12_080);
/// assert_eq!(version.to_string(), "12.8");
/// assert!(version < CudaVersion::new(13, 0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CudaVersion {
    major: u32,
    minor: u32,
}

impl CudaVersion {
    /// This version.
    #[must_use]
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// From the driver's number: major * 1,000 + minor * 10.
    #[must_use]
    pub const fn from_number(number: u32) -> Self {
        Self::new(number / 1_000, number / 10 % 100)
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
}

impl fmt::Display for CudaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_the_driver_writes_them() {
        assert_eq!(CudaVersion::from_number(13_000), CudaVersion::new(13, 0));
        assert_eq!(CudaVersion::from_number(12_090), CudaVersion::new(12, 9));
        assert_eq!(CudaVersion::from_number(11_070).to_string(), "11.7");
        assert!(CudaVersion::new(11, 7) < CudaVersion::new(12, 0));
    }
}
