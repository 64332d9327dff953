//! Pointers that came from C: looked at before anything is done, read at once, and written at the end.
//!
//! No reference is made of them. C may pass one dummy for two outputs, and a callback may look at what its caller passed: a
//! reference that is an argument would make both undefined.

use std::ptr::NonNull;

use crate::status::{Failure, ringfence_status_t as Status};

/// Where an output goes: a `T *` of the caller's.
#[repr(transparent)]
#[derive(Debug)]
pub struct Out<T>(*mut T);
impl<T> Out<T> {
    /// NULL: the caller does not want it.
    pub const NULL: Self = Self(std::ptr::null_mut());
    /// # Safety
    /// `at` is NULL, or may be written until the call returns, by the rules at the top of the header.
    pub const unsafe fn new(at: *mut T) -> Self {
        Self(at)
    }
    /// A place that is there.
    pub(crate) fn there(self, name: &str) -> Result<Place<T>, Failure> {
        if self.0.is_null() { Err(Failure::null(name)) } else { self.if_any(name) }
    }
    /// A place, or nowhere.
    pub(crate) fn if_any(self, name: &str) -> Result<Place<T>, Failure> {
        aligned(self.0, name)?;
        Ok(Place(NonNull::new(self.0)))
    }
}
/// An output that was looked at.
#[must_use = "it is written at the end of the call"]
pub(crate) struct Place<T>(Option<NonNull<T>>);
impl<T> Place<T> {
    pub(crate) fn write(self, value: T) {
        if let Some(at) = self.0 {
            // SAFETY: who made the `Out` promised that it may be written, and it is aligned.
            unsafe { at.write(value) }
        }
    }
}

/// Where an input is: a `const T *` of the caller's.
#[repr(transparent)]
#[derive(Debug)]
pub struct In<T>(*const T);
impl<T> In<T> {
    /// NULL: there is none.
    pub const NULL: Self = Self(std::ptr::null());
    /// # Safety
    /// `at` is NULL, or points to a `T` that may be read until the call returns, by the rules at the top of the header.
    pub const unsafe fn new(at: *const T) -> Self {
        Self(at)
    }
}
impl<T: Copy> In<T> {
    /// What is there now.
    pub(crate) fn there(self, name: &str) -> Result<T, Failure> {
        self.if_any(name)?.ok_or_else(|| Failure::null(name))
    }
    /// What is there now, if anything is.
    pub(crate) fn if_any(self, name: &str) -> Result<Option<T>, Failure> {
        aligned(self.0, name)?;
        let at = NonNull::new(self.0.cast_mut());
        // SAFETY: who made the `In` promised that it may be read, and it is aligned.
        Ok(at.map(|at| unsafe { at.read() }))
    }
}

/// The caller's array, as it is now.
///
/// # Safety
/// `at` points to `count` values that may be read, by the rules at the top of the header, or `count` is 0.
pub(crate) unsafe fn list<T: Copy>(
    at: *const T,
    count: usize,
    name: &str,
) -> Result<Vec<T>, Failure> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if at.is_null() {
        return Err(Failure::null(name));
    }
    aligned(at, name)?;
    let mut all = room(count, name)?;
    // SAFETY: so many are there, as promised by the caller, and they are aligned; ours has as much room, and is elsewhere.
    unsafe { std::ptr::copy_nonoverlapping(at, all.as_mut_ptr(), count) };
    // SAFETY: so many were just written.
    unsafe { all.set_len(count) };
    Ok(all)
}
/// Room for as many as the caller says: a number that no memory has room for is the caller's error, and does not end the process.
pub(crate) fn room<T>(count: usize, name: &str) -> Result<Vec<T>, Failure> {
    let mut room = Vec::new();
    room.try_reserve_exact(count).map_err(|_| {
        Failure::new(
            Status::RINGFENCE_INVALID_ARGUMENT,
            format_args!("there is no memory for {count} of `{name}`; pass fewer at once"),
        )
    })?;
    Ok(room)
}

/// Whether what the pointer says can be there.
pub(crate) fn aligned<T>(at: *const T, name: &str) -> Result<(), Failure> {
    if at.is_aligned() {
        return Ok(());
    }
    Err(Failure::new(
        Status::RINGFENCE_INVALID_ARGUMENT,
        format_args!(
            "`{name}` is {at:p}, and an object of its type begins at a multiple of {}; pass the address of one",
            align_of::<T>()
        ),
    ))
}
