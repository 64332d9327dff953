//! The structure that a request points at.

use std::{mem, ptr, slice};

use crate::errno::Errno;

/// A pointer to a request's structure, and how long its caller knows it to be: structures have grown
/// over the versions of the interface.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    at: *mut u8,
    bytes: usize,
}
impl Argument {
    /// The structure at `at`.
    ///
    /// # Safety
    /// `bytes` bytes from `at` may be read and written while a request runs, and what the structure
    /// points at may be, as the kernel's interface says.
    pub unsafe fn new(at: *mut u8, bytes: usize) -> Self {
        Self { at, bytes }
    }
    /// Runs `act` on a copy, as the kernel does, and writes it back: what the caller does not know is 0,
    /// and not written.
    pub(super) fn with<T: Copy + Default>(
        self,
        act: impl FnOnce(&mut T) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let bytes = self.bytes.min(mem::size_of::<T>());
        let mut copy = T::default();
        // SAFETY: `self.at` may be read, by the promise of `new`; the kernel's structures are numbers,
        // for which every pattern of bytes is one.
        unsafe { ptr::copy_nonoverlapping(self.at, ptr::from_mut(&mut copy).cast(), bytes) };
        let done = act(&mut copy);
        // SAFETY: `self.at` may be written, by the promise of `new`.
        unsafe { ptr::copy_nonoverlapping(ptr::from_ref(&copy).cast(), self.at, bytes) };
        done
    }
}

/// An array that a request's structure points at.
///
/// The lifetime is the request's: the kernel's interface says that nobody else touches it meanwhile.
pub(super) fn array<'a, T: Copy>(at: u64, count: u32) -> Result<&'a mut [T], Errno> {
    let (at, count) = (at as *mut T, count as usize);
    if count == 0 {
        return Ok(&mut []);
    }
    if at.is_null() || !at.is_aligned() {
        return Err(Errno::INVALID);
    }
    // SAFETY: by the promise of `Argument::new`, whose structure gave both numbers; aligned as checked.
    Ok(unsafe { slice::from_raw_parts_mut(at, count) })
}
