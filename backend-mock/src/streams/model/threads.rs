//! What each thread has of its own: a capture mode, a last error, an account of time.

use std::time::Duration;

use ringfence::{backend::streams::CaptureMode, error::DriverError};

use super::{Model, code};
use crate::streams::{counts::CallKind, profile::LastError, seen::ThreadId};

impl Model {
    /// Sets the thread's mode, and returns the one before it (M3).
    pub fn exchange_mode(&mut self, by: ThreadId, to: CaptureMode) -> CaptureMode {
        // A thread's own flag: it works, or nothing does.
        let _ = self.enter(by, CallKind::ExchangeMode);
        std::mem::replace(&mut self.thread(by).mode, to)
    }
    /// The last error of a thread (M16).
    pub fn last_error(&self, thread: ThreadId) -> Option<DriverError> {
        self.threads.get(&thread).and_then(|known| known.last_error)
    }
    /// The last error of a thread, which is forgotten (`hipGetLastError`).
    pub fn take_last_error(&mut self, thread: ThreadId) -> Option<DriverError> {
        self.thread(thread).last_error.take()
    }
    /// Modelled host time of one thread's calls, creations among them: a model, not silicon.
    pub fn account(&self, thread: ThreadId) -> Duration {
        self.threads.get(&thread).map_or(Duration::ZERO, |known| known.account)
    }
    pub(super) fn fails(&mut self, by: ThreadId, error: DriverError) -> DriverError {
        self.thread(by).last_error = Some(error);
        error
    }
    pub(super) fn not_ready(&mut self, by: ThreadId) {
        self.fails(by, code::NOT_READY);
    }
    pub(super) fn succeeds(&mut self, by: ThreadId) {
        if self.rules.last_error == LastError::NextSuccess {
            self.thread(by).last_error = None;
        }
    }
    /// Keeps the thread's last error by the result of one of its calls.
    pub(super) fn noted<T>(
        &mut self,
        by: ThreadId,
        result: Result<T, DriverError>,
    ) -> Result<T, DriverError> {
        match result {
            Ok(value) => {
                self.succeeds(by);
                Ok(value)
            }
            Err(error) => Err(self.fails(by, error)),
        }
    }
}
