//! Memory of the GPU, and the work that uses it.
//!
//! Everything `unsafe` of the examples is here. It rests on two things: memory is in the hands of a type that orders each use behind the
//! earlier ones by a stamp, and that gives the memory up with that stamp, so that the pool frees it after the last use.

mod array;
mod recorded;
mod slots;

use ringfence::id::{Bytes, RawMemory};
use ringfence_hip::{Arguments, Extent, Function, HipWork, Launch};

use crate::Kernels;

pub use array::Array;
pub use recorded::{Body, Recorded};
pub use slots::{Slot, Slots};

/// Threads of a work-group.
const THREADS: u32 = 256;
/// A sum is a number of 8 bytes.
const SUM: Bytes = Bytes::new(8);

/// So many numbers of 4 bytes at an address.
///
/// Its methods make work that is not yet submitted. Who submits it sees to it that the memory is there until the work is finished, or
/// the last launch of a graph that it is recorded into, and that nobody uses it at the same time: that is why they are `unsafe`.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    at: RawMemory,
    count: u32,
}

impl Numbers {
    /// What so many take.
    fn bytes(count: u32) -> Bytes {
        Bytes::new(u64::from(count) * 4)
    }

    /// # Safety
    /// See [`Numbers`].
    unsafe fn fill(self, kernels: Kernels, value: u32) -> HipWork {
        let arguments = Arguments::NONE.address(self.at).u32(value).u32(self.count);
        // SAFETY: these are the kernel's parameters; the rest is the caller's promise.
        unsafe { self.launch(kernels.fill_u32, arguments) }
    }

    /// # Safety
    /// See [`Numbers`].
    unsafe fn iota(self, kernels: Kernels, start: u32) -> HipWork {
        let arguments = Arguments::NONE.address(self.at).u32(start).u32(self.count);
        // SAFETY: as above.
        unsafe { self.launch(kernels.iota, arguments) }
    }

    /// Adds them all to a sum.
    ///
    /// # Safety
    /// See [`Numbers`]; the sum's memory likewise.
    unsafe fn add_to(self, kernels: Kernels, sum: RawMemory) -> HipWork {
        let arguments = Arguments::NONE.address(self.at).address(sum).u32(self.count);
        // SAFETY: as above.
        unsafe { self.launch(kernels.reduce_sum, arguments) }
    }

    /// # Safety
    /// See [`Numbers`], of both, which have the same count.
    unsafe fn copy_from(self, other: Self) -> HipWork {
        // SAFETY: the caller's promise.
        unsafe { HipWork::copy(self.at.as_u64(), other.at.as_u64(), Self::bytes(self.count)) }
    }

    /// # Safety
    /// See [`Numbers`]; these are the kernel's arguments.
    unsafe fn launch(self, function: Function, arguments: Arguments) -> HipWork {
        let groups = Extent::line(self.count.div_ceil(THREADS));
        // SAFETY: the caller's promise.
        unsafe { Launch::new(function, groups, Extent::line(THREADS), arguments) }.into()
    }
}
