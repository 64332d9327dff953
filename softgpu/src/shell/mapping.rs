//! `mmap`, of memory that came from elsewhere. All other memory is mapped from files that have it.

use std::{
    mem,
    os::fd::{AsRawFd, BorrowedFd},
};

use libc::{c_int, c_void, off_t, size_t};

use super::{machine::Machine, next::call_next, requests::same_file};
use crate::memory::{Extent, Foreigners};

/// What a descriptor and an offset mean: another descriptor and offset for memory from elsewhere, and
/// for a dma-buf, which begins where its part of the file does.
fn meant(file: c_int, offset: off_t) -> Option<(c_int, off_t)> {
    if file < 0 {
        return None;
    }
    let memory = Machine::made()?.driver.memory();
    let asked = offset.cast_unsigned();
    if asked >= Foreigners::FIRST {
        return memory.with_foreign(asked, |file, at| (file.as_raw_fd(), at.cast_signed()));
    }
    let gpus = Machine::made()?.driver.settings().gpus;
    let is_memory = |gpu: u32| memory.with_file(gpu, |other| same_file(file, other));
    if !(0..gpus).any(is_memory) {
        return None;
    }
    // SAFETY: the caller's descriptor, open while it calls.
    let extent = Extent::of(unsafe { BorrowedFd::borrow_raw(file) })?;
    Some((file, (extent.offset + asked).cast_signed()))
}

const _: () = assert!(mem::size_of::<off_t>() == 8, "mmap and mmap64 are the same");
macro_rules! in_front {
    ($($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of the C library.\n\n# Safety\nAs there.")]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            at: *mut c_void, bytes: size_t, access: c_int, flags: c_int, file: c_int, offset: off_t,
        ) -> *mut c_void {
            let (file, offset) = meant(file, offset).unwrap_or((file, offset));
            call_next!(
                $name as fn(
                    at: *mut c_void, bytes: size_t, access: c_int, flags: c_int, file: c_int, offset: off_t
                ) -> *mut c_void, or libc::MAP_FAILED
            )
        }
    )*};
}
in_front! { mmap mmap64 }
