//! Progress words: how far a stream is, in host memory.

use std::time::Duration;

use super::StreamWait;
use crate::{
    backend::pointers::through_pointers,
    error::DriverError,
    id::{Position, RawProgress, RawStream},
};

/// Progress words of one driver: `hipStreamWriteValue64` into host memory, or, for a runtime on rings of
/// its own, the position that its watermark has reached.
///
/// A word proves only what was counted (T13). A pool marks a position right after the work that it
/// stands for, under the stream's lock, and never on a stream that captures: HIP writes it at once then,
/// and CUDA at every launch of the graph.
///
/// # Contract
/// 1. `open_progress` makes the word of a new stream, at [`Position::START`], or says that there is none;
///    the pool then asks the driver about each stream.
/// 2. `mark` makes the word reach `position` when all work that was submitted to `stream` before the call
///    is finished. Positions of one stream are marked in rising order.
/// 3. `observe` loads the word from host memory with acquire order: what the device released before it
///    wrote the word is visible after it. It never blocks, and calls no driver.
/// 4. `wait_progress` waits on the host until the word reaches `position`, or the limit passes.
/// 5. `close_progress` gives the word back when its stream is gone, or is somebody else's and every mark of it was written.
///
/// ```
/// use ringfence::{backend::streams::*, error::DriverError, id::*};
/// use std::{sync::atomic::{AtomicU64, Ordering}, time::Duration};
/// /// Runs work inside the launch; 64 streams have a word, and the pool asks about the others.
/// struct Inline([AtomicU64; 64]);
/// impl Inline {
///     fn word(&self, word: RawProgress) -> &AtomicU64 { &self.0[word.as_u64() as usize] }
/// }
/// impl StreamProgress for Inline {
///     fn open_progress(&self, stream: RawStream) -> Result<Option<RawProgress>, DriverError> {
///         let word = (stream.as_u64() < 64).then(|| RawProgress::new(stream.as_u64()));
///         Ok(word.inspect(|word| self.word(*word).store(0, Ordering::Relaxed)))
///     }
///     fn mark(&self, _: RawStream, word: RawProgress, at: Position) -> Result<(), DriverError> {
///         self.word(word).store(at.as_u64(), Ordering::Release); // all work before it is finished
///         Ok(())
///     }
///     fn observe(&self, word: RawProgress) -> Position {
///         Position::new(self.word(word).load(Ordering::Acquire))
///     }
///     // ...
/// #   fn wait_progress(&self, word: RawProgress, at: Position, _: Duration) -> StreamWait {
/// #       if self.observe(word) >= at { StreamWait::Finished } else { StreamWait::TimedOut }
/// #   }
/// #   fn close_progress(&self, _: RawProgress) {}
/// }
/// # let driver = Inline([const { AtomicU64::new(0) }; 64]);
/// # let stream = RawStream::new(3);
/// # let word = driver.open_progress(stream)?.expect("one of the first 64");
/// # assert_eq!(driver.observe(word), Position::START);
/// # driver.mark(stream, word, Position::new(2))?;
/// # assert_eq!(driver.observe(word), Position::new(2));
/// # assert_eq!(driver.open_progress(RawStream::new(64))?, None);
/// # Ok::<(), DriverError>(())
/// ```
pub trait StreamProgress {
    /// Contract 1.
    ///
    /// # Errors
    /// When the driver fails at it, which a pool takes for a driver without words.
    fn open_progress(&self, stream: RawStream) -> Result<Option<RawProgress>, DriverError>;
    /// Contract 2.
    ///
    /// # Errors
    /// When the driver refuses; the position is not marked then.
    fn mark(
        &self,
        stream: RawStream,
        word: RawProgress,
        position: Position,
    ) -> Result<(), DriverError>;
    /// Contract 3.
    fn observe(&self, word: RawProgress) -> Position;
    /// Contract 4.
    fn wait_progress(&self, word: RawProgress, position: Position, limit: Duration) -> StreamWait;
    /// Contract 5.
    fn close_progress(&self, word: RawProgress);
}
through_pointers! { StreamProgress {
    fn open_progress(&self, stream: RawStream) -> Result<Option<RawProgress>, DriverError>;
    fn mark(
        &self,
        stream: RawStream,
        word: RawProgress,
        position: Position,
    ) -> Result<(), DriverError>;
    fn observe(&self, word: RawProgress) -> Position;
    fn wait_progress(&self, word: RawProgress, position: Position, limit: Duration) -> StreamWait;
    fn close_progress(&self, word: RawProgress);
} }
