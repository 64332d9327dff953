//! Progress words, by `cuStreamWriteValue64` into pinned host memory.

use std::{sync::atomic::Ordering, time::Duration};

use ringfence::{
    backend::streams::{DriverState, StreamProgress, StreamWait},
    error::{DriverCode, DriverError},
    id::{Position, RawProgress, RawStream},
};
use ringfence_backend_shared::{
    pause::{self, Style},
    words::WordId,
};

use super::{CudaStreams, Progress, number, raw};
use crate::{error::UNKNOWN_HANDLE, sys};

impl CudaStreams {
    /// Where a stream writes a word.
    fn word_address(&self, word: RawProgress) -> Result<u64, DriverError> {
        let word = WordId::from_u64(word.as_u64()).and_then(|word| self.0.words.address(word));
        word.map(number).ok_or(UNKNOWN_HANDLE)
    }

    /// Makes later work of a stream wait on the device until the word of another is at `position` (`cuStreamWaitValue64`): what an
    /// event does, without one. A capture records it.
    ///
    /// # Errors
    /// [`DriverError::Bad`] for what is not known; what the driver says.
    pub fn wait_for_progress(
        &self,
        stream: RawStream,
        word: RawProgress,
        position: Position,
    ) -> Result<(), DriverError> {
        let _held = self.stream(stream)?;
        let (address, condition) = (self.word_address(word)?, sys::CU_STREAM_WAIT_VALUE_GEQ);
        let wait = self.cuda().functions().cuStreamWaitValue64;
        // SAFETY: the stream exists while it is held; the word is pinned host memory that is never freed.
        self.cuda()
            .check(unsafe { wait(raw(stream.as_u64()), address, position.as_u64(), condition) })
    }
}

impl StreamProgress for CudaStreams {
    fn open_progress(&self, stream: RawStream) -> Result<Option<RawProgress>, DriverError> {
        if self.0.options.progress == Progress::Queries {
            return Ok(None);
        }
        let device = self.stream(stream)?.of().gpu();
        let word = self.0.words.open(device)?;
        Ok(Some(RawProgress::new(word.as_u64())))
    }

    /// The write has the driver's barrier: what the stream's earlier work wrote is visible to the host before it.
    fn mark(
        &self,
        stream: RawStream,
        word: RawProgress,
        position: Position,
    ) -> Result<(), DriverError> {
        let _held = self.stream(stream)?;
        let (address, flags) = (self.word_address(word)?, sys::CU_STREAM_WRITE_VALUE_DEFAULT);
        let write = self.cuda().functions().cuStreamWriteValue64;
        // SAFETY: the stream exists while it is held; the word is pinned host memory that is never freed.
        let answer = unsafe { write(raw(stream.as_u64()), address, position.as_u64(), flags) };
        self.cuda().check(answer)?;
        if let Some(word) = WordId::from_u64(word.as_u64()) {
            self.0.words.marked(word, position);
        }
        Ok(())
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
            let lost = self.cuda().state() != DriverState::Ready;
            let code = DriverCode::new(sys::CUDA_ERROR_LAUNCH_FAILED.cast_signed());
            lost.then_some(StreamWait::Failed(DriverError::DeviceLost(code)))
        };
        pause::until(limit, Style::Sleepy, look).unwrap_or(StreamWait::TimedOut)
    }

    fn close_progress(&self, word: RawProgress) {
        if let Some(word) = WordId::from_u64(word.as_u64()) {
            self.0.words.close(word);
        }
    }
}
