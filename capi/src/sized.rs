//! Structures that may grow: their first field says how large the caller's is.

use crate::{
    place::aligned,
    status::{Failure, ringfence_status_t as Status},
};

/// A structure whose first field, `size`, is its size as the caller was compiled. Later versions of the interface
/// add fields at its end alone.
///
/// # Safety
/// `repr(C)`; the first field is a `usize`; all bytes 0 are a value of it, and every value that C can write into its
/// fields is one.
pub(crate) unsafe trait Grows: Copy {
    /// Its name in C.
    const NAME: &'static str;
    /// Its size in the first version of the interface, which a caller has at least, but for what only fills it up.
    const FIRST: usize;
}

/// What the caller's structure says, with 0 for fields that it does not have.
///
/// # Safety
/// `from` is NULL, or points to a structure whose `size` is true.
pub(crate) unsafe fn read<T: Grows>(from: *const T, name: &str) -> Result<T, Failure> {
    // SAFETY: as promised by the caller.
    let size = unsafe { size_of_callers(from, name) }?;
    // SAFETY: all bytes 0 are a value, by `Grows`.
    let mut value: T = unsafe { std::mem::zeroed() };
    let to = (&raw mut value).cast::<u8>();
    // SAFETY: the caller's has `size` bytes, ours has as many as its type, and they do not overlap.
    unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>(), to, size.min(size_of::<T>())) };
    Ok(value)
}
/// A structure of the caller's that was looked at, and is filled at the end of the call.
#[must_use = "it is filled at the end of the call"]
pub(crate) struct Room<T>(*mut T, usize);
impl<T: Grows> Room<T> {
    /// Looks at the caller's structure, before anything is done.
    ///
    /// # Safety
    /// `at` is NULL, or points to a structure whose `size` is true, and that may be written until [`fill`](Self::fill).
    pub(crate) unsafe fn there(at: *mut T, name: &str) -> Result<Self, Failure> {
        // SAFETY: as promised by the caller.
        let size = unsafe { size_of_callers(at, name) }?;
        Ok(Self(at, size))
    }
    /// The same where NULL means that nobody wants it.
    ///
    /// # Safety
    /// As for [`there`](Self::there).
    pub(crate) unsafe fn if_any(at: *mut T, name: &str) -> Result<Option<Self>, Failure> {
        if at.is_null() {
            return Ok(None);
        }
        // SAFETY: as promised by the caller.
        unsafe { Self::there(at, name) }.map(Some)
    }
    /// Fills it, as far as it goes; its `size` stays.
    pub(crate) fn fill(self, value: &T) {
        const HEAD: usize = size_of::<usize>();
        let Self(to, size) = self;
        // SAFETY: ours begins with its `size` field.
        let from = unsafe { std::ptr::from_ref(value).cast::<u8>().add(HEAD) };
        // SAFETY: the caller's has at least its `size` field, by the look at it.
        let to = unsafe { to.cast::<u8>().add(HEAD) };
        // SAFETY: the caller's has `size` writable bytes, ours has as many as its type, and they do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(from, to, size.min(size_of::<T>()) - HEAD) };
    }
}
/// Fills the caller's structure for the first time: its `size` is what the caller says, and so is how far it is written. What it
/// has beyond ours is 0.
///
/// # Safety
/// `to` is NULL, or has `size` writable bytes.
pub(crate) unsafe fn init<T: Grows>(
    to: *mut T,
    size: usize,
    value: &T,
    name: &str,
) -> Result<(), Failure> {
    if to.is_null() {
        return Err(Failure::null(name));
    }
    aligned(to, name)?;
    large_enough::<T>(size, name)?;
    // SAFETY: as promised by the caller.
    unsafe { to.cast::<u8>().write_bytes(0, size) };
    // SAFETY: it has room for a `size`, by the check above, and is aligned for the structure, whose first field that is.
    unsafe { to.cast::<usize>().write(size) };
    Room(to, size).fill(value);
    Ok(())
}
/// # Safety
/// `at` is NULL, or points to a structure whose first field is its `size`.
unsafe fn size_of_callers<T: Grows>(at: *const T, name: &str) -> Result<usize, Failure> {
    if at.is_null() {
        return Err(Failure::null(name));
    }
    aligned(at, name)?;
    // SAFETY: the first field is a `usize`, by `Grows`, and is there, as promised by the caller.
    let size = unsafe { at.cast::<usize>().read() };
    large_enough::<T>(size, name)?;
    Ok(size)
}
fn large_enough<T: Grows>(size: usize, name: &str) -> Result<(), Failure> {
    if size < T::FIRST {
        return Err(Failure::new(
            Status::RINGFENCE_ABI_MISMATCH,
            format_args!(
                "`{name}->size` is {size}, and a {} has at least {} bytes; set it to sizeof({})",
                T::NAME,
                T::FIRST,
                T::NAME
            ),
        ));
    }
    Ok(())
}

/// Declares structures that may grow, each with the last field that it had in the first version of the interface. What is added later
/// stays out of this.
macro_rules! grows {
    ($($name:ident, first to $last:ident;)*) => {$(
        // SAFETY: the structure is `repr(C)`, begins with `size`, and has only numbers, pointers and optional functions.
        unsafe impl $crate::sized::Grows for $name {
            const NAME: &'static str = stringify!($name);
            const FIRST: usize = std::mem::offset_of!($name, $last)
                + $crate::sized::size_of_field(|of: &$name| &of.$last);
        }
    )*};
}
pub(crate) use grows;

/// The size of the field that `field` picks.
pub(crate) const fn size_of_field<T, F>(_field: fn(&T) -> &F) -> usize {
    size_of::<F>()
}

#[cfg(test)]
mod tests;
