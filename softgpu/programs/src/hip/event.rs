//! Events.

use std::{ffi::c_uint, time::Duration};

use super::{Done, Handle, Hip, Stream};

/// An event, destroyed on drop.
#[derive(Debug)]
pub struct Event<'h> {
    hip: &'h Hip,
    pub(super) handle: Handle,
}

// SAFETY: HIP's events may be used from any thread.
unsafe impl Send for Event<'_> {}
// SAFETY: as above.
unsafe impl Sync for Event<'_> {}

/// Whether an event remembers when it was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timing {
    /// It does.
    Kept,
    /// It does not: `hipEventDisableTiming`.
    Off,
}

impl<'h> Event<'h> {
    /// An event that was not recorded yet.
    #[must_use]
    pub fn new(hip: &'h Hip, timing: Timing) -> Self {
        let flags: c_uint = match timing {
            Timing::Kept => 0,
            Timing::Off => 2,
        };
        let mut handle: Handle = std::ptr::null_mut();
        let create = hip.functions.hipEventCreateWithFlags;
        // SAFETY: `handle` is writable.
        let code = unsafe { create(&raw mut handle, flags) };
        hip.ok("hipEventCreateWithFlags", code);
        Self { hip, handle }
    }

    /// Records it on `stream`.
    pub fn record(&self, stream: &Stream<'_>) {
        let record = self.hip.functions.hipEventRecord;
        // SAFETY: event and stream are there.
        let code = unsafe { record(self.handle, stream.handle) };
        self.hip.ok("hipEventRecord", code);
    }

    /// Whether all before its last recording is done.
    pub fn query(&self) -> Done {
        // SAFETY: the event is there.
        let code = unsafe { (self.hip.functions.hipEventQuery)(self.handle) };
        self.hip.done("hipEventQuery", code)
    }

    /// Waits for all before its last recording.
    pub fn synchronize(&self) {
        // SAFETY: the event is there.
        let code = unsafe { (self.hip.functions.hipEventSynchronize)(self.handle) };
        self.hip.ok("hipEventSynchronize", code);
    }

    /// From this event to a later one, both reached.
    #[must_use]
    pub fn until(&self, later: &Event<'_>) -> Duration {
        let mut milliseconds = -1.0_f32;
        let elapsed = self.hip.functions.hipEventElapsedTime;
        // SAFETY: the events are there, and the number is writable.
        let code = unsafe { elapsed(&raw mut milliseconds, self.handle, later.handle) };
        self.hip.ok("hipEventElapsedTime", code);
        Duration::try_from_secs_f32(milliseconds / 1e3)
            .unwrap_or_else(|_| panic!("{milliseconds} ms from one event to a later one"))
    }
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once.
        let code = unsafe { (self.hip.functions.hipEventDestroy)(self.handle) };
        if !std::thread::panicking() {
            self.hip.ok("hipEventDestroy", code);
        }
    }
}
