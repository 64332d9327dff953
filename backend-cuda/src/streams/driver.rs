//! Streams themselves.

use std::{num::NonZeroU32, sync::PoisonError};

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus, StreamDriver, StreamState},
    error::{DriverCode, DriverError},
    id::{ContextId, DeviceContext, Priority, RawStream, StreamFlags, StreamKey},
};

use super::{CudaStreams, StreamEntry, class, number, raw};
use crate::{
    error::{UNKNOWN_HANDLE, state_of},
    sys,
};

impl CudaStreams {
    /// The driver's number of a priority: from 0 (low, and what every stream has) down to -5 (high) on the GPU that was tried. What is
    /// out of its range the driver moves to the nearer end. The caller has made the GPU's context current.
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
        let range = self.cuda().functions().cuCtxGetStreamPriorityRange;
        // SAFETY: both are writable.
        self.cuda().check(unsafe { range(&raw mut least, &raw mut greatest) })?;
        known.insert(device, [least, greatest]);
        Ok([least, greatest][level])
    }
}

impl CudaStreams {
    /// Has the driver take memory for so many streams at once, and keep it: makes them, and destroys them.
    ///
    /// The driver takes memory for 43 streams at a time, **waits for all work of the GPU** as it does, and never gives it back (driver
    /// 580, tried). Where that wait is not wanted, or where the work waits for the host, this is to be called while the GPU has nothing
    /// to do, with the most streams that will ever be alive.
    ///
    /// # Errors
    /// The first that the driver says; the memory that it took by then stays, and the streams are gone.
    pub fn make_room(&self, place: DeviceContext, streams: NonZeroU32) -> Result<(), DriverError> {
        let key = StreamKey::new(place);
        at_once(streams, || self.create(key), |stream| self.destroy(stream))
    }
}

/// Makes so many, and then ends all that could be made. The first error stops the making, and is the answer.
fn at_once<T>(
    count: NonZeroU32,
    mut make: impl FnMut() -> Result<T, DriverError>,
    mut end: impl FnMut(T) -> Result<(), DriverError>,
) -> Result<(), DriverError> {
    let mut made = Vec::new();
    let mut outcome = Ok(());
    for _ in 0..count.get() {
        match make() {
            Ok(one) => made.push(one),
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
    }
    for one in made {
        let ended = end(one);
        outcome = outcome.and(ended);
    }
    outcome
}

impl StreamDriver for CudaStreams {
    fn create(&self, key: StreamKey) -> Result<RawStream, DriverError> {
        if key.place.context != ContextId::PRIMARY {
            return Err(DriverError::Unsupported); // whose lifetime nobody here knows
        }
        let cuda = self.cuda();
        let device = cuda.ordinal(key.place.device).map_err(class)?;
        let _current = cuda.on(device).map_err(class)?;
        let flags = match key.flags.contains(StreamFlags::NON_BLOCKING) {
            true => sys::CU_STREAM_NON_BLOCKING,
            false => sys::CU_STREAM_DEFAULT,
        };
        let priority = self.priority(device, key.priority)?;
        let mut stream = std::ptr::null_mut();
        let create = cuda.functions().cuStreamCreateWithPriority;
        // SAFETY: `stream` is writable.
        cuda.check(unsafe { create(&raw mut stream, flags, priority) })?;
        self.0.streams.insert(number(stream), StreamEntry { device });
        Ok(RawStream::new(number(stream)))
    }

    /// Returns at once; unfinished work goes on. A capture ends with its stream, and leaves nothing on its thread (driver 580, tried).
    fn destroy(&self, stream: RawStream) -> Result<(), DriverError> {
        let _entry = self.0.streams.take(stream.as_u64()).ok_or(UNKNOWN_HANDLE)?;
        // SAFETY: the stream was made by `create`, and was taken off the list by this call alone.
        self.cuda()
            .check(unsafe { (self.cuda().functions().cuStreamDestroy)(raw(stream.as_u64())) })
    }

    fn capture_status(&self, stream: RawStream) -> CaptureStatus {
        let Ok(_held) = self.stream(stream) else { return CaptureStatus::Unknown(UNKNOWN_HANDLE) };
        self.status_of_held(stream)
    }

    fn query(&self, stream: RawStream) -> StreamState {
        let Ok(_held) = self.stream(stream) else { return StreamState::Failed(UNKNOWN_HANDLE) };
        // SAFETY: the stream exists while it is held.
        let answer = unsafe { (self.cuda().functions().cuStreamQuery)(raw(stream.as_u64())) };
        self.state_by(answer)
    }

    fn exchange_capture_mode(&self, mode: CaptureMode) -> CaptureMode {
        let mut exchanged = mode_number(mode);
        let exchange = self.cuda().functions().cuThreadExchangeStreamCaptureMode;
        // SAFETY: `exchanged` is writable, and is a mode.
        let answer = unsafe { exchange(&raw mut exchanged) };
        // It knows these three modes and cannot refuse them; if it did, the thread's mode is what it was.
        match self.cuda().check(answer).map(|()| exchanged) {
            Ok(sys::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) => CaptureMode::ThreadLocal,
            Ok(sys::CU_STREAM_CAPTURE_MODE_RELAXED) => CaptureMode::Relaxed,
            _ => CaptureMode::Global,
        }
    }
}

impl CudaStreams {
    /// For a caller who holds the stream.
    pub(crate) fn status_of_held(&self, stream: RawStream) -> CaptureStatus {
        let mut status = sys::CU_STREAM_CAPTURE_STATUS_NONE;
        let ask = self.cuda().functions().cuStreamIsCapturing;
        // SAFETY: the stream exists while it is held, and `status` is writable.
        match self.cuda().check(unsafe { ask(raw(stream.as_u64()), &raw mut status) }) {
            Err(error) => CaptureStatus::Unknown(error),
            Ok(()) => match status {
                sys::CU_STREAM_CAPTURE_STATUS_NONE => CaptureStatus::None,
                sys::CU_STREAM_CAPTURE_STATUS_ACTIVE => CaptureStatus::Active,
                sys::CU_STREAM_CAPTURE_STATUS_INVALIDATED => CaptureStatus::Invalidated,
                other => {
                    let code = i32::try_from(other).unwrap_or(i32::MAX);
                    CaptureStatus::Unknown(DriverError::Other(DriverCode::new(code)))
                }
            },
        }
    }

    /// What a query's answer says.
    #[inline]
    pub(super) fn state_by(&self, answer: sys::CUresult) -> StreamState {
        match answer {
            sys::CUDA_SUCCESS => StreamState::Idle,
            sys::CUDA_ERROR_NOT_READY => StreamState::Pending,
            other => state_of(self.cuda().failed(other).class()),
        }
    }
}

pub(super) const fn mode_number(mode: CaptureMode) -> sys::CUstreamCaptureMode {
    match mode {
        CaptureMode::Global => sys::CU_STREAM_CAPTURE_MODE_GLOBAL,
        CaptureMode::ThreadLocal => sys::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
        CaptureMode::Relaxed => sys::CU_STREAM_CAPTURE_MODE_RELAXED,
    }
}

#[cfg(test)]
mod tests;
