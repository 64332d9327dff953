//! Streams themselves.

use std::sync::PoisonError;

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus, StreamDriver, StreamState},
    error::{DriverCode, DriverError},
    id::{ContextId, Priority, RawStream, StreamFlags, StreamKey},
};

use super::{HipStreams, StreamEntry, class, number, raw};
use crate::{
    error::{UNKNOWN_HANDLE, state_of},
    sys::{self, hipStream_t},
};

impl HipStreams {
    /// HIP's number of a priority: from -1 (high) over 0 to 1 (low) on AMD's GPUs.
    fn priority(&self, device: i32, priority: Priority) -> Result<i32, DriverError> {
        let level = match priority {
            Priority::Normal => return Ok(0),
            Priority::Level(level) => return Ok(level),
            Priority::Low => 0,
            Priority::High => 1,
        };
        let mut known = self.0.priorities.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(range) = known.get(&device) {
            return Ok(range[level]);
        }
        let [mut least, mut greatest] = [0, 0];
        let range = self.hip().functions().hipDeviceGetStreamPriorityRange;
        // SAFETY: both are writable.
        self.hip().check(unsafe { range(&raw mut least, &raw mut greatest) })?;
        known.insert(device, [least, greatest]);
        Ok([least, greatest][level])
    }

    /// HIP 5.3 to 5.7 refuse a stream's query by the mode of its own last capture, at first global: an empty capture in
    /// relaxed mode, which concerns nobody, makes it answer while others capture.
    fn prime(&self, stream: hipStream_t) -> Result<(), DriverError> {
        let functions = self.hip().functions();
        // SAFETY: the stream was just made, and nobody else has it.
        let begun =
            unsafe { (functions.hipStreamBeginCapture)(stream, sys::hipStreamCaptureModeRelaxed) };
        self.hip().check(begun)?;
        let mut graph = std::ptr::null_mut();
        // SAFETY: as above; `graph` is writable.
        self.hip().check(unsafe { (functions.hipStreamEndCapture)(stream, &raw mut graph) })?;
        // SAFETY: the graph is this call's own, and is destroyed once.
        self.hip().check(unsafe { (functions.hipGraphDestroy)(graph) })
    }

    /// HIP before 5.7 never returns from the destruction of a stream while its device's pool keeps a block.
    fn empty_pool(&self, device: i32) {
        let functions = self.hip().functions();
        let (Some(default), Some(trim)) =
            (functions.hipDeviceGetDefaultMemPool, functions.hipMemPoolTrimTo)
        else {
            return;
        };
        let mut pool = std::ptr::null_mut();
        // SAFETY: `pool` is writable.
        if self.hip().check(unsafe { default(&raw mut pool, device) }).is_ok() {
            // SAFETY: the pool is the device's.
            let _nothing_to_trim = self.hip().check(unsafe { trim(pool, 0) });
        }
    }
}

impl StreamDriver for HipStreams {
    fn create(&self, key: StreamKey) -> Result<RawStream, DriverError> {
        if key.place.context != ContextId::PRIMARY {
            return Err(DriverError::Unsupported); // HIP has one context for each device
        }
        let hip = self.hip();
        let device = hip.ordinal(key.place.device).map_err(class)?;
        let _current = hip.on(device).map_err(class)?;
        let flags = match key.flags.contains(StreamFlags::NON_BLOCKING) {
            true => sys::hipStreamNonBlocking,
            false => 0,
        };
        let priority = self.priority(device, key.priority)?;
        let mut stream = std::ptr::null_mut();
        let create = hip.functions().hipStreamCreateWithPriority;
        // SAFETY: `stream` is writable.
        hip.check(unsafe { create(&raw mut stream, flags, priority) })?;
        if hip.version().streams_need_a_first_capture() {
            // One that was not primed is refused an answer more often, and no worse.
            let _less_often_answered = self.prime(stream);
        }
        self.0.streams.insert(number(stream), StreamEntry { device });
        Ok(RawStream::new(number(stream)))
    }

