//! What a runtime submits to a stream.

use crate::{backend::pointers::through_pointers, error::DriverError, id::RawStream};

/// A runtime's own work: kernels, copies, whatever it launches.
///
/// Work that goes through here is counted, so that a progress word can prove it finished. A runtime that
/// takes the raw handle and launches by itself gives that up for the tenancy (T13).
///
/// # Contract
/// 1. `launch` submits `work` to `stream` and does not wait for it. It may be called while the stream
///    captures: the work is then recorded.
/// 2. When it fails, what it submitted of the work is still before the next mark of the stream.
///
/// ```
/// use ringfence::{backend::streams::StreamWork, error::DriverError, id::RawStream};
/// /// Runs work on the host, inside the launch.
/// struct Inline;
/// impl StreamWork for Inline {
///     type Work = Box<dyn FnOnce() + Send>;
///     fn launch(&self, _: RawStream, work: Self::Work) -> Result<(), DriverError> {
///         work();
///         Ok(())
///     }
/// }
/// let (done, received) = std::sync::mpsc::channel();
/// Inline.launch(RawStream::new(0x10), Box::new(move || done.send("axpy").expect("a receiver")))?;
/// assert_eq!(received.recv(), Ok("axpy"));
/// # Ok::<(), DriverError>(())
/// ```
pub trait StreamWork {
    /// One piece of work.
    type Work;
    /// Contracts 1 and 2.
    ///
    /// # Errors
    /// When the driver refuses it.
    fn launch(&self, stream: RawStream, work: Self::Work) -> Result<(), DriverError>;
}
through_pointers! { StreamWork {
    type Work;
    fn launch(&self, stream: RawStream, work: Self::Work) -> Result<(), DriverError>;
} }
