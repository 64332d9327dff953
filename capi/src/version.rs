//! Versions.

use std::ffi::{CStr, c_char};

use crate::{
    border::border,
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

/// The version of this interface, as the header says it. Functions, entries and fields are only added under one number.
pub const RINGFENCE_ABI_VERSION: u32 = 1;

/// The version of the interface that the library has: to be compared with `RINGFENCE_ABI_VERSION`.
///
/// Threads: any. Finalizers: yes.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_abi_version() -> u32 {
    RINGFENCE_ABI_VERSION
}
/// Whether the library serves programs that were compiled with this version of the header: call it once, with
/// `RINGFENCE_ABI_VERSION`.
///
/// Errors: `RINGFENCE_ABI_MISMATCH`. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_check_abi(version: u32) -> ringfence_status_t {
    border(|| {
        if version == RINGFENCE_ABI_VERSION {
            return Ok(());
        }
        Err(Failure::new(
            Status::RINGFENCE_ABI_MISMATCH,
            format_args!(
                "the program was compiled for version {version} of the interface, and this library has {RINGFENCE_ABI_VERSION}; use the header that came with it"
            ),
        ))
    })
}
/// The library's own version, such as "0.1.0". The text is the library's, and stays.
///
/// Threads: any. Finalizers: yes.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("a version has no 0 byte"),
        };
    VERSION.as_ptr()
}
