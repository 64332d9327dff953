//! One packet, done to memory.

use std::time::Duration;

use super::decode::{EventId, Packet, Rect};
use crate::{
    address::Address,
    bus::{Bus, Fault},
};

/// The device's clock, in its own ticks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ticks(u64);
impl Ticks {
    /// So many ticks.
    pub const fn new(ticks: u64) -> Self {
        Self(ticks)
    }
    /// How many.
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}

/// What became of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Step {
    /// Nothing is left in the ring (of a queue alone).
    Idle,
    /// A packet is done, and what it wrote can be seen.
    Done,
    /// The packet's condition does not hold yet, or its end is not in the ring yet. Ask again.
    Waiting,
    /// The packet moves data until this time (of a queue alone).
    Busy(Duration),
    /// A packet is done: this event is to be set.
    Interrupt(EventId),
    /// A packet is done: devices now see what the host stored to device memory.
    HdpFlush,
}

/// Does one packet. A copy moves its data at once: how long that takes is its queue's business.
///
/// # Errors
/// An address that nothing is mapped at. What was moved before that stays.
pub fn execute(packet: &Packet, bus: &impl Bus, clock: Ticks) -> Result<Step, Fault> {
    match *packet {
        Packet::Nop | Packet::CacheOperation => {}
        Packet::Copy { from, to, bytes } => bus.copy(to, from, bytes)?,
        Packet::CopyRect(ref rect) => copy_rect(rect, bus)?,
        Packet::Fill { to, value, bytes } => bus.fill(to, &value.to_le_bytes(), bytes)?,
        Packet::Fence { at, value } => bus.store_u32(at, value)?,
        Packet::Trap(event) => return Ok(Step::Interrupt(event)),
        Packet::Poll(poll) if !poll.holds(bus.load_u32(poll.at)?) => return Ok(Step::Waiting),
        Packet::Poll(_) => {}
        Packet::HdpFlush => return Ok(Step::HdpFlush),
        Packet::Add { at, value } => _ = bus.add_u64(at, value)?,
        Packet::Timestamp { at } => bus.store_u64(at, clock.as_u64())?,
    }
    Ok(Step::Done)
}

fn copy_rect(rect: &Rect, bus: &impl Bus) -> Result<(), Fault> {
    for slice in 0..rect.slices {
        for row in 0..rect.rows {
            let row_of = |plane: super::Plane| -> Address { plane.row(row, slice) };
            bus.copy(row_of(rect.to), row_of(rect.from), rect.width)?;
        }
    }
    Ok(())
}
