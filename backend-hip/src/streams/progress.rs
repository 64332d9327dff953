//! Progress words, by `hipStreamWriteValue64` into pinned host memory.

use std::{ffi::c_void, sync::atomic::Ordering, time::Duration};

use ringfence::{
    backend::streams::{DriverState, StreamProgress, StreamWait},
    error::{DriverCode, DriverError},
    id::{Position, RawProgress, RawStream},
};
use ringfence_backend_shared::{
    pause::{self, Style},
    words::WordId,
};

use super::{HipStreams, Progress, raw};
use crate::{error::UNKNOWN_HANDLE, sys};

impl HipStreams {
    /// Where a stream writes a word.
    fn word_address(&self, word: RawProgress) -> Result<*mut c_void, DriverError> {
        let word = WordId::from_u64(word.as_u64()).and_then(|word| self.0.words.address(word));
        word.ok_or(UNKNOWN_HANDLE)
    }
}

impl StreamProgress for HipStreams {
    fn open_progress(&self, stream: RawStream) -> Result<Option<RawProgress>, DriverError> {
        if self.0.options.progress == Progress::Queries {
            return Ok(None);
        }
        let device = self.stream(stream)?.of().gpu();
        let word = self.0.words.take(Position::START.as_u64(), device)?;
        Ok(Some(RawProgress::new(word.as_u64())))
    }

    fn mark(
        &self,
        stream: RawStream,
        word: RawProgress,
        position: Position,
    ) -> Result<(), DriverError> {
        let _held = self.stream(stream)?;
        let address = self.word_address(word)?;
        let write = self.hip().functions().hipStreamWriteValue64;
        // SAFETY: the stream exists while it is held; the word is pinned host memory that is never freed.
        let answer = unsafe { write(raw(stream.as_u64()), address, position.as_u64(), 0) };
        self.hip().check(answer)
    }

    #[inline]
    fn observe(&self, word: RawProgress) -> Position {
        let word = WordId::from_u64(word.as_u64()).and_then(|word| self.0.words.word(word));
        word.map_or(Position::START, |word| Position::new(word.load(Ordering::Acquire)))
    }

    fn wait_progress(&self, word: RawProgress, position: Position, limit: Duration) -> StreamWait {
        let look = || {
            if self.observe(word) >= position {
                return Some(StreamWait::Finished);
            }
            if self.word_address(word).is_err() {
                return Some(StreamWait::Failed(UNKNOWN_HANDLE)); // its GPU was reset
            }
            let lost = self.hip().state() != DriverState::Ready;
            let code = DriverCode::new(sys::hipErrorLaunchFailure.cast_signed());
            lost.then_some(StreamWait::Failed(DriverError::DeviceLost(code)))
        };
        pause::until(limit, Style::Sleepy, look).unwrap_or(StreamWait::TimedOut)
    }

    fn close_progress(&self, word: RawProgress) {
        if let Some(word) = WordId::from_u64(word.as_u64()) {
            self.0.words.give(word);
        }
    }
}
