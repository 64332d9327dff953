//! Memory, copies and fills.

use std::ffi::{c_int, c_void};

use super::{Code, Hip, Stream};

/// Memory of HIP's, freed on drop: by then no work may use it any more.
#[derive(Debug)]
pub struct Memory<'h> {
    hip: &'h Hip,
    address: *mut c_void,
    bytes: usize,
    place: Where,
}

// SAFETY: the pointer is the memory's own, and the host copies whole ranges alone.
unsafe impl Send for Memory<'_> {}
// SAFETY: as above.
unsafe impl Sync for Memory<'_> {}

/// Where memory is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Where {
    /// The device's own.
    Device,
    /// The host's, pinned.
    Host,
    /// Eight bytes that a stream may wait for.
    Signal,
    /// The device's own, from the pool of asynchronous allocations; freed by [`Memory::free_on`] alone.
    Pool,
}

/// `hipMallocSignalMemory`
const SIGNAL_MEMORY: u32 = 2;
/// `hipMemcpyDefault`: from the addresses.
const BY_ADDRESS: c_int = 4;

impl<'h> Memory<'h> {
    /// Allocates `bytes` there.
    #[must_use]
    pub fn new(hip: &'h Hip, bytes: usize, place: Where) -> Self {
        let mut address = std::ptr::null_mut();
        let (functions, to) = (&hip.functions, &raw mut address);
        let code = match place {
            // SAFETY: `address` is writable.
            Where::Device => unsafe { (functions.hipMalloc)(to, bytes) },
            // SAFETY: as above.
            Where::Host => unsafe { (functions.hipHostMalloc)(to, bytes, 0) },
            // SAFETY: as above.
            Where::Signal => unsafe { (functions.hipExtMallocWithFlags)(to, bytes, SIGNAL_MEMORY) },
            Where::Pool => panic!("allocated on a stream"),
        };
        hip.ok("allocating", code);
        Self { hip, address, bytes, place }
    }

    /// Allocates `bytes` of the device's pool, for work behind this on `stream`.
    #[must_use]
    pub fn on(stream: &Stream<'h>, bytes: usize) -> Self {
        let (hip, mut address) = (stream.hip, std::ptr::null_mut());
        let allocate = hip.functions.hipMallocAsync;
        // SAFETY: the stream is there, and `address` is writable.
        let code = unsafe { allocate(&raw mut address, bytes, stream.handle) };
        hip.ok("hipMallocAsync", code);
        Self { hip, address, bytes, place: Where::Pool }
    }

    /// Gives it back to the pool when all before this on `stream` is done.
    pub fn free_on(self, stream: &Stream<'_>) {
        assert_eq!(self.place, Where::Pool);
        let free = self.hip.functions.hipFreeAsync;
        // SAFETY: it is freed once, for dropping it does nothing.
        let code = unsafe { free(self.address, stream.handle) };
        self.hip.ok("hipFreeAsync", code);
    }

    /// Where it begins.
    #[must_use]
    pub fn address(&self) -> *mut c_void {
        self.address
    }

    /// Copies `bytes` in at `offset`, through `stream` where the host has no way, and waits.
    pub fn write(&self, stream: &Stream<'_>, offset: usize, bytes: &[u8]) {
        let to = self.checked(offset, bytes.len());
        self.copy(stream, to, bytes.as_ptr().cast(), bytes.len());
        stream.synchronize();
    }

    /// Copies `count` bytes out from `offset`, and waits.
    #[must_use]
    pub fn read(&self, stream: &Stream<'_>, offset: usize, count: usize) -> Vec<u8> {
        let mut bytes = vec![0_u8; count];
        let from = self.checked(offset, count);
        self.copy(stream, bytes.as_mut_ptr().cast(), from, count);
        stream.synchronize();
        bytes
    }

