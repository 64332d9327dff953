//! The trace event format (<https://perfetto.dev/docs/getting-started/other-formats>): one JSON object, times in µs.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use super::Times;

/// A whole trace.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct File {
    trace_events: Vec<Event>,
    display_time_unit: &'static str,
    other_data: Map<String, Value>,
}
impl File {
    pub(super) fn of(trace_events: Vec<Event>, times: Times) -> Self {
        let mut other_data = Map::new();
        let times = match times {
            Times::Modelled => "virtual time of a model, not of silicon",
            Times::Real => "time of this machine",
        };
        other_data.insert("times".to_owned(), times.into());
        Self { trace_events, display_time_unit: "ns", other_data }
    }
}

/// What an event is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(super) enum Phase {
    /// Something that took a time, on a track where nothing else overlaps it.
    #[serde(rename = "X")]
    Complete,
    /// The beginning and the end of something that others overlap.
    #[serde(rename = "b")]
    Begin,
    #[serde(rename = "e")]
    End,
    /// A moment.
    #[serde(rename = "i")]
    Instant,
    #[serde(rename = "C")]
    Counter,
    /// The name of a process or of a track.
    #[serde(rename = "M")]
    Metadata,
}

/// An identity within a process.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Local {
    pub(super) local: String,
}

/// One event of a trace.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Event {
    pub(super) name: Cow<'static, str>,
    pub(super) ph: Phase,
    pub(super) pid: u32,
    pub(super) tid: u32,
    pub(super) ts: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) dur: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cat: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id2: Option<Local>,
    /// How wide a moment is drawn: over its track.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) s: Option<&'static str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) args: Map<String, Value>,
}
