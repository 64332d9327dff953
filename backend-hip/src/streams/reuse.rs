//! Memory that HIP gives out again too early.
//!
//! HIP's memory pool takes the stream that a block was allocated on for one that may have the block again at once, whoever freed it: a
//! block that was freed behind the work of another stream goes back to the first one while that work still uses it (5.2.3, 5.7.1 and
//! 6.4.3, tried). So each stream counts its frees in a word of host memory, behind the work that used what it frees, and whoever gets a
//! block next waits on the device until that word is far enough.
//!
//! Words and not events: an event of a stream that captures by now can be neither asked about nor waited for.

use ringfence::{
    error::DriverError,
    id::{RawMemory, RawStream},
};

use super::{HipStreams, frees::Passed, raw};
use crate::sys;

impl HipStreams {
    /// Before HIP has the block, since another thread may get it at once: lets the stream say when it is past all that used it.
    pub(super) fn remember_free(
        &self,
        memory: RawMemory,
        stream: RawStream,
    ) -> Result<(), DriverError> {
        let at = self.count_free(stream)?;
        self.0.frees.remember(memory, stream, at);
        Ok(())
    }

    /// Lets a stream say when it has passed this point. The caller holds the stream, and it does not capture.
    pub(super) fn count_free(&self, stream: RawStream) -> Result<Passed, DriverError> {
        let device = self.stream(stream)?.of().gpu();
        self.0.frees.count(stream, device, |word, number| {
            let write = self.hip().functions().hipStreamWriteValue64;
            // SAFETY: the caller holds the stream; the word is pinned host memory that is never freed.
            self.hip().check(unsafe { write(raw(stream.as_u64()), word, number, 0) })
        })
    }

    /// Makes a stream that got this block follow the work that used it before.
    pub(super) fn follow_last_free(
        &self,
        memory: RawMemory,
        stream: RawStream,
    ) -> Result<(), DriverError> {
        let Some((word, number)) = self.0.frees.to_follow(memory, stream)? else { return Ok(()) };
        let (wait, condition) =
            (self.hip().functions().hipStreamWaitValue64, sys::hipStreamWaitValueGte);
        let _held = self.stream(stream)?;
        // SAFETY: the stream exists while it is held; the word is pinned host memory that is never freed.
        self.hip().check(unsafe { wait(raw(stream.as_u64()), word, number, condition, u64::MAX) })
    }
}