    fn destroy(&self, stream: RawStream) -> Result<(), DriverError> {
        let entry = self.0.streams.take(stream.as_u64()).ok_or(UNKNOWN_HANDLE)?;
        if self.hip().version().destroy_needs_an_empty_pool() {
            self.empty_pool(entry.device); // of what others have freed
        }
        self.0.frees.leave(stream); // before HIP gives its address to another
        let destroy = self.hip().functions().hipStreamDestroy;
        // SAFETY: the stream was made by `create`, and was taken off the list by this call alone.
        let destroyed = self.hip().check(unsafe { destroy(raw(stream.as_u64())) });
        self.0.frees.settle(); // the call waited for the stream's work
        destroyed
    }

    fn capture_status(&self, stream: RawStream) -> CaptureStatus {
        let Ok(_held) = self.stream(stream) else { return CaptureStatus::Unknown(UNKNOWN_HANDLE) };
        self.status_of_held(stream)
    }

    fn query(&self, stream: RawStream) -> StreamState {
        let Ok(_held) = self.stream(stream) else { return StreamState::Failed(UNKNOWN_HANDLE) };
        // SAFETY: the stream exists while it is held.
        let answer = unsafe { (self.hip().functions().hipStreamQuery)(raw(stream.as_u64())) };
        self.state_by(answer)
    }

    fn exchange_capture_mode(&self, mode: CaptureMode) -> CaptureMode {
        let mut exchanged = mode_number(mode);
        let exchange = self.hip().functions().hipThreadExchangeStreamCaptureMode;
        // SAFETY: `exchanged` is writable, and is a mode.
        let answer = unsafe { exchange(&raw mut exchanged) };
        // It knows these three modes and cannot refuse them; if it did, the thread's mode is what it was.
        match self.hip().check(answer).map(|()| exchanged) {
            Ok(sys::hipStreamCaptureModeThreadLocal) => CaptureMode::ThreadLocal,
            Ok(sys::hipStreamCaptureModeRelaxed) => CaptureMode::Relaxed,
            _ => CaptureMode::Global,
        }
    }
}

impl HipStreams {
    /// For a caller who holds the stream: to hold it twice is to wait for oneself, once another thread waits to register one.
    pub(crate) fn status_of_held(&self, stream: RawStream) -> CaptureStatus {
        let mut status = sys::hipStreamCaptureStatusNone;
        let ask = self.hip().functions().hipStreamIsCapturing;
        // SAFETY: the stream exists while it is held, and `status` is writable.
        match self.hip().check(unsafe { ask(raw(stream.as_u64()), &raw mut status) }) {
            Err(error) => CaptureStatus::Unknown(error),
            Ok(()) => match status {
                sys::hipStreamCaptureStatusNone => CaptureStatus::None,
                sys::hipStreamCaptureStatusActive => CaptureStatus::Active,
                sys::hipStreamCaptureStatusInvalidated => CaptureStatus::Invalidated,
                other => {
                    let code = i32::try_from(other).unwrap_or(i32::MAX);
                    CaptureStatus::Unknown(DriverError::Other(DriverCode::new(code)))
                }
            },
        }
    }

    /// What a query's answer says.
    #[inline]
    pub(super) fn state_by(&self, answer: sys::hipError_t) -> StreamState {
        match answer {
            sys::hipSuccess => StreamState::Idle,
            sys::hipErrorNotReady => {
                // HIP keeps it as the thread's last error, where the program would take it for its own.
                // SAFETY: no precondition.
                let _not_ready = unsafe { (self.hip().functions().hipGetLastError)() };
                StreamState::Pending
            }
            other => state_of(self.hip().failed(other).class()),
        }
    }
}

pub(super) const fn mode_number(mode: CaptureMode) -> sys::hipStreamCaptureMode {
    match mode {
        CaptureMode::Global => sys::hipStreamCaptureModeGlobal,
        CaptureMode::ThreadLocal => sys::hipStreamCaptureModeThreadLocal,
        CaptureMode::Relaxed => sys::hipStreamCaptureModeRelaxed,
    }
}
