//! What the kernel answers when it does not do something.

use crate::{
    memory::MemoryError,
    os::{QueueError, events::EventError},
};

/// An error number of Linux.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("error number {0}")]
pub struct Errno(i32);
impl Errno {
    /// Bad arguments.
    pub const INVALID: Self = Self(libc::EINVAL);
    /// A pointer to nothing.
    pub const BAD_ADDRESS: Self = Self(libc::EFAULT);
    /// Not an open descriptor.
    pub const BAD_DESCRIPTOR: Self = Self(libc::EBADF);
    /// No memory, or no more of another thing.
    pub const NO_MEMORY: Self = Self(libc::ENOMEM);
    /// No more events.
    pub const NO_SPACE: Self = Self(libc::ENOSPC);
    /// Not allowed.
    pub const NOT_PERMITTED: Self = Self(libc::EPERM);
    /// No such file.
    pub const NO_FILE: Self = Self(libc::ENOENT);
    /// No such device.
    pub const NO_DEVICE: Self = Self(libc::ENODEV);
    /// The device is broken.
    pub const IO: Self = Self(libc::EIO);
    /// No such request.
    pub const NOT_MODELLED: Self = Self(libc::ENOTTY);

    /// The last error of a system call.
    pub fn last() -> Self {
        Self(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
    }
    /// Its number.
    pub const fn number(self) -> i32 {
        self.0
    }
}
impl From<MemoryError> for Errno {
    fn from(error: MemoryError) -> Self {
        if matches!(error, MemoryError::Exhausted(_)) { Self::NO_MEMORY } else { Self::INVALID }
    }
}
impl From<EventError> for Errno {
    fn from(error: EventError) -> Self {
        if error == EventError::Exhausted { Self::NO_SPACE } else { Self::INVALID }
    }
}
impl From<QueueError> for Errno {
    fn from(_: QueueError) -> Self {
        Self::INVALID
    }
}
impl From<std::io::Error> for Errno {
    fn from(error: std::io::Error) -> Self {
        Self(error.raw_os_error().unwrap_or(libc::EINVAL))
    }
}
