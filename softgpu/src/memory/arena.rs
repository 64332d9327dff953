//! The memory of one GPU: a memory file that this process and its clients map.

use std::{
    io,
    os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
    ptr,
};

use super::free_list::FreeList;

/// Where a GPU's file of memory holds what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// VRAM.
    Vram,
    /// Memory of the host that the kernel allocated for it.
    System,
}

/// A file that holds VRAM and, behind it, as much memory of the host.
#[derive(Debug)]
pub(super) struct Arena {
    file: OwnedFd,
    base: *mut u8,
    vram: FreeList,
    system: FreeList,
}

// SAFETY: the mapping at `base` is never unmapped, and is only handed out as an address.
unsafe impl Send for Arena {}

impl Arena {
    /// Objects of at least this size start at a multiple of it, as on large pages.
    const LARGE: u64 = 2 << 20;
    const PAGE: u64 = 4096;

    /// A GPU's memory. Pages come into being when they are touched.
    pub(super) fn new(vram: u64) -> io::Result<Self> {
        let (file, base) = memory_file(c"softgpu-memory", 2 * vram)?;
        let (vram, system) = (FreeList::new(0, vram), FreeList::new(vram, vram));
        Ok(Self { file, base, vram, system })
    }
    /// The file, to be mapped at the offsets that [`take`](Self::take) gives.
    pub(super) fn file(&self) -> BorrowedFd<'_> {
        use std::os::fd::AsFd;
        self.file.as_fd()
    }
    /// How much VRAM is free.
    pub(super) fn available(&self) -> u64 {
        self.vram.bytes()
    }
    /// Memory of so many bytes, all 0: its offset in the file.
    pub(super) fn take(&mut self, part: Part, bytes: u64) -> Option<u64> {
        let align = if bytes >= Self::LARGE { Self::LARGE } else { Self::PAGE };
        self.list(part).take(bytes.checked_next_multiple_of(Self::PAGE)?, align)
    }
    /// Gives memory back to its part and to the system.
    pub(super) fn give(&mut self, part: Part, offset: u64, bytes: u64) {
        let bytes = bytes.next_multiple_of(Self::PAGE);
        let punch = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: a system call on a file that this arena owns. If it fails, pages stay allocated
        // until the process ends, with old contents: the kernel promises no cleared memory here.
        unsafe {
            libc::fallocate(self.file.as_raw_fd(), punch, offset.cast_signed(), bytes.cast_signed())
        };
        self.list(part).give(offset, bytes);
    }
    fn list(&mut self, part: Part) -> &mut FreeList {
        match part {
            Part::Vram => &mut self.vram,
            Part::System => &mut self.system,
        }
    }
    /// Where this process has the byte at `offset`.
    pub(super) fn host(&self, offset: u64) -> u64 {
        self.base as u64 + offset
    }
}

/// A memory file of `bytes`, and where all of it is mapped. The mapping lasts as long as the process.
pub fn memory_file(name: &std::ffi::CStr, bytes: u64) -> io::Result<(OwnedFd, *mut u8)> {
    // SAFETY: `name` ends with 0; the call touches nothing else.
    let descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: just made, and owned by nobody else.
    let file = unsafe { OwnedFd::from_raw_fd(descriptor) };
    // SAFETY: a system call on a file that is owned here.
    let sized = unsafe { libc::ftruncate(descriptor, bytes.cast_signed()) };
    if sized != 0 {
        return Err(io::Error::last_os_error());
    }
    let base = map(&file, 0, usize::try_from(bytes).expect("addresses have 64 bits"))?;
    Ok((file, base))
}

/// Maps a part of a memory file, anywhere, for as long as the process lives.
pub fn map(file: &OwnedFd, offset: u64, bytes: usize) -> io::Result<*mut u8> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
    // By number: the C library's function of this name may be this library's own, which has a meaning of
    // its own for some offsets.
    // SAFETY: a new mapping at an address of the system's choice replaces nothing.
    let base = unsafe {
        let (anywhere, file) = (ptr::null_mut::<libc::c_void>(), file.as_raw_fd());
        libc::syscall(libc::SYS_mmap, anywhere, bytes, protection, flags, file, offset)
    };
    let base = base as *mut libc::c_void;
    if base == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(base.cast()) }
}
