//! What the model is made of.

use std::{collections::VecDeque, time::Duration};

use ringfence::{
    backend::streams::CaptureMode,
    error::DriverError,
    id::{Bytes, DeviceId, Position, RawGraph, RawMemory, RawProgress, RawStream, StreamKey},
};

use super::CaptureId;
use crate::streams::{
    op::RunTime,
    seen::{OpId, ThreadId, Touches},
};

/// Which stream really is meant, whatever its handle.
pub(super) type Serial = u64;

#[derive(Clone, Debug)]
pub(super) struct Stream {
    pub(super) serial: Serial,
    pub(super) key: StreamKey,
    pub(super) queue: usize,
    /// The last work on the device, finished or not.
    pub(super) last: Option<OpId>,
    /// What its next work waits for, besides.
    pub(super) waits: Vec<OpId>,
    pub(super) capture: Option<CaptureId>,
    /// The mode of its last capture (HIP 5.7).
    pub(super) own_mode: CaptureMode,
    pub(super) error: Option<DriverError>,
}

#[derive(Clone, Debug)]
pub(super) struct Queue {
    pub(super) device: DeviceId,
    pub(super) class: i32,
    /// Unfinished work, in the order of submission.
    pub(super) ops: VecDeque<OpId>,
    /// Live streams.
    pub(super) streams: u32,
    pub(super) existence: Existence,
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Existence {
    Made,
    GivenBack,
}

#[derive(Clone, Debug)]
pub(super) struct Op {
    pub(super) after: Vec<OpId>,
    pub(super) time: RunTime,
    pub(super) progress: Progress,
    pub(super) effects: Vec<Effect>,
    pub(super) stream: RawStream,
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    Queued,
    /// Until this time, or for ever.
    Running(Option<u64>),
}
/// What a piece of work leaves behind when it is finished.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    Free(RawMemory),
    Mark(RawProgress, Position),
    HostFunction(OpId),
}

#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub(super) mode: CaptureMode,
    /// Captures that it began, relaxed ones aside. Entries may be dead (M9).
    pub(super) own: Vec<CaptureId>,
    pub(super) last_error: Option<DriverError>,
    pub(super) account: Duration,
}
impl Default for Thread {
    fn default() -> Self {
        Self {
            mode: CaptureMode::Global,
            own: Vec::new(),
            last_error: None,
            account: Duration::ZERO,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Capture {
    pub(super) mode: CaptureMode,
    pub(super) by: ThreadId,
    pub(super) phase: Phase,
    /// The streams in it; the first began it.
    pub(super) members: Vec<Member>,
    pub(super) nodes: Vec<Node>,
    pub(super) graph: Option<RawGraph>,
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// It records.
    Open,
    /// It was invalidated.
    Broken,
    /// A wait for itself broke it: it looks active, and its next calls fail (HIP 5.7).
    Wrecked,
    /// Its end failed as unjoined, and its streams stay as they are.
    Unjoined,
    /// It ended; a stream that still points here swallows work, or says `Invalidated` for ever.
    Over(After),
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum After {
    Good,
    Broken,
}
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) raw: RawStream,
    pub(super) serial: Serial,
    /// How many nodes of each member its next node follows; its own count among them.
    pub(super) seen: Vec<u32>,
    /// How many of its nodes are followed by a node of another member.
    pub(super) followed: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) op: OpId,
    pub(super) time: RunTime,
    pub(super) touches: Touches,
    pub(super) effect: NodeEffect,
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NodeEffect {
    None,
    Free(RawMemory),
    Allocate(RawMemory),
    Mark(RawProgress, Position),
    HostFunction,
}

#[derive(Clone, Debug)]
pub(super) struct Event {
    /// The raw handle of the stream that recorded it last (M11): whoever has that handle now.
    pub(super) stream: Option<RawStream>,
    pub(super) serial: Serial,
    pub(super) after: Vec<OpId>,
    /// Recorded into this capture: with what each member had by then.
    pub(super) captured: Option<(CaptureId, Vec<u32>)>,
}

#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) capture: CaptureId,
}

#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) bytes: Bytes,
    pub(super) device: DeviceId,
    pub(super) made: Made,
    pub(super) life: Life,
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Made {
    /// By a stream's pool.
    Pool,
    /// By a synchronous call.
    Plain,
    /// By a node of this capture's graph.
    Graph(CaptureId),
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Life {
    Allocated,
    /// A free is on its way in some stream's order.
    Freeing,
}

#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) value: Position,
}
