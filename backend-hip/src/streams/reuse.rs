//! Memory that HIP gives out again too early.
//!
//! HIP's memory pool takes the stream that a block was allocated on for one that may have the block again at once, whoever freed it: a
//! block that was freed behind the work of another stream goes back to the first one while that work still uses it (5.2.3, 5.7.1 and
//! 6.4.3, tried). So each stream counts its frees in a word of host memory, behind the work that used what it frees, and whoever gets a
//! block next waits on the device until that word is far enough.
//!
//! Words and not events: an event of a stream that captures by now can be neither asked about nor waited for.

use std::{
    collections::HashMap,
    sync::{PoisonError, atomic::Ordering},
};

use ringfence::{
    error::DriverError,
    id::{RawMemory, RawStream},
};
use ringfence_backend_shared::words::WordId;

use super::{HipStreams, raw};
use crate::{error::UNKNOWN_HANDLE, sys};

/// Who freed what.
#[derive(Debug, Default)]
pub(super) struct Frees {
    /// How many frees a stream was told of, and the word that says how many it is past.
    counts: HashMap<u64, Passed>,
    /// The last free of each block that HIP's pool may have, by the block's address.
    last: HashMap<u64, LastFree>,
    /// How many of them there may be before those that are over are forgotten.
    sweep_at: usize,
}

/// A stream has passed a free once its word says so many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    word: WordId,
    frees: u64,
}

#[derive(Clone, Copy, Debug)]
struct LastFree {
    stream: RawStream,
    at: Passed,
}

/// Frees that may be remembered without a look at all of them.
const FEW: usize = 256;

impl HipStreams {
    /// Before HIP has the block, since another thread may get it at once: lets the stream say when it is past all that used it.
    pub(super) fn remember_free(
        &self,
        memory: RawMemory,
        stream: RawStream,
    ) -> Result<(), DriverError> {
        let at = self.count_free(stream)?;
        let mut frees = self.0.frees.lock().unwrap_or_else(PoisonError::into_inner);
        frees.last.insert(memory.as_u64(), LastFree { stream, at });
        if frees.last.len() > frees.sweep_at.max(FEW) {
            frees.last.retain(|_, free| !self.is_past(free.at));
            frees.sweep_at = 2 * frees.last.len();
        }
        Ok(())
    }

    /// Lets a stream say when it has passed this point. The caller holds the stream, and it does not capture.
    pub(super) fn count_free(&self, stream: RawStream) -> Result<Passed, DriverError> {
        // Locked until the write is submitted: the numbers of a stream rise.
        let mut frees = self.0.frees.lock().unwrap_or_else(PoisonError::into_inner);
        let mut at = match frees.counts.get(&stream.as_u64()) {
            Some(count) => *count,
            None => {
                // It goes on from where its last user left it: somebody may still be about to wait for that.
                let word = self.0.passed.take_as_it_is()?;
                Passed { word, frees: self.frees_past(word) }
            }
        };
        at.frees += 1;
        frees.counts.insert(stream.as_u64(), at);
        let address = self.0.passed.address(at.word).ok_or(UNKNOWN_HANDLE)?;
        let write = self.hip().functions().hipStreamWriteValue64;
        // SAFETY: the caller holds the stream; the word is pinned host memory that is never freed.
        self.hip().check(unsafe { write(raw(stream.as_u64()), address, at.frees, 0) })?;
        Ok(at)
    }

    /// Whether the stream is past it.
    pub(super) fn is_past(&self, at: Passed) -> bool {
        self.frees_past(at.word) >= at.frees
    }

    /// HIP refused the free.
    pub(super) fn forget_free(&self, memory: RawMemory) {
        let mut frees = self.0.frees.lock().unwrap_or_else(PoisonError::into_inner);
        frees.last.remove(&memory.as_u64());
    }

    /// Makes a stream that got this block follow the work that used it before.
    pub(super) fn follow_last_free(
        &self,
        memory: RawMemory,
        stream: RawStream,
    ) -> Result<(), DriverError> {
        let mut frees = self.0.frees.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(free) = frees.last.remove(&memory.as_u64()) else {
            return Ok(());
        };
        drop(frees);
        if free.stream == stream || self.is_past(free.at) {
            return Ok(());
        }
        let address = self.0.passed.address(free.at.word).ok_or(UNKNOWN_HANDLE)?;
        let (wait, condition) =
            (self.hip().functions().hipStreamWaitValue64, sys::hipStreamWaitValueGte);
        let _held = self.stream(stream)?;
        // SAFETY: the stream exists while it is held; the word is pinned host memory that is never freed.
        self.hip().check(unsafe {
            wait(raw(stream.as_u64()), address, free.at.frees, condition, u64::MAX)
        })
    }

    /// A stream was destroyed, and so was past all of its frees.
    pub(super) fn forget_frees_of(&self, stream: RawStream) {
        let mut frees = self.0.frees.lock().unwrap_or_else(PoisonError::into_inner);
        frees.last.retain(|_, free| free.stream != stream);
        if let Some(count) = frees.counts.remove(&stream.as_u64()) {
            drop(frees);
            self.0.passed.give(count.word);
        }
    }

    fn frees_past(&self, word: WordId) -> u64 {
        self.0.passed.word(word).map_or(0, |word| word.load(Ordering::Acquire))
    }
}
