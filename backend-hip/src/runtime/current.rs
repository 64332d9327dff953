//! A device of the calling thread's.

use std::ffi::c_int;

use super::Hip;

/// The calling thread's device was changed, and is changed back on drop.
#[derive(Debug)]
pub(crate) struct Current {
    hip: Hip,
    restore: Option<c_int>,
}

impl Current {
    /// The thread's device was another, which is to come back: `restore`.
    pub(super) fn changed(hip: Hip, restore: Option<c_int>) -> Self {
        Self { hip, restore }
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        let Some(before) = self.restore else { return };
        // SAFETY: no precondition. It was the thread's device before, so that it cannot fail but on a lost GPU.
        let number = unsafe { (self.hip.functions().hipSetDevice)(before) };
        let _lost = self.hip.check(number);
    }
}
