//! The functions that ours stand in front of.

use std::sync::atomic::{AtomicPtr, Ordering};

/// A function of the next library that has one of this name, looked up once.
pub(super) struct Next {
    /// It ends with 0.
    name: &'static str,
    found: AtomicPtr<libc::c_void>,
}
impl Next {
    pub(super) const fn new(name: &'static str) -> Self {
        Self { name, found: AtomicPtr::new(std::ptr::null_mut()) }
    }
    /// Its address: null if no library has it.
    pub(super) fn find(&self) -> *mut libc::c_void {
        let known = self.found.load(Ordering::Acquire);
        if !known.is_null() {
            return known;
        }
        // SAFETY: the name ends with 0.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr().cast()) };
        self.found.store(found, Ordering::Release);
        found
    }
}

/// Calls the next function of a name, whose type is given; answers with `$missing` where there is none.
macro_rules! call_next {
    ($name:ident as fn($($argument:ident: $type:ty),*) -> $result:ty, or $missing:expr) => {{
        static NEXT: $crate::shell::next::Next =
            $crate::shell::next::Next::new(concat!(stringify!($name), "\0"));
        type Function = unsafe extern "C" fn($($type),*) -> $result;
        let found = NEXT.find();
        if found.is_null() {
            $missing
        } else {
            // SAFETY: the C library's function of this name has this type: the variable arguments of
            // `open` and `ioctl` are passed as others are on x86-64.
            let function = unsafe { std::mem::transmute::<*mut libc::c_void, Function>(found) };
            // SAFETY: the caller's arguments, passed on as they are.
            unsafe { function($($argument),*) }
        }
    }};
}
pub(super) use call_next;
