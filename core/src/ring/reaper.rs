//! Signals that nobody holds any more wait here to be destroyed, on the runtime's own thread.

use crate::{id::SignalHandle, sync::Mutex};

/// Collects signals whose last hold is gone, from any thread, callback threads included: destroying
/// there can deadlock a runtime (S13, <https://github.com/ROCm/rocm-systems/issues/7490>).
///
/// ```
/// use ringfence::ring::Reaper;
/// let reaper = Reaper::new();
/// assert_eq!(reaper.reap(|signal| panic!("nothing to destroy, but got {signal:?}")), 0);
/// ```
#[derive(Debug, Default)]
pub struct Reaper(Mutex<Vec<SignalHandle>>);
impl Reaper {
    /// Nothing to destroy.
    pub fn new() -> Self {
        Self::default()
    }
    pub(crate) fn take(&self, signal: SignalHandle) {
        self.0.lock().push(signal);
    }
    /// Hands each collected signal to `destroy`, outside the lock, and says how many there were.
    pub fn reap(&self, mut destroy: impl FnMut(SignalHandle)) -> usize {
        let signals = std::mem::take(&mut *self.0.lock());
        let count = signals.len();
        signals.into_iter().for_each(&mut destroy);
        count
    }
}
