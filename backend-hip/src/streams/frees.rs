//! Who freed what, and how a stream says that it has passed a free: the books of `reuse`, which call HIP for nothing.
//!
//! A stream that is destroyed still runs what it was given: until HIP's call came back its frees are ahead of it, and somebody else may
//! get its address right after. So a free belongs to its word, and to a stream only as long as that has its handle.

use std::{
    collections::HashMap,
    ffi::c_void,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering},
};

use ringfence::{
    error::DriverError,
    id::{DeviceId, RawMemory, RawStream},
};
use ringfence_backend_shared::words::{Pinned, WordId, Words};

use crate::error::UNKNOWN_HANDLE;

/// The frees of all streams.
#[derive(Debug)]
pub(super) struct Frees<P> {
    /// They say which frees a stream has passed. They only rise, whoever has them.
    words: Words<P>,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// How many frees a stream was told of, and the word that says how many it is past.
    counts: HashMap<u64, Arc<Mutex<Count>>>,
    /// The last free of each block that HIP's pool may have, by the block's address.
    last: HashMap<u64, LastFree>,
    /// The last frees of streams that nobody has any more: their words are theirs until those are passed.
    late: Vec<Passed>,
    /// How many blocks there may be before those that are over are forgotten.
    sweep_at: usize,
}

/// A stream has passed a free once its word says so many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Passed {
    word: WordId,
    frees: u64,
}

/// What one stream was told. Locked while HIP is called, which may wait for room on that very stream: nobody else waits with it.
#[derive(Debug)]
struct Count {
    /// The last number that was used. One of a refused write is not used again.
    used: Passed,
    /// The last number that the stream will write.
    written: Passed,
}

#[derive(Clone, Copy, Debug)]
struct LastFree {
    /// None once its handle may be another stream's.
    stream: Option<RawStream>,
    at: Passed,
}

/// Frees that may be remembered without a look at all of them.
const FEW: usize = 256;

impl<P: Pinned> Frees<P> {
    pub(super) fn new(memory: P) -> Self {
        Self { words: Words::new(memory), known: Mutex::default() }
    }

    /// One free more of the stream, which is one of `device`: `write` submits to it that the word becomes this number.
    pub(super) fn count(
        &self,
        stream: RawStream,
        device: DeviceId,
        write: impl FnOnce(*mut c_void, u64) -> Result<(), DriverError>,
    ) -> Result<Passed, DriverError> {
        let count = {
            let mut known = self.known();
            match known.counts.get(&stream.as_u64()) {
                Some(count) => count.clone(),
                None => {
                    self.give_passed(&mut known);
                    // It goes on from where its last user left it: somebody may still be about to wait for that.
                    let word = self.words.take_as_it_is(device)?;
                    let at = Passed { word, frees: self.frees_past(word) };
                    let count = Arc::new(Mutex::new(Count { used: at, written: at }));
                    known.counts.insert(stream.as_u64(), count.clone());
                    count
                }
            }
        };
        // Locked until the write is submitted: the numbers of a stream rise.
        let mut count = locked(&count);
        count.used.frees += 1;
        let at = count.used;
        write(self.words.address(at.word).ok_or(UNKNOWN_HANDLE)?, at.frees)?;
        count.written = at;
        Ok(at)
    }

    /// Before HIP has the block, since another thread may get it at once.
    pub(super) fn remember(&self, memory: RawMemory, stream: RawStream, at: Passed) {
        let mut known = self.known();
        known.last.insert(memory.as_u64(), LastFree { stream: Some(stream), at });
        if known.last.len() > known.sweep_at.max(FEW) {
            known.last.retain(|_, free| !self.is_past(free.at));
            known.sweep_at = 2 * known.last.len();
        }
    }

    /// HIP refused the free.
    pub(super) fn forget(&self, memory: RawMemory) {
        self.known().last.remove(&memory.as_u64());
    }

    /// What a stream that got this block has to wait for: the word, and the number.
    pub(super) fn to_follow(
        &self,
        memory: RawMemory,
        stream: RawStream,
    ) -> Result<Option<(*mut c_void, u64)>, DriverError> {
        let Some(free) = self.known().last.remove(&memory.as_u64()) else { return Ok(None) };
        if free.stream == Some(stream) || self.is_past(free.at) {
            return Ok(None);
        }
        let address = self.words.address(free.at.word).ok_or(UNKNOWN_HANDLE)?;
        Ok(Some((address, free.at.frees)))
    }

    /// Whether the stream is past it.
    pub(super) fn is_past(&self, at: Passed) -> bool {
        self.frees_past(at.word) >= at.frees
    }

    /// Nobody has the stream any more, and its address may come back. Its frees are waited for until they are passed.
    pub(super) fn leave(&self, stream: RawStream) {
        let mut known = self.known();
        let Some(count) = known.counts.remove(&stream.as_u64()) else { return };
        for free in known.last.values_mut().filter(|free| free.stream == Some(stream)) {
            free.stream = None;
        }
        // Whoever counted held the stream, and its owner has it no more.
        let written = locked(&count).written;
        known.late.push(written);
    }

    /// Streams that left may be past their frees by now: their words are for others.
    pub(super) fn settle(&self) {
        self.give_passed(&mut self.known());
    }

    /// The device was reset: what its streams had to pass is gone.
    pub(super) fn abandon(&self, device: DeviceId) {
        self.words.abandon(device);
        let mut known = self.known();
        let stays = |at: Passed| self.words.address(at.word).is_some();
        known.counts.retain(|_, count| stays(locked(count).used));
        known.last.retain(|_, free| stays(free.at));
        known.late.retain(|count| stays(*count));
    }

    fn give_passed(&self, known: &mut Known) {
        let Known { last, late, .. } = known;
        late.retain(|&count| {
            let over = self.is_past(count);
            if over {
                last.retain(|_, free| free.at.word != count.word);
                self.words.give(count.word);
            }
            !over
        });
    }

    fn frees_past(&self, word: WordId) -> u64 {
        if self.words.address(word).is_none() {
            return u64::MAX; // its stream went with its device, and all of its work
        }
        self.words.word(word).map_or(0, |word| word.load(Ordering::Acquire))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        locked(&self.known)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
