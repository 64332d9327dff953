//! Captures and graphs.

use std::ptr;

use ringfence::{
    backend::streams::{CaptureMode, StreamCapture},
    error::DriverError,
    id::{RawGraph, RawStream},
};

use super::{CudaStreams, class, driver::mode_number, number, raw};
use crate::error::UNKNOWN_HANDLE;

/// The graph that a graph to launch was made from: it is what can be counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Template {
    graph: u64,
    pub(super) device: i32,
}

impl CudaStreams {
    /// How many nodes a graph has.
    ///
    /// # Errors
    /// [`DriverError::Bad`] for a graph that is not known; what the driver says.
    pub fn graph_nodes(&self, graph: RawGraph) -> Result<usize, DriverError> {
        let held = self.0.graphs.hold(graph.as_u64()).ok_or(UNKNOWN_HANDLE)?;
        let (template, mut count) = (held.of().graph, 0);
        let nodes = self.cuda().functions().cuGraphGetNodes;
        // SAFETY: the template exists as long as its graph is held; without a place for nodes only `count` is written.
        self.cuda().check(unsafe { nodes(raw(template), ptr::null_mut(), &raw mut count) })?;
        Ok(count)
    }
}

impl StreamCapture for CudaStreams {
    fn begin_capture(&self, stream: RawStream, mode: CaptureMode) -> Result<(), DriverError> {
        let _held = self.stream(stream)?;
        let begin = self.cuda().functions().cuStreamBeginCapture;
        // SAFETY: the stream exists while it is held.
        self.cuda().check(unsafe { begin(raw(stream.as_u64()), mode_number(mode)) })
    }

    fn end_capture(&self, stream: RawStream) -> Result<RawGraph, DriverError> {
        let held = self.stream(stream)?;
        let (cuda, functions) = (self.cuda(), self.cuda().functions());
        let (device, mut template) = (held.of().device, ptr::null_mut());
        // SAFETY: the stream exists while it is held, and `template` is writable.
        let ended =
            unsafe { (functions.cuStreamEndCapture)(raw(stream.as_u64()), &raw mut template) };
        cuda.check(ended)?;
        let mut graph = ptr::null_mut();
        let made = cuda.on(device).map_err(class).and_then(|_current| {
            // It breaks other captures as an allocation does.
            let _relaxed = cuda.relaxed()?;
            let instantiate = functions.cuGraphInstantiateWithFlags;
            // SAFETY: the template is there, and `graph` is writable.
            cuda.check(unsafe { instantiate(&raw mut graph, template, 0) })
        });
        if let Err(error) = made {
            // SAFETY: the template is this call's own, and is destroyed once.
            let _gone = cuda.check(unsafe { (functions.cuGraphDestroy)(template) });
            return Err(error);
        }
        self.0.graphs.insert(number(graph), Template { graph: number(template), device });
        Ok(RawGraph::new(number(graph)))
    }

    fn launch_graph(&self, graph: RawGraph, stream: RawStream) -> Result<(), DriverError> {
        let held = self.0.graphs.hold(graph.as_u64()).ok_or(UNKNOWN_HANDLE)?;
        let _held = (held, self.stream(stream)?);
        let launch = self.cuda().functions().cuGraphLaunch;
        // SAFETY: both exist while they are held.
        self.cuda().check(unsafe { launch(raw(graph.as_u64()), raw(stream.as_u64())) })
    }

    fn destroy_graph(&self, graph: RawGraph) -> Result<(), DriverError> {
        let template = self.0.graphs.take(graph.as_u64()).ok_or(UNKNOWN_HANDLE)?;
        let (cuda, functions) = (self.cuda(), self.cuda().functions());
        let destroyed = cuda.relaxed().and_then(|_relaxed| {
            let destroy = functions.cuGraphExecDestroy;
            // SAFETY: the graph was made by `end_capture`, and was taken off the list by this call alone.
            cuda.check(unsafe { destroy(raw(graph.as_u64())) })
        });
        if let Err(error) = destroyed {
            self.0.graphs.insert(graph.as_u64(), template);
            return Err(error);
        }
        // SAFETY: as above; nothing else has the template.
        let template = unsafe { (functions.cuGraphDestroy)(raw(template.graph)) };
        // What was asked for is gone: an error would say that it is still there.
        let _stays_with_the_driver = cuda.check(template);
        Ok(())
    }
}