    /// Begins a copy of `count` bytes from `offset` of `from` to `at` of this.
    pub fn copy_from(
        &self,
        stream: &Stream<'_>,
        at: usize,
        from: &Memory<'_>,
        offset: usize,
        count: usize,
    ) {
        self.copy(stream, self.checked(at, count), from.checked(offset, count), count);
    }

    /// Begins a copy of `rows` of `width` bytes, with a distance of `pitch` and `from_pitch`.
    pub fn copy_rows(
        &self,
        stream: &Stream<'_>,
        pitch: usize,
        from: &Memory<'_>,
        from_pitch: usize,
        [width, rows]: [usize; 2],
    ) {
        let to = self.checked(0, pitch * (rows - 1) + width);
        let from = from.checked(0, from_pitch * (rows - 1) + width);
        let copy = self.hip.functions.hipMemcpy2DAsync;
        // SAFETY: all rows lie in both memories, which the caller keeps until the stream is synchronized.
        let code =
            unsafe { copy(to, pitch, from, from_pitch, width, rows, BY_ADDRESS, stream.handle) };
        self.hip.ok("hipMemcpy2DAsync", code);
    }

    /// Begins to set `count` bytes at `offset`.
    pub fn set(&self, stream: &Stream<'_>, offset: usize, value: u8, count: usize) {
        let (to, set) = (self.checked(offset, count), self.hip.functions.hipMemsetAsync);
        // SAFETY: the range lies in the memory, which the caller keeps until the stream is synchronized.
        self.ok(unsafe { set(to, value.into(), count, stream.handle) });
    }

    /// Begins to set `count` half-words at `offset`.
    pub fn set_u16(&self, stream: &Stream<'_>, offset: usize, value: u16, count: usize) {
        let (to, set) = (self.checked(offset, 2 * count), self.hip.functions.hipMemsetD16Async);
        // SAFETY: as in `set`.
        self.ok(unsafe { set(to, value, count, stream.handle) });
    }

    /// Begins to set `count` words at `offset`.
    pub fn set_u32(&self, stream: &Stream<'_>, offset: usize, value: u32, count: usize) {
        let (to, set) = (self.checked(offset, 4 * count), self.hip.functions.hipMemsetD32Async);
        // SAFETY: as in `set`.
        self.ok(unsafe { set(to, value.cast_signed(), count, stream.handle) });
    }

    /// Begins to set `rows` of `width` bytes, with a distance of `pitch`.
    pub fn set_rows(
        &self,
        stream: &Stream<'_>,
        pitch: usize,
        value: u8,
        width: usize,
        rows: usize,
    ) {
        let to = self.checked(0, pitch * (rows - 1) + width);
        let set = self.hip.functions.hipMemset2DAsync;
        // SAFETY: as in `set`.
        self.ok(unsafe { set(to, pitch, value.into(), width, rows, stream.handle) });
    }

    fn ok(&self, code: Code) {
        self.hip.ok("setting memory", code);
    }

    fn copy(&self, stream: &Stream<'_>, to: *mut c_void, from: *const c_void, count: usize) {
        let copy = self.hip.functions.hipMemcpyAsync;
        // SAFETY: both ranges lie in memory that the caller keeps until the stream is synchronized.
        let code = unsafe { copy(to, from, count, BY_ADDRESS, stream.handle) };
        self.hip.ok("hipMemcpyAsync", code);
    }

    fn checked(&self, offset: usize, count: usize) -> *mut c_void {
        assert!(offset + count <= self.bytes, "{count} bytes at {offset} of {}", self.bytes);
        self.address.wrapping_byte_add(offset)
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        let functions = &self.hip.functions;
        let code = match self.place {
            // SAFETY: it is freed once.
            Where::Device | Where::Signal => unsafe { (functions.hipFree)(self.address) },
            // SAFETY: as above.
            Where::Host => unsafe { (functions.hipHostFree)(self.address) },
            Where::Pool => 0,
        };
        if !std::thread::panicking() {
            self.hip.ok("freeing", code);
        }
    }
}
