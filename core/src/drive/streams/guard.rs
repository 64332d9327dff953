//! The calling thread's capture mode, set aside while a call of our own is made (T8).

use crate::backend::streams::{CaptureMode, StreamDriver};

/// Relaxed mode on this thread, until it is dropped: the one driver call that a destructor makes, since a mode
/// that stayed behind would change the user's own calls (T10). It is never held across a callback, a
/// yield or an await.
pub(super) struct Relaxed<'a, B: StreamDriver> {
    driver: &'a B,
    before: CaptureMode,
    /// The mode belongs to a thread.
    _not_send: std::marker::PhantomData<*const ()>,
}
impl<'a, B: StreamDriver> Relaxed<'a, B> {
    pub(super) fn enter(driver: &'a B) -> Self {
        let to = match planted!(QueryWithoutGuard) {
            true => CaptureMode::Global,
            false => CaptureMode::Relaxed,
        };
        let before = driver.exchange_capture_mode(to);
        Self { driver, before, _not_send: std::marker::PhantomData }
    }
}
impl<B: StreamDriver> Drop for Relaxed<'_, B> {
    fn drop(&mut self) {
        let _relaxed = self.driver.exchange_capture_mode(self.before);
    }
}
