//! What a driver of streams must offer: HIP, CUDA, or a runtime's own streams.
//!
//! | trait | a driver says |
//! |---|---|
//! | [`StreamPlatform`] | whether it may be called at all, and what is true of it |
//! | [`StreamDriver`] | create and destroy a stream; is it capturing, is it idle |
//! | [`StreamEvents`] | events: record, wait for on a stream, wait for on the host |
//! | [`StreamCapture`] | captures and the graphs they end in |
//! | [`StreamMemory`] | memory that is allocated and freed in a stream's order |
//! | [`StreamProgress`] | a word in host memory that says how far a stream is |
//! | [`StreamWork`] | what a runtime submits |
//!
//! [`StreamBackend`] is all of them but the last.
//!
//! # Threads
//!
//! Every method may be called on any thread, and by several at once. What may be refused, or break a capture,
//! in another mode (`query`, `query_event`, `synchronize_event`, `allocate`, `free`, `destroy`) is called inside
//! a relaxed capture mode that the pool sets and takes back on the same thread (T8).
//!
//! What a pool decides and does in one step is called with a stream's lock held (T5): so no method may call back into a pool, nor wait
//! for a thread that does. The pool's own lock is never held.
//!
//! | called with | methods |
//! |---|---|
//! | the lock of the stream that is named | `begin_capture`, `end_capture`, `record_event`, `free`, `mark`, `observe`, `query`, and `capture_status` |
//! | the lock of the stream whose event was just recorded, not of the one that waits | `stream_wait` |
//! | the lock of some stream, or none | `create_event`, `query_event`, `exchange_capture_mode`, `state` |
//! | no stream's lock; in a capture, the lock that puts its participants in order | `launch` |
//! | no lock, whatever the pool does with other streams meanwhile | `create`, `destroy`, `open_progress`, `close_progress`, `launch_graph`, `destroy_graph`, `allocate`, `destroy_event`, `wait_progress`, `synchronize_event`, `features` |
//!
//! A stream whose lock is not held is its lease's owner's alone in `launch`, `launch_graph` and `allocate`. Other threads may ask about it
//! at the same moment (`query`, `capture_status`, `observe`), record an event on it, and free memory on it.
//!
//! # Handles that nobody made
//!
//! [`RawStream::new`](crate::id::RawStream::new) and its like are safe, and so are these methods: safe code may call them with a handle that was made up
//! (`RawStream::new(0xdead)`), or whose stream is gone. To a driver that is an address. A backend over one looks handles up in a list of
//! those that it made or was told of, answers [`DriverError::Bad`](crate::error::DriverError::Bad) for all others, and calls no foreign function with them: as
//! the registry of `ringfence-backend-shared` does for HIP and CUDA.

mod capture;
mod driver;
mod events;
mod memory;
mod progress;
mod work;

pub use capture::{CaptureMode, CaptureStatus, StreamCapture};
pub use driver::{
    Destruction, DriverState, StreamDriver, StreamFeatures, StreamPlatform, StreamState,
};
pub use events::{StreamEvents, StreamWait};
pub use memory::StreamMemory;
pub use progress::StreamProgress;
pub use work::StreamWork;

