//! The words of streams that may still write them after they were destroyed.
//!
//! CUDA detaches a stream that is destroyed: its unfinished work goes on, marks included. A word that somebody else had by then would
//! rise behind work that is not finished (T13). So a word is given out again once it has all that was marked.

use std::{
    ffi::c_void,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use ringfence::{
    error::DriverError,
    id::{DeviceId, Position},
};
use ringfence_backend_shared::words::{Pinned, SLABS, WORDS, WordId, Words};

/// Progress words, each with the last position that was marked.
#[derive(Debug)]
pub(super) struct Positions<P> {
    words: Words<P>,
    /// By slab and number.
    marked: Box<[OnceLock<Box<[AtomicU64]>>]>,
    /// Words of streams that are gone, with marks that are still to come.
    late: Mutex<Vec<WordId>>,
}

impl<P: Pinned> Positions<P> {
    pub(super) fn new(memory: P) -> Self {
        let marked = (0..SLABS).map(|_| OnceLock::new()).collect();
        Self { words: Words::new(memory), marked, late: Mutex::default() }
    }

    /// A word that nobody has or will write, at the start, for a stream of `device`.
    pub(super) fn open(&self, device: DeviceId) -> Result<WordId, DriverError> {
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        late.retain(|&word| {
            let over = self.has_all(word);
            if over {
                self.words.give(word);
            }
            !over
        });
        drop(late);
        let word = self.words.take(Position::START.as_u64(), device)?;
        self.marked(word, Position::START);
        Ok(word)
    }

    /// The driver took a mark.
    pub(super) fn marked(&self, word: WordId, position: Position) {
        if let Some(last) = self.last_of(word) {
            last.store(position.as_u64(), Ordering::Release);
        }
    }

    /// Its stream is gone.
    pub(super) fn close(&self, word: WordId) {
        if self.has_all(word) || self.address(word).is_none() {
            self.words.give(word);
        } else {
            self.late.lock().unwrap_or_else(PoisonError::into_inner).push(word);
        }
    }

    /// The device was reset: nobody writes its words any more, and nobody gets them.
    pub(super) fn abandon(&self, device: DeviceId) {
        self.words.abandon(device);
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        late.retain(|&word| self.address(word).is_some());
    }

    /// Where a stream writes it; none writes one of a device that was reset.
    pub(super) fn address(&self, word: WordId) -> Option<*mut c_void> {
        self.words.address(word)
    }

    #[inline]
    pub(super) fn word(&self, word: WordId) -> Option<&AtomicU64> {
        self.words.word(word)
    }

    fn has_all(&self, word: WordId) -> bool {
        let value = self.words.word(word).map(|word| word.load(Ordering::Acquire));
        value >= self.last_of(word).map(|last| last.load(Ordering::Acquire))
    }

    fn last_of(&self, word: WordId) -> Option<&AtomicU64> {
        let (slab, index) = word.place();
        let slab = self.marked.get(slab)?;
        slab.get_or_init(|| (0..WORDS).map(|_| AtomicU64::new(0)).collect()).get(index)
    }
}

#[cfg(test)]
mod tests;
