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

use super::{HipStreams, class, number, raw};
use crate::{
    error::{UNKNOWN_HANDLE, wait_of},
    sys,
};

impl HipStreams {
    fn event_entry(&self, event: RawEvent) -> Result<Held<i32>, DriverError> {
        self.0.events.hold(event.as_u64()).ok_or(UNKNOWN_HANDLE)
    }
}

impl StreamEvents for HipStreams {
    fn create_event(&self, place: DeviceContext) -> Result<RawEvent, DriverError> {
        let hip = self.hip();
        let device = hip.ordinal(place.device).map_err(class)?;
        let _current = hip.on(device).map_err(class)?;
        let mut event = std::ptr::null_mut();
        let create = hip.functions().hipEventCreateWithFlags;
        // SAFETY: `event` is writable.
        hip.check(unsafe { create(&raw mut event, sys::hipEventDisableTiming) })?;
        self.0.events.insert(number(event), device);
        Ok(RawEvent::new(number(event)))
    }

    fn destroy_event(&self, event: RawEvent) {
        if self.0.events.take(event.as_u64()).is_some() {
            // SAFETY: the event was made by `create_event`, and was taken off the list by this call alone.
            let answer = unsafe { (self.hip().functions().hipEventDestroy)(raw(event.as_u64())) };
            let _gone_either_way = self.hip().check(answer);
        }
    }

    fn record_event(&self, event: RawEvent, stream: RawStream) -> Result<(), DriverError> {
        let _held = (self.event_entry(event)?, self.stream(stream)?);
        let record = self.hip().functions().hipEventRecord;
        // SAFETY: both exist while they are held.
        self.hip().check(unsafe { record(raw(event.as_u64()), raw(stream.as_u64())) })
    }

    fn stream_wait(&self, stream: RawStream, event: RawEvent) -> Result<(), DriverError> {
        let _held = (self.event_entry(event)?, self.stream(stream)?);
        let wait = self.hip().functions().hipStreamWaitEvent;
        // SAFETY: both exist while they are held.
        self.hip().check(unsafe { wait(raw(stream.as_u64()), raw(event.as_u64()), 0) })
    }

    fn query_event(&self, event: RawEvent) -> StreamState {
        let Ok(_held) = self.event_entry(event) else {
            return StreamState::Failed(UNKNOWN_HANDLE);
        };
        // SAFETY: the event exists while it is held.
        self.state_by(unsafe { (self.hip().functions().hipEventQuery)(raw(event.as_u64())) })
    }

    /// HIP's own wait has no limit, so that this asks ever more seldom.
    fn synchronize_event(&self, event: RawEvent, limit: Duration) -> StreamWait {
        pause::until(limit, Style::Sleepy, || wait_of(self.query_event(event)))
            .unwrap_or(StreamWait::TimedOut)
    }
}
