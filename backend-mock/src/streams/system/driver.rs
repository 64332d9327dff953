//! The backend traits of streams, captures and events.

use std::{sync::atomic::Ordering, time::Duration};

use ringfence::{
    backend::streams::{
        CaptureMode, CaptureStatus, DriverState, StreamCapture, StreamDriver, StreamEvents,
        StreamFeatures, StreamPlatform, StreamState, StreamWait,
    },
    error::DriverError,
    id::{DeviceContext, RawEvent, RawGraph, RawStream, StreamKey},
};

use super::{
    super::{
        model::{Model, Place},
        seen::{Call, Declaration, Touches},
    },
    MockStreams,
    inner::Inner,
};

impl StreamPlatform for MockStreams {
    fn state(&self) -> DriverState {
        if self.shared.ready.load(Ordering::Acquire) {
            return DriverState::Ready;
        }
        let state = self.driver_state();
        self.act(|_, _| (state, Call::State(state)))
    }
    fn features(&self) -> StreamFeatures {
        self.shared.profile.features()
    }
}

impl StreamDriver for MockStreams {
    fn create(&self, key: StreamKey) -> Result<RawStream, DriverError> {
        self.inner().model.creation_begins();
        let _creating = Creating(self);
        if let Some(hook) = self.hooks().and_then(|hooks| hooks.create) {
            hook(key);
        }
        self.act(|model, by| {
            let outcome = model.create(by, key);
            (outcome, Call::Create { key, outcome })
        })
    }
    fn destroy(&self, stream: RawStream) -> Result<(), DriverError> {
        self.act(|model, by| {
            let outcome = model.destroy(by, stream);
            (outcome, Call::Destroy { stream, outcome })
        })
    }
    fn capture_status(&self, stream: RawStream) -> CaptureStatus {
        self.act(|model, by| {
            let outcome = model.capture_status(by, stream);
            (outcome, Call::Status { stream, outcome })
        })
    }
    fn query(&self, stream: RawStream) -> StreamState {
        self.act(|model, by| {
            let asked = model.query(by, stream);
            let (outcome, invalidated) = (asked.answer, asked.invalidated);
            (outcome, Call::Query { stream, outcome, invalidated })
        })
    }
    fn exchange_capture_mode(&self, mode: CaptureMode) -> CaptureMode {
        self.act(|model, by| (model.exchange_mode(by, mode), Call::ExchangeMode { to: mode }))
    }
}

/// A creation under way; a hook that panics ends it too.
struct Creating<'a>(&'a MockStreams);
impl Drop for Creating<'_> {
    fn drop(&mut self) {
        self.0.inner().model.creation_ends();
    }
}

impl StreamCapture for MockStreams {
    fn begin_capture(&self, stream: RawStream, mode: CaptureMode) -> Result<(), DriverError> {
        self.act(|model, by| {
            let outcome = model.begin_capture(by, stream, mode);
            (outcome, Call::BeginCapture { stream, mode, outcome })
        })
    }
    fn end_capture(&self, stream: RawStream) -> Result<RawGraph, DriverError> {
        let end = |model: &mut Model, by| {
            let members = model.captured_with(stream);
            let (outcome, ops) = match model.end_capture(by, stream) {
                Ok((graph, ops)) => (Ok(graph), ops),
                Err(error) => (Err(error), Vec::new()),
            };
            let left: Vec<_> = members.iter().map(|&raw| (raw, model.status_of(raw))).collect();
            ((outcome, left), Call::EndCapture { stream, outcome, ops })
        };
        // What the end left the streams in is a fact of the driver, asked or not.
        let tell = |inner: &mut Inner, (_, left): &(_, Vec<(RawStream, CaptureStatus)>)| {
            for &(raw, status) in left {
                inner.declare(Declaration::CaptureLeft { raw, status });
            }
        };
        self.act_then(end, tell).0
    }
    fn launch_graph(&self, graph: RawGraph, stream: RawStream) -> Result<(), DriverError> {
        self.act(|model, by| {
            let (op, touches, outcome) = match model.launch_graph(by, graph, stream) {
                Ok((op, touches)) => (Some(op), touches, Ok(())),
                Err(error) => (None, Touches::default(), Err(error)),
            };
            (outcome, Call::LaunchGraph { graph, stream, op, touches, outcome })
        })
    }
    fn destroy_graph(&self, graph: RawGraph) -> Result<(), DriverError> {
        self.act(|model, by| {
            let outcome = model.destroy_graph(by, graph);
            (outcome, Call::DestroyGraph { graph, outcome })
        })
    }
}

impl StreamEvents for MockStreams {
    fn create_event(&self, _place: DeviceContext) -> Result<RawEvent, DriverError> {
        self.act(|model, by| {
            let outcome = model.create_event(by);
            (outcome, Call::CreateEvent { outcome })
        })
    }
    fn destroy_event(&self, event: RawEvent) {
        self.act(|model, by| {
            model.destroy_event(by, event);
            ((), Call::DestroyEvent { event })
        });
    }
    fn record_event(&self, event: RawEvent, stream: RawStream) -> Result<(), DriverError> {
        self.act(|model, by| {
            let result = model.record(by, event, stream);
            let (captured, outcome) = (result == Ok(Place::Graph), result.map(drop));
            (outcome, Call::Record { event, stream, captured, outcome })
        })
    }
    fn stream_wait(&self, stream: RawStream, event: RawEvent) -> Result<(), DriverError> {
        self.act(|model, by| {
            let (after, outcome) = match model.stream_wait(by, stream, event) {
                Ok(after) => (after, Ok(())),
                Err(error) => (Vec::new(), Err(error)),
            };
            (outcome, Call::Wait { stream, event, after, outcome })
        })
    }
    fn query_event(&self, event: RawEvent) -> StreamState {
        self.act(|model, by| {
            let asked = model.query_event(by, event);
            let (outcome, invalidated) = (asked.answer, asked.invalidated);
            (outcome, Call::QueryEvent { event, outcome, invalidated })
        })
    }
    fn synchronize_event(&self, event: RawEvent, limit: Duration) -> StreamWait {
        self.act(|model, by| {
            let asked = model.synchronize_event(by, event, limit);
            let (outcome, invalidated) = (asked.answer, asked.invalidated);
            (outcome, Call::SynchronizeEvent { event, outcome, invalidated })
        })
    }
}
