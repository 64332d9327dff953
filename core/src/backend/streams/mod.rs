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
//! a relaxed capture mode that the pool sets and takes back on the same thread (T8). `create` and `destroy`
//! are called with no lock held; what acts on one stream of a pool is called with that stream's lock held
//! (T5), so no method may call back into a pool.

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
