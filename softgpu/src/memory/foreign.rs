//! Memory that came from elsewhere: of another process, or through a dma-buf.
//!
//! What is shared is a descriptor of the file that the memory is in. Which part of the file is meant is
//! said by the descriptor's position, which goes wherever the descriptor goes.

use std::{
    collections::BTreeMap,
    io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
};

use super::arena::map;

/// A part of a file of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Where it starts.
    pub offset: u64,
    /// How long it is.
    pub bytes: u64,
}
impl Extent {
    const PAGE_BITS: u32 = 12;
    const LENGTH_BITS: u32 = 28;

    /// As the position of a descriptor; `None` if it does not consist of pages.
    pub const fn position(self) -> Option<u64> {
        let pages = self.bytes >> Self::PAGE_BITS;
        let whole = (self.offset | self.bytes).trailing_zeros() >= Self::PAGE_BITS;
        if !whole || pages == 0 || pages >> Self::LENGTH_BITS != 0 {
            return None;
        }
        Some(self.offset >> Self::PAGE_BITS << Self::LENGTH_BITS | pages)
    }
    /// What a position says.
    pub const fn of_position(position: u64) -> Option<Self> {
        let pages = position & ((1 << Self::LENGTH_BITS) - 1);
        let offset = position >> Self::LENGTH_BITS << Self::PAGE_BITS;
        if pages == 0 { None } else { Some(Self { offset, bytes: pages << Self::PAGE_BITS }) }
    }
    /// What a descriptor says.
    pub fn of(file: BorrowedFd<'_>) -> Option<Self> {
        // SAFETY: a system call on a descriptor that is open while it is borrowed.
        let position = unsafe { libc::lseek(file.as_raw_fd(), 0, libc::SEEK_CUR) };
        let extent = u64::try_from(position).ok().and_then(Self::of_position)?;
        extent.is_within(file).then_some(extent)
    }
    /// Whether `file` has it: of any other file, a touch would end the process.
    fn is_within(self, file: BorrowedFd<'_>) -> bool {
        let mut facts = std::mem::MaybeUninit::<libc::stat>::zeroed();
        // SAFETY: fills the structure, or fails and leaves zeros.
        unsafe { libc::fstat(file.as_raw_fd(), facts.as_mut_ptr()) };
        // SAFETY: filled, or zeros, which are numbers.
        let size = unsafe { facts.assume_init() }.st_size.unsigned_abs();
        self.offset.checked_add(self.bytes).is_some_and(|end| end <= size)
    }
}

/// A descriptor that says this extent of a file.
pub fn share(file: BorrowedFd<'_>, extent: Extent) -> io::Result<OwnedFd> {
    let position = extent.position().ok_or(io::ErrorKind::InvalidInput)?;
    let shared = open_descriptor(std::process::id(), file.as_raw_fd())?;
    // SAFETY: a system call on a descriptor that is owned here.
    let moved = unsafe { libc::lseek(shared.as_raw_fd(), position.cast_signed(), libc::SEEK_SET) };
    if moved < 0 { Err(io::Error::last_os_error()) } else { Ok(shared) }
}
/// Opens a descriptor of a process anew, with a position of its own.
pub fn open_descriptor(process: u32, descriptor: i32) -> io::Result<OwnedFd> {
    let path = std::ffi::CString::new(format!("/proc/{process}/fd/{descriptor}"))?;
    // SAFETY: the path ends with 0.
    let opened = unsafe { libc::open(path.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
    if opened < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: just opened, and owned by nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(opened) })
}

/// Memory that is mapped here, and its file.
#[derive(Debug)]
struct Foreign {
    file: OwnedFd,
    extent: Extent,
    host: u64,
}

/// All that came from elsewhere, by number.
#[derive(Debug, Default)]
pub struct Foreigners {
    all: BTreeMap<u64, Foreign>,
    last: u64,
}
impl Foreigners {
    /// Offsets from here on belong to no file of this process: [`find`](Self::find) says what is meant.
    pub const FIRST: u64 = 1 << 56;
    /// The most bytes of one.
    const STRIDE: u64 = 1 << 42;

    /// Takes memory in: its offset, by which clients map it, and where this process has it.
    pub fn adopt(&mut self, file: OwnedFd, extent: Extent) -> io::Result<(u64, u64)> {
        let host = map(&file, extent.offset, extent.bytes as usize)? as u64;
        self.last += 1;
        self.all.insert(self.last, Foreign { file, extent, host });
        Ok((Self::FIRST + self.last * Self::STRIDE, host))
    }
    /// The file and the offset in it that are meant by an offset.
    pub fn find(&self, offset: u64) -> Option<(BorrowedFd<'_>, u64)> {
        let inside = offset.checked_sub(Self::FIRST)?;
        let foreign = self.all.get(&(inside / Self::STRIDE))?;
        Some((foreign.file.as_fd(), foreign.extent.offset + inside % Self::STRIDE))
    }
    /// Lets memory go. No device may touch it any more.
    pub fn release(&mut self, offset: u64) {
        let number = offset.saturating_sub(Self::FIRST) / Self::STRIDE;
        let Some(gone) = self.all.remove(&number) else { return };
        // SAFETY: mapped in `adopt`, for this alone, and in no page table any more.
        unsafe { libc::munmap(gone.host as *mut libc::c_void, gone.extent.bytes as usize) };
    }
}
