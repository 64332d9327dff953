//! Functions of the host that travel through a runtime as a pointer, and are called there once.

use std::{
    ffi::c_void,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// A function on its way.
///
/// ```
/// use ringfence_backend_shared::parcel::{Parcel, unpack};
/// let (done, received) = std::sync::mpsc::channel();
/// let parcel = Parcel::send(Box::new(move || done.send("called").expect("a receiver")));
/// // What a runtime does with a host function and the pointer that came with it:
/// // SAFETY: it was just sent, and nobody else has it.
/// unsafe { unpack(parcel) };
/// assert_eq!(received.recv(), Ok("called"));
/// ```
pub struct Parcel(Box<dyn FnOnce() + Send>);

impl Parcel {
    /// For the runtime to carry; [`unpack`] or [`take_back`](Self::take_back) ends it.
    #[must_use]
    pub fn send(function: Box<dyn FnOnce() + Send>) -> *mut c_void {
        Box::into_raw(Box::new(Self(function))).cast()
    }

    /// The runtime did not take it.
    ///
    /// # Safety
    /// `parcel` is [`send`](Self::send)'s, and nobody else has it.
    pub unsafe fn take_back(parcel: *mut c_void) {
        // SAFETY: the caller's promise.
        drop(unsafe { Box::from_raw(parcel.cast::<Self>()) });
    }
}

/// Called by the runtime, once.
///
/// # Safety
/// `parcel` is [`Parcel::send`]'s, and nobody else has it.
pub unsafe extern "C" fn unpack(parcel: *mut c_void) {
    // SAFETY: the caller's promise.
    let Parcel(function) = *unsafe { Box::from_raw(parcel.cast::<Parcel>()) };
    // Nothing may unwind into the runtime; the panic's message was printed where it happened.
    let _printed = catch_unwind(AssertUnwindSafe(function));
}

impl fmt::Debug for Parcel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Parcel")
    }
}

#[cfg(test)]
mod tests;
