//! Memory that is allocated and freed in a stream's order.

use crate::{
    error::DriverError,
    id::{Bytes, RawMemory, RawStream},
};

/// Stream-ordered memory of one driver.
///
/// # Contract
/// 1. `allocate` brings memory that work submitted to `stream` after the call may use.
/// 2. `free` gives it back once all earlier work of `stream` is finished. It is called on a stream that
///    does not capture. A refusal frees nothing, and the call may be made again.
/// 3. `free` of memory that no pool of the driver made may block (`hipFreeAsync` of `hipMalloc` memory does).
pub trait StreamMemory {
    /// Contract 1.
    ///
    /// # Errors
    /// When there is none, or the driver refuses because somebody captures.
    fn allocate(&self, bytes: Bytes, stream: RawStream) -> Result<RawMemory, DriverError>;
    /// Contracts 2 and 3.
    ///
    /// # Errors
    /// When the driver refuses. [`DriverError::CaptureConflict`] is no fault of the memory: some versions of
    /// HIP refuse any free while a blocking stream of the device captures.
    fn free(&self, memory: RawMemory, stream: RawStream) -> Result<(), DriverError>;
}
impl<T: StreamMemory + ?Sized> StreamMemory for &T {
    fn allocate(&self, bytes: Bytes, stream: RawStream) -> Result<RawMemory, DriverError> {
        (**self).allocate(bytes, stream)
    }
    fn free(&self, memory: RawMemory, stream: RawStream) -> Result<(), DriverError> {
        (**self).free(memory, stream)
    }
}
