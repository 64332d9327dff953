//! Graphs: what a capture has recorded, run as one piece of work (M8).

use ringfence::{
    error::DriverError,
    id::{RawGraph, RawMemory, RawStream},
};

use super::{
    Model,
    capture::Recording,
    code,
    parts::{Effect, Graph, Life, Made, Memory, NodeEffect},
    streams::Use,
};
use crate::{
    clock::Ticks,
    streams::{
        counts::CallKind,
        op::RunTime,
        profile::{CapturedFree, CapturedLaunch},
        seen::{OpId, ThreadId, Touches},
    },
};

impl Model {
    /// Submits a graph as one piece of work, and says what that touches.
    ///
    /// # Errors
    /// For handles of nothing, a stream in error, and on CUDA for a stream that captures. A node whose
    /// memory is gone, or that frees what no graph made, is a crash.
    pub fn launch_graph(
        &mut self,
        by: ThreadId,
        graph: RawGraph,
        raw: RawStream,
    ) -> Result<(OpId, Touches), DriverError> {
        self.enter(by, CallKind::LaunchGraph)?;
        let result = self.launch_it(graph, raw);
        self.noted(by, result)
    }
    fn launch_it(
        &mut self,
        graph: RawGraph,
        raw: RawStream,
    ) -> Result<(OpId, Touches), DriverError> {
        let Some(known) = self.graphs.get(&graph).cloned() else {
            return Err(code::INVALID_HANDLE);
        };
        self.working(raw, Use::Launch)?;
        if self.rules.captured_launch != CapturedLaunch::Runs
            && let Recording::Into(id) = self.recording(raw)?
        {
            if self.rules.captured_launch == CapturedLaunch::Invalidates {
                // The stream knows by the next call; nothing else is told.
                let _ = self.invalidate(&[id]);
            }
            return Err(code::UNSUPPORTED);
        }
        let device = self.streams[&raw].key.place.device;
        let (mut time, mut touches) = (RunTime::Ticks(Ticks::ZERO), Touches::default());
        let mut effects = Vec::new();
        for node in &known.nodes {
            time = both(time, node.time);
            match node.effect {
                NodeEffect::None => {}
                NodeEffect::HostFunction => effects.push(Effect::HostFunction(node.op)),
                NodeEffect::Mark(word, position) => effects.push(Effect::Mark(word, position)),
                NodeEffect::Allocate(memory) => {
                    let made = Made::Graph(known.capture);
                    let bytes = self.memory.get(&memory).map(|old| old.bytes).unwrap_or_default();
                    self.memory
                        .insert(memory, Memory { bytes, device, made, life: Life::Allocated });
                }
                NodeEffect::Free(memory) => match self.free_at_launch(&known, memory) {
                    Ok(effect) => effects.extend(effect),
                    Err(error) => {
                        self.crash(format!("launch of {graph}: {} frees {memory}, which no graph made, or which is gone", node.op));
                        return Err(error);
                    }
                },
            }
            let mut used = node.touches.reads.iter().chain(&node.touches.writes);
            if let Some(gone) = used.find(|memory| !self.memory.contains_key(memory)) {
                let what = format!("launch of {graph}: {} touches {gone}, which is freed", node.op);
                self.crash(what);
                return Err(code::INVALID_VALUE);
            }
            touches.reads.extend(&node.touches.reads);
            touches.writes.extend(&node.touches.writes);
            touches.buffers.extend(&node.touches.buffers);
        }
        Ok((self.submit(raw, time, effects), touches))
    }
    /// What a free node of a graph does at a launch.
    fn free_at_launch(
        &self,
        graph: &Graph,
        memory: RawMemory,
    ) -> Result<Option<Effect>, DriverError> {
        match (self.rules.captured_free, self.memory.get(&memory).map(|known| known.made)) {
            (_, Some(Made::Graph(capture))) if capture == graph.capture => {
                Ok(Some(Effect::Free(memory)))
            }
            // HIP 5.7 returned it to the pool when the node was made, or never frees it.
            (CapturedFree::AtOnce | CapturedFree::NodeAndAtOnce, _) => Ok(None),
            _ => Err(code::INVALID_VALUE),
        }
    }
    /// Gives a graph back.
    ///
    /// # Errors
    /// For a handle of nothing.
    pub fn destroy_graph(&mut self, by: ThreadId, graph: RawGraph) -> Result<(), DriverError> {
        self.enter(by, CallKind::DestroyGraph)?;
        let gone = self.graphs.remove(&graph).map(drop).ok_or(code::INVALID_HANDLE);
        self.noted(by, gone)
    }
    /// The nodes of a graph, in the order of their recording.
    pub fn nodes(&self, graph: RawGraph) -> Vec<OpId> {
        self.graphs
            .get(&graph)
            .map_or_else(Vec::new, |known| known.nodes.iter().map(|node| node.op).collect())
    }
}
fn both(one: RunTime, other: RunTime) -> RunTime {
    match (one, other) {
        (RunTime::Ticks(one), RunTime::Ticks(other)) => {
            RunTime::Ticks(Ticks::new(one.count().saturating_add(other.count())))
        }
        _ => RunTime::Endless,
    }
}
