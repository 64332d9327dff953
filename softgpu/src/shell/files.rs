//! Opening files.

use std::{
    ffi::{CStr, CString, OsStr},
    os::{
        fd::{AsRawFd, BorrowedFd},
        unix::ffi::OsStrExt,
    },
    path::Path,
    ptr,
};

use libc::{DIR, FILE, c_char, c_int, mode_t};

use super::{guard::guarded, machine::Machine, next::call_next, sysfs};
use crate::{errno::Errno, topology::Node};

/// What a path means.
enum Meaning {
    /// A file of the system.
    Other,
    /// `/dev/kfd`.
    Driver,
    /// The render node of a GPU.
    Render(u32),
    /// A file or folder of the topology: where it is.
    Topology(CString),
}

/// Takes a path apart, without making a machine for a path that is none of ours.
fn meaning(path: *const c_char) -> Result<Meaning, Errno> {
    if path.is_null() {
        return Ok(Meaning::Other);
    }
    // SAFETY: the caller's path, which ends with 0.
    let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes()));
    if path == Path::new("/dev/kfd") {
        return Ok(Meaning::Driver);
    }
    if path.starts_with(sysfs::ROOT) {
        let found = Machine::get()?.sysfs.find(path).ok_or(Errno::NO_FILE)?;
        let found = CString::new(found.into_os_string().as_bytes()).map_err(|_| Errno::INVALID)?;
        return Ok(Meaning::Topology(found));
    }
    let minor = path.to_str().and_then(|path| path.strip_prefix("/dev/dri/renderD"));
    match minor.map(str::parse) {
        Some(Ok(minor)) => render(minor).map(Meaning::Render),
        _ => Ok(Meaning::Other),
    }
}
fn render(minor: u32) -> Result<u32, Errno> {
    let settings = Machine::get()?.driver.settings();
    Node::of_render_minor(minor, settings).and_then(Node::gpu).ok_or(Errno::NO_FILE)
}
/// A descriptor of its own for a file: the caller closes it.
pub(super) fn duplicate(file: BorrowedFd<'_>) -> Result<c_int, Errno> {
    // SAFETY: a system call on a descriptor that is open while it is borrowed.
    let copy = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 3) };
    if copy < 0 { Err(Errno::last()) } else { Ok(copy) }
}
pub(super) fn open_render(minor: u32) -> Result<c_int, Errno> {
    Machine::get()?.driver.memory().with_file(render(minor)?, duplicate)
}

/// Opens what is ours, or leaves it to `other` under the name that it has.
fn open_with(path: *const c_char, other: impl FnOnce(*const c_char) -> c_int) -> c_int {
    guarded(-1, || match meaning(path)? {
        Meaning::Other => Ok(other(path)),
        Meaning::Driver => duplicate(Machine::get()?.driver.device().file()),
        Meaning::Render(gpu) => Machine::get()?.driver.memory().with_file(gpu, duplicate),
        Meaning::Topology(found) => Ok(other(found.as_ptr())),
    })
}
/// Finds where a file is that is read as a stream or listed.
fn stream_with<T>(path: *const c_char, other: impl FnOnce(*const c_char) -> *mut T) -> *mut T {
    guarded(ptr::null_mut(), || match meaning(path)? {
        Meaning::Topology(found) => Ok(other(found.as_ptr())),
        _ => Ok(other(path)),
    })
}

/// Makes functions of the C library that go through ours, which may give another path to the next one.
macro_rules! in_front {
    ($($name:ident by $ours:ident: fn(path $(, $argument:ident: $type:ty)*) -> $result:ty, or $missing:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of the C library.\n\n# Safety\nAs there.")]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char $(, $argument: $type)*) -> $result {
            let next = |path| {
                call_next!($name as fn(path: *const c_char $(, $argument: $type)*) -> $result, or $missing)
            };
            $ours(path, next)
        }
    )*};
}
in_front! {
    open by open_with: fn(path, flags: c_int, mode: mode_t) -> c_int, or -1;
    open64 by open_with: fn(path, flags: c_int, mode: mode_t) -> c_int, or -1;
    fopen by stream_with: fn(path, mode: *const c_char) -> *mut FILE, or ptr::null_mut();
    fopen64 by stream_with: fn(path, mode: *const c_char) -> *mut FILE, or ptr::null_mut();
    opendir by stream_with: fn(path) -> *mut DIR, or ptr::null_mut();
}
