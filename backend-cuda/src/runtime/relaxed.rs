//! A thread in relaxed mode.

use std::marker::PhantomData;

use super::Cuda;
use crate::sys;

/// The calling thread is in relaxed mode, and is in its own again on drop.
#[derive(Debug)]
pub(crate) struct Relaxed {
    cuda: Cuda,
    before: sys::CUstreamCaptureMode,
    /// The mode is a thread's own.
    _of_this_thread: PhantomData<*mut ()>,
}

impl Relaxed {
    /// The thread's mode was exchanged; `before` is the one that it had.
    pub(super) fn entered(cuda: Cuda, before: sys::CUstreamCaptureMode) -> Self {
        Self { cuda, before, _of_this_thread: PhantomData }
    }
}

impl Drop for Relaxed {
    fn drop(&mut self) {
        let exchange = self.cuda.functions().cuThreadExchangeStreamCaptureMode;
        // SAFETY: `before` is writable, and is the mode that the thread had.
        let answer = unsafe { exchange(&raw mut self.before) };
        let _taken_before = self.cuda.check(answer);
    }
}
