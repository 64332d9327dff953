//! Structures that may grow: their first field says how large the caller's is.

use crate::status::{Failure, ringfence_status_t as Status};

/// A structure whose first field, `size`, is its size as the caller was compiled. Later versions of the interface
/// add fields at its end alone.
///
/// # Safety
/// `repr(C)`; the first field is a `usize`; all bytes 0 are a value of it, and every value that C can write into its
/// fields is one.
pub(crate) unsafe trait Grows: Copy {
    /// Its name in C.
    const NAME: &'static str;
    /// Its size in the first version of the interface, which a caller has at least.
    const FIRST: usize = size_of::<Self>();
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
/// Fills the caller's structure, as far as it goes; its `size` stays.
///
/// # Safety
/// `to` is NULL, or points to a writable structure whose `size` is true.
pub(crate) unsafe fn write<T: Grows>(to: *mut T, value: &T, name: &str) -> Result<(), Failure> {
    // SAFETY: as promised by the caller.
    let size = unsafe { size_of_callers(to, name) }?;
    const HEAD: usize = size_of::<usize>();
    // SAFETY: both have at least their `size` field, by the check above.
    let from = unsafe { std::ptr::from_ref(value).cast::<u8>().add(HEAD) };
    // SAFETY: as above.
    let to = unsafe { to.cast::<u8>().add(HEAD) };
    // SAFETY: the caller's has `size` writable bytes, ours has as many as its type, and they do not overlap.
    unsafe { std::ptr::copy_nonoverlapping(from, to, size.min(size_of::<T>()) - HEAD) };
    Ok(())
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
    large_enough::<T>(size, name)?;
    // SAFETY: as promised by the caller.
    unsafe { to.cast::<u8>().write_bytes(0, size) };
    // SAFETY: it has room for a `size`, by the check above, and is aligned for the structure, whose first field that is.
    unsafe { to.cast::<usize>().write(size) };
    // SAFETY: its size is true.
    unsafe { write(to, value, name) }
}
/// # Safety
/// `at` is NULL, or points to a structure whose first field is its `size`.
unsafe fn size_of_callers<T: Grows>(at: *const T, name: &str) -> Result<usize, Failure> {
    if at.is_null() {
        return Err(Failure::null(name));
    }
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

/// Declares structures that may grow.
macro_rules! grows {
    ($($name:ident),* $(,)?) => {$(
        // SAFETY: the structure is `repr(C)`, begins with `size`, and has only numbers, pointers and optional functions.
        unsafe impl $crate::sized::Grows for $name {
            const NAME: &'static str = stringify!($name);
        }
    )*};
}
pub(crate) use grows;
