//! `ioctl`.

use std::os::fd::{AsRawFd, BorrowedFd};

use libc::{c_int, c_ulong, c_void};

use super::{guard::guarded, machine::Machine, next::call_next};
use crate::{driver::Argument, errno::Errno};

/// A request's parts (`asm-generic/ioctl.h`).
struct Request(c_ulong);
impl Request {
    /// The kernel's interface to compute has the letter `K`, and each request of it a structure.
    fn is_ours(&self) -> bool {
        self.0 >> 8 & 0xff == c_ulong::from(b'K') && self.bytes() != 0
    }
    fn number(&self) -> u8 {
        self.0 as u8
    }
    fn bytes(&self) -> usize {
        (self.0 >> 16 & 0x3fff) as usize
    }
}

/// `ioctl` of the C library.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
unsafe extern "C" fn ioctl(descriptor: c_int, request: c_ulong, argument: *mut c_void) -> c_int {
    let asked = Request(request);
    if asked.is_ours()
        && let Some(machine) = Machine::made()
        && same_file(descriptor, machine.driver.device().file())
    {
        return guarded(-1, || {
            if argument.is_null() {
                return Err(Errno::BAD_ADDRESS);
            }
            // SAFETY: the request's structure, of the length that the request says, as the kernel's
            // interface has it.
            let argument = unsafe { Argument::new(argument.cast(), asked.bytes()) };
            machine.driver.request(asked.number(), argument).map(|()| 0)
        });
    }
    call_next!(
        ioctl as fn(descriptor: c_int, request: c_ulong, argument: *mut c_void) -> c_int,
        or - 1
    )
}

/// Whether a descriptor is one of this file: the runtime closes its descriptors without a word.
pub(super) fn same_file(descriptor: c_int, file: BorrowedFd<'_>) -> bool {
    let facts = |descriptor| {
        let mut facts = std::mem::MaybeUninit::<libc::stat>::zeroed();
        // SAFETY: fills the structure, or fails and leaves zeros.
        let done = unsafe { libc::fstat(descriptor, facts.as_mut_ptr()) };
        // SAFETY: filled, or zeros, which are numbers.
        let facts = unsafe { facts.assume_init() };
        (done == 0).then_some((facts.st_dev, facts.st_ino))
    };
    let wanted = facts(file.as_raw_fd());
    wanted.is_some() && facts(descriptor) == wanted
}
