//! Host waits.

use std::time::Duration;

use ringfence::{
    backend::{Device, DeviceStatus, HostWait, WaitHint, WaitOutcome},
    id::{SignalHandle, SignalValue},
};

use super::HipDevice;
use ringfence_backend_shared::pause::{self, Style};

impl HostWait for HipDevice {
    /// # Panics
    /// If there is no such signal, or it is destroyed during the wait.
    fn wait(
        &self,
        signal: SignalHandle,
        below: SignalValue,
        hint: WaitHint,
        limit: Duration,
    ) -> WaitOutcome {
        let found = self.table().expect(signal);
        let style = match hint {
            WaitHint::Blocked if found.is_interrupt() => Style::Sleepy,
            WaitHint::Blocked | WaitHint::Active => Style::Active,
        };
        let look = || {
            let value = self.table().expect(signal).load();
            if value < below.as_i64() {
                return Some(WaitOutcome::Reached(SignalValue::new(value)));
            }
            (self.status() == DeviceStatus::Lost).then_some(WaitOutcome::Lost)
        };
        pause::until(limit, style, look).unwrap_or(WaitOutcome::TimedOut)
    }

    /// # Panics
    /// If there is no such signal, or no more.
    fn force(&self, signal: SignalHandle) {
        self.table().expect(signal).force();
    }
}
