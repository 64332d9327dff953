//! Memory that is allocated and freed in a stream's order.

use crate::{
    backend::pointers::through_pointers,
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
///
/// ```
/// use ringfence::{backend::streams::*, error::*, id::*};
/// use std::{collections::HashMap, sync::Mutex};
/// /// Runs work inside the launch, so that a free can happen at once.
/// struct Inline(Mutex<HashMap<RawMemory, Box<[u8]>>>);
/// impl StreamMemory for Inline {
///     fn allocate(&self, bytes: Bytes, _: RawStream) -> Result<RawMemory, DriverError> {
///         let too_many = |_| DriverError::OutOfMemory(DriverCode::new(2));
///         let count = usize::try_from(bytes.as_u64()).map_err(too_many)?.max(1);
///         let memory = vec![0; count].into_boxed_slice();
///         let raw = RawMemory::new(memory.as_ptr() as u64);
///         self.0.lock().expect("no panic").insert(raw, memory);
///         Ok(raw)
///     }
///     fn free(&self, memory: RawMemory, _: RawStream) -> Result<(), DriverError> {
///         let freed = self.0.lock().expect("no panic").remove(&memory);
///         freed.map(drop).ok_or(DriverError::Bad(DriverCode::new(400)))
///     }
/// }
/// # let (driver, stream) = (Inline(Mutex::default()), RawStream::new(0x10));
/// # let raw = driver.allocate(Bytes::new(64), stream)?;
/// # assert_eq!(driver.free(raw, stream), Ok(()));
/// # assert!(driver.free(raw, stream).is_err());
/// # Ok::<(), DriverError>(())
/// ```
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
through_pointers! { StreamMemory {
    fn allocate(&self, bytes: Bytes, stream: RawStream) -> Result<RawMemory, DriverError>;
    fn free(&self, memory: RawMemory, stream: RawStream) -> Result<(), DriverError>;
} }
