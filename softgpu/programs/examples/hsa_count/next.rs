//! The runtime's own functions, behind those of this library.

use std::{
    ffi::c_void,
    ptr,
    sync::atomic::{AtomicPtr, Ordering},
};

/// The next definition of a name, found when it is first called.
pub(crate) struct Next {
    /// Ends in 0.
    name: &'static str,
    found: AtomicPtr<c_void>,
}

impl Next {
    /// Of this name, which ends in 0.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, found: AtomicPtr::new(ptr::null_mut()) }
    }

    /// The function.
    ///
    /// # Safety
    /// `F` is the type of a pointer to it.
    pub(crate) unsafe fn function<F: Copy>(&self) -> F {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        let mut found = self.found.load(Ordering::Acquire);
        if found.is_null() {
            // SAFETY: the name ends in 0.
            found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr().cast()) };
            if found.is_null() {
                eprintln!("hsa_count: the runtime has no {}", self.name.trim_end_matches('\0'));
                std::process::abort();
            }
            self.found.store(found, Ordering::Release);
        }
        // SAFETY: the sizes are equal, and the caller promised that it is of this type.
        unsafe { std::mem::transmute_copy(&found) }
    }
}