/// A driver with everything that a pool of streams needs.
///
/// The least there is: a driver whose work runs on the host, inside the launch. The page of each trait shows its part.
/// ```
/// # use ringfence::{backend::streams::*, drive::StreamPool, error::*, id::*, stream::PoolOptions};
/// # use std::{sync::atomic::{AtomicU64, Ordering}, time::Duration};
/// # struct Inline(AtomicU64);
/// # impl Inline {
/// #     fn name(&self) -> u64 { self.0.fetch_add(1, Ordering::Relaxed) }
/// # }
/// # impl StreamPlatform for Inline {
/// #     fn state(&self) -> DriverState { DriverState::Ready }
/// #     fn features(&self) -> StreamFeatures {
/// #         StreamFeatures::new(Bytes::default(), Destruction::Waits)
/// #     }
/// # }
/// # impl StreamDriver for Inline {
/// #     fn create(&self, _: StreamKey) -> Result<RawStream, DriverError> { Ok(RawStream::new(self.name())) }
/// #     fn destroy(&self, _: RawStream) -> Result<(), DriverError> { Ok(()) }
/// #     fn capture_status(&self, _: RawStream) -> CaptureStatus { CaptureStatus::None }
/// #     fn query(&self, _: RawStream) -> StreamState { StreamState::Idle }
/// #     fn exchange_capture_mode(&self, _: CaptureMode) -> CaptureMode { CaptureMode::default() }
/// # }
/// # impl StreamEvents for Inline {
/// #     fn create_event(&self, _: DeviceContext) -> Result<RawEvent, DriverError> { Ok(RawEvent::new(self.name())) }
/// #     fn destroy_event(&self, _: RawEvent) {}
/// #     fn record_event(&self, _: RawEvent, _: RawStream) -> Result<(), DriverError> { Ok(()) }
/// #     fn stream_wait(&self, _: RawStream, _: RawEvent) -> Result<(), DriverError> { Ok(()) }
/// #     fn query_event(&self, _: RawEvent) -> StreamState { StreamState::Idle }
/// #     fn synchronize_event(&self, _: RawEvent, _: Duration) -> StreamWait { StreamWait::Finished }
/// # }
/// # impl StreamCapture for Inline {
/// #     fn begin_capture(&self, _: RawStream, _: CaptureMode) -> Result<(), DriverError> { Err(DriverError::Unsupported) }
/// #     fn end_capture(&self, _: RawStream) -> Result<RawGraph, DriverError> { Err(DriverError::Unsupported) }
/// #     fn launch_graph(&self, _: RawGraph, _: RawStream) -> Result<(), DriverError> { Err(DriverError::Unsupported) }
/// #     fn destroy_graph(&self, _: RawGraph) -> Result<(), DriverError> { Err(DriverError::Unsupported) }
/// # }
/// # impl StreamMemory for Inline {
/// #     fn allocate(&self, _: Bytes, _: RawStream) -> Result<RawMemory, DriverError> { Err(DriverError::Unsupported) }
/// #     fn free(&self, _: RawMemory, _: RawStream) -> Result<(), DriverError> { Err(DriverError::Unsupported) }
/// # }
/// # impl StreamProgress for Inline {
/// #     fn open_progress(&self, _: RawStream) -> Result<Option<RawProgress>, DriverError> { Ok(None) }
/// #     fn mark(&self, _: RawStream, _: RawProgress, _: Position) -> Result<(), DriverError> { Ok(()) }
/// #     fn observe(&self, _: RawProgress) -> Position { Position::START }
/// #     fn wait_progress(&self, _: RawProgress, _: Position, _: Duration) -> StreamWait { StreamWait::Finished }
/// #     fn close_progress(&self, _: RawProgress) {}
/// # }
/// # impl StreamWork for Inline {
/// #     type Work = Box<dyn FnOnce() + Send>;
/// #     fn launch(&self, _: RawStream, work: Self::Work) -> Result<(), DriverError> { Ok(work()) }
/// # }
/// let pool = StreamPool::new(Inline(AtomicU64::new(0x10)), PoolOptions::default());
/// let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// let mut task = pool.acquire(key)?;
/// let work: Box<dyn FnOnce() + Send> = Box::new(|| println!("axpy"));
/// let touch = pool.submit(&mut task, work)?;
/// drop(task); // the stream drains: the pool has not asked about it yet
/// assert_eq!(pool.pump().idle, 1);
/// assert!(pool.is_finished(touch));
/// # Ok::<(), StreamError>(())
/// ```
pub trait StreamBackend:
    StreamPlatform + StreamDriver + StreamEvents + StreamCapture + StreamMemory + StreamProgress
{
}
impl<
    T: StreamPlatform
        + StreamDriver
        + StreamEvents
        + StreamCapture
        + StreamMemory
        + StreamProgress
        + ?Sized,
> StreamBackend for T
{
}
