//! What errors say whose text depends on more than their fields.

use super::WaitedFor;
use crate::{backend::CopyRefused, id::UseId};

/// What ran into its limit, and what to do.
pub(super) fn timed_out(of: UseId, waited_for: WaitedFor) -> String {
    match waited_for {
        WaitedFor::Use => format!(
            "use {of} was not finished within the limit of the wait; wait again, raise the limit of the wait \
             policy, or give the use up with `Tracker::force`"
        ),
        WaitedFor::Stream => format!(
            "the stream's work was not finished within the limit of the wait, and use {of} is the oldest of it; wait \
             again, or give that use up with `Tracker::force`, after which waits for the stream end at once, in an error, \
             until it is over. A tracker that is dropped waits for nothing"
        ),
    }
}
/// What to do about a copy of which a part was refused.
pub(super) fn way_out(cause: CopyRefused) -> &'static str {
    match cause {
        CopyRefused::Failed => "submit the copy again",
        CopyRefused::SignalMemory => {
            "it will be refused again: the backend claims `DEVICE_SIGNALS_ON_COPIES` or `DEVICE_WAITS_ON_COPIES` for an \
             engine that has it not; open the tracker with `DeviceSignals::Off`, or correct the claim"
        }
        CopyRefused::DeviceLost => "nothing on this device will finish",
    }
}
