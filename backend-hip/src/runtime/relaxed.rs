//! A thread in relaxed mode.

use std::marker::PhantomData;

use super::Hip;
use crate::sys;

/// The calling thread is in relaxed mode, and is in its own again on drop.
#[derive(Debug)]
pub(crate) struct Relaxed {
    hip: Hip,
    before: sys::hipStreamCaptureMode,
    /// The mode is a thread's own.
    _of_this_thread: PhantomData<*mut ()>,
}

impl Relaxed {
    /// The thread's mode was exchanged; `before` is the one that it had.
    pub(super) fn entered(hip: Hip, before: sys::hipStreamCaptureMode) -> Self {
        Self { hip, before, _of_this_thread: PhantomData }
    }
}

impl Drop for Relaxed {
    fn drop(&mut self) {
        let exchange = self.hip.functions().hipThreadExchangeStreamCaptureMode;
        // SAFETY: `before` is writable, and is the mode that the thread had.
        let answer = unsafe { exchange(&raw mut self.before) };
        let _taken_before = self.hip.check(answer);
    }
}
