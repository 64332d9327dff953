//! Captured work.

use std::ffi::c_int;

use super::{Handle, Hip, Stream};

/// What a stream captured, destroyed on drop.
#[derive(Debug)]
pub struct Graph<'h> {
    hip: &'h Hip,
    handle: Handle,
}

/// A graph to be launched, destroyed on drop.
#[derive(Debug)]
pub struct GraphExec<'h> {
    hip: &'h Hip,
    handle: Handle,
}

/// `hipStreamCaptureModeRelaxed`
const RELAXED: c_int = 2;

impl<'h> Graph<'h> {
    /// What `work` submits to `stream`.
    #[must_use]
    pub fn capture(stream: &Stream<'h>, work: impl FnOnce()) -> Self {
        let hip = stream.hip;
        // SAFETY: the stream is there.
        let code = unsafe { (hip.functions.hipStreamBeginCapture)(stream.handle, RELAXED) };
        hip.ok("hipStreamBeginCapture", code);
        work();
        let mut handle: Handle = std::ptr::null_mut();
        // SAFETY: the stream is there, and `handle` is writable.
        let code = unsafe { (hip.functions.hipStreamEndCapture)(stream.handle, &raw mut handle) };
        hip.ok("hipStreamEndCapture", code);
        Self { hip, handle }
    }

    /// How many nodes it has.
    #[must_use]
    pub fn nodes(&self) -> usize {
        let mut count = 0;
        let list = self.hip.functions.hipGraphGetNodes;
        // SAFETY: the graph is there, and without an array its nodes are counted.
        let code = unsafe { list(self.handle, std::ptr::null_mut(), &raw mut count) };
        self.hip.ok("hipGraphGetNodes", code);
        count
    }

    /// Makes it ready.
    #[must_use]
    pub fn instantiate(&self) -> GraphExec<'h> {
        let mut handle: Handle = std::ptr::null_mut();
        let (none, no_log) = (std::ptr::null_mut(), std::ptr::null_mut());
        let instantiate = self.hip.functions.hipGraphInstantiate;
        // SAFETY: the graph is there, and `handle` is writable.
        let code = unsafe { instantiate(&raw mut handle, self.handle, none, no_log, 0) };
        self.hip.ok("hipGraphInstantiate", code);
        GraphExec { hip: self.hip, handle }
    }
}

impl GraphExec<'_> {
    /// Submits all of it to `stream`.
    pub fn launch(&self, stream: &Stream<'_>) {
        let launch = self.hip.functions.hipGraphLaunch;
        // SAFETY: graph and stream are there.
        let code = unsafe { launch(self.handle, stream.handle) };
        self.hip.ok("hipGraphLaunch", code);
    }
}

impl Drop for Graph<'_> {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once.
        let code = unsafe { (self.hip.functions.hipGraphDestroy)(self.handle) };
        if !std::thread::panicking() {
            self.hip.ok("hipGraphDestroy", code);
        }
    }
}

impl Drop for GraphExec<'_> {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once, after its stream was synchronized.
        let code = unsafe { (self.hip.functions.hipGraphExecDestroy)(self.handle) };
        if !std::thread::panicking() {
            self.hip.ok("hipGraphExecDestroy", code);
        }
    }
}
