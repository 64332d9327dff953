//! Captures and graphs.

use ringfence::{
    backend::streams::{CaptureMode, StreamCapture},
    error::DriverError,
    id::{RawGraph, RawStream},
};

use super::{HipStreams, class, driver::mode_number, number, raw};
use crate::error::UNKNOWN_HANDLE;

/// The graph that a graph to launch was made from: HIP 5 lets streams that once joined the capture reach into it, so that it stays as long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Template {
    graph: u64,
    pub(super) device: i32,
}

impl HipStreams {
    /// How many nodes a graph has.
    ///
    /// # Errors
    /// [`DriverError::Bad`] for a graph that is not known; what HIP says.
    pub fn graph_nodes(&self, graph: RawGraph) -> Result<usize, DriverError> {
        let held = self.0.graphs.hold(graph.as_u64()).ok_or(UNKNOWN_HANDLE)?;
        let (template, mut count) = (held.of().graph, 0);
        let nodes = self.hip().functions().hipGraphGetNodes;
        // SAFETY: the template exists as long as its graph is held; without a place for nodes only `count` is written.
        self.hip().check(unsafe { nodes(raw(template), std::ptr::null_mut(), &raw mut count) })?;
        Ok(count)
    }
}

impl StreamCapture for HipStreams {
    fn begin_capture(&self, stream: RawStream, mode: CaptureMode) -> Result<(), DriverError> {
        let _held = self.stream(stream)?;
        let begin = self.hip().functions().hipStreamBeginCapture;
        // SAFETY: the stream exists while it is held.
        self.hip().check(unsafe { begin(raw(stream.as_u64()), mode_number(mode)) })
    }

    fn end_capture(&self, stream: RawStream) -> Result<RawGraph, DriverError> {
        let held = self.stream(stream)?;
        let (hip, functions) = (self.hip(), self.hip().functions());
        let device = held.of().device;
        let mut template = std::ptr::null_mut();
        // SAFETY: the stream exists while it is held, and `template` is writable.
        let ended =
            unsafe { (functions.hipStreamEndCapture)(raw(stream.as_u64()), &raw mut template) };
        hip.check(ended)?;
        let (mut graph, none) = (std::ptr::null_mut(), std::ptr::null_mut());
        // HIP makes it for the thread's device.
        let made = hip.on(device).map_err(class).and_then(|_current| {
            let instantiate = functions.hipGraphInstantiate;
            // SAFETY: the template is there, and `graph` is writable; no place is given for words about a failure.
            hip.check(unsafe { instantiate(&raw mut graph, template, none, none.cast(), 0) })
        });
        if let Err(error) = made {
            // SAFETY: the template is this call's own, and is destroyed once.
            let _gone = hip.check(unsafe { (functions.hipGraphDestroy)(template) });
            return Err(error);
        }
        self.0.graphs.insert(number(graph), Template { graph: number(template), device });
        Ok(RawGraph::new(number(graph)))
    }

    fn launch_graph(&self, graph: RawGraph, stream: RawStream) -> Result<(), DriverError> {
        let held = self.0.graphs.hold(graph.as_u64()).ok_or(UNKNOWN_HANDLE)?;
        let _held = (held, self.stream(stream)?);
        let launch = self.hip().functions().hipGraphLaunch;
        // SAFETY: both exist while they are held.
        self.hip().check(unsafe { launch(raw(graph.as_u64()), raw(stream.as_u64())) })
    }

    fn destroy_graph(&self, graph: RawGraph) -> Result<(), DriverError> {
        let template = self.0.graphs.take(graph.as_u64()).ok_or(UNKNOWN_HANDLE)?;
        let (hip, functions) = (self.hip(), self.hip().functions());
        // SAFETY: the graph was made by `end_capture`, and was taken off the list by this call alone.
        let destroyed = unsafe { (functions.hipGraphExecDestroy)(raw(graph.as_u64())) };
        if let Err(error) = hip.check(destroyed) {
            self.0.graphs.insert(graph.as_u64(), template);
            return Err(error);
        }
        // SAFETY: as above; nothing else has the template.
        let template = unsafe { (functions.hipGraphDestroy)(raw(template.graph)) };
        // What was asked for is gone: an error would say that it is still there.
        let _stays_with_hip = hip.check(template);
        Ok(())
    }
}
