//! Events: how one stream waits for another on the device.

use std::time::Duration;

use super::StreamState;
use crate::{
    backend::pointers::through_pointers,
    error::DriverError,
    id::{DeviceContext, RawEvent, RawStream},
};

/// How a host wait for an event or a position ended.
///
/// ```
/// use ringfence::{backend::streams::StreamWait, error::{DriverCode, DriverError}};
/// use std::sync::mpsc::{RecvTimeoutError, channel};
/// /// Of a driver whose completion thread sends a word when the event has happened.
/// fn waited(outcome: Result<(), RecvTimeoutError>) -> StreamWait {
///     match outcome {
///         Ok(()) => StreamWait::Finished,
///         Err(RecvTimeoutError::Timeout) => StreamWait::TimedOut, // the pool may wait again
///         Err(RecvTimeoutError::Disconnected) => {
///             StreamWait::Failed(DriverError::DeviceLost(DriverCode::new(0)))
///         }
///     }
/// }
/// # let (sender, received) = channel::<()>();
/// let limit = std::time::Duration::ZERO;
/// assert_eq!(waited(received.recv_timeout(limit)), StreamWait::TimedOut);
/// # drop(sender);
/// # assert!(matches!(waited(received.recv_timeout(limit)), StreamWait::Failed(_)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum StreamWait {
    /// It is finished.
    Finished,
    /// The limit passed first.
    TimedOut,
    /// The driver refused to wait because somebody captures; nothing is known.
    Unknown,
    /// The driver reported an error.
    Failed(DriverError),
}

/// Events of one driver, without timing.
///
/// # Contract
/// 1. `create_event` makes an event that was never recorded: finished.
/// 2. `destroy_event` gives it back; it is called once, also while a recording is unfinished.
/// 3. `record_event` records all work of `stream` so far in `event`, over what was recorded before.
/// 4. `stream_wait` makes later work of `stream` wait on the device for what `event` has recorded at the
///    time of the call; recording it again later does not concern the waiter.
/// 5. `query_event` never blocks. A pool asks only about events that it recorded on streams of its own
///    that never capture.
/// 6. `synchronize_event` waits on the host, under the same condition, until the limit.
///
/// Where every stream runs its work inside the launch, there is nothing to wait for:
/// ```
/// use ringfence::{backend::streams::*, error::DriverError, id::*};
/// use std::{sync::atomic::{AtomicU64, Ordering}, time::Duration};
/// struct Inline(AtomicU64);
/// impl StreamEvents for Inline {
///     fn create_event(&self, _: DeviceContext) -> Result<RawEvent, DriverError> {
///         Ok(RawEvent::new(self.0.fetch_add(1, Ordering::Relaxed)))
///     }
///     fn destroy_event(&self, _: RawEvent) {}
///     fn record_event(&self, _: RawEvent, _: RawStream) -> Result<(), DriverError> { Ok(()) }
///     fn stream_wait(&self, _: RawStream, _: RawEvent) -> Result<(), DriverError> { Ok(()) }
///     fn query_event(&self, _: RawEvent) -> StreamState { StreamState::Idle }
///     fn synchronize_event(&self, _: RawEvent, _: Duration) -> StreamWait { StreamWait::Finished }
/// }
/// ```
pub trait StreamEvents {
    /// Contract 1.
    ///
    /// # Errors
    /// When it could not be made.
    fn create_event(&self, place: DeviceContext) -> Result<RawEvent, DriverError>;
    /// Contract 2.
    fn destroy_event(&self, event: RawEvent);
    /// Contract 3.
    ///
    /// # Errors
    /// When the driver refuses; what was recorded before is then unknown.
    fn record_event(&self, event: RawEvent, stream: RawStream) -> Result<(), DriverError>;
    /// Contract 4.
    ///
    /// # Errors
    /// When the driver refuses; the stream waits for nothing then.
    fn stream_wait(&self, stream: RawStream, event: RawEvent) -> Result<(), DriverError>;
    /// Contract 5.
    fn query_event(&self, event: RawEvent) -> StreamState;
    /// Contract 6.
    fn synchronize_event(&self, event: RawEvent, limit: Duration) -> StreamWait;
}
through_pointers! { StreamEvents {
    fn create_event(&self, place: DeviceContext) -> Result<RawEvent, DriverError>;
    fn destroy_event(&self, event: RawEvent);
    fn record_event(&self, event: RawEvent, stream: RawStream) -> Result<(), DriverError>;
    fn stream_wait(&self, stream: RawStream, event: RawEvent) -> Result<(), DriverError>;
    fn query_event(&self, event: RawEvent) -> StreamState;
    fn synchronize_event(&self, event: RawEvent, limit: Duration) -> StreamWait;
} }
