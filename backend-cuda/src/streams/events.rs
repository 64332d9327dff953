//! Events.

use std::time::Duration;

use ringfence::{
    backend::streams::{StreamEvents, StreamState, StreamWait},
    error::DriverError,
    id::{DeviceContext, RawEvent, RawStream},
};
use ringfence_backend_shared::{
    pause::{self, Style},
    registry::Held,
};

use super::{CudaStreams, class, number, raw};
use crate::{
    error::{UNKNOWN_HANDLE, wait_of},
    sys,
};

impl CudaStreams {
    fn event_entry(&self, event: RawEvent) -> Result<Held<i32>, DriverError> {
        self.0.events.hold(event.as_u64()).ok_or(UNKNOWN_HANDLE)
    }
}

impl StreamEvents for CudaStreams {
    fn create_event(&self, place: DeviceContext) -> Result<RawEvent, DriverError> {
        let cuda = self.cuda();
        let device = cuda.ordinal(place.device).map_err(class)?;
        let _current = cuda.on(device).map_err(class)?;
        let mut event = std::ptr::null_mut();
        let create = cuda.functions().cuEventCreate;
        // SAFETY: `event` is writable.
        cuda.check(unsafe { create(&raw mut event, sys::CU_EVENT_DISABLE_TIMING) })?;
        self.0.events.insert(number(event), device);
        Ok(RawEvent::new(number(event)))
    }

    fn destroy_event(&self, event: RawEvent) {
        if self.0.events.take(event.as_u64()).is_some() {
            // SAFETY: the event was made by `create_event`, and was taken off the list by this call alone.
            let answer = unsafe { (self.cuda().functions().cuEventDestroy)(raw(event.as_u64())) };
            let _gone_either_way = self.cuda().check(answer);
        }
    }

    fn record_event(&self, event: RawEvent, stream: RawStream) -> Result<(), DriverError> {
        let _held = (self.event_entry(event)?, self.stream(stream)?);
        let record = self.cuda().functions().cuEventRecord;
        // SAFETY: both exist while they are held.
        self.cuda().check(unsafe { record(raw(event.as_u64()), raw(stream.as_u64())) })
    }

    fn stream_wait(&self, stream: RawStream, event: RawEvent) -> Result<(), DriverError> {
        let _held = (self.event_entry(event)?, self.stream(stream)?);
        let wait = self.cuda().functions().cuStreamWaitEvent;
        // SAFETY: both exist while they are held.
        self.cuda().check(unsafe { wait(raw(stream.as_u64()), raw(event.as_u64()), 0) })
    }

    fn query_event(&self, event: RawEvent) -> StreamState {
        let Ok(_held) = self.event_entry(event) else {
            return StreamState::Failed(UNKNOWN_HANDLE);
        };
        // SAFETY: the event exists while it is held.
        self.state_by(unsafe { (self.cuda().functions().cuEventQuery)(raw(event.as_u64())) })
    }

    /// The driver's own wait has no limit, so that this asks ever more seldom.
    fn synchronize_event(&self, event: RawEvent, limit: Duration) -> StreamWait {
        pause::until(limit, Style::Sleepy, || wait_of(self.query_event(event)))
            .unwrap_or(StreamWait::TimedOut)
    }
}
