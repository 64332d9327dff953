//! One host wait, in its phases.

use crate::{
    backend::{HostWait, SignalMemory, WaitOutcome},
    id::{SignalHandle, SignalValue},
    observe,
    wait::WaitPolicy,
};

/// Waits until `signal` is below 1: actively for the window of `policy`, then asleep where the signal
/// can wake its waiter. Returns as soon as the active phase saw completion. No lock is held (S13).
pub(crate) fn wait_until_done(
    device: &impl HostWait,
    policy: &WaitPolicy,
    signal: SignalHandle,
    memory: SignalMemory,
) -> WaitOutcome {
    let _going = observe::host_wait(signal);
    for phase in policy.phases(memory) {
        match device.wait(signal, SignalValue::ARMED, phase.hint, phase.limit) {
            // A backend that ends a wait early proves nothing by it: its value says so.
            WaitOutcome::Reached(value) if value >= SignalValue::ARMED => {}
            WaitOutcome::TimedOut => {}
            ended @ (WaitOutcome::Reached(_) | WaitOutcome::Lost) => return ended,
        }
    }
    WaitOutcome::TimedOut
}

#[cfg(all(test, not(ringfence_loom)))]
mod tests;
