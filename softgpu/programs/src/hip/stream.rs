//! Streams.

use std::ffi::{c_uint, c_void};

use super::{Code, Event, Handle, Hip, Memory};

/// A stream that does not wait for the null stream, destroyed on drop.
#[derive(Debug)]
pub struct Stream<'h> {
    pub(super) hip: &'h Hip,
    pub(super) handle: Handle,
}

// SAFETY: HIP's streams may be used from any thread.
unsafe impl Send for Stream<'_> {}
// SAFETY: as above.
unsafe impl Sync for Stream<'_> {}

/// The answer to a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Done {
    /// All is.
    Yes,
    /// Something is not.
    NotYet,
}

/// `hipStreamNonBlocking`
const NON_BLOCKING: c_uint = 1;

impl<'h> Stream<'h> {
    /// A stream of normal priority.
    #[must_use]
    pub fn new(hip: &'h Hip) -> Self {
        Self::with_priority(hip, 0)
    }

    /// A stream of this priority; a lower number is more urgent.
    #[must_use]
    pub fn with_priority(hip: &'h Hip, priority: i32) -> Self {
        let mut handle: Handle = std::ptr::null_mut();
        let create = hip.functions.hipStreamCreateWithPriority;
        // SAFETY: `handle` is writable.
        let code = unsafe { create(&raw mut handle, NON_BLOCKING, priority) };
        hip.ok("hipStreamCreateWithPriority", code);
        Self { hip, handle }
    }

    /// Waits for all of its work.
    pub fn synchronize(&self) {
        // SAFETY: the stream is there.
        let code = unsafe { (self.hip.functions.hipStreamSynchronize)(self.handle) };
        self.hip.ok("hipStreamSynchronize", code);
    }

    /// Whether all of its work is done.
    pub fn query(&self) -> Done {
        // SAFETY: the stream is there.
        let code = unsafe { (self.hip.functions.hipStreamQuery)(self.handle) };
        self.hip.done("hipStreamQuery", code)
    }

    /// Has its later work wait for `event`.
    pub fn wait(&self, event: &Event<'_>) {
        let wait = self.hip.functions.hipStreamWaitEvent;
        // SAFETY: stream and event are there.
        let code = unsafe { wait(self.handle, event.handle, 0) };
        self.hip.ok("hipStreamWaitEvent", code);
    }

    /// Stores `value` at the start of `memory` when all before it is done.
    pub fn write_value(&self, memory: &Memory<'_>, value: u32) {
        let write = self.hip.functions.hipStreamWriteValue32;
        // SAFETY: the stream is there, and the caller keeps the memory.
        let code = unsafe { write(self.handle, memory.address(), value, 0) };
        self.hip.ok("hipStreamWriteValue32", code);
    }

    /// Has its later work wait until the word at the start of `memory` is at least `value`.
    pub fn wait_value(&self, memory: &Memory<'_>, value: u32) {
        let wait = self.hip.functions.hipStreamWaitValue32;
        // SAFETY: the stream is there, and the caller keeps the memory.
        let code = unsafe { wait(self.handle, memory.address(), value, 0, u32::MAX) };
        self.hip.ok("hipStreamWaitValue32", code);
    }

    /// Has `callback` called with `data` when all before it is done; later work waits for it.
    ///
    /// # Safety
    /// It may be called, once, on another thread.
    pub unsafe fn call_back(
        &self,
        callback: extern "C" fn(*mut c_void, Code, *mut c_void),
        data: *mut c_void,
    ) {
        let add = self.hip.functions.hipStreamAddCallback;
        // SAFETY: the stream is there; the rest the caller promised.
        let code = unsafe { add(self.handle, callback, data, 0) };
        self.hip.ok("hipStreamAddCallback", code);
    }

    /// The same by `hipLaunchHostFunc`, where this version exports it.
    ///
    /// # Safety
    /// It may be called, once, on another thread.
    pub unsafe fn host_function(
        &self,
        function: extern "C" fn(*mut c_void),
        data: *mut c_void,
    ) -> Option<()> {
        let launch = self.hip.functions.hipLaunchHostFunc?;
        // SAFETY: the stream is there; the rest the caller promised.
        let code = unsafe { launch(self.handle, function, data) };
        self.hip.ok("hipLaunchHostFunc", code);
        Some(())
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once.
        let code = unsafe { (self.hip.functions.hipStreamDestroy)(self.handle) };
        if !std::thread::panicking() {
            self.hip.ok("hipStreamDestroy", code);
        }
    }
}
