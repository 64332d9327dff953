//! What goes wrong, each at the k-th of its kind.

use std::num::NonZeroU64;

use crate::{address::Address, bus::Fault, settings::Faults};

/// Counts down to each planned fault.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Countdown(Faults);
impl Countdown {
    /// These faults are to come.
    pub fn new(planned: Faults) -> Self {
        Self(planned)
    }
    /// Whether this packet is an invalid one.
    pub fn break_packet(&mut self) -> bool {
        reached(&mut self.0.packet)
    }
    /// Whether the GPU is lost now that a packet starts.
    pub fn lose_at_packet(&mut self) -> bool {
        reached(&mut self.0.lost)
    }
    /// A kernel runs: does it touch something that is not mapped?
    pub fn touch_unmapped(&mut self) -> Result<(), Fault> {
        let at = Address::new(0xdead_0000);
        if reached(&mut self.0.vm) { Err(Fault { at, bytes: 4 }) } else { Ok(()) }
    }
    /// Whether creating this queue fails.
    pub fn refuse_queue(&mut self) -> bool {
        reached(&mut self.0.queue)
    }
    /// Whether creating this event fails.
    pub fn refuse_event(&mut self) -> bool {
        reached(&mut self.0.event)
    }
    /// Whether this allocation fails.
    pub fn refuse_memory(&mut self) -> bool {
        reached(&mut self.0.memory)
    }
}
/// Counts one of a kind: whether it is the one.
fn reached(left: &mut Option<NonZeroU64>) -> bool {
    let Some(now) = *left else { return false };
    *left = NonZeroU64::new(now.get() - 1);
    left.is_none()
}

#[cfg(test)]
mod tests;
